# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Elements and handling: values by hand on planar arms, and rows against central differences.

Where a value comes from: the equations of Coppelia's handling (rows, weights, methods,
projection), worked out in the test.
"""

from __future__ import annotations

import math

import ik_node
from ik_node import CalculationFlag, Constraint, Environment, GroupFlag, Method
from ik_node.kernels.rotations import matrix_from_rpy, rotate_vector_by
import numpy as np
import pytest


def pose(x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    """Make a pose from position and URDF angles."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rpy(float(roll), float(pitch), float(yaw))
    T[:3, 3] = x, y, z
    return T


def planar(joints=2):
    """Make a planar arm of links of 1 m with a tip and a target."""
    env = Environment()
    parent = None
    for i in range(joints):
        parent = env.create_joint(f'j{i + 1}', 'revolute', parent, pose(x=float(i > 0)))
    env.create_dummy('tip', parent, pose(x=1.0))
    env.create_dummy('target')
    env.dummy('tip').target = 'target'
    return env


def group_of(env, constraints=Constraint.POSITION, **attributes):
    """Make a group of one element on the tip."""
    group = env.create_group('g', empty=True)
    group.add_element('tip', constraints=constraints)
    for name, value in attributes.items():
        setattr(group, name, value)
    return group


def set_joints(env, *q):
    """Put the joints j1, j2, ... somewhere."""
    env.set_joint_positions({f'j{i + 1}': value for i, value in enumerate(q)})


def put_target_at(env, *q):
    """Put the target where the tip is at a configuration."""
    env['target'].set_pose(
        env.link_pose('tip', positions={f'j{i + 1}': v for i, v in enumerate(q)})
    )


class TestDefaults:
    """Coppelia's defaults and ranges."""

    def test_group(self):
        group = planar().create_group('g', empty=True)
        assert int(group.flags) == 3
        assert group.enabled
        assert group.ignore_max_steps
        assert group.method is Method.PSEUDO_INVERSE
        assert (group.damping, group.max_iterations) == (0.1, 3)
        assert group.elements == ()

    def test_element(self):
        element = planar().create_group('g', empty=True).add_element('tip')
        assert element.constraints == Constraint.POSITION == 7
        assert element.base is None
        assert element.constraints_base is None
        assert element.linear_precision == 0.0005
        assert element.angular_precision == pytest.approx(0.00174533, abs=1e-8)
        assert (element.linear_weight, element.angular_weight, element.weight) == (1, 1, 1)
        assert element.enabled

    def test_numbers_of_the_words(self):
        assert [int(c) for c in (Constraint.ALPHA_BETA, Constraint.GAMMA)] == [8, 16]
        assert (int(Constraint.ORIENTATION), int(Constraint.POSE)) == (24, 31)
        assert [int(m) for m in Method] == [0, 1, 2, 3]
        assert [int(f) for f in GroupFlag] == [1, 2, 4, 8, 16, 64]
        assert [int(f) for f in CalculationFlag] == [1, 2, 16, 32, 64, 128]

    def test_switches_leave_each_other_alone(self):
        group = planar().create_group('g', empty=True)
        group.avoid_limits = True
        group.enabled = False
        assert group.flags == GroupFlag.IGNORE_MAX_STEPS | GroupFlag.AVOID_LIMITS
        group.flags = 1
        assert not group.ignore_max_steps
        with pytest.raises(AttributeError, match='avoid_limit'):
            group.avoid_limit  # noqa: B018
        with pytest.raises(AttributeError, match='has no attribute'):
            group.avoid_limit = True

    def test_every_flag_is_a_switch(self):
        group = planar().create_group('g', empty=True)
        for flag in GroupFlag:
            for value in (True, False):
                setattr(group, flag.name.lower(), value)
                assert getattr(group, flag.name.lower()) is value
                assert bool(group.flags & flag) is value

    @pytest.mark.parametrize(
        ('attribute', 'value'),
        [
            ('flags', 32),
            ('flags', -1),
            ('flags', 'x'),
            ('method', 7),
            ('method', 'magic'),
            ('damping', -0.1),
            ('damping', math.nan),
            ('max_iterations', 0),
            ('max_iterations', 1.5),
        ],
    )
    def test_refused_values_of_a_group(self, attribute, value):
        group = planar().create_group('g', empty=True)
        before = getattr(group, attribute)
        with pytest.raises(ik_node.InvalidArgumentError, match=attribute):
            setattr(group, attribute, value)
        assert getattr(group, attribute) == before

    @pytest.mark.parametrize(
        ('attribute', 'value'),
        [
            ('constraints', 32),
            ('constraints', -1),
            ('constraints', 'pose'),
            ('linear_precision', 0.0),
            ('angular_precision', -1.0),
            ('linear_weight', -1.0),
            ('angular_weight', math.nan),
            ('weight', math.inf),
        ],
    )
    def test_refused_values_of_an_element(self, attribute, value):
        element = planar().create_group('g', empty=True).add_element('tip')
        before = getattr(element, attribute)
        with pytest.raises(ik_node.InvalidArgumentError, match=attribute):
            setattr(element, attribute, value)
        assert getattr(element, attribute) == before

    def test_elements_are_found_and_erased(self):
        env = planar()
        group = env.create_group('g', empty=True)
        first, second = group.add_element('tip'), group.add_element('tip')
        assert [e.number for e in group.elements] == [0, 1]
        assert group.element('tip') == group.element(env.dummy('tip')) == first
        assert group.element(1) == second
        group.erase_element(first)
        assert group.add_element('tip').number == 0  # the lowest free number
        with pytest.raises(ik_node.UnknownNameError, match='element'):
            group.element('target')
        with pytest.raises(ik_node.UnknownNameError):
            group.add_element('j1')
        with pytest.raises(ik_node.InvalidArgumentError, match="'tip' is the tip"):
            group.add_element('tip', base='tip')
        assert len(group.elements) == 2

    def test_group_without_elements_says_so(self):
        group = planar().create_group('g', empty=True)
        with pytest.raises(ik_node.InvalidStateError, match='has no element'):
            group.solve(np.eye(4))
        assert 'no element' in repr(group)


