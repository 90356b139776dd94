# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The shipped robots against the published figures, by means that share nothing with them."""

from collections.abc import Callable, Sequence
from math import cos, pi, radians, sin
from pathlib import Path
import re
from typing import Any
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

ROBOTS = Path(__file__).parents[2] / 'config' / 'robots'
CONFIGURATIONS = 50

# Joint, lower, upper [rad or m], velocity [rad/s or m/s], effort [Nm or N].
Limits = dict[str, tuple[float, float, float, float]]

# FCI documentation, "Limits for Panda"; Franka Hand Product Manual for the fingers.
PANDA_LIMITS: Limits = {
    'panda_joint1': (-2.8973, 2.8973, 2.1750, 87),
    'panda_joint2': (-1.7628, 1.7628, 2.1750, 87),
    'panda_joint3': (-2.8973, 2.8973, 2.1750, 87),
    'panda_joint4': (-3.0718, -0.0698, 2.1750, 87),
    'panda_joint5': (-2.8973, 2.8973, 2.6100, 12),
    'panda_joint6': (-0.0175, 3.7525, 2.6100, 12),
    'panda_joint7': (-2.8973, 2.8973, 2.6100, 12),
    'panda_finger_joint1': (0, 0.04, 0.05, 70),
    'panda_finger_joint2': (0, 0.04, 0.05, 70),
}

# UR5e user manual (the elbow is narrowed on purpose); article "Max. joint torques".
UR5E_LIMITS: Limits = {
    'shoulder_pan_joint': (-2 * pi, 2 * pi, pi, 150),
    'shoulder_lift_joint': (-2 * pi, 2 * pi, pi, 150),
    'elbow_joint': (-pi, pi, pi, 150),
    'wrist_1_joint': (-2 * pi, 2 * pi, pi, 28),
    'wrist_2_joint': (-2 * pi, 2 * pi, pi, 28),
    'wrist_3_joint': (-2 * pi, 2 * pi, pi, 28),
}

# Epson GX4 manual and epson_robot_description; the maker publishes no efforts.
SCARA_LIMITS: Limits = {
    'joint1': (radians(-50), radians(230), radians(450), 0),
    'joint2': (radians(-142), radians(142), radians(720), 0),
    'joint3': (-0.150, 0, 1.152, 0),
    'joint4': (-2 * pi, 2 * pi, 55.1157, 0),
}

LIMITS = {'panda': PANDA_LIMITS, 'ur5e': UR5E_LIMITS, 'scara': SCARA_LIMITS}

LINKS = {
    'panda': [
        *(f'panda_link{i}' for i in range(9)),
        'panda_hand',
        'panda_leftfinger',
        'panda_rightfinger',
        'panda_hand_tcp',
    ],
    'ur5e': [
        'base_link',
        'base',
        'shoulder_link',
        'upper_arm_link',
        'forearm_link',
        'wrist_1_link',
        'wrist_2_link',
        'wrist_3_link',
        'tool0',
    ],
    'scara': ['base_link', 'arm1_link', 'arm2_link', 'quill_link', 'tool0'],
}

SOURCES = {
    'panda': ['Franka Control Interface (FCI) documentation', 'Franka Hand Product Manual'],
    'ur5e': ['DH Parameters for calculations of kinematics and dynamics', 'Max. joint torques'],
    'scara': ['Epson, manual "GX4-A/GX4-B/GX4-C series"', 'epson_robot_description'],
}


