# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Many starts of one problem at once: the first lane to converge has the answer.

A lane whose start halts takes the next one, so all lanes stay busy. A seed that is already near
the target is followed alone first: who tracks a path wants the configuration beside the last one,
not the first that some random start finds.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels import solve as scalar
from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.step import evaluate, step
from ik_node.kernels.lanes.vector import any_lane, LANES, load, select, store
from ik_node.kernels.limits import draw_start, into_limits, nearest_turn
from ik_node.kernels.rows import pose_error
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import (
    DAMPING,
    DISTANCE2,
    ENERGY,
    ITERATIONS,
    KEEP_NEAREST,
    MINIMUM_DAMPING,
    ORIENTATION_WEIGHT,
    POSITION_WEIGHT,
    reached,
    SOLUTIONS,
    STALL_RATIO,
    STALL_WINDOW,
    STARTS,
    STEPS_PER_START,
)
from ik_node.kernels.tree import joint_frames, joint_positions, tip_pose
import numpy as np

NEAR = 0.5
"""Half the squared weighted error below which a seed is near: about 0.5 m or 1 rad."""

# Rows of `watch`, which tells when a start halts.
_REFERENCE = 0  # energy at the last look
_SINCE_LOOK = 1  # steps since then
_AGE = 2  # steps of this start
_LIVE = 3  # 1: the lane works, 0: it idles
WATCH_ROWS = 4

# Rows of `verdict`, what `look` says of every lane.
_ENERGY = 0
CONVERGED = 1
HALTED = 2
VERDICT_ROWS = 3


@kernel
def watch_from_start(watch: FloatArray, lane: int) -> None:
    """Begin a start in a lane."""
    watch[_REFERENCE, lane] = np.inf
    watch[_SINCE_LOOK, lane] = np.inf
    watch[_AGE, lane] = 0.0
    watch[_LIVE, lane] = 1.0


@kernel
def watch_nothing(watch: FloatArray, lane: int) -> None:
    """Let a lane idle."""
    watch[_LIVE, lane] = 0.0


@kernel
def steps_of(watch: FloatArray, lane: int) -> float:
    """Count the steps of the start in a lane, when `look` has just told its end."""
    return float(watch[_AGE, lane]) - 1.0


@kernel
def look(
    energy: Any, excess: Any, settings: FloatArray, watch: FloatArray, verdict: FloatArray
) -> bool:
    """
    Look which lanes have converged and which have halted.

    Parameters
    ----------
    energy, excess : lanes
        From `ik_node.kernels.lanes.step.evaluate`.
    settings : (SETTINGS_SIZE,) float64
        Patience, see `ik_node.kernels.step`.
    watch : (WATCH_ROWS, LANES) float64
        In and out.
    verdict : (VERDICT_ROWS, LANES) float64
        Output where the answer is True: the energy, and 1 in the rows CONVERGED and HALTED.

    Returns
    -------
    bool
        Whether some lane has done either.

    """
    reference = load(watch, _REFERENCE)
    since = load(watch, _SINCE_LOOK)
    age = load(watch, _AGE)
    live = load(watch, _LIVE) > 0.0
    due = since >= settings[STALL_WINDOW]
    halted = live & (
        (due & (energy > settings[STALL_RATIO] * reference)) | (age >= settings[STEPS_PER_START])
    )
    converged = live & (excess <= 1.0)
    store(watch, _REFERENCE, select(due, energy, reference))
    store(watch, _SINCE_LOOK, select(due, 1.0, since + 1.0))
    store(watch, _AGE, age + 1.0)
    if not any_lane(halted | converged):
        return False
    store(verdict, _ENERGY, energy)
    store(verdict, CONVERGED, select(converged, 1.0, 0.0))
    store(verdict, HALTED, select(halted, 1.0, 0.0))
    return True


@kernel
def keep_if_better(
    verdict: FloatArray, x: FloatArray, lane: int, q: FloatArray, report: FloatArray
) -> None:
    """Keep the configuration of a lane when its energy is the least so far."""
    if verdict[_ENERGY, lane] < report[ENERGY]:
        report[ENERGY] = verdict[_ENERGY, lane]
        for i in range(q.shape[0]):
            q[i] = x[i, lane]


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
    draw: FloatArray,
    lane: int,
    x: FloatArray,
) -> None:
    """Write a start into a lane: number 0 is `begin`, the others are drawn."""
    if start == 0:
        for i in range(begin.shape[0]):
            x[i, lane] = into_limits(begin[i], limits[i, 0], limits[i, 1], limits[i, 2])
    else:
        draw_start(limits, seed, best, random_seed, start, draw)
        for i in range(draw.shape[0]):
            x[i, lane] = draw[i]