class TestRows:
    """Jacobian and error of elements."""

    def test_planar_arm(self):
        env = planar()
        group = group_of(env, Constraint.POSE)
        set_joints(env, 0.3, 0.7)
        put_target_at(env, 0.4, 0.9)
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('j1', 'j2')
        # Rows x, y, z in the world, alpha, beta, gamma in the tip.
        np.testing.assert_allclose(
            jacobian[[0, 1, 5]],
            [[-1.136991, -0.841471], [1.495639, 0.540302], [1.0, 1.0]],
            atol=5e-7,
        )
        np.testing.assert_allclose(jacobian[2:5], 0.0, atol=1e-15)
        expected = [
            math.cos(0.4) + math.cos(1.3) - math.cos(0.3) - math.cos(1.0),
            math.sin(0.4) + math.sin(1.3) - math.sin(0.3) - math.sin(1.0),
        ]
        np.testing.assert_allclose(error, [*expected, 0, 0, 0, 0.3], atol=1e-14)

    def test_constraints_base_turns_the_linear_rows_alone(self):
        env = planar()
        group = group_of(env, Constraint.POSE)
        set_joints(env, 0.3, 0.7)
        put_target_at(env, 0.4, 0.9)
        plain, plain_error, _ = group.stacked_jacobian()
        tilt = pose(1.0, 2.0, 3.0, 0.4, 0.5, 0.6)
        env.create_dummy('frame', pose=tilt)
        group.element(0).constraints_base = 'frame'
        turned, error, _ = group.stacked_jacobian()
        rotation = tilt[:3, :3].T
        np.testing.assert_allclose(turned[:3], rotation @ plain[:3], atol=1e-14)
        np.testing.assert_allclose(error[:3], rotation @ plain_error[:3], atol=1e-14)
        np.testing.assert_array_equal(turned[3:], plain[3:])
        np.testing.assert_array_equal(error[3:], plain_error[3:])

    def test_chosen_rows(self):
        env = planar()
        group = group_of(env, Constraint.Y | Constraint.GAMMA)
        put_target_at(env, 0.2, 0.3)
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian, [[2.0, 1.0], [1.0, 1.0]], atol=1e-15)
        assert error[1] == pytest.approx(0.5)

    def test_direction_alone_leaves_the_turn_free(self):
        env = planar(1)
        element = group_of(env, Constraint.ALPHA_BETA).element(0)
        env['target'].set_pose(pose(yaw=1.0) @ pose(roll=0.4))
        group = env.group('g')
        jacobian, error, _ = group.stacked_jacobian()
        assert error.shape == (2,)
        # z of the target seen from the tip: turned by 0.4 about an axis at yaw 1.
        np.testing.assert_allclose(error, 0.4 * np.array([math.cos(1), math.sin(1)]), atol=1e-12)
        np.testing.assert_allclose(jacobian, 0.0, atol=1e-15)
        env['target'].set_pose(pose(roll=math.pi))
        _, error, _ = group.stacked_jacobian()
        assert np.linalg.norm(error) == pytest.approx(math.pi)
        element.constraints = Constraint.GAMMA
        env['target'].set_pose(pose(roll=0.4) @ pose(yaw=0.7))
        _, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(error, [0.7], atol=1e-12)

    def test_target_that_rides_on_the_same_joint_is_out_of_reach_of_it(self):
        env = planar()
        env['target'].set_parent('j1')
        group = group_of(env)
        jacobian, _, _ = group.stacked_jacobian()
        # Both move with j1; only j2 changes what is between them.
        lever = env['tip'].pose()[:2, 3] - env['target'].pose()[:2, 3]
        np.testing.assert_allclose(jacobian[:2, 0], [-lever[1], lever[0]], atol=1e-14)
        np.testing.assert_allclose(jacobian[:2, 1], [0.0, 1.0], atol=1e-14)

    @pytest.mark.parametrize('case', range(25))
    def test_rows_equal_central_differences(self, case):
        """Any joints, dependencies, bases and targets that move: the error's own derivative."""
        rng = np.random.default_rng(case)
        env = Environment()

        def random_pose():
            return pose(*rng.normal(size=3), *rng.uniform(-2, 2, size=3))

        objects = [None]
        joints = []
        for i in range(8):
            kind = str(rng.choice(['revolute', 'prismatic', 'spherical']))
            parent = objects[rng.integers(max(0, len(objects) - 2), len(objects))]
            joints.append(env.create_joint(f'j{i}', kind, parent, random_pose()))
            objects.append(joints[-1])
            if kind == 'spherical':
                joints[-1].orientation = rng.normal(size=4)
            else:
                joints[-1].position = rng.uniform(-0.4, 0.4)
        scalar = [j for j in joints if j.kind is not ik_node.JointKind.SPHERICAL]
        if len(scalar) > 2:
            scalar[2].set_dependency(scalar[0], multiplier=rng.normal(), offset=0.1)
        tip = env.create_dummy('tip', objects[-1], random_pose())
        tip.target = env.create_dummy('target', objects[rng.integers(len(objects))], random_pose())
        group = env.create_group('g', empty=True)
        element = group.add_element(tip, constraints=Constraint.POSE)
        if rng.random() < 0.5:
            element.constraints_base = env.create_dummy('frame', None, random_pose())
        # Small orientation errors, where the derivative of the error is the negative Jacobian.
        env['target'].set_pose(
            env['tip'].pose() @ pose(*rng.normal(size=3), *rng.uniform(-1e-6, 1e-6, size=3))
        )
        jacobian, _, names = group.stacked_jacobian()
        step = 1e-6
        for k, name in enumerate(names):
            errors = []
            for sign in (1.0, -1.0):
                trial = env.duplicate()
                stem, _, axis = name.rpartition('/')
                if stem:
                    w = np.array(trial.scene.positions[stem])
                    rotate_vector_by(w, sign * step * np.eye(3)['xyz'.index(axis)])
                    turned = {stem: (float(w[0]), float(w[1]), float(w[2]))}
                    trial.edit(lambda scene, moved=turned: scene.moved(moved))
                else:
                    at = trial.joint_positions[name]
                    trial.set_joint_positions({name: at + sign * step})
                errors.append(trial.group('g').stacked_jacobian()[1])
            derivative = (errors[0] - errors[1]) / (2 * step)
            scale = max(1.0, np.abs(jacobian[:, k]).max())
            np.testing.assert_allclose(-derivative, jacobian[:, k], atol=5e-6 * scale)

    def test_explicit_chain_needs_no_group(self):
        env = planar()
        set_joints(env, 0.3, 0.7)
        tip = env['tip'].pose()
        jacobian, error, names = env.jacobian(None, 'j2', Constraint.POSITION, tip)
        assert names == ('j1', 'j2')
        np.testing.assert_allclose(
            jacobian[:2], [[-1.136991, -0.841471], [1.495639, 0.540302]], atol=5e-7
        )
        np.testing.assert_allclose(error, 0.0, atol=1e-15)
        _, error, _ = env.jacobian(None, 'j2', Constraint.X, tip, pose(x=1.0) @ tip)
        np.testing.assert_allclose(error, [1.0])
        jacobian, _, names = env.jacobian('j1', 'j2', Constraint.POSE, tip)
        assert names == ('j1', 'j2')  # the base is the fixed frame of j1
        assert [o.name for o in env.objects] == ['j1', 'j2', 'tip', 'target']


