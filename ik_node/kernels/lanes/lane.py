# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes into a single lane, and what comes out of it."""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.lanes.watch import LANE_ENERGY
from ik_node.kernels.limits import draw_start, into_limits, nearest_turn
from ik_node.kernels.step import (
    DISTANCE2,
    ENERGY,
    KEEP_NEAREST,
    ORIENTATION_ERROR,
    ORIENTATION_TOLERANCE,
    POSITION_ERROR,
    POSITION_TOLERANCE,
    SOLUTIONS,
)


@kernel
def set_targets(targets: FloatArray, lane: int, out: FloatArray) -> None:
    """Write the targets (t, 4, 4) of one problem into a lane of (12 t, LANES)."""
    for tip in range(targets.shape[0]):
        for row in range(3):
            for column in range(3):
                out[12 * tip + 3 * row + column, lane] = targets[tip, row, column]
            out[12 * tip + 9 + row, lane] = targets[tip, row, 3]


@kernel
def set_start(
    limits: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    best: FloatArray,
    random_seed: int,
    start: int,
    lane: int,
    x: FloatArray,
) -> None:
    """Write a start into a lane of (n, LANES): number 0 is `begin`, the others are drawn."""
    if start == 0:
        for i in range(begin.shape[0]):
            x[i, lane] = into_limits(begin[i], limits[i, 0], limits[i, 1], limits[i, 2])
    else:
        draw_start(limits, seed, best, random_seed, start, x[:, lane])


@kernel
def set_answer(
    limits: FloatArray, seed: FloatArray, x: FloatArray, lane: int, answers: FloatArray
) -> bool:
    """Copy a configuration, with the full turns nearest to the seed; tells whether it changed."""
    changed = False
    for i in range(seed.shape[0]):
        answers[i, lane] = nearest_turn(
            x[i, lane], seed[i], limits[i, 0], limits[i, 1], limits[i, 2]
        )
        changed = changed or answers[i, lane] != x[i, lane]
    return changed


@kernel
def take_answer(
    answers: FloatArray,
    misses: FloatArray,
    verdict: FloatArray,
    lane: int,
    seed: FloatArray,
    settings: FloatArray,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """
    Take the configuration of a lane as the answer when it is one.

    Parameters
    ----------
    answers, misses : (n, LANES) and (2, LANES) float64
        Configurations and, of the very same values, how far the tips miss their targets.
    verdict : (VERDICT_ROWS, LANES) float64
        See `ik_node.kernels.lanes.watch`.
    lane : int
        Which lane.
    seed : (n,) float64
        What to be near to.
    settings : (SETTINGS_SIZE,) float64
        Tolerances, see `ik_node.kernels.step`.
    q : (n,) float64
        Output. With KEEP_NEAREST it changes only when the answer is nearer than those before.
    report : (REPORT_SIZE,) float64
        Energy, errors and number of solutions of `q`.

    Returns
    -------
    bool
        Whether it is within the tolerances.

    """
    distance = math.sqrt(misses[0, lane])
    angle = math.sqrt(misses[1, lane])
    if not (distance <= settings[POSITION_TOLERANCE] and angle <= settings[ORIENTATION_TOLERANCE]):
        return False
    if settings[KEEP_NEAREST] > 0.0:
        away2 = 0.0
        for i in range(q.shape[0]):
            away2 += (answers[i, lane] - seed[i]) ** 2
        report[SOLUTIONS] += 1.0
        if report[SOLUTIONS] > 1.0 and away2 >= report[DISTANCE2]:
            return True
        report[DISTANCE2] = away2
    report[ENERGY] = verdict[LANE_ENERGY, lane]
    report[POSITION_ERROR] = distance
    report[ORIENTATION_ERROR] = angle
    for i in range(q.shape[0]):
        q[i] = answers[i, lane]
    return True


@kernel
def keep_if_better(
    x: FloatArray,
    misses: FloatArray,
    verdict: FloatArray,
    lane: int,
    q: FloatArray,
    report: FloatArray,
) -> None:
    """Keep the configuration of a lane when its energy is the least so far."""
    if verdict[LANE_ENERGY, lane] < report[ENERGY]:
        report[ENERGY] = verdict[LANE_ENERGY, lane]
        report[POSITION_ERROR] = math.sqrt(misses[0, lane])
        report[ORIENTATION_ERROR] = math.sqrt(misses[1, lane])
        for i in range(q.shape[0]):
            q[i] = x[i, lane]
