# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Every update of the controlled iteration, by hand on small mechanisms.

The planar arm has two links of 1 m. At q = (0, pi/2) its tip is at (1, 1) and the position rows of
J are [[-1, -1], [1, 0]].
"""

from __future__ import annotations

import math
import time

from ik_node import Environment, IKOptions, SolveStatus
from ik_node.kernels import step
from ik_node.kernels.rotations import matrix_from_rpy
from ik_node.model.objects import WORLD
from ik_node.model.tables import compile_tables, compile_tasks, Task
from ik_node.solvers import descent
from ik_node.solvers.descent import descend
from ik_node.solvers.kinematics import forward_kinematics
import numpy as np
import pytest

BENT = np.array([0.0, math.pi / 2])


def pose(x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    """Make a pose from position and URDF angles."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rpy(float(roll), float(pitch), float(yaw))
    T[:3, 3] = x, y, z
    return T


def tables_of(env):
    """Compile the chain from the world to the tip."""
    return env.create_group('arm', 'world', 'tip').tables_at(env.scene)


def run(tables, target, seed, **fields):
    """Iterate towards one pose."""
    options = IKOptions(**{'timeout': 10.0, **fields})
    return descend(tables, target[np.newaxis], np.array(seed, dtype=float), options)


@pytest.fixture(scope='module')
def planar():
    """Give the tables of the planar arm; its joints have no limits."""
    env = Environment()
    env.create_joint('j1', 'revolute')
    env.create_joint('j2', 'revolute', 'j1', pose(x=1.0))
    env.create_dummy('tip', 'j2', pose(x=1.0))
    return tables_of(env)


@pytest.fixture(scope='module')
def slide():
    """Give the tables of a slide along z from 0 to 0.5 m."""
    env = Environment()
    env.create_joint('slide', 'prismatic', limits=(0.0, 0.5))
    env.create_dummy('tip', 'slide')
    return tables_of(env)


@pytest.fixture(scope='module')
def ball():
    """Give the tables of a spherical joint with the tip in its centre."""
    env = Environment()
    env.create_joint('ball', 'spherical')
    env.create_dummy('tip', 'ball')
    return tables_of(env)


@pytest.fixture(scope='module')
def wheel():
    """Give the tables of a joint about z from -pi to pi with the tip on its axis: J = 1 for z."""
    env = Environment()
    env.create_joint('wheel', 'revolute', limits=(-math.pi, math.pi))
    env.create_dummy('tip', 'wheel')
    return tables_of(env)


@pytest.fixture(scope='module')
def panda(shipped_robot):
    """Give the shipped Panda."""
    return Environment.from_urdf(shipped_robot('panda')).create_group(
        'arm', 'panda_link0', 'panda_hand_tcp'
    )


def first_update(tables, target, seed, **fields):
    """Make one update; it must have brought the tip nearer."""
    outcome = run(tables, target, seed, max_iterations=1, **fields)
    assert outcome.report[step.ITERATIONS] == 1
    return outcome.q - seed


def shift(x, y):
    """Place the target beside the tip of the bent arm, for the position alone."""
    return pose(1.0 + x, 1.0 + y)


