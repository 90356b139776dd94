# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""SRDF: groups and what they mean, as MoveIt reads them; what is refused, and how it is said."""

from __future__ import annotations

import math

from ik_node.errors import IkNodeError, SrdfError
from ik_node.model.semantics import Chain, DisabledCollision, EndEffector
from ik_node.model.srdf import load_srdf
from ik_node.model.urdf import load_urdf
import pytest

# base -a- upper -fix- plate -b- lower -flange- flange -tool- tool, and two fingers at the flange;
# a head of its own at the base, and a cart that floats.
URDF = '<robot name="r">{links}{joints}</robot>'.format(
    links=''.join(
        f'<link name="{name}"/>'
        for name in (
            'base',
            'upper',
            'plate',
            'lower',
            'flange',
            'tool',
            'left',
            'right',
            'head',
            'cart',
            'puck',
        )
    ),
    joints=''.join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'{more}</joint>'
        for name, kind, parent, child, more in (
            ('a', 'continuous', 'base', 'upper', ''),
            ('fix', 'fixed', 'upper', 'plate', ''),
            ('b', 'continuous', 'plate', 'lower', ''),
            ('flange', 'fixed', 'lower', 'flange', ''),
            ('to_tool', 'fixed', 'flange', 'tool', ''),
            ('open', 'prismatic', 'flange', 'left', ''),
            ('follow', 'prismatic', 'flange', 'right', '<mimic joint="open"/>'),
            ('neck', 'continuous', 'base', 'head', ''),
            ('ride', 'floating', 'base', 'cart', ''),
            ('slide', 'planar', 'base', 'puck', ''),
        )
    ),
)


@pytest.fixture(scope='module')
def robot():
    """Give the mechanism of the URDF above."""
    return load_urdf(URDF)


def srdf(*parts):
    """Make the text of an SRDF."""
    return f'<robot name="r">{"".join(parts)}</robot>'


def group(robot, inside, *more):
    """Read one group."""
    return load_srdf(srdf(f'<group name="g">{inside}</group>', *more), robot).groups['g']


def test_chain_has_the_joints_from_base_to_tip(robot):
    found = group(robot, '<chain base_link="base" tip_link="tool"/>')
    assert found.joints == found.active_joints == ('a', 'b')
    assert found.links == ('upper', 'plate', 'lower', 'flange', 'tool')
    assert (found.chain, found.reason) == (Chain('base', 'tool'), '')


def test_chain_over_a_common_ancestor(robot):
    found = group(robot, '<chain base_link="head" tip_link="plate"/>')
    assert found.joints == ('neck', 'a')
    assert found.chain == Chain('head', 'plate')


@pytest.mark.parametrize(
    ('inside', 'joints', 'chain'),
    [
        ('<joint name="b"/><joint name="a"/>', ('a', 'b'), ('base', 'lower')),
        ('<link name="upper"/><link name="lower"/>', ('a', 'b'), ('base', 'lower')),
        # Fixed joints are no variables, but tell where the chain begins and ends.
        ('<joint name="b"/><joint name="to_tool"/>', ('b',), ('plate', 'lower')),
        ('<joint name="fix"/><joint name="b"/>', ('b',), ('upper', 'lower')),
        (
            '<joint name="b"/><joint name="flange"/><joint name="to_tool"/>',
            ('b',),
            ('plate', 'tool'),
        ),
        ('<joint name="a"/><link name="lower"/>', ('a', 'b'), ('base', 'lower')),
        (
            '<chain base_link="base" tip_link="plate"/><chain base_link="plate" tip_link="tool"/>',
            ('a', 'b'),
            ('base', 'tool'),
        ),
        (
            '<chain base_link="base" tip_link="tool"/><joint name="a"/>',
            ('a', 'b'),
            ('base', 'tool'),
        ),
        ('<link name="base"/><joint name="a"/>', ('a',), ('base', 'upper')),
        ('<joint name="slide"/>', ('slide/x', 'slide/y', 'slide/rotation'), ('base', 'puck')),
        (
            '<link name="cart"/>',
            ('ride/x', 'ride/y', 'ride/z', 'ride/rotation'),
            ('base', 'cart'),
        ),
        ('<joint name="a"/><joint name="stand"/>', ('a',), ('base', 'upper')),
        ('<joint name="a"/><joint name="root_joint"/>', ('a',), ('base', 'upper')),
    ],
)
def test_chains_are_inferred(robot, inside, joints, chain):
    stand = '<virtual_joint name="stand" type="fixed" parent_frame="world" child_link="base"/>'
    found = group(robot, inside, stand)
    assert found.joints == joints
    assert found.chain == Chain(*chain)


