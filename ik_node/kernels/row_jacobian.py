# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The Jacobian of residual rows; see `ik_node.kernels.rows` for what the rows are."""

from __future__ import annotations

import math

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.jacobian import tip_jacobian
from ik_node.kernels.row_kinds import GOAL_AXES, LOOKAT, MIX_SIZE, P, POSE, POSITION, V, W
from ik_node.kernels.rows import place_tip, tip_error
from ik_node.kernels.tree import (
    AXES_NODE,
    CONSTRAINTS,
    GOAL_NODE,
    joint_frames,
    joint_positions_exact,
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
    jacobian: FloatArray,
    row: int,
) -> None:
    """
    Add the six rows of one tip to a transposed Jacobian of zeros.

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
    jacobian : (n, rows) float64
        Changed in place at row..row+5: not weighted.
    row : int
        First row of this tip.

    """
    constraints = tip_wiring[tip, CONSTRAINTS]
    px, py, pz = pose[9], pose[10], pose[11]
    x, y, z = goal[0, 3], goal[1, 3], goal[2, 3]
    node = tip_wiring[tip, TIP_NODE]
    tip_jacobian(nodes, wiring, values, frames, node, px, py, pz, 1.0, 1.0, jacobian, row)
    node = tip_wiring[tip, GOAL_NODE]
    if node >= 0:
        turn = 0.0 if constraints & LOOKAT else -1.0  # a point has no orientation
        tip_jacobian(nodes, wiring, values, frames, node, x, y, z, -1.0, turn, jacobian, row)
    if constraints == POSE and not own_axes:
        return
    if not constraints & GOAL_AXES:
        node = tip_wiring[tip, AXES_NODE]
    if node >= 0 and constraints & POSITION:
        # Axes that turn by w add w x (target - tip); all else of their motion cancels out.
        tip_jacobian(nodes, wiring, values, frames, node, x, y, z, 1.0, 0.0, jacobian, row)
        tip_jacobian(nodes, wiring, values, frames, node, px, py, pz, -1.0, 0.0, jacobian, row)
    for j in range(jacobian.shape[0]):
        vx, vy, vz = jacobian[j, row], jacobian[j, row + 1], jacobian[j, row + 2]
        wx, wy, wz = jacobian[j, row + 3], jacobian[j, row + 4], jacobian[j, row + 5]
        for i in range(3):
            m = 3 * i
            jacobian[j, row + i] = mix[P + m] * vx + mix[P + m + 1] * vy + mix[P + m + 2] * vz
            jacobian[j, row + 3 + i] = (
                mix[V + m] * vx + mix[V + m + 1] * vy + mix[V + m + 2] * vz
                + mix[W + m] * wx + mix[W + m + 1] * wy + mix[W + m + 2] * wz
            )  # fmt: skip


@kernel
def weigh_rows(
    jacobian: FloatArray, position_weight: float, orientation_weight: float, tip_count: int
) -> None:
    """
    Multiply the rows of a transposed Jacobian by the weights of their errors.

    Parameters
    ----------
    jacobian : (n, 6 t) float64
        Changed in place.
    position_weight, orientation_weight : float
        Weights of a metre and of a radian.
    tip_count : int
        t.

    """
    for joint in range(jacobian.shape[0]):
        column = jacobian[joint]
        for tip in range(tip_count):
            row = 6 * tip
            column[row] *= position_weight
            column[row + 1] *= position_weight
            column[row + 2] *= position_weight
            column[row + 3] *= orientation_weight
            column[row + 4] *= orientation_weight
            column[row + 5] *= orientation_weight


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
    jacobian[:] = 0.0
    for tip in range(tip_wiring.shape[0]):
        row = 6 * tip
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        distance2, angle2 = tip_error(
            pose, goal, axes, tip_wiring[tip, CONSTRAINTS], tips[tip], own_axes, 1.0, 1.0, error,
            row, mix,
        )  # fmt: skip
        misses[tip, 0] = math.sqrt(distance2)
        misses[tip, 1] = math.sqrt(angle2)
        tip_rows(
            nodes, wiring, values, frames, tip_wiring, tip, pose, goal, mix, own_axes, jacobian,
            row,
        )  # fmt: skip