class TestUpdate:
    """One update of each method, worked out by hand."""

    def one(self, planar, x, y, **fields):
        fields = {'max_step': math.inf, **fields}
        return first_update(planar, shift(x, y), BENT, use_orientation=False, **fields)

    def test_damped(self, planar):
        # J J^T + I = [[3, -1], [-1, 2]], inverse [[2, 1], [1, 3]] / 5, times (0.1, 0), then J^T.
        dq = self.one(planar, 0.1, 0.0, inverse_method='dls', damping=1.0)
        np.testing.assert_allclose(dq, [-0.02, -0.04], atol=1e-15)

    def test_damping_is_squared(self, planar):
        # J J^T + I / 4 = [[2.25, -1], [-1, 1.25]] with the determinant 1.8125.
        dq = self.one(planar, 0.1, 0.0, inverse_method='dls', damping=0.5)
        np.testing.assert_allclose(dq, np.array([-0.025, -0.125]) / 1.8125, atol=1e-15)

    @pytest.mark.parametrize(
        'fields',
        [
            {'inverse_method': 'pinv'},
            {'inverse_method': 'svd'},
            {'inverse_method': 'dls', 'damping': 0.0},
        ],
    )
    def test_undamped(self, planar, fields):
        # The inverse of [[-1, -1], [1, 0]] is [[0, 1], [-1, -1]].
        dq = self.one(planar, 0.1, 0.02, **fields)
        np.testing.assert_allclose(dq, [0.02, -0.12], atol=1e-14)

    @pytest.mark.parametrize('gain', [0.25, 0.5])
    def test_transposed(self, planar, gain):
        dq = self.one(planar, 0.1, 0.02, inverse_method='transpose', transpose_gain=gain)
        np.testing.assert_allclose(dq, [gain * -0.08, gain * -0.1], atol=1e-15)

    def test_step_size(self, planar):
        dq = self.one(planar, 0.1, 0.02, inverse_method='pinv', step_size=0.5)
        np.testing.assert_allclose(dq, [0.01, -0.06], atol=1e-14)

    def test_largest_step_keeps_the_direction(self, planar):
        # (0.03, -0.04) would be made, twice the largest component.
        dq = self.one(planar, 0.01, 0.03, inverse_method='pinv', max_step=0.02)
        np.testing.assert_allclose(dq, [0.015, -0.02], atol=1e-14)

    def test_step_size_comes_before_the_largest_step(self, planar):
        dq = self.one(planar, 0.01, 0.03, inverse_method='pinv', max_step=0.02, step_size=0.5)
        np.testing.assert_allclose(dq, [0.015, -0.02], atol=1e-14)

    @pytest.mark.parametrize('method', ['pinv', 'svd'])
    def test_eigenvalues_are_compared_with_the_squared_tolerance(self, method):
        # On a lever of 0.01 m the eigenvalue of J J^T is 1e-4, between 0.005^2 and 0.02^2.
        env = Environment()
        env.create_joint('lever', 'revolute')
        env.create_dummy('tip', 'lever', pose(x=0.01))
        tables, target = tables_of(env), pose(0.01, 0.001)
        for tolerance, expected in ((0.005, 0.1), (0.02, 0.0)):
            dq = first_update(
                tables,
                target,
                [0.0],
                inverse_method=method,
                svd_tolerance=tolerance,
                use_orientation=False,
            )
            np.testing.assert_allclose(dq, [expected], atol=1e-15)

    def test_svd_is_pinv(self, panda, rng):
        tables = panda.tables_at(panda.environment.scene)
        q = panda.lower + (panda.upper - panda.lower) * rng.random(7)
        target = panda.forward_kinematics(q + 0.1)
        results = [
            run(tables, target, q, inverse_method=method).q.tobytes() for method in ('pinv', 'svd')
        ]
        assert results[0] == results[1]

    def test_damped_update_of_a_panda(self, panda):
        # Written anew: the rotation vector by the antisymmetric part, the inverse by NumPy's.
        q = np.array([0.1, -0.4, 0.3, -1.9, 0.2, 1.7, 0.6])
        T, target = panda.forward_kinematics(q), panda.forward_kinematics(q + 0.05)
        R = target[:3, :3] @ T[:3, :3].T
        axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        angle = math.acos((np.trace(R) - 1) / 2)
        weights = np.array([1, 1, 1, 0.3, 0.3, 0.3])
        e = weights * np.append(target[:3, 3] - T[:3, 3], axis * angle / math.sin(angle))
        J = weights[:, np.newaxis] * panda.jacobian(q)
        expected = J.T @ np.linalg.inv(J @ J.T + 0.2**2 * np.eye(6)) @ e
        tables = panda.tables_at(panda.environment.scene)
        dq = first_update(tables, target, q, damping=0.2, orientation_weight=0.3)
        np.testing.assert_allclose(dq, expected, atol=1e-12)

    def test_step_of_finite_differences_has_no_effect(self, panda):
        q = np.array([0.1, -0.4, 0.3, -1.9, 0.2, 1.7, 0.6])
        tables, target = (
            panda.tables_at(panda.environment.scene),
            panda.forward_kinematics(q + 0.1),
        )
        outcomes = [run(tables, target, q, finite_difference_step=h) for h in (1e-9, 0.5)]
        assert outcomes[0].q.tobytes() == outcomes[1].q.tobytes()


