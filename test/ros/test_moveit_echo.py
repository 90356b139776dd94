# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a solution holds beside the joints of its group, and for whom."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from geometry_msgs.msg import Transform  # noqa: E402

JOINTS = [f'panda_joint{i}' for i in range(1, 8)]
READY = dict(zip(JOINTS, (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785), strict=True))
#: An arm on a base that drives, beside a lift; joints of several kinds outside of the group.
CART = (
    '<robot name="cart">'
    + ''.join(f'<link name="{name}"/>' for name in ('odom', 'cart', 'l1', 'l2', 'tip', 'drone'))
    + '<joint name="drive" type="planar"><parent link="odom"/><child link="cart"/>'
    '<axis xyz="0 0 1"/></joint>'
    '<joint name="fly" type="floating"><parent link="odom"/><child link="drone"/></joint>'
    + ''.join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        '<origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>'
        for name, parent, child in (('a', 'cart', 'l1'), ('b', 'l1', 'l2'), ('c', 'l2', 'tip'))
    )
    + '</robot>'
)
CART_GROUPS = (
    '<robot name="cart"><virtual_joint name="stand" type="floating" parent_frame="map" '
    'child_link="odom"/><group name="abc"><chain base_link="cart" tip_link="tip"/></group>'
    '<group name="whole"><chain base_link="odom" tip_link="tip"/></group></robot>'
)


@pytest.fixture(scope='module')
def panda(start_shared: Callable[..., Any], robots: Path, test_robots: Path) -> Any:
    return start_shared(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
    )


@pytest.fixture(scope='module')
def cart(start_shared: Callable[..., Any]) -> Any:
    return start_shared(robot_description=CART, robot_description_semantic=CART_GROUPS)


def test_joints_of_others_follow_those_of_the_group(moveit: Any, panda: Any) -> None:
    """As named, where named; what follows another joint where it follows, whatever is said."""
    goal = moveit.fk(panda, ['panda_link8'], READY).pose_stamped[0]
    seed = {
        'panda_finger_joint2': 0.9,
        **dict(reversed(READY.items())),
        'elbow_joint': 1.0,
        'panda_finger_joint1': 0.0321,
    }
    values = moveit.values(moveit.ik(panda, 'panda_arm', goal, seed))
    assert list(values) == [*JOINTS, 'panda_finger_joint2', 'panda_finger_joint1']
    assert values['panda_finger_joint1'] == 0.0321
    assert values['panda_finger_joint2'] == 0.0321
    # What is not named is not told either.
    values = moveit.values(moveit.ik(panda, 'panda_arm', goal, READY))
    assert list(values) == JOINTS
    # Nor is anything told to a plugin that would keep it.
    answer = moveit.ask(panda, moveit.request('panda_arm', goal, seed), 'solve_ik')
    assert list(moveit.values(answer)) == JOINTS


def test_a_whole_robot_that_stands_beside_another(moveit: Any, panda: Any) -> None:
    """No joint that the robot does not have comes back, with whatever value."""
    strangers = {f'stranger_{number}': math.nan for number in range(50)}
    goal = moveit.fk(panda, ['panda_link8'], READY).pose_stamped[0]
    for service in ('compute_ik', 'solve_ik'):
        request = moveit.request('panda_arm', goal, {**strangers, **READY, '': 1.0})
        assert list(moveit.values(moveit.ask(panda, request, service))) == JOINTS


def transform(x: float, y: float, z: float, turn: float) -> Transform:
    made = Transform()
    made.translation.x, made.translation.y, made.translation.z = x, y, z
    made.rotation.z, made.rotation.w = math.sin(turn / 2), math.cos(turn / 2)
    return made


def test_joints_with_several_degrees_of_freedom_come_back_where_they_are_named(
    moveit: Any, cart: Any, messages: Any
) -> None:
    """Also the virtual one; a goal in the model frame is where they put the robot."""
    named = {
        'fly': transform(0.1, 0.2, 0.3, 0.4),
        'drive': transform(1.0, 2.0, 0.0, math.pi / 2),
        'stand': transform(10.0, 0.0, 0.0, 0.0),
        'other_base': transform(9.0, 9.0, 9.0, 0.0),
    }
    q = {'a': 0.3, 'b': 0.5, 'c': 0.2}
    # From the cart, which looks along y at (11, 2) of the map: turned by a quarter.
    angles = np.cumsum([0.0, q['a'], q['b']])
    x, y = 0.5 * np.cos(angles).sum(), 0.5 * np.sin(angles).sum()
    half = (sum(q.values()) + math.pi / 2) / 2
    goal = messages.pose((11.0 - y, 2.0 + x, 0.0), (0, 0, math.sin(half), math.cos(half)), 'map')
    request = moveit.request('abc', goal, {name: value + 0.1 for name, value in q.items()})
    several = request.ik_request.robot_state.multi_dof_joint_state
    several.joint_names, several.transforms = list(named), list(named.values())
    answer = moveit.ask(cart, request)
    assert moveit.values(answer) == pytest.approx(q, abs=1e-5)
    told = answer.solution.multi_dof_joint_state
    assert list(told.joint_names) == ['fly', 'drive', 'stand']
    assert list(told.transforms) == [named[name] for name in told.joint_names]
    assert told.header.frame_id == answer.solution.joint_state.header.frame_id == 'map'
    answer = moveit.ask(cart, request, 'solve_ik')
    assert moveit.values(answer) == pytest.approx(q, abs=1e-5)
    assert not answer.solution.multi_dof_joint_state.joint_names


def test_a_base_of_the_group_is_solved_for_and_told_to_both(
    moveit: Any, cart: Any, messages: Any
) -> None:
    """And told once: named in the request, it is not where the request has it any more."""
    goal = messages.pose((5.0, 1.0, 0.0), frame='odom')
    goal.pose.orientation.x, goal.pose.orientation.w = 0.0, 1.0
    request = moveit.request('whole', goal, {'a': 0.1, 'b': 0.2, 'c': 0.3})
    several = request.ik_request.robot_state.multi_dof_joint_state
    several.joint_names = ['drive', 'fly']
    several.transforms = [transform(0.0, 0.0, 0.0, 0.0), transform(0.0, 0.0, 1.0, 0.0)]
    for service, names in (('compute_ik', ['drive', 'fly']), ('solve_ik', ['drive'])):
        answer = moveit.ask(cart, request, service)
        values = moveit.values(answer)
        assert list(values) == ['a', 'b', 'c']
        told = answer.solution.multi_dof_joint_state
        assert list(told.joint_names) == names
        base = told.transforms[0]
        turn = 2.0 * math.atan2(base.rotation.z, base.rotation.w)
        angles = np.cumsum([turn, values['a'], values['b']])
        assert base.translation.x + 0.5 * np.cos(angles).sum() == pytest.approx(5.0, abs=1e-5)
        assert base.translation.y + 0.5 * np.sin(angles).sum() == pytest.approx(1.0, abs=1e-5)
