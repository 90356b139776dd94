# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Every type and every pair of shapes where its error has no direction, or nearly none.

On a gantry with a wrist, which reaches all of them: what is opposite, what is behind, what is on
an axis, and what has no length has an error that is defined, and a way from there to the target.
"""

from __future__ import annotations

import itertools
import math

import ik_node
from ik_node import IkParameterization, IkParameterizationType, InvalidTargetError, StepStatus
import numpy as np
import pytest

PI = math.pi
P = (0.3, -0.2, 0.4)
ABOUT_X = np.diag([1.0, -1.0, -1.0])
TILT = 0.6
"""Of the tool at the seed, from the z axis towards x [rad]."""


@pytest.fixture(scope='module')
def arm():
    """Make slides along x, y and z, and joints about z, y and z without limits at one point."""
    env = ik_node.Environment()
    cycle = np.eye(4)
    cycle[:3, :3] = np.roll(np.eye(3), 1, axis=0)  # z becomes x becomes y
    parent = None
    for i, turned in enumerate((cycle, cycle, cycle)):
        parent = env.create_joint(f's{i}', 'prismatic', parent, turned, limits=(-4.0, 4.0))
    # Three turns of the axes lead back to those of the base.
    parent = env.create_joint('a', 'revolute', parent)
    y_up = np.eye(4)
    y_up[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    parent = env.create_joint('b', 'revolute', parent, y_up)
    parent = env.create_joint('c', 'revolute', parent, np.linalg.inv(y_up))
    env.create_dummy('tip', parent)
    return env.create_group('arm', 'world', 'tip')


def seed_at(arm, tilt=TILT, yaw=0.0):
    """Give joints that bring the tip to P, with its z axis at an angle to that of the base."""
    q = np.zeros(6)
    for sign in itertools.product((1.0, -1.0), repeat=2):
        q[3:5] = sign[0] * yaw, sign[1] * tilt
        D = arm.forward_kinematics(q)[:3, 2]
        wanted = [math.sin(tilt) * math.cos(yaw), math.sin(tilt) * math.sin(yaw), math.cos(tilt)]
        if np.allclose(D, wanted, atol=1e-9):
            break
    slides = (
        np.column_stack([arm.forward_kinematics(row)[:3, 3] for row in np.eye(6)[:3]])
        - arm.forward_kinematics(np.zeros(6))[:3, 3:4]
    )
    q[:3] = np.linalg.solve(slides, P)
    np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], P, atol=1e-12)
    return q


def pose(rotation, position=P):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def opposite(arm):
    """Give the pose at the seed with the tool turned around."""
    T = arm.forward_kinematics(seed_at(arm))
    return pose(T[:3, :3] @ ABOUT_X)


# The error of the seed from the target that the tip would meet if the tool was turned around.
HALF = PI
TYPES = {
    'Transform6D': HALF,
    'Rotation3D': HALF,
    'Translation3D': 0.0,
    'Direction3D': HALF,
    'Ray4D': HALF,
    'Lookat3D': HALF,
    'TranslationDirection5D': HALF,
    'TranslationXY2D': 0.0,
    # The azimuths of D and -D.
    'TranslationXYOrientation3D': HALF,
    'TranslationLocalGlobal6D': 0.0,
    # A cone about x: from the angle pi/2 - TILT to pi/2 + TILT.
    'TranslationXAxisAngle4D': 2.0 * TILT,
    'TranslationYAxisAngle4D': 0.0,
    'TranslationZAxisAngle4D': PI - 2.0 * TILT,
    # In the plane of D for two of them; the third one takes D to the plane of x and y.
    'TranslationXAxisAngleZNorm4D': PI / 2 + TILT,
    'TranslationYAxisAngleXNorm4D': None,
    'TranslationZAxisAngleYNorm4D': HALF,
}


def test_every_type_is_here():
    assert list(TYPES) == [kind.name for kind in IkParameterizationType.targets()]


@pytest.mark.parametrize('name', TYPES)
def test_types_from_a_tool_that_points_the_other_way(name, arm):
    q, T = seed_at(arm), opposite(arm)
    made = IkParameterization.class_of(name)
    target = made.from_pose(T)
    before = target.errors(arm.forward_kinematics(q))
    if TYPES[name] is not None:
        expected = TYPES[name]
        if name == 'TranslationXAxisAngleZNorm4D':
            # -D has the azimuth pi: the target is -x, and D is at pi/2 + TILT from it.
            assert target.angle == pytest.approx(PI)
        assert before == pytest.approx((0.0, expected), abs=1e-7)
    for seed in (q, seed_at(arm, TILT, 0.0)):
        result = arm.solve(target, seed, timeout=1.0)
        assert result.success, result.message
        assert max(target.errors(arm.forward_kinematics(result.q))) <= 1.1e-5


@pytest.mark.parametrize('name', TYPES)
def test_steps_lead_away_from_there_too(name, arm):
    q = seed_at(arm)
    target = IkParameterization.class_of(name).from_pose(opposite(arm))
    for _ in range(200):
        result = arm.step(target, q, linear_step=0.1, angular_step=0.3)
        q = result.q
        if result.status is not StepStatus.PROGRESS:
            break
    assert result.status is StepStatus.SUCCESS, result.message
    assert max(target.errors(arm.forward_kinematics(q))) <= 1.1e-5


def position_shapes():
    return {
        'Point': ik_node.Point(P),
        'Line': ik_node.Line(P, (1, 2, 3)),
        'Plane': ik_node.Plane.through(P, (1, 2, 3)),
    }


def orientation_shapes(T):
    quat, R = ik_node.Rotation3D.from_pose(T).quat_xyzw, T[:3, :3]
    return {
        'Rotation': ik_node.Rotation(quat),
        'Parallel': ik_node.Parallel(R[:, 2]),
        'Cone': ik_node.Cone((0, 0, 1), R[:, 2], 0.3),
    }


@pytest.mark.parametrize('position', ['Point', 'Line', 'Plane'])
@pytest.mark.parametrize(
    ('orientation', 'expected'), [('Rotation', PI), ('Parallel', PI), ('Cone', PI - 0.3)]
)
def test_shapes_from_an_effector_that_points_the_other_way(position, orientation, expected, arm):
    q, T = seed_at(arm), opposite(arm)
    target = ik_node.Shapes(position_shapes()[position], orientation_shapes(T)[orientation])
    assert target.errors(arm.forward_kinematics(q)) == pytest.approx((0.0, expected), abs=1e-7)
    result = arm.solve(target, q, timeout=1.0)
    assert result.success, result.message
    assert max(target.errors(arm.forward_kinematics(result.q))) <= 1.1e-5
    for _ in range(100):
        step = arm.step(target, q, linear_step=0.1, angular_step=0.3)
        q = step.q
        if step.status is not StepStatus.PROGRESS:
            break
    assert step.status is StepStatus.SUCCESS, step.message


@pytest.mark.parametrize('filled', [False, True])
@pytest.mark.parametrize('tilt', [0.0, PI])
def test_on_the_axis_of_a_cone_all_ways_are_as_good(filled, tilt, arm):
    for target in (
        ik_node.Shapes(ik_node.Point(P), ik_node.Cone((0, 0, 1), (0, 0, 1), 1.2, filled)),
        ik_node.TranslationZAxisAngle4D(P, 1.2),
    ):
        seed = seed_at(arm, tilt)
        angle = target.errors(arm.forward_kinematics(seed))[1]
        inside = filled and tilt == 0.0 and isinstance(target, ik_node.Shapes)
        assert angle == pytest.approx(0.0 if inside else abs(tilt - 1.2))
        result = arm.solve(target, seed, timeout=1.0)
        assert result.success, result.message
        after = arm.forward_kinematics(result.q)
        assert max(target.errors(after)) <= 1.1e-5
        # No farther around than to the cone, and where nothing is asked, nowhere.
        turned = math.acos(np.clip(after[:3, 2] @ [0, 0, math.cos(tilt)], -1.0, 1.0))
        assert turned == pytest.approx(angle, abs=2e-4)


@pytest.mark.parametrize('tilt', [0.0, PI])
@pytest.mark.parametrize('angle', [-2.0, 0.0, PI / 2, PI])
def test_an_azimuth_from_the_axis(tilt, angle, arm):
    target = ik_node.TranslationXYOrientation3D(P[:2], angle)
    seed = seed_at(arm, tilt)
    # No azimuth: an error of a half turn, whatever is asked.
    assert target.errors(arm.forward_kinematics(seed)) == pytest.approx((0.0, PI), abs=1e-9)
    result = arm.solve(target, seed, timeout=1.0)
    assert result.success, result.message
    D = arm.forward_kinematics(result.q)[:3, 2]
    assert math.remainder(math.atan2(D[1], D[0]) - angle, 2 * PI) == pytest.approx(0.0, abs=1e-5)


def test_looking_at_what_is_behind_or_on_the_eye(arm):
    q = seed_at(arm)
    T = arm.forward_kinematics(q)
    for away in (-2.0, -1e-6, 0.0, 1e-10):
        target = ik_node.Lookat3D(T[:3, 3] + away * T[:3, 2])
        assert target.errors(T)[1] == pytest.approx(PI, abs=1e-6)
        result = arm.solve(target, q, timeout=1.0)
        assert result.success, result.message
        after = arm.forward_kinematics(result.q)
        view = np.array(target.point) - after[:3, 3]
        assert np.linalg.norm(view) > 1e-9
        assert view @ after[:3, 2] > 0.0
        assert np.linalg.norm(np.cross(view, after[:3, 2])) <= 1.1e-5 * np.linalg.norm(view)


@pytest.mark.parametrize('name', TYPES)
def test_no_direction_and_no_quaternion_of_no_length(name):
    made = IkParameterization.class_of(name)
    for part in made.parts:
        whole = {
            other.name: 0.5 if other.kind.name == 'ANGLE' else (0.5,) * other.kind.size
            for other in made.parts
        }
        whole[part.name] = 0.0 if part.kind.name == 'ANGLE' else (0.0,) * part.kind.size
        if part.kind.name in ('QUAT', 'DIRECTION'):
            for tiny in (0.0, -0.0):
                whole[part.name] = (tiny,) * part.kind.size
                with pytest.raises(InvalidTargetError, match='any length but zero'):
                    made(**whole)
            whole[part.name] = (1e-300,) * part.kind.size
        # Points and angles may be zero, and directions as short as numbers go.
        assert made(**whole).values.shape == (made.type.number_of_values,)


@pytest.mark.parametrize('name', TYPES)
@pytest.mark.parametrize('bad', [math.inf, -math.inf, math.nan])
def test_no_number_at_infinity(name, bad):
    made = IkParameterization.class_of(name)
    for at in range(made.type.number_of_values):
        values = np.full(made.type.number_of_values, 0.5)
        values[at] = bad
        with pytest.raises(InvalidTargetError, match='must be'):
            made.from_values(values)
