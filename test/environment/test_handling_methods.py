# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Steps of the four methods, weights of elements and joints, and what a callback may change.

Steps are compared with the formulas, on Jacobians that are differences of the twin's poses.
"""

from __future__ import annotations

import math

import ik_node
from ik_node import Answer, CalculationFlag, Constraint, Environment
import numpy as np
import pytest

METHODS = [
    'pseudo_inverse',
    'damped_least_squares',
    'undamped_pseudo_inverse',
    'jacobian_transpose',
]


def formula(method, J, e, W, damping):
    """Compute a step as the documentation of the methods says."""
    if method == 'jacobian_transpose':
        return J.T @ e
    d = {'pseudo_inverse': 1e-6, 'damped_least_squares': damping}.get(method, 0.0)
    # By singular values: a normal matrix would lose half of the digits.
    root = np.sqrt(W)
    U, s, Vt = np.linalg.svd(J @ root, full_matrices=False)
    gain = np.array([x / (x * x + d * d) if x > 1e-9 * s[0] else 0.0 for x in s])
    return root @ Vt.T @ (gain * (U.T @ e))


def step_of(twin, group):
    """Make one iteration; give what the scalar joints did."""
    before = np.array(list(twin.env.joint_positions.values()))
    group.max_iterations = 1
    group.handle()
    return np.array(list(twin.env.joint_positions.values())) - before


class TestElementWeights:
    """A weight is the share of the error that a step removes, not a least-squares weight."""

    @pytest.mark.parametrize('share', [0.25, 0.5, 1.5, 1.9])
    @pytest.mark.parametrize('attribute', ['linear_weight', 'weight'])
    def test_each_iteration_leaves_one_minus_the_weight(self, build, share, attribute):
        twin = build.gantry('xyz')
        twin.put('target', build.pose(1.0, -2.0, 3.0))
        group = build.group(twin, max_iterations=1)
        setattr(group.element(0), attribute, share)
        group.element(0).linear_precision = 1e-12
        for k in range(1, 6):
            result = group.handle()
            wanted = (1.0 - (1.0 - share) ** k) * np.array([1.0, -2.0, 3.0])
            np.testing.assert_allclose(build.values(twin), wanted, atol=1e-9)
            # Told in metres, not weighted.
            assert result.linear_error == pytest.approx(abs(1 - share) ** k * math.sqrt(14.0))

    def test_position_and_orientation_have_a_weight_each_and_one_together(self, build):
        twin = build.gantry('x')
        twin.joint('turn', parent='x', T=np.linalg.inv(twin.world('x')))
        twin.dummy('hand', 'turn', target='target')
        twin.put('target', build.pose(x=1.0, vector=(0.0, 0.0, 1.0)))
        group = build.group(twin, Constraint.X | Constraint.GAMMA, tip='hand')
        element = group.element(0)
        element.linear_weight, element.angular_weight, element.weight = 0.5, 0.8, 0.25
        np.testing.assert_allclose(step_of(twin, group), [0.125, 0.2], atol=1e-9)

    @pytest.mark.parametrize('share', [0.2, 0.6, 1.0, 1.4, 1.8])
    def test_solution_is_the_same_for_any_weight_below_two(self, build, share):
        twin = build.planar([1.0, 1.0])
        twin.state = {'j1': 0.3, 'j2': 0.9}
        x, y = math.cos(0.5) + math.cos(1.3), math.sin(0.5) + math.sin(1.3)
        twin.put('target', build.pose(x, y))
        group = build.group(twin, Constraint.X | Constraint.Y, max_iterations=300)
        group.element(0).weight, group.element(0).linear_precision = share, 1e-11
        result = group.handle()
        assert result.success
        np.testing.assert_allclose(build.values(twin), [0.5, 0.8], atol=1e-9)
        # The error shrinks by |1 - share| each time in the end.
        least = 3 if share == 1.0 else math.log(1e-10) / math.log(abs(1.0 - share)) * 0.8
        assert least <= result.iterations <= 1.6 * least + 4

    def test_weight_of_zero_moves_nothing_and_one_of_two_swings(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, max_iterations=7)
        group.element(0).weight = 0.0
        assert group.handle().linear_error == pytest.approx(1.0)
        group.element(0).weight = 2.0
        assert group.handle().flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert build.values(twin) == pytest.approx([2.0])

    def test_jacobian_and_error_are_not_weighted(self, build):
        twin = build.planar([1.0, 1.0], target=build.pose(1.0, 1.0, vector=(0.0, 0.0, 1.0)))
        group = build.group(twin, Constraint.POSE)
        plain = group.stacked_jacobian()
        element = group.element(0)
        element.linear_weight, element.angular_weight, element.weight = 0.3, 0.7, 0.5
        weighted = group.stacked_jacobian()
        np.testing.assert_array_equal(weighted[0], plain[0])
        np.testing.assert_array_equal(weighted[1], plain[1])
        told = []
        group.handle(told.append)
        np.testing.assert_array_equal(told[0].jacobian, plain[0])
        np.testing.assert_array_equal(told[0].error, plain[1])

    def test_small_changes_of_a_weight_count(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, method='undamped_pseudo_inverse')
        group.element(0).weight = 1.0 - 1e-7
        assert step_of(twin, group) == pytest.approx([1.0 - 1e-7], abs=1e-12)

    def test_precision_is_not_weighted(self, build):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, max_iterations=1)
        group.element(0).weight, group.element(0).linear_precision = 0.25, 0.74
        assert group.handle().flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        group.element(0).linear_precision = 0.57  # 0.5625 are left after two
        assert group.handle().success

    @pytest.mark.parametrize('method', ['pseudo_inverse', 'undamped_pseudo_inverse'])
    @pytest.mark.parametrize('weights', [(1.0, 1.0), (1.0, 0.5), (0.2, 0.8)])
    def test_conflicting_tasks_rest_where_the_weighted_errors_balance(
        self, build, weights, method
    ):
        """
        One slide moves one tip by 1 and, through a slave, another one by 2.

        J# = [1, 2] / 5, so it rests where w1 (a - q) + 2 w2 (b - 2 q) = 0; with weights of
        least squares they would be squared.
        """
        twin = build.gantry('x')
        twin.joint('twice', 'prismatic', T=twin.world('x'), limits=(-100.0, 100.0))
        twin.follow('twice', 'x', 2.0)
        twin.put('target', build.pose(x=1.0))
        twin.dummy('other target', T=build.pose(x=-0.5))
        twin.dummy('other', 'twice', np.linalg.inv(twin.world('x')), target='other target')
        group = build.group(twin, Constraint.X, max_iterations=200)
        group.method = method
        group.add_element('other', constraints=Constraint.X)
        for element, weight in zip(group.elements, weights, strict=True):
            element.linear_weight = weight
        result = group.handle()
        a, b = weights
        wanted = (a * 1.0 + 2.0 * b * -0.5) / (a + 4.0 * b)
        assert twin.env.joint('x').position == pytest.approx(wanted, abs=1e-9)
        assert result.linear_error == pytest.approx(max(abs(1 - wanted), abs(-0.5 - 2 * wanted)))
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE


class TestErrorSize:
    """The full error in each iteration."""

    def test_linear_mechanism_arrives_in_one_iteration_from_anywhere(self, build):
        twin = build.gantry('xyz')
        twin.put('target', build.pose(40.0, -70.0, 99.0))
        result = build.group(twin, max_iterations=5).handle()
        assert result.success
        assert result.iterations == 1
        np.testing.assert_allclose(build.values(twin), [40.0, -70.0, 99.0], atol=1e-8)

    def test_rotation_about_one_axis_arrives_in_one_iteration(self, build):
        twin = build.planar([1.0], target=build.pose(vector=(0.0, 0.0, 3.0)))
        assert build.group(twin, Constraint.ORIENTATION).handle().iterations == 1
        assert build.values(twin) == pytest.approx([3.0])

    def test_ball_arrives_in_one_iteration(self, build):
        twin = build.Twin()
        twin.joint('ball', 'spherical')
        twin.dummy('target', T=build.pose(vector=(1.0, -0.8, 1.4)))
        twin.dummy('tip', 'ball', target='target')
        assert build.group(twin, Constraint.ORIENTATION).handle().iterations == 1


class TestMethods:
    """Formulas, joint weights included."""

    @pytest.mark.parametrize('method', METHODS)
    @pytest.mark.parametrize('seed', range(9))
    def test_step_of_a_random_tree(self, build, method, seed):
        """Spherical joints have three equal weights, slaves none."""
        rng = np.random.default_rng(seed)
        twin = build.random_tree(rng)
        for joint in twin.env.joints.values():
            joint.weight = float(rng.uniform(0.2, 3.0))
        constraints = int(rng.choice([7, 3, 15]))
        group = build.group(twin, constraints, method=method, damping=0.4, max_iterations=1)
        _, _, names = group.stacked_jacobian()
        q = twin.state
        keep = build.kept(constraints)
        J = twin.rates(names, 'tip', 'target')[keep]
        e, _, _ = twin.error(constraints, 'tip', 'target')
        # Near enough that no step is wrapped.
        e, group.element(0).weight = 0.02 * e, 0.02
        W = np.diag([twin.env.joint(name.rpartition('/')[0] or name).weight for name in names])
        wanted = twin.moved(q, names, formula(method, J, e, W, 0.4))
        group.handle()
        for name, value in twin.state.items():
            np.testing.assert_allclose(value, wanted[name], atol=1e-7, err_msg=name)

    @pytest.mark.parametrize('damping', [0.0, 0.5, 2.0])
    def test_damping_is_squared(self, build, damping):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, method='damped_least_squares', damping=damping)
        assert step_of(twin, group) == pytest.approx([1.0 / (1.0 + damping**2)], abs=1e-9)

    @pytest.mark.parametrize('method', ['pseudo_inverse', 'undamped_pseudo_inverse'])
    def test_damping_is_of_one_method_alone(self, build, method):
        twin = build.gantry('x')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, method=method, damping=100.0)
        assert step_of(twin, group) == pytest.approx([1.0], abs=1e-9)

    def test_the_tiny_bit_of_damping_is_seen_at_a_tiny_lever(self, build):
        twin = build.Twin()
        twin.joint('j1')
        twin.dummy('target', T=build.pose(x=1e-6, y=1e-7))
        twin.dummy('tip', 'j1', build.pose(x=1e-6), target='target')
        group = build.group(twin, Constraint.Y)
        # 1e-6 * 1e-7 / (1e-12 + 1e-12).
        assert step_of(twin, group) == pytest.approx([0.05], abs=1e-9)
        twin.state = {'j1': 0.0}
        group.method = 'undamped_pseudo_inverse'
        assert step_of(twin, group) == pytest.approx([0.1], abs=1e-9)

    def test_heavier_joint_does_more_of_the_work(self, build):
        twin = build.gantry('x')
        along = twin.world('x')
        twin.joint('x2', 'prismatic', 'x', limits=(-9.0, 9.0))
        twin.dummy('hand', 'x2', np.linalg.inv(along), target='target')
        twin.put('target', build.pose(x=1.0))
        group = build.group(twin, Constraint.X, tip='hand')
        np.testing.assert_allclose(step_of(twin, group), [0.5, 0.5], atol=1e-9)
        twin.state = {'x': 0.0, 'x2': 0.0}
        twin.env.joint('x2').weight = 3.0
        np.testing.assert_allclose(step_of(twin, group), [0.25, 0.75], atol=1e-9)
        twin.state = {'x': 0.0, 'x2': 0.0}
        twin.env.joint('x').weight = 0.0  # raised to 1e-5
        share = 1e-5 / (3.0 + 1e-5)
        np.testing.assert_allclose(step_of(twin, group), [share, 1.0 - share], atol=1e-9)
        twin.state = {'x': 0.0, 'x2': 0.0}
        group.method = 'jacobian_transpose'  # weights mean nothing, and both do all of it
        np.testing.assert_allclose(step_of(twin, group), [1.0, 1.0], atol=1e-12)

    def test_transpose_has_a_gain_of_one(self, build):
        twin = build.planar([0.5, 0.5])
        twin.put('target', build.pose(1.0, 0.2))
        group = build.group(twin, Constraint.X | Constraint.Y, method='jacobian_transpose')
        np.testing.assert_allclose(step_of(twin, group), [0.2, 0.1], atol=1e-12)

    @pytest.mark.parametrize(
        ('asked', 'done'),
        [
            (4.0, 4.0 - 2.0 * math.pi),
            (-4.0, 2.0 * math.pi - 4.0),
            (math.pi, math.pi),
            (-math.pi, math.pi),
            (7.0, 7.0 - 2.0 * math.pi),
            (3.0, 3.0),
        ],
    )
    def test_steps_of_turning_joints_are_wrapped(self, build, asked, done):
        twin = build.gantry('x')
        twin.joint('turn', parent='x', limits=(-9.0, 9.0))
        twin.dummy('hand', 'turn', target='target')
        group = build.group(twin, tip='hand', max_iterations=1)
        group.handle(lambda step: Answer(dq=np.array([asked, asked])))
        np.testing.assert_allclose(build.values(twin), [asked, done], atol=1e-12)

    def test_a_method_of_its_own_is_wrapped_too(self, build):
        """The transpose with a lever of 4 m asks for 4 rad."""
        twin = build.planar([4.0], target=build.pose(4.0, 1.0))
        group = build.group(twin, Constraint.Y, method='jacobian_transpose')
        assert step_of(twin, group) == pytest.approx([4.0 - 2.0 * math.pi])

    def test_each_axis_of_a_ball_is_wrapped(self, build):
        twin = build.Twin()
        twin.joint('ball', 'spherical')
        twin.dummy('target')
        twin.dummy('tip', 'ball', target='target')
        group = build.group(twin, max_iterations=1)
        group.handle(lambda step: Answer(dq=np.array([4.0, 0.1, -0.2])))
        wanted = build.turn(4.0 - 2.0 * math.pi, 0.1, -0.2)
        np.testing.assert_allclose(twin.state['ball'], wanted, atol=1e-12)


class TestSingular:
    """A Jacobian without full rank never stops a handling."""

    @pytest.mark.parametrize('method', METHODS)
    def test_direction_out_of_reach_moves_nothing(self, build, method):
        twin = build.planar([1.0, 1.0], target=build.pose(x=2.5))
        group = build.group(twin, Constraint.X, method=method, max_iterations=3)
        result = group.handle()
        assert result.flags == CalculationFlag.NOT_WITHIN_TOLERANCE
        assert result.iterations == 3
        np.testing.assert_array_equal(build.values(twin), [0.0, 0.0])

    def test_direction_out_of_reach_gets_nothing_and_the_rest_its_least_step(self, build):
        twin = build.planar([1.0, 1.0], target=build.pose(2.5, 0.1))
        group = build.group(twin, Constraint.X | Constraint.Y, method='undamped_pseudo_inverse')
        np.testing.assert_allclose(step_of(twin, group), [0.04, 0.02], atol=1e-12)

    @pytest.mark.parametrize('method', ['pseudo_inverse', 'undamped_pseudo_inverse'])
    def test_saying_a_task_twice_changes_nothing(self, build, method):
        twin = build.planar([1.0, 1.0, 1.0])
        twin.state = {'j1': 0.3, 'j2': 0.5, 'j3': -0.9}
        twin.put('target', build.pose(2.6, 0.9))
        group = build.group(twin, Constraint.X | Constraint.Y, method=method)
        q = twin.state
        once = step_of(twin, group)
        twin.state = q
        group.add_element('tip', constraints=Constraint.X | Constraint.Y)
        np.testing.assert_allclose(step_of(twin, group), once, atol=1e-9)

    @pytest.mark.parametrize('method', METHODS)
    @pytest.mark.parametrize('seed', range(5))
    def test_more_rows_than_columns_give_the_best_step(self, build, method, seed):
        rng = np.random.default_rng(seed)
        twin = build.planar([1.0, 0.7])
        twin.state = {'j1': 0.4, 'j2': 0.8}
        twin.put('target', build.pose(*rng.normal(size=3), vector=rng.uniform(-0.8, 0.8, 3)))
        group = build.group(twin, Constraint.POSE, method=method, damping=0.3)
        _, e, _ = group.stacked_jacobian()
        J = twin.rates(('j1', 'j2'), 'tip', 'target')
        group.element(0).weight = 0.1
        wanted = formula(method, J, 0.1 * e, np.eye(2), 0.3)
        np.testing.assert_allclose(step_of(twin, group), wanted, atol=1e-7)

    def test_no_damping_is_the_undamped_method_also_where_it_is_singular(self, build):
        twin = build.planar([1.0, 1.0], target=build.pose(2.5, 0.1))
        group = build.group(twin, Constraint.X | Constraint.Y, method='damped_least_squares')
        group.damping = 0.0
        np.testing.assert_allclose(step_of(twin, group), [0.04, 0.02], atol=1e-12)

    def test_a_joint_that_moves_nothing_stays(self, build):
        twin = build.planar([0.0, 1.0])  # the axes of both joints coincide
        twin.joint('j3', parent='j2', T=build.pose(x=1.0))
        twin.dummy('target2', T=build.pose(y=0.4, x=0.9))
        twin.dummy('tip2', 'j3', target='target2')
        for method in METHODS:
            twin.state = {'j1': 0.0, 'j2': 0.0, 'j3': 0.0}
            group = build.group(twin, 7, method, 'tip2', method=method, max_iterations=4)
            group.handle()
            assert twin.env.joint('j3').position == 0.0
            q = build.values(twin)
            assert np.isfinite(q).all()
            assert q[0] == pytest.approx(q[1], abs=1e-9)


class TestCallback:
    """What a callback is told, and what its answers do."""

    def arm(self, build):
        twin = build.planar([1.0, 1.0])
        twin.state = {'j1': 0.3, 'j2': 0.7}
        twin.put('target', build.pose(1.2, 1.1))
        return twin

    def test_it_is_told_the_rows_of_the_present_state(self, build):
        twin = self.arm(build)
        group = build.group(twin, Constraint.X | Constraint.Y, max_iterations=4)
        group.element(0).linear_precision = 1e-15
        told = []
        q = twin.state
        group.handle(told.append)
        assert [step.iteration for step in told] == list(range(len(told)))
        for step in told:
            assert step.group == 'g'
            assert step.coordinates == ('j1', 'j2')
            assert step.row_names == ('x', 'y')
            J = twin.rates(('j1', 'j2'), 'tip', 'target', q=q)[:2]
            e, _, _ = twin.error(3, 'tip', 'target', q=q)
            np.testing.assert_allclose(step.jacobian, J, atol=1e-8)
            np.testing.assert_allclose(step.error, e, atol=1e-8)
            q = twin.moved(q, ('j1', 'j2'), formula('pseudo_inverse', J, e, np.eye(2), 0.0))

    def test_limit_rows_are_told_as_of_no_element(self, build):
        twin = self.arm(build)
        twin.env.joint('j2').limits = (0.65, 2.0)
        group = build.group(twin, Constraint.X, avoid_limits=True)
        told = []
        group.handle(told.append)
        assert told[0].row_names == ('x', 'limit')
        assert told[0].row_elements == (0, -1)
        np.testing.assert_array_equal(told[0].jacobian[1], [0.0, 1.0])
        assert told[0].error[1] == pytest.approx(math.radians(5.0) - 0.05)

    def test_it_is_called_for_each_group_in_each_iteration(self, build):
        twin = self.arm(build)
        twin.dummy('elbow', 'j2', target='target')
        for name, tip in (('first', 'tip'), ('second', 'elbow')):
            build.group(twin, Constraint.X, name, tip, max_iterations=3)
        told = []
        twin.env.handle_groups(['first', 'second'], told.append)
        pairs = sorted((step.iteration, step.group) for step in told)
        assert pairs == [(i, name) for i in range(3) for name in ('first', 'second')]
        assert {step.coordinates for step in told} == {('j1', 'j2')}

    def test_what_it_does_to_its_arrays_is_its_own_affair(self, build):
        def vandal(step):
            step.jacobian[:] = 0.0
            step.error[:] = 9.0

        twin = self.arm(build)
        group = build.group(twin, Constraint.X | Constraint.Y)
        q = twin.state
        plain = step_of(twin, group)
        twin.state = q
        group.handle(vandal)
        np.testing.assert_array_equal(build.values(twin) - [0.3, 0.7], plain)

    def test_its_step_is_free_of_weights(self, build):
        twin = self.arm(build)
        twin.env.joint('j1').weight = 7.0
        group = build.group(twin, max_iterations=2)
        group.element(0).weight = 0.3
        group.handle(lambda step: Answer(dq=np.array([0.1, -0.2])))
        np.testing.assert_allclose(build.values(twin), [0.5, 0.3], atol=1e-12)

    def test_its_pseudo_inverse_is_applied_to_the_error_free_of_weights(self, build):
        twin = self.arm(build)
        twin.env.joint('j1').weight = 7.0
        group = build.group(twin, Constraint.X | Constraint.Y, max_iterations=1)
        group.element(0).weight = 0.3
        inverse = np.array([[0.1, 0.2], [0.3, -0.4]])
        _, error, _ = group.stacked_jacobian()
        group.handle(lambda step: Answer(pseudo_inverse=inverse))
        np.testing.assert_allclose(build.values(twin) - [0.3, 0.7], inverse @ error, atol=1e-12)

    def test_its_pseudo_inverse_makes_the_null_space(self, build):
        """The step of the second group goes through I - P J of the first one."""
        twin = self.arm(build)
        build.group(twin, Constraint.X | Constraint.Y, 'first', max_iterations=1)
        build.group(twin, Constraint.X | Constraint.Y, 'second')
        P = np.array([[0.1, 0.2], [0.3, -0.4]])
        first, second = np.array([0.01, 0.02]), np.array([-0.03, 0.05])
        J, _, _ = twin.env.group('first').stacked_jacobian()

        def answer(step):
            if step.group == 'first':
                return Answer(dq=first, pseudo_inverse=P)
            return Answer(dq=second)

        twin.env.handle_groups(['first', 'second'], answer)
        wanted = first + (np.eye(2) - P @ J) @ second
        np.testing.assert_allclose(build.values(twin) - [0.3, 0.7], wanted, atol=1e-12)

    def test_its_step_alone_leaves_the_null_space_of_the_method(self, build):
        twin = build.planar([1.0, 1.0, 1.0])
        twin.state = {'j1': 0.3, 'j2': 0.7, 'j3': 0.4}
        build.group(twin, Constraint.X | Constraint.Y, 'first', max_iterations=1)
        build.group(twin, Constraint.X, 'second')
        first, second = np.array([0.01, 0.02, 0.0]), np.array([-0.03, 0.05, 0.1])
        J = twin.rates(('j1', 'j2', 'j3'), 'tip', 'target')[:2]
        steps = {'first': first, 'second': second}
        twin.env.handle_groups(['first', 'second'], lambda step: Answer(dq=steps[step.group]))
        wanted = first + (np.eye(3) - np.linalg.pinv(J) @ J) @ second
        np.testing.assert_allclose(build.values(twin) - [0.3, 0.7, 0.4], wanted, atol=1e-9)

    @pytest.mark.parametrize(
        'answer',
        [
            Answer(dq=np.zeros(3)),
            Answer(dq=np.zeros((2, 1))),
            Answer(dq=np.array([math.nan, 0.0])),
            Answer(dq=np.array([math.inf, 0.0])),
            Answer(dq='no'),
            Answer(pseudo_inverse=np.zeros((3, 2))),
            Answer(pseudo_inverse=np.full((2, 3), math.nan)),
            Answer(dq=np.zeros(2), pseudo_inverse=np.zeros(2)),
            'nonsense',
        ],
    )
    def test_nonsense_moves_nothing_also_after_good_iterations(self, build, answer):
        twin = self.arm(build)
        group = build.group(twin, max_iterations=9)  # three rows
        group.element(0).weight = 0.1
        result = group.handle(lambda step: answer if step.iteration == 2 else None)
        assert result.flags & CalculationFlag.INVALID_CALLBACK_DATA
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert not result.success
        assert result.iterations == 2
        np.testing.assert_array_equal(build.values(twin), [0.3, 0.7])

    def test_its_exceptions_pass_and_move_nothing(self, build):
        twin = self.arm(build)

        def fail(step):
            if step.iteration == 1:
                raise RuntimeError('mine')

        with pytest.raises(RuntimeError, match='mine'):
            build.group(twin, max_iterations=9).handle(fail)
        np.testing.assert_array_equal(build.values(twin), [0.3, 0.7])

    def test_it_must_not_edit_the_environment(self, build):
        twin = self.arm(build)
        with pytest.raises(ik_node.InvalidStateError, match='must not'):
            build.group(twin).handle(lambda step: twin.env.create_dummy() and None)

    def test_an_answer_of_nothing_is_none(self, build):
        twin = self.arm(build)
        group = build.group(twin, Constraint.X | Constraint.Y)
        q = twin.state
        plain = step_of(twin, group)
        twin.state = q
        group.handle(lambda step: Answer())
        np.testing.assert_array_equal(build.values(twin) - [0.3, 0.7], plain)

    def test_a_copy_of_the_environment_is_not_the_one_that_moves(self, build):
        twin = self.arm(build)
        group = build.group(twin)
        copy = twin.env.duplicate()
        assert isinstance(copy, Environment)
        copy.group('g').handle()
        np.testing.assert_array_equal(build.values(twin), [0.3, 0.7])
        group.handle()
        assert copy.joint_positions == twin.env.joint_positions