class TestOrientation:
    """The weight is on the task; the tolerance is not weighted."""

    @pytest.mark.parametrize(('weight', 'expected'), [(0.5, 0.15), (1.0, 0.24)])
    def test_weight_scales_rows_and_error(self, wheel, weight, expected):
        # w J = w and e = 0.3 w: dq = 0.3 w^2 / (w^2 + 0.25).
        dq = first_update(
            wheel, pose(yaw=0.3), [0.0], damping=0.5, orientation_weight=weight, max_step=1.0
        )
        np.testing.assert_allclose(dq, [expected], atol=1e-15)

    def test_tolerance_is_that_of_the_angle(self, wheel):
        # 0.3 rad, weighted 0.03: a tolerance of 0.1 is not met before the first update.
        fields = {'orientation_weight': 0.1, 'damping': 0.0}
        outcome = run(wheel, pose(yaw=0.3), [0.0], orientation_tolerance=0.1, **fields)
        assert outcome.status is SolveStatus.SUCCESS
        assert outcome.report[step.ITERATIONS] == 1
        outcome = run(wheel, pose(yaw=0.3), [0.0], orientation_tolerance=0.31, **fields)
        assert outcome.report[step.ITERATIONS] == 0
        assert outcome.report[step.ORIENTATION_ERROR] == pytest.approx(0.3, abs=1e-15)

    @pytest.mark.parametrize('off', [{'use_orientation': False}, {'orientation_weight': 0.0}])
    @pytest.mark.parametrize('method', ['dls', 'pinv', 'transpose'])
    def test_switched_off(self, planar, off, method):
        # The point (1, 1) is reached with yaw pi/2 or 0, never with 1 rad.
        target = pose(1.0, 1.0, yaw=1.0)
        begin = [0.1, 1.5]
        outcome = run(planar, target, begin, inverse_method=method, max_iterations=2000, **off)
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(outcome.q, BENT, atol=1e-5)
        assert outcome.report[step.ORIENTATION_ERROR] == pytest.approx(math.pi / 2 - 1, abs=1e-5)
        assert run(planar, target, begin, inverse_method=method).status is SolveStatus.NOT_FOUND

    def test_switched_off_is_not_in_the_error(self, planar):
        # Without the orientation the seed is 0.1 m away: half its square.
        outcome = run(
            planar, shift(0.1, 0.0), BENT, use_orientation=False, damping=1e6, max_iterations=1
        )
        assert outcome.report[step.ENERGY] == pytest.approx(0.005, rel=1e-6)


