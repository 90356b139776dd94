# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows of elements: which there are, in which axes, and that they are derivatives.

Every value is worked out by hand or comes from the plain NumPy twin of the mechanism.
"""

from __future__ import annotations

import itertools
import math

from ik_node import Answer, CalculationFlag, Constraint
import numpy as np
import pytest

COMBINATIONS = [
    position | orientation
    for position, orientation in itertools.product(range(8), (0, 8, 16, 24))
    if position | orientation
]
NAMES = ('x', 'y', 'z', 'alpha', 'beta', 'gamma')


def rows_told(group):
    """Ask by a callback what the rows are."""
    told = []

    def listen(step):
        told.append(step)
        return Answer(dq=np.zeros(len(step.coordinates)))

    group.handle(listen)
    return told[0]


def close(actual, wanted):
    """Compare with a tolerance of 1e-7 of the largest entry."""
    np.testing.assert_allclose(actual, wanted, rtol=0, atol=1e-7 * max(1.0, np.abs(wanted).max()))


class TestOrder:
    """Rows and columns, and where they are zero."""

    @pytest.mark.parametrize('constraints', COMBINATIONS)
    def test_rows_are_those_of_the_bits_in_a_fixed_order(self, build, constraints):
        twin = build.planar([1.0, 1.0, 1.0])
        step = rows_told(build.group(twin, constraints))
        keep = build.kept(constraints)
        assert step.row_names == tuple(n for n, kept in zip(NAMES, keep, strict=True) if kept)
        assert step.row_elements == (0,) * int(keep.sum())
        assert step.jacobian.shape == (keep.sum(), 3)

    def test_columns_are_those_of_the_first_element_then_new_ones_of_the_next(self, build):
        twin = build.Twin()
        twin.joint('trunk')
        for arm, side in (('left', 1.0), ('right', -1.0)):
            twin.joint(arm, parent='trunk', T=build.pose(y=side))
            twin.dummy(f'{arm} target')
            twin.dummy(f'{arm} tip', arm, build.pose(x=1.0), target=f'{arm} target')
        group = build.group(twin, Constraint.X | Constraint.Y, tip='right tip')
        group.add_element('left tip', constraints=Constraint.X)
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('trunk', 'right', 'left')
        # Tips at (1, -1) and (1, 1): the trunk moves them by (1, 1) and (-1, 1).
        np.testing.assert_allclose(
            jacobian, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 0.0]], atol=1e-12
        )
        np.testing.assert_allclose(error, [-1.0, 1.0, -1.0], atol=1e-12)
        assert group.joints == ('trunk', 'right', 'left')

    def test_elements_are_stacked_in_order_of_addition_not_of_their_numbers(self, build):
        twin = build.gantry('xy')
        group = build.group(twin, Constraint.X)
        group.add_element('tip', constraints=Constraint.Y)
        group.erase_element(0)
        assert group.add_element('tip', constraints=Constraint.Z).number == 0
        step = rows_told(group)
        assert step.row_names == ('y', 'z')
        assert step.row_elements == (1, 0)

    def test_a_joint_has_one_column_however_many_elements_and_slaves_refer_to_it(self, build):
        twin = build.planar([1.0, 1.0, 1.0])
        twin.follow('j2', 'j1', 2.0)
        twin.follow('j3', 'j1', -3.0)
        group = build.group(twin, Constraint.X | Constraint.Y)
        group.add_element('tip', constraints=Constraint.GAMMA)
        jacobian, _, names = group.stacked_jacobian()
        assert names == ('j1',)
        # Stretched along x: 3 of j1, 2 of two times j2, 1 of minus three times j3; and 1 + 2 - 3.
        np.testing.assert_allclose(jacobian[:, 0], [0.0, 3 + 4 - 3, 0.0], atol=1e-12)

    def test_element_without_target_gives_columns_and_no_rows(self, build):
        twin = build.gantry('xy')
        twin.dummy('other', 'x')
        group = build.group(twin, Constraint.X, tip='other')
        twin.joint('off', 'prismatic')
        twin.dummy('off tip', 'off')
        group.add_element('off tip')
        group.add_element('tip', constraints=Constraint.Y)
        step = rows_told(group)
        assert step.coordinates == ('x', 'off', 'y')
        assert step.row_names == ('y',)
        np.testing.assert_allclose(step.jacobian, [[0.0, 0.0, 1.0]], atol=1e-12)

    def test_element_without_constraints_gives_columns_and_no_rows(self, build):
        twin = build.gantry('xy')
        twin.joint('off', 'prismatic')
        twin.dummy('off tip', 'off', target='target')
        group = build.group(twin, 0, tip='off tip')
        group.add_element('tip', constraints=Constraint.Y)
        step = rows_told(group)
        assert step.coordinates == ('off', 'x', 'y')
        assert step.row_names == ('y',)

    def test_disabled_element_gives_nothing(self, build):
        twin = build.gantry('xy')
        twin.joint('off', 'prismatic')
        twin.dummy('off tip', 'off', target='target')
        group = build.group(twin, tip='off tip')
        group.add_element('tip', constraints=Constraint.Y)
        group.element(0).enabled = False
        step = rows_told(group)
        assert step.coordinates == ('x', 'y')
        assert step.row_elements == (1,)


class TestColumns:
    """Columns of each kind of joint by their formula."""

    def test_linear_rows_are_in_the_constraints_base_and_angular_rows_in_the_tip(self, build, rng):
        """Revolute, prismatic, screw; the axes and origins come from the twin."""
        twin = build.Twin()
        parent = None
        leads = {'r': 0.0, 's': 0.7}
        for name, kind in (('r', 'revolute'), ('p', 'prismatic'), ('s', 'revolute')):
            place = build.pose(*rng.normal(size=3), vector=rng.normal(size=3))
            attributes = {'limits': (-3.0, 3.0)}
            if leads.get(name):
                attributes['screw_lead'] = leads[name]
            twin.joint(name, kind, parent, place, **attributes)
            parent = name
        twin.dummy('target', T=build.pose(*rng.normal(size=3), vector=rng.normal(size=3)))
        twin.dummy('tip', parent, build.pose(*rng.normal(size=3)), target='target')
        twin.dummy('frame', T=build.pose(*rng.normal(size=3), vector=rng.normal(size=3)))
        twin.state = {'r': 0.4, 'p': -0.3, 's': 1.1}
        group = build.group(twin, Constraint.POSE)
        group.element(0).constraints_base = 'frame'
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('r', 'p', 's')
        R_frame = twin.world('frame')[:3, :3]
        tip, target = twin.world('tip'), twin.world('target')
        for k, name in enumerate(names):
            joint = twin.world(name)
            z, arm = joint[:3, 2], tip[:3, 3] - joint[:3, 3]
            if name == 'p':
                linear, angular = z, np.zeros(3)
            else:
                linear = np.cross(z, arm) + leads[name] / (2.0 * math.pi) * z
                angular = z
            close(jacobian[:3, k], R_frame.T @ linear)
            close(jacobian[3:, k], tip[:3, :3].T @ angular)
        close(error[:3], R_frame.T @ (target[:3, 3] - tip[:3, 3]))
        close(error[3:], build.log(tip[:3, :3].T @ target[:3, :3]))

    def test_without_a_constraints_base_the_base_gives_the_axes(self, build):
        twin = build.Twin()
        twin.dummy('base', T=build.pose(1.0, 2.0, 3.0, vector=(0.0, 0.0, math.pi / 2)))
        twin.joint('slide', 'prismatic', 'base', build.pose(vector=(0.0, math.pi / 2, 0.0)))
        twin.dummy('target', T=build.pose(1.0, 5.0, 4.0))
        twin.dummy('tip', 'slide', target='target')
        group = build.group(twin)
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian[:, 0], [0.0, 1.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(error, [0.0, 3.0, 1.0], atol=1e-12)
        group.element(0).base = 'base'
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian[:, 0], [1.0, 0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(error, [3.0, 0.0, 1.0], atol=1e-12)

    def test_constraints_base_may_be_the_world_where_the_base_is_not(self, build):
        twin = build.Twin()
        twin.dummy('base', T=build.pose(1.0, 2.0, 3.0, vector=(0.0, 0.0, math.pi / 2)))
        twin.joint('slide', 'prismatic', 'base', build.pose(vector=(0.0, math.pi / 2, 0.0)))
        twin.dummy('target', T=build.pose(1.0, 5.0, 4.0))
        twin.dummy('tip', 'slide', target='target')
        group = twin.env.create_group('g', empty=True)
        group.add_element('tip', 'base', constraints_base='world')
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian[:, 0], [0.0, 1.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(error, [0.0, 3.0, 1.0], atol=1e-12)

    def test_constraints_base_that_is_a_joint_is_its_fixed_frame(self, build):
        twin = build.planar([1.0, 1.0])
        twin.joint('knob', T=build.pose(vector=(0.0, 0.0, math.pi / 2)))
        twin.state = {'knob': 1.0}
        group = build.group(twin, Constraint.X | Constraint.Y)
        group.element(0).constraints_base = 'knob'
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('j1', 'j2')
        # The tip at (2, 0) moves along y, which is x of the knob; the target at the origin.
        np.testing.assert_allclose(jacobian, [[2.0, 1.0], [0.0, 0.0]], atol=1e-12)
        np.testing.assert_allclose(error, [0.0, 2.0], atol=1e-12)

    def test_a_base_that_is_a_joint_has_its_own_motion_in_the_chain(self, build):
        twin = build.planar([1.0, 1.0, 1.0])
        group = build.group(twin, Constraint.X | Constraint.Y)
        group.element(0).base = 'j2'
        assert group.joints == ('j2', 'j3')
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('j2', 'j3')
        np.testing.assert_allclose(jacobian, [[0.0, 0.0], [2.0, 1.0]], atol=1e-12)
        twin.state = {'j1': math.pi / 2}
        _, error, _ = group.stacked_jacobian()  # in the axes of the fixed frame of j2
        np.testing.assert_allclose(error, [-3.0, 0.0], atol=1e-12)

    def test_a_spherical_joint_turns_about_the_axes_of_its_moving_frame(self, build):
        twin = build.Twin()
        twin.joint('ball', 'spherical', T=build.pose(0.1, 0.2, 0.3, vector=(0.3, -0.5, 0.2)))
        twin.state = {'ball': build.turn(0.5, 0.9, -0.4)}
        twin.dummy('target')
        twin.dummy(
            'tip', 'ball', build.pose(0.7, -0.2, 0.4, vector=(0.2, 0.1, 0.9)), target='target'
        )
        jacobian, _, names = build.group(twin, Constraint.POSE).stacked_jacobian()
        assert names == ('ball/x', 'ball/y', 'ball/z')
        moving, tip = twin.world('ball'), twin.world('tip')
        for k in range(3):
            axis = moving[:3, k]
            close(jacobian[:3, k], np.cross(axis, tip[:3, 3] - moving[:3, 3]))
            close(jacobian[3:, k], tip[:3, :3].T @ axis)

    def test_passive_joints_are_rigid(self, build):
        twin = build.planar([1.0, 1.0, 1.0], passive=['j2'])
        twin.state = {'j2': math.pi / 2}
        jacobian, _, names = build.group(twin, Constraint.X | Constraint.Y).stacked_jacobian()
        assert names == ('j1', 'j3')
        np.testing.assert_allclose(jacobian, [[-2.0, -1.0], [1.0, 0.0]], atol=1e-12)

    def test_slave_of_a_passive_joint_is_rigid(self, build):
        twin = build.planar([1.0, 1.0, 1.0], passive=['j1'])
        twin.follow('j2', 'j1', 0.5)
        twin.state = {'j1': math.pi / 3}
        jacobian, _, names = build.group(twin, Constraint.X | Constraint.Y).stacked_jacobian()
        assert names == ('j3',)
        np.testing.assert_allclose(jacobian[:, 0], [-1.0, 0.0], atol=1e-12)

    def test_passive_slave_goes_with_its_master(self, build):
        twin = build.planar([1.0, 1.0, 1.0], passive=['j2'])
        twin.follow('j2', 'j1', -1.0)
        jacobian, _, names = build.group(twin, Constraint.X | Constraint.Y).stacked_jacobian()
        assert names == ('j1', 'j3')
        np.testing.assert_allclose(jacobian, [[0.0, 0.0], [1.0, 1.0]], atol=1e-12)

    def test_a_chain_of_slaves_alone_is_moved_by_their_master(self, build):
        twin = build.planar([1.0, 1.0])
        twin.joint('knob')
        twin.follow('j1', 'knob', 2.0)
        twin.follow('j2', 'knob', -1.0)
        jacobian, _, names = build.group(twin, Constraint.X | Constraint.Y).stacked_jacobian()
        assert names == ('knob',)
        np.testing.assert_allclose(jacobian[:, 0], [0.0, 2 * 2 - 1], atol=1e-12)

    def test_slope_of_a_function_is_taken_inside_of_the_limits(self, build):
        """It has no value below zero: there the difference is one-sided."""
        twin = build.gantry('x')
        along = twin.world('x')
        twin.env.joint('x').limits = (0.0, 4.0)
        twin.joint('y', 'prismatic', T=along, limits=(-9.0, 9.0))
        twin.follow('y', 'x', function=lambda at: math.sqrt(at + 1.0) if at >= 0.0 else math.nan)
        twin.dummy('hand', 'y', np.linalg.inv(along), target='target')
        group = build.group(twin, Constraint.X, tip='hand')
        for at in (0.0, 1.0, 4.0):
            twin.state = {'x': at}
            jacobian, _, _ = group.stacked_jacobian()
            np.testing.assert_allclose(jacobian, [[0.5 / math.sqrt(at + 1.0)]], atol=1e-6)


class TestRelativeMotion:
    """Bases and targets that move with the columns."""

    def test_constraints_base_on_the_chain_sees_the_motion_relative_to_itself(self, build):
        twin = build.planar([1.0, 1.0], target=build.pose(0.3, 1.4))
        twin.dummy('frame', 'j1')
        a, b = 0.3, 0.8
        twin.state = {'j1': a, 'j2': b}
        group = build.group(twin, Constraint.X | Constraint.Y)
        group.element(0).constraints_base = 'frame'
        jacobian, error, _ = group.stacked_jacobian()
        # Seen from the first link: the tip at (1 + cos b, sin b), the target at R(-a) g.
        R = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
        seen = R @ [0.3, 1.4]
        np.testing.assert_allclose(error, seen - [1 + math.cos(b), math.sin(b)], atol=1e-12)
        # j1 does not move the tip as seen from there, it moves the target backwards.
        np.testing.assert_allclose(jacobian[:, 0], [-seen[1], seen[0]], atol=1e-12)
        np.testing.assert_allclose(jacobian[:, 1], [-math.sin(b), math.cos(b)], atol=1e-12)

    def test_base_that_a_dependency_moves_is_seen_to_move(self, build):
        """A sledge under the base follows the slide on it: the tip goes backwards."""
        twin = build.Twin()
        along = build.pose(vector=(0.0, math.pi / 2, 0.0))
        twin.joint('sledge', 'prismatic', T=along, limits=(-9.0, 9.0))
        twin.dummy('base', 'sledge', np.linalg.inv(along))
        twin.joint('slide', 'prismatic', 'base', along, limits=(-9.0, 9.0))
        twin.follow('sledge', 'slide', -2.0)
        twin.dummy('target', 'base', build.pose(x=0.7))
        twin.dummy('tip', 'slide', target='target')
        group = build.group(twin, Constraint.X)
        group.element(0).base = 'base'
        jacobian, error, names = group.stacked_jacobian()
        # The target rides on the base: neither sees the sledge.
        assert names == ('slide',)
        np.testing.assert_allclose(jacobian, [[1.0]], atol=1e-12)
        np.testing.assert_allclose(error, [0.7], atol=1e-12)
        # A target in the world is seen from the base as going the other way, twice as far.
        twin.dummy('post', T=build.pose(x=0.7))
        twin.env.dummy('tip').target = None
        twin.env.dummy('tip').target = 'post'
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian, [[-1.0]], atol=1e-12)
        assert group.handle().success
        assert twin.world('tip')[0, 3] == pytest.approx(0.7, abs=1e-9)

    def test_target_on_the_moving_mechanism_counts_with_its_own_motion(self, build):
        """Tip at 3 on x, target at 2 on y, on links of the same arm."""
        twin = build.planar([1.0, 1.0, 1.0])
        twin.dummy('hand target', 'j1', build.pose(y=2.0))
        twin.env.dummy('tip').target = None
        twin.env.dummy('tip').target = 'hand target'
        jacobian, error, _ = build.group(twin, 3 | 24).stacked_jacobian()
        np.testing.assert_allclose(error, [-3.0, 2.0, 0.0, 0.0, 0.0], atol=1e-12)
        # j1 moves the tip by (0, 3) and the target by (-2, 0), and turns both.
        np.testing.assert_allclose(jacobian[:, 0], [2.0, 3.0, 0.0, 0.0, 0.0], atol=1e-12)
        np.testing.assert_allclose(jacobian[:, 1], [0.0, 2.0, 0.0, 0.0, 1.0], atol=1e-12)


class TestDerivatives:
    """All rows of random trees against differences of the twin's own poses."""

    @pytest.mark.parametrize('seed', range(36))
    def test_rows_of_every_combination_of_constraints(self, build, seed):
        frame = (None, 'frame', 'way')[seed % 3]
        twin = build.random_tree(np.random.default_rng(seed))
        rng = np.random.default_rng(1000 + seed)
        way = twin.way[int(rng.integers(len(twin.way)))]
        base = way if frame == 'way' and way != twin.parts['tip'][1] else None
        group = twin.env.create_group('g', empty=True)
        element = group.add_element('tip', base, constraints=Constraint.POSE)
        element.constraints_base = frame if frame == 'frame' else None
        seen_from = frame if frame == 'frame' else base
        _, _, names = group.stacked_jacobian()
        rates = twin.rates(names, 'tip', 'target', seen_from)
        for constraints in COMBINATIONS:
            if constraints & 24 == 16:
                continue
            element.constraints = constraints
            jacobian, error, _ = group.stacked_jacobian()
            close(jacobian, rates[build.kept(constraints)])
            wanted, distance, angle = twin.error(constraints, 'tip', 'target', seen_from)
            np.testing.assert_allclose(error, wanted, atol=1e-9)
            result = build.measure(group)
            assert result.linear_error == pytest.approx(distance, abs=1e-9)
            assert result.angular_error == pytest.approx(angle, abs=1e-9)

    @pytest.mark.parametrize('seed', range(15))
    def test_turn_about_z_of_axes_that_coincide(self, build, seed):
        rng = np.random.default_rng(seed)
        twin = build.random_tree(rng)
        # Where the target hangs it is turned so that only a turn about z is left.
        parent = twin.parts['target'][1]
        wanted = twin.world('tip') @ build.pose(*rng.normal(size=3), vector=(0.0, 0.0, 0.9))
        twin.dummy('other', parent, np.linalg.inv(twin.world(parent)) @ wanted)
        twin.env.dummy('tip').target = None
        twin.env.dummy('tip').target = 'other'
        group = build.group(twin, Constraint.GAMMA)
        element = group.element(0)
        _, _, names = group.stacked_jacobian()
        rates = twin.rates(names, 'tip', 'other')
        for position in range(8):
            element.constraints = position | 16
            jacobian, error, _ = group.stacked_jacobian()
            close(jacobian, rates[build.kept(position | 16)])
            assert error[-1] == pytest.approx(0.9, abs=1e-9)

    def test_explicit_chain_takes_poses_instead_of_objects(self, build, rng):
        twin = build.random_tree(rng, dependencies=False)
        last = twin.parts['tip'][1]
        poses = [twin.world(name) for name in ('tip', 'target', 'frame')]
        # Free of what they hang on.
        twin.dummy('free target', T=poses[1])
        twin.dummy('free frame', T=poses[2])
        objects = len(twin.env.objects)
        for constraints in COMBINATIONS:
            jacobian, error, names = twin.env.jacobian(None, last, constraints, *poses)
            wanted, _, _ = twin.error(constraints, 'tip', 'free target', 'free frame')
            np.testing.assert_allclose(error, wanted, atol=1e-9)
            if constraints & 24 != 16:
                rates = twin.rates(names, 'tip', 'free target', 'free frame')
                close(jacobian, rates[build.kept(constraints)])
        _, error, _ = twin.env.jacobian(None, last, Constraint.POSE, poses[0])
        np.testing.assert_allclose(error, 0.0, atol=1e-12)  # without a target the tip is it
        assert len(twin.env.objects) == objects
        assert not twin.env.groups


