# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math
from pathlib import Path
import subprocess
import sys
from typing import Any

from ik_node.errors import UrdfError
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from ik_node.ros import demo_kinematics  # noqa: E402


def run_demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-m', 'ik_node.ros.demo', *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_demo_checks_a_real_node(ros: None, tmp_path: Path) -> None:
    done = run_demo('--poses', '30', '--json', str(tmp_path / 'report.json'))
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / 'report.json').read_text())
    assert report['passed']
    assert report['solve']['solved'] == 30
    assert report['solve']['round_trip']['median_us'] > report['solve']['solver']['median_us'] > 0
    assert len(report['solve']['example']) == 7
    assert 'all answers hold' in done.stdout


def test_the_demo_takes_another_robot_and_ends(ros: None, robots: Path) -> None:
    done = run_demo('--poses', '5', '--robot', str(robots / 'ur5e.urdf'), '--tip', 'tool0')
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_demo_names_the_robots_that_there_are(ros: None) -> None:
    done = run_demo('--robot', 'r2d2')
    assert done.returncode == 1
    assert 'panda' in done.stderr
    assert 'Traceback' not in done.stderr


def test_the_demo_shows_why_there_is_no_robot(ros: None, tmp_path: Path) -> None:
    (tmp_path / 'bad.urdf').write_text('<robot name="x"/>')
    done = run_demo('--robot', str(tmp_path / 'bad.urdf'))
    assert done.returncode == 1
    assert 'the node has no robot' in done.stderr


def test_the_demo_reads_xacro_and_passes_over_what_is_no_kinematics(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'arm.urdf.xacro').write_text("""
<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="length" value="2"/><transmission><saturationLower/></transmission>
<link name="a"/><link name="b"><unheard_of/></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<origin xyz="${length} 0 0"/><axis xyz="0 0 1"/><unheard_of/></joint></robot>""")
    robot = demo_kinematics.Robot(tmp_path / 'arm.urdf.xacro')
    assert robot.pose('a', 'b', {'j': 0.0})[0, 3] == 2.0
    assert 'Unknown' not in ''.join(capfd.readouterr())


@pytest.mark.parametrize('text', ['# no robot', '<robot name="x"><joint name="j"/></robot>'])
def test_the_demo_refuses_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / 'bad.urdf').write_text(text)
    with pytest.raises(UrdfError):
        demo_kinematics.Robot(tmp_path / 'bad.urdf')


def test_own_kinematics_of_a_planar_arm_with_a_mimic_joint(tmp_path: Path) -> None:
    # Two links of length 1; the second joint turns twice as far as the first plus 0.1.
    (tmp_path / 'arm.urdf').write_text("""
<robot name="planar"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="one" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="two" type="revolute"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/>
<axis xyz="0 0 2"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
<mimic joint="one" multiplier="2" offset="0.1"/></joint>
<joint name="end" type="fixed"><parent link="c"/><child link="d"/><origin xyz="1 0 0"/></joint>
</robot>""")
    robot = demo_kinematics.Robot(tmp_path / 'arm.urdf')
    pose = robot.pose('a', 'd', {'one': 0.3})
    np.testing.assert_allclose(
        pose[:2, 3], (math.cos(0.3) + math.cos(1.0), math.sin(0.3) + math.sin(1.0)), atol=1e-15
    )
    joints = robot.between('d', 'a')
    assert [joint.name for joint in joints] == ['one', 'two']
    drawn: Any = robot.draw(joints, np.random.default_rng(0))
    assert abs(2.0 * drawn['one'] + 0.1) <= 3.0
    assert robot.excess(joints, {'one': 2.0}) == pytest.approx(1.1)


def test_own_quaternions(generator: np.random.Generator) -> None:
    for _ in range(20):
        axis, angle = generator.normal(size=3), generator.uniform(0.0, 3.0)
        rotation = demo_kinematics.turn(axis, angle)
        quat_xyzw = demo_kinematics.quaternion_from_rotation(rotation)
        back = demo_kinematics.rotation_from_quaternion(quat_xyzw)
        np.testing.assert_allclose(back, rotation, atol=1e-14)
        assert demo_kinematics.angle_between(np.eye(3), rotation) == pytest.approx(angle)
        np.testing.assert_allclose(
            demo_kinematics.rotation_vector(rotation),
            angle * axis / np.linalg.norm(axis),
            atol=1e-13,
        )
