# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The default search: damped least squares from the seed, then from random starts.

The kernel works through starts in slices; the deadline is looked at between slices, on the steady
clock. Which starts there are and what each gives depends on the request alone, so the time can cut
a search short but never change its answer.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

from ik_node.kernels import reach, step
from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import nearest_turn
from ik_node.kernels.patience import is_hopeless, next_look
from ik_node.kernels.status import SUCCESS
from ik_node.model.tables import Tables
from ik_node.solvers.nearest import solve_nearest
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.starts import solve_starts
from ik_node.solvers.status import SolveStatus
import numpy as np

# Below this energy the best configuration is worth patience: a solution at a limit or at a
# singularity is approached slowly, and every start is given up before it is there.
_ALMOST = 1e-5
# Searches that tell why one failed, and how many starts that one must have made for them to mean
# anything.
_DIAGNOSTIC_STARTS = 32 if COMPILED else 2
_DIAGNOSTIC_TIMEOUT = 0.002 if COMPILED else 1.0
_TELLING_STARTS = 8 if COMPILED else 1
_UNCLEAR = (SolveStatus.NOT_FOUND, SolveStatus.TIMED_OUT)


class Outcome(NamedTuple):
    """What a search found."""

    status: SolveStatus
    q: FloatArray
    """(n,) the solution, or the best configuration seen."""
    report: FloatArray
    """See `ik_node.kernels.step`: errors, iterations, starts."""
    blocking: tuple[str, ...] = ()
    """With BLOCKED_BY_LIMITS: the joints whose limits would have to be wider."""
    position_found: bool | None = None
    """Not found: whether the positions alone were, whatever the orientation; None: not tried."""


