# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What an SRDF adds to an environment."""

from __future__ import annotations

import ik_node
import pytest

SRDF = """<robot name="panda">
  <group name="arm"><chain base_link="panda_link0" tip_link="panda_link8"/></group>
  <group name="hand"><joint name="panda_finger_joint1"/><joint name="panda_finger_joint2"/></group>
  <group name="both"><group name="arm"/><group name="hand"/></group>
  <group name="flange"><chain base_link="panda_link8" tip_link="panda_hand"/></group>
  <group_state name="home" group="arm"><joint name="panda_joint4" value="-1.5"/></group_state>
  <end_effector name="gripper" group="hand" parent_link="panda_link8" parent_group="arm"/>
  <passive_joint name="panda_finger_joint1"/>
</robot>"""


@pytest.fixture
def env(shipped_robot):
    """Give the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda'))


def test_chains_become_groups(env):
    description = env.add_srdf(SRDF)
    assert list(env.groups) == ['arm']
    arm = env.group('arm')
    assert (arm.base, arm.tip) == ('panda_link0', 'panda_link8')
    assert len(arm.joint_names) == 7
    assert description.groups['both'].chain is None
    assert description.groups['both'].reason
    assert description.group_states[0].positions == {'panda_joint4': -1.5}
    assert env.joint('panda_finger_joint1').passive


def test_group_whose_name_is_taken_stays(env):
    before = env.create_group('arm', 'panda_link0', 'panda_hand_tcp')
    env.add_srdf(SRDF)
    assert env.group('arm') is before


def test_srdf_of_another_robot_changes_nothing(env):
    with pytest.raises(ik_node.SrdfError):
        env.add_srdf(SRDF.replace('panda_link8', 'tool0'))
    assert not env.groups
    assert not env.joint('panda_finger_joint1').passive