class TestMethods:
    """One step of each method, by the formula."""

    @pytest.fixture
    def env(self):
        """Give a planar arm of three joints, bent, with a target nearby."""
        env = planar(3)
        set_joints(env, 0.3, 0.5, -0.9)
        put_target_at(env, 0.35, 0.45, -0.8)
        for joint, weight in zip(env.joints.values(), (1.0, 0.2, 3.0), strict=True):
            joint.weight = weight
        return env

    @pytest.mark.parametrize(
        ('method', 'damping'),
        [
            ('pseudo_inverse', 1e-6),
            ('damped_least_squares', 0.3),
            ('undamped_pseudo_inverse', 0.0),
            ('jacobian_transpose', None),
        ],
    )
    def test_step(self, env, method, damping):
        group = group_of(
            env, Constraint.X | Constraint.Y, method=method, damping=0.3, max_iterations=1
        )
        jacobian, error, _ = group.stacked_jacobian()
        before = np.array(list(env.joint_positions.values()))
        group.handle()
        step = np.array(list(env.joint_positions.values())) - before
        if damping is None:
            expected = jacobian.T @ error  # joint weights mean nothing
        else:
            W = np.diag([1.0, 0.2, 3.0])
            normal = jacobian @ W @ jacobian.T + damping**2 * np.eye(2)
            expected = W @ jacobian.T @ np.linalg.solve(normal, error)
        np.testing.assert_allclose(step, expected, atol=1e-9)

    def test_element_weights_are_shares_of_the_error(self, env):
        group = group_of(env, Constraint.POSE, max_iterations=1, method=3)
        jacobian, error, _ = group.stacked_jacobian()
        element = group.element(0)
        element.linear_weight, element.angular_weight, element.weight = 0.5, 0.8, 0.5
        before = np.array(list(env.joint_positions.values()))
        group.handle()
        step = np.array(list(env.joint_positions.values())) - before
        W = np.diag([1.0, 0.2, 3.0])
        share = np.array([0.25, 0.25, 0.25, 0.4, 0.4, 0.4])
        expected = W @ jacobian.T @ np.linalg.pinv(jacobian @ W @ jacobian.T) @ (share * error)
        np.testing.assert_allclose(step, expected, atol=1e-9)
        # The share of an error in the Jacobian itself is not scaled.
        assert np.abs(group.stacked_jacobian()[0][0]).max() > 0.5

    def test_nearly_weightless_joint_hardly_moves(self, env):
        env.joint('j3').weight = 0.0
        group_of(env, Constraint.X | Constraint.Y, max_iterations=1).handle()
        assert env.joint('j3').position == pytest.approx(-0.9, abs=2e-3)


