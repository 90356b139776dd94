# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints held, and limits narrowed, by one request."""

from __future__ import annotations

import math

import ik_node
from ik_node import (
    Centre,
    Environment,
    IKOptions,
    InvalidOptionError,
    Manipulability,
    SolveStatus,
    Transform6D,
    Translation3D,
    TranslationDirection5D,
    UnknownNameError,
)
import numpy as np
import pytest

HELD = 'panda_joint3'


@pytest.fixture(scope='module')
def arm():
    """Load a Panda."""
    env = Environment.from_urdf('config/robots/panda.urdf')
    return env.create_group('arm', 'panda_link0', 'panda_hand')


def inside(arm, q):
    return bool((arm.lower <= q).all() and (q <= arm.upper).all())


class TestLockedJoints:
    def test_hold_at_a_position(self, arm, rng):
        for _ in range(20):
            q = rng.uniform(arm.lower, arm.upper)
            target, seed = arm.forward_kinematics(q), rng.uniform(arm.lower, arm.upper)
            result = arm.solve(target, seed, locked_joints={HELD: q[2]}, timeout=0.5)
            assert result.success
            assert result.q[2] == q[2]
            assert inside(arm, result.q)
            errors = Transform6D.from_pose(target).errors(arm.forward_kinematics(result.q))
            assert errors <= (1e-6 + 1e-9, 1e-5 + 1e-8)

    def test_hold_at_the_seed(self, arm, rng):
        q = rng.uniform(arm.lower, arm.upper)
        seed = rng.uniform(arm.lower, arm.upper)
        seed[2] = q[2]
        result = arm.solve(arm.forward_kinematics(q), seed, locked_joints=[HELD], timeout=0.5)
        assert result.success
        assert result.q[2] == q[2]

    def test_hold_at_the_state(self, arm):
        result = arm.solve(
            Translation3D(arm.forward_kinematics()[:3, 3] + 0.05), locked_joints={HELD}
        )
        assert result.success
        assert result.q[2] == arm.environment.joint_positions[HELD]

    def test_may_be_named_by_an_array(self, arm, rng):
        q, seed = rng.uniform(0.7 * arm.lower, 0.7 * arm.upper, (2, 7))
        q[:2] = seed[:2]
        names = np.array(arm.joint_names[:2])
        target = ik_node.Translation3D(arm.forward_kinematics(q)[:3, 3])
        for result in (
            arm.solve(target, seed, locked_joints=names, timeout=1.0),
            arm.find_config(target, seed, locked_joints=names),
        ):
            assert result.success
            np.testing.assert_array_equal(np.atleast_2d(result.q)[0, :2], seed[:2])

    def test_are_not_at_a_limit_because_they_are_held(self, arm, rng):
        q = rng.uniform(0.5 * arm.lower, 0.5 * arm.upper)
        q[3] = -1.5
        result = arm.solve(arm.forward_kinematics(q), q, locked_joints={HELD: q[2]})
        assert result.success
        assert HELD not in result.limit_hits

    def test_all_of_them(self, arm, rng):
        q = rng.uniform(arm.lower, arm.upper)
        names = arm.joint_names
        target = arm.forward_kinematics(q)
        there = arm.solve(target, q, locked_joints=names)
        assert there.success
        np.testing.assert_array_equal(there.q, q)
        target[2, 3] += 0.1
        result = arm.solve(target, q, locked_joints=names)
        assert not result.success
        np.testing.assert_array_equal(result.q, q)
        assert result.position_error == pytest.approx(0.1)

    @pytest.mark.parametrize(
        'way',
        [
            {'prefer': 'nearest'},
            {'prefer': 'nearest', 'goals': [Centre()]},
            {'options': IKOptions(inverse_method='adaptive', timeout=0.5)},
            {'method': 'dls', 'timeout': 0.5, 'max_starts': 100},
        ],
        ids=['nearest', 'goals', 'options', 'dls'],
    )
    def test_go_with_every_way_to_solve(self, way, arm, rng):
        q = rng.uniform(0.7 * arm.lower, 0.7 * arm.upper)
        q[3] = -1.5
        seed = np.clip(q + rng.uniform(-0.3, 0.3, 7), arm.lower, arm.upper)
        result = arm.solve(arm.forward_kinematics(q), seed, locked_joints={HELD: q[2]}, **way)
        assert result.success
        assert result.q[2] == q[2]

    def test_change_no_other_request(self, arm, rng):
        q, seed = rng.uniform(arm.lower, arm.upper, (2, 7))
        target = arm.forward_kinematics(q)
        before = arm.solve(target, seed)
        arm.solve(target, seed, locked_joints={HELD: 0.3}, limits={'panda_joint1': (0, 1)})
        np.testing.assert_array_equal(arm.solve(target, seed).q, before.q)

    def test_of_a_part_of_several_tips(self, build):
        twin = build.planar([1.0, 1.0])
        twin.joint('k1', T=build.pose(y=5.0))
        twin.joint('k2', parent='k1', T=build.pose(x=1.0))
        twin.dummy('other', 'k2', build.pose(x=1.0))
        group = twin.env.create_group('both', empty=True)
        group.add_element('tip')
        group.add_element('other')
        poses = group.forward_kinematics([0.3, 0.6, -0.2, 0.9])
        targets = {'tip': Translation3D(poses[0][:3, 3]), 'other': Translation3D(poses[1][:3, 3])}
        result = group.solve(targets, np.full(4, 0.5), locked_joints={'k1': -0.2})
        assert result.success
        np.testing.assert_allclose(result.q[2:], [-0.2, 0.9], atol=1e-5)

    def test_in_a_step(self, arm, rng):
        q, seed = rng.uniform(0.5 * arm.lower, 0.5 * arm.upper, (2, 7))
        result = arm.step(
            arm.forward_kinematics(q), seed, linear_step=0.1, angular_step=0.5,
            locked_joints=[HELD],
        )  # fmt: skip
        assert result.q[2] == seed[2]
        assert not np.array_equal(result.q, seed)

    def test_in_a_search_for_configurations(self, arm, rng):
        q = rng.uniform(arm.lower, arm.upper)
        found = arm.find_configs(
            arm.forward_kinematics(q), q, max_configs=4, locked_joints={HELD: q[2]}, timeout=1.0
        )
        assert found.success
        assert (found.configs[:, 2] == q[2]).all()
        one = arm.find_config(
            arm.forward_kinematics(q), q, locked_joints={HELD: q[2]}, timeout=1.0
        )
        assert one.q[2] == q[2]


