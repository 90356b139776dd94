# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Least-squares answers where there is no solution, and what could have been asked for instead."""

from __future__ import annotations

import math

from ik_node import (
    Environment,
    InvalidOptionError,
    SolveStatus,
    Transform6D,
    Translation3D,
    TranslationDirection5D,
)
import numpy as np
import pytest

TIMEOUT = {'timeout': 0.5}


@pytest.fixture
def gantry(build):
    """Make three slides, as in curobo's issue 493."""
    twin = build.gantry('xyz', limits=(0.0, 2.0))
    return twin.env.create_group('gantry', 'world', 'tip')


@pytest.fixture
def five(build):
    """Make an arm of five joints: two at the base, an elbow, a wrist, a roll about the tool."""
    twin = build.Twin()
    twin.joint('pan')
    twin.joint('lift', parent='pan', T=build.pose(z=0.3, vector=(math.pi / 2, 0.0, 0.0)))
    twin.joint('elbow', parent='lift', T=build.pose(x=0.4))
    twin.joint('wrist', parent='elbow', T=build.pose(x=0.4))
    twin.joint('roll', parent='wrist', T=build.pose(x=0.1, vector=(0.0, math.pi / 2, 0.0)))
    twin.dummy('tool', 'roll', build.pose(z=0.1))
    return twin.env.create_group('five', 'world', 'tool')


def turned(build, T, *vector):
    T = T.copy()
    T[:3, :3] = T[:3, :3] @ build.turn(*vector)
    return T


class TestGantry:
    def test_what_it_can_do_it_does(self, gantry, build):
        result = gantry.solve(build.pose(0.5, 0.7, 0.9), [0.0, 0.0, 0.0])
        assert result.success
        assert not result.approximate
        np.testing.assert_allclose(result.q, [0.5, 0.7, 0.9], atol=1e-6)

    def test_what_it_cannot_do_is_told(self, gantry, build):
        target = build.pose(0.5, 0.7, 0.9, (0.0, 0.0, 0.1))
        result = gantry.solve(target, [0.0, 0.0, 0.0], **TIMEOUT)
        assert not result.success
        assert not result.approximate
        assert 'orientation out of reach' in result.message
        # The turn was about z.
        fitting = 'a TranslationDirection5D or a Translation3D;'
        assert f'what asks for less was found, {fitting}' in result.message
        assert gantry.solve(TranslationDirection5D(target[:3, 3], [0, 0, 1])).success

    def test_tilted_only_the_position_is_left(self, gantry, build):
        target = build.pose(0.5, 0.7, 0.9, (0.1, 0.0, 0.0))
        result = gantry.solve(target, [0.0, 0.0, 0.0], **TIMEOUT)
        assert 'what asks for less was found, a Translation3D;' in result.message
        assert gantry.solve(Translation3D(target[:3, 3])).success

    def test_approximate(self, gantry, build):
        target = build.pose(0.5, 0.7, 0.9, (0.1, 0.0, 0.0))
        result = gantry.solve(target, [0.0, 0.0, 0.0], approximate=True)
        assert result.status is SolveStatus.UNREACHABLE
        assert not result.success
        assert result.approximate
        np.testing.assert_allclose(result.q, [0.5, 0.7, 0.9], atol=1e-4)
        assert result.orientation_error == pytest.approx(0.1)
        assert result.position_error < 1e-4
        assert 'least-squares answer misses the target by' in result.message
        assert 'and 0.1 rad' in result.message

    def test_approximate_stays_inside_the_limits(self, gantry, build):
        result = gantry.solve(build.pose(3.0, 0.7, -1.0), [1.0, 1.0, 1.0], approximate=True)
        assert result.approximate
        np.testing.assert_allclose(result.q, [2.0, 0.7, 0.0], atol=1e-4)
        assert result.position_error == pytest.approx(math.sqrt(2.0))
        assert result.limit_hits == ('x', 'z')


class TestFiveJoints:
    def test_a_direction_leaves_the_roll_where_it_is(self, five, build):
        seed = np.array([0.2, 0.5, -0.8, 0.4, 0.7])
        T = five.forward_kinematics(seed + [0.1, -0.1, 0.1, 0.1, 0.0])
        result = five.solve(TranslationDirection5D(T[:3, 3], T[:3, 2]), seed)
        assert result.success
        assert result.q[4] == pytest.approx(0.7, abs=1e-3)

    def test_the_type_that_fits_is_named(self, five, build):
        q = [0.2, 0.5, -0.8, 0.4, 0.0]
        # A tilt out of the plane of the arm, which nothing can make at this position.
        tilted = turned(build, five.forward_kinematics(q), 0.0, 0.4, 0.0)
        if five.solve(tilted, q, **TIMEOUT).success:
            tilted = turned(build, five.forward_kinematics(q), 0.4, 0.0, 0.0)
        result = five.solve(tilted, q, **TIMEOUT)
        assert not result.success
        assert 'what asks for less was found, a Translation3D;' in result.message

    def test_the_residual_is_a_local_minimum(self, five, build, rng):
        for _ in range(5):
            q = rng.uniform(-1.0, 1.0, 5)
            target = turned(build, five.forward_kinematics(q), *rng.uniform(-0.5, 0.5, 3))
            result = five.solve(target, q, approximate=True, **TIMEOUT)
            if result.success:
                continue
            assert result.approximate
            judge = Transform6D.from_pose(target)
            errors = judge.errors(five.forward_kinematics(result.q))
            assert (result.position_error, result.orientation_error) == pytest.approx(
                errors, abs=1e-6
            )

            def energy(q, judge=judge):
                position, orientation = judge.errors(five.forward_kinematics(q))
                return (2.0 * position) ** 2 + orientation**2

            least = energy(result.q)
            for _ in range(50):
                assert energy(result.q + 1e-3 * rng.standard_normal(5)) >= least - 1e-9