class TestIterations:
    """Ends of a handling, and what it says."""

    def test_converges(self):
        env = planar()
        set_joints(env, 0.3, 0.7)
        put_target_at(env, 0.35, 0.75)
        result = group_of(env).handle()
        assert result.success
        assert int(result.flags) == 0
        assert result.iterations <= 3
        assert result.linear_error <= 0.0005
        assert result.limit_hits == {}

    def test_at_least_one_iteration(self):
        env = planar()
        put_target_at(env, 0.0, 0.0)
        assert group_of(env).handle().iterations == 1

    def test_missed_tolerance_keeps_the_state_by_default(self):
        env = planar()
        set_joints(env, 0.1, 1.0)
        env['target'].set_pose(pose(x=5.0))
        before = env.joint_positions
        group = group_of(env, method='damped_least_squares')
        result = group.handle()
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert not result.success
        assert env.joint_positions != before
        env.set_joint_positions(before)
        group.restore_on_bad_angular_tolerance = True  # no orientation is constrained
        group.handle()
        assert env.joint_positions != before
        env.set_joint_positions(before)
        group.restore_on_bad_linear_tolerance = True
        result = group.handle()
        assert env.joint_positions == before
        assert result.linear_error > 1.0  # of the end, before the restore

    def test_angular_restore(self):
        env = planar()
        group = group_of(env, Constraint.GAMMA, max_iterations=1)
        env['target'].set_pose(pose(yaw=2.0))
        group.element(0).weight = 0.1
        group.restore_on_bad_angular_tolerance = True
        result = group.handle()
        assert result.angular_error == pytest.approx(1.8)
        assert set(env.joint_positions.values()) == {0.0}

    def test_nothing_to_do(self):
        env = planar()
        group = group_of(env)
        nothing = CalculationFlag.NOT_PERFORMED | CalculationFlag.NOT_WITHIN_TOLERANCE
        group.enabled = False
        assert group.handle().flags == nothing
        group.enabled = True
        group.element(0).enabled = False
        assert group.handle().flags == nothing
        group.element(0).enabled = True
        env.joint('j1').passive = env.joint('j2').passive = True
        assert group.handle().flags == nothing

    def test_nothing_to_invert(self):
        env = planar()
        group = group_of(env)
        env.dummy('tip').target = None
        result = group.handle()
        assert result.flags == CalculationFlag.CANNOT_INVERT | CalculationFlag.NOT_WITHIN_TOLERANCE
        env.dummy('tip').target = 'target'
        group.element(0).constraints = 0
        assert group.handle().flags & CalculationFlag.CANNOT_INVERT

    def test_singular_arm_does_not_stop_it(self):
        env = planar()  # stretched along x
        env['target'].set_pose(pose(x=2.0, y=0.1))
        result = group_of(env, method='undamped_pseudo_inverse', max_iterations=1).handle()
        assert not result.flags & CalculationFlag.CANNOT_INVERT
        # Minimum norm of 2 a + b = 0.1.
        assert env.joint('j1').position == pytest.approx(0.04)
        assert env.joint('j2').position == pytest.approx(0.02)

    def test_limit_hit_is_told_with_its_amount(self):
        env = planar(1)
        env.joint('j1').limits = (-1.0, 0.25)
        env['target'].set_pose(pose(yaw=0.4))
        group = group_of(env, Constraint.GAMMA, max_iterations=5)
        result = group.handle()
        assert result.flags & CalculationFlag.LIMIT_HIT
        assert result.limit_hits == group.joint_limit_hits
        assert result.limit_hits['j1'] == pytest.approx(0.15)
        assert env.joint('j1').position == 0.25
        assert result.iterations == 5
        group.stop_on_limit_hit = True
        env.joint('j1').position = 0.0
        assert group.handle().iterations == 1
        env['target'].set_pose(pose(yaw=-1.5))
        assert group.handle().limit_hits['j1'] == pytest.approx(-0.5)

    def test_steps_too_big(self):
        env = planar(1)
        env['target'].set_pose(pose(yaw=1.0))
        group = group_of(env, Constraint.GAMMA, max_iterations=1)
        result = group.handle()
        assert result.flags == CalculationFlag.STEPS_TOO_BIG  # information: it converged
        assert env.joint('j1').position == pytest.approx(1.0)
        env.joint('j1').position = 0.0
        group.ignore_max_steps = False
        assert group.handle().flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert env.joint('j1').position == pytest.approx(math.radians(10.0))
        group.max_iterations = 10
        assert group.handle().success

    def test_limit_avoidance_adds_a_row(self):
        env = planar()
        env.joint('j1').limits = (-0.1, 1.0)
        env.joint('j1').limit_margin = 0.3
        env.joint('j2').limits = (-1.0, 0.05)
        env.joint('j2').limit_margin = 0.2
        group = group_of(env)
        assert group.stacked_jacobian()[0].shape == (3, 2)
        group.avoid_limits = True
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_array_equal(jacobian[3:], [[1.0, 0.0], [0.0, -1.0]])
        np.testing.assert_allclose(error[3:], [0.2, 0.15])

    def test_dependent_joints_follow_and_share_a_column(self):
        env = planar()
        env.joint('j2').set_dependency('j1', multiplier=0.5, offset=0.1)
        group = group_of(env, max_iterations=10)
        assert group.joints == ('j1',)
        set_joints(env, 0.4)
        np.testing.assert_allclose(
            group.stacked_jacobian()[0][:2, 0], [-1.355745, 2.068324], atol=5e-7
        )
        env['target'].set_pose(pose(1.685903, 1.033636))
        set_joints(env, 0.3)
        assert group.handle().success
        assert env.joint_positions == pytest.approx({'j1': 0.4, 'j2': 0.3}, abs=1e-3)

    def test_spherical_joint(self):
        env = Environment()
        env.create_joint('ball', 'spherical')
        env.create_dummy('tip', 'ball', pose(x=2.0))
        env.create_dummy('target', pose=pose(0.1, 0.2, 0.3, 0.4) @ pose(x=2.0))
        env['target'].set_pose(pose(roll=0.3, pitch=0.2, yaw=0.1) @ pose(x=2.0))
        env.dummy('tip').target = 'target'
        group = group_of(env, Constraint.POSE, max_iterations=20)
        assert group.joints == ('ball',)
        assert group.handle().success
        np.testing.assert_allclose(env['tip'].pose(), env['target'].pose(), atol=1e-3)