BALLS = ['shoulder', 'wrist']
AT = [0.3, -0.8, 1.1]


@pytest.fixture
def leg(build):
    """Make a limb of a ball, a hinge and a ball, with a tip off the last one's centre."""
    twin = build.Twin()
    twin.joint('shoulder', 'spherical', T=build.pose(x=0.2))
    twin.joint('knee', parent='shoulder', T=build.pose(x=0.5, vector=(0.4, 0.0, 0.0)))
    twin.joint('wrist', 'spherical', 'knee', build.pose(x=0.4, vector=(0.0, 0.3, 0.0)))
    twin.dummy('tip', 'wrist', build.pose(0.1, 0.05, 0.2, (0.2, 0.1, -0.4)))
    return twin.env.create_group('leg', 'world', 'tip')


class TestLockedSphericalJoints:
    # Three coordinates of the shoulder, one of the knee, three of the wrist.
    COLUMNS = {'shoulder': slice(0, 3), 'wrist': slice(4, 7)}

    @pytest.mark.parametrize('name', BALLS)
    @pytest.mark.parametrize('by', ['coordinates', 'vector', 'seed'])
    @pytest.mark.parametrize(
        'way',
        [
            {},
            {'prefer': 'nearest', 'max_starts': 16},
            {'goals': [Manipulability()]},
            {'method': 'dls', 'max_starts': 100},
            {'method': 'adaptive', 'approximate': True},
        ],
        ids=['fast', 'nearest', 'goals', 'dls', 'approximate'],
    )
    def test_stay_and_the_others_reach_what_is_left(self, name, by, way, leg, rng):
        held = self.COLUMNS[name]
        for _ in range(5):
            q, seed = rng.normal(scale=0.7, size=(2, 7))
            q[held], q[3] = AT, 1.2  # a knee that is not stretched
            given = {name: AT}
            if by == 'coordinates':
                given = {f'{name}/{axis}': at for axis, at in zip('xyz', AT, strict=True)}
            elif by == 'seed':
                seed[held], given = AT, [name]
            target = Translation3D(leg.forward_kinematics(q)[:3, 3])
            if name == 'shoulder':
                target = TranslationDirection5D.from_pose(leg.forward_kinematics(q))
            result = leg.solve(target, seed, locked_joints=given, timeout=1.0, **way)
            assert result.success, result.message
            np.testing.assert_array_equal(result.q[held], AT)
            assert max(target.errors(leg.forward_kinematics(result.q))) < 1.1e-5
            assert np.abs(result.q - seed).max() > 1e-3

    def test_in_steps_and_configurations(self, leg, rng):
        q, seed = rng.normal(scale=0.6, size=(2, 7))
        q[4:] = seed[4:]
        target = Translation3D.from_pose(leg.forward_kinematics(q))
        found = leg.find_configs(target, seed, max_configs=3, locked_joints=['wrist'], timeout=1.0)
        assert found.success
        assert (found.configs[:, 4:] == seed[4:]).all()
        at = seed
        for _ in range(200):
            result = leg.step(
                target, at, linear_step=0.05, angular_step=0.2, locked_joints=['wrist']
            )
            np.testing.assert_array_equal(result.q[4:], seed[4:])
            at = result.q
        assert max(target.errors(leg.forward_kinematics(at))) < 1e-5

    def test_change_no_other_request(self, leg, rng):
        q, seed = rng.normal(scale=0.7, size=(2, 7))
        target = leg.forward_kinematics(q)
        before = leg.solve(target, seed, max_starts=20)
        leg.solve(target, seed, max_starts=20, locked_joints={'wrist': AT})
        np.testing.assert_array_equal(leg.solve(target, seed, max_starts=20).q, before.q)

    def test_a_target_that_they_exclude_is_not_reached(self, leg, rng):
        q = rng.normal(scale=0.5, size=7)
        target = leg.forward_kinematics(q)
        held = q[:3] + [0.5, -0.4, 0.3]
        result = leg.solve(target, q, locked_joints={'shoulder': held}, timeout=0.2)
        assert not result.success
        np.testing.assert_array_equal(result.q[:3], held)

    @pytest.mark.parametrize(
        ('given', 'words'),
        [
            (['wrist/x'], "'wrist/x', and a spherical joint is held as a whole; name 'wrist'"),
            ({'wrist/x': 0.1, 'wrist/y': 0.2}, 'or all of wrist/x, wrist/y, wrist/z'),
            (['wrist', 'wrist/x', 'wrist/y', 'wrist/z'], 'name one or the others'),
            ({'wrist': 0.3}, r'at 0.3; it must be a rotation vector, three finite numbers'),
            ({'wrist': (0.3, 0.1)}, 'three finite numbers'),
            ({'wrist': (0.3, 0.1, math.nan)}, 'three finite numbers'),
            ({'wrist': (0.3, 0.1, 10**400)}, 'three finite numbers'),
            ({'wrist': None}, 'three finite numbers'),
            ({'wrist/x': 0.1, 'wrist/y': 0.2, 'wrist/z': math.inf}, 'must be a finite number'),
        ],
    )
    def test_errors(self, given, words, leg):
        with pytest.raises(InvalidOptionError, match=words):
            leg.solve(np.eye(4), locked_joints=given)

    def test_prismatic_coordinates_of_a_floating_joint_are_joints_of_their_own(self, build):
        # As the joints that a floating joint of a URDF becomes.
        twin = build.Twin()
        twin.joint('base/x', 'prismatic')
        twin.joint('base/rotation', 'spherical', 'base/x')
        twin.dummy('tip', 'base/rotation', build.pose(x=1.0))
        group = twin.env.create_group('floating', 'world', 'tip')
        goal = Translation3D((0.6, 0.8, 0.0))
        result = group.solve(goal, [0.2, 0, 0, 0], locked_joints={'base/x': 0.0}, timeout=0.5)
        assert result.success
        assert result.q[0] == 0.0
        result = group.solve(
            Translation3D((1, 0, 0.3)), [0.2, 0, 0, 0], locked_joints={'base/rotation': (0, 0, 0)}
        )
        assert result.success
        np.testing.assert_allclose(result.q, [0.3, 0, 0, 0], atol=1e-6)


