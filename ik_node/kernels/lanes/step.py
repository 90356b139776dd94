# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
One damped least-squares step in lanes; see `ik_node.kernels.step` for the method.

The arrays are parts of a work space, see `ik_node.kernels.lanes.space`.
"""

from __future__ import annotations

import math
from typing import Any

from ik_node.kernels._jit import called, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.limits import into_limits, pushed_outward
from ik_node.kernels.lanes.pose_step import step_of_pose
from ik_node.kernels.lanes.rows import constrain, PLACE_ROWS, tip_error
from ik_node.kernels.lanes.tree import joint_frames
from ik_node.kernels.lanes.vector import load, select, splat, store
from ik_node.kernels.row_kinds import GOAL_AXES, LOOKAT, POSE, POSITION
from ik_node.kernels.step import (
    ORIENTATION_TOLERANCE,
    ORIENTATION_WEIGHT,
    POSITION_TOLERANCE,
    POSITION_WEIGHT,
)
from ik_node.kernels.tree import AXES_NODE, CONSTRAINTS, GOAL_NODE, REVOLUTE, TIP_NODE


@called
def evaluate(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    q: FloatArray,
    settings: FloatArray,
    frames: FloatArray,
    places: FloatArray,
    error: FloatArray,
    misses: FloatArray,
) -> Any:
    """
    Compute the errors of all rows.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `ik_node.kernels.tree`; no spherical joints.
    targets : (12 t, LANES) float64
        Pose of each target in the moving frame of its node.
    q : (n, LANES) float64
        Configurations [rad or m].
    settings : (SETTINGS_SIZE,) float64
        Tolerances and weights, see `ik_node.kernels.step`.
    frames : (12 k, LANES) float64
        Output: see `ik_node.kernels.lanes.tree.joint_frames`.
    places : (33 t, LANES) float64
        Output: see `ik_node.kernels.lanes.rows`.
    error : (6 t, LANES) float64
        Output: weighted.
    misses : (2, LANES) float64
        Output: the largest squared distance [m^2] and angle [rad^2] of a tip, as far as it is
        constrained.

    Returns
    -------
    lanes
        Energy: half the squared weighted error.

    """
    weight = settings[POSITION_WEIGHT]
    turn_weight = settings[ORIENTATION_WEIGHT]
    joint_frames(nodes, wiring, q, frames)
    energy = splat(0.0)
    worst_distance2 = splat(0.0)
    worst_angle2 = splat(0.0)
    for tip in range(tip_wiring.shape[0]):
        dx, dy, dz, rx, ry, rz = tip_error(frames, tips, tip_wiring, targets, tip, places)
        row = 6 * tip
        store(error, row, weight * dx)
        store(error, row + 1, weight * dy)
        store(error, row + 2, weight * dz)
        store(error, row + 3, turn_weight * rx)
        store(error, row + 4, turn_weight * ry)
        store(error, row + 5, turn_weight * rz)
        distance2 = dx * dx + dy * dy + dz * dz
        angle2 = rx * rx + ry * ry + rz * rz
        energy = energy + 0.5 * (
            (weight * weight) * distance2 + (turn_weight * turn_weight) * angle2
        )
        worst_distance2 = _worse(distance2, worst_distance2)
        worst_angle2 = _worse(angle2, worst_angle2)
    store(misses, 0, worst_distance2)
    store(misses, 1, worst_angle2)
    return energy


@kernel
def _worse(value: Any, worst: Any) -> Any:
    """Give the larger one; NaN stays, as it is no error of zero."""
    return select(worst <= math.inf, select(value <= worst, worst, value), worst)


@kernel
def within(misses: FloatArray, settings: FloatArray) -> Any:
    """
    Tell in which lanes all tips are within both tolerances.

    Parameters
    ----------
    misses : (2, LANES) float64
        From `evaluate`.
    settings : (SETTINGS_SIZE,) float64
        Tolerances, see `ik_node.kernels.step`.

    Returns
    -------
    mask

    """
    return (load(misses, 0) <= settings[POSITION_TOLERANCE] ** 2) & (
        load(misses, 1) <= settings[ORIENTATION_TOLERANCE] ** 2
    )


@called
def step(
    nodes: FloatArray,
    wiring: IntArray,
    tip_wiring: IntArray,
    frames: FloatArray,
    places: FloatArray,
    error: FloatArray,
    damping: Any,
    held: Any,
    settings: FloatArray,
    limits: FloatArray,
    jacobian: FloatArray,
    system: FloatArray,
    q: FloatArray,
) -> None:
    """
    Take one damped step in place, inside the limits.

    Parameters
    ----------
    nodes, wiring, tip_wiring
        See `ik_node.kernels.tree`; no spherical joints.
    frames, places, error
        From `evaluate`.
    damping : lanes
        lambda.
    held : mask
        Lanes that do not move.
    settings : (SETTINGS_SIZE,) float64
        Weights, see `ik_node.kernels.step`.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.
    jacobian : (6 t n, LANES) float64
        Work space: joint by joint its column, rows weighted; zero for a joint that is pushed out
        of its range.
    system
        Work space.
    q : (n, LANES) float64
        Changed in place.

    """
    if (
        tip_wiring.shape[0] == 1
        and nodes.shape[0] == q.shape[0]
        and tip_wiring[0, CONSTRAINTS] == POSE
        and tip_wiring[0, GOAL_NODE] < 0
    ):
        step_of_pose(
            nodes, wiring, frames, places, error, damping, held, settings, limits, jacobian, q
        )
        return
    rows = error.shape[0]
    packed = rows * (rows + 1) // 2
    zero = splat(0.0)
    for i in range(jacobian.shape[0]):
        store(jacobian, i, zero)
    for tip in range(tip_wiring.shape[0]):
        _tip_rows(nodes, wiring, tip_wiring, frames, places, tip, settings, rows, jacobian)
    for i in range(q.shape[0]):
        slope = zero
        for r in range(rows):
            slope = slope + load(jacobian, rows * i + r) * load(error, r)
        outward = pushed_outward(slope, load(q, i), limits[i, 0], limits[i, 1], limits[i, 2])
        for r in range(rows):
            store(jacobian, rows * i + r, select(outward, 0.0, load(jacobian, rows * i + r)))
    for r in range(rows):
        store(system, packed + r, load(error, r))
    _gram(jacobian, q.shape[0], rows, system)
    _solve_damped(system, damping, rows)
    for i in range(q.shape[0]):
        dq = zero
        for r in range(rows):
            dq = dq + load(jacobian, rows * i + r) * load(system, packed + r)
        value = load(q, i)
        moved = into_limits(value + dq, limits[i, 0], limits[i, 1], limits[i, 2])
        store(q, i, select(held, value, moved))


@kernel
def _tip_rows(
    nodes: FloatArray,
    wiring: IntArray,
    tip_wiring: IntArray,
    frames: FloatArray,
    places: FloatArray,
    tip: int,
    settings: FloatArray,
    rows: int,
    jacobian: FloatArray,
) -> None:
    """Add the rows of one tip; see `ik_node.kernels.row_jacobian.tip_rows`."""
    weight, turn_weight = settings[POSITION_WEIGHT], settings[ORIENTATION_WEIGHT]
    at, goal_at = PLACE_ROWS * tip, PLACE_ROWS * tip + 3
    _add_columns(
        nodes, wiring, frames, tip_wiring[tip, TIP_NODE], places, at, weight, turn_weight, rows,
        6 * tip, jacobian,
    )  # fmt: skip
    constraints = tip_wiring[tip, CONSTRAINTS]
    node = tip_wiring[tip, GOAL_NODE]
    if node >= 0:
        turn = 0.0 if constraints & LOOKAT else -turn_weight  # a point has no orientation
        _add_columns(
            nodes, wiring, frames, node, places, goal_at, -weight, turn, rows, 6 * tip, jacobian
        )
    if constraints == POSE:
        return
    if constraints & GOAL_AXES == 0:
        node = tip_wiring[tip, AXES_NODE]
    if node >= 0 and constraints & POSITION:
        _add_columns(
            nodes, wiring, frames, node, places, goal_at, weight, 0.0, rows, 6 * tip, jacobian
        )
        _add_columns(
            nodes, wiring, frames, node, places, at, -weight, 0.0, rows, 6 * tip, jacobian
        )
    constrain(tip, places, turn_weight / weight, rows, jacobian)


@kernel
def _add_columns(
    nodes: FloatArray,
    wiring: IntArray,
    frames: FloatArray,
    node: int,
    places: FloatArray,
    at: int,
    weight: float,
    turn_weight: float,
    rows: int,
    row: int,
    jacobian: FloatArray,
) -> None:
    """Add the columns of one point; see `ik_node.kernels.jacobian.tip_jacobian`."""
    x, y, z = load(places, at), load(places, at + 1), load(places, at + 2)
    while node >= 0:
        f = 12 * node
        ax, ay, az = load(frames, f + 2), load(frames, f + 5), load(frames, f + 8)
        c = rows * wiring[node, 2] + row
        advance = weight * nodes[node, 12]  # of a prismatic joint
        if wiring[node, 1] == REVOLUTE:
            turn = turn_weight * nodes[node, 12]
            arm = advance
            advance = arm * nodes[node, 14]
            dx = x - load(frames, f + 9)
            dy = y - load(frames, f + 10)
            dz = z - load(frames, f + 11)
            store(jacobian, c, load(jacobian, c) + arm * (ay * dz - az * dy))
            store(jacobian, c + 1, load(jacobian, c + 1) + arm * (az * dx - ax * dz))
            store(jacobian, c + 2, load(jacobian, c + 2) + arm * (ax * dy - ay * dx))
            store(jacobian, c + 3, load(jacobian, c + 3) + turn * ax)
            store(jacobian, c + 4, load(jacobian, c + 4) + turn * ay)
            store(jacobian, c + 5, load(jacobian, c + 5) + turn * az)
        if advance != 0.0:
            store(jacobian, c, load(jacobian, c) + advance * ax)
            store(jacobian, c + 1, load(jacobian, c + 1) + advance * ay)
            store(jacobian, c + 2, load(jacobian, c + 2) + advance * az)
        node = wiring[node, 0]


@kernel
def _gram(jacobian: FloatArray, joints: int, rows: int, system: FloatArray) -> None:
    """Compute J J^T; see `ik_node.kernels.linalg.gram`."""
    at = 0
    for i in range(rows):
        for j in range(i + 1):
            total = splat(0.0)
            for joint in range(joints):
                column = rows * joint
                total = total + load(jacobian, column + i) * load(jacobian, column + j)
            store(system, at + j, total)
        at += i + 1


@kernel
def _solve_damped(system: FloatArray, damping: Any, m: int) -> None:
    """Solve by LDL^T in place; see `ik_node.kernels.linalg.solve_damped`."""
    y = m * (m + 1) // 2
    row = 0
    for i in range(m):
        pivot = load(system, row + i) + damping
        column = 0
        for j in range(i):
            value = load(system, row + j)
            for k in range(j):
                value = value - load(system, row + k) * load(system, column + k)
            store(system, row + j, value)
            column += j + 1
        value_y = load(system, y + i)
        diagonal = 0
        for j in range(i):
            value = load(system, row + j)
            scaled = value * load(system, diagonal)
            pivot = pivot - scaled * value
            store(system, row + j, scaled)
            value_y = value_y - scaled * load(system, y + j)
            diagonal += j + 2
        store(system, row + i, 1.0 / pivot)
        store(system, y + i, value_y)
        row += i + 1
    for i in range(m - 1, -1, -1):
        row -= i + 1
        value_y = load(system, y + i) * load(system, row + i)
        below = row + i + 1
        for j in range(i + 1, m):
            value_y = value_y - load(system, below + i) * load(system, y + j)
            below += j + 1
        store(system, y + i, value_y)
