# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of joints: defaults, ranges, screws, spherical joints, dependencies."""

from __future__ import annotations

import math

import ik_node
from ik_node import Environment, JointKind
from ik_node.kernels.rotations import matrix_from_rpy, rotate_vector_by, rotation_exp
import numpy as np
import pytest


@pytest.fixture
def env():
    """Give an empty environment."""
    return Environment()


def test_defaults_of_a_revolute_joint(env):
    joint = env.create_joint()
    assert joint.kind is JointKind.REVOLUTE
    assert not joint.passive
    assert joint.cyclic
    assert joint.position == 0.0
    assert joint.limits == (-math.inf, math.inf)
    assert joint.interval == pytest.approx((-math.pi, 2.0 * math.pi))
    assert joint.max_step == pytest.approx(0.174533, abs=1e-6)
    assert joint.limit_margin == pytest.approx(0.0872665, abs=1e-6)
    assert joint.weight == 1.0
    assert joint.screw_lead == 0.0
    assert joint.dependency is None


def test_defaults_of_a_prismatic_joint(env):
    joint = env.create_joint(kind='prismatic')
    assert not joint.cyclic
    assert joint.limits == (-0.5, 0.5)
    assert joint.interval == (-0.5, 1.0)
    assert (joint.max_step, joint.limit_margin) == (0.1, 0.01)


def test_defaults_of_a_spherical_joint(env):
    joint = env.create_joint(kind=JointKind.SPHERICAL)
    np.testing.assert_array_equal(joint.orientation, [0, 0, 0, 1])
    assert joint.limit_margin == 0.0


def test_attributes_at_creation(env):
    joint = env.create_joint('s', limits=(-9.0, 9.0), screw_lead=0.01, weight=0.0, position=4.0)
    assert (joint.limits, joint.screw_lead, joint.position) == ((-9.0, 9.0), 0.01, 4.0)
    assert joint.weight == 1e-5  # the smallest one
    with pytest.raises(ik_node.UnknownNameError, match="did you mean 'weight'"):
        env.create_joint('t', wieght=1.0)
    with pytest.raises(ik_node.InvalidArgumentError, match="'ball'.*'spherical'"):
        env.create_joint('t', 'ball')
    with pytest.raises(ik_node.InvalidArgumentError, match='max_step'):
        env.create_joint('t', max_step=0.0)
    assert 't' not in env


@pytest.mark.parametrize(
    ('attribute', 'value'),
    [
        ('limits', (1.0, -1.0)),
        ('limits', (math.nan, 1.0)),
        ('interval', (0.0, -1.0)),
        ('interval', (0.0, math.inf)),
        ('weight', -1.0),
        ('weight', math.nan),
        ('max_step', 0.0),
        ('max_step', -0.1),
        ('limit_margin', -0.1),
        ('velocity', -1.0),
        ('screw_lead', 0.1),  # it is cyclic
        ('position', math.nan),
        ('position', 'x'),
    ],
)
def test_refused_values_change_nothing(env, attribute, value):
    joint = env.create_joint('j', position=0.5)
    before = getattr(joint, attribute)
    with pytest.raises(ik_node.InvalidArgumentError, match="joint 'j'"):
        setattr(joint, attribute, value)
    assert getattr(joint, attribute) == before


def test_interval_is_minimum_and_range(env):
    joint = env.create_joint()
    joint.interval = (-1.0, 1.5)
    assert joint.limits == (-1.0, 0.5)
    assert not joint.cyclic


def test_written_position_is_brought_into_the_limits(env):
    joint = env.create_joint(kind='prismatic')
    joint.position = 2.0
    assert joint.position == 0.5
    joint.limits = (-0.1, 0.1)
    assert joint.position == 0.1
    turning = env.create_joint(limits=(-3.0, 3.0))
    turning.position = 3.5  # a full turn back lands inside
    assert turning.position == pytest.approx(3.5 - 2.0 * math.pi)


def test_cyclic_only_for_revolute_joints_and_takes_the_screw_away(env):
    screw = env.create_joint(limits=(-10.0, 10.0), screw_lead=0.01)
    screw.cyclic = True
    assert (screw.screw_lead, screw.interval) == (0.0, (-math.pi, 2.0 * math.pi))
    with pytest.raises(ik_node.InvalidArgumentError, match='only a revolute joint can be cyclic'):
        env.create_joint(kind='prismatic').cyclic = True


