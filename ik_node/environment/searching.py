# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""One search for the targets of a group, with its reason in words."""

from __future__ import annotations

from ik_node.environment import reasons
from ik_node.environment.request import Prepared, tip_names
from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers import parts
from ik_node.solvers.approximation import approximated
from ik_node.solvers.kinematics import task_rows
from ik_node.solvers.least_squares import LeastSquares
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.status import SolveStatus

_NAMED = 8
"""So many tips are named in a sentence."""

# Python 3.11 takes 0.1 us to find the member of an enumeration.
_SUCCESS = SolveStatus.SUCCESS


def search(
    prepared: Prepared,
    T_reference_target: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    approximate: bool = False,
) -> tuple[Outcome, str]:
    """
    Search for a configuration that brings all tips to their targets.

    Parameters
    ----------
    prepared : Prepared
        The elements.
    T_reference_target : (t, 4, 4) float64
        From `request_of`.
    seed : (n,) float64
        From there.
    options : SearchOptions
        Checked.
    approximate : bool
        Whether the least-squares answer is wanted where there is no solution. It is given also
        for targets with priorities.

    Returns
    -------
    outcome : Outcome
    message : str
        What happened, in a sentence.

    """
    if prepared.parts:
        outcome, failed = parts.search_parts(prepared.parts, T_reference_target, seed, options)
        if failed is None:
            return outcome, 'solved'
        outcome = as_near_as_possible(
            prepared, T_reference_target, seed, options, outcome, approximate
        )
        part = prepared.parts[failed]
        targets = part.targets(T_reference_target)
        message = reasons.of_solve(outcome, part.tables, targets, options)
        return outcome, message + missing_tips(
            prepared, T_reference_target, outcome.q, options.tolerances
        )
    targets = T_reference_target
    if not prepared.plain:
        targets = prepared.T_node_reference @ targets
    outcome = parts.solve(prepared.tables, targets, seed, options)
    if outcome.status is _SUCCESS:
        return outcome, 'solved'
    outcome = as_near_as_possible(
        prepared, T_reference_target, seed, options, outcome, approximate
    )
    message = reasons.of_solve(outcome, prepared.tables, targets, options)
    return outcome, message + missing_tips(
        prepared, T_reference_target, outcome.q, options.tolerances
    )


def missing_tips(
    prepared: Prepared,
    T_reference_target: FloatArray,
    q: FloatArray,
    tolerances: tuple[float, float],
) -> str:
    """
    Say which of several tips are not at their targets.

    Parameters
    ----------
    prepared : Prepared
        The elements.
    T_reference_target : (t, 4, 4) float64
        From `request_of`.
    q : (n,) float64
        Configuration [rad or m].
    tolerances : pair of float
        The largest distance [m] and angle [rad] that count as reached.

    Returns
    -------
    str
        Empty for a group of one tip; otherwise to be added to a sentence.

    """
    names = tip_names(prepared)
    if len(names) == 1:
        return ''
    rows = task_rows(prepared.tables, prepared.T_node_reference @ T_reference_target, q)
    missing = [
        f'{name!r} by {distance:.3g} m and {angle:.3g} rad'
        for name, distance, angle in zip(names, rows.distances, rows.angles, strict=True)
        if not (distance <= tolerances[0] and angle <= tolerances[1])
    ]
    more = f' and {len(missing) - _NAMED} more' if len(missing) > _NAMED else ''
    return '; not at their targets: ' + ', '.join(missing[:_NAMED]) + more if missing else ''


def as_near_as_possible(
    prepared: Prepared,
    T_reference_target: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    outcome: Outcome,
    approximate: bool,
) -> Outcome:
    """
    Give the least-squares answer, where one is wanted.

    Parameters
    ----------
    prepared, T_reference_target, seed, options, approximate
        As for `search`.
    outcome : Outcome
        Of a search without success.

    Returns
    -------
    Outcome

    """
    if not approximate and prepared.priorities is None:
        return outcome
    problem = least_squares(prepared, T_reference_target, options)
    return approximated(problem, seed, outcome)


def least_squares(
    prepared: Prepared, T_reference_target: FloatArray, options: SearchOptions
) -> LeastSquares:
    """
    Give the targets of a group as a least-squares problem.

    Parameters
    ----------
    prepared, T_reference_target, options
        As for `search`.

    Returns
    -------
    LeastSquares
        With the priorities of the request.

    """
    return LeastSquares(
        prepared.tables,
        prepared.T_node_reference @ T_reference_target,
        float(options.settings[step.POSITION_WEIGHT]),
        options.tolerances,
        prepared.priorities,
    )