class TestCallback:
    """A callback may supply the step or the pseudo-inverse."""

    def test_what_it_is_told(self):
        env = planar()
        set_joints(env, 0.3, 0.7)
        put_target_at(env, 0.35, 0.75)
        group = group_of(env)
        told = []
        group.handle(lambda step: told.append(step))
        jacobian = told[0].jacobian
        assert told[0].group == 'g'
        assert [step.iteration for step in told] == list(range(len(told)))
        assert told[0].row_names == ('x', 'y', 'z')
        assert told[0].row_elements == (0, 0, 0)
        assert told[0].coordinates == ('j1', 'j2')
        assert jacobian[0, 0] == pytest.approx(-1.136991, abs=5e-7)

    def test_its_step_is_taken(self):
        env = planar()
        answer = ik_node.Answer(dq=np.array([0.1, -0.2]))
        group_of(env, max_iterations=1).handle(lambda step: answer)
        assert env.joint_positions == pytest.approx({'j1': 0.1, 'j2': -0.2})

    def test_its_pseudo_inverse_is_used(self):
        env = planar()
        env['target'].set_pose(pose(x=2.0, y=0.1))
        half = lambda step: ik_node.Answer(pseudo_inverse=0.5 * np.linalg.pinv(step.jacobian))  # noqa: E731
        group_of(env, max_iterations=1).handle(half)
        assert env.joint('j1').position == pytest.approx(0.02)

    @pytest.mark.parametrize('dq', [[0.1], [math.nan, 0.0]])
    def test_nonsense_changes_nothing(self, dq):
        env = planar()
        result = group_of(env).handle(lambda step: ik_node.Answer(dq=np.array(dq)))
        assert result.flags & CalculationFlag.INVALID_CALLBACK_DATA
        assert set(env.joint_positions.values()) == {0.0}