def test_screw_advances_with_its_angle(env):
    env.create_joint('screw', limits=(-20.0, 20.0), screw_lead=0.01)
    env.create_dummy('nut', parent='screw')
    group = env.create_group('g', 'world', 'nut')
    T = group.forward_kinematics([3.0 * math.pi])
    np.testing.assert_allclose(T[:3, 3], [0, 0, 0.015], atol=1e-15)
    np.testing.assert_allclose(
        group.jacobian([1.0])[:, 0], [0, 0, 0.01 / (2 * math.pi), 0, 0, 1], atol=1e-15
    )
    assert env.joint('screw').motion_pose[2, 3] == 0.0
    # A turn is not the same pose: the solution is the one turn of the target.
    result = group.solve(group.forward_kinematics([9.0]), seed=[0.5], timeout=1.0)
    assert result.success
    np.testing.assert_allclose(result.q, [9.0], atol=1e-4)


class TestSphericalJoint:
    """Three coordinates, one joint."""

    @pytest.fixture
    def arm(self, env):
        """Give a spherical joint at z = 1 with a tip 2 m along x."""
        up = np.eye(4)
        up[2, 3] = 1.0
        out = np.eye(4)
        out[0, 3] = 2.0
        env.create_joint('ball', 'spherical', pose=up)
        env.create_dummy('tip', parent='ball', pose=out)
        return env.create_group('g', 'world', 'tip')

    def test_orientation_is_a_quaternion(self, env, arm):
        half = math.sqrt(0.5)
        ball = env.joint('ball')
        ball.orientation = [0.0, 0.0, 2.0 * half, 2.0 * half]  # normalised
        np.testing.assert_allclose(ball.orientation, [0, 0, half, half], atol=1e-15)
        np.testing.assert_allclose(env['tip'].pose()[:3, 3], [0, 2, 1], atol=1e-15)
        ball.orientation = [0.0, 0.0, -half, -half]  # the same rotation
        np.testing.assert_allclose(env['tip'].pose()[:3, 3], [0, 2, 1], atol=1e-15)
        for bad in ([0, 0, 0, 0], [0, 0, 1], [math.nan, 0, 0, 1]):
            with pytest.raises(ik_node.InvalidArgumentError, match='quaternion'):
                ball.orientation = bad

    def test_no_position_and_no_limits(self, env, arm):
        ball = env.joint('ball')
        with pytest.raises(ik_node.InvalidStateError, match='spherical'):
            ball.position = 0.0
        with pytest.raises(ik_node.InvalidStateError, match='spherical'):
            ball.limits = (0.0, 1.0)
        with pytest.raises(ik_node.InvalidStateError, match='has no orientation'):
            env.create_joint().orientation = [0, 0, 0, 1]
        assert 'ball' not in env.joint_positions

    @pytest.mark.parametrize('backwards', [False, True])
    def test_columns_are_rotations_about_the_moving_axes(self, env, arm, backwards, rng):
        if backwards:
            arm = env.create_group('back', 'tip', 'world')
        assert arm.joint_names == ('ball/x', 'ball/y', 'ball/z')
        for _ in range(20):
            w = rng.normal(size=3)
            columns = arm.jacobian(w)
            for k in range(3):
                step = 1e-6
                after, before = w.copy(), w.copy()
                rotate_vector_by(after, step * np.eye(3)[k])
                rotate_vector_by(before, -step * np.eye(3)[k])
                T_after, T_before = arm.forward_kinematics(np.array([after, before]))
                linear = (T_after[:3, 3] - T_before[:3, 3]) / (2 * step)
                spin = (T_after[:3, :3] - T_before[:3, :3]) @ arm.forward_kinematics(w)[:3, :3].T
                angular = np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) / (2 * step)
                np.testing.assert_allclose(columns[:, k], np.append(linear, angular), atol=1e-8)

    def test_solve(self, arm, rng):
        for _ in range(50):
            target = arm.forward_kinematics(rng.uniform(-2, 2, size=3))
            result = arm.solve(target, seed=rng.uniform(-2, 2, size=3), timeout=1.0)
            assert result.success
            np.testing.assert_allclose(arm.forward_kinematics(result.q), target, atol=2e-5)

    def test_appending_rotations(self, rng):
        for _ in range(200):
            w, d = rng.normal(size=3) * 2.0, rng.normal(size=3)
            expected = np.reshape(rotation_exp(*w), (3, 3)) @ np.reshape(rotation_exp(*d), (3, 3))
            rotate_vector_by(w, d)
            assert np.linalg.norm(w) <= math.pi + 1e-12
            np.testing.assert_allclose(np.reshape(rotation_exp(*w), (3, 3)), expected, atol=1e-13)


