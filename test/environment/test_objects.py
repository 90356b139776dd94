# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Dummies and joints by hand: names, places, parents, targets, erasing."""

from __future__ import annotations

import math

import ik_node
from ik_node import Environment
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest


def pose(x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    """Make a pose from position and URDF angles."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rpy(float(roll), float(pitch), float(yaw))
    T[:3, 3] = x, y, z
    return T


@pytest.fixture
def env():
    """Give an environment: a joint about z at x = 1, an arm of 2 m with a tip, a free target."""
    env = Environment(name='hand made')
    env.create_joint('hinge', 'revolute', pose=pose(x=1.0))
    env.create_dummy('arm', parent='hinge', pose=pose(x=2.0))
    env.create_dummy('tip', parent='arm', pose=pose(z=0.5))
    env.create_dummy('target', pose=pose(x=1.0, y=2.0, z=0.5))
    return env


class TestNames:
    """One name space for dummies and joints."""

    def test_names_are_given_where_none_is(self):
        env = Environment()
        assert [env.create_dummy().name for _ in range(2)] == ['dummy0', 'dummy1']
        assert [env.create_joint().name for _ in range(2)] == ['joint0', 'joint1']

    @pytest.mark.parametrize('name', ['', 'hinge', 'arm', 'world', 3])
    def test_names_that_are_refused(self, env, name):
        before = [thing.name for thing in env.objects]
        with pytest.raises(ik_node.InvalidArgumentError):
            env.create_dummy(name)
        with pytest.raises(ik_node.InvalidArgumentError):
            env.create_joint(name)
        with pytest.raises(ik_node.InvalidArgumentError):
            env['tip'].name = name
        assert [thing.name for thing in env.objects] == before

    def test_finding(self, env):
        assert env['hinge'] == env.joint('hinge') == env.joints['hinge']
        assert env['arm'] == env.dummy('arm') == env.dummies['arm']
        assert 'arm' in env
        assert 'nothing' not in env
        assert repr(env['hinge']) == "Joint('hinge')"
        with pytest.raises(ik_node.UnknownNameError, match="did you mean 'target'"):
            env['targit']
        with pytest.raises(ik_node.UnknownNameError, match="unknown joint 'arm'"):
            env.joint('arm')

    def test_references_follow_a_new_name(self, env):
        env.create_joint('follower').set_dependency('hinge')
        env.dummy('tip').target = 'target'
        group = env.create_group('g', 'world', 'tip')
        env.joint('hinge').position = 0.3
        env['hinge'].name, env['target'].name, env['tip'].name = 'h', 'goal', 'tool'
        assert env.joint('follower').dependency.master == 'h'
        assert env.dummy('tool').target == env['goal']
        assert (group.tip, group.joint_names) == ('tool', ('h',))
        assert env.joint('h').position == 0.3

    def test_link_and_joint_of_one_name(self, shipped_robot):
        text = shipped_robot('planar_2r').read_text().replace('"upper"', '"j1"')
        env = Environment.from_urdf(text)
        assert env.joint('j1') != env.dummy('j1')
        with pytest.raises(ik_node.InvalidArgumentError, match='is a link and a joint'):
            env['j1']
        assert env.create_group('to the link', 'base', 'j1').joint_names == ('j1',)


class TestPlaces:
    """Poses relative to the world, the parent, any object; the two frames of a joint."""

    def test_poses_of_a_moved_joint(self, env):
        hinge = env.joint('hinge')
        hinge.position = math.pi / 2
        np.testing.assert_allclose(hinge.pose(), pose(x=1.0), atol=1e-15)  # the fixed frame
        np.testing.assert_allclose(hinge.motion_pose, pose(yaw=math.pi / 2), atol=1e-15)
        np.testing.assert_allclose(
            env['tip'].pose(), pose(x=1.0, y=2.0, z=0.5, yaw=math.pi / 2), atol=1e-15
        )
        # Relative to a joint means to its moving frame.
        np.testing.assert_allclose(env['arm'].pose('hinge'), pose(x=2.0), atol=1e-15)
        np.testing.assert_allclose(
            env['target'].pose(env['tip']), pose(yaw=-math.pi / 2), atol=1e-15
        )

    @pytest.mark.parametrize('reference', [None, 'hinge', 'target'])
    def test_set_pose_is_the_inverse_of_pose(self, env, reference):
        env.joint('hinge').position = 0.7
        wanted = pose(0.3, -0.2, 0.9, 0.1, 0.2, 0.3)
        env['arm'].set_pose(wanted, relative_to=reference)
        np.testing.assert_allclose(env['arm'].pose(reference), wanted, atol=1e-14)
        # What hangs on it moved along.
        np.testing.assert_allclose(env['tip'].pose('arm'), pose(z=0.5), atol=1e-14)

    def test_rounded_matrix_becomes_a_rotation(self, env):
        env['target'].set_pose(np.round(pose(yaw=0.3), 3))
        rotation = env['target'].pose()[:3, :3]
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-14)

    def test_refusals(self, env):
        with pytest.raises(ik_node.InvalidTargetError):
            env['target'].set_pose(np.eye(4) * np.nan)
        for reference in ('arm', 'tip'):
            with pytest.raises(ik_node.InvalidArgumentError, match='relative to itself'):
                env['arm'].set_pose(np.eye(4), relative_to=reference)
        with pytest.raises(ik_node.InvalidArgumentError, match='no object of this environment'):
            env['arm'].pose(Environment().create_dummy())


class TestParents:
    """Hanging objects elsewhere."""

    def test_in_place_or_relative(self, env):
        env.joint('hinge').position = 0.5
        before = env['tip'].pose()
        env['tip'].set_parent(None)
        assert env['tip'].parent is None
        np.testing.assert_allclose(env['tip'].pose(), before, atol=1e-15)
        env['tip'].set_parent('target', keep_in_place=False)
        np.testing.assert_allclose(env['tip'].pose('target'), before, atol=1e-15)

    @pytest.mark.parametrize('keep_in_place', [True, False])
    @pytest.mark.parametrize('parent', ['hinge', 'arm', 'tip'])
    def test_loops_are_refused(self, env, parent, keep_in_place):
        with pytest.raises(ik_node.InvalidArgumentError, match='cannot hang on itself'):
            env['hinge'].set_parent(parent, keep_in_place=keep_in_place)
        assert env['hinge'].parent is None

    def test_object_may_hang_on_a_later_one(self, env):
        env['hinge'].set_parent('target')
        assert env['hinge'].parent == env['target']
        env['target'].set_pose(pose(x=5.0, y=2.0, z=0.5))
        np.testing.assert_allclose(env['hinge'].pose(), pose(x=5.0), atol=1e-15)


class TestTargets:
    """Targets of tips."""

    def test_target_is_what_solve_goes_to(self, env):
        env.dummy('tip').target = env.dummy('target')
        target = env['target']
        target.set_pose(env['tip'].pose())
        env.joint('hinge').position = 1.0
        target.set_pose(env['tip'].pose())
        env.joint('hinge').position = 0.2
        group = env.create_group('g', 'world', 'tip')
        result = group.solve()
        assert result.success
        np.testing.assert_allclose(result.q, [1.0], atol=1e-5)
        assert env.joint('hinge').position == 0.2  # a solve changes no state

    def test_one_target_serves_many_tips(self, env):
        env.dummy('tip').target = 'target'
        env.dummy('arm').target = 'target'
        assert env.dummy('tip').target == env.dummy('arm').target

    def test_detach_before_another_target(self, env):
        tip = env.dummy('tip')
        other = env.create_dummy('other')
        tip.target = 'target'
        tip.target = 'target'
        with pytest.raises(ik_node.InvalidStateError, match="has the target 'target'"):
            tip.target = other
        tip.target = None
        tip.target = other
        assert tip.target == other
        with pytest.raises(ik_node.UnknownNameError):
            env.dummy('arm').target = 'hinge'
        with pytest.raises(ik_node.InvalidArgumentError, match='its own target'):
            env.dummy('arm').target = 'arm'

    def test_without_a_target_there_is_nothing_to_solve(self, env):
        with pytest.raises(ik_node.InvalidTargetError, match="the tip 'tip' has none"):
            env.create_group('g', 'world', 'tip').solve()


class TestErasing:
    """Taking objects away."""

    def test_children_move_up_and_stay_where_they_are(self, env):
        env.joint('hinge').position = 0.9
        before = env['tip'].pose()
        env.erase('arm')
        assert env['tip'].parent == env['hinge']
        np.testing.assert_allclose(env['tip'].pose(), before, atol=1e-15)
        env.erase(env['hinge'])
        assert env['tip'].parent is None
        np.testing.assert_allclose(env['tip'].pose(), before, atol=1e-15)

    def test_references_are_cleared(self, env):
        env.dummy('tip').target = 'target'
        follower = env.create_joint('follower', limits=(-1.0, 1.0))
        follower.set_dependency('hinge', multiplier=0.5)
        env.joint('hinge').position = 0.4
        env.erase('target')
        env.erase('hinge')
        assert env.dummy('tip').target is None
        assert follower.dependency is None
        assert follower.position == pytest.approx(0.2)

    def test_handle_of_an_erased_object_says_so(self, env):
        arm = env['arm']
        env.erase('arm')
        assert not arm.exists
        assert repr(arm) == '<erased object>'
        with pytest.raises(ik_node.InvalidStateError, match='has been erased'):
            arm.pose()
        with pytest.raises(ik_node.InvalidStateError, match='has been erased'):
            arm.name = 'x'
        env.create_dummy('arm')
        assert not arm.exists

    def test_unrelated_groups_stay(self, env):
        group = env.create_group('g', 'world', 'tip')
        env.create_dummy('other')
        env.erase('other')
        assert list(env.groups) == ['g']
        env.erase('tip')
        assert list(env.groups) == ['g']
        with pytest.raises(ik_node.InvalidStateError, match="tip of group 'g' has been erased"):
            group.solve(np.eye(4))


class TestGroupsOfEditedObjects:
    """The next call after an edit sees it, and recompiles only what it touched."""

    def test_edit_on_the_chain(self, env):
        group = env.create_group('g', 'world', 'tip')
        env['tip'].set_pose(pose(x=1.0), relative_to='arm')
        np.testing.assert_allclose(group.forward_kinematics([0.0])[:3, 3], [4.0, 0.0, 0.0])
        env.create_joint('slide', 'prismatic', parent='arm')
        env['tip'].set_parent('slide')
        assert group.joint_names == ('hinge', 'slide')
        env.joint('slide').passive = True
        env.joint('slide').position = 0.25
        assert group.joint_names == ('hinge',)
        assert group.forward_kinematics([0.0])[2, 3] == pytest.approx(0.25)

    def test_edit_elsewhere_keeps_the_tables(self, env):
        group = env.create_group('g', 'world', 'tip')
        tables = group.tables
        env['target'].set_pose(pose(x=9.0))
        env.create_dummy('more', parent='target')
        env.joint('hinge').position = 0.1
        assert group.tables is tables
        env.joint('hinge').limits = (-1.0, 1.0)
        assert group.tables is not tables

    def test_limits_of_a_follower_elsewhere_count(self, env):
        group = env.create_group('g', 'world', 'tip')
        assert group.upper[0] == math.inf
        env.create_joint('follower', limits=(-0.5, 0.5)).set_dependency('hinge')
        assert group.upper[0] == 0.5

    def test_base_may_be_a_joint_or_a_sibling(self, env):
        by_joint = env.create_group('by joint', 'hinge', 'tip')
        np.testing.assert_allclose(
            by_joint.forward_kinematics([math.pi / 2]),
            pose(0, 2, 0.5, yaw=math.pi / 2),
            atol=1e-15,
        )
        from_target = env.create_group('from target', 'target', 'tip')
        np.testing.assert_allclose(from_target.forward_kinematics([0.0]), pose(x=2, y=-2))
