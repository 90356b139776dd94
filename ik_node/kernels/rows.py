# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Residual rows: what is left between the present configuration and the targets.

Every constraint lowers to rows of this form, so that a solver sees only an error vector, a
Jacobian and the two distances that decide about success.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import rotation_error


@kernel
def pose_error(
    pose: FloatArray,
    target: FloatArray,
    position_weight: float,
    orientation_weight: float,
    error: FloatArray,
    row: int,
) -> tuple[float, float]:
    """
    Write the six rows of one tip that shall reach a pose.

    The rows are target minus present in base axes: the position difference, then the rotation
    vector that turns the tip onto the target, each times its weight.

    Parameters
    ----------
    pose : (12,) float64
        Present pose of the tip in the base.
    target : (4, 4) float64
        T_base_target.
    position_weight, orientation_weight : float
        Weights of a metre and of a radian.
    error : (rows,) float64
        Output at row..row+5.
    row : int
        First row of this tip.

    Returns
    -------
    distance2 : float
        Squared distance [m^2].
    angle2 : float
        Squared rotation angle [rad^2].

    """
    dx = target[0, 3] - pose[9]
    dy = target[1, 3] - pose[10]
    dz = target[2, 3] - pose[11]
    rx, ry, rz = rotation_error(pose, target)
    error[row] = position_weight * dx
    error[row + 1] = position_weight * dy
    error[row + 2] = position_weight * dz
    error[row + 3] = orientation_weight * rx
    error[row + 4] = orientation_weight * ry
    error[row + 5] = orientation_weight * rz
    return dx * dx + dy * dy + dz * dz, rx * rx + ry * ry + rz * rz


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


@kernel
def pose_distance(pose: FloatArray, target: FloatArray, metric: FloatArray) -> float:
    """
    Measure how far a tip is from a target.

    Parameters
    ----------
    pose : (12,) float64
        Pose of the tip in the base.
    target : (4, 4) float64
        T_base_target.
    metric : (4,) float64
        Weights of x, y, z [1/m] and of the rotation angle [1/rad].

    Returns
    -------
    float
        Square root of the sum of the squared weighted differences.

    """
    dx = (target[0, 3] - pose[9]) * metric[0]
    dy = (target[1, 3] - pose[10]) * metric[1]
    dz = (target[2, 3] - pose[11]) * metric[2]
    rx, ry, rz = rotation_error(pose, target)
    angle2 = (rx * rx + ry * ry + rz * rz) * metric[3] * metric[3]
    return math.sqrt(dx * dx + dy * dy + dz * dz + angle2)
