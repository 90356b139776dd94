# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Damped least squares from many starts: the workhorse.

One step solves (J J^T + lambda I) y = e over the joints that may move and goes J^T y. The damping
is proportional to the squared error, lambda = DAMPING * E + MINIMUM_DAMPING with E = |e|^2 / 2:
small steps far away, Newton's steps near the target, without trial and rejection (Sugihara:
Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE T-RO 27(5),
2011). A joint that stands at a bound and is pushed outward leaves the step. A start that halts is
given up early for a random one: for reachable targets that is far cheaper than patience.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import draw, into_limits, nearest_turn
from ik_node.kernels.linalg import gram, solve_damped
from ik_node.kernels.rows import pose_distance, pose_error, weigh_rows
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.tree import (
    joint_frames,
    joint_positions,
    joint_positions_exact,
    tip_jacobian,
    tip_pose,
)
import numpy as np

DAMPING = 0.05
MINIMUM_DAMPING = 1e-10
_AT_BOUND = 1e-12

# Layout of `settings`, a float64 vector: one array argument is cheaper than eight numbers.
POSITION_TOLERANCE = 0
ORIENTATION_TOLERANCE = 1
POSITION_WEIGHT = 2
STEPS_PER_START = 3
STALL_WINDOW = 4
STALL_RATIO = 5
SETTINGS_SIZE = 6

# Layout of `report`, a float64 vector.
ENERGY = 0
POSITION_ERROR = 1
ORIENTATION_ERROR = 2
ITERATIONS = 3
STARTS = 4
REPORT_SIZE = 5


