# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What users reported of other readers of URDF, with the right values computed independently."""

from __future__ import annotations

import itertools
import math
import os
from pathlib import Path
import subprocess
import sys

import ik_node
from ik_node.errors import ModelError, UrdfError
from ik_node.model.urdf import load_urdf
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def joint(name, kind, parent, child, more=''):
    """Write a joint."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'{more}</joint>'
    )


def robot(*joints, name='r'):
    """Write a robot of joints, with the links that they name."""
    text = ''.join(joints)
    names = dict.fromkeys(part.split('"')[0] for part in text.split('link="')[1:])
    return f'<robot name="{name}">{text}{"".join(f"<link name={n!r}/>" for n in names)}</robot>'


def at(x, y, z, rpy='0 0 0'):
    """Write an origin."""
    return f'<origin xyz="{x} {y} {z}" rpy="{rpy}"/>'


Z_AXIS = '<axis xyz="0 0 1"/>'

# moveit/moveit#1490, TAMS-Group/bio_ik#21, chungmin99/pyroki#10: a mimic joint counted as a
# degree of freedom, or left out of the Jacobian.
MIMIC = robot(
    joint('j1', 'continuous', 'base', 'a', Z_AXIS),
    joint(
        'j2',
        'continuous',
        'a',
        'b',
        Z_AXIS + at(1, 0, 0) + '<mimic joint="j1" multiplier="0.5" offset="0.1"/>',
    ),
    joint('end', 'fixed', 'b', 'tip', at(1, 0, 0)),
)


def test_mimic_joint_in_the_chain():
    arm = ik_node.Environment.from_urdf(MIMIC).create_group('arm', 'base', 'tip')
    assert tuple(arm.joint_names) == ('j1',)
    T_base_tip = arm.forward_kinematics([0.4])
    np.testing.assert_allclose(T_base_tip[:3, 3], [1.685903, 1.033636, 0.0], atol=5e-7)
    np.testing.assert_allclose(
        arm.jacobian([0.4]), np.array([[-1.355745, 2.068324, 0, 0, 0, 1.5]]).T, atol=5e-7
    )
    result = arm.solve(T_base_tip, seed=[0.2])
    assert result.success
    assert result.q == pytest.approx([0.4], abs=1e-5)
    assert arm.named_positions(result.q) == pytest.approx({'j1': 0.4, 'j2': 0.3}, abs=1e-5)


# moveit/moveit_ros#384, moveit/moveit#479: fixed joints, or joints out of order, shift indices.
def test_fixed_joints_and_the_order_of_the_file_change_nothing():
    joints = [
        joint('f0', 'fixed', 'world', 'base', at(0, 0, 1)),
        joint('j1', 'continuous', 'base', 'a', Z_AXIS + at(1, 0, 0)),
        joint('f1', 'fixed', 'a', 'b', at(0, 0.5, 0)),
        joint('j2', 'continuous', 'b', 'c', Z_AXIS + at(0.5, 0, 0)),
        joint('f2', 'fixed', 'c', 'tip', at(1, 0, 0, '0 0 1.5707963267948966')),
    ]
    folded = [
        joint('j1', 'continuous', 'world', 'a', Z_AXIS + at(1, 0, 1)),
        joint('j2', 'continuous', 'a', 'c', Z_AXIS + at(0.5, 0.5, 0)),
        joint('f2', 'fixed', 'c', 'tip', at(1, 0, 0, '0 0 1.5707963267948966')),
    ]
    q = [0.3, -0.8]
    expected = ik_node.Environment.from_urdf(robot(*folded)).create_group('g', 'world', 'tip')
    for order in itertools.permutations(joints):
        group = ik_node.Environment.from_urdf(robot(*order)).create_group('g', 'world', 'tip')
        assert tuple(group.joint_names) == ('j1', 'j2')
        assert list(group.named_positions(q)) == ['j1', 'j2']
        np.testing.assert_allclose(
            group.forward_kinematics(q), expected.forward_kinematics(q), atol=1e-15
        )
        np.testing.assert_allclose(group.jacobian(q), expected.jacobian(q), atol=1e-15)


# ros2/launch_ros#214: text that is no YAML either.
@pytest.mark.parametrize('comment', ['note: see http://x', 'a # b', 'é: {x}', '- a: [b'])
def test_comments_of_any_kind(comment):
    assert load_urdf(f'<!-- {comment} -->{MIMIC}').joint_indices.keys() == {'j1', 'j2'}


# ros/urdf_parser_py#58, gbionics/adam#71, iory/scikit-robot#864: declarations, names of any
# script, byte order marks, the locale of the process.
def test_encodings_under_the_locale_c(tmp_path):
    body = '<!-- äöü -->' + robot(joint('関節', 'continuous', 'a', 'b'), name='ロボット')
    declared = '<?xml version="1.0" encoding="utf-8"?>'
    texts = (body.encode(), (declared + body).encode(), ('\ufeff' + declared + body).encode())
    texts += (
        ('<?xml version="1.0" encoding="UTF-16"?>' + body).encode('utf-16'),
        body.encode('utf-16-le'),
    )
    paths = [tmp_path / f'{number}.urdf' for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    program = (
        'import sys; from ik_node.model.urdf import load_urdf\n'
        'for path in sys.argv[1:]:\n'
        '    for source in (path, open(path, "rb").read()):\n'
        '        robot = load_urdf(source)\n'
        '        print(ascii((robot.name, list(robot.joint_indices))))\n'
    )
    done = subprocess.run(
        [sys.executable, '-c', program, *map(str, paths)],
        env=os.environ
        | {'LC_ALL': 'C', 'LANG': 'C', 'PYTHONCOERCECLOCALE': '0', 'PYTHONUTF8': '0'}
        | {'PYTHONPATH': str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split('\n')[:-1] == [ascii(('ロボット', ['関節']))] * 2 * len(texts)
    for text in (body, declared + body, '\ufeff' + declared + body):
        assert load_urdf(text).name == 'ロボット'


# ros/joint_state_publisher#13, SemRoCo/giskardpy#186: the limits of the mimic joint itself.
def gripper(follower, more=''):
    """Write a gripper whose second finger has the given limits."""
    mimic = '<mimic joint="m" multiplier="-1" offset="0.1"/>'
    return robot(
        joint('m', 'revolute', 'base', 'a', '<limit lower="-1" upper="1"/>'),
        joint('f', 'revolute', 'base', 'b', mimic + follower),
        joint('g', 'revolute', 'base', 'c', '<mimic joint="m"/>'),
    )


def test_limits_of_a_mimic_joint():
    mechanism = load_urdf(gripper('<limit lower="-0.5" upper="0.5"/>'))
    assert mechanism.bounds('m') == pytest.approx((-0.4, 0.6))
    assert load_urdf(gripper('')).bounds('m') == (-1.0, 1.0)
    with pytest.raises(ModelError) as caught:
        load_urdf(gripper('<limit lower="2" upper="3"/>'))
    assert "'f'" in str(caught.value)
    assert "'m'" in str(caught.value)


# ros-controls/gz_ros2_control#952, cram2/cram#114: an offset that is read and never applied.
def test_offset_of_a_mimic_joint():
    arm = ik_node.Environment.from_urdf(
        robot(
            joint('m', 'continuous', 'base', 'a', Z_AXIS),
            joint(
                'f',
                'continuous',
                'base',
                'b',
                Z_AXIS + '<mimic joint="m" multiplier="1" offset="0.1"/>',
            ),
        )
    ).create_group('g', 'base', 'b')
    rotation = arm.forward_kinematics([0.3])[:3, :3]
    assert math.atan2(rotation[1, 0], rotation[0, 0]) == pytest.approx(0.4, abs=1e-15)
    assert arm.named_positions([0.3])['f'] == pytest.approx(0.4, abs=1e-15)
    np.testing.assert_allclose(arm.jacobian([0.3])[:, 0], [0, 0, 0, 0, 0, 1], atol=1e-15)


# moveit/moveit#2333, rdiankov/openrave#300: a base that stands 36 cm beside the world's origin.
def test_base_that_stands_beside_the_origin():
    text = robot(
        joint('stand', 'fixed', 'world', 'arm_base', at(0.36, 0, 0)),
        joint('j1', 'continuous', 'arm_base', 'a', Z_AXIS),
        joint('j2', 'continuous', 'a', 'b', Z_AXIS + at(1, 0, 0)),
        joint('end', 'fixed', 'b', 'tip', at(1, 0, 0)),
    )
    env = ik_node.Environment.from_urdf(text)
    distance = math.hypot(0.64, 0.5)
    bend = 2.0 * math.acos(distance / 2.0)
    q = [math.atan2(0.5, 0.64) - bend / 2.0, bend]
    for base, position in (('world', [1.0, 0.5, 0.0]), ('arm_base', [0.64, 0.5, 0.0])):
        group = env.create_group(base, base, 'tip')
        np.testing.assert_allclose(group.forward_kinematics(q)[:3, 3], position, atol=1e-15)


# petercorke/robotics-toolbox-python#440: one model form solves, the URDF of it does not.
DH = [
    (0.0, 0.0, 0.490, 0.0),
    (0.160, -math.pi / 2, 0.0, -math.pi / 2),
    (0.780, 0.0, 0.0, 0.0),
    (0.150, -math.pi / 2, 0.660, 0.0),
    (0.0, math.pi / 2, 0.0, 0.0),
    (0.0, -math.pi / 2, 0.110, math.pi),
]
"""Modified Denavit-Hartenberg: a, alpha, d, offset."""
ELBOW = [0.777216, 0.901293, 1.478560, 0.0, -0.809057, 0.777216]
OTHER = [-2.364, -2.723, 1.012, 0.0, -3.002, -2.364]


def six_axes():
    """Write the arm: a turn about x and a step along it, then the joint and a step along z."""
    joints, parent = [], 'base'
    for number, (a, alpha, d, offset) in enumerate(DH, 1):
        # The axis of the joint is x turned by alpha; d and the offset lie along and about it.
        y, z = -d * math.sin(alpha), d * math.cos(alpha)
        limit = '<limit lower="-2.5" upper="3"/>'
        joints.append(
            joint(f't{number}', 'fixed', parent, f'p{number}', at(a, y, z, f'{alpha} 0 0'))
        )
        joints.append(
            joint(f'o{number}', 'fixed', f'p{number}', f'q{number}', at(0, 0, 0, f'0 0 {offset}'))
        )
        joints.append(joint(f'j{number}', 'revolute', f'q{number}', f'l{number}', Z_AXIS + limit))
        parent = f'l{number}'
    return robot(*joints)


def test_six_axes_reach_the_pose_inside_their_limits():
    arm = ik_node.Environment.from_urdf(six_axes()).create_group('arm', 'base', 'l6')
    target = np.diag([-1.0, 1.0, -1.0, 1.0])
    target[:3, 3] = [0.2834, 0.2788, 0.3]
    np.testing.assert_allclose(arm.forward_kinematics(ELBOW), target, atol=2e-6)
    np.testing.assert_allclose(arm.forward_kinematics(OTHER), target, atol=1e-3)
    # OTHER needs joints 2 and 5 beyond -2.5 rad: only restarts leave its branch.
    result = arm.solve(target, seed=OTHER, timeout=5.0)
    assert result.success, result.message
    assert (result.q >= -2.5).all()
    np.testing.assert_allclose(arm.forward_kinematics(result.q), target, atol=2e-6)


# RobotLocomotion/drake#19314, iory/scikit-robot#868: planar and floating joints.
def test_planar_joint_moves_in_the_plane_of_its_axis():
    mechanism = ik_node.Environment.from_urdf(
        robot(joint('p', 'planar', 'base', 'puck', '<axis xyz="0 1 0"/>'))
    )
    group = mechanism.create_group('g', 'base', 'puck')
    assert tuple(group.joint_names) == ('p/x', 'p/y', 'p/rotation')
    T_base_puck = group.forward_kinematics([0.3, 0.4, 0.5])
    assert T_base_puck[1, 3] == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(T_base_puck[:3, 3]) == pytest.approx(0.5)
    sine, cosine = math.sin(0.5), math.cos(0.5)
    np.testing.assert_allclose(
        T_base_puck[:3, :3], [[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]], atol=1e-15
    )


def test_floating_joint_at_the_root():
    env = ik_node.Environment.from_urdf(
        robot(
            joint('free', 'floating', 'odom', 'base'),
            joint('j', 'continuous', 'base', 'tip', Z_AXIS),
        )
    )
    arm = env.create_group('arm', 'base', 'tip')
    assert tuple(arm.joint_names) == ('j',)  # the base of the arm is fixed to itself
    whole = env.create_group('whole', 'odom', 'base')
    T_odom_base = whole.forward_kinematics([1, 2, 3, 0, 0, 0.5])
    np.testing.assert_allclose(T_odom_base[:3, 3], [1, 2, 3])
    assert math.atan2(T_odom_base[1, 0], T_odom_base[0, 0]) == pytest.approx(0.5)


def test_unknown_type_names_joint_and_type():
    with pytest.raises(UrdfError, match="joint 'hip' has the type 'ball'; URDF has revolute"):
        load_urdf(robot(joint('hip', 'ball', 'a', 'b')))


# rdiankov/openrave#154: a palletiser keeps the orientation of its forearm by a parallel link.
def test_parallel_link_keeps_the_orientation_of_the_forearm():
    y_axis = '<axis xyz="0 1 0"/>'
    env = ik_node.Environment.from_urdf(
        robot(
            joint('joint2', 'revolute', 'base', 'upper', y_axis + '<limit lower="-1" upper="1"/>'),
            joint(
                'fake',
                'revolute',
                'upper',
                'elbow',
                y_axis
                + at(0, 0, 1)
                + '<limit lower="-1" upper="1"/><mimic joint="joint2" multiplier="-1"/>',
            ),
            joint('joint3', 'continuous', 'elbow', 'fore', y_axis),
            joint('end', 'fixed', 'fore', 'tip', at(1, 0, 0)),
        )
    )
    arm = env.create_group('arm', 'base', 'tip')
    assert tuple(arm.joint_names) == ('joint2', 'joint3')
    assert env.mechanism.bounds('joint2') == (-1.0, 1.0)
    q = [0.7, 0.2]
    T_base_tip = arm.forward_kinematics(q)
    pitch = math.atan2(-T_base_tip[2, 0], T_base_tip[0, 0])
    assert pitch == pytest.approx(0.2, abs=1e-15)
    np.testing.assert_allclose(
        T_base_tip[:3, 3],
        [math.sin(0.7) + math.cos(0.2), 0, math.cos(0.7) - math.sin(0.2)],
        atol=1e-15,
    )
    np.testing.assert_allclose(arm.jacobian(q)[3:, 0], 0.0, atol=1e-15)
