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
from ik_node.kernels.status import SUCCESS
from ik_node.model.tables import Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.starts import solve_starts
from ik_node.solvers.status import SolveStatus
import numpy as np

# Starts in the first slice, and the most in a later one: 64 starts take below a millisecond, so a
# deadline is overrun by less than that. Plain Python, and mechanisms with functions in Python,
# look after every start.
_FIRST_SLICE, _LARGEST_SLICE = (8, 64) if COMPILED else (1, 1)
# A search without limits, to tell why one inside of them failed; and how many starts that one must
# have made for this to mean anything.
_DIAGNOSTIC_STARTS = 32 if COMPILED else 2
_DIAGNOSTIC_TIMEOUT = 0.002 if COMPILED else 1.0
_TELLING_STARTS = 8 if COMPILED else 1


class Outcome(NamedTuple):
    """What a search found."""

    status: SolveStatus
    q: FloatArray
    """(n,) the solution, or the best configuration seen."""
    report: FloatArray
    """See `ik_node.kernels.step`: errors, iterations, starts."""
    blocking: tuple[str, ...]
    """With BLOCKED_BY_LIMITS: the joints whose limits would have to be wider."""


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
    # First, as it builds a table once for each mechanism: that is no part of the search.
    proven = beyond_reach(tables, targets, options)
    deadline = time.monotonic() + options.timeout
    if proven:
        status, q, report = _starts(tables, tables.limits, targets, seed, options, 1, deadline)
        return Outcome(SolveStatus.UNREACHABLE, q, report, ())
    status, q, report = _starts(
        tables, tables.limits, targets, seed, options, options.max_starts, deadline
    )
    if status is SolveStatus.SUCCESS or report[step.STARTS] < _TELLING_STARTS:
        return Outcome(status, q, report, ())
    free = _without_limits(tables, targets, seed, options)
    if free is None:
        return Outcome(status, q, report, ())
    blocking = _outside(tables, free)
    if blocking:
        return Outcome(SolveStatus.BLOCKED_BY_LIMITS, q, report, blocking)
    # It was inside of the limits all along.
    found, q_inside, report_inside = _starts(
        tables, tables.limits, targets, seed, options, 1, deadline, begin=free
    )
    report_inside[[step.STARTS, step.ITERATIONS]] += report[[step.STARTS, step.ITERATIONS]]
    if found is SolveStatus.SUCCESS:
        return Outcome(found, q_inside, report_inside, ())
    return Outcome(status, q, report, ())


def beyond_reach(tables: Tables, targets: FloatArray, options: SearchOptions) -> bool:
    """
    Prove from distances, angles and heights that no configuration reaches a target.

    Returns
    -------
    bool
        True is a proof; False says nothing.

    """
    tolerances = options.settings[: step.ORIENTATION_TOLERANCE + 1].tolist()
    return reach.violated(targets, tables.reach.table, *tolerances) >= 0


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
    first, size = 0, 1 if tables.functions else _FIRST_SLICE
    while True:
        last = int(min(first + size, max_starts))
        code = solve_starts(
            tables,
            limits,
            targets,
            seed if begin is None else begin,
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
        if time.monotonic() >= deadline:
            return SolveStatus.TIMED_OUT, q, report
        first, size = last, 1 if tables.functions else _LARGEST_SLICE


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


def _outside(tables: Tables, q: FloatArray) -> tuple[str, ...]:
    """Name the coordinates that are outside of their limits."""
    outside = (q < tables.limits[:, 0]) | (q > tables.limits[:, 1])
    return tuple(n for n, out in zip(tables.coordinate_names, outside, strict=True) if out)
