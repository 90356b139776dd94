# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The sixteen types of targets: fields, values, poses that meet them, changes of the base."""

from __future__ import annotations

import array
import copy
import dataclasses
import math
import pickle

import ik_node
from ik_node import IkParameterization, IkParameterizationType, InvalidTargetError
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

CLASSES = [IkParameterization.class_of(kind) for kind in IkParameterizationType.targets()]
each_class = pytest.mark.parametrize('cls', CLASSES, ids=lambda cls: cls.__name__)

HALF = math.sqrt(0.5)
P = (1.0, 2.0, 3.0)

# Fields as a user gives them, and values in the order of IkParameterization::GetValues.
GOLDEN = [
    (ik_node.Transform6D(P, (HALF, 0, 0, HALF)), [HALF, HALF, 0, 0, 1, 2, 3]),
    (ik_node.Rotation3D((0, HALF, 0, HALF)), [HALF, 0, HALF, 0]),
    (ik_node.Translation3D(P), [1, 2, 3]),
    (ik_node.Direction3D((0, 0, 5)), [0, 0, 1]),
    (ik_node.Ray4D(P, (0, 3, 4)), [0, 0.6, 0.8, 1, 2, 3]),
    (ik_node.Lookat3D(P), [1, 2, 3]),
    (ik_node.TranslationDirection5D(P, (3, 0, -4)), [0.6, 0, -0.8, 1, 2, 3]),
    (ik_node.TranslationXY2D((1, 2)), [1, 2]),
    (ik_node.TranslationXYOrientation3D((1, 2), 0.5), [1, 2, 0.5]),
    (ik_node.TranslationLocalGlobal6D((4, 5, 6), P), [4, 5, 6, 1, 2, 3]),
    (ik_node.TranslationXAxisAngle4D(P, 0.5), [0.5, 1, 2, 3]),
    (ik_node.TranslationYAxisAngle4D(P, 0.5), [0.5, 1, 2, 3]),
    (ik_node.TranslationZAxisAngle4D(P, 0.5), [0.5, 1, 2, 3]),
    (ik_node.TranslationXAxisAngleZNorm4D(P, -0.5), [-0.5, 1, 2, 3]),
    (ik_node.TranslationYAxisAngleXNorm4D(P, -0.5), [-0.5, 1, 2, 3]),
    (ik_node.TranslationZAxisAngleYNorm4D(P, -0.5), [-0.5, 1, 2, 3]),
]

# The axis of the base that a type is tied to.
TIED = {
    'TranslationXY2D': 2,
    'TranslationXYOrientation3D': 2,
    'TranslationXAxisAngle4D': 0,
    'TranslationYAxisAngle4D': 1,
    'TranslationZAxisAngle4D': 2,
    'TranslationXAxisAngleZNorm4D': 2,
    'TranslationYAxisAngleXNorm4D': 0,
    'TranslationZAxisAngleYNorm4D': 1,
}


def pose_of(rng, axis=None, flip=False):
    """Give a random pose; with an axis, one whose rotation keeps that axis parallel."""
    pose = np.eye(4)
    pose[:3, 3] = rng.uniform(-2.0, 2.0, 3)
    if axis is None:
        pose[:3, :3] = matrix_from_rpy(*rng.uniform(-3.0, 3.0, 3))
        return pose
    angles = np.zeros(3)
    angles[axis] = rng.uniform(-3.0, 3.0)
    pose[:3, :3] = matrix_from_rpy(*angles)
    if flip:
        angles = np.zeros(3)
        angles[(axis + 1) % 3] = math.pi
        pose[:3, :3] = pose[:3, :3] @ matrix_from_rpy(*angles)
    return pose


def target_of(cls, rng):
    return cls.from_values(rng.uniform(-2.0, 2.0, cls.type.number_of_values))


@pytest.mark.parametrize(
    ('target', 'values'), GOLDEN, ids=[type(target).__name__ for target, _ in GOLDEN]
)
def test_values_have_the_order_of_ikfast(target, values):
    np.testing.assert_allclose(target.values, values, atol=1e-15)
    assert target.values.dtype == np.float64
    assert type(target).from_values(values) == target
    assert type(target).__name__ == target.type.name
    with pytest.raises(ValueError, match='read-only'):
        target.values[0] = 1.0