@pytest.mark.parametrize(
    ('inside', 'joints', 'reason'),
    [
        ('', (), 'it has no joint that moves'),
        ('<link name="base"/><joint name="fix"/>', (), 'it has no joint that moves'),
        ('<chain base_link="flange" tip_link="tool"/>', (), 'no joint moves between'),
        ('<joint name="a"/><joint name="neck"/>', ('a', 'neck'), "'a' and 'neck' are on diff"),
        ('<joint name="open"/><joint name="a"/>', ('a', 'open'), "'b' between 'a' and 'open'"),
        ('<link name="left"/><link name="right"/>', ('open', 'follow'), 'different branches'),
    ],
)
def test_group_that_is_no_chain_says_why(robot, inside, joints, reason):
    found = group(robot, inside)
    assert found.joints == joints
    assert found.chain is None
    assert reason in found.reason


def test_subgroups_are_united_in_any_order(robot):
    found = load_srdf(
        srdf(
            '<group name="all"><group name="arm"/><group name="hand"/></group>',
            '<group name="same"><group name="across"/></group>',
            '<group name="hand"><joint name="open"/></group>',
            '<group name="across"><chain base_link="head" tip_link="plate"/></group>',
            '<group name="arm"><chain base_link="base" tip_link="flange"/></group>',
        ),
        robot,
    ).groups
    assert list(found) == ['all', 'same', 'hand', 'across', 'arm']
    assert found['all'].joints == ('a', 'b', 'open')
    assert found['all'].chain == Chain('base', 'left')
    assert found['all'].subgroups == ('arm', 'hand')
    assert found['same'].chain == found['across'].chain == Chain('head', 'plate')


def test_cycle_of_groups_is_named(robot):
    text = srdf(
        '<group name="a"><group name="b"/></group>',
        '<group name="b"><group name="c"/></group>',
        '<group name="c"><group name="a"/></group>',
    )
    with pytest.raises(SrdfError, match='groups contain each other: ') as caught:
        load_srdf(text, robot)
    named = str(caught.value).split(': ')[1].split(';')[0].split(' -> ')
    assert (named[0], sorted(set(named)), len(named)) == (named[-1], ['a', 'b', 'c'], 4)
    with pytest.raises(SrdfError, match='a -> a'):
        load_srdf(srdf('<group name="a"><group name="a"/></group>'), robot)


def test_passive_and_following_joints_are_not_active(robot):
    found = group(
        robot,
        '<joint name="a"/><joint name="b"/><joint name="open"/><joint name="follow"/>',
        '<passive_joint name="a"/><passive_joint name="fix"/>',
    )
    assert found.joints == ('a', 'b', 'open', 'follow')
    assert found.active_joints == ('b', 'open')
    description = load_srdf(srdf('<passive_joint name="slide"/>'), robot)
    assert description.passive_joints == ('slide/x', 'slide/y', 'slide/rotation')


