# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Velocities of targets."""

from __future__ import annotations

import math

import ik_node
from ik_node import IkParameterization, IkParameterizationType, IkParameterizationVelocity
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

KINDS = IkParameterizationType.targets()
each_kind = pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.name)


def rotated(rotation, position=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position
    return pose


@each_kind
def test_values_are_kept_as_they_are(kind, rng):
    rates = (100.0 * rng.standard_normal(kind.number_of_values)).tolist()
    velocity = IkParameterizationVelocity(kind, rates)
    assert velocity.type is kind.velocity
    assert velocity.values.tolist() == rates
    assert IkParameterizationVelocity(kind.velocity, rates) == velocity
    assert IkParameterizationVelocity(kind.name, rates) == velocity
    assert IkParameterizationVelocity.of_fields(kind, **velocity.fields) == velocity
    assert IkParameterizationVelocity.from_text(velocity.to_text()) == velocity
    assert velocity.to_text().startswith(f'{kind | 0x8000} ')
    assert hash(velocity) == hash(IkParameterizationVelocity(kind, rates))
    still = IkParameterizationVelocity(kind, np.zeros(kind.number_of_values))
    assert not still.values.any()
    assert list(velocity.fields) == [name for name, _ in IkParameterization.class_of(kind).parts]


def test_fields_have_the_order_of_targets():
    velocity = IkParameterizationVelocity('Transform6D', [1, 2, 3, 4, 5, 6, 7])
    assert velocity.fields == {'quat_xyzw': (2, 3, 4, 1), 'position': (5, 6, 7)}
    velocity = IkParameterizationVelocity('TranslationXYOrientation3D', [1, 2, 3])
    assert velocity.fields == {'position': (1, 2), 'angle': 3}


def test_twist_of_a_pose_against_differences(rng):
    step = 1e-6
    for _ in range(20):
        linear, angular = rng.standard_normal((2, 3))
        pose = rotated(matrix_from_rpy(*rng.uniform(-3, 3, 3)), rng.standard_normal(3))
        at = ik_node.Transform6D.from_pose(pose)
        velocity = IkParameterizationVelocity.from_twist(linear, angular, at)
        # The base turns the tip: R(t) = Exp(t omega) R.
        ahead = pose.copy()
        ahead[:3, :3] = matrix_from_rpy(*(step * angular)) @ pose[:3, :3]
        ahead[:3, 3] += step * linear
        later = ik_node.Transform6D.from_pose(ahead)
        slope = (later.values - at.values) / step
        if np.dot(later.quat_xyzw, at.quat_xyzw) > 0.0:
            np.testing.assert_allclose(velocity.values, slope, atol=1e-5)
        back = velocity.twist(at)
        np.testing.assert_allclose(back, (linear, angular), atol=1e-14)


def test_convention_of_the_quaternion():
    # qdot = 0.5 (0, omega) q in the axes of the base: with q a quarter turn about x and omega
    # about z, it is 0.5 (0, 0, 0, 1) (c, s, 0, 0) = (0, 0, s, c) / 2 with w first.
    half = math.sqrt(0.5)
    at = ik_node.Transform6D((0, 0, 0), (half, 0, 0, half))
    velocity = IkParameterizationVelocity.from_twist((0, 0, 0), (0, 0, 1), at)
    np.testing.assert_allclose(velocity.values[:4], [0, 0, half / 2, half / 2])
    same = IkParameterizationVelocity('Rotation3D', velocity.values[:4])
    np.testing.assert_allclose(same.angular(at), (0, 0, 1))
    np.testing.assert_allclose(same.angular(ik_node.Rotation3D(at.quat_xyzw)), (0, 0, 1))


@each_kind
def test_another_base_turns_velocities(kind, rng):
    tied = {'XY': 2, 'XAxisAngle4': 0, 'YAxisAngle4': 1, 'ZAxisAngle4': 2}
    tied |= {'ZNorm': 2, 'XNorm': 0, 'YNorm': 1}
    axis = next((axis for part, axis in tied.items() if part in kind.name), None)
    step = 1e-6
    for turn in range(20):
        angles = rng.uniform(-3, 3, 3) * (1.0 if axis is None else np.eye(3)[axis])
        rotation = matrix_from_rpy(*angles)
        if axis is not None and turn % 2:
            rotation = rotation @ matrix_from_rpy(*(math.pi * np.eye(3)[(axis + 1) % 3]))
        motion = rotated(rotation, rng.standard_normal(3))
        cls = IkParameterization.class_of(kind)
        target = cls.from_values(rng.uniform(0.3, 1.2, kind.number_of_values))
        later = cls.from_values(target.values + step * rng.standard_normal(len(target.values)))
        velocity = IkParameterizationVelocity(kind, (later.values - target.values) / step)
        expected = later.transformed(motion).values - target.transformed(motion).values
        np.testing.assert_allclose(velocity.transformed(motion).values, expected / step, atol=1e-4)


def test_refusals():
    make = IkParameterizationVelocity
    with pytest.raises(ik_node.InvalidTargetError, match='must be 7 finite numbers'):
        make('Transform6D', [1.0] * 6)
    with pytest.raises(ik_node.InvalidArgumentError, match='no velocity'):
        make('NONE', [])
    with pytest.raises(ik_node.InvalidTargetError, match='read it with IkParameterization'):
        make.from_text(ik_node.Translation3D((1, 2, 3)).to_text())
    with pytest.raises(ik_node.InvalidTargetError, match='has the fields direction, position'):
        make.of_fields('Ray4D', direction=(0, 0, 1))
    with pytest.raises(ik_node.InvalidArgumentError, match='no twist'):
        make('Ray4D', [0.0] * 6).twist(ik_node.Transform6D((0, 0, 0), (0, 0, 0, 1)))
    with pytest.raises(ik_node.InvalidArgumentError, match='no angular velocity'):
        make('Ray4D', [0.0] * 6).angular(ik_node.Rotation3D((0, 0, 0, 1)))
    with pytest.raises(ik_node.InvalidTargetError, match='parallel'):
        make('TranslationXY2D', [1, 2]).transformed(rotated(matrix_from_rpy(0.3, 0, 0)))
