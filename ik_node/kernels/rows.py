# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Residual rows: what is left between the present configuration and the targets.

Every constraint lowers to rows of this form, so that a solver sees only an error vector, a
Jacobian and the two distances that decide about success. A tip has six rows, three of its position
and three of its orientation. The error is target minus tip, so that J dq = error brings the tip to
the target, to first order. What is not constrained, or is inside of its bounds, is a row of zeros;
steps are made of the rows that are asked for (`kernels.row_kinds.ROW_BITS`).

The kinds of rows, and the linear map `mix` that makes their Jacobian, are in `kernels.row_kinds`.
Where a whole pose is constrained the axes make no difference to a least-squares step: its rows
stay in those of the base and need no map, unless a caller asks for the tip's own.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.orientation_rows import into_bounds, orientation_rows
from ik_node.kernels.rotations import rotation_error
from ik_node.kernels.row_kinds import ANY_ORIENTATION, BOUNDED, GOAL_AXES, P, POSE
from ik_node.kernels.tree import (
    AXES,
    AXES_NODE,
    CONSTRAINTS,
    GOAL_NODE,
    LOWER,
    tip_pose,
    UPPER,
)


@kernel
def place_tip(
    frames: FloatArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    tip: int,
    target: FloatArray,
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
) -> None:
    """
    Compute where a tip, its target and the axes of its position are.

    Parameters
    ----------
    frames : (k, 12) float64
        From `kernels.tree.joint_frames`.
    tips, tip_wiring
        See `kernels.tree`.
    tip : int
        Which tip.
    target : (4, 4) float64
        Pose of the target in the moving frame of its node.
    pose : (12,) float64
        Output: T_base_tip.
    goal : (4, 4) float64
        Output: T_base_target.
    axes : (9,) float64
        Output: R_base_axes.

    """
    tip_pose(frames, tips, tip_wiring, tip, pose)
    node = tip_wiring[tip, GOAL_NODE]
    if node < 0:
        for row in range(3):
            for column in range(4):
                goal[row, column] = target[row, column]
    else:
        for row in range(3):
            a, b, c = frames[node, 3 * row], frames[node, 3 * row + 1], frames[node, 3 * row + 2]
            for column in range(4):
                goal[row, column] = (
                    a * target[0, column] + b * target[1, column] + c * target[2, column]
                )
            goal[row, 3] += frames[node, 9 + row]
    if tip_wiring[tip, CONSTRAINTS] & GOAL_AXES:
        for row in range(3):
            for column in range(3):
                axes[3 * row + column] = goal[row, column]
        return
    node = tip_wiring[tip, AXES_NODE]
    if node < 0:
        for i in range(9):
            axes[i] = tips[tip, AXES + i]
    else:
        for row in range(3):
            a, b, c = frames[node, 3 * row], frames[node, 3 * row + 1], frames[node, 3 * row + 2]
            for i in range(3):
                axes[3 * row + i] = (
                    a * tips[tip, AXES + i]
                    + b * tips[tip, AXES + 3 + i]
                    + c * tips[tip, AXES + 6 + i]
                )


@kernel
def tip_error(
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
    constraints: int,
    bounds: FloatArray,
    own_axes: bool,
    position_weight: float,
    orientation_weight: float,
    error: FloatArray,
    row: int,
    mix: FloatArray,
) -> tuple[float, float]:
    """
    Write the six rows of the error of one tip.

    Parameters
    ----------
    pose, goal, axes
        From `place_tip`.
    constraints : int
        Bits of what is constrained.
    bounds : (33,) float64
        The row of `tips`, for its bounds.
    own_axes : bool
        Whether the rows of a whole pose are in its own axes too; see the module.
    position_weight, orientation_weight : float
        Weights of a metre and of a radian.
    error : (rows,) float64
        Output at row..row+5.
    row : int
        First row of this tip.
    mix : (27,) float64
        Output: see `kernels.row_kinds`, of the rows that are asked for. Not written for a whole
        pose in the axes of the base.

    Returns
    -------
    distance2 : float
        Squared constrained distance [m^2].
    angle2 : float
        Squared constrained angle [rad^2].

    """
    x = goal[0, 3] - pose[9]
    y = goal[1, 3] - pose[10]
    z = goal[2, 3] - pose[11]
    if constraints == POSE and not own_axes:
        rx, ry, rz = rotation_error(pose, goal)
        distance2 = x * x + y * y + z * z
        angle2 = rx * rx + ry * ry + rz * rz
        error[row], error[row + 1], error[row + 2] = x, y, z
        error[row + 3], error[row + 4], error[row + 5] = rx, ry, rz
    else:
        distance2 = 0.0
        for i in range(3):
            left = 0.0
            if constraints & (1 << i):
                left = axes[i] * x + axes[3 + i] * y + axes[6 + i] * z
                free = False
                if constraints & BOUNDED:
                    lower, upper = bounds[LOWER + i], bounds[UPPER + i]
                    left = into_bounds(-left, lower, upper)
                    free = left == 0.0 and lower < upper
                for k in range(3):
                    mix[P + 3 * i + k] = 0.0 if free else axes[3 * k + i]
            error[row + i] = left
            distance2 += left * left
        angle2 = orientation_rows(
            pose, goal, constraints & ANY_ORIENTATION, bounds, error, row + 3, mix
        )
    for i in range(3):
        error[row + i] *= position_weight
        error[row + 3 + i] *= orientation_weight
    return distance2, angle2


@kernel
def pose_distance(
    pose: FloatArray, goal: FloatArray, axes: FloatArray, metric: FloatArray
) -> float:
    """
    Measure how far a tip is from its target, whatever is constrained.

    Parameters
    ----------
    pose, goal, axes
        From `place_tip`.
    metric : (4,) float64
        Weights of x, y, z [1/m] and of the rotation angle [1/rad].

    Returns
    -------
    float
        Square root of the sum of the squared weighted differences.

    """
    x = goal[0, 3] - pose[9]
    y = goal[1, 3] - pose[10]
    z = goal[2, 3] - pose[11]
    dx = (axes[0] * x + axes[3] * y + axes[6] * z) * metric[0]
    dy = (axes[1] * x + axes[4] * y + axes[7] * z) * metric[1]
    dz = (axes[2] * x + axes[5] * y + axes[8] * z) * metric[2]
    rx, ry, rz = rotation_error(pose, goal)
    angle2 = (rx * rx + ry * ry + rz * rz) * metric[3] * metric[3]
    return math.sqrt(dx * dx + dy * dy + dz * dz + angle2)
