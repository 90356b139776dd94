# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Defects of a pose."""

from __future__ import annotations

from ik_node.kernels.poses import is_exact_request, pose_defect
from ik_node.kernels.rotations import matrix_from_rpy
from ik_node.kernels.status import POSE_NOT_FINITE, POSE_NOT_RIGID, POSE_ROUNDED, POSE_VALID
import numpy as np
import pytest


@pytest.fixture
def pose():
    """Give a proper pose."""
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_rpy(0.1, -0.7, 2.0)
    pose[:3, 3] = [1.0, -2.0, 0.5]
    return pose


def test_rigid_transform_is_valid(pose):
    assert pose_defect(pose) == POSE_VALID


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('place', [(0, 0), (2, 3), (3, 1)])
def test_not_finite(pose, bad, place):
    pose[place] = bad
    assert pose_defect(pose) == POSE_NOT_FINITE


def test_rounded_rotation(pose):
    assert pose_defect(np.round(pose, 4)) == POSE_ROUNDED


@pytest.mark.parametrize('scale', [0.0, 1.1, -1.0])
def test_scaled_and_mirrored(pose, scale):
    pose[:3, :3] *= scale
    assert pose_defect(pose) == POSE_NOT_RIGID


def test_transposed_pose_is_refused(pose):
    # A column-major matrix read as a row-major one has its position in the last row.
    assert pose_defect(np.ascontiguousarray(pose.T)) == POSE_NOT_RIGID


def test_exact_request(pose):
    config = np.array([0.1, -2.0, 1e300])
    assert is_exact_request(pose, config)
    assert not is_exact_request(np.round(pose, 4), config)
    assert not is_exact_request(2.0 * pose, config)


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('place', [0, 2])
def test_request_with_a_number_that_is_not_finite(pose, bad, place):
    config = np.array([0.1, -2.0, 1e300])
    config[place] = bad
    assert not is_exact_request(pose, config)
    pose[2, 3] = bad
    assert not is_exact_request(pose, np.zeros(3))
