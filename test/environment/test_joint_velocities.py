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
    InvalidStateError,
    InvalidTargetError,
    Lookat3D,
    Transform6D,
    Translation3D,
    TranslationLocalGlobal6D,
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


def test_errors(arm, build):
    velocity = IkParameterizationVelocity('Translation3D', [0.1, 0, 0])
    with pytest.raises(InvalidTargetError, match='must be an IkParameterizationVelocity'):
        arm.joint_velocities(Translation3D([0, 0, 0]))
    with pytest.raises(InvalidTargetError, match='must be a Translation3D'):
        arm.joint_velocities(velocity, at=Lookat3D([1, 0, 0]))
    for damping in (-1.0, math.nan, 'much'):
        with pytest.raises(InvalidOptionError, match='damping is'):
            arm.joint_velocities(velocity, damping=damping)
    twin = build.planar([1.0, 1.0])
    twin.dummy('other', 'j1')
    group = twin.env.create_group('both', empty=True)
    group.add_element('tip')
    group.add_element('other')
    with pytest.raises(InvalidStateError, match='takes a single tip'):
        group.joint_velocities(velocity)
