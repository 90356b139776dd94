# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of which a part counts: the part holds, the rest may be anything."""

from __future__ import annotations

import math

import ik_node
from ik_node import Constraint, SolveStatus
import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.judge import Judge  # noqa: E402 - after the skip

BASE, TIP = 'panda_link0', 'panda_hand_tcp'


@pytest.fixture(scope='module')
def judge(shipped_robot):
    """Give Pinocchio's Panda."""
    return Judge(shipped_robot('panda'), BASE, TIP)


@pytest.fixture
def panda(shipped_robot):
    """Give the environment of the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda'))


def element_of(env, constraints, base=BASE, tip=TIP):
    """Make a group of one element."""
    group = env.create_group('partial', empty=True)
    return group, group.add_element(tip, base, constraints=constraints)


def draw(group, rng):
    """Draw a configuration inside the limits."""
    return rng.uniform(group.lower, group.upper)


@pytest.mark.parametrize('constraints', range(32))
def test_every_combination(constraints, panda, judge, misses, rng):
    group, _ = element_of(panda, constraints)
    free = 0.0
    for _ in range(40):
        target, seed = judge.pose(draw(group, rng)), draw(group, rng)
        result = group.solve(target, seed, timeout=1.0)
        assert result.success, result.message
        assert judge.inside(result.q[np.newaxis], 0.0)[0]
        T = judge.pose(result.q)
        distance, angle = misses(T, target, constraints)
        assert distance <= 1e-6
        assert angle <= 1e-5
        assert result.position_error == pytest.approx(distance, abs=1e-9)
        assert result.orientation_error == pytest.approx(angle, abs=1e-7)
        free = max(free, *misses(T, target, 31))
        if constraints == 0:
            np.testing.assert_array_equal(result.q, seed)
            assert result.iterations == 0
    assert (free < 1e-4) == (constraints == 31)


@pytest.mark.parametrize('constraints', [1, 2, 3, 6, 7, 13, 23])
@pytest.mark.parametrize('riding', [False, True])
def test_axes_of_the_position(constraints, riding, panda, judge, misses, rng):
    T_base_axes = judge.pose(rng.uniform(judge.lower, judge.upper))
    if riding:
        axes = panda.create_dummy('axes', 'panda_link5')
    else:
        axes = panda.create_dummy('axes', BASE, T_base_axes)
    group, element = element_of(panda, constraints)
    element.constraints_base = axes
    for _ in range(20):
        target = judge.pose(draw(group, rng))
        result = group.solve(target, draw(group, rng), timeout=1.0)
        assert result.success
        R = T_base_axes[:3, :3]
        if riding:
            R = panda.link_pose('panda_link5', BASE, positions=group.named_positions(result.q))
        distance, angle = misses(judge.pose(result.q), target, constraints, R[:3, :3])
        assert distance <= 1e-6
        assert angle <= 1e-5


def test_the_base_need_not_be_the_root(panda, misses, rng):
    group, _ = element_of(panda, Constraint.POSITION, base='panda_link3')
    assert group.joint_names == tuple(f'panda_joint{i}' for i in (4, 5, 6, 7))
    for _ in range(20):
        panda.set_joint_positions({'panda_joint1': rng.uniform(-1.0, 1.0)})
        positions = group.named_positions(draw(group, rng))
        target = panda.link_pose(TIP, 'panda_link3', positions=positions)
        result = group.solve(target, timeout=1.0)
        assert result.success
        positions = group.named_positions(result.q)
        T = panda.link_pose(TIP, 'panda_link3', positions=positions)
        assert misses(T, target, 7)[0] <= 1e-6


def test_from_the_hand_to_the_base(panda, misses, rng):
    # The chain is traversed backwards: the tip is the foot of the robot.
    group, _ = element_of(panda, Constraint.POSITION | Constraint.ALPHA_BETA, base=TIP, tip=BASE)
    for _ in range(20):
        positions = group.named_positions(draw(group, rng))
        target = panda.link_pose(BASE, TIP, positions=positions)
        result = group.solve(target, draw(group, rng), timeout=1.0)
        assert result.success
        T = panda.link_pose(BASE, TIP, positions=group.named_positions(result.q))
        distance, angle = misses(T, target, 15)
        assert distance <= 1e-6
        assert angle <= 1e-5


@pytest.mark.parametrize('constraints', [3, 7, 15, 23, 24])
def test_batch(constraints, panda, judge, misses, rng):
    group, _ = element_of(panda, constraints)
    configs = np.array([draw(group, rng) for _ in range(300)])
    targets = judge.poses(configs)
    result = group.solve_batch(targets, configs[::-1])
    assert result.success.all()
    for T, target in zip(judge.poses(result.q), targets, strict=True):
        distance, angle = misses(T, target, constraints)
        assert distance <= 1e-6
        assert angle <= 1e-5


def test_configurations_differ_and_hold_their_part(panda, judge, misses, rng):
    group, _ = element_of(panda, Constraint.POSITION)
    target = judge.pose(draw(group, rng))
    found = group.find_configs(target, max_configs=12, timeout=5.0)
    assert len(found.configs) == 12
    for T in judge.poses(found.configs):
        assert misses(T, target, 7)[0] <= 1e-6


def test_nearest_slides_along_what_is_free(panda, judge, rng):
    group, element = element_of(panda, Constraint.POSITION)
    wins = 0
    for _ in range(20):
        target, seed = judge.pose(draw(group, rng)), draw(group, rng)
        element.constraints = Constraint.POSITION
        free = group.solve(target, seed, prefer='nearest', timeout=1.0)
        element.constraints = Constraint.POSE
        whole = group.solve(target, seed, prefer='nearest', timeout=1.0)
        assert free.success
        wins += np.linalg.norm(free.q - seed) < np.linalg.norm(whole.q - seed)
    assert wins >= 19


def test_nearest_slides_where_joints_are_as_many_as_rows_of_a_pose(shipped_robot, rng):
    arm = ik_node.Environment.from_urdf(shipped_robot('ur5e'))
    group, _ = element_of(arm, Constraint.POSITION, 'base_link', 'tool0')
    for _ in range(10):
        target, seed = group.forward_kinematics(draw(group, rng)), draw(group, rng)
        result = group.solve(target, seed, prefer='nearest', timeout=1.0)
        assert result.success
        # Of 64 configurations that only happen to be where they are none is as near.
        found = group.find_configs(target, seed, max_configs=64, timeout=5.0)
        assert np.linalg.norm(result.q - seed) < np.linalg.norm(found.configs[0] - seed)


class TestWhatCannotBe:
    @pytest.mark.parametrize('constraints', [7, 15, 23])
    def test_a_position_out_of_reach_is_proven(self, constraints, panda, judge, rng):
        group, _ = element_of(panda, constraints)
        target = judge.pose(draw(group, rng))
        target[:3, 3] *= 2.0 / np.linalg.norm(target[:3, 3])
        result = group.solve(target, timeout=1.0)
        assert result.status is SolveStatus.UNREACHABLE
        assert result.message.startswith('out of reach: ')
        assert 'm from' in result.message
        (batch,) = group.solve_batch([target]).status
        assert batch == SolveStatus.UNREACHABLE

    def test_the_orientation_of_a_position_never_matters(self, panda, judge, rng):
        # With the tip turned inwards the wrist would be out of reach.
        group, element = element_of(panda, Constraint.POSITION)
        zero = np.clip(np.zeros(7), group.lower, group.upper)
        target = judge.pose(zero)
        turns = [judge.pose(draw(group, rng))[:3, :3] for _ in range(20)]
        seed, answers = draw(group, rng), set()
        for R in turns:
            target[:3, :3] = R
            result = group.solve(target, seed, timeout=1.0)
            assert result.success
            answers.add(result.q.tobytes())
        assert len(answers) == 1

    @pytest.mark.parametrize('constraints', [1, 2, 4, 5, 6, 3])
    def test_no_proof_of_less_than_a_position(self, constraints, panda, judge, misses, rng):
        # Far away in what is free.
        group, _ = element_of(panda, constraints)
        target = judge.pose(draw(group, rng))
        target[[not constraints & bit for bit in (1, 2, 4)] + [False], 3] = 50.0
        result = group.solve(target, timeout=1.0)
        assert result.success
        assert misses(judge.pose(result.q), target, constraints)[0] <= 1e-6

    @pytest.mark.parametrize(
        ('constraints', 'offset'), [(1, (5.0, 0.0, 0.0)), (3, (0.0, 5.0, 0.0))]
    )
    def test_nothing_is_said_of_an_orientation_that_is_free(
        self, constraints, offset, panda, judge
    ):
        group, _ = element_of(panda, constraints)
        target = judge.pose(0.5 * (group.lower + group.upper))
        target[:3, 3] += offset
        result = group.solve(target, timeout=1.0)
        assert not result.success
        assert 'position alone' not in result.message
        assert result.position_error > 3.0
        assert result.orientation_error == 0.0

    def test_nothing_is_said_of_a_position_that_is_free(self):
        env = ik_node.Environment()
        env.create_joint('j', 'revolute', limits=(-1.0, 1.0))
        env.create_dummy('tip', 'j')
        group, _ = element_of(env, Constraint.GAMMA, None, 'tip')
        target = np.eye(4)
        c, s = math.cos(2.0), math.sin(2.0)
        target[:2, :2] = [[c, -s], [s, c]]
        target[:3, 3] = 9.0
        result = group.solve(target, timeout=1.0)
        assert not result.success
        assert 'position alone' not in result.message
        assert result.position_error == 0.0
        assert result.orientation_error == pytest.approx(1.0, abs=1e-6)


class TestOneTipTwice:
    def test_position_of_one_and_direction_of_the_other(self, panda, judge, misses, rng):
        group, _ = element_of(panda, Constraint.POSITION)
        group.add_element(TIP, BASE, constraints=Constraint.ALPHA_BETA)
        for _ in range(20):
            whole = judge.pose(draw(group, rng))
            targets = np.stack([whole, whole])
            targets[0, :3, :3], targets[1, :3, 3] = np.eye(3), 9.0
            result = group.solve(targets, draw(group, rng), timeout=1.0)
            assert result.success
            distance, angle = misses(judge.pose(result.q), whole, 15)
            assert distance <= 1e-6
            assert angle <= 1e-5

    def test_what_contradicts_itself_is_not_found(self, panda, judge, rng):
        group, _ = element_of(panda, Constraint.POSITION)
        group.add_element(TIP, BASE, constraints=Constraint.POSITION)
        here = judge.pose(0.5 * (group.lower + group.upper))
        there = here.copy()
        there[2, 3] += 0.02
        result = group.solve(np.stack([here, there]), timeout=0.02)
        assert result.status in (SolveStatus.NOT_FOUND, SolveStatus.TIMED_OUT)
        assert result.position_error == pytest.approx(0.01, abs=1e-4)  # in the middle
        assert 'position alone' not in result.message
        same = group.solve(np.stack([here, here]), timeout=1.0)
        assert same.success

    def test_six_elements(self, panda, judge, misses, rng):
        group, _ = element_of(panda, 1)
        for constraints in (2, 4, 8, 16, 0):
            group.add_element(TIP, BASE, constraints=constraints)
        target = judge.pose(draw(group, rng))
        result = group.solve(np.stack([target] * 6), draw(group, rng), timeout=5.0)
        assert result.success
        distance, angle = misses(judge.pose(result.q), target, 31)
        assert distance <= 2e-6
        assert angle <= 3e-5
