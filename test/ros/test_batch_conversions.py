# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from array import array
import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

import ik_node  # noqa: E402
from ik_node import errors  # noqa: E402
from ik_node.ros import batch_conversions, conversions  # noqa: E402
from ik_node.ros.settings import Settings  # noqa: E402
from ik_node.solvers.options import processors  # noqa: E402

from ik_node_interfaces.msg import SolveOptions  # noqa: E402
from ik_node_interfaces.srv import SolveBatch  # noqa: E402

POSE = (0.4, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope='module')
def group(robots: Path) -> ik_node.Group:
    environment = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    return environment.create_group('arm', base='panda_link0', tip='panda_hand_tcp')


def test_arrays_of_a_request_are_not_copied(group: ik_node.Group) -> None:
    request = SolveBatch.Request(
        poses=array('d', POSE * 3), seeds=array('d', np.arange(21.0).tobytes())
    )
    arguments = batch_conversions.batch_arguments(request, group, Settings())
    assert np.shares_memory(arguments['targets'], np.asarray(request.poses))
    assert np.shares_memory(arguments['seeds'], np.asarray(request.seeds))
    assert arguments['targets'].shape == arguments['seeds'].shape == (3, 7)


def test_poses_move_from_frame_to_base(
    group: ik_node.Group, generator: np.random.Generator
) -> None:
    rows = generator.normal(size=(50, 7))
    T_base_frame = group.environment.link_pose('panda_link5', 'panda_link0')
    moved = batch_conversions.poses_in_base(array('d', rows.tobytes()), 'panda_link5', group)
    for row, own in zip(rows, moved, strict=True):
        T_frame_tip, T_base_tip = np.eye(4), np.eye(4)
        for pose, values in ((T_frame_tip, row), (T_base_tip, own)):
            quat_xyzw = values[3:] / np.linalg.norm(values[3:])
            pose[:3, :3] = conversions.matrix_from_quaternion(quat_xyzw)
            pose[:3, 3] = values[:3]
        np.testing.assert_allclose(T_base_tip, T_base_frame @ T_frame_tip, atol=1e-13)


@pytest.mark.parametrize('quat_norm', [0.0, 1e-9, 1e200, math.nan])
def test_the_first_pose_without_an_orientation_is_named(
    group: ik_node.Group, quat_norm: float
) -> None:
    poses = np.tile(POSE, (5000, 1))
    poses[[4321, 4322], 3] = quat_norm
    with pytest.raises(errors.InvalidTargetError, match='pose 4321: the quaternion'):
        batch_conversions.poses_in_base(array('d', poses.tobytes()), '', group)


@pytest.mark.parametrize(('threads', 'expected'), [(0, None), (1, 1), (2**32 - 1, processors())])
def test_threads_are_bounded(group: ik_node.Group, threads: int, expected: int | None) -> None:
    request = SolveBatch.Request(threads=threads)
    arguments = batch_conversions.batch_arguments(request, group, Settings())
    assert arguments['threads'] == expected


@pytest.mark.parametrize(
    ('timeout', 'expected'), [(0.0, None), (math.inf, None), (0.5, 0.5), (1e6, 1e6)]
)
def test_a_batch_has_a_limit_only_when_it_is_given_one(
    timeout: float, expected: float | None
) -> None:
    options = batch_conversions.batch_options(SolveOptions(timeout=timeout), Settings())
    assert options['timeout'] == expected


def test_zero_means_the_default() -> None:
    settings = Settings(position_tolerance=1e-4, orientation_tolerance=1e-3, random_seed=7)
    assert batch_conversions.batch_options(SolveOptions(), settings) == {
        'timeout': None,
        'position_tolerance': 1e-4,
        'orientation_tolerance': 1e-3,
        'position_weight': conversions.POSITION_WEIGHT,
        'random_seed': 7,
        'max_starts': None,
    }