class TestSuccess:
    """When the tolerances are looked at, and how many updates there are."""

    def test_before_the_first_update(self, planar):
        outcome = run(planar, pose(1.0, 1.0, yaw=math.pi / 2), BENT)
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_array_equal(outcome.q, BENT)
        assert outcome.report[step.ITERATIONS] == 0
        assert outcome.report[step.STARTS] == 1

    @pytest.mark.parametrize('count', [0, -7, 1])
    def test_fewer_than_one_update_is_one(self, planar, count):
        outcome = run(planar, shift(0.5, 0.0), BENT, max_iterations=count)
        assert outcome.status is SolveStatus.NOT_FOUND
        assert outcome.report[step.ITERATIONS] == 1

    def test_after_the_last_update(self, wheel):
        fields = {'damping': 0.0, 'max_step': 0.1}
        # 0.3 rad in steps of 0.1.
        three = run(wheel, pose(yaw=0.3), [0.0], max_iterations=3, **fields)
        assert three.status is SolveStatus.SUCCESS
        two = run(wheel, pose(yaw=0.3), [0.0], max_iterations=2, **fields)
        assert two.status is SolveStatus.NOT_FOUND
        assert two.report[step.ORIENTATION_ERROR] == pytest.approx(0.1, abs=1e-12)

    def test_position_and_orientation_both_count(self, planar):
        target = pose(1.0, 1.0, yaw=math.pi / 2)
        for fields in ({'position_tolerance': 1e-3}, {'orientation_tolerance': 1e-3}):
            outcome = run(planar, target, [0.05, 1.5], **fields)
            assert outcome.status is SolveStatus.SUCCESS
            assert outcome.report[step.POSITION_ERROR] <= fields.get('position_tolerance', 1e-6)
            angle = outcome.report[step.ORIENTATION_ERROR]
            assert angle <= fields.get('orientation_tolerance', 1e-5)

    def test_best_iterate_has_the_smallest_weighted_error(self, wheel):
        # A gain of 2.5 overshoots: 0.1 becomes -0.15, then 0.225; the seed remains the best.
        fields = {'inverse_method': 'transpose', 'transpose_gain': 2.5}
        outcome = run(wheel, pose(yaw=0.1), [0.0], max_iterations=2, **fields)
        assert outcome.status is SolveStatus.NOT_FOUND
        np.testing.assert_array_equal(outcome.q, [0.0])
        assert outcome.report[step.ORIENTATION_ERROR] == pytest.approx(0.1, abs=1e-15)
        assert outcome.report[step.ENERGY] == pytest.approx(0.005, abs=1e-15)

    def test_weight_decides_what_is_given_up(self, planar):
        # Two joints cannot have both; the heavier part misses less.
        target = pose(1.2, 0.9, yaw=0.3)
        left = {}
        for weight in (0.01, 100.0):
            outcome = run(planar, target, BENT, orientation_weight=weight)
            left[weight] = outcome.report[[step.POSITION_ERROR, step.ORIENTATION_ERROR]]
        assert left[0.01][0] < left[100.0][0]
        assert left[0.01][1] > left[100.0][1]


class TestLimits:
    """Clamped after every update, where that is wanted."""

    @pytest.mark.parametrize('method', ['dls', 'pinv', 'transpose'])
    def test_clamped(self, slide, method):
        outcome = run(slide, pose(z=0.6), [0.45], inverse_method=method)
        assert outcome.status is SolveStatus.NOT_FOUND
        np.testing.assert_array_equal(outcome.q, [0.5])
        assert outcome.report[step.POSITION_ERROR] == pytest.approx(0.1, abs=1e-15)

    def test_not_clamped(self, slide):
        outcome = run(slide, pose(z=0.6), [0.45], enforce_joint_limits=False)
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(outcome.q, [0.6], atol=1e-6)

    def test_after_every_update(self, slide):
        # 0.45 + 0.2 would be 0.65, and 0.65 - 0.2 the 0.45 of the seed: nothing better than that.
        fields = {'inverse_method': 'transpose', 'transpose_gain': 10.0, 'max_step': 0.2}
        outcome = run(slide, pose(z=0.49), [0.45], max_iterations=2, **fields)
        assert outcome.report[step.ITERATIONS] == 2
        # Clamped the iterates are 0.45, 0.5 and 0.5 - 10 * 0.01.
        np.testing.assert_array_equal(outcome.q, [0.5])
        assert outcome.report[step.POSITION_ERROR] == pytest.approx(0.01, abs=1e-15)

    def test_success_is_that_of_the_clamped_state(self, slide):
        outcome = run(slide, pose(z=0.5 + 2e-6), [0.45], damping=0.0)
        assert outcome.status is SolveStatus.NOT_FOUND
        outcome = run(slide, pose(z=0.5 + 2e-6), [0.45], damping=0.0, position_tolerance=3e-6)
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_array_equal(outcome.q, [0.5])

    def test_a_bound_is_no_way_to_go_on_by_a_turn(self, wheel):
        # 3.3 rad is -2.98 rad; clamped means the bound.
        outcome = run(wheel, pose(yaw=3.3), [3.0], damping=0.0)
        assert outcome.status is SolveStatus.NOT_FOUND
        np.testing.assert_array_equal(outcome.q, [math.pi])
        outcome = run(wheel, pose(yaw=3.3), [3.0], damping=0.0, enforce_joint_limits=False)
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(outcome.q, [3.3], atol=1e-5)

    def test_seed_outside_of_the_limits(self, slide, wheel):
        assert run(slide, pose(z=0.7), [0.7]).q == [0.5]
        assert run(slide, pose(z=0.7), [0.7], enforce_joint_limits=False).q == [0.7]
        # By a full turn where that lands inside.
        outcome = run(wheel, pose(yaw=1.0), [1.0 + 2 * math.pi])
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(outcome.q, [1.0], atol=1e-15)
        assert outcome.report[step.ITERATIONS] == 0


