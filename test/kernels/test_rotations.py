# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations: group axioms, logarithm over the whole range, sine and cosine."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from ik_node.kernels.rotations import frame_with_z, matrix_from_rpy, rotation_error
import numpy as np
import pytest

ANGLES = st.floats(-4.0, 4.0)


def rotation(axis, angle):
    """Rodrigues' formula, written independently of the kernels."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


def error_between(present, target):
    """Call the kernel with plain rotation matrices."""
    pose = np.append(present.ravel(), np.zeros(3))
    goal = np.eye(4)
    goal[:3, :3] = target
    return np.array(rotation_error(pose, goal))


@given(ANGLES, ANGLES, ANGLES)
def test_rpy_is_fixed_axes_x_then_y_then_z(roll, pitch, yaw):
    expected = rotation([0, 0, 1], yaw) @ rotation([0, 1, 0], pitch) @ rotation([1, 0, 0], roll)
    np.testing.assert_allclose(matrix_from_rpy(roll, pitch, yaw), expected, atol=1e-15)


AXES = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda axis: np.linalg.norm(axis) > 0.1)


@given(AXES, st.floats(1e-12, math.pi - 1e-7), ANGLES, ANGLES)
def test_error_is_the_logarithm(axis, angle, roll, yaw):
    present = matrix_from_rpy(roll, 0.3, yaw)
    unit = np.asarray(axis) / np.linalg.norm(axis)
    error = error_between(present, rotation(axis, angle) @ present)
    np.testing.assert_allclose(error, unit * angle, atol=1e-13)


@given(AXES, st.floats(0.0, math.pi), ANGLES)
def test_error_carries_the_present_rotation_onto_the_target(axis, angle, roll):
    present = matrix_from_rpy(roll, -1.0, 0.5)
    target = rotation(axis, angle) @ present
    error = error_between(present, target)
    length = np.linalg.norm(error)
    assert length <= math.pi + 1e-12
    if length > 0.0:
        np.testing.assert_allclose(rotation(error, length) @ present, target, atol=1e-7)


@pytest.mark.parametrize('axis', [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -2, 3)])
def test_half_turn_is_never_zero_and_always_the_same(axis):
    target = rotation(axis, math.pi)
    error = error_between(np.eye(3), target)
    assert np.linalg.norm(error) == pytest.approx(math.pi, abs=1e-12)
    np.testing.assert_array_equal(error, error_between(np.eye(3), target))
    np.testing.assert_allclose(rotation(error, math.pi), target, atol=1e-12)


@pytest.mark.parametrize('cosine', [0.99999, -0.9999])
def test_branches_of_the_logarithm_meet(cosine):
    axis = np.array([0.6, -0.48, 0.64])
    angle = math.acos(cosine)
    for step in (-1e-9, 1e-9):
        error = error_between(np.eye(3), rotation(axis, angle + step))
        np.testing.assert_allclose(error, axis * (angle + step), atol=1e-12)


@given(AXES)
def test_frame_is_right_handed_with_the_axis_as_z(axis):
    axis = np.asarray(axis) / np.linalg.norm(axis)
    frame = np.empty((3, 3))
    frame_with_z(axis, frame.reshape(9))
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_allclose(frame[:, 2], axis, atol=1e-15)


def test_frame_of_z_is_the_identity():
    frame = np.empty(9)
    frame_with_z(np.array([0.0, 0.0, 1.0]), frame)
    np.testing.assert_array_equal(frame, np.eye(3).ravel())
