# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets at singularities and limits, half turns, tiny tolerances, and what cannot be."""

from __future__ import annotations

import math
import time

import ik_node
from ik_node.solvers.status import SolveStatus
import numpy as np
import pytest

ARMS = {
    'panda': ('panda_link0', 'panda_hand_tcp'),
    'ur5e': ('base_link', 'tool0'),
    'iiwa14': ('base', 'flange'),
}


@pytest.fixture(params=ARMS)
def arm(request, shipped_robot):
    """Give an arm."""
    env = ik_node.Environment.from_urdf(shipped_robot(request.param))
    return env.create_group('arm', *ARMS[request.param])


def uniform(arm, count, rng):
    """Draw configurations inside the limits."""
    return rng.uniform(arm.lower, arm.upper, (count, len(arm.lower)))


def assert_solved(arm, result, target, tolerance=2e-5):
    assert result.success, result
    np.testing.assert_allclose(arm.forward_kinematics(result.q), target, atol=tolerance)
    assert (result.q >= arm.lower).all()
    assert (result.q <= arm.upper).all()


def test_joints_at_zero_and_at_limits(arm, rng):
    q = uniform(arm, 400, rng)
    kind, low = rng.random(q.shape), rng.random(q.shape) < 0.5
    q = np.where(kind < 0.2, np.where(low, arm.lower, arm.upper), q)
    q = np.where(kind > 0.6, np.clip(0.0, arm.lower, arm.upper), q)
    for target, seed in zip(arm.forward_kinematics(q), uniform(arm, 400, rng), strict=True):
        assert_solved(arm, arm.solve(target, seed, timeout=1.0), target)


def test_all_joints_at_limits(arm, rng):
    for _ in range(60):
        q = np.where(rng.random(len(arm.lower)) < 0.5, arm.lower, arm.upper)
        target = arm.forward_kinematics(q)
        assert_solved(arm, arm.solve(target, uniform(arm, 1, rng)[0], timeout=1.0), target)


def test_the_stretched_arm(arm, rng):
    zero = np.clip(np.zeros(len(arm.lower)), arm.lower, arm.upper)
    for seed in uniform(arm, 20, rng):
        target = arm.forward_kinematics(zero)
        assert_solved(arm, arm.solve(target, seed, timeout=1.0), target)


@pytest.mark.parametrize('tolerance', [1e-3, 1e-8, 1e-10])
def test_tolerances_are_kept(arm, rng, tolerance):
    for q, seed in zip(uniform(arm, 100, rng), uniform(arm, 100, rng), strict=True):
        target = arm.forward_kinematics(q)
        result = arm.solve(
            target, seed, position_tolerance=tolerance, orientation_tolerance=tolerance, timeout=1
        )
        assert_solved(arm, result, target, tolerance=2.0 * tolerance)
        assert result.position_error <= tolerance
        assert result.orientation_error <= tolerance


@pytest.mark.parametrize('joint', range(3))
def test_exact_half_turns_of_the_tip(shipped_robot, joint):
    arm = ik_node.Environment.from_urdf(shipped_robot('ur5e')).create_group('arm', *ARMS['ur5e'])
    seed = np.array([0.3, -1.2, 1.5, -0.6, 1.1, 0.2])
    for turn in (math.pi, -math.pi, math.nextafter(math.pi, 4.0), math.pi - 1e-9):
        q = seed.copy()
        q[5 - joint] += turn
        target = arm.forward_kinematics(q)
        assert_solved(arm, arm.solve(target, seed, timeout=1.0), target)
        if joint == 0:  # the axis of the turn is that of the joint: the seed alone leads there
            assert_solved(arm, arm.solve(target, seed, max_starts=1), target)


class TestWhatCannotBe:
    def test_no_proof_and_yet_quick(self, shipped_robot, rng):
        arm = ik_node.Environment.from_urdf(shipped_robot('panda')).create_group(
            'arm', *ARMS['panda']
        )
        places = arm.forward_kinematics(uniform(arm, 400, rng))
        turns = arm.forward_kinematics(uniform(arm, 400, rng))
        places[:, :3, :3] = turns[:, :3, :3]
        began, given_up, sentences = time.monotonic(), 0, []
        for target in places:
            result = arm.solve(target, timeout=2.0)
            assert result.status is not SolveStatus.TIMED_OUT or result.elapsed >= 2.0
            if not result.success:
                sentences.append(result.message)
                assert np.isfinite(result.q).all()
                assert (result.q >= arm.lower).all()
                assert (result.q <= arm.upper).all()
                T = arm.forward_kinematics(result.q)
                assert result.position_error == pytest.approx(
                    np.linalg.norm(T[:3, 3] - target[:3, 3]), abs=1e-7
                )
                given_up += result.elapsed < 0.5
        assert given_up > 50
        # Proofs, limits, and orientations that are not reached at a position that is.
        assert any('out of reach' in s for s in sentences)
        assert any('without' in s and 'limits' in s for s in sentences)
        assert time.monotonic() - began < 60.0

    def test_an_orientation_that_is_not_reached_at_its_position(self):
        # Three links in a plane, the last joint follows the first: any position of the tip, with
        # one orientation for each elbow. Each joint for itself could turn anywhere: no proof.
        env = ik_node.Environment()
        along = np.eye(4)
        along[0, 3] = 1.0
        env.create_joint('j1', 'revolute')
        env.create_joint('j2', 'revolute', parent='j1', pose=along)
        env.create_joint('j3', 'revolute', parent='j2', pose=along)
        env.create_dummy('tip', parent='j3', pose=along)
        env.joint('j3').set_dependency('j1')
        arm = env.create_group('arm', 'world', 'tip')
        target = arm.forward_kinematics([0.4, 2.0])
        c, s = math.cos(0.5), math.sin(0.5)
        target[:3, :3] = target[:3, :3] @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        result = arm.solve(target, timeout=1.0)
        assert result.status is SolveStatus.NOT_FOUND
        assert 'the position alone was: with another orientation' in result.message
        assert result.elapsed < 0.5

    def test_the_best_configuration_is_told(self, arm, rng):
        target = arm.forward_kinematics(uniform(arm, 1, rng)[0])
        target[:3, 3] += [0.0, 0.0, 3.0]
        result = arm.solve(target)
        assert result.status is SolveStatus.UNREACHABLE
        T = arm.forward_kinematics(result.q)
        left = np.linalg.norm(T[:3, 3] - target[:3, 3])
        assert result.position_error == pytest.approx(left, abs=1e-9)
        assert f'{left:.3g} m' in result.message


