# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
import re
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'


@pytest.mark.parametrize('way', ['blocking', 'callback'])
def test_the_client_example_runs(panda: Any, way: str) -> None:
    assert 'panda_joint7' in run(panda, '10_ros_client.py', way)


def test_the_environment_example_runs_twice(panda: Any) -> None:
    for _ in range(2):
        printed = run(panda, '11_ros_environments.py')
        assert 'bench: 3 dummies, 2 joints, groups arm' in printed
        assert 'lift: +0.2500 m' in printed
        assert 'refused: ' in printed
        assert 'current: robot_description' in printed


def test_the_batch_example_runs(panda: Any) -> None:
    printed = run(panda, '12_ros_batch.py', '2000')
    assert '2000 of 2000 solved' in printed
    assert 'panda_joint7: ' in printed
    assert ' poses/s' in printed


def test_the_handling_example_runs_twice(panda: Any) -> None:
    for _ in range(2):
        printed = run(panda, '13_ros_handling.py')
        assert ' ms a request' in printed
        assert float(printed.partition('at most ')[2].split()[0]) < 5.0
        assert "far away: groups 'reach', 'posture': not within precision" in printed
        assert "'tip' of group 'reach' misses its target by" in printed
        assert 'condition ' in printed


def test_the_target_example_runs(panda: Any) -> None:
    printed = run(panda, '14_ros_targets.py')
    for what in (
        'look at a point',
        'lie on a line',
        'along an edge',
        'over a tray',
        'another tool',
    ):
        assert re.search(f'{what}.*: solved', printed), printed
    assert 'point down in front of the base: solved' in printed
    assert 'on the line: 6 configurations found' in printed
    assert re.search('far away: .* misses the target by 2', printed)
    assert 'refused: targets[0]: the values of a Ray4D' in printed


def test_the_step_example_runs(panda: Any) -> None:
    for _ in range(2):
        printed = run(panda, '15_ros_steps.py')
        assert re.search(r'to the pose: \d\d steps, the target is reached', printed), printed
        assert re.search('two metres away: .*, no joint can bring it nearer', printed), printed
        assert 'success False, approximate True' in printed
        assert 'joint 3 at +0.200 rad: solved' in printed
        costs = re.findall(r'(\w+): (-?[\d.]+) -> (-?[\d.]+)', printed)
        assert [kind for kind, _, _ in costs] == ['KeepOffLimits', 'Manipulability', 'Keep']
        assert all(float(after) <= float(before) for _, before, after in costs), printed
        assert 'upwards: panda_joint1 ' in printed
        assert 'refused: options.goals[0]: margin has a value' in printed


def test_the_moveit_client_example_runs(panda: Any) -> None:
    pytest.importorskip('moveit_msgs')
    printed = run(panda, '20_moveit_client.py')
    assert '10 cm lower: ' in printed
    held = printed.partition('with joint 1 near 0.2: ')[2].split()
    assert 0.19 <= float(held[0]) <= 0.21
    assert '3 m away: -31: out of reach' in printed


def test_the_moveit_client_names_the_service_that_is_missing() -> None:
    pytest.importorskip('moveit_msgs')
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / '20_moveit_client.py'), '--ros-args', '-r', '__ns:=/void'],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert 'there is no service /void/compute_fk' in done.stderr


def run(panda: Any, example: str, *arguments: str) -> str:
    done = subprocess.run(
        [
            sys.executable,
            str(EXAMPLES / example),
            *arguments,
            '--ros-args',
            '-r',
            f'__ns:={panda.namespace}',
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
