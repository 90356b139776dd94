# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The types of MoveIt's services are the real ones, whoever declared them."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('moveit_msgs')

from ament_index_python.packages import get_package_share_directory  # noqa: E402

#: Of moveit_msgs 2.6.0.
VERSION_2_6 = {
    'srv/GetPositionIK': '054ed6f6f71a09b01b5246c5d80beb4dacc6f444f58df039849c76292933e9e3',
    'srv/GetPositionFK': '2f16ec361a135d84b85a29385abeb9eeb025e39c09038bd6b2826645edc7edad',
    'msg/RobotState': '7c516dc15713e545cb2836c5ca745fbdcfcc10de4855a41c83e6b4bf1afc3f83',
}
RECORDED = {'jazzy': VERSION_2_6, 'kilted': VERSION_2_6}
ROOT = Path(__file__).resolve().parents[2]


def test_the_hashes_are_those_of_the_real_types() -> None:
    """For each distribution whose hashes are recorded; older ones have none."""
    folder = Path(get_package_share_directory('moveit_msgs'))
    for name, recorded in RECORDED.get(os.environ.get('ROS_DISTRO', ''), {}).items():
        hashes = json.loads((folder / f'{name}.json').read_text())['type_hashes']
        found = {row['type_name']: row['hash_string'] for row in hashes}
        assert found[f'moveit_msgs/{name}'] == f'RIHS01_{recorded}'


def test_error_codes_are_those_of_the_messages() -> None:
    from ik_node.moveit import ErrorCode
    from moveit_msgs.msg import MoveItErrorCodes

    assert {code.name: code.value for code in ErrorCode} == {
        code.name: getattr(MoveItErrorCodes, code.name) for code in ErrorCode
    }


def test_colcon_does_not_find_what_the_tests_declare() -> None:
    pytest.importorskip('colcon_core')
    listed = subprocess.run(
        [sys.executable, '-m', 'colcon', 'list', '--names-only', '--base-paths', str(ROOT)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert listed.stdout.split() == ['ik_node']
    declared = {path.parent.name for path in (ROOT / 'test/interfaces').glob('*/package.xml')}
    assert declared == {'moveit_msgs', 'object_recognition_msgs', 'control_msgs'}