class TestLimits:
    def test_are_kept(self, arm, rng):
        for _ in range(20):
            q = rng.uniform(arm.lower, arm.upper)
            bounds = (q[0] - 0.1, q[0] + 0.1)
            result = arm.solve(
                arm.forward_kinematics(q), rng.uniform(arm.lower, arm.upper),
                limits={'panda_joint1': bounds}, timeout=0.5,
            )  # fmt: skip
            assert result.success
            assert bounds[0] <= result.q[0] <= bounds[1]
            assert inside(arm, result.q)

    def test_do_not_widen(self, arm):
        result = arm.solve(
            Translation3D([0.0, -0.5, 0.5]), arm.upper, limits={'panda_joint1': (-100, math.inf)}
        )
        assert inside(arm, result.q)
        np.testing.assert_array_equal(result.limits[0, :2], [arm.lower[0], arm.upper[0]])

    def test_of_a_joint_that_has_none(self, build):
        arm = build.planar([1.0]).env.create_group('arm', 'world', 'tip')
        target = Translation3D([math.cos(2.0), math.sin(2.0), 0.0])
        for bounds, end in (((0.0, 3.0), 2.0), ((-6.0, -4.0), 2.0 - 2.0 * math.pi)):
            result = arm.solve(target, [0.1], limits={'j1': bounds})
            assert result.success
            assert result.q[0] == pytest.approx(end, abs=1e-5)

    def test_tell_what_they_exclude(self, build):
        arm = build.planar([1.0]).env.create_group('arm', 'world', 'tip')
        target = Translation3D([math.cos(2.0), math.sin(2.0), 0.0])
        result = arm.solve(target, [0.1], limits={'j1': (0.0, 1.0)}, timeout=0.2)
        assert result.status in (SolveStatus.BLOCKED_BY_LIMITS, SolveStatus.UNREACHABLE)
        assert result.limit_hits == ('j1',)

    def test_in_configurations_and_steps(self, arm, rng):
        q = rng.uniform(0.5 * arm.lower, 0.5 * arm.upper)
        target, bounds = arm.forward_kinematics(q), {HELD: (q[2] - 0.2, q[2] + 0.2)}
        found = arm.find_configs(target, q, max_configs=5, limits=bounds, timeout=1.0)
        assert found.success
        assert (np.abs(found.configs[:, 2] - q[2]) <= 0.2).all()
        seed = q.copy()
        seed[2] += 0.1
        result = arm.step(
            target, seed, linear_step=1.0, angular_step=1.0, limits={HELD: (seed[2], 3.0)}
        )
        assert result.q[2] >= seed[2]


