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
from ik_node.kernels.lanes.search import prove_or_solve
from ik_node.kernels.patience import ALMOST, FIRST_LOOK, is_hopeless, next_look
from ik_node.kernels.status import SUCCESS, UNREACHABLE
from ik_node.model.tables import Tables
from ik_node.solvers.nearest import solve_nearest
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.sliding import load_slides, slide_back, slide_from_starts
from ik_node.solvers.starts import BLANK, solve_starts, work_space
from ik_node.solvers.status import SolveStatus
import numpy as np

_STARTS_IN_VAIN = 8

_NO_BOUNDS: FloatArray = np.zeros((0, reach.ROW_SIZE))
_NO_BOUNDS.setflags(write=False)

# Python 3.11 takes 0.1 us to find the member of an enumeration.
_SUCCESS = SolveStatus.SUCCESS


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
    fitting: tuple[str, ...] = ()
    """Not found: types of targets that ask for less, and were."""
    approximate: bool = False
    """Whether `q` is a least-squares answer; see `ik_node.solvers.approximation`."""


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
        Why there is none is not looked into, see `ik_node.solvers.diagnosis`.

    """
    if tables.can_slide:
        load_slides()  # what takes time to load is no time to search
    began = time.monotonic()
    # The seed is the answer where no start has a finite error.
    q, report = seed.copy(), BLANK.copy()
    first = 0
    if tables.can_slide and not options.has_slid:
        # What leaves joints free is to be the solution nearest to the seed, if it leads to one.
        if slide_from_starts(tables, targets, seed, options, q, report):
            if options.nearest:
                deadline = began + options.timeout
                found, other, its_report = solve_nearest(tables, targets, seed, options, deadline)
                if found and np.linalg.norm(other - seed) < np.linalg.norm(q - seed):
                    q, report = other, its_report
            return Outcome(_SUCCESS, q, report)
        report[[step.STARTS, step.ITERATIONS]] = 0.0  # the search makes its own
    if tables.lane_rows > 0 and options.max_starts >= FIRST_LOOK and not options.nearest:
        # One call of a kernel does what most requests need.
        first = FIRST_LOOK
        code = prove_or_solve(
            tables.nodes,
            tables.wiring,
            tables.tips,
            tables.tip_wiring,
            tables.limits,
            _NO_BOUNDS if tables.is_passing else tables.reach.table,
            targets,
            seed,
            options.settings,
            options.random_seed,
            first,
            q,
            report,
            work_space(tables),
        )
        if code == SUCCESS:
            if tables.is_partial:
                slide_back(tables, targets, seed, options, q, report)
            return Outcome(_SUCCESS, q, report)
        proven = code == UNREACHABLE
        if tables.is_passing and not proven:
            proven = beyond_reach(tables, targets, options)
            # To make the conditions, once, is no time to search.
            began = time.monotonic()
    else:
        proven = beyond_reach(tables, targets, options)
    deadline = began + options.timeout
    if proven:
        # A few starts, for how near the tips can come.
        few = options._replace(max_starts=min(options.max_starts, _STARTS_IN_VAIN))
        run(tables, tables.limits, targets, seed, seed, few, deadline, q, report)
        keep_inside(tables, q, report)
        return Outcome(SolveStatus.UNREACHABLE, q, report)
    if options.nearest:
        found, q, report = solve_nearest(tables, targets, seed, options, deadline)
        if found:
            return Outcome(_SUCCESS, q, report)
    status = run(
        tables, tables.limits, targets, seed, seed, options, deadline, q, report, first=first
    )
    if status is _SUCCESS and tables.is_partial:
        slide_back(tables, targets, seed, options, q, report)
    keep_inside(tables, q, report)
    return Outcome(status, q, report)


def keep_inside(tables: Tables, q: FloatArray, report: FloatArray) -> None:
    """
    Bring what is still the seed into the limits, in place.

    Parameters
    ----------
    tables : Tables
        n variables.
    q, report : (n,) or (b, n) and (REPORT_SIZE,) or (b, REPORT_SIZE) float64
        Of one search or of many; those without a finite energy are still at their seed.

    """
    untouched = ~np.isfinite(report[..., step.ENERGY])
    if untouched.any():
        limits = tables.limits
        q[untouched] = np.clip(q[untouched], limits[:, 0], limits[:, 1])


def beyond_reach(tables: Tables, targets: FloatArray, options: SearchOptions) -> bool:
    """
    Prove from distances, angles and heights that no configuration reaches a target.

    Returns
    -------
    bool
        True is a proof; False says nothing.

    """
    return reach.violated(targets, tables.reach.table, *options.tolerances) >= 0


def run(
    tables: Tables,
    limits: FloatArray,
    targets: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    deadline: float,
    q: FloatArray,
    report: FloatArray,
    *,
    first: int = 0,
) -> SolveStatus:
    """
    Work through starts until one reaches the target, or there is no use in more of them.

    Parameters
    ----------
    tables : Tables
        The mechanism, t tips, n variables.
    limits : (n, 5) float64
        Instead of those of the tables.
    targets : (t, 4, 4) float64
        T_base_target of each tip.
    begin, seed : (n,) float64
        Start 0, and what full turns are near to [rad or m].
    options : SearchOptions
        Checked.
    deadline : float
        On the steady clock [s].
    q, report
        In and out, see `ik_node.kernels.solve.solve_starts`.
    first : int
        Starts that were made already.

    Returns
    -------
    SolveStatus
        SUCCESS, NOT_FOUND or TIMED_OUT.

    """
    most = options.max_starts
    settings = options.patient if most == 1 else options.settings
    quick = COMPILED and not tables.functions  # else every start is a matter of milliseconds
    polished = 0.0
    while True:
        energy = report[step.ENERGY]
        if first > 0:
            if first >= most:
                return SolveStatus.NOT_FOUND
            if energy < ALMOST and energy != polished:
                if _polish(tables, limits, targets, seed, options, q, report):
                    return _SUCCESS
                polished = report[step.ENERGY]
            if most == math.inf and tables.gives_up and is_hopeless(first, energy):
                return SolveStatus.NOT_FOUND
            if time.monotonic() >= deadline:
                return SolveStatus.TIMED_OUT
        last = int(min(next_look(first) if quick else first + 1, most))
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
            return _SUCCESS
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
