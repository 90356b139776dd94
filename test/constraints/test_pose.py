# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A pose as a target."""

from __future__ import annotations

from ik_node.constraints.pose import pose_target
from ik_node.errors import InvalidTargetError
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest


@pytest.fixture
def pose():
    """Give a proper pose."""
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_rpy(0.1, -0.7, 2.0)
    pose[:3, 3] = [1.0, -2.0, 0.5]
    return pose


def test_rounded_rotation_is_made_exact(pose):
    exact = pose_target(np.round(pose, 3))
    np.testing.assert_allclose(exact[:3, :3].T @ exact[:3, :3], np.eye(3), atol=1e-14)
    np.testing.assert_allclose(exact, pose, atol=2e-3)


def test_caller_keeps_its_array(pose):
    rounded = np.round(pose, 3)
    before = rounded.copy()
    pose_target(rounded)
    np.testing.assert_array_equal(rounded, before)


@pytest.mark.parametrize(
    'convert', [np.ndarray.tolist, np.asfortranarray, lambda p: p.astype(np.float32)]
)
def test_any_layout(pose, convert):
    np.testing.assert_allclose(pose_target(convert(pose)), pose, atol=1e-6)


def test_refusals_say_what_a_pose_is(pose):
    with pytest.raises(InvalidTargetError, match=r'not one of shape \(3, 4\)'):
        pose_target(pose[:3])
    with pytest.raises(InvalidTargetError, match='not finite'):
        pose_target(pose * np.nan)
    with pytest.raises(InvalidTargetError, match='must be a rotation'):
        pose_target(pose * 2)
