# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Forward kinematics of what was read, against two independent ones.

Generated robots have every joint type, origins, axes of any length, chains of mimic joints and
their elements in any order. One oracle follows the URDF specification link by link in plain numpy,
the other is Pinocchio with ROS's C++ parser, which also reads all real robots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
import math
from pathlib import Path
import random

from hypothesis import given, settings
from hypothesis import strategies as st
from ik_node.errors import IkNodeError
from ik_node.kernels.rotations import rotation_exp
from ik_node.model.objects import JointKind
from ik_node.model.tables import compile_tables
from ik_node.model.urdf import load_urdf
from ik_node.solvers.kinematics import forward_kinematics
import numpy as np
import pytest

CONFIGURATIONS = 100


@dataclass
class Made:
    """A generated joint, as it stands in the file."""

    name: str
    kind: str
    parent: int
    xyz: list[float]
    rpy: list[float]
    axis: list[float] | None
    mimic: tuple[str, float, float] | None = None
    xml: str = field(default='')


def elements(joint, number, rng):
    """Write a joint with its elements in any order."""

    def words(values):
        return ' '.join(map(repr, values))

    inside = [
        f'<parent link="l{joint.parent}"/>',
        f'<child link="l{number + 1}"/>',
        f'<origin xyz="{words(joint.xyz)}" rpy="{words(joint.rpy)}"/>',
        '<dynamics damping="0.1"/>',
    ]
    if joint.axis is not None:
        inside.append(f'<axis xyz="{words(joint.axis)}"/>')
    if joint.kind in ('revolute', 'prismatic'):
        inside.append('<limit lower="-100" upper="100" effort="1" velocity="1"/>')
    if joint.mimic is not None:
        master, multiplier, offset = joint.mimic
        inside.append(f'<mimic joint="{master}" multiplier="{multiplier}" offset="{offset}"/>')
    rng.shuffle(inside)
    return f'<joint name="{joint.name}" type="{joint.kind}">{"".join(inside)}</joint>'


@st.composite
def robots(draw, planar_axis):
    """Make the text of a robot and its joints."""
    number = st.floats(-3.0, 3.0, allow_subnormal=False)
    vector = st.lists(number, min_size=3, max_size=3)
    axes = st.one_of(
        st.none(), st.sampled_from(np.eye(3).tolist()), vector.filter(lambda v: max(v) > 0.1)
    )
    kinds = st.sampled_from(
        ('revolute', 'continuous', 'prismatic', 'revolute', 'fixed', 'planar', 'floating')
    )
    joints = []
    for index in range(draw(st.integers(1, 9))):
        kind = draw(kinds)
        axis = draw(axes)
        if kind == 'planar' and planar_axis is not None:
            axis = planar_axis
        joints.append(
            Made(f'j{index}', kind, draw(st.integers(0, index)), draw(vector), draw(vector), axis)
        )
    single = [j for j in joints if j.kind in ('revolute', 'continuous', 'prismatic')]
    order = draw(st.permutations(single))
    for master, follower in zip(order, order[1:], strict=False):
        if draw(st.booleans()):
            follower.mimic = (master.name, draw(number), draw(number))
    rng = random.Random(draw(st.integers(0, 10**6)))
    parts = [elements(joint, number, rng) for number, joint in enumerate(joints)]
    parts += [f'<link name="l{index}"/>' for index in range(len(joints) + 1)]
    parts += [
        '<gazebo><joint/></gazebo>',
        '<transmission name="t"><joint name="j0"/></transmission>',
    ]
    rng.shuffle(parts)
    return f'<robot name="r">{"".join(parts)}</robot>', joints


def values_of(joints, rng):
    """Draw positions: of each joint what it has in the file, by name."""
    drawn = {
        joint.name: rng.uniform(
            -2.0, 2.0, {'planar': 3, 'floating': 6, 'fixed': 0}.get(joint.kind, 1)
        )
        for joint in joints
    }
    by_name = {joint.name: joint for joint in joints}

    def position(joint):
        if joint.mimic is None:
            return drawn[joint.name]
        master, multiplier, offset = joint.mimic
        return multiplier * position(by_name[master]) + offset

    return {joint.name: position(joint) for joint in joints}


def our_poses(text, joints, values):
    """Compute the poses of all links by what is tested."""
    mechanism = load_urdf(text)
    links = [mechanism.frame_index(f'l{index}') for index in range(len(joints) + 1)]
    tables = compile_tables(mechanism, links[0], links)
    coordinates = {}
    for joint in joints:
        value = values[joint.name].tolist()
        suffixes = {
            'planar': ('/x', '/y', '/rotation'),
            'floating': ('/x', '/y', '/z', '/rotation/x', '/rotation/y', '/rotation/z'),
        }.get(joint.kind, ('',) * len(value))
        coordinates |= {joint.name + s: v for s, v in zip(suffixes, value, strict=True)}
    q = np.array([[coordinates[name] for name in tables.coordinate_names]])
    return forward_kinematics(tables, q)[0]


def pose(rotation=None, position=(0.0, 0.0, 0.0)):
    """Make a pose."""
    made = np.eye(4)
    made[:3, :3] = np.eye(3) if rotation is None else rotation
    made[:3, 3] = position
    return made


