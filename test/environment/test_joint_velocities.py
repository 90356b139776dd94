# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint velocities of target velocities, against differences of the targets themselves."""

from __future__ import annotations

import math

from ik_node import (
    Environment,
    IkParameterization,
    IkParameterizationType,
    IkParameterizationVelocity,
    InvalidOptionError,
    InvalidTargetError,
    Lookat3D,
    Transform6D,
    Translation3D,
    TranslationLocalGlobal6D,
    TranslationXY2D,
)
import numpy as np
import pytest

KINDS = IkParameterizationType.targets()
STEP = 1e-4


@pytest.fixture(scope='module')
def arm():
    """Load a Panda."""
    env = Environment.from_urdf('config/robots/panda.urdf')
    return env.create_group('arm', 'panda_link0', 'panda_hand')


def met(arm, kind, rng):
    """Give a configuration and the target of a type that it meets."""
    made = IkParameterization.class_of(kind)
    while True:
        q = rng.uniform(arm.lower, arm.upper)
        target = made.from_pose(arm.forward_kinematics(q))
        if target.errors(arm.forward_kinematics(q))[1] > 1e-9:
            result = arm.solve(target, q, orientation_tolerance=1e-9, timeout=0.5)
            if not result.success:
                continue
            q = result.q
        if np.linalg.svd(arm.jacobian(q), compute_uv=False)[-1] > 0.05:
            return q, target


def tangent(target, rng):
    """Draw derivatives of values that keep them values of the type: of unit vectors across."""
    rates = []
    for name, part in target.parts:
        field = np.atleast_1d(getattr(target, name))
        rate = rng.standard_normal(len(field))
        if part.name in ('QUAT', 'DIRECTION'):
            rate -= field * (field @ rate)
        rates.append((name, rate if len(rate) > 1 else float(rate[0])))
    return IkParameterizationVelocity.of_fields(target.type, **dict(rates))


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.name)
def test_the_tip_stays_on_the_moving_target(kind, arm, rng):
    for _ in range(5):
        q, target = met(arm, kind, rng)
        velocity = tangent(target, rng)
        found = arm.joint_velocities(velocity, q, at=target)
        assert found.joint_names == arm.joint_names
        assert found.linear_residual < 1e-6
        assert found.angular_residual < 1e-6
        # What is left after a short time is of second order in it.
        lefts = []
        for seconds in (STEP, 2.0 * STEP):
            later = type(target).from_values(target.values + seconds * velocity.values)
            lefts.append(later.errors(arm.forward_kinematics(q + seconds * found.dq)))
        speed = np.linalg.norm(found.dq) + np.linalg.norm(velocity.values)
        assert max(lefts[0]) < 5.0 * (STEP * speed) ** 2 + 1e-8
        assert max(lefts[1]) < 20.0 * (STEP * speed) ** 2 + 1e-8


def test_the_smallest_velocities_of_a_pose(arm, rng):
    q = rng.uniform(0.8 * arm.lower, 0.8 * arm.upper)
    twist = rng.standard_normal(6)
    at = Transform6D.from_pose(arm.forward_kinematics(q))
    velocity = IkParameterizationVelocity.from_twist(twist[:3], twist[3:], at)
    found = arm.joint_velocities(velocity, q, at=at)
    np.testing.assert_allclose(found.dq, np.linalg.pinv(arm.jacobian(q)) @ twist, atol=1e-6)


def test_a_point_of_the_tip_by_hand(build):
    # One joint, 2 m: the tip at (2, 0) moves along y at 2 m/s for 1 rad/s.
    arm = build.planar([2.0]).env.create_group('arm', 'world', 'tip')
    found = arm.joint_velocities(IkParameterizationVelocity('Translation3D', [0, 3, 0]), [0.0])
    np.testing.assert_allclose(found.dq, [1.5], atol=1e-9)
    assert found.linear_residual == pytest.approx(0.0, abs=1e-9)
    along = arm.joint_velocities(IkParameterizationVelocity('Translation3D', [4, 3, 0]), [0.0])
    np.testing.assert_allclose(along.dq, [1.5], atol=1e-9)
    assert along.linear_residual == pytest.approx(4.0)
    assert along.angular_residual == 0.0


