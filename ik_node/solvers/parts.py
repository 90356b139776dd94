# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Tips that have no variable in common, each set of them searched on its own.

Two arms on a fixed torso are two problems, not one: a start that is good for one arm need not wait
for a start that is good for both.
"""

from __future__ import annotations

from collections.abc import Sequence
import time
from typing import NamedTuple

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.tree import CONSTRAINTS
from ik_node.model.tables import Tables
from ik_node.solvers import diagnosis, restarts
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.starts import BLANK
from ik_node.solvers.status import SolveStatus
import numpy as np


class Part(NamedTuple):
    """Some of the tips of a mechanism, with tables of their own."""

    tables: Tables
    T_node_reference: FloatArray | None
    """
    (t, 4, 4) from the frame that a target is given in to the node that kernels want it in; None
    where they are the same.
    """
    tips: IntArray | slice
    """(t,) which tips of the whole."""
    columns: IntArray | slice
    """(n,) which coordinates of the whole."""

    def targets(self, T_reference_target: FloatArray) -> FloatArray:
        """Choose the targets (t, 4, 4) of this part, in the nodes that kernels want them in."""
        own = T_reference_target[self.tips]
        return own if self.T_node_reference is None else self.T_node_reference @ own


class PartsOutcome(NamedTuple):
    """What the searches of all parts found."""

    outcome: Outcome
    """
    Of the whole: a proof that there is nothing, otherwise the first status that is no success;
    errors are the largest of all parts.
    """
    failed: int | None
    """The part whose status it is; None where all were solved."""


def selection(indices: Sequence[int]) -> IntArray | slice:
    """
    Give indices in the form that selects fastest.

    Parameters
    ----------
    indices : sequence of int
        At least one.

    Returns
    -------
    slice or array of int64

    """
    first, count = indices[0], len(indices)
    if list(indices) == list(range(first, first + count)):
        return slice(first, first + count)
    return np.array(indices, np.int64)


def independent_tips(tables: Tables, columns: Sequence[Sequence[str]]) -> list[list[int]]:
    """
    Divide the tips into sets that have no variable in common.

    Parameters
    ----------
    tables : Tables
        t tips.
    columns : sequence of sequence of str
        (t,) the joints that each tip has as columns, also those that make no difference to it.

    Returns
    -------
    list of list of int
        Each set in order; ordered by their first tips.

    """
    sets: list[tuple[set[str], list[int]]] = []
    for tip in range(len(tables.tips)):
        variables, tips = _variables(tables, tip, columns[tip]), [tip]
        for other in [one for one in sets if one[0] & variables]:
            sets.remove(other)
            variables |= other[0]
            tips = sorted(tips + other[1])
        sets.append((variables, tips))
    return sorted(tips for _, tips in sets)


def _variables(tables: Tables, tip: int, columns: Sequence[str]) -> set[str]:
    """Collect the joints that are columns of a tip, or make a difference to it."""
    found = set(columns)
    # The first coordinate of each joint, which is the variable of its nodes.
    first = np.flatnonzero(tables.limits[:, 4] > 0.0).tolist()
    names = dict(zip(first, tables.joint_names, strict=True))
    for node in tables.tip_wiring[tip, :CONSTRAINTS].tolist():
        while node >= 0:
            found.add(names[int(tables.wiring[node, 2])])
            node = int(tables.wiring[node, 0])
    return found


def search_parts(
    parts: Sequence[Part],
    T_reference_target: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
) -> PartsOutcome:
    """
    Search for a configuration of each part, one after the other; see `restarts.search`.

    Parameters
    ----------
    parts : sequence of Part
        All tips and all coordinates, each in one part.
    T_reference_target : (t, 4, 4) float64
        Target of each tip of the whole, checked.
    seed : (n,) float64
        Of the whole [rad or m], checked.
    options : SearchOptions
        Checked; the timeout is that of all parts together.

    Returns
    -------
    PartsOutcome
        A part that fails does not end the search: the others still get their best configuration.

    """
    deadline = time.monotonic() + options.timeout
    q, report = seed.copy(), BLANK.copy()
    report[[step.ENERGY, step.POSITION_ERROR, step.ORIENTATION_ERROR]] = 0.0
    report[step.STARTS] = 1.0
    status, failed = _SUCCESS, None
    blocking: tuple[str, ...] = ()
    position_found = None
    for i, part in enumerate(parts):
        targets = part.targets(T_reference_target)
        left = max(0.0, deadline - time.monotonic())
        found = solve(part.tables, targets, seed[part.columns], options._replace(timeout=left))
        q[part.columns] = found.q
        report[step.ENERGY] += found.report[step.ENERGY]
        report[step.ITERATIONS] += found.report[step.ITERATIONS]
        report[step.STARTS] += found.report[step.STARTS] - 1.0
        for error in (step.POSITION_ERROR, step.ORIENTATION_ERROR):
            report[error] = np.maximum(report[error], found.report[error])  # NaN stays NaN
        # A proof is worth more than whatever else came first.
        proof = found.status is _UNREACHABLE and status is not _UNREACHABLE
        if proof or (failed is None and found.status is not _SUCCESS):
            status, failed = found.status, i
            blocking, position_found = found.blocking, found.position_found
    return PartsOutcome(Outcome(status, q, report, blocking, position_found), failed)


def solve(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> Outcome:
    """
    Search, and find the reason when there is no solution.

    Parameters
    ----------
    tables, targets, seed, options
        See `restarts.search`.

    Returns
    -------
    Outcome

    """
    outcome = restarts.search(tables, targets, seed, options)
    if outcome.status is not _SUCCESS:
        outcome = diagnosis.diagnose(tables, targets, seed, options, outcome)
    return outcome


# Python 3.11 takes 0.1 us to find the member of an enumeration.
_SUCCESS = SolveStatus.SUCCESS
_UNREACHABLE = SolveStatus.UNREACHABLE