class TestPriorities:
    """Several groups: the step of each in the null space of those before it."""

    @pytest.fixture
    def env(self):
        """Give an arm of four joints with a tip task and an elbow task that conflict."""
        env = planar(4)
        set_joints(env, 0.4, 0.3, 0.5, -0.6)
        put_target_at(env, 0.5, 0.2, 0.6, -0.5)
        env.create_dummy('elbow', 'j3')
        env.create_dummy('elbow target', pose=pose(0.5, 1.8))
        env.dummy('elbow').target = 'elbow target'
        first = env.create_group('tip task', empty=True)
        first.add_element('tip', constraints=Constraint.X | Constraint.Y)
        second = env.create_group('elbow task', empty=True)
        second.add_element('elbow', constraints=Constraint.X | Constraint.Y)
        return env

    def test_projection_is_exact(self, env):
        first, second = env.group('tip task'), env.group('elbow task')
        for group in (first, second):
            group.method, group.max_iterations = 'undamped_pseudo_inverse', 1
        J1, e1, names = first.stacked_jacobian()
        J2, e2, short = second.stacked_jacobian()
        assert short == names[:3]
        J2 = np.hstack([J2, np.zeros((2, 1))])
        before = np.array(list(env.joint_positions.values()))
        env.handle_groups([first, second])
        step = np.array(list(env.joint_positions.values())) - before
        N1 = np.eye(4) - np.linalg.pinv(J1) @ J1
        np.testing.assert_allclose(step, np.linalg.pinv(J1) @ e1 + N1 @ np.linalg.pinv(J2) @ e2)
        # To first order the tip does what its task alone asks for.
        np.testing.assert_allclose(J1 @ step, e1, atol=1e-12)

    def test_first_task_is_met_and_the_second_comes_as_near_as_it_can(self, env):
        for group in env.groups.values():
            group.max_iterations = 60
        result = env.handle_groups(['tip task', 'elbow task'])
        error = env['tip'].pose()[:2, 3] - env['target'].pose()[:2, 3]
        assert np.linalg.norm(error) < 0.0005
        # A low task that is missed makes the whole call miss its tolerance.
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert result.linear_error > 0.0005

    def test_order_is_priority(self, env):
        for group in env.groups.values():
            group.max_iterations = 60
        env.handle_groups(['elbow task', 'tip task'])
        elbow = env['elbow'].pose()[:2, 3]
        assert np.linalg.norm(elbow - [0.5, 1.8]) < 0.0005

    def test_each_on_its_own(self, env):
        results = env.handle_each_group()
        assert list(results) == ['tip task', 'elbow task']
        assert all(result.iterations for result in results.values())

    def test_bad_lists(self, env):
        with pytest.raises(ik_node.InvalidArgumentError, match='at least one group'):
            env.handle_groups([])
        with pytest.raises(ik_node.UnknownNameError):
            env.handle_groups(['nothing'])
        with pytest.raises(ik_node.InvalidArgumentError, match='groups of this environment'):
            env.handle_groups([env.duplicate().group('tip task')])


