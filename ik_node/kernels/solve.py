# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Damped least squares from many starts: the workhorse.

A start that halts is given up early for a random one: for reachable targets that is far cheaper
than patience.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import draw, draw_start, into_limits, nearest_turn
from ik_node.kernels.row_jacobian import count_rows
from ik_node.kernels.row_kinds import MIX_SIZE
from ik_node.kernels.rows import place_tip, pose_distance
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import (
    DAMPING,
    ENERGY,
    evaluate,
    ITERATIONS,
    MINIMUM_DAMPING,
    reached,
    STALL_RATIO,
    STALL_WINDOW,
    STARTS,
    step,
    STEPS_PER_START,
)
from ik_node.kernels.tree import joint_frames, joint_positions
import numpy as np


@allocating
def solve_starts(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
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
    Search from starts first..last-1; start 0 is `begin`, the others are random.

    The others are random, some of them near the best so far (`kernels.limits.draw_start`).
    A search may be cut into calls anywhere between two starts (a deadline is looked at there)
    without changing its result.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    limits : (n, 5) float64
        See `kernels.limits`.
    targets : (t, 4, 4) float64
        Pose of the target of each tip in the moving frame of its node; see `kernels.tree`.
    begin : (n,) float64
        Start 0.
    seed : (n,) float64
        Reference: solutions take the full turns nearest to it, and draws of a variable without
        bounds are centered on it.
    settings : (SETTINGS_SIZE,) float64
        Tolerances, weights and patience; see `kernels.step`.
    random_seed : int
        Key of the random starts.
    first, last : int
        Which starts.
    q : (n,) float64
        In and out: the best configuration so far; on success the solution.
    report : (REPORT_SIZE,) float64
        In and out: half the squared weighted error of `q` (set it to infinity before the first
        call), its errors [m, rad], steps and starts so far.

    Returns
    -------
    int
        SUCCESS or NOT_FOUND.

    """
    k, n, rows = nodes.shape[0], q.shape[0], count_rows(tip_wiring)
    values = np.empty((k, 3))
    frames = np.empty((k, 12))
    pose, goal, axes = np.empty(12), np.empty((4, 4)), np.empty(9)
    mix, six = np.empty(MIX_SIZE), np.empty(6)
    jacobian = np.empty((n, rows))
    error = np.empty(rows)
    y = np.empty(rows)
    packed = np.empty(rows * (rows + 1) // 2)
    factor = np.empty(rows * (rows + 1) // 2)
    active = np.empty(n)
    x = np.empty(n)
    answer = np.empty(n)
    steps = int(settings[STEPS_PER_START])
    window = int(settings[STALL_WINDOW])
    for start in range(first, last):
        if start == 0:
            for i in range(n):
                x[i] = into_limits(begin[i], limits[i, 0], limits[i, 1], limits[i, 2])
        else:
            draw_start(limits, seed, q, random_seed, start, x)
        report[STARTS] += 1.0
        reference = math.inf
        for count in range(steps + 1):
            energy, inside = evaluate(
                nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
                axes, mix, six, jacobian, error,
            )  # fmt: skip
            if inside:
                for i in range(n):
                    answer[i] = nearest_turn(
                        x[i], seed[i], limits[i, 0], limits[i, 1], limits[i, 2]
                    )
                if reached(
                    nodes, wiring, tips, tip_wiring, targets, answer, settings, values, frames,
                    pose, goal, axes, mix, six, report,
                ):  # fmt: skip
                    q[:] = answer
                    report[ENERGY] = energy
                    return SUCCESS
            if energy < report[ENERGY]:
                report[ENERGY] = energy
                q[:] = x
            if count == steps:
                break
            if count % window == 0:
                if energy > settings[STALL_RATIO] * reference:
                    break
                reference = energy
            step(
                jacobian, error, DAMPING * energy + MINIMUM_DAMPING, limits, active, packed,
                factor, y, x,
            )  # fmt: skip
            report[ITERATIONS] += 1.0
    reached(
        nodes,
        wiring,
        tips,
        tip_wiring,
        targets,
        q,
        settings,
        values,
        frames,
        pose,
        goal,
        axes,
        mix,
        six,
        report,
    )
    return NOT_FOUND


@allocating
def draw_near(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    center: FloatArray,
    metric: FloatArray,
    threshold: float,
    random_seed: int,
    first: int,
    last: int,
    q: FloatArray,
) -> int:
    """
    Draw configurations until one brings the tips close enough to their targets.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    limits : (n, 5) float64
        See `kernels.limits`.
    targets : (t, 4, 4) float64
        Pose of the target of each tip in the moving frame of its node; see `kernels.tree`.
    center : (n,) float64
        Middle of the draws of a variable without bounds.
    metric : (4,) float64
        See `kernels.rows.pose_distance`; the distances of several tips are summed.
    threshold : float
        Largest distance that counts as close.
    random_seed, first, last : int
        Streams of the draws first..last-1.
    q : (n,) float64
        Output: the draw.

    Returns
    -------
    int
        Stream of the draw that came close, or -1.

    """
    values = np.empty((nodes.shape[0], 3))
    frames = np.empty((nodes.shape[0], 12))
    pose, goal, axes = np.empty(12), np.empty((4, 4)), np.empty(9)
    for stream in range(first, last):
        draw(limits, center, random_seed, stream, q)
        distance = total_distance(
            nodes, wiring, tips, tip_wiring, targets, q, metric, values, frames, pose, goal, axes
        )
        if distance <= threshold:
            return stream
    return -1


@kernel
def total_distance(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    q: FloatArray,
    metric: FloatArray,
    values: FloatArray,
    frames: FloatArray,
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
) -> float:
    """
    Sum up how far the tips are from their targets.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, targets, metric
        As for `draw_near`.
    q : (n,) float64
        Configuration [rad or m].
    values, frames, pose, goal, axes
        Work space of `kernels.tree` and `kernels.rows.place_tip`.

    Returns
    -------
    float

    """
    joint_positions(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    distance = 0.0
    for tip in range(tip_wiring.shape[0]):
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        distance += pose_distance(pose, goal, axes, metric)
    return distance
