# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets that hang on the mechanism, loops, joints that are held, and edits between searches."""

from __future__ import annotations

import math

from ik_node import Constraint, Environment, SolveStatus
import numpy as np
import pytest

POSE = Constraint.POSE


def along_x(length, turn=0.0):
    """Make the pose of a frame farther along x [m], turned about z [rad]."""
    T = np.eye(4)
    T[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    T[0, 3] = length
    return T


@pytest.fixture
def baxter(real_robot):
    """Give Baxter, standing anywhere inside its limits."""
    env = Environment.from_urdf(real_robot('baxter_description/urdf/baxter.urdf'))
    return env


def group_of(env, *elements, name='group'):
    """Make a group of elements (tip, base, constraints)."""
    group = env.create_group(name, empty=True)
    for tip, base, constraints in elements:
        group.add_element(tip, base, constraints=constraints)
    return group


def draw(group, rng):
    """Draw a configuration inside the limits."""
    return rng.uniform(np.maximum(group.lower, -3.0), np.minimum(group.upper, 3.0))


def put(env, result):
    """Bring the joints where a search says."""
    env.set_joint_positions(dict(zip(result.joint_names, result.q.tolist(), strict=True)))


def assert_met(env, tip, target, tolerance=2e-5):
    """Compare the poses of two dummies in the world."""
    np.testing.assert_allclose(env.link_pose(tip), env.link_pose(target), atol=tolerance)


class TestRelativeTargets:
    def test_a_target_on_the_other_hand(self, baxter, rng):
        # The right hand keeps a distance to the left one, which has its own target.
        offset = along_x(0.2, 0.5)
        baxter.create_dummy('beside', 'left_gripper', offset)
        baxter.dummy('right_gripper').target = 'beside'
        group = group_of(baxter, ('left_gripper', 'torso', POSE), ('right_gripper', 'torso', POSE))
        assert group.prepared().parts == ()
        assert len(group.joint_names) == 14
        solved = 0
        for _ in range(30):
            left = group.forward_kinematics(draw(group, rng))[0]
            result = group.solve({'left_gripper': left}, draw(group, rng), timeout=0.1)
            if result.success:  # not every place of both hands can be reached
                solved += 1
                put(baxter, result)
                np.testing.assert_allclose(
                    baxter.link_pose('left_gripper', 'torso'), left, atol=2e-5
                )
                assert_met(baxter, 'right_gripper', 'beside')
        assert solved >= 5

    def test_reachable_relative_targets_are_all_reached(self, baxter, rng):
        group = group_of(baxter, ('left_gripper', 'torso', POSE), ('right_gripper', 'torso', POSE))
        baxter.create_dummy('beside', 'left_gripper')
        baxter.dummy('right_gripper').target = 'beside'
        for _ in range(30):
            put_q = dict(zip(group.joint_names, draw(group, rng).tolist(), strict=True))
            baxter.set_joint_positions(put_q)
            baxter.dummy('beside').set_pose(baxter.link_pose('right_gripper'))
            left = baxter.link_pose('left_gripper', 'torso')
            result = group.solve({'left_gripper': left}, draw(group, rng), timeout=5.0)
            assert result.success
            put(baxter, result)
            assert_met(baxter, 'right_gripper', 'beside')

    def test_a_pose_of_the_caller_comes_before_the_target_that_moves(self, baxter, rng):
        baxter.create_dummy('beside', 'left_gripper')
        baxter.dummy('right_gripper').target = 'beside'
        group = group_of(baxter, ('left_gripper', 'torso', POSE), ('right_gripper', 'torso', POSE))
        targets = group.forward_kinematics(draw(group, rng))
        for given in (targets, dict(zip(('left_gripper', 'right_gripper'), targets, strict=True))):
            result = group.solve(given, timeout=5.0)
            assert result.success
            np.testing.assert_allclose(group.forward_kinematics(result.q), targets, atol=2e-5)

    def test_one_hand_seen_from_the_other(self, baxter, rng):
        group = group_of(baxter, ('right_gripper', 'left_gripper', POSE))
        assert len(group.joint_names) == 14
        for _ in range(30):
            target = group.forward_kinematics(draw(group, rng))
            result = group.solve(target, draw(group, rng), timeout=5.0)
            assert result.success
            put(baxter, result)
            np.testing.assert_allclose(
                baxter.link_pose('right_gripper', 'left_gripper'), target, atol=2e-5
            )

    def test_a_base_that_another_element_moves(self, baxter, rng):
        # The left arm is a column of both, and makes no difference to where the right hand is.
        group = group_of(
            baxter, ('left_gripper', 'torso', POSE), ('right_gripper', 'left_gripper', POSE)
        )
        for element in group.elements:
            element.constraints_base = 'torso'
        baxter.create_dummy('goal', 'torso')
        baxter.dummy('right_gripper').target = 'goal'
        for _ in range(20):
            q = dict(zip(group.joint_names, draw(group, rng).tolist(), strict=True))
            baxter.set_joint_positions(q)
            baxter.dummy('goal').set_pose(baxter.link_pose('right_gripper'))
            left = baxter.link_pose('left_gripper', 'torso')
            result = group.solve({'left_gripper': left}, draw(group, rng), timeout=5.0)
            assert result.success
            put(baxter, result)
            np.testing.assert_allclose(baxter.link_pose('left_gripper', 'torso'), left, atol=2e-5)
            assert_met(baxter, 'right_gripper', 'goal')

    def test_a_joint_as_base_is_its_fixed_frame(self):
        # The base joint is a column of the other element, but its own motion moves no base.
        env = Environment()
        env.create_joint('a', 'revolute', limits=(-2.0, 2.0))
        env.create_dummy('tip a', 'a', along_x(1.0))
        env.create_joint('b', 'revolute', limits=(-2.0, 2.0))
        env.create_dummy('tip b', 'b', along_x(1.0))
        env.create_dummy('goal', pose=along_x(0.0, 1.0) @ along_x(1.0))
        env.dummy('tip b').target = 'goal'
        group = group_of(env, ('tip a', None, Constraint.X), ('tip b', 'a', POSE))
        assert len(group.prepared().parts) == 2
        result = group.solve({'tip a': along_x(1.0, 0.5) @ along_x(0.0)}, timeout=1.0)
        assert result.success
        assert result.q[list(result.joint_names).index('b')] == pytest.approx(1.0, abs=1e-5)


class TestDummies:
    def test_none_means_the_targets_of_all_tips(self, baxter, rng):
        group = group_of(baxter, ('left_gripper', 'torso', POSE), ('right_gripper', 'torso', POSE))
        poses = group.forward_kinematics(draw(group, rng))
        for tip, pose in zip(('left_gripper', 'right_gripper'), poses, strict=True):
            dummy = baxter.create_dummy(f'{tip} goal')
            dummy.set_pose(baxter.link_pose('torso') @ pose)
            baxter.dummy(tip).target = dummy
        given = group.solve(poses, timeout=5.0)
        own = group.solve(timeout=5.0)
        assert given.success
        assert own.success
        np.testing.assert_allclose(group.forward_kinematics(own.q), poses, atol=2e-5)
        # One is given, the other has its dummy.
        others = group.forward_kinematics(draw(group, rng))
        mixed = group.solve({'right_gripper': others[1]}, timeout=5.0)
        T = group.forward_kinematics(mixed.q)
        np.testing.assert_allclose(T[0], poses[0], atol=2e-5)
        np.testing.assert_allclose(T[1], others[1], atol=2e-5)

    def test_find_configs_takes_them_too(self, baxter, rng):
        group = group_of(baxter, ('right_gripper', 'left_gripper', POSE))
        baxter.create_dummy('goal', 'left_gripper')
        baxter.dummy('right_gripper').target = 'goal'
        q = dict(zip(group.joint_names, draw(group, rng).tolist(), strict=True))
        baxter.set_joint_positions(q)
        baxter.dummy('goal').set_pose(baxter.link_pose('right_gripper'))
        found = group.find_configs(seed=draw(group, rng), max_configs=3, timeout=5.0)
        assert len(found.configs) == 3
        for q in found.configs:
            baxter.set_joint_positions(dict(zip(found.joint_names, q.tolist(), strict=True)))
            assert_met(baxter, 'right_gripper', 'goal')


def four_bar(crank=0.5):
    """Build a four-bar linkage whose crank is held."""
    env = Environment()
    env.create_joint('crank', passive=True, position=crank)
    env.create_joint('coupler', parent='crank', pose=along_x(1.0), position=0.6)
    env.create_joint('rocker', pose=along_x(3.5), position=1.5)
    env.create_dummy('coupler end', 'coupler', along_x(3.0)).target = env.create_dummy(
        'rocker end', 'rocker', along_x(2.0)
    )
    return env


class TestLoops:
    def test_a_four_bar_linkage(self):
        env = four_bar()
        group = group_of(env, ('coupler end', None, Constraint.X | Constraint.Y))
        group.add_element('rocker end', constraints=0)  # for its column
        env.dummy('rocker end').target = 'coupler end'
        assert set(group.joint_names) == {'coupler', 'rocker'}
        for degrees in range(0, 360, 5):
            angle = math.radians(degrees)
            env.joint('crank').position = angle
            result = group.solve(timeout=1.0)
            assert result.success
            put(env, result)
            gap = env.link_pose('coupler end')[:3, 3] - env.link_pose('rocker end')[:3, 3]
            assert np.linalg.norm(gap) <= 1e-6
            # The diagonal from the crank's end to the rocker's foot, by the law of cosines.
            diagonal = math.dist((math.cos(angle), math.sin(angle)), (3.5, 0.0))
            at_end = np.linalg.norm(
                env.link_pose('coupler end')[:2, 3] - [math.cos(angle), math.sin(angle)]
            )
            assert at_end == pytest.approx(3.0, abs=1e-9)
            assert abs(3.0 - 2.0) < diagonal < 5.0

    def test_a_linkage_that_cannot_close(self):
        env = four_bar()
        env.joint('rocker').set_parent(None)
        env.joint('rocker').set_pose(along_x(9.0))
        group = group_of(env, ('coupler end', None, Constraint.X | Constraint.Y))
        group.add_element('rocker end', constraints=0)
        env.dummy('rocker end').target = 'coupler end'
        result = group.solve(timeout=0.05)
        assert result.status in (SolveStatus.NOT_FOUND, SolveStatus.TIMED_OUT)
        # Stretched: from the crank's end to the rocker's foot, less both bars.
        gap = math.dist((math.cos(0.5), math.sin(0.5)), (9.0, 0.0)) - 5.0
        assert result.position_error == pytest.approx(gap, abs=1e-3)

    def test_two_sides_of_a_loop_are_two_elements(self):
        env = four_bar()
        env.dummy('rocker end').target = 'coupler end'
        both = Constraint.X | Constraint.Y
        group = group_of(env, ('coupler end', None, both), ('rocker end', None, both))
        result = group.solve(timeout=1.0)
        assert result.success
        put(env, result)
        gap = env.link_pose('coupler end')[:3, 3] - env.link_pose('rocker end')[:3, 3]
        assert np.linalg.norm(gap) <= 1e-6