def distal(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
    """Return Rz(theta) Tz(d) Tx(a) Rx(alpha), a row of standard Denavit-Hartenberg parameters."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


def proximal(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
    """Return Rx(alpha) Tx(a) Tz(d) Rz(theta), a row of modified (Craig) parameters."""
    ct, st, ca, sa = cos(theta), sin(theta), cos(alpha), sin(alpha)
    return np.array(
        [
            [ct, -st, 0, a],
            [st * ca, ct * ca, -sa, -d * sa],
            [st * sa, ct * sa, ca, d * ca],
            [0, 0, 0, 1],
        ]
    )


def panda_flange(q: Sequence[float]) -> np.ndarray:
    """Return the pose of panda_link8 in panda_link0 for the seven arm joints."""
    pose = proximal(0, 0, 0.333, q[0])
    pose = pose @ proximal(0, -pi / 2, 0, q[1])
    pose = pose @ proximal(0, pi / 2, 0.316, q[2])
    pose = pose @ proximal(0.0825, pi / 2, 0, q[3])
    pose = pose @ proximal(-0.0825, -pi / 2, 0.384, q[4])
    pose = pose @ proximal(0, pi / 2, 0, q[5])
    pose = pose @ proximal(0.088, pi / 2, 0, q[6])
    return pose @ proximal(0, 0, 0.107, 0)


def panda_hand(q: Sequence[float]) -> np.ndarray:
    """Return the pose of panda_hand in panda_link0."""
    return panda_flange(q) @ proximal(0, 0, 0, -pi / 4)


def panda_tcp(q: Sequence[float]) -> np.ndarray:
    """Return the pose of panda_hand_tcp in panda_link0."""
    return panda_hand(q) @ offset(0, 0, 0.1034)


def panda_left_finger(q: Sequence[float]) -> np.ndarray:
    """Return the pose of panda_leftfinger in panda_link0."""
    return panda_hand(q) @ offset(0, q[7], 0.0584)


def panda_right_finger(q: Sequence[float]) -> np.ndarray:
    """Return the pose of panda_rightfinger, which mirrors the left one."""
    return panda_hand(q) @ offset(0, -q[7], 0.0584)


def ur5e_flange(q: Sequence[float]) -> np.ndarray:
    """Return the pose of the tool flange in the controller's base frame."""
    pose = distal(0, pi / 2, 0.1625, q[0])
    pose = pose @ distal(-0.425, 0, 0, q[1])
    pose = pose @ distal(-0.3922, 0, 0, q[2])
    pose = pose @ distal(0, pi / 2, 0.1333, q[3])
    pose = pose @ distal(0, -pi / 2, 0.0997, q[4])
    return pose @ distal(0, 0, 0.0996, q[5])


def ur5e_flange_in_base_link(q: Sequence[float]) -> np.ndarray:
    """Return the pose of the tool flange in base_link, which sees x and y with the other sign."""
    return np.diag([-1.0, -1.0, 1.0, 1.0]) @ ur5e_flange(q)


def scara_quill(q: Sequence[float]) -> np.ndarray:
    """Return the pose of the quill's end in the maker's robot coordinate system."""
    pose = distal(0.220, 0, 0, q[0])
    pose = pose @ distal(0.130, 0, 0, q[1])
    pose = pose @ distal(0, 0, q[2], 0)
    return pose @ distal(0, 0, 0, q[3])


def offset(x: float, y: float, z: float) -> np.ndarray:
    """Return a translation."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


@pytest.mark.parametrize(
    ('robot', 'reference', 'link', 'expected'),
    [
        ('panda', 'panda_link0', 'panda_link8', panda_flange),
        ('panda', 'panda_link0', 'panda_hand', panda_hand),
        ('panda', 'panda_link0', 'panda_hand_tcp', panda_tcp),
        ('panda', 'panda_link0', 'panda_leftfinger', panda_left_finger),
        ('panda', 'panda_link0', 'panda_rightfinger', panda_right_finger),
        ('ur5e', 'base', 'tool0', ur5e_flange),
        ('ur5e', 'base_link', 'tool0', ur5e_flange_in_base_link),
        ('scara', 'base_link', 'tool0', scara_quill),
    ],
)
def test_pinocchio_agrees_with_the_dh_table(
    robot: str,
    reference: str,
    link: str,
    expected: Callable[[Sequence[float]], np.ndarray],
) -> None:
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(path(robot).read_text(encoding='utf-8'))
    data = model.createData()
    rng = np.random.default_rng(20260101)
    limits = LIMITS[robot]
    for _ in range(CONFIGURATIONS):
        q = {name: rng.uniform(limit[0], limit[1]) for name, limit in limits.items()}
        if 'panda_finger_joint2' in q:
            # Pinocchio leaves a mimic joint free; here it has to follow its master.
            q['panda_finger_joint2'] = q['panda_finger_joint1']
        pinocchio.framesForwardKinematics(model, data, pinocchio_positions(model, q))
        frame, base = (data.oMf[model.getFrameId(name)].homogeneous for name in (link, reference))
        got = np.linalg.inv(base) @ frame
        np.testing.assert_allclose(got, expected(list(q.values())), rtol=0, atol=1e-12)


@pytest.mark.parametrize('robot', LIMITS)
def test_limits_equal_the_published_ones(robot: str) -> None:
    found = {
        joint.get('name'): tuple(
            float(joint.find('limit').get(key)) for key in ('lower', 'upper', 'velocity', 'effort')
        )
        for joint in tree(robot).iter('joint')
        if joint.get('type') != 'fixed'
    }
    assert list(found) == list(LIMITS[robot])
    for name, limit in LIMITS[robot].items():
        assert found[name] == pytest.approx(limit, rel=1e-15, abs=0), name


@pytest.mark.parametrize('robot', LIMITS)
def test_links_and_names(robot: str) -> None:
    root = tree(robot)
    links = [link.get('name') for link in root.iter('link')]
    joints = [joint.get('name') for joint in root.iter('joint')]
    assert root.get('name') == robot
    assert links == LINKS[robot]
    assert len({*links, *joints}) == len(links) + len(joints)


@pytest.mark.parametrize('robot', LIMITS)
def test_is_one_tree(robot: str) -> None:
    root = tree(robot)
    parents = {
        joint.find('child').get('link'): joint.find('parent').get('link')
        for joint in root.iter('joint')
    }
    links = {link.get('name') for link in root.iter('link')}
    assert len(list(root.iter('joint'))) == len(parents) == len(links) - 1
    assert links - set(parents) == {LINKS[robot][0]}
    assert set(parents.values()) <= links


@pytest.mark.parametrize('robot', LIMITS)
def test_is_kinematics_only(robot: str) -> None:
    assert all(len(link) == 0 for link in tree(robot).iter('link'))


def test_right_finger_follows_the_left_one() -> None:
    mimics = {
        joint.get('name'): joint.find('mimic').attrib
        for robot in LIMITS
        for joint in tree(robot).iter('joint')
        if joint.find('mimic') is not None
    }
    assert mimics == {
        'panda_finger_joint2': {'joint': 'panda_finger_joint1', 'multiplier': '1', 'offset': '0'},
    }


@pytest.mark.parametrize('robot', LIMITS)
def test_names_its_sources_without_addresses(robot: str) -> None:
    text = path(robot).read_text(encoding='utf-8')
    # Joined to one line, as a document's title may be broken over two.
    comment = ' '.join(re.search(r'<!--(.*?)-->', text, re.DOTALL).group(1).split())
    assert 'SPDX-License-Identifier: Apache-2.0' in comment
    assert 'Source of' in comment
    for source in SOURCES[robot]:
        assert source in comment
    assert '://' not in text


@pytest.mark.parametrize('robot', LIMITS)
def test_ros_parser_reads_it_silently(robot: str, capfd: pytest.CaptureFixture[str]) -> None:
    urdf = pytest.importorskip('urdf_parser_py.urdf')
    capfd.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        # As text, the way it arrives in robot_description: lxml refuses text that states its
        # own encoding, so no file may.
        parsed = urdf.URDF.from_xml_string(path(robot).read_text(encoding='utf-8'))
    # The parser writes what it does not know to the standard error stream.
    assert capfd.readouterr() == ('', '')
    assert parsed.get_root() == LINKS[robot][0]
    assert [link.name for link in parsed.links] == LINKS[robot]


def test_every_shipped_robot_is_tested() -> None:
    assert {file.stem for file in ROBOTS.glob('*.urdf')} == set(LIMITS)


def path(robot: str) -> Path:
    """Return the file of a shipped robot."""
    return ROBOTS / f'{robot}.urdf'


def tree(robot: str) -> ElementTree.Element:
    """Return the root element of a shipped robot."""
    return ElementTree.parse(path(robot)).getroot()


def pinocchio_positions(model: Any, q: dict[str, float]) -> np.ndarray:
    """Return the positions in Pinocchio's order, which sorts branches by name."""
    positions = np.zeros(model.nq)
    for name, value in q.items():
        positions[model.joints[model.getJointId(name)].idx_q] = value
    return positions
