# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip('rclpy')

from ik_node.ros.transformations import (  # noqa: E402
    euler_from_quaternion,
    matrix_from_quaternion,
    quaternion_from_euler,
    quaternion_from_matrix,
)

HALF = math.sqrt(0.5)


def test_quaternions_are_in_the_order_of_ros() -> None:
    # By hand: (sin 45 deg, 0, 0, cos 45 deg) is a quarter turn about x, which takes y to z.
    matrix = matrix_from_quaternion(np.array((HALF, 0.0, 0.0, HALF)))
    np.testing.assert_allclose(matrix @ (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), atol=1e-15)


def test_matrix_and_quaternion_are_inverse(generator: np.random.Generator) -> None:
    for quat_xyzw in generator.normal(size=(50, 4)):
        quat_xyzw *= math.copysign(1.0, quat_xyzw[3]) / np.linalg.norm(quat_xyzw)
        matrix = matrix_from_quaternion(quat_xyzw)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(quaternion_from_matrix(matrix), quat_xyzw, atol=1e-13)


@pytest.mark.parametrize('axis', range(3))
def test_half_turns_survive(axis: int) -> None:
    quat_xyzw = np.eye(4)[axis]
    back = quaternion_from_matrix(matrix_from_quaternion(quat_xyzw))
    assert abs(abs(back @ quat_xyzw) - 1.0) < 1e-15


def test_euler_angles_turn_about_fixed_axes() -> None:
    quat_xyzw = quaternion_from_euler(0.1, -0.2, 0.3)
    # R = Rz(yaw) Ry(pitch) Rx(roll): the first column is Rz Ry e_x.
    first = matrix_from_quaternion(quat_xyzw)[:, 0]
    np.testing.assert_allclose(
        first,
        (math.cos(0.3) * math.cos(0.2), math.sin(0.3) * math.cos(0.2), math.sin(0.2)),
        atol=1e-15,
    )
    np.testing.assert_allclose(euler_from_quaternion(quat_xyzw), (0.1, -0.2, 0.3), atol=1e-14)