def test_everything_else(robot):
    found = load_srdf(
        srdf(
            '<virtual_joint name="stand" type="planar" parent_frame="map" child_link="base"/>',
            '<group name="arm"><chain base_link="base" tip_link="flange"/></group>',
            '<group name="long"><chain base_link="base" tip_link="tool"/></group>',
            '<group name="hand"><link name="left"/><link name="right"/></group>',
            '<end_effector name="e" group="hand" parent_link="flange" parent_group="long"/>',
            '<end_effector name="f" group="hand" parent_link="flange"/>',
            '<end_effector name="g" group="hand" parent_link="head"/>',
            '<group_state name="home" group="arm"><joint name="a" value=" 0.5 "/>'
            '<joint name="b" value="-1e-1"/><joint name="fix" value="0"/>'
            '<joint name="stand" value="1 2 3"/></group_state>',
            '<group_state name="home" group="hand"><joint name="open" value="0.1"/>'
            '<joint name="follow" value="0.1"/></group_state>',
            '<disable_collisions link1="left" link2="right" reason="Never"/>',
            '<disable_collisions link1="left" link2="base"/>',
            '<unknown/><link_sphere_approximation link="gone"/>',
        ),
        robot,
    )
    assert found.name == 'r'
    assert found.virtual_joints['stand'].parent_frame == 'map'
    assert found.virtual_joints['stand'].kind == 'planar'
    assert found.end_effectors['e'] == EndEffector('e', 'hand', 'flange', 'long')
    # The smallest group that contains the parent link, as MoveIt chooses.
    assert found.end_effectors['f'].parent_group == 'arm'
    assert found.end_effectors['g'].parent_group is None
    home, opened = found.group_states
    assert (home.name, home.group, dict(home.positions)) == ('home', 'arm', {'a': 0.5, 'b': -0.1})
    assert dict(opened.positions) == {'open': 0.1}
    assert found.disabled_collisions == (
        DisabledCollision('left', 'right', 'Never'),
        DisabledCollision('left', 'base', ''),
    )


def test_state_of_joints_with_several_degrees_of_freedom(robot):
    half = math.sqrt(0.5)
    text = srdf(
        '<group name="g"><joint name="ride"/><joint name="slide"/></group>',
        f'<group_state name="s" group="g"><joint name="ride" value="1 2 3 0 0 {half} {half}"/>'
        '<joint name="slide" value="4 5 6"/></group_state>',
    )
    positions = load_srdf(text, robot).group_states[0].positions
    assert positions['ride/rotation'] == pytest.approx((0, 0, math.pi / 2))
    assert [positions[f'ride/{axis}'] for axis in 'xyz'] == [1, 2, 3]
    assert [positions[f'slide/{part}'] for part in ('x', 'y', 'rotation')] == [4, 5, 6]


def test_parent_group_without_the_parent_link_is_replaced(robot, caplog):
    text = srdf(
        '<group name="arm"><chain base_link="base" tip_link="flange"/></group>',
        '<group name="hand"><joint name="open"/></group>',
        '<group name="neck"><joint name="neck"/></group>',
        '<end_effector name="e" group="hand" parent_link="flange" parent_group="neck"/>',
    )
    assert load_srdf(text, robot).end_effectors['e'].parent_group == 'arm'
    assert "does not contain its parent link 'flange'" in caplog.text


def test_srdf_of_another_robot_is_read_with_a_warning(robot, caplog):
    load_srdf('<robot name="other"/>', robot)
    assert "for the robot 'other', the URDF for 'r'" in caplog.text