def slides(*limits):
    """Give a gantry: slides along x, y, z with these limits."""
    env = ik_node.Environment()
    turn = np.eye(4)
    turn[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    parent = None
    for i, (lower, upper) in enumerate(limits):
        env.create_joint(
            f's{i}', 'prismatic', parent=parent, pose=turn, limits=(lower, upper)
        )  # fmt: skip
        parent = f's{i}'
    env.create_dummy('tip', parent=parent)
    return env.create_group('gantry', 'world', 'tip')


class TestLongTravel:
    def test_a_long_gantry_is_not_given_up(self, rng):
        gantry = slides((-500.0, 500.0), (-500.0, 500.0), (-500.0, 500.0))
        targets = gantry.forward_kinematics(rng.uniform(-500.0, 500.0, (40, 3)))
        seeds = rng.uniform(-500.0, 500.0, (40, 3))
        for target, seed in zip(targets, seeds, strict=True):
            assert_solved(gantry, gantry.solve(target, seed, timeout=1.0), target)
        assert gantry.solve_batch(targets, seeds).success.all()

    def test_a_slide_without_end_is_followed(self):
        slide = slides((-math.inf, math.inf))
        target = slide.forward_kinematics([0.0])
        assert_solved(slide, slide.solve(target, [100.0], timeout=1.0), target)


class TestBounds:
    def test_an_answer_is_never_beyond_a_limit_by_rounding(self):
        env = ik_node.Environment()
        lower, upper = -5.727092419530209, 2.588258788210524
        env.create_joint('j', 'revolute', limits=(lower, upper))
        along = np.eye(4)
        along[0, 3] = 0.3
        env.create_dummy('tip', parent='j', pose=along)
        arm = env.create_group('arm', 'world', 'tip')
        for seed in (3.4915496704878897, 2.5, -5.7, 0.0):
            for end in (lower, upper):
                result = arm.solve(arm.forward_kinematics([end]), [seed], timeout=1.0)
                assert result.success
                assert lower <= result.q[0] <= upper

    def test_huge_seeds_end_inside_the_limits(self):
        env = ik_node.Environment()
        env.create_joint('j', 'revolute', limits=(0.0, 5.0))
        env.create_dummy('tip', parent='j')
        arm = env.create_group('arm', 'world', 'tip')
        target = arm.forward_kinematics([3149.7714288072893])
        for seed in (1e16, 1e18, 1e20, -1e20, 1e300):
            results = (
                arm.solve(target, [seed]).q,
                arm.solve(target, [seed], max_starts=1).q,
                arm.solve(target, [seed], prefer='nearest').q,
                arm.solve_batch([target], [seed]).q[0],
            )
            for q in results:
                assert 0.0 <= q[0] <= 5.0

    def test_what_has_no_finite_error_stays_inside_too(self, arm):
        target = arm.forward_kinematics()
        target[0, 3] = 1e155
        seed = np.full(len(arm.lower), 100.0)
        for q in (arm.solve(target, seed).q, arm.solve_batch([target], seed).q[0]):
            assert (q >= arm.lower).all()
            assert (q <= arm.upper).all()

    def test_limits_far_from_zero_are_not_blamed(self, rng):
        env = ik_node.Environment()
        far = 2.0 * math.pi * 400
        env.create_joint('j0', 'revolute', limits=(far, far + 3.0))
        along = np.eye(4)
        along[0, 3] = 1.0
        env.create_joint('j1', 'revolute', parent='j0', pose=along, limits=(0.0, 1.0))
        env.create_dummy('tip', parent='j1', pose=along)
        arm = env.create_group('arm', 'world', 'tip')
        target = arm.forward_kinematics([far + 1.0, 2.0])  # j1 beyond its limit
        result = arm.solve(target, timeout=1.0)
        assert result.status is SolveStatus.BLOCKED_BY_LIMITS
        assert 'without the limits of j1;' in result.message
