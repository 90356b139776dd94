# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The Jacobian of residual rows; see `ik_node.kernels.rows` for what the rows are."""

from __future__ import annotations

import math

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.jacobian import spherical_axes
from ik_node.kernels.row_kinds import (
    GOAL_AXES,
    LOOKAT,
    MIX_SIZE,
    P,
    POSE,
    POSITION,
    ROW_BITS,
    V,
    W,
)
from ik_node.kernels.rows import place_tip, tip_error
from ik_node.kernels.tree import (
    AXES_NODE,
    CONSTRAINTS,
    GOAL_NODE,
    joint_frames,
    joint_positions_exact,
    PRISMATIC,
    REVOLUTE,
    TIP_NODE,
)
import numpy as np


@kernel
def tip_rows(
    nodes: FloatArray,
    wiring: IntArray,
    values: FloatArray,
    frames: FloatArray,
    tip_wiring: IntArray,
    tip: int,
    pose: FloatArray,
    goal: FloatArray,
    mix: FloatArray,
    own_axes: bool,
    position_weight: float,
    orientation_weight: float,
    jacobian: FloatArray,
    row: int,
) -> int:
    """
    Write the rows that a tip is asked for, one after the other, into a transposed Jacobian.

    Parameters
    ----------
    nodes, wiring, values, frames
        See `kernels.tree`.
    tip_wiring, tip
        See there.
    pose, goal
        From `kernels.rows.place_tip`.
    mix : (27,) float64
        From `kernels.rows.tip_error`.
    own_axes : bool
        As for `tip_error`.
    position_weight, orientation_weight : float
        Weights of a metre and of a radian.
    jacobian : (n, rows) float64
        Output, from `row` on: weighted.
    row : int
        First row of this tip.

    Returns
    -------
    int
        First row of the next tip.

    """
    constraints = tip_wiring[tip, CONSTRAINTS]
    mixes = own_axes or constraints != POSE
    last = row
    for i in range(6):
        if constraints & ROW_BITS[i]:
            for j in range(jacobian.shape[0]):
                jacobian[j, last] = 0.0
            last += 1
    px, py, pz = pose[9], pose[10], pose[11]
    x, y, z = goal[0, 3], goal[1, 3], goal[2, 3]
    weights = position_weight, orientation_weight
    node = tip_wiring[tip, TIP_NODE]
    _add(
        nodes, wiring, values, frames, node, px, py, pz, 1.0, 1.0, constraints, mixes, mix,
        weights, jacobian, row,
    )  # fmt: skip
    node = tip_wiring[tip, GOAL_NODE]
    if node >= 0:
        turn = 0.0 if constraints & LOOKAT else -1.0  # a point has no orientation
        _add(
            nodes, wiring, values, frames, node, x, y, z, -1.0, turn, constraints, mixes, mix,
            weights, jacobian, row,
        )  # fmt: skip
    if not constraints & GOAL_AXES:
        node = tip_wiring[tip, AXES_NODE]
    if node >= 0 and mixes and constraints & POSITION:
        # Axes that turn by w add w x (target - tip); all else of their motion cancels out.
        for sense in (1.0, -1.0):
            _add(
                nodes, wiring, values, frames, node, x, y, z, sense, 0.0, constraints & POSITION,
                mixes, mix, weights, jacobian, row,
            )  # fmt: skip
            x, y, z = px, py, pz
    return last


@kernel
def _add(
    nodes: FloatArray,
    wiring: IntArray,
    values: FloatArray,
    frames: FloatArray,
    node: int,
    x: float,
    y: float,
    z: float,
    sense: float,
    turn: float,
    constraints: int,
    mixes: bool,
    mix: FloatArray,
    weights: tuple[float, float],
    jacobian: FloatArray,
    row: int,
) -> None:
    """Add what the joints before a node do to rows; see `kernels.jacobian.tip_jacobian`."""
    while node >= 0:
        ax, ay, az = frames[node, 2], frames[node, 5], frames[node, 8]
        scale, angular = sense * nodes[node, 12], turn * nodes[node, 12]
        kind, j = wiring[node, 1], wiring[node, 2]
        dx, dy, dz = x - frames[node, 9], y - frames[node, 10], z - frames[node, 11]
        if kind == REVOLUTE:
            lead = nodes[node, 14]
            vx = scale * (ay * dz - az * dy + lead * ax)
            vy = scale * (az * dx - ax * dz + lead * ay)
            vz = scale * (ax * dy - ay * dx + lead * az)
            wx, wy, wz = angular * ax, angular * ay, angular * az
            _mix(constraints, mixes, mix, vx, vy, vz, wx, wy, wz, weights, jacobian, j, row)
        elif kind == PRISMATIC:
            vx, vy, vz = scale * ax, scale * ay, scale * az
            _mix(constraints, mixes, mix, vx, vy, vz, 0.0, 0.0, 0.0, weights, jacobian, j, row)
        else:
            axes = spherical_axes(values[node], frames[node], nodes[node, 12] < 0.0)
            for i in range(3):
                ax, ay, az = axes[3 * i], axes[3 * i + 1], axes[3 * i + 2]
                vx = scale * (ay * dz - az * dy)
                vy = scale * (az * dx - ax * dz)
                vz = scale * (ax * dy - ay * dx)
                wx, wy, wz = angular * ax, angular * ay, angular * az
                _mix(
                    constraints, mixes, mix, vx, vy, vz, wx, wy, wz, weights, jacobian, j + i, row
                )
        node = wiring[node, 0]


