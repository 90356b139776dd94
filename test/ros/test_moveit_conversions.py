# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""States of robots that stand on joints with several degrees of freedom."""

from __future__ import annotations

import math
from typing import Any

import ik_node
from ik_node.ros.moveit_conversions import requested_state
from ik_node.ros.moveit_solutions import fill_solution
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from builtin_interfaces.msg import Time  # noqa: E402
from geometry_msgs.msg import Transform  # noqa: E402
from moveit_msgs.msg import RobotState  # noqa: E402


def robot(kind: str) -> ik_node.Environment:
    text = (
        '<robot name="r"><link name="odom"/><link name="body"/><link name="tip"/>'
        f'<joint name="base" type="{kind}"><parent link="odom"/><child link="body"/>'
        '<axis xyz="0 0 1"/></joint>'
        '<joint name="arm" type="continuous"><parent link="body"/><child link="tip"/>'
        '<origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint></robot>'
    )
    environment = ik_node.Environment.from_urdf(text)
    environment.create_group('whole', 'odom', 'tip')
    return environment


def state_of(name: str, x: float, y: float, z: float, turn: Any) -> RobotState:
    state = RobotState()
    transform = Transform()
    transform.translation.x, transform.translation.y, transform.translation.z = x, y, z
    rotation = transform.rotation
    rotation.x, rotation.y, rotation.z, rotation.w = turn
    several = state.multi_dof_joint_state
    several.joint_names, several.transforms = [name], [transform]
    return state


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_a_joint_with_several_degrees_of_freedom_there_and_back(kind: str) -> None:
    environment = robot(kind)
    half = 0.3
    turn = (0.0, 0.0, math.sin(half), math.cos(half))
    z = 0.7 if kind == 'floating' else 0.0
    state = state_of('base', 0.4, -0.2, z, turn)
    state.joint_state.name, state.joint_state.position = ['arm'], [0.5]
    read = requested_state(state, environment)
    T = environment.link_pose('body', 'odom', read.positions)
    assert T[:3, 3] == pytest.approx([0.4, -0.2, z])
    assert T[:3, 0] == pytest.approx([math.cos(0.6), math.sin(0.6), 0.0])
    group = environment.group('whole')
    q = group.seed_from(read.positions)
    written = RobotState()
    fill_solution(written, group, group.named_positions(q), 'odom', Time())
    assert list(written.joint_state.name) == ['arm']
    assert list(written.multi_dof_joint_state.joint_names) == ['base']
    again = written.multi_dof_joint_state.transforms[0]
    assert again.translation.y == pytest.approx(-0.2)
    assert (again.rotation.z, again.rotation.w) == pytest.approx(turn[2:])
    back = requested_state(written, environment)
    assert np.abs(group.seed_from(back.positions) - q).max() < 1e-12


def test_a_ball_joint_is_known_by_its_coordinates() -> None:
    """MoveIt has none; an environment that was made by hand may."""
    environment = robot('fixed')
    environment.create_joint('ball', 'spherical', parent='tip')
    environment.create_dummy('end', parent='ball')
    group = environment.create_group('with_ball', 'odom', 'end')
    state = RobotState()
    names = ['ball/x', 'ball/y', 'ball/z', 'arm', 'ball']
    state.joint_state.name, state.joint_state.position = names, [0.1, 0.2, 0.3, 0.4, 9.0]
    read = requested_state(state, environment)
    assert read.ignored == ('ball',)
    positions = read.frames.joint_positions(read.positions)
    assert positions == pytest.approx({'arm': 0.4, 'ball/x': 0.1, 'ball/y': 0.2, 'ball/z': 0.3})
    written = RobotState()
    fill_solution(written, group, positions, 'odom', Time(), read)
    assert dict(
        zip(written.joint_state.name, written.joint_state.position, strict=True)
    ) == pytest.approx(positions)
    assert group.seed_from(read.positions) == pytest.approx([0.4, 0.1, 0.2, 0.3])


def test_the_robot_stands_where_its_virtual_joint_says() -> None:
    environment = robot('fixed')
    environment.add_srdf(
        '<robot name="r"><virtual_joint name="stand" type="floating" parent_frame="map" '
        'child_link="odom"/></robot>'
    )
    read = requested_state(state_of('stand', 2.0, 1.0, 0.0, (0.0, 0.0, 0.0, 1.0)), environment)
    assert read.frames.model_frame == 'map'
    for name in ('map', ''):
        (T,) = read.frames.poses([name], read.positions)
        assert T[:3, 3] == pytest.approx([-2.0, -1.0, 0.0])
    (T,) = read.frames.poses(['odom'], read.positions)
    assert np.array_equal(T, np.eye(4))
    assert requested_state(RobotState(), environment).ignored == ()
    assert requested_state(state_of('wheel', 0, 0, 0, (0, 0, 0, 1)), environment).ignored == (
        'wheel',
    )
