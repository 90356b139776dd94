# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Finite numbers that overflow when they are squared or added mean what they say."""

from __future__ import annotations

import math

import ik_node
import numpy as np
import pytest

HUGE = 1e308


@pytest.mark.parametrize('point', [(HUGE, 0.0, 0.0), (HUGE, -HUGE, 1.0), (1e16, 2e16, -3e16)])
def test_what_is_looked_at_may_be_as_far_as_numbers_go(point: tuple[float, float, float]) -> None:
    target = ik_node.Lookat3D(point)
    assert target.point == point
    largest = max(map(abs, point))
    direction = np.array(point) / largest
    direction /= np.linalg.norm(direction)
    T = np.eye(4)
    T[:3, 0] = np.cross(direction, (0.0, 0.0, 1.0))
    T[:3, 0] /= np.linalg.norm(T[:3, 0])
    T[:3, 2] = direction
    T[:3, 1] = np.cross(T[:3, 2], T[:3, 0])
    T[:3, 3] = 0.3, -0.2, 0.5
    assert max(target.errors(T)) < 1e-9
    assert target.errors(np.eye(4))[1] == pytest.approx(math.acos(direction[2]))
    env = ik_node.Environment()
    pan = env.create_joint('pan')
    turned = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], float)
    env.create_dummy('eye', env.create_joint('tilt', parent=pan, pose=turned))
    env.dummy('eye').set_pose(np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]]))
    eyes = env.create_group('eyes', 'world', 'eye')
    result = eyes.solve(target)
    assert result.success, result.message
    assert max(target.errors(eyes.forward_kinematics(result.q))) < 1e-5


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_a_box_may_have_huge_bounds(sign: float) -> None:
    bounds = [sign * HUGE] * 3 + [sign * HUGE, 0.0, sign * HUGE]
    box = ik_node.PoseBox((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), bounds, bounds)
    assert abs(box.lower[3]) <= math.pi + 1e-9


@pytest.mark.parametrize('size', [1e154, 1e160, 1e300])
@pytest.mark.parametrize('options', [{}, {'method': 'dls'}])
def test_what_is_too_far_away_to_be_measured_is_not_looked_at(
    size: float, options: dict[str, str]
) -> None:
    env = ik_node.Environment()
    ahead, over = np.eye(4), np.eye(4)
    ahead[0, 3] = over[0, 3] = size
    over[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    parent = env.create_joint('pan')
    parent = env.create_joint('tilt', parent=parent, pose=over)
    env.create_dummy('eye', parent, ahead)
    eyes = env.create_group('eyes', 'world', 'eye')
    target = ik_node.Lookat3D((0.0, 0.0, 0.0))
    result = eyes.solve(target, (0.1, 0.2), max_starts=8, **options)
    assert not result.success or target.errors(eyes.forward_kinematics(result.q))[1] < 2e-5