def test_damping_makes_velocities_smaller(build):
    arm = build.planar([2.0]).env.create_group('arm', 'world', 'tip')
    velocity = IkParameterizationVelocity('Translation3D', [0, 3, 0])
    found = arm.joint_velocities(velocity, [0.0], damping=2.0)
    # dq = J v / (J^2 + damping^2) with J = 2.
    np.testing.assert_allclose(found.dq, [0.75], atol=1e-9)
    assert found.linear_residual == pytest.approx(1.5)


def test_what_a_pose_does_not_tell(build):
    arm = build.planar([1.0]).env.create_group('arm', 'world', 'tip')
    # The tip looks along x at a point 3 m away, which moves along y: 1 m/s is 1 / (1 + 3) rad/s.
    look = Lookat3D([4.0, 0.0, 0.0])
    velocity = IkParameterizationVelocity('Lookat3D', [0, 1, 0])
    found = arm.joint_velocities(velocity, [0.0], at=look, direction=[1, 0, 0])
    np.testing.assert_allclose(found.dq, [0.25], atol=1e-8)
    # A point of the tip, 1 m in front of it.
    local = TranslationLocalGlobal6D([1, 0, 0], [2, 0, 0])
    velocity = IkParameterizationVelocity.of_fields(
        'TranslationLocalGlobal6D', local_point=[0, 0, 0], global_point=[0, 1, 0]
    )
    found = arm.joint_velocities(velocity, [0.0], at=local)
    np.testing.assert_allclose(found.dq, [0.5], atol=1e-8)


def test_a_free_velocity_makes_no_difference(arm, rng):
    # Along its ray a point may be anywhere.
    q, ray = met(arm, IkParameterizationType.Ray4D, rng)
    velocity = IkParameterizationVelocity.of_fields(
        'Ray4D', direction=[0, 0, 0], position=ray.direction
    )
    np.testing.assert_allclose(arm.joint_velocities(velocity, q, at=ray).dq, 0.0, atol=1e-7)


def test_of_the_state_and_standing_still(arm):
    still = arm.joint_velocities(IkParameterizationVelocity('Translation3D', [0, 0, 0]))
    assert not still.dq.any()
    there = arm.environment.joint_positions
    q = [there[name] for name in arm.joint_names]
    velocity = IkParameterizationVelocity('Translation3D', [0.1, 0, 0])
    np.testing.assert_array_equal(
        arm.joint_velocities(velocity).dq, arm.joint_velocities(velocity, q).dq
    )


def test_errors(arm):
    velocity = IkParameterizationVelocity('Translation3D', [0.1, 0, 0])
    with pytest.raises(InvalidTargetError, match='must be an IkParameterizationVelocity'):
        arm.joint_velocities(Translation3D([0, 0, 0]))
    with pytest.raises(InvalidTargetError, match='must be a Translation3D'):
        arm.joint_velocities(velocity, at=Lookat3D([1, 0, 0]))
    for damping in (-1.0, math.nan, 'much'):
        with pytest.raises(InvalidOptionError, match='damping is'):
            arm.joint_velocities(velocity, damping=damping)
    for damping in (10**400, [1.0]):
        with pytest.raises(InvalidOptionError, match='damping is'):
            arm.joint_velocities(velocity, damping=damping)


@pytest.fixture
def body(build):
    """Make a torso that turns with two arms of two hinges in its plane, and a group of both."""
    twin = build.Twin()
    twin.joint('torso')
    for side, y in (('left', 0.3), ('right', -0.3)):
        twin.joint(f'{side} 1', parent='torso', T=build.pose(0.1, y))
        twin.joint(f'{side} 2', parent=f'{side} 1', T=build.pose(0.5))
        twin.dummy(side, f'{side} 2', build.pose(0.4))
    group = twin.env.create_group('body', empty=True)
    group.add_element('left')
    group.add_element('right')
    return group