class TestSpherical:
    """A rotation is integrated, not added, and never clamped."""

    def test_reached_in_one_update(self, ball):
        # The whole rotation vector in the moving axes is the step: Exp(w) Exp(d) is the target.
        target = pose(roll=-0.5, pitch=0.3, yaw=0.8)
        outcome = run(ball, target, [0.9, 0.4, -0.2], inverse_method='pinv', max_step=9.0)
        assert outcome.status is SolveStatus.SUCCESS
        assert outcome.report[step.ITERATIONS] == 1

    def test_half_a_step_is_half_the_angle(self, ball):
        # On the shortest way the angle that is left falls in proportion; added vectors leave it.
        target = pose(roll=-0.5, pitch=0.3, yaw=0.8)
        fields = {'inverse_method': 'pinv', 'max_step': 9.0, 'step_size': 0.5}
        left = [
            run(ball, target, [0.9, 0.4, -0.2], max_iterations=count, **fields).report
            for count in (1, 2, 3)
        ]
        angles = [report[step.ORIENTATION_ERROR] for report in left]
        assert angles[1] == pytest.approx(angles[0] / 2, rel=1e-9)
        assert angles[2] == pytest.approx(angles[0] / 4, rel=1e-9)

    @pytest.mark.parametrize('enforce', [True, False])
    def test_beyond_half_a_turn(self, ball, enforce):
        outcome = run(ball, pose(yaw=3.3), [0.0, 0.0, 3.0], enforce_joint_limits=enforce)
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(outcome.q, [0.0, 0.0, 3.3 - 2 * math.pi], atol=1e-5)


