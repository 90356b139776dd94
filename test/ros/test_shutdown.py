# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from ik_node_interfaces.msg import SolveOptions  # noqa: E402
from ik_node_interfaces.srv import Solve  # noqa: E402


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_a_solve_ends_the_node_cleanly(
    caller: Any,
    start_node: Callable[..., Any],
    messages: Any,
    robots: Any,
    number: signal.Signals,
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'), base='panda_link0', tip='panda_hand_tcp'
    )
    caller.wait_until_ready(node)
    future = caller.send(
        node,
        'solve',
        Solve.Request(
            # Impossible, but not by a distance; and a given number of starts is made even where it
            # is hopeless to go on.
            target=messages.pose((0.4, 0.1, 0.0), (0.0, 0.0, 0.0, 1.0)),
            options=SolveOptions(timeout=10.0, max_starts=2**32 - 1),
        ),
    )
    caller.spin_for(0.5)
    assert not future.done()
    start = time.monotonic()
    assert node.stop(number) == 0, node.log
    assert time.monotonic() - start < 4.0
    assert 'Traceback' not in node.log
    assert 'Error' not in node.log


def test_a_signal_while_nothing_happens(start_node: Callable[..., Any]) -> None:
    node = start_node()
    node.wait_for_log('kernels: ')
    time.sleep(1.0)
    assert node.stop() == 0, node.log
    assert 'Traceback' not in node.log


def test_without_the_interfaces_one_sentence_names_the_cure() -> None:
    code = (
        'import sys; sys.modules["ik_node_interfaces"] = None; '
        'from ik_node.ros.main import main; sys.exit(main())'
    )
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert 'colcon build --base-paths src/ik_node src/ik_node/ik_node_interfaces' in done.stderr
    assert 'Traceback' not in done.stderr
