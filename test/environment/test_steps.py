# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounded steps: their bounds, their statuses, and where steps one after the other end."""

from __future__ import annotations

import math

import ik_node
from ik_node import (
    Environment,
    IkParameterization,
    IkParameterizationType,
    InvalidOptionError,
    Parallel,
    Point,
    PoseBox,
    Rotation,
    Shapes,
    StepStatus,
    Translation3D,
)
import numpy as np
import pytest

SMALL = {'linear_step': 0.02, 'angular_step': 0.1}
FREE = {'linear_step': math.inf, 'angular_step': math.inf}
KINDS = IkParameterizationType.targets()


@pytest.fixture(scope='module')
def arm():
    """Load a Panda."""
    env = Environment.from_urdf('config/robots/panda.urdf')
    return env.create_group('arm', 'panda_link0', 'panda_hand')


def planar_arm(build, lengths, limits=()):
    twin = build.planar(lengths)
    for name, bounds in zip(('j1', 'j2', 'j3'), limits, strict=False):
        twin.env.joint(name).limits = bounds
    return twin.env.create_group('arm', 'world', 'tip')


def loop(group, target, q, most=1000, **options):
    """Step until the status is no longer PROGRESS; the results of all steps."""
    results = []
    while True:
        results.append(group.step(target, q, **{**SMALL, **options}))
        assert len(results) <= most
        if results[-1].status is not StepStatus.PROGRESS:
            return results
        q = results[-1].q


def test_numbers_are_those_of_tekkotsu():
    assert [status.name for status in StepStatus] == ['SUCCESS', 'PROGRESS', 'LIMITS', 'RANGE']
    assert [int(status) for status in StepStatus] == [0, 1, 2, 3]


class TestOneStep:
    @pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.name)
    def test_moves_no_farther_than_allowed(self, kind, arm, rng):
        made = IkParameterization.class_of(kind)
        for _ in range(10):
            target = made.from_pose(arm.forward_kinematics(rng.uniform(arm.lower, arm.upper)))
            q = rng.uniform(arm.lower, arm.upper)
            linear, angular = 10.0 ** rng.uniform(-4, 0, 2)
            result = arm.step(target, q, linear_step=linear, angular_step=angular)
            before, after = arm.forward_kinematics(q), arm.forward_kinematics(result.q)
            point = np.append(target.goal().T_tip_point[:3, 3], 1.0)
            assert np.linalg.norm((after - before) @ point) <= linear + 1e-9
            cosine = 0.5 * (np.trace(before[:3, :3].T @ after[:3, :3]) - 1.0)
            assert math.acos(min(1.0, cosine)) <= angular + 1e-7
            assert (arm.lower <= result.q).all()
            assert (result.q <= arm.upper).all()
            assert result.position_error_before == pytest.approx(
                target.errors(before)[0], abs=1e-9
            )
            assert (result.position_error, result.orientation_error) == pytest.approx(
                target.errors(after), abs=1e-6
            )

    def test_uses_what_is_allowed(self, build):
        # The tip of a slide stands 1 m from its target.
        twin = build.gantry('x')
        slide = twin.env.create_group('slide', 'world', 'tip')
        result = slide.step(Translation3D([1, 0, 0]), [0.0], linear_step=0.3, angular_step=1.0)
        assert result.status is StepStatus.PROGRESS
        assert 0.29 < result.q[0] <= 0.3
        assert result.position_error == pytest.approx(1.0 - result.q[0])
        assert result.position_error_before == 1.0

    def test_reaches_what_is_near(self, build):
        arm = planar_arm(build, (1.0, 1.0))
        target = Translation3D(arm.forward_kinematics([0.5, 1.0])[:3, 3])
        result = arm.step(target, [0.5 + 1e-4, 1.0 - 1e-4], **FREE)
        assert result.status is StepStatus.SUCCESS
        assert result.success
        assert result.position_error <= 1e-6

    def test_does_not_leave_a_target_that_is_reached(self, arm, rng):
        q = rng.uniform(arm.lower, arm.upper)
        result = arm.step(arm.forward_kinematics(q), q, **SMALL)
        assert result.status is StepStatus.SUCCESS
        np.testing.assert_array_equal(result.q, q)
        assert 'already' in result.message

    def test_the_environment_is_not_changed(self, arm, rng):
        before = arm.environment.joint_positions
        arm.step(arm.forward_kinematics(rng.uniform(arm.lower, arm.upper)), **SMALL)
        assert arm.environment.joint_positions == before

    def test_a_turning_tip_is_bounded_though_its_position_is_not_asked_for(self, build):
        # One joint, 2 m long: an angle of 0.1 rad is an arc of nearly 0.2 m.
        arm = planar_arm(build, (2.0,))
        target = Shapes(
            None, Parallel([0, 1, 0]), quat_xyzw=[0, math.sqrt(0.5), 0, math.sqrt(0.5)]
        )
        free = arm.step(target, [0.0], linear_step=math.inf, angular_step=0.1)
        assert 0.099 < free.q[0] <= 0.1
        bound = arm.step(target, [0.0], linear_step=0.01, angular_step=0.1)
        assert 0.00499 < bound.q[0] <= 0.005 + 1e-6

    @pytest.mark.parametrize('value', [0.0, -1.0, math.nan, 'far'])
    @pytest.mark.parametrize('name', ['linear_step', 'angular_step'])
    def test_bounds_are_positive(self, name, value, arm):
        with pytest.raises(InvalidOptionError, match=f'{name} is .*positive number'):
            arm.step(np.eye(4), **{**SMALL, name: value})