def about(axis, angle):
    """Rotate about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def moved(joint, value):
    """Compute the motion of a joint from the specification."""
    if joint.kind == 'fixed':
        return np.eye(4)
    if joint.kind == 'floating':
        return pose(np.reshape(rotation_exp(*value[3:]), (3, 3)), value[:3])
    axis = np.array([1.0, 0.0, 0.0] if joint.axis is None else joint.axis)
    axis = axis / np.linalg.norm(axis)
    if joint.kind == 'prismatic':
        return pose(position=value[0] * axis)
    return pose(about(axis, value[0]))


@settings(max_examples=150)
@given(robots(planar_axis=None), st.integers(0, 1000))
def test_generated_robots_move_as_the_specification_says(robot, seed):
    text, joints = robot
    values = values_of(joints, np.random.default_rng(seed))
    found = our_poses(text, joints, values)
    for number, joint in enumerate(joints):
        x, y, z = ([1, 0, 0], [0, 1, 0], [0, 0, 1])
        roll, pitch, yaw = joint.rpy
        origin = pose(about(z, yaw) @ about(y, pitch) @ about(x, roll), joint.xyz)
        motion = np.linalg.inv(found[joint.parent] @ origin) @ found[number + 1]
        value = values[joint.name]
        if joint.kind != 'planar':
            np.testing.assert_allclose(motion, moved(joint, value), atol=1e-11)
            continue
        # Which two directions of the plane are x and y is ours to choose; they are at right
        # angles and move the body in the plane whose normal is the axis, which it turns about.
        normal = np.array([1.0, 0.0, 0.0] if joint.axis is None else joint.axis)
        normal = normal / np.linalg.norm(normal)
        np.testing.assert_allclose(motion[:3, :3], about(normal, value[2]), atol=1e-11)
        assert abs(normal @ motion[:3, 3]) < 1e-11
        assert np.linalg.norm(motion[:3, 3]) == pytest.approx(math.hypot(*value[:2]), abs=1e-11)


@settings(max_examples=100)
@given(robots(planar_axis=[0.0, 0.0, 1.0]), st.integers(0, 1000))
def test_generated_robots_move_as_in_pinocchio(robot, seed):
    pinocchio = pytest.importorskip('pinocchio')
    text, joints = robot
    values = values_of(joints, np.random.default_rng(seed))
    model = pinocchio.buildModelFromXML(text)
    q = pinocchio.neutral(model)
    for joint in joints:
        if joint.kind == 'fixed':
            continue
        there, value = model.joints[model.getJointId(joint.name)], values[joint.name]
        if joint.kind == 'floating':
            half = pinocchio.Quaternion(np.reshape(rotation_exp(*value[3:]), (3, 3))).coeffs()
            value = [*value[:3], *half]
        elif there.nq in (2, 4):
            value = [*value[:-1], math.cos(value[-1]), math.sin(value[-1])]
        q[there.idx_q : there.idx_q + there.nq] = value
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, q)
    for number, found in enumerate(our_poses(text, joints, values)):
        frame = model.getFrameId(f'l{number}', pinocchio.FrameType.BODY)
        np.testing.assert_allclose(found, data.oMf[frame].homogeneous, atol=1e-11)


REFUSED = {
    'quadrotor_base.urdf': 'has no joints',
    'ur3.urdf': 'has no links',
}


def real_descriptions():
    """List all robots of example-robot-data, none where it is not installed."""
    import sysconfig

    folder = Path(sysconfig.get_path('purelib')) / 'cmeel.prefix/share/example-robot-data/robots'
    return sorted(folder.rglob('*.urdf'))


@pytest.mark.parametrize('path', real_descriptions(), ids=lambda path: path.name)
def test_real_robots_move_as_in_pinocchio(path, rng):
    pinocchio = pytest.importorskip('pinocchio')
    if path.name in REFUSED:
        with pytest.raises(IkNodeError, match=REFUSED[path.name]):
            load_urdf(path)
        return
    mechanism = load_urdf(path)
    links = mechanism.frame_indices
    tables = compile_tables(mechanism, next(iter(links.values())), list(links.values()))
    assert all(joint.kind is not JointKind.SPHERICAL for joint in mechanism.joints)
    q = rng.uniform(-3.0, 3.0, (CONFIGURATIONS, len(tables.coordinate_names)))
    found = forward_kinematics(tables, q)
    model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    frames = [model.getFrameId(name, pinocchio.FrameType.BODY) for name in links]
    there = np.tile(pinocchio.neutral(model), (CONFIGURATIONS, 1))
    for joint in mechanism.joints:
        drive = mechanism.drive(joint.name)
        position = drive.multiplier * q[:, tables.coordinate_names.index(drive.variable.name)]
        position = position + drive.offset
        at = model.joints[model.getJointId(joint.name)]
        if at.nq == 2:  # a continuous joint is stored as cosine and sine
            there[:, at.idx_q], there[:, at.idx_q + 1] = np.cos(position), np.sin(position)
        else:
            there[:, at.idx_q] = position
    for ours, configuration in zip(found, there, strict=True):
        pinocchio.framesForwardKinematics(model, data, configuration)
        expected = np.array([data.oMf[frame].homogeneous for frame in frames])
        np.testing.assert_allclose(ours, expected, rtol=0.0, atol=1e-12)
