# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Of several solutions the one nearest to the seed.

Nearest means the Euclidean norm of the joint differences, a radian counting as much as a metre,
with full turns as near as the limits allow; of equally near ones the first that was found. It is
the nearest of those that were found: a search at random cannot prove that there is no nearer one.
"""

from __future__ import annotations

import math
import time

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.patience import next_look
from ik_node.kernels.status import SUCCESS
from ik_node.model.tables import Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.sliding import slide_back
from ik_node.solvers.starts import BLANK, in_lanes, solve_starts
import numpy as np

STARTS = 64
"""Starts where the caller gives no number: on a UR5 they find 99.6 % of all branches."""


def solve_nearest(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    deadline: float,
) -> tuple[bool, FloatArray, FloatArray]:
    """
    Collect the solutions of many starts and keep the nearest.

    Parameters
    ----------
    tables : Tables
        The mechanism, t tips, n variables.
    targets : (t, 4, 4) float64
        T_base_target of each tip, checked.
    seed : (n,) float64
        First start, and what to be near to [rad or m].
    options : SearchOptions
        Checked.
    deadline : float
        On the steady clock [s]: no more starts are made after it than the first few.

    Returns
    -------
    found : bool
        Whether there was a solution.
    q : (n,) float64
        The nearest one, or the best configuration.
    report : (REPORT_SIZE,) float64
        See `ik_node.kernels.step`.

    """
    count = STARTS if options.max_starts == math.inf else options.max_starts
    q, report = seed.copy(), BLANK.copy()
    served = in_lanes(tables)
    collect = _collect_in_lanes if served else _collect_one
    first, found = 0, False
    while first < count:
        last = int(min(next_look(first) if served else first + 1, count))
        found = collect(tables, targets, seed, options, first, last, q, report) or found
        first = last
        # To whom nearness is worth many starts, a solution is worth the usual search.
        if time.monotonic() >= deadline or (not found and first >= STARTS):
            break
    if found:
        slide_back(tables, targets, seed, options, q, report)
    return found, q, report


def _collect_in_lanes(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    first: int,
    last: int,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """Make some starts; tells whether there has been a solution."""
    settings = options.settings.copy()
    settings[step.KEEP_NEAREST] = 1.0
    settings.setflags(write=False)
    arguments = (settings, options.random_seed, first, last, q, report)
    return solve_starts(tables, tables.limits, targets, seed, seed, *arguments) == SUCCESS


def _collect_one(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    first: int,
    last: int,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """Do the same for mechanisms that the kernels in lanes do not know, a start at a time."""
    q_new, report_new = q.copy(), BLANK.copy()
    arguments = (options.settings, options.random_seed, first, last, q_new, report_new)
    code = solve_starts(tables, tables.limits, targets, seed, seed, *arguments)
    counts = [step.STARTS, step.ITERATIONS]
    report_new[counts] += report[counts]
    report[counts] = report_new[counts]
    report_new[[step.SOLUTIONS, step.DISTANCE2]] = report[[step.SOLUTIONS, step.DISTANCE2]]
    if code != SUCCESS:
        if report[step.SOLUTIONS] == 0.0 and report_new[step.ENERGY] < report[step.ENERGY]:
            q[:], report[:] = q_new, report_new
        return False
    away2 = float(np.sum((q_new - seed) ** 2))
    if report[step.SOLUTIONS] == 0.0 or away2 < report[step.DISTANCE2]:
        q[:], report[:] = q_new, report_new
        report[step.DISTANCE2] = away2
    report[step.SOLUTIONS] += 1.0
    return True