@kernel
def reached(
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
    report: FloatArray,
) -> bool:
    """
    Check an answer by exact forward kinematics of the very values that are returned.

    Parameters
    ----------
    nodes, wiring, tips, tip_nodes
        See `kernels.tree`.
    targets : (t, 4, 4) float64
        T_base_target of each tip.
    q : (n,) float64
        The answer.
    settings : (SETTINGS_SIZE,) float64
        Tolerances, weight and patience; see the layout above.
    values, frames, pose
        Work space of `kernels.tree`.
    report : (REPORT_SIZE,) float64
        Output: the largest errors over the tips.

    Returns
    -------
    bool
        Whether every tip is within both tolerances.

    """
    joint_positions_exact(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    error = np.empty(6)
    distance2 = 0.0
    angle2 = 0.0
    for tip in range(tip_nodes.shape[0]):
        tip_pose(frames, tips, tip_nodes, tip, pose)
        d2, a2 = pose_error(pose, targets[tip], 1.0, error, 0)
        distance2 = max(distance2, d2)
        angle2 = max(angle2, a2)
    report[POSITION_ERROR] = math.sqrt(distance2)
    report[ORIENTATION_ERROR] = math.sqrt(angle2)
    return bool(
        report[POSITION_ERROR] <= settings[POSITION_TOLERANCE]
        and report[ORIENTATION_ERROR] <= settings[ORIENTATION_TOLERANCE]
    )


@kernel
def step(
    jacobian: FloatArray,
    error: FloatArray,
    damping: float,
    limits: FloatArray,
    active: FloatArray,
    packed: FloatArray,
    factor: FloatArray,
    y: FloatArray,
    q: FloatArray,
) -> None:
    """
    Take one damped step in place, inside the limits.

    Parameters
    ----------
    jacobian : (n, rows) float64
        Transposed, rows weighted.
    error : (rows,) float64
        Weighted.
    damping : float
        lambda.
    limits : (n, 4) float64
        See `kernels.limits`.
    active, packed, factor, y
        Work space: (n,), twice (rows (rows + 1) / 2,), (rows,).
    q : (n,) float64
        Changed in place.

    """
    rows = error.shape[0]
    for i in range(q.shape[0]):
        slope = 0.0
        for r in range(rows):
            slope += jacobian[i, r] * error[r]
        outward = (slope > 0.0 and q[i] >= limits[i, 1] - _AT_BOUND) or (
            slope < 0.0 and q[i] <= limits[i, 0] + _AT_BOUND
        )
        active[i] = 0.0 if outward else 1.0
    for r in range(rows):
        y[r] = error[r]
    gram(jacobian, active, packed)
    solve_damped(packed, damping, factor, y)
    for i in range(q.shape[0]):
        if active[i] != 0.0:
            move = 0.0
            for r in range(rows):
                move += jacobian[i, r] * y[r]
            q[i] = into_limits(q[i] + move, limits[i, 0], limits[i, 1], limits[i, 2])


@kernel
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
    Search from starts first..last-1; start 0 is `begin`, the others are random.

    A search may be cut into calls anywhere between two starts (a deadline is looked at there)
    without changing its result.

    Parameters
    ----------
    nodes, wiring, tips, tip_nodes
        See `kernels.tree`.
    limits : (n, 4) float64
        See `kernels.limits`.
    targets : (t, 4, 4) float64
        T_base_target of each tip.
    begin : (n,) float64
        Start 0.
    seed : (n,) float64
        Reference: solutions take the full turns nearest to it, and draws of a variable without
        bounds are centered on it.
    settings : (SETTINGS_SIZE,) float64
        Tolerances, weight and patience; see the layout above.
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
    k, n, tip_count = nodes.shape[0], q.shape[0], tip_nodes.shape[0]
    rows = 6 * tip_count
    values = np.empty((k, 3))
    frames = np.empty((k, 12))
    pose = np.empty(12)
    jacobian = np.empty((n, rows))
    error = np.empty(rows)
    y = np.empty(rows)
    packed = np.empty(rows * (rows + 1) // 2)
    factor = np.empty(rows * (rows + 1) // 2)
    active = np.empty(n)
    x = np.empty(n)
    answer = np.empty(n)
    position_tolerance2 = settings[POSITION_TOLERANCE] ** 2
    orientation_tolerance2 = settings[ORIENTATION_TOLERANCE] ** 2
    weight = settings[POSITION_WEIGHT]
    steps = int(settings[STEPS_PER_START])
    window = int(settings[STALL_WINDOW])
    for start in range(first, last):
        if start == 0:
            for i in range(n):
                x[i] = into_limits(begin[i], limits[i, 0], limits[i, 1], limits[i, 2])
        else:
            draw(limits, seed, random_seed, start, x)
        report[STARTS] += 1.0
        reference = math.inf
        for count in range(steps + 1):
            joint_positions(nodes, wiring, x, values)
            joint_frames(nodes, wiring, values, frames)
            for i in range(n):
                for r in range(rows):
                    jacobian[i, r] = 0.0
            inside = True
            energy = 0.0
            for tip in range(tip_count):
                tip_pose(frames, tips, tip_nodes, tip, pose)
                row = 6 * tip
                d2, a2 = pose_error(pose, targets[tip], weight, error, row)
                inside = inside and d2 <= position_tolerance2 and a2 <= orientation_tolerance2
                energy += 0.5 * (weight * weight * d2 + a2)
                tip_jacobian(
                    nodes, wiring, frames, tip_nodes[tip], pose[9], pose[10], pose[11],
                    jacobian, row,
                )  # fmt: skip
            if inside:
                for i in range(n):
                    answer[i] = nearest_turn(
                        x[i], seed[i], limits[i, 0], limits[i, 1], limits[i, 2]
                    )
                if reached(
                    nodes, wiring, tips, tip_nodes, targets, answer, settings, values, frames,
                    pose, report,
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
            weigh_rows(jacobian, weight, tip_count)
            step(
                jacobian, error, DAMPING * energy + MINIMUM_DAMPING, limits, active, packed,
                factor, y, x,
            )  # fmt: skip
            report[ITERATIONS] += 1.0
    reached(nodes, wiring, tips, tip_nodes, targets, q, settings, values, frames, pose, report)
    return NOT_FOUND


@kernel
def draw_near(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_nodes: IntArray,
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
    nodes, wiring, tips, tip_nodes
        See `kernels.tree`.
    limits : (n, 4) float64
        See `kernels.limits`.
    targets : (t, 4, 4) float64
        T_base_target of each tip.
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
    pose = np.empty(12)
    for stream in range(first, last):
        draw(limits, center, random_seed, stream, q)
        joint_positions(nodes, wiring, q, values)
        joint_frames(nodes, wiring, values, frames)
        distance = 0.0
        for tip in range(tip_nodes.shape[0]):
            tip_pose(frames, tips, tip_nodes, tip, pose)
            distance += pose_distance(pose, targets[tip], metric)
        if distance <= threshold:
            return stream
    return -1
