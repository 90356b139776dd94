# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that are held, edits between searches, and joints of other kinds, with several tips."""

from __future__ import annotations

import math

from ik_node import Constraint, Environment, InvalidTargetError, SolveStatus
import numpy as np
import pytest

POSE = Constraint.POSE


def along_x(length, turn=0.0):
    """Make the pose of a frame farther along x [m], turned about z [rad]."""
    T = np.eye(4)
    T[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    T[0, 3] = length
    return T


def group_of(env, *elements, name='group'):
    """Make a group of elements (tip, base, constraints)."""
    group = env.create_group(name, empty=True)
    for tip, base, constraints in elements:
        group.add_element(tip, base, constraints=constraints)
    return group


def put(env, result):
    """Bring the joints where a search says."""
    env.set_joint_positions(dict(zip(result.joint_names, result.q.tolist(), strict=True)))


def planar(name, foot, joints=3, limits=(-2.5, 2.5)):
    """Make the joints of a planar arm of links of 1 m."""

    def build(env):
        parent = None
        for i in range(joints):
            pose = along_x(1.0) if i else foot
            env.create_joint(f'{name}{i}', 'revolute', parent, pose, limits=limits)
            parent = f'{name}{i}'
        env.create_dummy(f'{name} tip', parent, along_x(1.0))

    return build


@pytest.fixture
def arms():
    """Give two planar arms, a slide that no element uses, and a goal that it carries."""
    env = Environment()
    planar('a', along_x(-0.5))(env)
    planar('b', along_x(0.5))(env)
    turn = np.eye(4)
    turn[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    env.create_joint('slide', 'prismatic', None, turn, limits=(-5.0, 5.0))
    env.create_dummy('goal', 'slide', turn.T)
    env.dummy('a tip').target = 'goal'
    return env


IN_PLANE = Constraint.X | Constraint.Y


class TestHeldJoints:
    def test_a_held_joint_carries_a_target(self, arms):
        group = group_of(arms, ('a tip', None, IN_PLANE))
        assert 'slide' not in group.joint_names
        for at in (0.5, -1.0, 1.5, 0.2):
            arms.joint('slide').position = at
            result = group.solve(timeout=1.0)
            assert result.success
            put(arms, result)
            np.testing.assert_allclose(arms.link_pose('a tip')[:2, 3], [at, 0.0], atol=2e-6)
        arms.joint('slide').position = 4.5
        result = group.solve(timeout=1.0)
        assert not result.success
        assert 2.0 - 1e-9 <= result.position_error < 2.5  # 2 m where it is stretched

    def test_a_held_joint_within_the_chain(self, arms):
        group = group_of(arms, ('a tip', None, IN_PLANE), ('b tip', None, Constraint.POSITION))
        arms.joint('a1').passive = True
        assert 'a1' not in group.joint_names
        for elbow in (0.3, 1.2, -0.8):
            arms.joint('a1').position = elbow
            arms.joint('slide').position = 1.2
            result = group.solve({'b tip': along_x(2.0)}, timeout=1.0)
            assert result.success
            put(arms, result)
            assert arms.joint('a1').position == elbow
            np.testing.assert_allclose(arms.link_pose('a tip')[:2, 3], [1.2, 0.0], atol=2e-6)
            np.testing.assert_allclose(arms.link_pose('b tip')[:2, 3], [2.0, 0.0], atol=2e-6)

    def test_proofs_know_where_held_joints_are(self, arms):
        group = group_of(arms, ('a tip', None, Constraint.POSITION))
        target = along_x(2.4)  # 2.9 m from the foot
        assert group.solve(target, timeout=1.0).success
        arms.joint('a1').passive = True
        arms.joint('a1').position = 1.5
        bent = group.solve(target, timeout=1.0)
        assert bent.status is SolveStatus.UNREACHABLE
        assert bent.message.startswith('out of reach: ')
        arms.joint('a1').position = 0.0
        assert group.solve(target, timeout=1.0).success


class TestEdits:
    def test_everything_between_two_searches_counts(self, arms):
        group = group_of(arms, ('a tip', None, IN_PLANE), ('b tip', None, IN_PLANE))
        arms.create_dummy('other goal', pose=along_x(1.5))
        arms.dummy('b tip').target = 'other goal'

        def tips():
            result = group.solve(timeout=1.0)
            assert result.success, result
            put(arms, result)
            return arms.link_pose('a tip')[:2, 3], arms.link_pose('b tip')[:2, 3]

        np.testing.assert_allclose(tips(), [[0.0, 0.0], [1.5, 0.0]], atol=2e-6)
        arms.dummy('other goal').set_pose(along_x(-1.0))
        np.testing.assert_allclose(tips()[1], [-1.0, 0.0], atol=2e-6)
        arms.joint('slide').position = 0.7
        np.testing.assert_allclose(tips()[0], [0.7, 0.0], atol=2e-6)
        # Onto the slide, on which it rides then.
        arms.dummy('other goal').set_parent('slide', keep_in_place=True)
        arms.joint('slide').position = 1.0
        np.testing.assert_allclose(tips(), [[1.0, 0.0], [-0.7, 0.0]], atol=2e-6)
        # Onto the other arm, with which it moves.
        arms.dummy('other goal').set_parent('a tip', keep_in_place=False)
        arms.dummy('other goal').set_pose(along_x(0.4), 'a tip')
        assert group.prepared().parts == ()
        tips()
        gap = arms.link_pose('b tip')[:2, 3] - arms.link_pose('other goal')[:2, 3]
        assert np.linalg.norm(gap) <= 1e-6
        # Another target altogether.
        arms.dummy('b tip').target = None
        arms.dummy('b tip').target = 'goal'
        a, b = tips()
        np.testing.assert_allclose(b, a, atol=3e-6)

    def test_attributes_of_elements_and_joints(self, arms):
        group = group_of(arms, ('a tip', None, IN_PLANE), ('b tip', None, IN_PLANE))
        targets = np.stack([along_x(1.0), along_x(1.0, 2.0)])
        assert group.solve(targets, timeout=1.0).success
        b = group.elements[1]
        b.constraints = POSE
        result = group.solve(targets, timeout=1.0)
        put(arms, result)
        assert result.success
        np.testing.assert_allclose(arms.link_pose('b tip'), targets[1], atol=2e-5)
        b.base = 'a tip'
        assert len(group.joint_names) == 6
        assert group.prepared().parts == ()
        result = group.solve(targets, timeout=1.0)
        put(arms, result)
        assert result.success
        np.testing.assert_allclose(arms.link_pose('b tip', 'a tip'), targets[1], atol=2e-5)
        b.base = None
        b.constraints = Constraint.X
        b.constraints_base = arms.create_dummy('turned', pose=along_x(0.0, math.pi / 2))
        result = group.solve(targets, timeout=1.0)
        put(arms, result)
        assert result.success
        assert abs(arms.link_pose('b tip')[1, 3]) <= 1e-6
        arms.joint('b0').limits = (0.5, 0.6)
        result = group.solve(targets, timeout=1.0)
        assert result.success
        assert 0.5 <= result.q[result.joint_names.index('b0')] <= 0.6
        arms.joint('b0').passive = True
        result = group.solve(targets, timeout=1.0)
        assert 'b0' not in result.joint_names
        assert len(result.q) == 5

    def test_what_was_erased_is_told(self, arms):
        group = group_of(arms, ('a tip', None, IN_PLANE), ('b tip', None, IN_PLANE))
        targets = np.stack([along_x(1.0), along_x(1.0)])
        assert group.solve(targets).success
        arms.erase('goal')
        assert group.solve(targets).success
        with pytest.raises(InvalidTargetError, match="'a tip' has none"):
            group.solve()


class TestOtherJoints:
    def test_spherical_joints(self, misses, rng):
        env = Environment()
        lift = np.eye(4)
        lift[2, 3] = 0.4
        for side in 'ab':
            env.create_joint(f'{side} shoulder', 'spherical', None, along_x(0.5))
            env.create_joint(
                f'{side} elbow', 'revolute', f'{side} shoulder', lift, limits=(-2.0, 2.0)
            )
            env.create_joint(f'{side} wrist', 'spherical', f'{side} elbow', along_x(0.5))
            env.create_dummy(f'{side} tip', f'{side} wrist', along_x(0.2))
        group = group_of(env, ('a tip', None, POSE), ('b tip', 'a tip', Constraint.POSITION))
        assert len(group.joint_names) == 14
        for _ in range(5):
            q = rng.uniform(-1.0, 1.0, 14)
            env.set_joint_positions(dict(zip(group.joint_names, q.tolist(), strict=True)))
            first, second = env.link_pose('a tip'), env.link_pose('b tip', 'a tip')
            result = group.solve(np.stack([first, second]), np.zeros(14), timeout=10.0)
            assert result.success
            put(env, result)
            assert max(misses(env.link_pose('a tip'), first, 31)) <= 1e-5
            assert misses(env.link_pose('b tip', 'a tip'), second, 7)[0] <= 1e-6

    def test_a_joint_that_follows_by_a_function(self, arms):
        arms.joint('a2').set_dependency('a0', function=lambda q: 0.5 * math.sin(q))
        group = group_of(arms, ('a tip', None, IN_PLANE), ('b tip', None, IN_PLANE))
        assert group.joint_names == ('a0', 'a1', 'b0', 'b1', 'b2')
        q = [0.4, 1.0, 0.2, 0.8, -0.5]
        arms.set_joint_positions(dict(zip(group.joint_names, q, strict=True)))
        targets = np.stack([arms.link_pose('a tip'), arms.link_pose('b tip')])
        result = group.solve(targets, np.full(5, 0.1), timeout=10.0)
        assert result.success
        put(arms, result)
        for tip, target in zip(('a tip', 'b tip'), targets, strict=True):
            np.testing.assert_allclose(arms.link_pose(tip)[:2, 3], target[:2, 3], atol=2e-6)
