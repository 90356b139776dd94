# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

EXAMPLE = Path(__file__).resolve().parents[2] / 'examples' / '10_ros_client.py'


@pytest.mark.parametrize('way', ['blocking', 'callback'])
def test_the_client_example_runs(panda: Any, way: str) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), way, '--ros-args', '-r', f'__ns:={panda.namespace}'],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'panda_joint7' in done.stdout
