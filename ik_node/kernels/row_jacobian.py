# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The Jacobian of residual rows; see `ik_node.kernels.rows` for what the rows are."""

from __future__ import annotations

import math

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.jacobian import tip_jacobian
from ik_node.kernels.rows import (
    ALPHA_BETA,
    GAMMA,
    ORIENTATION,
    place_tip,
    POLE,
    POSE,
    tip_error,
    X,
    Y,
    Z,
    z_of_goal,
)
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
    axes: FloatArray,
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
    pose, goal, axes
        From `place_tip`.
    own_axes : bool
        As for `tip_error`.
    jacobian : (n, rows) float64
        Changed in place at row..row+5: not weighted.
    row : int
        First row of this tip.

    """
    tip_jacobian(
        nodes, wiring, values, frames, tip_wiring[tip, TIP_NODE], pose[9], pose[10], pose[11],
        1.0, jacobian, row,
    )  # fmt: skip
    x, y, z = goal[0, 3], goal[1, 3], goal[2, 3]
    goal_node = tip_wiring[tip, GOAL_NODE]
    if goal_node >= 0:
        tip_jacobian(nodes, wiring, values, frames, goal_node, x, y, z, -1.0, jacobian, row)
    constraints = tip_wiring[tip, CONSTRAINTS]
    if constraints == POSE and not own_axes:
        return
    axes_node = tip_wiring[tip, AXES_NODE]
    if axes_node >= 0:
        # Axes that turn by w add w x (target - tip); all else of their motion cancels out.
        tip_jacobian(nodes, wiring, values, frames, axes_node, x, y, z, 1.0, jacobian, row)
        tip_jacobian(
            nodes, wiring, values, frames, axes_node, pose[9], pose[10], pose[11], -1.0, jacobian,
            row,
        )  # fmt: skip
    _constrain(pose, goal, axes, constraints, jacobian, row)


@kernel
def _constrain(
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
    constraints: int,
    jacobian: FloatArray,
    row: int,
) -> None:
    """Turn the rows of a tip into its own axes and leave what is constrained."""
    slope_x, slope_y = 0.0, 0.0
    turn_alone = constraints & ORIENTATION == GAMMA
    if turn_alone:
        # The turn about z that is left changes by w (z + u) / (1 + z u), u the z of the target:
        # it is measured from the shortest way between the two.
        ux, uy, uz = z_of_goal(pose, goal)
        if 1.0 + uz > POLE:
            slope_x, slope_y = ux / (1.0 + uz), uy / (1.0 + uz)
    for j in range(jacobian.shape[0]):
        x, y, z = jacobian[j, row], jacobian[j, row + 1], jacobian[j, row + 2]
        jacobian[j, row] = axes[0] * x + axes[3] * y + axes[6] * z if constraints & X else 0.0
        jacobian[j, row + 1] = axes[1] * x + axes[4] * y + axes[7] * z if constraints & Y else 0.0
        jacobian[j, row + 2] = axes[2] * x + axes[5] * y + axes[8] * z if constraints & Z else 0.0
        x, y, z = jacobian[j, row + 3], jacobian[j, row + 4], jacobian[j, row + 5]
        x, y, z = (
            pose[0] * x + pose[3] * y + pose[6] * z,
            pose[1] * x + pose[4] * y + pose[7] * z,
            pose[2] * x + pose[5] * y + pose[8] * z,
        )
        direction = constraints & ALPHA_BETA
        jacobian[j, row + 3] = x if direction else 0.0
        jacobian[j, row + 4] = y if direction else 0.0
        z += slope_x * x + slope_y * y
        jacobian[j, row + 5] = z if constraints & GAMMA else 0.0


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
    joint_positions_exact(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    jacobian[:] = 0.0
    for tip in range(tip_wiring.shape[0]):
        row = 6 * tip
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        distance2, angle2 = tip_error(
            pose, goal, axes, tip_wiring[tip, CONSTRAINTS], own_axes, 1.0, 1.0, error, row
        )
        misses[tip, 0] = math.sqrt(distance2)
        misses[tip, 1] = math.sqrt(angle2)
        tip_rows(
            nodes, wiring, values, frames, tip_wiring, tip, pose, goal, axes, own_axes, jacobian,
            row,
        )  # fmt: skip