def test_four_bar_linkage_stays_closed():
    """A loop cut at one pivot: crank driven, coupler and rocker solved, target on the rocker."""
    env = Environment()
    env.create_joint('crank', passive=True)
    env.create_joint('coupler', parent='crank', pose=pose(x=1.0))
    env.create_dummy('tip', 'coupler', pose(x=3.0))
    env.create_joint('rocker', pose=pose(x=3.5))
    env.create_dummy('target', 'rocker', pose(x=2.0))
    env.joint('coupler').position = 0.6
    env.joint('rocker').position = 1.5
    env.dummy('tip').target = 'target'
    group = env.create_group('loop', empty=True)
    element = group.add_element('tip', constraints=Constraint.X | Constraint.Y)
    element.linear_precision = 1e-11
    # The rocker is no ancestor of the tip: a second element sees the loop from its side.
    env.create_dummy('tip2', 'rocker', pose(x=2.0))
    env.create_dummy('target2', 'coupler', pose(x=3.0))
    env.dummy('tip2').target = 'target2'
    other = group.add_element('tip2', constraints=Constraint.X | Constraint.Y)
    other.linear_precision = 1e-11
    group.max_iterations = 60
    for angle in np.linspace(0.0, 2.0 * math.pi, 73):
        env.joint('crank').position = angle
        result = group.handle()
        assert result.success, (angle, result)
        assert result.iterations <= 8  # both sides of the loop are in the Jacobian
        gap = env['tip'].pose()[:2, 3] - env['target'].pose()[:2, 3]
        assert np.linalg.norm(gap) < 1e-9


def test_elements_and_switches_are_saved(tmp_path):
    env = planar()
    group = group_of(env, Constraint.X | Constraint.GAMMA, method=1, damping=0.7)
    group.flags = GroupFlag.ENABLED | GroupFlag.AVOID_LIMITS
    element = group.element(0)
    element.constraints_base = 'target'
    element.weight, element.linear_precision, element.enabled = 0.3, 0.01, False
    env.save(tmp_path / 'file')
    loaded = Environment.load(tmp_path / 'file')
    assert loaded.group('g').settings == group.settings
    assert env.duplicate().group('g').settings == group.settings
