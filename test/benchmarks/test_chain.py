# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The chain that all solvers read is that of the whole robot."""

from __future__ import annotations

from xml.etree import ElementTree

import ik_node
import numpy as np
import pytest

from benchmarks.chain import reduce_to_chain, write_chain

BRANCHED = """
<robot name="r">
  <link name="root"><inertial><mass value="1"/></inertial></link>
  <link name="a"><visual><geometry><mesh filename="package://x/y.stl"/></geometry></visual></link>
  <link name="b"/>
  <link name="side"/>
  <joint name="j0" type="revolute"><parent link="root"/><child link="a"/>
    <origin xyz="0 0 0.5" rpy="0.1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="1"/></joint>
  <joint name="j1" type="prismatic"><parent link="a"/><child link="b"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="1" velocity="1"/></joint>
  <joint name="k" type="fixed"><parent link="root"/><child link="side"/></joint>
</robot>
"""


def test_only_the_chain_is_left() -> None:
    root = ElementTree.fromstring(reduce_to_chain(BRANCHED, 'root', 'b'))
    assert [link.get('name') for link in root.findall('link')] == ['root', 'a', 'b']
    assert [joint.get('name') for joint in root.findall('joint')] == ['j0', 'j1']
    assert {element.tag for element in root.iter()} == {
        'robot', 'link', 'joint', 'parent', 'child', 'origin', 'axis', 'limit',
    }  # fmt: skip
    limit = root.find('joint/limit')
    assert limit is not None
    assert (limit.get('lower'), limit.get('upper')) == ('-1', '1')


def test_links_that_are_no_chain() -> None:
    with pytest.raises(ValueError, match="'side' is not above 'b'"):
        reduce_to_chain(BRANCHED, 'side', 'b')


def test_a_mimic_joint_is_refused() -> None:
    mimic = BRANCHED.replace('<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><mimic joint="j0"/>')
    with pytest.raises(ValueError, match="'j1' follows another one"):
        reduce_to_chain(mimic, 'root', 'b')


@pytest.mark.parametrize(
    ('robot', 'base', 'tip'),
    [
        ('panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand'),
        ('ur_description/urdf/ur5_robot.urdf', 'base_link', 'ee_link'),
        ('iiwa14', 'base', 'flange'),
        (
            'tiago_description/robots/tiago_no_hand.urdf',
            'base_footprint',
            'wrist_ft_tool_link',
        ),
    ],
)
def test_chain_agrees_with_the_whole_robot(
    robot, base, tip, real_robot, shipped_robot, rng, tmp_path
) -> None:
    path = real_robot(robot) if robot.endswith('.urdf') else shipped_robot(robot)
    chain = write_chain(path, base, tip, tmp_path / 'chain.urdf')
    whole, part = (
        ik_node.Environment.from_urdf(file).create_group('arm', base, tip)
        for file in (path, chain)
    )
    assert part.joint_names == whole.joint_names
    np.testing.assert_array_equal(part.lower, whole.lower)
    np.testing.assert_array_equal(part.upper, whole.upper)
    configs = whole.lower + (whole.upper - whole.lower) * rng.random((20, len(whole.lower)))
    np.testing.assert_allclose(
        part.forward_kinematics(configs), whole.forward_kinematics(configs), rtol=0.0, atol=1e-14
    )