class TestErrors:
    @pytest.mark.parametrize(
        ('options', 'error', 'words'),
        [
            ({'locked_joints': ['panda_joint33']}, UnknownNameError, "'panda_joint33'.*did you"),
            ({'limits': {'elbow': (0, 1)}}, UnknownNameError, "'elbow' in limits of group 'arm'"),
            ({'locked_joints': HELD}, InvalidOptionError, 'must be a list of names'),
            ({'locked_joints': 3}, InvalidOptionError, 'must be a list of names'),
            ({'locked_joints': np.zeros(3)}, InvalidOptionError, 'must be a list of names'),
            ({'locked_joints': [[HELD]]}, InvalidOptionError, 'must be a list of names'),
            ({'locked_joints': {HELD: 9.0}}, InvalidOptionError, 'at 9; its limits allow -2.8973'),
            ({'locked_joints': {HELD: math.nan}}, InvalidOptionError, 'must be a finite number'),
            ({'locked_joints': {HELD: 'up'}}, InvalidOptionError, 'must be a finite number'),
            ({'limits': [HELD]}, InvalidOptionError, r'mapping from names to \(lower, upper\)'),
            ({'limits': np.zeros((2, 2))}, InvalidOptionError, r'mapping from names to'),
            ({'limits': {HELD: 3.0}}, InvalidOptionError, r'must be \(lower, upper\)'),
            ({'limits': {HELD: (1, 0)}}, InvalidOptionError, 'numbers in order'),
            ({'limits': {HELD: (0, math.nan)}}, InvalidOptionError, 'numbers in order'),
            ({'limits': {HELD: (5, 6)}}, InvalidOptionError, '5 to 6, and its own are -2.8973 to'),
        ],
    )
    def test_name_what_was_given(self, options, error, words, arm):
        calls = (
            arm.solve,
            arm.find_configs,
            lambda target, **given: arm.step(target, linear_step=1, angular_step=1, **given),
        )
        for call in calls:
            with pytest.raises(error, match=words):
                call(np.eye(4), **options)

    @pytest.mark.parametrize(
        'given',
        [{'locked_joints': [HELD]}, {'limits': {HELD: (0.0, 0.1)}}],
        ids=['held', 'limited'],
    )
    def test_options_that_leave_limits_out(self, given, arm):
        options = IKOptions(inverse_method='dls', enforce_joint_limits=False)
        with pytest.raises(InvalidOptionError, match='do not enforce joint limits'):
            arm.solve(np.eye(4), options=options, **given)

    def test_of_joints_that_follow(self, build):
        twin = build.planar([1.0, 1.0])
        twin.follow('j2', 'j1', 2.0)
        arm = twin.env.create_group('arm', 'world', 'tip')
        with pytest.raises(InvalidOptionError, match="'j2', which follows 'j1'; name 'j1'"):
            arm.solve(np.eye(4), locked_joints=['j2'])

    def test_of_spherical_joints(self, leg):
        for name in ('wrist', 'wrist/x'):
            with pytest.raises(InvalidOptionError, match='a spherical joint, which has no'):
                leg.solve(np.eye(4), limits={name: (0.0, 0.1)})