class TestDependencies:
    """Joints that follow other joints."""

    @pytest.fixture
    def pair(self, env):
        """Give a chain of a hinge and a follower, 1 m apart, and a tip 1 m behind."""
        out = np.eye(4)
        out[0, 3] = 1.0
        env.create_joint('hinge')
        env.create_joint('follower', parent='hinge', pose=out)
        env.create_dummy('tip', parent='follower', pose=out)
        return env

    def test_follows_at_once_and_whenever_its_master_moves(self, pair):
        pair.joint('hinge').position = 0.4
        pair.joint('follower').set_dependency('hinge', multiplier=0.5, offset=0.1)
        assert pair.joint('follower').position == pytest.approx(0.3)
        pair.joint('hinge').position = 1.0
        assert pair.joint('follower').position == pytest.approx(0.6)
        with pytest.raises(ik_node.InvalidStateError, match="follows 'hinge'"):
            pair.joint('follower').position = 0.0
        pair.joint('follower').set_dependency(None)
        assert pair.joint('follower').position == pytest.approx(0.6)

    def test_loops_are_refused_and_named(self, pair):
        pair.joint('follower').set_dependency('hinge')
        with pytest.raises(ik_node.ModelError, match='loop: hinge -> follower -> hinge'):
            pair.joint('hinge').set_dependency('follower')
        with pytest.raises(ik_node.ModelError, match='loop: hinge -> hinge'):
            pair.joint('hinge').set_dependency('hinge')
        assert pair.joint('hinge').dependency is None

    def test_prismatic_joint_may_follow_a_revolute_one(self, env):
        env.create_joint('crank')
        env.create_joint('rack', 'prismatic').set_dependency('crank', multiplier=0.05)
        env.joint('crank').position = 2.0
        assert env.joint('rack').position == pytest.approx(0.1)

    def test_function(self, pair):
        def crank(angle):
            return math.asin(0.3 * math.sin(angle))

        pair.joint('follower').set_dependency('hinge', function=crank)
        pair.joint('hinge').position = 0.7
        assert pair.joint('follower').position == pytest.approx(crank(0.7))
        group = pair.create_group('g', 'world', 'tip')
        assert group.joint_names == ('hinge',)
        a, b = 0.7, 0.7 + crank(0.7)
        T = group.forward_kinematics([0.7])
        np.testing.assert_allclose(
            T[:3, 3], [math.cos(a) + math.cos(b), math.sin(a) + math.sin(b), 0], atol=1e-12
        )
        step = 1e-6
        after, before = group.forward_kinematics([[0.7 + step], [0.7 - step]])
        np.testing.assert_allclose(
            group.jacobian([0.7])[:3, 0], (after - before)[:3, 3] / (2 * step), atol=1e-7
        )

    def test_solve_through_a_function(self, pair, rng):
        pair.joint('follower').set_dependency('hinge', function=lambda q: q + 0.2 * math.sin(q))
        group = pair.create_group('g', 'world', 'tip')
        for q in rng.uniform(-3, 3, size=20):
            target = group.forward_kinematics([q])
            result = group.solve(target, seed=[0.0], timeout=10.0, max_starts=50)
            assert result.success, result.message
            np.testing.assert_allclose(group.forward_kinematics(result.q), target, atol=2e-5)
        found = group.find_configs(target, [0.0], max_draws=30, threshold=1.0, timeout=10.0)
        assert found.success

    def test_function_must_be_callable(self, pair):
        with pytest.raises(ik_node.InvalidArgumentError, match='must be callable'):
            pair.joint('follower').set_dependency('hinge', function=3.0)


def test_passive_joint_is_no_column_and_keeps_its_position(env):
    tilt = np.eye(4)
    tilt[:3, :3] = matrix_from_rpy(math.pi / 2, 0.0, 0.0)
    env.create_joint('a')
    env.create_joint('b', parent='a', pose=tilt, position=0.4, passive=True)
    env.create_joint('c', parent='b')
    env.create_dummy('tip', parent='c')
    group = env.create_group('g', 'world', 'tip')
    assert group.joint_names == ('a', 'c')
    before = group.forward_kinematics([0.0, 0.0])
    env.joint('b').position = 0.9
    assert not np.allclose(group.forward_kinematics([0.0, 0.0]), before)
