# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402

from ik_node_interfaces.msg import SolveOptions  # noqa: E402
from ik_node_interfaces.srv import ComputeJacobian, Solve  # noqa: E402

ARM = [f'panda_joint{index}' for index in range(1, 8)]


def targets(messages: Any, count: int) -> list[Solve.Request]:
    generator = np.random.default_rng(11)
    return [
        Solve.Request(
            target=messages.pose(
                generator.uniform((0.2, -0.4, 0.2), (0.6, 0.4, 0.7)), generator.normal(size=4)
            ),
            # Whatever is solved is solved long before; the rest runs out of starts, not of time,
            # so the answers do not hang on the speed of the machine.
            options=SolveOptions(timeout=10.0, max_starts=200),
        )
        for _ in range(count)
    ]


def essence(answer: Any) -> tuple[Any, ...]:
    return (
        answer.success,
        answer.status,
        bytes(answer.solution.position),
        answer.position_error,
        answer.iterations,
        answer.restarts,
    )


def test_eight_clients_get_the_answers_that_one_gets(
    caller: Any,
    panda: Any,
    messages: Any,
) -> None:
    requests = targets(messages, 80)
    serial = [essence(caller.call(panda, 'solve', request)) for request in requests]
    executor = SingleThreadedExecutor()
    nodes = [rclpy.create_node(f'client_{index}') for index in range(8)]
    # Every client of a service hears the replies to all of them, and rclpy's own depth of 10
    # loses the eleventh that it has not read yet: who sends many requests at once needs more.
    deep = QoSProfile(depth=1000)
    clients = [
        node.create_client(Solve, f'{panda.name}/solve', qos_profile=deep) for node in nodes
    ]
    for node in nodes:
        executor.add_node(node)
    end = time.monotonic() + 60.0
    while not all(client.service_is_ready() for client in clients):
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=0.1)
    futures = [clients[index % 8].call_async(request) for index, request in enumerate(requests)]
    while not all(future.done() for future in futures):
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=0.1)
    parallel = [essence(future.result()) for future in futures]
    for node in nodes:
        node.destroy_node()
    executor.shutdown()
    assert parallel == serial
    assert sum(success for success, *_ in serial) >= 40


def test_jacobians_are_right_while_solves_run(caller: Any, panda: Any, messages: Any) -> None:
    generator = np.random.default_rng(3)
    requests = [
        ComputeJacobian.Request(
            joint_state=messages.joints(
                dict(zip(ARM, generator.uniform(-0.05, -0.0, 7).tolist(), strict=True))
            )
        )
        for _ in range(100)
    ]
    quiet = [caller.call(panda, 'compute_jacobian', request) for request in requests]
    # Impossible, but not by a distance: the search lasts as long as it may.
    impossible = messages.pose((0.4, 0.1, 0.0), (0.0, 0.0, 0.0, 1.0))
    solves = [
        caller.send(
            panda, 'solve', Solve.Request(target=impossible, options=SolveOptions(timeout=0.5))
        )
        for _ in range(4)
    ]
    busy = [caller.call(panda, 'compute_jacobian', request) for request in requests]
    assert [list(answer.jacobian) for answer in busy] == [list(a.jacobian) for a in quiet]
    caller.spin_until(lambda: all(future.done() for future in solves))


def test_two_nodes_give_the_same_answers(
    caller: Any,
    panda: Any,
    messages: Any,
    start_node: Callable[..., Any],
    robots: Any,
) -> None:
    other = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        base='panda_link0',
        tip='panda_hand_tcp',
        solver_threads=1,
    )
    caller.wait_until_ready(other)
    requests = targets(messages, 30)
    assert [essence(caller.call(panda, 'solve', request)) for request in requests] == [
        essence(caller.call(other, 'solve', request)) for request in requests
    ]


def test_a_client_that_vanishes_does_no_harm(caller: Any, panda: Any, messages: Any) -> None:
    node = rclpy.create_node('short_lived')
    client = node.create_client(Solve, f'{panda.name}/solve')
    assert client.wait_for_service(10.0)
    client.call_async(
        Solve.Request(target=messages.pose((0.86, 0.0, 0.4)), options=SolveOptions(timeout=0.5))
    )
    node.destroy_node()
    caller.spin_for(1.0)
    answer = caller.call(
        panda, 'solve', Solve.Request(target=messages.pose(), options=SolveOptions(timeout=0.5))
    )
    assert answer.success, answer.message
    assert panda.alive