class TestStarts:
    """Random starts, their key, and the time."""

    TARGET = np.array([0.5, -0.9, 1.4, -1.1, 2.0, 2.2, -0.7])
    SEED = np.array([-2.0, 1.2, -1.5, -2.8, -2.0, 0.4, 2.5])

    def solve(self, panda, **fields):
        tables = panda.tables_at(panda.environment.scene)
        target = panda.forward_kinematics(self.TARGET)
        return run(tables, target, self.SEED, max_iterations=30, **fields)

    def test_only_the_seed_by_default(self, panda):
        outcome = self.solve(panda)
        assert outcome.status is SolveStatus.NOT_FOUND
        assert outcome.report[step.STARTS] == 1

    def test_more_starts_find_more(self, panda):
        outcome = self.solve(panda, max_starts=100)
        assert outcome.status is SolveStatus.SUCCESS
        assert outcome.report[step.STARTS] > 1
        limits = panda.tables_at(panda.environment.scene).limits
        assert (outcome.q >= limits[:, 0]).all()
        assert (outcome.q <= limits[:, 1]).all()
        T = panda.forward_kinematics(outcome.q)
        np.testing.assert_allclose(T, panda.forward_kinematics(self.TARGET), atol=2e-5)

    def test_first_start_is_the_seed(self, panda):
        one, two = self.solve(panda), self.solve(panda, max_starts=2)
        assert two.report[step.ENERGY] <= one.report[step.ENERGY]

    @pytest.mark.parametrize('key', [0, 7, 2**63, 2**64 - 1])
    def test_same_key_same_answer(self, panda, key):
        first, second = (self.solve(panda, max_starts=20, random_seed=key) for _ in range(2))
        assert first.q.tobytes() == second.q.tobytes()
        assert first.report.tobytes() == second.report.tobytes()

    def test_another_key_other_starts(self, panda):
        answers = {self.solve(panda, max_starts=20, random_seed=k).q.tobytes() for k in range(3)}
        assert len(answers) == 3

    def test_deadline(self, slide):
        began = time.monotonic()
        outcome = run(slide, pose(z=2.0), [0.1], max_starts=None, timeout=0.05)
        assert outcome.status is SolveStatus.TIMED_OUT
        assert 0.05 <= time.monotonic() - began < 1.0
        np.testing.assert_array_equal(outcome.q, [0.5])

    @pytest.mark.parametrize('starts', [1, None])
    def test_no_time_is_one_update(self, slide, starts):
        outcome = run(slide, pose(z=2.0), [0.1], timeout=0.0, max_starts=starts)
        assert outcome.status is SolveStatus.TIMED_OUT
        assert outcome.report[step.ITERATIONS] == 1

    def test_time_between_updates_is_looked_at(self, slide, monkeypatch):
        clock = iter(range(100))
        monkeypatch.setattr(descent.time, 'monotonic', lambda: float(next(clock)))
        # The clock shows 0 at the beginning, then 1, 2, 3 before the second to fourth update.
        outcome = run(slide, pose(z=2.0), [0.1], timeout=3.0)
        assert outcome.status is SolveStatus.TIMED_OUT
        assert outcome.report[step.ITERATIONS] == 3

    @pytest.mark.parametrize('starts', [1, 3])
    def test_what_diverges_is_not_found(self, planar, starts):
        fields = {'inverse_method': 'transpose', 'transpose_gain': 1e308, 'step_size': 1e10}
        outcome = run(
            planar, shift(0.3, 0.2), BENT, max_step=math.inf, max_starts=starts, **fields
        )
        assert outcome.status is SolveStatus.NOT_FOUND
        assert np.isfinite(outcome.q).all()
        assert np.isfinite(outcome.report).all()
        assert outcome.report[step.STARTS] == starts
        assert outcome.report[step.ITERATIONS] == 0

    def test_what_always_diverges_ends_with_the_time(self, planar):
        outcome = run(
            planar,
            shift(0.3, 0.2),
            BENT,
            inverse_method='transpose',
            transpose_gain=1e308,
            step_size=1e10,
            max_starts=None,
            timeout=0.01,
        )
        assert outcome.status is SolveStatus.TIMED_OUT


@pytest.mark.parametrize('method', ['dls', 'pinv', 'transpose'])
def test_a_joint_that_follows_another_one(shipped_robot, method):
    arm = Environment.from_urdf(shipped_robot('planar_mimic')).create_group('arm')
    tables = arm.tables_at(arm.environment.scene)
    # J J^T = 1.36^2 + 2.07^2 + 1.5^2 = 8.4: a gain below 0.24 converges.
    target = arm.forward_kinematics([0.4])
    outcome = run(tables, target, [0.1], inverse_method=method, transpose_gain=0.1)
    assert outcome.status is SolveStatus.SUCCESS
    np.testing.assert_allclose(outcome.q, [0.4], atol=1e-5)


def test_a_joint_that_follows_by_a_function():
    env = Environment()
    env.create_joint('j1', 'revolute')
    env.create_joint('j2', 'revolute', 'j1', pose(x=1.0))
    env.joint('j2').set_dependency('j1', function=lambda q: 0.5 * q * q)
    env.create_dummy('tip', 'j2', pose(x=1.0))
    arm = env.create_group('arm', 'world', 'tip')
    outcome = run(arm.tables_at(env.scene), arm.forward_kinematics([0.8]), [0.5])
    assert outcome.status is SolveStatus.SUCCESS
    np.testing.assert_allclose(outcome.q, [0.8], atol=1e-5)


