# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Quaternions and Euler angles by the community's own library.

`tf_transformations` where ROS has it, else `transforms3d`, which it wraps. The two disagree
on the order of a quaternion (x, y, z, w against w, x, y, z); outside this module there is only
the order of ROS messages, x, y, z, w, and the name `quat_xyzw` says so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import tf_transformations

    def _matrix_of(quat_xyzw: NDArray[np.float64]) -> NDArray[np.float64]:
        return tf_transformations.quaternion_matrix(quat_xyzw)[:3, :3]

    def _quaternion_of(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        whole = np.eye(4)
        whole[:3, :3] = matrix
        return np.asarray(tf_transformations.quaternion_from_matrix(whole))

    def _quaternion_of_euler(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
        return np.asarray(tf_transformations.quaternion_from_euler(roll, pitch, yaw))

    def _euler_of(quat_xyzw: NDArray[np.float64]) -> tuple[float, float, float]:
        return tf_transformations.euler_from_quaternion(quat_xyzw)

except ImportError:
    from transforms3d import euler, quaternions

    def _matrix_of(quat_xyzw: NDArray[np.float64]) -> NDArray[np.float64]:
        return quaternions.quat2mat(quat_xyzw[[3, 0, 1, 2]])

    def _quaternion_of(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        return quaternions.mat2quat(matrix)[[1, 2, 3, 0]]

    def _quaternion_of_euler(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
        return euler.euler2quat(roll, pitch, yaw, axes='sxyz')[[1, 2, 3, 0]]

    def _euler_of(quat_xyzw: NDArray[np.float64]) -> tuple[float, float, float]:
        return euler.quat2euler(quat_xyzw[[3, 0, 1, 2]], axes='sxyz')


def matrix_from_quaternion(quat_xyzw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the rotation matrix (3, 3) of a unit quaternion (4,) in the order x, y, z, w."""
    return _matrix_of(quat_xyzw)


def quaternion_from_matrix(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the quaternion x, y, z, w (4,), with w >= 0, of a rotation matrix (3, 3)."""
    quat_xyzw = _quaternion_of(matrix)
    return -quat_xyzw if quat_xyzw[3] < 0.0 else quat_xyzw


def quaternion_from_euler(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Compute the quaternion x, y, z, w (4,) of turns [rad] about the fixed x, then y, then z."""
    return _quaternion_of_euler(roll, pitch, yaw)


def euler_from_quaternion(quat_xyzw: NDArray[np.float64]) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] about the fixed axes x, y, z, the rpy of a URDF."""
    roll, pitch, yaw = _euler_of(quat_xyzw)
    return float(roll), float(pitch), float(yaw)