class TestScara:
    @pytest.fixture
    def scara(self, shipped_robot):
        env = Environment.from_urdf(shipped_robot('scara'))
        return env.create_group('arm', 'base_link', 'tool0')

    def test_a_pose_with_the_quill_upright_is_reached(self, scara, rng):
        for _ in range(20):
            q, seed = rng.uniform(scara.lower, scara.upper, (2, 4))
            target = scara.forward_kinematics(q)
            result = scara.solve(target, seed, **TIMEOUT)
            assert result.success, result.message
            errors = Transform6D.from_pose(target).errors(scara.forward_kinematics(result.q))
            assert errors <= (1.001e-6, 1.001e-5)

    def test_a_tilted_one_is_not_and_the_rest_of_it_is_named(self, scara, build):
        q = np.array([0.4, 0.9, -0.05, 0.3])
        target = turned(build, scara.forward_kinematics(q), 0.1, 0.0, 0.0)
        result = scara.solve(target, q, **TIMEOUT)
        assert result.status is SolveStatus.UNREACHABLE
        assert 'orientation out of reach' in result.message
        assert 'what asks for less was found, a Translation3D;' in result.message
        assert not result.approximate
        result = scara.solve(target, q, approximate=True)
        assert not result.success
        assert result.approximate
        judge = Transform6D.from_pose(target)
        errors = judge.errors(scara.forward_kinematics(result.q))
        assert errors == pytest.approx((0.0, 0.1), abs=1e-6)
        assert (result.position_error, result.orientation_error) == pytest.approx(errors, abs=1e-9)


def test_more_than_six_joints_are_told_too(build):
    twin = build.planar([1.0, 1.0, 1.0])
    arm = twin.env.create_group('arm', 'world', 'tip')
    target = build.pose(1.5, 0.5, 0.0, (0.3, 0.0, 0.0))
    result = arm.solve(target, [0.1, 0.2, 0.3], **TIMEOUT)
    assert not result.success
    assert 'a Translation3D;' in result.message


def test_a_solution_is_no_approximation(rng):
    env = Environment.from_urdf('config/robots/panda.urdf')
    arm = env.create_group('arm', 'panda_link0', 'panda_hand')
    q = rng.uniform(arm.lower, arm.upper)
    target, seed = arm.forward_kinematics(q), rng.uniform(arm.lower, arm.upper)
    plain, result = arm.solve(target, seed), arm.solve(target, seed, approximate=True)
    assert result.success
    assert not result.approximate
    np.testing.assert_array_equal(result.q, plain.q)
    assert result.message == plain.message
    assert repr(result).startswith('SolveResult(SUCCESS')


def test_the_same_request_gives_the_same_answer(five, build):
    target = build.pose(2.0, 0.3, 0.4, (0.2, 0.1, 0.4))
    answers = [five.solve(target, np.zeros(5), max_starts=20, approximate=True) for _ in range(3)]
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer.q, answers[0].q)


def test_several_arms(build):
    twin = build.gantry('x', limits=(-1.0, 1.0))
    twin.joint('other', 'prismatic', limits=(-1.0, 1.0))
    twin.dummy('end', 'other')
    group = twin.env.create_group('both', empty=True)
    group.add_element('tip')
    group.add_element('end')
    targets = {'tip': Translation3D([0.5, 0, 0]), 'end': Translation3D([0.3, 0, 0.4])}
    result = group.solve(targets, [0.0, 0.0], approximate=True, **TIMEOUT)
    assert result.approximate
    np.testing.assert_allclose(result.q, [0.5, 0.4], atol=1e-4)
    assert result.position_error == pytest.approx(0.3)


@pytest.mark.parametrize('method', ['dls', 'transpose'])
def test_by_other_methods(method, gantry, build):
    target = build.pose(0.5, 0.7, 0.9, (0.1, 0.0, 0.0))
    result = gantry.solve(target, [0.0, 0.0, 0.0], method=method, approximate=True)
    assert result.approximate
    np.testing.assert_allclose(result.q, [0.5, 0.7, 0.9], atol=1e-4)


def test_approximate_is_a_bool(gantry):
    with pytest.raises(InvalidOptionError, match='approximate is 3; it must be a bool'):
        gantry.solve(np.eye(4), approximate=3)