class TestSeveralTips:
    def test_each_tip_stays_on_its_moving_target(self, body, rng):
        for _ in range(20):
            q = rng.uniform(-1.0, 1.0, 5) + [0.0, 0.0, 1.2, 0.0, 1.2]
            there = body.forward_kinematics(q)
            targets = [TranslationXY2D(there[0][:2, 3]), Translation3D.from_pose(there[1])]
            # Of very different speeds: neither is lost beside the other.
            rates = [1e-4 * rng.standard_normal(2), np.append(rng.standard_normal(2), 0.0)]
            velocities = [
                IkParameterizationVelocity(target.type, rate)
                for target, rate in zip(targets, rates, strict=True)
            ]
            found = body.joint_velocities(velocities, q)
            assert found.joint_names == body.joint_names
            assert max(found.linear_residual, found.angular_residual) < 1e-7
            ways = [1e-5 * found.dq, -1e-5 * found.dq]
            ahead, behind = (body.forward_kinematics(q + way)[:, :3, 3] for way in ways)
            seen = (ahead - behind) / 2e-5
            np.testing.assert_allclose(seen[0][:2], rates[0], atol=1e-8)
            np.testing.assert_allclose(seen[1], rates[1], atol=1e-8)
            # Of all that do, the slowest: nothing of them is in the null space.
            columns = [
                body.forward_kinematics(q + way)[:, :2, 3]
                - body.forward_kinematics(q - way)[:, :2, 3]
                for way in 1e-5 * np.eye(5)
            ]
            _, _, rows = np.linalg.svd(np.reshape(columns, (5, 4)).T)
            assert abs(rows[-1] @ found.dq) < 1e-7
            for given in (
                {'left': velocities[0], 'right': velocities[1]},
                tuple(velocities),
            ):
                other = body.joint_velocities(given, q, at={'right': targets[1]})
                np.testing.assert_allclose(other.dq, found.dq, atol=1e-9)

    def test_what_one_tip_cannot_do_is_its_residual(self, body):
        # Both tips along z, out of the plane: 3 and 4 m/s that no joint gives.
        up = [IkParameterizationVelocity('Translation3D', [0, 0, speed]) for speed in (3, 4)]
        found = body.joint_velocities(up, [0, 0, 1, 0, 1])
        np.testing.assert_allclose(found.dq, 0.0, atol=1e-9)
        assert found.linear_residual == pytest.approx(4.0)

    def test_what_contradicts_itself_is_shared(self, build):
        # Two tips on one link, of which one is to go left and the other right.
        twin = build.planar([1.0])
        twin.dummy('other', 'j1', build.pose(1.0))
        group = twin.env.create_group('both', empty=True)
        group.add_element('tip')
        group.add_element('other')
        apart = [IkParameterizationVelocity('Translation3D', [0, speed, 0]) for speed in (1, -2)]
        found = group.joint_velocities(apart, [0.0])
        np.testing.assert_allclose(found.dq, [-0.5], atol=1e-9)
        assert found.linear_residual == pytest.approx(1.5)

    def test_a_tip_whose_own_target_moves_has_a_velocity_of_its_own(self, build):
        twin = build.planar([1.0, 1.0])
        twin.dummy('carried', 'j1', build.pose(y=0.5))
        twin.env['tip'].target = None
        twin.env['tip'].target = 'carried'
        group = twin.env.create_group('arm', 'world', 'tip')
        found = group.joint_velocities(
            IkParameterizationVelocity('Translation3D', [0, 1, 0]), [0, math.pi / 2]
        )
        # The tip at (1, 1): the elbow moves it along x, the shoulder along both.
        np.testing.assert_allclose(found.dq, [1.0, -1.0], atol=1e-7)

    @pytest.mark.parametrize(
        ('given', 'words'),
        [
            (IkParameterizationVelocity('Lookat3D', [1, 0, 0]), 'is for 1 of 2 tips'),
            ([IkParameterizationVelocity('Lookat3D', [1, 0, 0])] * 3, 'is for 3 of 2 tips'),
            ({'left': IkParameterizationVelocity('Lookat3D', [1, 0, 0])}, 'velocity is None'),
            ({'torso': None}, "names 'torso', the tip of no element; .* left, right"),
            ([None, None], 'velocity is None; it must be an IkParameterizationVelocity'),
        ],
    )
    def test_errors(self, given, words, body):
        with pytest.raises(InvalidTargetError, match=words):
            body.joint_velocities(given)

    def test_errors_of_targets(self, body):
        still = [IkParameterizationVelocity('Translation3D', [0, 0, 0])] * 2
        for at, words in (
            (Translation3D([0, 0, 0]), 'at is for 1 of 2 tips'),
            ({'left': Lookat3D([1, 0, 0])}, 'must be a Translation3D'),
        ):
            with pytest.raises(InvalidTargetError, match=words):
                body.joint_velocities(still, at=at)