def search(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> Outcome:
    """
    Search for a configuration that brings all tips to their targets.

    Parameters
    ----------
    tables : Tables
        The mechanism, t tips, n variables.
    targets : (t, 4, 4) float64
        T_base_target of each tip, checked.
    seed : (n,) float64
        First start [rad or m], checked.
    options : SearchOptions
        Checked.

    Returns
    -------
    Outcome

    """
    outcome = search_undiagnosed(tables, targets, seed, options)
    if outcome.status in _UNCLEAR and outcome.report[step.STARTS] >= _TELLING_STARTS:
        return _diagnosed(tables, targets, seed, options, outcome)
    return outcome


def search_undiagnosed(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> Outcome:
    """
    Do the same as `search`, and where nothing is found leave it at that.

    Returns
    -------
    Outcome

    """
    # First, as it builds a table once for each mechanism: that is no part of the search.
    proven = beyond_reach(tables, targets, options)
    deadline = time.monotonic() + options.timeout
    if proven:
        status, q, report = _starts(tables, tables.limits, targets, seed, options, 1, deadline)
        return Outcome(SolveStatus.UNREACHABLE, q, report)
    if options.nearest:
        found, q, report = solve_nearest(tables, targets, seed, options)
        if found:
            return Outcome(SolveStatus.SUCCESS, q, report)
    return Outcome(
        *_starts(tables, tables.limits, targets, seed, options, options.max_starts, deadline)
    )


def _diagnosed(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    outcome: Outcome,
) -> Outcome:
    """Find out why a search failed: without limits, then without orientations."""
    free = _without_limits(tables, targets, seed, options)
    if free is None:
        found = _without_orientation(tables, targets, seed, options)
        return outcome._replace(position_found=found)
    blocking = _outside(tables, free)
    if blocking:
        return outcome._replace(status=SolveStatus.BLOCKED_BY_LIMITS, blocking=blocking)
    # It was inside of the limits all along.
    status, q, report = _starts(
        tables, tables.limits, targets, seed, options, 1, math.inf, begin=free
    )
    if status is not SolveStatus.SUCCESS:
        return outcome
    report[[step.STARTS, step.ITERATIONS]] += outcome.report[[step.STARTS, step.ITERATIONS]]
    return Outcome(status, q, report)


def beyond_reach(tables: Tables, targets: FloatArray, options: SearchOptions) -> bool:
    """
    Prove from distances, angles and heights that no configuration reaches a target.

    Returns
    -------
    bool
        True is a proof; False says nothing.

    """
    return reach.violated(targets, tables.reach.table, *options.tolerances) >= 0


def _starts(
    tables: Tables,
    limits: FloatArray,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    max_starts: float,
    deadline: float,
    begin: FloatArray | None = None,
) -> tuple[SolveStatus, FloatArray, FloatArray]:
    q = seed.copy()  # the answer where no start has a finite error
    report = np.zeros(step.REPORT_SIZE)
    report[step.ENERGY] = math.inf
    settings = options.patient if max_starts == 1 else options.settings
    begin = seed if begin is None else begin
    quick = COMPILED and not tables.functions  # else every start is a matter of milliseconds
    polished = 0.0
    first = 0
    while True:
        last = int(min(next_look(first) if quick else first + 1, max_starts))
        code = solve_starts(
            tables,
            limits,
            targets,
            begin,
            seed,
            settings,
            options.random_seed,
            first,
            last,
            q,
            report,
        )
        if code == SUCCESS:
            return SolveStatus.SUCCESS, q, report
        if last >= max_starts:
            return SolveStatus.NOT_FOUND, q, report
        energy = report[step.ENERGY]
        if energy < _ALMOST and energy != polished:
            if _polish(tables, limits, targets, seed, options, q, report):
                return SolveStatus.SUCCESS, q, report
            polished = report[step.ENERGY]
        if max_starts == math.inf and is_hopeless(last, energy):
            return SolveStatus.NOT_FOUND, q, report
        if time.monotonic() >= deadline:
            return SolveStatus.TIMED_OUT, q, report
        first = last


def _polish(
    tables: Tables,
    limits: FloatArray,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """Go on from the best configuration, patiently; tells whether it becomes a solution."""
    begin = q.copy()
    arguments = (seed, options.patient, options.random_seed, 0, 1, q, report)
    return solve_starts(tables, limits, targets, begin, *arguments) == SUCCESS


def _without_limits(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> FloatArray | None:
    """Search without limits, briefly; turning joints as near to their limits as they go."""
    if not np.isfinite(tables.limits[:, :2]).any():
        return None
    free = tables.limits.copy()
    free[:, 0], free[:, 1] = -math.inf, math.inf
    free.setflags(write=False)  # as the limits of tables: another array type is another kernel
    deadline = time.monotonic() + min(options.timeout, _DIAGNOSTIC_TIMEOUT)
    status, q, _ = _starts(tables, free, targets, seed, options, _DIAGNOSTIC_STARTS, deadline)
    if status is not SolveStatus.SUCCESS:
        return None
    for i, (lower, upper, period) in enumerate(tables.limits[:, :3]):
        middle = 0.5 * (max(lower, -1e3) + min(upper, 1e3))
        q[i] = nearest_turn(q[i], middle, -math.inf, math.inf, period)
    return q


def _without_orientation(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> bool:
    """Search for the positions alone, briefly."""
    settings = options.settings.copy()
    settings[step.ORIENTATION_WEIGHT] = 0.0
    settings[step.ORIENTATION_TOLERANCE] = math.inf
    settings.setflags(write=False)
    freed = options._replace(settings=settings)
    deadline = time.monotonic() + min(options.timeout, _DIAGNOSTIC_TIMEOUT)
    status, _, _ = _starts(
        tables, tables.limits, targets, seed, freed, _DIAGNOSTIC_STARTS, deadline
    )
    return status is SolveStatus.SUCCESS


def _outside(tables: Tables, q: FloatArray) -> tuple[str, ...]:
    """Name the coordinates that are outside of their limits."""
    outside = (q < tables.limits[:, 0]) | (q > tables.limits[:, 1])
    return tuple(n for n, out in zip(tables.coordinate_names, outside, strict=True) if out)