@kernel
def take_answer(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_nodes: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    x: FloatArray,
    lane: int,
    verdict: FloatArray,
    answer: FloatArray,
    values: FloatArray,
    frames: FloatArray,
    pose: FloatArray,
    error: FloatArray,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """
    Check what a lane has converged to, exactly, and take it as the answer.

    Parameters
    ----------
    nodes, wiring, tips, tip_nodes, limits, targets, seed, settings
        As for `solve_starts`.
    x, lane, verdict
        The lane that has converged.
    answer, values, frames, pose, error
        Work space, as for `ik_node.kernels.step.reached`.
    q : (n,) float64
        Output, where it is one.
    report : (REPORT_SIZE,) float64
        Its errors.

    Returns
    -------
    bool
        Whether it is one. With KEEP_NEAREST it is only taken when it is nearer to the seed than
        those before; then the errors are set at the end.

    """
    distance2 = 0.0
    for i in range(q.shape[0]):
        answer[i] = nearest_turn(x[i, lane], seed[i], limits[i, 0], limits[i, 1], limits[i, 2])
        distance2 += (answer[i] - seed[i]) ** 2
    if not reached(
        nodes, wiring, tips, tip_nodes, targets, answer, settings, values, frames, pose, error,
        report,
    ):  # fmt: skip
        return False
    if settings[KEEP_NEAREST] > 0.0:
        report[SOLUTIONS] += 1.0
        if report[SOLUTIONS] > 1.0 and distance2 >= report[DISTANCE2]:
            return True
        report[DISTANCE2] = distance2
    report[ENERGY] = verdict[_ENERGY, lane]
    for i in range(q.shape[0]):
        q[i] = answer[i]
    return True


@kernel
def _energy_at(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_nodes: IntArray,
    targets: FloatArray,
    q: FloatArray,
    settings: FloatArray,
    values: FloatArray,
    frames: FloatArray,
    pose: FloatArray,
    error: FloatArray,
) -> float:
    """Compute half the squared weighted error of one configuration."""
    joint_positions(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    energy = 0.0
    for tip in range(tip_nodes.shape[0]):
        tip_pose(frames, tips, tip_nodes, tip, pose)
        distance2, angle2 = pose_error(pose, targets[tip], 1.0, 1.0, error, 0)
        energy += 0.5 * settings[POSITION_WEIGHT] ** 2 * distance2
        energy += 0.5 * settings[ORIENTATION_WEIGHT] ** 2 * angle2
    return energy


@allocating
def solve_starts(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_nodes: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    random_seed: int,
    first: int,
    last: int,
    q: FloatArray,
    report: FloatArray,
) -> int:
    """
    Search from starts first..last-1; arguments and result of `ik_node.kernels.solve.solve_starts`.

    Which start has the answer differs from there: the one that needs the fewest steps, the lowest
    of them in a tie. With KEEP_NEAREST in the settings all starts are made, and of the solutions
    the one is kept that is nearest to the seed (Euclidean norm of the joint differences, full
    turns as near as the limits allow; the first in a tie).
    """
    k, n, t = nodes.shape[0], q.shape[0], tip_nodes.shape[0]
    rows = 6 * t
    values = np.empty((k, 3))
    frames = np.empty((k, 12))
    pose = np.empty(12)
    error = np.empty(rows)
    answer = np.empty(n)
    if first == 0:
        near = _energy_at(
            nodes, wiring, tips, tip_nodes, targets, begin, settings, values, frames, pose, error
        ) <= NEAR  # fmt: skip
        if near and settings[KEEP_NEAREST] == 0.0:
            code = scalar.solve_starts(
                nodes, wiring, tips, tip_nodes, limits, targets, begin, seed, settings,
                random_seed, 0, 1, q, report,
            )  # fmt: skip
            if code == SUCCESS or last == 1:
                return code
            first = 1
    x = np.zeros((n, LANES))
    lane_targets = np.empty((12 * t, LANES))
    lane_frames = np.empty((12 * k, LANES))
    places = np.empty((3 * t, LANES))
    jacobian = np.empty((rows * n, LANES))
    lane_error = np.empty((rows, LANES))
    system = np.empty((rows * (rows + 1) // 2 + rows, LANES))
    watch = np.empty((WATCH_ROWS, LANES))
    verdict = np.empty((VERDICT_ROWS, LANES))
    restarts = np.zeros(LANES, np.bool_)
    live = 0
    for lane in range(LANES):
        set_targets(targets, lane, lane_targets)
        if first < last:
            set_start(limits, begin, seed, q, random_seed, first, answer, lane, x)
            watch_from_start(watch, lane)
            first += 1
            live += 1
        else:
            watch_nothing(watch, lane)
    report[STARTS] += live
    while live > 0:
        energy, excess = evaluate(
            nodes, wiring, tips, tip_nodes, lane_targets, x, settings, lane_frames, places,
            lane_error,
        )  # fmt: skip
        event = look(energy, excess, settings, watch, verdict)
        if event:
            for lane in range(LANES):
                restarts[lane] = verdict[HALTED, lane] > 0.0
                if verdict[CONVERGED, lane] > 0.0 and take_answer(
                    nodes, wiring, tips, tip_nodes, limits, targets, seed, settings, x, lane,
                    verdict, answer, values, frames, pose, error, q, report,
                ):  # fmt: skip
                    if settings[KEEP_NEAREST] == 0.0:
                        return SUCCESS
                    restarts[lane] = True
                elif restarts[lane] and report[SOLUTIONS] == 0.0:
                    keep_if_better(verdict, x, lane, q, report)
        step(
            nodes, wiring, tip_nodes, lane_frames, places, lane_error,
            DAMPING * energy + MINIMUM_DAMPING, settings, limits, jacobian, system, x,
        )  # fmt: skip
        report[ITERATIONS] += live
        if event:
            for lane in range(LANES):
                if restarts[lane]:
                    if first < last:
                        set_start(limits, begin, seed, q, random_seed, first, answer, lane, x)
                        watch_from_start(watch, lane)
                        report[STARTS] += 1.0
                        first += 1
                    else:
                        watch_nothing(watch, lane)
                        live -= 1
    reached(
        nodes, wiring, tips, tip_nodes, targets, q, settings, values, frames, pose, error, report
    )  # fmt: skip
    return SUCCESS if report[SOLUTIONS] > 0.0 else NOT_FOUND
