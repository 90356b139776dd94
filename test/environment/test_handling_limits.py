# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Largest steps, limits, limit avoidance, and the result of a handling.

Slides make every value exact by hand: an iteration is a division.
"""

from __future__ import annotations

import math

import ik_node
from ik_node import Answer, CalculationFlag, Constraint
import numpy as np
import pytest

NOTHING = CalculationFlag.NOT_PERFORMED | CalculationFlag.NOT_WITHIN_TOLERANCE
CONVERGED = CalculationFlag(0)


def steps(*moves):
    """Answer with one step after the other."""
    return lambda step: Answer(dq=np.array(moves[step.iteration], dtype=float))


class TestStepLimits:
    """Largest steps of the joints."""

    def test_ignored_by_default_but_told(self, build):
        twin = build.gantry('xy')
        twin.put('target', build.pose(0.11, 0.05))
        result = build.group(twin).handle()
        assert result.flags == CalculationFlag.STEPS_TOO_BIG
        assert result.success
        np.testing.assert_allclose(build.values(twin), [0.11, 0.05], atol=1e-9)

    def test_not_told_up_to_the_largest_step(self, build):
        twin = build.gantry('x')
        twin.joint('turn', parent='x')
        twin.dummy('hand', 'turn', target='target')
        group = build.group(twin, tip='hand', max_iterations=1)
        result = group.handle(steps((0.1, math.radians(10.0))))
        assert not result.flags & CalculationFlag.STEPS_TOO_BIG
        result = group.handle(steps((0.0, math.radians(-10.1))))
        assert result.flags & CalculationFlag.STEPS_TOO_BIG

    def test_told_where_an_infinite_step_is_allowed_to_others(self, build):
        twin = build.gantry('xy')
        twin.env.joint('x').max_step = math.inf
        group = build.group(twin, max_iterations=1, ignore_max_steps=False)
        result = group.handle(steps((50.0, 0.1)))
        assert not result.flags & CalculationFlag.STEPS_TOO_BIG
        np.testing.assert_allclose(build.values(twin), [50.0, 0.1], atol=1e-12)

    def test_shortened_as_a_whole_in_the_same_direction(self, build):
        twin = build.gantry('xyz')
        twin.env.joint('x').max_step = 0.3
        group = build.group(twin, max_iterations=1, ignore_max_steps=False)
        # x asks for twice of what it may, y for four times, z for less than it may.
        result = group.handle(steps((0.6, -0.4, 0.02)))
        assert result.flags & CalculationFlag.STEPS_TOO_BIG
        np.testing.assert_allclose(build.values(twin), [0.15, -0.1, 0.005], atol=1e-12)

    def test_small_step_is_left_alone(self, build):
        twin = build.gantry('xy')
        group = build.group(twin, max_iterations=1, ignore_max_steps=False)
        group.handle(steps((0.03, -0.02)))
        np.testing.assert_allclose(build.values(twin), [0.03, -0.02], atol=1e-15)

    @pytest.mark.parametrize('seed', range(6))
    def test_no_step_is_larger_than_allowed_and_each_has_the_direction_of_the_method(
        self, build, seed
    ):
        rng = np.random.default_rng(seed)
        twin = build.random_tree(rng)
        for joint in twin.env.joints.values():
            joint.max_step = float(rng.uniform(0.01, 0.2))
        group = build.group(twin, max_iterations=1, ignore_max_steps=False)
        group.method, group.damping = 'damped_least_squares', 0.1
        free = twin.env.duplicate()
        for _ in range(10):
            free.group('g').ignore_max_steps = True
            told = []
            before = twin.state
            group.handle(told.append)
            names = told[0].coordinates
            done = self.step(build, before, twin.state, names)
            largest = [twin.env.joint(n.rpartition('/')[0] or n).max_step for n in names]
            J, e = told[0].jacobian, told[0].error
            asked = J.T @ np.linalg.solve(J @ J.T + 0.01 * np.eye(3), e)
            asked = [
                a if twin.parts[n.rpartition('/')[0] or n][0] == 'prismatic'
                else a - 2 * math.pi * math.ceil((a - math.pi) / (2 * math.pi))
                for n, a in zip(names, asked, strict=True)
            ]  # fmt: skip
            excess = max(1.0, np.max(np.abs(asked) / np.array(largest)))
            assert (np.abs(done) <= np.array(largest) * (1 + 1e-7)).all()
            np.testing.assert_allclose(done, np.array(asked) / excess, atol=1e-8)

    @staticmethod
    def step(build, before, after, names):
        """Say what a handling of one iteration did to each coordinate."""
        done = {}
        for name, at in after.items():
            if isinstance(at, np.ndarray):
                vector = build.log(before[name].T @ at)
                done.update({f'{name}/{axis}': vector[i] for i, axis in enumerate('xyz')})
            else:
                done[name] = at - before[name]
        return np.array([done[name] for name in names])

    def test_each_shortened_pass_is_an_iteration(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, ignore_max_steps=False, max_iterations=4)
        result = group.handle()
        assert result.iterations == 4
        assert result.linear_error == pytest.approx(0.6)
        group.max_iterations = 100
        result = group.handle()
        assert result.iterations == 6
        assert result.success

    def test_told_although_the_last_steps_were_small(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=0.25))
        group = build.group(twin, ignore_max_steps=False, max_iterations=10)
        assert group.handle().flags == CalculationFlag.STEPS_TOO_BIG
        assert build.values(twin) == pytest.approx([0.25])

    @pytest.mark.parametrize('largest', [5e-324, 1e-300, 1e-12])
    def test_never_endless(self, build, largest):
        """A step that does not shrink with the error, and one that can hardly be made."""
        twin = build.gantry('x', limits=(0.0, 1.0), limit_margin=0.9, max_step=largest)
        twin.put('target', build.pose(x=0.5))
        group = build.group(twin, Constraint.X, ignore_max_steps=False, avoid_limits=True)
        group.max_iterations = 7
        result = group.handle()
        assert result.iterations <= 7
        assert result.flags & CalculationFlag.STEPS_TOO_BIG
        assert abs(build.values(twin)[0]) <= 7 * largest


class TestIterations:
    """How many there are, and when they end."""

    def test_one_is_made_although_nothing_is_to_do(self, build):
        twin = build.gantry('x')
        told = []
        result = build.group(twin).handle(told.append)
        assert (result.iterations, len(told)) == (1, 1)
        assert result.flags == CONVERGED

    def test_ends_as_soon_as_everything_is_within_precision(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, max_iterations=9)
        group.element(0).weight, group.element(0).linear_precision = 0.5, 0.2
        assert group.handle().iterations == 3  # 1/2, 1/4, 1/8

    def test_exactly_the_precision_is_good_enough(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, max_iterations=1)
        group.element(0).linear_precision = 0.5
        assert group.handle(steps((0.5,))).success
        twin.state = {'x': 0.0}
        assert not group.handle(steps((0.5 - 1e-9,))).success

    def test_each_element_has_its_own_precision(self, build):
        twin = build.gantry('xy')
        twin.put('target', build.pose(1.0, 1.0))
        group = build.group(twin, Constraint.X, max_iterations=1)
        second = group.add_element('tip', constraints=Constraint.Y)
        group.element(0).linear_precision, second.linear_precision = 0.3, 0.1
        answer = steps((0.8, 0.8))
        assert group.handle(answer).flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        twin.state = {'x': 0.0, 'y': 0.0}
        second.linear_precision = 0.3
        assert group.handle(answer).success

    def test_linear_and_angular_precision_both_count(self, build):
        twin = build.planar([1.0])
        twin.put('target', build.pose(x=1.0, z=0.4, vector=(0.0, 0.0, 0.3)))
        group = build.group(twin, Constraint.Z | Constraint.GAMMA, max_iterations=1)
        element = group.element(0)
        for linear, angular, good in [(0.5, 0.5, True), (0.3, 0.5, False), (0.5, 0.2, False)]:
            element.linear_precision, element.angular_precision = linear, angular
            result = group.handle(steps((0.0,)))
            assert result.success is good
            assert result.linear_error == pytest.approx(0.4)
            assert result.angular_error == pytest.approx(0.3)

    def test_errors_are_the_largest_over_the_elements(self, build):
        twin = build.gantry('xy')
        twin.put('target', build.pose(0.3, 0.4))
        group = build.group(twin, Constraint.X)
        group.add_element('tip', constraints=Constraint.Y)
        assert build.measure(group).linear_error == pytest.approx(0.4)
        group.add_element('tip', constraints=Constraint.X | Constraint.Y)
        assert build.measure(group).linear_error == pytest.approx(0.5)
        twin.dummy('lost', 'y')
        group.add_element('lost')  # without a target it is nowhere away from
        assert build.measure(group).linear_error == pytest.approx(0.5)

    def test_numbers_that_stop_being_finite_end_it_in_the_last_finite_state(self, build):
        twin = build.gantry('x', limits=(-math.inf, math.inf))
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, max_iterations=50)
        group.element(0).weight = 1e30
        result = group.handle()
        assert 1 < result.iterations < 50
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert math.isfinite(build.values(twin)[0])


class TestLimits:
    """Positions inside of limits, and what is told of those that would have left them."""

    def test_hits_are_told_by_how_far_the_step_would_have_gone(self, build):
        twin = build.gantry('xyz', limits=(-1.0, 2.0))
        twin.put('target', build.pose(2.75, -4.0, 1.5))
        group = build.group(twin, max_iterations=1)
        result = group.handle()
        assert result.flags & CalculationFlag.LIMIT_HIT
        assert result.limit_hits == pytest.approx({'x': 0.75, 'y': -3.0}, abs=1e-9)
        assert group.joint_limit_hits == result.limit_hits
        np.testing.assert_allclose(build.values(twin), [2.0, -1.0, 1.5], atol=1e-9)
        assert result.linear_error == pytest.approx(math.hypot(0.75, 3.0))

    def test_hits_are_cumulative_and_no_failure(self, build):
        twin = build.gantry('x', limits=(-1.0, 1.0))
        twin.put('target', build.pose(x=0.5))
        group = build.group(twin, Constraint.X, max_iterations=3)
        result = group.handle(steps((1.5,), (-0.25,), (-0.25,)))
        assert result.success
        assert result.flags == CalculationFlag.LIMIT_HIT | CalculationFlag.STEPS_TOO_BIG
        assert result.limit_hits == pytest.approx({'x': 0.5})
        assert result.iterations == 3

    def test_hits_of_all_iterations_are_told(self, build):
        twin = build.gantry('xy', limits=(-1.0, 1.0))
        group = build.group(twin, max_iterations=2)
        group.element(0).linear_precision = 1e-12
        result = group.handle(steps((1.5, 0.1), (-0.1, -1.5)))
        assert result.limit_hits == pytest.approx({'x': 0.5, 'y': -0.4})

    def test_hits_are_of_the_last_handling_alone(self, build):
        twin = build.gantry('x', limits=(-1.0, 1.0))
        twin.put('target', build.pose(x=1.5))
        group = build.group(twin, Constraint.X)
        group.handle()
        assert group.joint_limit_hits
        twin.put('target', build.pose(x=0.5))
        assert group.handle().limit_hits == {}
        assert group.joint_limit_hits == {}

    def test_hits_are_of_the_full_step_not_of_a_shortened_one_that_stays_inside(self, build):
        twin = build.gantry('x', limits=(-1.0, 0.05))
        group = build.group(twin, max_iterations=1, ignore_max_steps=False)
        result = group.handle(steps((7.0,)))
        assert result.limit_hits == pytest.approx({'x': 0.05})  # 0.1 is the largest step

    def test_touching_a_limit_is_no_hit(self, build):
        twin = build.gantry('x', limits=(-1.0, 0.5))
        group = build.group(twin, max_iterations=1)
        result = group.handle(steps((0.5,)))
        assert result.limit_hits == {}
        assert not result.flags & CalculationFlag.LIMIT_HIT

    def test_cyclic_and_spherical_joints_have_no_limits(self, build):
        twin = build.Twin()
        twin.joint('turn')
        twin.joint('ball', 'spherical', 'turn')
        twin.dummy('target')
        twin.dummy('tip', 'ball', target='target')
        twin.state = {'turn': 3.0}
        result = build.group(twin, max_iterations=4).handle(
            lambda step: Answer(dq=np.array([1.0, 1.0, 0.0, 0.0]))
        )
        assert result.limit_hits == {}
        assert not result.flags & CalculationFlag.LIMIT_HIT

    def test_cyclic_joint_goes_the_short_way_across_half_a_turn(self, build):
        twin = build.planar([1.0], target=build.pose(vector=(0.0, 0.0, -3.0)))
        twin.state = {'j1': 3.0}
        result = build.group(twin, Constraint.GAMMA).handle()
        assert result.success
        assert result.limit_hits == {}
        at = build.values(twin)[0]
        assert math.remainder(at + 3.0, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)

    def test_limited_joint_does_not_turn_through_its_stop(self, build):
        """The short way leads out of the limits: it stays at the one it ran into."""
        twin = build.planar([1.0], target=build.pose(vector=(0.0, 0.0, -3.0)))
        twin.env.joint('j1').limits = (-3.1, 3.1)
        twin.state = {'j1': 3.0}
        result = build.group(twin, Constraint.GAMMA).handle()
        assert result.limit_hits == pytest.approx({'j1': 2.0 * math.pi - 3.0 - 3.1})
        assert build.values(twin) == pytest.approx([3.1])

    def test_slaves_follow_each_step(self, build):
        twin = build.gantry('xy')
        twin.follow('y', 'x', -2.0, 0.5)
        group = build.group(twin, max_iterations=1)
        group.handle(steps((0.3,)))
        np.testing.assert_allclose(build.values(twin), [0.3, -0.1], atol=1e-12)

    def test_limits_of_a_slave_bound_its_master(self, build):
        twin = build.gantry('xy')
        twin.env.joint('y').limits = (-1.0, 1.0)
        twin.follow('y', 'x', -2.0)
        twin.put('target', build.pose(x=3.0))
        result = build.group(twin, Constraint.X).handle()
        assert result.limit_hits == pytest.approx({'x': 2.5}, abs=1e-9)
        np.testing.assert_allclose(build.values(twin), [0.5, -1.0], atol=1e-12)

    def test_lost_motion_is_not_redistributed_in_the_same_step(self, build):
        twin = build.gantry('x')
        along = twin.world('x')
        twin.joint('x2', 'prismatic', 'x', limits=(-0.1, 0.1))
        twin.dummy('hand', 'x2', np.linalg.inv(along), target='target')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, tip='hand', max_iterations=1)
        group.handle()
        np.testing.assert_allclose(build.values(twin), [0.5, 0.1], atol=1e-9)

    def test_start_beyond_a_limit_is_brought_back_by_the_first_step(self, build):
        twin = build.gantry('x', limits=(-1.0, 1.0))
        twin.env.set_joint_positions({'x': 1.5})
        result = build.group(twin, Constraint.X, max_iterations=1).handle(steps((0.0,)))
        assert build.values(twin) == [1.0]
        assert result.limit_hits == pytest.approx({'x': 0.5})

    def test_a_hit_ends_it_where_that_is_wanted_with_the_step_done(self, build):
        twin = build.gantry('xy', limits=(-1.0, 1.0))
        twin.put('target', build.pose(1.5, 0.5))
        group = build.group(twin, max_iterations=9, stop_on_limit_hit=True)
        group.element(0).linear_weight = 0.8
        result = group.handle()
        assert result.iterations == 1
        assert result.limit_hits == pytest.approx({'x': 0.2})
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        np.testing.assert_allclose(build.values(twin), [1.0, 0.4], atol=1e-9)
        group.stop_on_limit_hit = False
        assert group.handle().iterations == 9

    def test_a_hit_that_comes_later_ends_it_later(self, build):
        twin = build.gantry('x', limits=(-1.0, 1.0))
        twin.put('target', build.pose(x=2.0))
        group = build.group(twin, Constraint.X, max_iterations=9, stop_on_limit_hit=True)
        result = group.handle(lambda step: Answer(dq=np.array([0.3])))
        assert result.iterations == 4
        assert result.limit_hits == pytest.approx({'x': 0.2})

    def test_a_hit_that_arrives_within_precision_is_a_success(self, build):
        twin = build.gantry('x', limits=(-1.0, 1.0))
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, max_iterations=9, stop_on_limit_hit=True)
        result = group.handle(steps((3.0,)))
        assert result.success
        assert result.flags & CalculationFlag.LIMIT_HIT


class TestAvoidance:
    """Rows that push joints out of the margins of their limits."""

    def slide(self, build, at, margin=0.2, limits=(0.0, 1.0)):
        twin = build.gantry('x', limits=limits, limit_margin=margin)
        twin.state = {'x': at}
        group = build.group(twin, Constraint.X, avoid_limits=True, max_iterations=1)
        group.method = 'undamped_pseudo_inverse'
        return twin, group

    @pytest.mark.parametrize(
        ('at', 'row', 'depth'), [(0.05, 1.0, 0.15), (0.95, -1.0, 0.15), (0.0, 1.0, 0.2)]
    )
    def test_row_is_one_towards_the_inside_and_its_error_the_depth(self, build, at, row, depth):
        _, group = self.slide(build, at)
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian, [[1.0], [row]], atol=1e-12)
        np.testing.assert_allclose(error, [-at, depth], atol=1e-12)

    @pytest.mark.parametrize('at', [0.21, 0.5, 0.79])
    def test_no_row_outside_of_the_margins(self, build, at):
        _, group = self.slide(build, at)
        assert group.stacked_jacobian()[0].shape == (1, 1)

    @pytest.mark.parametrize('at', np.linspace(0.0, 1.0, 9))
    def test_range_narrower_than_two_margins_always_has_one_row(self, build, at):
        _, group = self.slide(build, at, margin=0.6)
        assert group.stacked_jacobian()[0].shape == (2, 1)

    @pytest.mark.parametrize('target', [0.05, 0.1, 0.0])
    @pytest.mark.parametrize('weight', [1.0, 0.5])
    def test_competes_with_the_task_at_the_lower_limit(self, build, target, weight):
        """The rows rest where w (g - q) + (margin - q) = 0; those of limits have no weight."""
        twin, group = self.slide(build, 0.02)
        twin.put('target', build.pose(x=target))
        group.max_iterations, group.element(0).weight = 100, weight
        group.element(0).linear_precision = 1e-9
        result = group.handle()
        wanted = (weight * target + 0.2) / (weight + 1.0)
        assert build.values(twin) == pytest.approx([wanted], abs=1e-9)
        assert result.linear_error == pytest.approx(wanted - target)
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE

    def test_competes_with_the_task_at_the_upper_limit(self, build):
        twin, group = self.slide(build, 0.99)
        twin.put('target', build.pose(x=0.94))
        group.max_iterations, group.element(0).linear_precision = 100, 1e-9
        group.handle()
        assert build.values(twin) == pytest.approx([0.5 * (0.94 + 0.8)], abs=1e-9)

    def test_depth_is_no_part_of_the_tolerance(self, build):
        twin, group = self.slide(build, 0.1)
        twin.put('target', build.pose(x=0.1))
        group.element(0).linear_precision = 0.051
        result = group.handle()  # half of the way out of the margin
        assert result.success
        assert build.values(twin) == pytest.approx([0.15])

    def test_without_rows_of_elements_it_still_pushes(self, build):
        twin, group = self.slide(build, 0.05)
        group.element(0).constraints = 0
        result = group.handle()
        assert build.values(twin) == pytest.approx([0.2])
        assert not result.flags & CalculationFlag.CANNOT_INVERT

    def test_columns_of_cyclic_spherical_and_passive_joints_have_none(self, build):
        twin = build.Twin()
        twin.joint('turn', limit_margin=4.0)
        twin.joint('held', 'prismatic', 'turn', passive=True, limit_margin=1.0)
        twin.joint('ball', 'spherical', 'held')
        twin.joint('slide', 'prismatic', 'ball', limit_margin=1.0)
        twin.dummy('target')
        twin.dummy('tip', 'slide', target='target')
        group = build.group(twin, Constraint.X, avoid_limits=True)
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('turn', 'ball/x', 'ball/y', 'ball/z', 'slide')
        np.testing.assert_array_equal(jacobian[1:], [[0, 0, 0, 0, 1.0]])
        np.testing.assert_allclose(error[1:], [0.5])

    def test_redundant_joints_leave_the_margin_and_keep_the_task(self, build):
        twin = build.gantry('x', limits=(0.0, 1.0), limit_margin=0.2)
        along = twin.world('x')
        twin.joint('x2', 'prismatic', 'x', limits=(-1.0, 1.0), limit_margin=0.1)
        twin.dummy('hand', 'x2', np.linalg.inv(along), target='target')
        group = build.group(twin, Constraint.X, tip='hand', avoid_limits=True)
        result = group.handle()
        assert result.success
        np.testing.assert_allclose(build.values(twin), [0.2, -0.2], atol=1e-9)


class TestFlags:
    """Bits of the result."""

    @pytest.fixture
    def slide(self, build):
        """Give a slide with limits, a target at 0.05 and a group on it."""
        twin = build.gantry('x', limits=(-1.0, 1.0))
        twin.put('target', build.pose(x=0.05))
        return twin, build.group(twin, Constraint.X)

    def test_converged(self, slide):
        _, group = slide
        result = group.handle()
        assert result.flags == CONVERGED
        assert result.success

    def test_not_within_tolerance_keeps_the_best_effort(self, slide, build):
        twin, group = slide
        group.element(0).weight = 0.5
        result = group.handle()
        assert result.flags == CalculationFlag.NOT_WITHIN_TOLERANCE
        assert not result.success
        assert build.values(twin) == pytest.approx([0.05 * 0.875])

    def test_information_is_no_failure(self, slide, build):
        twin, group = slide
        twin.put('target', build.pose(x=1.0001))
        result = group.handle()
        assert result.flags == CalculationFlag.STEPS_TOO_BIG | CalculationFlag.LIMIT_HIT
        assert result.success

    @pytest.mark.parametrize('why', ['group', 'element', 'joint', 'no element'])
    def test_nothing_is_done_without_something_to_move(self, slide, build, why):
        twin, group = slide
        if why == 'group':
            group.enabled = False
        elif why == 'element':
            group.element(0).enabled = False
        elif why == 'joint':
            twin.env.joint('x').passive = True
        else:
            group.erase_element(0)
        told = []
        result = group.handle(told.append)
        assert result.flags == NOTHING
        assert not result.success
        assert (result.linear_error, result.angular_error, result.iterations) == (0.0, 0.0, 0)
        assert not told
        assert build.values(twin) == [0.0]

    @pytest.mark.parametrize('why', ['target', 'constraints'])
    def test_no_rows_cannot_be_inverted(self, slide, build, why):
        twin, group = slide
        group.flags |= 4 | 8
        if why == 'target':
            twin.env.dummy('tip').target = None
        else:
            group.element(0).constraints = 0
        result = group.handle()
        assert result.flags == CalculationFlag.CANNOT_INVERT | CalculationFlag.NOT_WITHIN_TOLERANCE
        assert not result.success
        assert result.iterations == 0
        assert build.values(twin) == [0.0]

    def test_a_row_elsewhere_is_enough(self, slide, build):
        twin, group = slide
        group.add_element('tip', constraints=0)
        assert group.handle().flags == CONVERGED

    @pytest.mark.parametrize('erased', ['tip', 'frame', 'base'])
    def test_an_element_that_lacks_something_is_not_used(self, build, erased):
        twin = build.gantry('x')
        twin.dummy('frame')
        twin.dummy('base')
        twin.env['x'].set_parent('base')
        group = twin.env.create_group('g', empty=True)
        group.add_element('tip', 'base', constraints_base='frame')
        assert group.handle().success
        twin.env.erase(erased)
        assert group.handle().flags == NOTHING

    def test_an_erased_target_leaves_no_rows(self, slide):
        twin, group = slide
        twin.env.erase('target')
        result = group.handle()
        assert result.flags == CalculationFlag.CANNOT_INVERT | CalculationFlag.NOT_WITHIN_TOLERANCE

    def test_the_chain_is_what_lies_between_base_and_tip(self, build):
        twin = build.gantry('xy')
        twin.dummy('base', 'x')
        twin.put('target', build.pose(0.01, 0.01))
        group = twin.env.create_group('g', empty=True)
        group.add_element('tip', 'base')
        # x carries base and tip, y the tip alone.
        assert group.joints == ('y',)
        twin.env['base'].set_parent(None)
        assert group.joints == ('x', 'y')
        assert group.handle().success


class TestRestore:
    """Joints that go back when the tolerance is missed."""

    def machine(self, build):
        """Make a slide z with a turn on it; both tasks end half done."""
        twin = build.gantry('z')
        twin.joint('turn', parent='z')
        twin.joint('ball', 'spherical', 'turn')
        twin.joint('slave', 'prismatic')
        twin.follow('slave', 'z', 0.1)
        twin.dummy('hand', 'turn', target='target')
        twin.put('target', build.pose(z=1.0, vector=(0.0, 0.0, 1.0)))
        twin.dummy('finger target', T=build.pose(vector=(0.5, 0.5, 0.5)))
        twin.dummy('finger', 'ball', target='finger target')
        group = build.group(twin, Constraint.Z, tip='hand', max_iterations=1)
        group.add_element('hand', constraints=Constraint.GAMMA)
        group.add_element('finger', constraints=Constraint.X)  # at rest, and it moves no ball
        return twin, group

    @pytest.mark.parametrize(
        ('flags', 'linear', 'angular', 'restored'),
        [
            (0, 1e-6, 1e-6, False),
            (4, 1e-6, 9.0, True),
            (4, 9.0, 1e-6, False),
            (8, 1e-6, 9.0, False),
            (8, 9.0, 1e-6, True),
            (12, 1e-6, 9.0, True),
            (12, 9.0, 1e-6, True),
            (12, 9.0, 9.0, False),
        ],
    )
    def test_which_tolerance_restores(self, build, flags, linear, angular, restored):
        twin, group = self.machine(build)
        group.flags |= flags
        for element in group.elements:
            element.weight = 0.5
            element.linear_precision, element.angular_precision = linear, angular
        before = twin.env.joint_positions
        result = group.handle()
        # Of the end of the iterations, not of what is restored.
        assert result.linear_error == pytest.approx(0.5)
        assert result.angular_error == pytest.approx(0.5)
        assert (twin.env.joint_positions == before) is restored
        if not restored:
            assert twin.env.joint('z').position == pytest.approx(0.5)
            assert twin.env.joint('slave').position == pytest.approx(0.05)

    def test_balls_go_back_too(self, build):
        twin, group = self.machine(build)
        group.element(2).constraints = Constraint.ORIENTATION
        start = build.turn(0.3, -0.2, 0.1)
        twin.state = {'ball': start}
        before = twin.env.scene.positions
        group.handle()
        assert np.abs(twin.state['ball'] - start).max() > 0.1
        twin.env.edit(lambda scene: scene.moved(before))
        group.element(0).weight = 0.5
        group.flags |= ik_node.GroupFlag.RESTORE_ON_BAD_LINEAR_TOLERANCE
        group.handle()
        assert twin.env.scene.positions == before

    def test_nothing_goes_back_after_a_success(self, build):
        twin, group = self.machine(build)
        group.flags |= 4 | 8
        group.max_iterations = 9
        assert group.handle().success
        assert twin.env.joint('z').position == pytest.approx(1.0, abs=1e-3)

    def test_targets_stay_where_they_are_set(self, build):
        twin, group = self.machine(build)
        group.flags |= 4 | 8
        group.element(0).weight = 0.5
        where = twin.env['target'].pose()
        group.handle()
        np.testing.assert_array_equal(twin.env['target'].pose(), where)
