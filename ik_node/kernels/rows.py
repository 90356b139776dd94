# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Residual rows: what is left between the present configuration and the targets.

Every constraint lowers to rows of this form, so that a solver sees only an error vector, a
Jacobian and the two distances that decide about success. A tip has six rows: x, y, z, alpha, beta,
gamma. The error is target minus tip; the Jacobian is the motion of the tip seen from its target,
so that J dq = error. What is not constrained is a row of zeros.

The rows of a position are in the axes that constrain it, those of an orientation in the axes of
the tip. Where a whole pose is constrained the axes make no difference to a least-squares step, and
the rows stay in the axes of the base unless a caller asks for the tip's own.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.rotations import rotation_error
from ik_node.kernels.tree import AXES, AXES_NODE, GOAL_NODE, tip_pose

# Bits of constraints; those of `ik_node.environment.calculation.Constraint`.
X = 1
Y = 2
Z = 4
POSITION = 7
ALPHA_BETA = 8
GAMMA = 16
ORIENTATION = 24
POSE = 31

POLE = 1e-9
"""Two z axes nearer to opposite than this (1 + cosine) have no shortest way to each other."""


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
    for row in range(3):
        for column in range(4):
            value = target[row, column]
            if node >= 0:
                value = (
                    frames[node, 3 * row] * target[0, column]
                    + frames[node, 3 * row + 1] * target[1, column]
                    + frames[node, 3 * row + 2] * target[2, column]
                )
                if column == 3:
                    value += frames[node, 9 + row]
            goal[row, column] = value
    node = tip_wiring[tip, AXES_NODE]
    for row in range(3):
        for column in range(3):
            value = tips[tip, AXES + 3 * row + column]
            if node >= 0:
                value = (
                    frames[node, 3 * row] * tips[tip, AXES + column]
                    + frames[node, 3 * row + 1] * tips[tip, AXES + 3 + column]
                    + frames[node, 3 * row + 2] * tips[tip, AXES + 6 + column]
                )
            axes[3 * row + column] = value


@kernel
def tip_error(
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
    constraints: int,
    own_axes: bool,
    position_weight: float,
    orientation_weight: float,
    error: FloatArray,
    row: int,
) -> tuple[float, float]:
    """
    Write the six rows of the error of one tip.

    Parameters
    ----------
    pose, goal, axes
        From `place_tip`.
    constraints : int
        Bits of what is constrained.
    own_axes : bool
        Whether the rows of a whole pose are in its own axes too; see the module.
    position_weight, orientation_weight : float
        Weights of a metre and of a radian.
    error : (rows,) float64
        Output at row..row+5.
    row : int
        First row of this tip.

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
    else:
        x, y, z = (
            axes[0] * x + axes[3] * y + axes[6] * z if constraints & X else 0.0,
            axes[1] * x + axes[4] * y + axes[7] * z if constraints & Y else 0.0,
            axes[2] * x + axes[5] * y + axes[8] * z if constraints & Z else 0.0,
        )
        rx, ry, rz = _orientation_error(pose, goal, constraints & ORIENTATION)
    error[row] = position_weight * x
    error[row + 1] = position_weight * y
    error[row + 2] = position_weight * z
    error[row + 3] = orientation_weight * rx
    error[row + 4] = orientation_weight * ry
    error[row + 5] = orientation_weight * rz
    return x * x + y * y + z * z, rx * rx + ry * ry + rz * rz


@kernel
def _orientation_error(
    pose: FloatArray, goal: FloatArray, constraints: int
) -> tuple[float, float, float]:
    """Compute the error of the constrained part of an orientation, in the axes of the tip."""
    if constraints == 0:
        return 0.0, 0.0, 0.0
    if constraints == ORIENTATION:
        x, y, z = rotation_error(pose, goal)
        return (
            pose[0] * x + pose[3] * y + pose[6] * z,
            pose[1] * x + pose[4] * y + pose[7] * z,
            pose[2] * x + pose[5] * y + pose[8] * z,
        )
    if constraints == ALPHA_BETA:
        # The shortest turn that brings the z axis of the tip onto that of the target.
        ux, uy, uz = z_of_goal(pose, goal)
        sine = math.hypot(ux, uy)
        angle = math.atan2(sine, uz)
        if sine < 1e-12:
            # Opposite axes have no shortest way; about x is as good as any.
            return angle, 0.0, 0.0
        return -uy * angle / sine, ux * angle / sine, 0.0
    # What is left about z when the z axes are brought together the shortest way: for a rotation
    # R = S Rz(turn), S without a turn about z, R10 - R01 and R00 + R11 are its sine and cosine.
    r00 = pose[0] * goal[0, 0] + pose[3] * goal[1, 0] + pose[6] * goal[2, 0]
    r01 = pose[0] * goal[0, 1] + pose[3] * goal[1, 1] + pose[6] * goal[2, 1]
    r10 = pose[1] * goal[0, 0] + pose[4] * goal[1, 0] + pose[7] * goal[2, 0]
    r11 = pose[1] * goal[0, 1] + pose[4] * goal[1, 1] + pose[7] * goal[2, 1]
    return 0.0, 0.0, math.atan2(r10 - r01, r00 + r11)


@kernel
def z_of_goal(pose: FloatArray, goal: FloatArray) -> tuple[float, float, float]:
    """
    Compute the z axis of the target in the axes of the tip.

    Parameters
    ----------
    pose, goal
        From `place_tip`.

    Returns
    -------
    x, y, z : float
        Unit vector.

    """
    x, y, z = goal[0, 2], goal[1, 2], goal[2, 2]
    return (
        pose[0] * x + pose[3] * y + pose[6] * z,
        pose[1] * x + pose[4] * y + pose[7] * z,
        pose[2] * x + pose[5] * y + pose[8] * z,
    )


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