class TestStatuses:
    def test_stretched_is_out_of_range(self, build):
        # The tip at x = 2 cannot come nearer to x = 3: all columns are along y.
        arm = planar_arm(build, (1.0, 1.0))
        result = arm.step(Translation3D([3, 0, 0]), [0.0, 0.0], **SMALL)
        assert result.status is StepStatus.RANGE
        np.testing.assert_array_equal(result.q, [0.0, 0.0])
        assert result.position_error == 1.0
        assert 'out of reach, or a singular configuration' in result.message

    def test_at_a_limit(self, build):
        # The target stands at 2 rad on the circle; the joint ends at 1 rad.
        arm = planar_arm(build, (1.0,), [(0.0, 1.0)])
        target = Translation3D([math.cos(2.0), math.sin(2.0), 0.0])
        first = arm.step(target, [0.9], **FREE)
        assert first.status is StepStatus.PROGRESS
        assert first.q == [1.0]
        second = arm.step(target, first.q, **FREE)
        assert second.status is StepStatus.LIMITS
        assert second.q == [1.0]
        assert second.position_error == pytest.approx(2.0 * math.sin(0.5))
        assert 'limits of j1' in second.message

    def test_the_others_make_the_rest_of_the_step(self, build):
        twin = build.gantry('xy', limits=(-1.0, 1.0))
        gantry = twin.env.create_group('gantry', 'world', 'tip')
        results = loop(gantry, Translation3D([3.0, 0.5, 0.0]), [1.0, 0.0])
        assert results[0].q[0] == 1.0
        assert 0.019 < results[0].q[1] <= 0.02
        assert results[-1].status is StepStatus.LIMITS
        np.testing.assert_allclose(results[-1].q, [1.0, 0.5], atol=1e-4)

    def test_a_joint_that_would_leave_its_limits_stops_there(self, build):
        twin = build.gantry('xy', limits=(-1.0, 1.0))
        gantry = twin.env.create_group('gantry', 'world', 'tip')
        result = gantry.step(Translation3D([3.0, 0.5, 0.0]), [0.9, 0.0], **FREE)
        assert result.status is StepStatus.PROGRESS
        assert result.q[0] == 1.0
        assert 0.0 < result.q[1] < 0.501

    def test_out_of_range_though_a_joint_stands_at_a_limit(self, build):
        # Joint 1 is at its limit and has nothing to do with what is missing.
        arm = planar_arm(build, (1.0, 1.0), [(-1.0, 0.0)])
        assert arm.step(Translation3D([3, 0, 0]), [0.0, 0.0], **SMALL).status is StepStatus.RANGE

    def test_no_joint_left(self, build):
        arm = planar_arm(build, (1.0, 1.0))
        result = arm.step(
            Translation3D([0, 1, 0]), [0.3, 0.4], locked_joints=['j1', 'j2'], **SMALL
        )
        assert result.status is StepStatus.LIMITS
        np.testing.assert_array_equal(result.q, [0.3, 0.4])

    def test_a_joint_outside_of_its_limits_does_not_jump(self, build):
        arm = planar_arm(build, (1.0,), [(0.0, 1.0)])
        target = Translation3D([math.cos(0.5), math.sin(0.5), 0.0])
        results = loop(arm, target, [1.2])
        assert results[0].q[0] > 1.1
        assert results[-1].status is StepStatus.SUCCESS
        outward = Translation3D([math.cos(1.5), math.sin(1.5), 0.0])
        assert arm.step(outward, [1.2], **SMALL).status is StepStatus.LIMITS
        there = Translation3D([math.cos(1.2), math.sin(1.2), 0.0])
        result = arm.step(there, [1.2], **SMALL)
        assert result.status is StepStatus.LIMITS
        assert 'j1' in result.message


