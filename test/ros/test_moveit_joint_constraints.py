# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Constraints on joints that turn without end, have several positions, or follow others."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from moveit_msgs.msg import Constraints, JointConstraint  # noqa: E402

SUCCESS, NO_IK_SOLUTION = 1, -31


def joint(name: str, position: float, above: float, below: float) -> JointConstraint:
    row = JointConstraint(joint_name=name, position=position, weight=1.0)
    row.tolerance_above, row.tolerance_below = above, below
    return row


def test_joints_without_end_and_with_several_positions(
    moveit: Any, start_node: Callable[..., Any], messages: Any
) -> None:
    """Full turns do not count; of a planar joint each variable has a name."""
    node = start_node(
        robot_description='<robot name="r"><link name="odom"/><link name="cart"/>'
        '<link name="tip"/><link name="fan"/>'
        '<joint name="drive" type="planar"><parent link="odom"/><child link="cart"/>'
        '<axis xyz="0 0 1"/></joint>'
        '<joint name="turn" type="continuous"><parent link="cart"/><child link="tip"/>'
        '<origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>'
        '<joint name="spin" type="continuous"><parent link="tip"/><child link="fan"/>'
        '<axis xyz="1 0 0"/></joint></robot>',
        base='odom',
        tip='tip',
    )
    goal = messages.pose((2.0, 1.0, 0.0), (0, 0, 0, 1), 'odom')

    def ask(*rows: JointConstraint, spin: float = 0.0) -> Any:
        constraints = Constraints(joint_constraints=list(rows))
        return moveit.ik(node, 'arm', goal, {'spin': spin}, constraints=constraints)

    for theta in (0.7, 0.7 + 2.0 * math.pi, 0.7 - 6.0 * math.pi):
        answer = ask(joint('drive/theta', theta, 0.0, 0.0))
        base = answer.solution.multi_dof_joint_state.transforms[0]
        assert 2.0 * math.atan2(base.rotation.z, base.rotation.w) == pytest.approx(0.7, abs=1e-9)
        assert base.translation.x == pytest.approx(2.0 - math.cos(0.7), abs=1e-5)
    # The cart is 1 m from its tip, wherever it looks.
    answer = ask(joint('drive/x', 2.0, 0.0, 0.0))
    base = answer.solution.multi_dof_joint_state.transforms[0]
    assert base.translation.x == pytest.approx(2.0, abs=1e-9)
    assert abs(base.translation.y - 1.0) == pytest.approx(1.0, abs=1e-5)
    assert ask(joint('drive/y', 2.5, 0.1, 0.1)).error_code.val == NO_IK_SOLUTION
    # A joint that the group does not move: 6.2 is 0.083 from 0, and on the side below it.
    for spin in (6.2, 6.2 - 8.0 * math.pi):
        assert ask(joint('spin', 0.0, 0.0, 0.1), spin=spin).error_code.val == SUCCESS
        assert ask(joint('spin', 0.0, 0.1, 0.0), spin=spin).error_code.val == NO_IK_SOLUTION
        assert ask(joint('spin', 0.0, 0.0, 0.08), spin=spin).error_code.val == NO_IK_SOLUTION


def test_a_joint_that_follows_another_one(
    moveit: Any, start_node: Callable[..., Any], robots: Path, test_robots: Path
) -> None:
    """Where it follows counts, and not what the request says of it."""
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
    )
    seed = {'panda_joint4': -1.5, 'panda_joint6': 1.2, 'panda_finger_joint1': 0.03}
    goal = moveit.fk(node, ['panda_link8'], seed).pose_stamped[0]
    for said in ({}, {'panda_finger_joint2': 0.001}):
        for position, code in ((0.03, SUCCESS), (0.001, NO_IK_SOLUTION)):
            rows = [joint('panda_finger_joint2', position, 1e-6, 1e-6)]
            constraints = Constraints(joint_constraints=rows)
            answer = moveit.ik(node, 'panda_arm', goal, {**seed, **said}, constraints=constraints)
            assert answer.error_code.val == code