@kernel
def _mix(
    constraints: int,
    mixes: bool,
    mix: FloatArray,
    vx: float,
    vy: float,
    vz: float,
    wx: float,
    wy: float,
    wz: float,
    weights: tuple[float, float],
    jacobian: FloatArray,
    j: int,
    row: int,
) -> None:
    """Add a velocity and an angular velocity to the rows that see them."""
    if not mixes:
        jacobian[j, row] += weights[0] * vx
        jacobian[j, row + 1] += weights[0] * vy
        jacobian[j, row + 2] += weights[0] * vz
        jacobian[j, row + 3] += weights[1] * wx
        jacobian[j, row + 4] += weights[1] * wy
        jacobian[j, row + 5] += weights[1] * wz
        return
    for i in range(3):
        if constraints & ROW_BITS[i]:
            m = P + 3 * i
            jacobian[j, row] += weights[0] * (
                mix[m] * vx + mix[m + 1] * vy + mix[m + 2] * vz
            )  # fmt: skip
            row += 1
    for i in range(3):
        if constraints & ROW_BITS[3 + i]:
            m = W + 3 * i
            value = mix[m] * wx + mix[m + 1] * wy + mix[m + 2] * wz
            if constraints & LOOKAT:
                m = V + 3 * i
                value += mix[m] * vx + mix[m + 1] * vy + mix[m + 2] * vz
            jacobian[j, row] += weights[1] * value
            row += 1


@kernel
def count_rows(tip_wiring: IntArray) -> int:
    """
    Count the rows that all tips are asked for.

    Parameters
    ----------
    tip_wiring : (t, 4) int64
        See `kernels.tree`.

    Returns
    -------
    int

    """
    count = 0
    for tip in range(tip_wiring.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i]:
                count += 1
    return count


@allocating
def task_rows(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    q: FloatArray,
    own_axes: bool,
    jacobian: FloatArray,
    error: FloatArray,
    misses: FloatArray,
) -> None:
    """
    Compute the rows of all tips at one configuration, exactly and not weighted.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    targets : (t, 4, 4) float64
        Pose of the target of each tip in the moving frame of its node.
    q : (n,) float64
        Configuration [rad or m].
    own_axes : bool
        Whether the rows of a whole pose are in its own axes too; see `kernels.rows`.
    jacobian : (n, 6 t) float64
        Output: transposed.
    error : (6 t,) float64
        Output.
    misses : (t, 2) float64
        Output: constrained distance [m] and angle [rad] of each tip.

    """
    values, frames = np.empty((nodes.shape[0], 3)), np.empty((nodes.shape[0], 12))
    pose, goal, axes = np.empty(12), np.empty((4, 4)), np.empty(9)
    mix = np.empty(MIX_SIZE)
    joint_positions_exact(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    rows = np.empty((q.shape[0], 6))
    jacobian[:] = 0.0
    for tip in range(tip_wiring.shape[0]):
        at = 6 * tip
        constraints = tip_wiring[tip, CONSTRAINTS]
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        distance2, angle2 = tip_error(
            pose, goal, axes, constraints, tips[tip], own_axes, 1.0, 1.0, error, at, mix
        )
        misses[tip, 0] = math.sqrt(distance2)
        misses[tip, 1] = math.sqrt(angle2)
        tip_rows(
            nodes, wiring, values, frames, tip_wiring, tip, pose, goal, mix, own_axes, 1.0, 1.0,
            rows, 0,
        )  # fmt: skip
        row = 0
        for i in range(6):
            if constraints & ROW_BITS[i]:
                jacobian[:, at + i] = rows[:, row]
                row += 1