@pytest.mark.parametrize(
    ('inside', 'said'),
    [
        ('<group name="g"><joint name="c"/></group>', "unknown joint 'c' in the group 'g'"),
        ('<group name="g"><joint name="openn"/></group>', "did you mean 'open'"),
        ('<group name="g"><link name="x"/></group>', "unknown link 'x' in the group 'g'"),
        ('<group name="g"><chain base_link="base" tip_link="x"/></group>', "unknown link 'x'"),
        ('<group name="g"><chain base_link="base"/></group>', 'a <chain> without tip_link'),
        ('<group name="g"><group name="x"/></group>', "unknown group 'x' in the group 'g'"),
        ('<group name="g"/><group name="g"/>', "two <group> are named 'g'"),
        ('<group/>', 'a <group> without name'),
        ('<passive_joint name="x"/>', "unknown joint 'x' (passive)"),
        ('<disable_collisions link1="base" link2="x"/>', "unknown link 'x' in <disable_coll"),
        ('<end_effector name="e" group="x" parent_link="base"/>', "unknown group 'x' in the end"),
        (
            '<group name="g"/><end_effector name="e" group="g" parent_link="x"/>',
            "unknown link 'x' in the end effector 'e'",
        ),
        (
            '<group name="g"/><end_effector name="e" group="g" parent_link="base" '
            'parent_group="g"/>',
            'has its own group',
        ),
        ('<group_state name="s" group="x"/>', "unknown group 'x' in the group state 's'"),
        (
            '<group name="g"/><group_state name="s" group="g"><joint name="a" value="one"/>'
            '</group_state>',
            "joint 'a' in the group state 's' has the value 'one'; it has 1 finite",
        ),
        (
            '<group name="g"/><group_state name="s" group="g"><joint name="slide" value="1"/>'
            '</group_state>',
            'it has 3 finite',
        ),
        (
            '<group name="g"/><group_state name="s" group="g"><joint name="ride" '
            'value="1 2 3 0 0 0 0"/></group_state>',
            'not all zero',
        ),
        (
            '<virtual_joint name="v" type="ball" parent_frame="w" child_link="base"/>',
            "has the type 'ball'; it is fixed, floating or planar",
        ),
        (
            '<virtual_joint name="v" type="fixed" parent_frame="w" child_link="x"/>',
            "unknown link 'x' in the virtual joint 'v'",
        ),
        ('<group name="g">' + '<group name="g"/>' * 3000 + '</group>', 'more than 2000 groups'),
        ('<group name="' + 'g' * 300 + '"/>', 'longer than 256'),
    ],
)
def test_refusals_say_what_is_wrong(robot, inside, said):
    with pytest.raises(SrdfError) as caught:
        load_srdf(srdf(inside), robot)
    assert said in str(caught.value)
    assert isinstance(caught.value, IkNodeError)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ('source', 'said'),
    [
        ('', 'is empty'),
        ('<robot', 'not well-formed'),
        ('<sdf/>', 'this is no SRDF'),
        ('/no/such/robot.srdf', 'cannot read the semantic robot description file'),
        ('<!DOCTYPE robot><robot name="r"/>', 'has a DOCTYPE'),
        (7, 'not int'),
        (
            '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="a" value="1"/>'
            '</robot>',
            'has xacro elements',
        ),
    ],
)
def test_sources_that_are_no_srdf(robot, source, said):
    with pytest.raises(SrdfError) as caught:
        load_srdf(source, robot)
    assert said in str(caught.value)


def test_sources(robot, tmp_path):
    text = srdf('<group name="ärm"><joint name="a"/></group>')
    path = tmp_path / 'r.srdf'
    path.write_text(text, encoding='utf-8')
    for source in (text, text.encode(), path, str(path), path.as_uri()):
        assert load_srdf(source, robot).groups['ärm'].joints == ('a',)


@pytest.mark.parametrize(
    ('urdf', 'srdf_name', 'name', 'count', 'chain'),
    [
        ('panda_description/urdf/panda.urdf', 'panda', 'arm', 7, ('panda_link0', 'panda_link7')),
        ('xarm_description/urdf/xarm7.urdf', 'xarm7', 'xarm7', 7, ('world', 'link_eef')),
        (
            'pr2_description/urdf/pr2.urdf',
            'pr2',
            'left_arm_and_torso',
            8,
            ('base_link', 'l_wrist_roll_link'),
        ),
        (
            'talos_data/robots/talos_full_v2.urdf',
            'talos',
            'r_arm',
            7,
            ('torso_2_link', 'wrist_right_ft_tool_link'),
        ),
    ],
)
def test_real_descriptions(urdf, srdf_name, name, count, chain, real_robot):
    path = real_robot(urdf)
    robot = load_urdf(path)
    found = load_srdf(path.parents[1] / f'srdf/{srdf_name}.srdf', robot).groups[name]
    assert len(found.joints) == count
    assert found.chain == Chain(*chain)