class TestLoops:
    def test_reach_what_solve_reaches(self, arm, rng):
        for _ in range(30):
            q = rng.uniform(0.8 * arm.lower, 0.8 * arm.upper)
            seed = np.clip(q + rng.uniform(-0.3, 0.3, 7), arm.lower, arm.upper)
            target = arm.forward_kinematics(q)
            assert arm.solve(target, seed).success
            results = loop(arm, target, seed, most=200)
            assert results[-1].status is StepStatus.SUCCESS
            assert ik_node.Transform6D.from_pose(target).errors(
                arm.forward_kinematics(results[-1].q)
            ) <= (1e-6 + 1e-9, 1e-5 + 1e-8)

    @pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.name)
    def test_reach_targets_of_all_kinds(self, kind, arm, rng):
        made = IkParameterization.class_of(kind)
        for _ in range(5):
            there = rng.uniform(0.8 * arm.lower, 0.8 * arm.upper)
            target = made.from_pose(arm.forward_kinematics(there))
            if target.errors(arm.forward_kinematics(there))[1] > 1e-6:
                # The type wants the tool in a plane, where this one is not.
                result = arm.solve(target, there, timeout=1.0)
                if not result.success:
                    continue
                there = result.q
            seed = np.clip(there + rng.uniform(-0.1, 0.1, 7), arm.lower, arm.upper)
            last = loop(arm, target, seed, most=300)[-1]
            assert last.status is StepStatus.SUCCESS
            position, orientation = target.errors(arm.forward_kinematics(last.q))
            assert position <= 1e-6 + 1e-9
            assert orientation <= 1e-5 + 1e-8

    def test_reach_shapes_and_boxes(self, arm, rng):
        lower, upper = [-0.01] * 3 + [-0.1] * 3, [0.01] * 3 + [0.1] * 3
        for _ in range(5):
            seed = rng.uniform(0.8 * arm.lower, 0.8 * arm.upper)
            near = np.clip(seed + rng.uniform(-0.3, 0.3, 7), arm.lower, arm.upper)
            T = arm.forward_kinematics(near)
            for target in (
                PoseBox.around(T, lower, upper),
                Shapes(Point(T[:3, 3]), Parallel(T[:3, 2])),
            ):
                last = loop(arm, target, seed, most=300)[-1]
                assert last.status is StepStatus.SUCCESS
                assert target.errors(arm.forward_kinematics(last.q)) <= (1e-6 + 1e-9, 1e-5 + 1e-8)

    def test_end_where_the_target_cannot_be_reached(self, arm, rng):
        ends = set()
        for _ in range(10):
            target = arm.forward_kinematics(rng.uniform(arm.lower, arm.upper))
            target[:3, 3] *= 5.0
            seed = rng.uniform(arm.lower, arm.upper)
            last = loop(arm, target, seed, most=500, linear_step=0.1, angular_step=0.5)[-1]
            ends.add(last.status)
            again = arm.step(target, last.q, **SMALL)
            assert again.status is last.status
            np.testing.assert_array_equal(again.q, last.q)
        assert ends <= {StepStatus.LIMITS, StepStatus.RANGE}

    def test_stretch_towards_what_is_out_of_reach(self, build):
        arm = planar_arm(build, (1.0, 1.0))
        results = loop(arm, Translation3D([0.0, 3.0, 0.0]), [0.5, -1.0])
        assert results[-1].status is StepStatus.RANGE
        np.testing.assert_allclose(results[-1].q, [math.pi / 2, 0.0], atol=1e-4)
        errors = [result.position_error for result in results]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] == pytest.approx(1.0, abs=1e-7)

    def test_several_tips(self, build):
        twin = build.planar([1.0, 1.0])
        twin.joint('k1', parent='j1', T=build.pose(x=1.0))
        twin.dummy('other', 'k1', build.pose(x=1.0))
        group = twin.env.create_group('both', empty=True)
        group.add_element('tip')
        group.add_element('other')
        goal = group.forward_kinematics([0.4, 0.5, -0.7])
        last = loop(group, {'tip': goal[0], 'other': goal[1]}, [0.2, 0.9, -0.2])[-1]
        assert last.status is StepStatus.SUCCESS
        np.testing.assert_allclose(
            group.forward_kinematics(last.q)[:, :3, 3], goal[:, :3, 3], atol=1e-6
        )