@each_class
def test_targets_are_values(cls, rng):
    target = target_of(cls, rng)
    again = cls.from_values(target.values)
    assert again == target
    assert hash(again) == hash(target)
    assert eval(repr(target), vars(ik_node)) == target
    assert pickle.loads(pickle.dumps(target)) == target
    assert copy.deepcopy(target) == target
    assert dataclasses.replace(target) == target
    assert target != target_of(cls, rng)
    name = cls.parts[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(target, name, None)


@each_class
def test_values_go_around_to_the_last_bit(cls, rng):
    for _ in range(200):
        target = target_of(cls, rng)
        assert cls.from_values(target.values).values.tolist() == target.values.tolist()


@each_class
def test_a_target_made_of_a_pose_is_met_there(cls, rng):
    plane = {'X': 2, 'Y': 0, 'Z': 1}.get(cls.__name__[11]) if 'Norm' in cls.__name__ else None
    for _ in range(50):
        pose, direction = pose_of(rng), rng.standard_normal(3)
        if plane is not None:
            # Only a tool in the plane is met; one outside is projected.
            direction = pose[:3, :3].T @ np.where(np.arange(3) == plane, 0.0, direction)
        target = cls.from_pose(pose, direction)
        np.testing.assert_allclose(target.errors(pose, direction), 0.0, atol=1e-14)


@each_class
def test_seen_from_another_base_errors_are_the_same(cls, rng):
    for turn in range(40):
        motion = pose_of(rng, TIED.get(cls.__name__), flip=turn % 2 == 1)
        target, pose, direction = target_of(cls, rng), pose_of(rng), rng.standard_normal(3)
        moved = target.transformed(motion)
        assert type(moved) is cls
        np.testing.assert_allclose(
            moved.errors(motion @ pose, direction), target.errors(pose, direction), atol=1e-12
        )


@pytest.mark.parametrize('name', TIED)
def test_types_that_are_tied_to_an_axis_refuse_to_tilt_it(name, rng):
    target = target_of(getattr(ik_node, name), rng)
    with pytest.raises(InvalidTargetError, match='must be parallel'):
        target.transformed(pose_of(rng))


@each_class
def test_wrong_values_are_refused(cls):
    size = cls.type.number_of_values
    good = [0.5] * size
    for bad in (good[:-1], [*good, 0.5], [good], 0.5, 'x' * size, None, ['0.5'] * size):
        with pytest.raises(InvalidTargetError, match=f'must be {size} finite numbers'):
            cls.from_values(bad)
    for at in range(size):
        for wrong in (math.nan, math.inf, -math.inf, 1j, True, 10**400):
            with pytest.raises(InvalidTargetError, match='must be'):
                cls.from_values([*good[:at], wrong, *good[at + 1 :]])


def test_zeros_have_no_direction():
    for make in (
        lambda: ik_node.Transform6D(P, (0, 0, 0, 0)),
        lambda: ik_node.Rotation3D((0.0, 0.0, 0.0, -0.0)),
        lambda: ik_node.Direction3D((0, 0, 0)),
        lambda: ik_node.Ray4D(P, np.zeros(3)),
        lambda: ik_node.TranslationDirection5D(P, [0, 0, 0]),
        lambda: ik_node.Lookat3D(P, (0, 0, 0)),
        lambda: ik_node.Direction3D((0, 0, 1)).errors(np.eye(4), (0, 0, 0)),
        lambda: ik_node.Direction3D((0, 0, 1)).goal((0, 0, 0)),
    ):
        with pytest.raises(InvalidTargetError, match='any length but zero'):
            make()


@pytest.mark.parametrize('length', [1e-320, 1e-200, 1e-9, 5.0, 1e200, 1.7e308])
def test_any_other_length_is_normalised(length):
    np.testing.assert_allclose(
        ik_node.Direction3D((0.0, -length, length)).direction, [0.0, -HALF, HALF], rtol=1e-3
    )
    assert ik_node.Rotation3D((0.0, 0.0, 0.0, -length)).quat_xyzw == (0.0, 0.0, 0.0, -1.0)


def test_inputs_of_any_kind_give_floats():
    target = ik_node.Transform6D(np.array([1, 2, 3]), np.array([0, 0, 0, 1], dtype=np.float32))
    assert ik_node.Translation3D(array.array('d', [1, 2, 3])).position == P
    assert ik_node.Translation3D([np.float32(1), np.int64(2), 3]).position == P
    assert target == ik_node.Transform6D((1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0))
    assert all(type(value) is float for value in target.position + target.quat_xyzw)


def test_angles_are_wrapped_and_those_of_cones_folded():
    assert ik_node.TranslationXYOrientation3D((0, 0), 3 * math.pi).angle == pytest.approx(math.pi)
    assert ik_node.TranslationXYOrientation3D((0, 0), -math.pi).angle == math.pi
    norm = ik_node.TranslationXAxisAngleZNorm4D(P, 1.5 * math.pi)
    assert norm.angle == pytest.approx(-0.5 * math.pi)
    for given, folded in ((-0.5, 0.5), (math.pi + 0.5, math.pi - 0.5), (2 * math.pi, 0.0)):
        cone = ik_node.TranslationZAxisAngle4D(P, given)
        assert cone.angle == pytest.approx(folded)
    assert ik_node.TranslationZAxisAngle4D(P, math.pi).angle == math.pi


def test_class_is_found_by_type_number_and_name():
    for kind in ('Ray4D', 'IKP_Ray4D', 0x46000005, IkParameterizationType.Ray4D):
        assert IkParameterization.class_of(kind) is ik_node.Ray4D
    for kind in (IkParameterizationType.NONE, IkParameterizationType.Ray4D.velocity):
        with pytest.raises(ik_node.InvalidArgumentError, match='no type of target'):
            IkParameterization.class_of(kind)


def test_a_class_of_several_types_makes_no_target():
    for make in (
        lambda: IkParameterization.from_values([1, 2, 3]),
        lambda: IkParameterization.from_pose(np.eye(4)),
        lambda: ik_node.TranslationXAxisAngle4D.__mro__[1].from_pose(np.eye(4)),
    ):
        with pytest.raises(ik_node.InvalidArgumentError, match='stands for several types'):
            make()


def test_pose_of_a_transform():
    pose = ik_node.Transform6D(P, (0, 0, HALF, HALF)).T_base_tip
    np.testing.assert_allclose(
        pose, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-15
    )


def test_poses_convert_as_in_openrave():
    # R turns z to (sin 0.5, 0, cos 0.5) about y; then by 0.3 about z.
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_rpy(0.0, 0.5, 0.3)
    pose[:3, 3] = P
    tool = [
        math.sin(0.5) * math.cos(0.3),
        math.sin(0.5) * math.sin(0.3),
        math.cos(0.5),
    ]
    expected = {
        'Direction3D': tool,
        'Ray4D': [*tool, *P],
        'TranslationDirection5D': [*tool, *P],
        'Lookat3D': np.add(P, tool),
        'Translation3D': P,
        'TranslationXY2D': P[:2],
        'TranslationXYOrientation3D': [1, 2, 0.3],
        'TranslationLocalGlobal6D': [0, 0, 0, *P],
        'TranslationXAxisAngle4D': [math.acos(tool[0]), *P],
        'TranslationYAxisAngle4D': [math.acos(tool[1]), *P],
        'TranslationZAxisAngle4D': [0.5, *P],
        'TranslationXAxisAngleZNorm4D': [0.3, *P],
        'TranslationYAxisAngleXNorm4D': [math.atan2(tool[2], tool[1]), *P],
        'TranslationZAxisAngleYNorm4D': [math.atan2(tool[0], tool[2]), *P],
    }
    for name, values in expected.items():
        target = getattr(ik_node, name).from_pose(pose)
        np.testing.assert_allclose(target.values, values, atol=1e-15)
    transform = ik_node.Transform6D.from_pose(pose)
    np.testing.assert_allclose(transform.T_base_tip, pose, atol=1e-15)
    assert ik_node.Rotation3D.from_pose(pose).quat_xyzw == transform.quat_xyzw


def test_a_tool_without_an_angle_counts_as_zero():
    assert ik_node.TranslationXYOrientation3D.from_pose(np.eye(4)).angle == 0.0
    assert ik_node.TranslationXAxisAngleZNorm4D.from_pose(np.eye(4)).angle == 0.0


def test_from_pose_and_transformed_want_rigid_poses():
    with pytest.raises(InvalidTargetError, match='rotation'):
        ik_node.Translation3D.from_pose(2.0 * np.eye(4))
    with pytest.raises(InvalidTargetError, match='not finite'):
        ik_node.Translation3D(P).transformed(np.full((4, 4), np.nan))
    with pytest.raises(ik_node.InvalidArgumentError, match=r'shape \(3, 4\)'):
        ik_node.Translation3D(P).errors(np.eye(4)[:3])


def test_quaternions_of_half_turns():
    for axis in range(3):
        angles = np.zeros(3)
        angles[axis] = math.pi
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_rpy(*angles)
        quat = ik_node.Rotation3D.from_pose(pose).quat_xyzw
        np.testing.assert_allclose(np.abs(quat), np.eye(4)[axis], atol=1e-15)