@pytest.mark.parametrize('method', ['dls', 'pinv', 'svd'])
@pytest.mark.parametrize(
    ('urdf', 'base', 'tip'),
    [
        ('ur_description/urdf/ur5_robot.urdf', 'base_link', 'ee_link'),
        ('panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand'),
    ],
)
def test_near_targets_of_real_robots(real_robot, rng, urdf, base, tip, method):
    arm = Environment.from_urdf(real_robot(urdf)).create_group('arm', base, tip)
    tables = arm.tables_at(arm.environment.scene)
    lower, upper = np.maximum(arm.lower, -2.5), np.minimum(arm.upper, 2.5)
    solved = 0
    for _ in range(50):
        q = lower + (upper - lower) * rng.random(len(lower))
        seed = np.clip(q + rng.uniform(-0.3, 0.3, len(q)), arm.lower, arm.upper)
        target = arm.forward_kinematics(q)
        outcome = run(tables, target, seed, inverse_method=method)
        if outcome.status is SolveStatus.SUCCESS:
            solved += 1
            np.testing.assert_allclose(arm.forward_kinematics(outcome.q), target, atol=1.5e-5)
    # A few of them are at limits or singular, where the clamped iteration halts.
    assert solved >= 46


class TestSeveralTips:
    """All tips count; what is not constrained asks for nothing."""

    @pytest.fixture
    def mechanism(self):
        """Give a trunk with two arms, each a tip."""
        env = Environment()
        env.create_joint('trunk', 'revolute')
        for side, y in (('left', 1.0), ('right', -1.0)):
            env.create_joint(side, 'revolute', 'trunk', pose(x=1.0, y=y))
            env.create_dummy(f'{side}_tip', side, pose(x=1.0))
        return env.mechanism

    @pytest.mark.parametrize('method', ['dls', 'pinv', 'transpose'])
    def test_both_are_reached(self, mechanism, method):
        tips = [mechanism.frame_index(name) for name in ('left_tip', 'right_tip')]
        tables = compile_tables(mechanism, WORLD, tips)
        targets = forward_kinematics(tables, np.array([[0.3, 0.5, -0.4]]))[0]
        # The trunk moves both tips: the largest eigenvalue of J J^T is about 14.
        fields = {'inverse_method': method, 'transpose_gain': 0.1, 'max_iterations': 2000}
        outcome = descend(tables, targets, np.zeros(3), IKOptions(timeout=10.0, **fields))
        assert outcome.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(outcome.q, [0.3, 0.5, -0.4], atol=1e-5)

    def test_the_worst_decides(self, mechanism):
        tips = [mechanism.frame_index(name) for name in ('left_tip', 'right_tip')]
        tables = compile_tables(mechanism, WORLD, tips)
        targets = forward_kinematics(tables, np.zeros((1, 3)))[0]
        targets[1, 0, 3] += 0.1
        for tolerance, updates in ((0.11, 0), (0.09, 1)):
            options = IKOptions(
                position_tolerance=tolerance,
                use_orientation=False,
                inverse_method='transpose',
                transpose_gain=0.01,
                max_iterations=1,
            )
            outcome = descend(tables, targets, np.zeros(3), options)
            assert outcome.report[step.ITERATIONS] == updates
            assert outcome.report[step.POSITION_ERROR] == pytest.approx(0.1, rel=0.1)

    @pytest.mark.parametrize('method', ['dls', 'pinv', 'transpose'])
    @pytest.mark.parametrize('weight', [1.0, 0.5])
    def test_a_part_of_a_pose(self, mechanism, method, weight):
        tip = mechanism.frame_index('left_tip')
        position = 7
        tables = compile_tasks(mechanism, WORLD, [Task(tip, WORLD, WORLD, position)], {}).tables
        target = pose(1.2, 1.8, roll=2.0)
        outcome = run(
            tables,
            target,
            [0.1, 0.5],
            inverse_method=method,
            orientation_weight=weight,
            transpose_gain=0.1,
            max_iterations=2000,
        )
        assert outcome.status is SolveStatus.SUCCESS
        reached = forward_kinematics(tables, outcome.q[np.newaxis])[0, 0]
        np.testing.assert_allclose(reached[:3, 3], [1.2, 1.8, 0.0], atol=1e-6)