class TestPartialOrientation:
    """Errors and distances of parts of an orientation."""

    def test_whole_orientation_is_the_rotation_vector_in_the_tip(self, build):
        vector = np.array([0.9, -0.7, 1.2])
        twin = build.planar([1.0])
        twin.state = {'j1': 0.8}
        twin.put('target', build.pose(vector=(0.0, 0.0, 0.8)) @ build.pose(vector=vector))
        group = build.group(twin, Constraint.ORIENTATION)
        _, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(error, vector, atol=1e-12)
        assert build.measure(group).angular_error == pytest.approx(np.linalg.norm(vector))

    @pytest.mark.parametrize('less', [0.0, 1e-9, 1e-5])
    def test_half_a_turn_has_an_axis(self, build, less):
        axis = np.array([0.48, -0.6, 0.64])
        goal = 2.0 * np.outer(axis, axis) - np.eye(3)  # the half turn itself
        twin = build.Twin()
        twin.joint('ball', 'spherical')
        T = np.eye(4)
        T[:3, :3] = goal @ build.turn(*(-less * axis))
        twin.dummy('target', T=T)
        twin.dummy('tip', 'ball', target='target')
        group = build.group(twin, Constraint.ORIENTATION)
        _, error, _ = group.stacked_jacobian()
        assert np.linalg.norm(error) == pytest.approx(math.pi - less, abs=1e-9)
        assert abs(axis @ error) == pytest.approx(math.pi - less, abs=1e-7)
        assert build.measure(group).angular_error == pytest.approx(math.pi - less, abs=1e-9)
        assert group.handle().success
        np.testing.assert_allclose(twin.state['ball'], T[:3, :3], atol=1e-6)

    @pytest.mark.parametrize('free', [0.0, 1.0, -2.5, 3.0])
    def test_direction_does_not_see_a_turn_about_z(self, build, free):
        tilt = np.array([0.6, -0.8, 0.0]) * 1.1
        target = build.pose(vector=tilt) @ build.pose(vector=(0.0, 0.0, free))
        twin = build.planar([1.0], target=target)
        group = build.group(twin, Constraint.ALPHA_BETA)
        _, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(error, tilt[:2], atol=1e-12)
        result = build.measure(group)
        assert result.angular_error == pytest.approx(1.1)
        assert result.linear_error == 0.0

    @pytest.mark.parametrize('free', [0.0, 0.7, 2.0])
    def test_opposite_directions_turn_about_any_perpendicular_axis(self, build, free):
        twin = build.Twin()
        twin.joint('ball', 'spherical')
        twin.dummy(
            'target', T=build.pose(vector=(0.0, 0.0, free)) @ build.pose(vector=(math.pi, 0, 0))
        )
        twin.dummy('tip', 'ball', target='target')
        group = build.group(twin, Constraint.ALPHA_BETA, max_iterations=2)
        _, error, _ = group.stacked_jacobian()
        assert error.shape == (2,)
        assert np.linalg.norm(error) == pytest.approx(math.pi, abs=1e-9)
        assert build.measure(group).angular_error == pytest.approx(math.pi, abs=1e-9)
        assert group.handle().success
        np.testing.assert_allclose(twin.world('tip')[:3, 2], [0.0, 0.0, -1.0], atol=1e-9)

    def test_nearly_opposite_directions_turn_the_short_way(self, build):
        tilt = (math.pi - 1e-5) * np.array([0.6, 0.8, 0.0])
        twin = build.planar([1.0], target=build.pose(vector=tilt))
        _, error, _ = build.group(twin, Constraint.ALPHA_BETA).stacked_jacobian()
        np.testing.assert_allclose(error, tilt[:2], atol=1e-9)

    @pytest.mark.parametrize('angle', [0.4, -1.3, 3.0, -3.0])
    def test_turn_alone_is_what_is_left_after_the_axes_coincide(self, build, angle):
        tilt = build.pose(vector=(0.5, -0.9, 0.0))
        twin = build.planar([1.0], target=tilt @ build.pose(vector=(0.0, 0.0, angle)))
        group = build.group(twin, Constraint.GAMMA)
        jacobian, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(error, [angle], atol=1e-12)
        np.testing.assert_allclose(jacobian, [[1.0]], atol=1e-12)
        assert build.measure(group).angular_error == pytest.approx(abs(angle))

    def test_turn_alone_solves_a_planar_pose(self, build):
        """Position and turn of a planar arm: closed form by the wrist and the law of cosines."""
        twin = build.planar([1.0, 0.8, 0.5])
        twin.state = {'j1': 0.2, 'j2': 0.9, 'j3': -0.4}
        x, y, phi = 1.2, 0.9, 1.1
        twin.put('target', build.pose(x, y, vector=(0.0, 0.0, phi)))
        group = build.group(twin, Constraint.X | Constraint.Y | Constraint.GAMMA)
        group.max_iterations = 30
        group.element(0).linear_precision = group.element(0).angular_precision = 1e-11
        assert group.handle().success
        u, v = x - 0.5 * math.cos(phi), y - 0.5 * math.sin(phi)
        elbow = math.acos((u * u + v * v - 1.0 - 0.64) / 1.6)
        shoulder = math.atan2(v, u) - math.atan2(0.8 * math.sin(elbow), 1 + 0.8 * math.cos(elbow))
        wanted = [shoulder, elbow, phi - shoulder - elbow]
        np.testing.assert_allclose(build.values(twin), wanted, atol=1e-9)

    def test_no_orientation_bits_have_no_angle(self, build):
        twin = build.planar([1.0], target=build.pose(x=1.0, vector=(0.3, 0.2, 1.0)))
        result = build.measure(build.group(twin))
        assert (result.linear_error, result.angular_error) == (0.0, 0.0)
        assert result.success

    def test_no_bits_at_all_have_no_rows(self, build):
        twin = build.planar([1.0], target=build.pose(x=9.0, vector=(0.3, 0.2, 1.0)))
        result = build.group(twin, 0).handle()
        assert result.flags & CalculationFlag.CANNOT_INVERT
        assert (result.linear_error, result.angular_error) == (0.0, 0.0)
        assert build.values(twin) == [0.0]

    @pytest.mark.parametrize('bits', range(1, 8))
    def test_position_bits_that_are_not_set_are_left_out_of_the_distance(self, build, bits):
        """Measured in the axes of the constraints base, here at yaw 90 degrees."""
        twin = build.gantry('xyz')
        twin.put('target', build.pose(0.1, 0.2, 0.4))
        twin.dummy('frame', T=build.pose(5.0, vector=(0.0, 0.0, math.pi / 2)))
        group = build.group(twin, bits)
        group.element(0).constraints_base = 'frame'
        # World x is minus y of the frame, world y its x.
        seen = np.array([0.2, -0.1, 0.4])[build.kept(bits)[:3]]
        _, error, _ = group.stacked_jacobian()
        np.testing.assert_allclose(error, seen, atol=1e-12)
        assert build.measure(group).linear_error == pytest.approx(np.linalg.norm(seen))