class TestPriorities:
    """One joint with a tip at 1 m: position at 90 degrees, orientation at 0, both wanted."""

    @staticmethod
    def target(position=1.0, orientation=1.0):
        return Shapes(
            Point([0, 1, 0]),
            Rotation([0, 0, 0, 1]),
            position_priority=position,
            orientation_priority=orientation,
        )

    @staticmethod
    def root(ratio):
        # The sum a (2 - 2 sin q) + b q^2 is smallest where b q = a cos q; ratio is a / b.
        q = 0.5
        for _ in range(50):
            q -= (q - ratio * math.cos(q)) / (1.0 + ratio * math.sin(q))
        return q

    @pytest.mark.parametrize('position', [0.25, 1.0, 4.0])
    @pytest.mark.parametrize('way', ['step', 'solve'])
    def test_are_weights_of_squares(self, way, position, build):
        arm = planar_arm(build, (1.0,))
        target = self.target(position)
        if way == 'step':
            results = loop(arm, target, [0.2], position_weight=1.0)
            assert results[-1].status is StepStatus.RANGE
            q = results[-1].q
        else:
            result = arm.solve(target, [0.2], position_weight=1.0, approximate=position == 1.0)
            assert not result.success
            assert result.approximate
            assert result.position_error == pytest.approx(math.sqrt(2 - 2 * math.sin(result.q[0])))
            assert result.orientation_error == pytest.approx(result.q[0])
            q = result.q
        assert q[0] == pytest.approx(self.root(position), abs=1e-4)

    def test_the_scale_of_both_makes_no_difference(self, build):
        arm = planar_arm(build, (1.0,))
        one = arm.solve(self.target(1.0, 2.0), [0.2])
        ten = arm.solve(self.target(10.0, 20.0), [0.2])
        assert ten.q[0] == pytest.approx(one.q[0], abs=1e-5)

    def test_what_has_no_weight_is_dropped(self, build):
        arm = planar_arm(build, (1.0,))
        for target, end in (
            (self.target(orientation=0.0), math.pi / 2),
            (self.target(position=0.0), 0.0),
        ):
            results = loop(arm, target, [0.7])
            assert results[-1].status is StepStatus.SUCCESS
            assert results[-1].q[0] == pytest.approx(end, abs=1e-5)
            assert arm.solve(target, [0.7]).success

    def test_between_tips(self, build):
        # One slide, two tips on it, wanted at 1 and at 2: the weighted mean of both.
        twin = build.gantry('x')
        twin.dummy('other', 'x', np.linalg.inv(build.pose(vector=(0.0, math.pi / 2, 0.0))))
        group = twin.env.create_group('both', empty=True)
        group.add_element('tip')
        group.add_element('other')
        targets = {
            'tip': Shapes(Point([1, 0, 0]), position_priority=3.0),
            'other': Shapes(Point([2, 0, 0]), position_priority=1.0),
        }
        result = group.solve(targets, [0.0])
        assert result.approximate
        assert result.q[0] == pytest.approx(1.25, abs=1e-4)


class TestMechanismsOfAllKinds:
    @pytest.mark.parametrize('seed', range(8))
    def test_random_trees(self, seed, build):
        # Spherical joints, screws, functions, riding targets: every step is one nearer.
        twin = build.random_tree(np.random.default_rng(seed))
        group = build.group(twin, ik_node.Constraint.POSE)
        q = group.seed_from()
        results = []
        for _ in range(60):
            results.append(group.step(None, q, linear_step=0.05, angular_step=0.05))
            before, after = (group.forward_kinematics(at) for at in (q, results[-1].q))
            assert np.linalg.norm(after[:3, 3] - before[:3, 3]) <= 0.05 + 1e-9
            turn = build.log(before[:3, :3].T @ after[:3, :3])
            assert np.linalg.norm(turn) <= 0.05 + 1e-9
            if results[-1].status is not StepStatus.PROGRESS:
                break
            q = results[-1].q

        def energy(position, orientation):
            return (2.0 * position) ** 2 + orientation**2

        energies = [energy(r.position_error, r.orientation_error) for r in results]
        assert energies == sorted(energies, reverse=True)
        first = results[0]
        assert energies[-1] <= energy(first.position_error_before, first.orientation_error_before)


def test_steps_and_least_squares_answers_where_levers_are_huge():
    rng = np.random.default_rng(0)
    env = Environment()
    slide = env.create_joint('slide', 'prismatic', limits=(-1e12, 1e12))
    turns = [[[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, -1], [0, 1, 0]]]
    parent = slide
    for i in range(5):
        pose = np.eye(4)
        pose[:3, :3], pose[0, 3] = turns[i % 2], 0.3
        parent = env.create_joint(f'turn{i}', parent=parent, pose=pose)
    for far in (1e3, 1e6, 1e9, 1e12):
        for number in range(10):
            pose = np.eye(4)
            pose[:3, 3], goal = far * rng.normal(size=(2, 3))
            tip = env.create_dummy(f'tip {far} {number}', parent, pose)
            group = env.create_group(tip.name, 'world', tip)
            target = ik_node.Translation3D(goal)
            seed = far * rng.normal(size=6)
            result = group.step(target, seed, **SMALL)
            assert np.isfinite(result.q).all()
            answer = group.solve(target, seed, max_starts=2, approximate=True)
            assert np.isfinite(answer.q).all()
            left = target.errors(group.forward_kinematics(answer.q))
            assert left[0] == pytest.approx(answer.position_error, rel=1e-6, abs=1e-3)
