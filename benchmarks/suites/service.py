# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A round trip of `~/solve` over DDS beside a service of the same types that does nothing."""

from __future__ import annotations

import functools
import time
from typing import Any

import ik_node
import numpy as np

from benchmarks.judge import FloatArray, Judge
from benchmarks.processes import running
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import ROOT
from benchmarks.statistics import summarize
from benchmarks.targets import far

COLUMNS = ('service', 'calls', 'mean us', 'median us', 'p99 us', 'x empty')
SPACE = '/ik_node_service_benchmark'


def run(request: Request) -> list[Table]:
    """Call both in turns; each has a process of its own, the client is this one."""
    try:
        import rclpy

        from ik_node_interfaces.srv import Solve
    except ImportError as error:
        return [Table('service', COLUMNS, (), (f'NOT RUN: {error}.',))]
    names = f'{SPACE}/ik_node/solve', f'{SPACE}/empty/solve'
    node_arguments = ['-m', 'ik_node.ros.main', '--ros-args', '-r', f'__ns:={SPACE}', '-p',
                      f'robot_description_file:={ROOT / "config/robots/panda.urdf"}']  # fmt: skip
    empty_arguments = ['-m', 'benchmarks.empty_server', '--ros-args', '-r', f'__ns:={SPACE}']
    rclpy.init(args=[])
    try:
        with (
            running(node_arguments, request.folder) as node,
            running(empty_arguments, request.folder) as empty,
        ):
            client = _Client(Solve, names)
            node.wait_for(lambda: 'ready: ' in node.output, 120.0, 'the node becoming ready')
            for process, name in zip((node, empty), names, strict=True):
                ready = functools.partial(client.is_ready, name)
                process.wait_for(ready, 30.0, f'the service {name}')
            times, solved = _measure(client, names, _requests(request, Solve))
    finally:
        rclpy.try_shutdown()
    rows: list[tuple[Cell, ...]] = []
    for name, column in zip(('~/solve of the node', 'empty service'), times.T, strict=True):
        found = summarize(column[:, np.newaxis], np.ones((len(column), 1), dtype=bool))
        ratio = float(np.median(column) / np.median(times[:, 1]))
        rows.append((name, found.count, found.mean, found.median, found.p99, ratio))
    notes = (
        'Both are rclpy nodes with a single-threaded executor in processes of their own; they are '
        'called in turns. The ratio is that of the medians.',
        f'{100.0 * solved:.1f} % of the requests were solved (far targets of the shipped Panda).',
    )
    return [Table('service: round trip over DDS', COLUMNS, tuple(rows), notes)]


class _Client:
    """Blocking calls with one executor that lives on."""

    def __init__(self, kind: Any, names: tuple[str, ...]) -> None:
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        node = rclpy.create_node('benchmark_client')
        self._executor: Any = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._clients = {name: node.create_client(kind, name) for name in names}

    def is_ready(self, name: str) -> bool:
        """Say whether a service has been discovered."""
        return bool(self._clients[name].service_is_ready())

    def call(self, name: str, request: Any) -> Any:
        """Send a request and wait for the answer."""
        future = self._clients[name].call_async(request)
        deadline = time.monotonic() + 5.0
        while not future.done():
            self._executor.spin_once(timeout_sec=0.5)
            if time.monotonic() > deadline:
                raise RuntimeError(f'no answer from {name}')
        return future.result()


def _requests(request: Request, kind: Any) -> list[Any]:
    import pinocchio

    path = ROOT / 'config/robots/panda.urdf'
    base, tip = ik_node.Environment.from_urdf(path).longest_chain()
    judge = Judge(path, base, tip)
    cases = far(judge, request.count(300), request.rng())
    result = []
    for target, seed in zip(cases.targets, cases.seeds, strict=True):
        question = kind.Request()
        pose = question.target.pose
        pose.position.x, pose.position.y, pose.position.z = target[:3, 3].tolist()
        turn = pinocchio.Quaternion(target[:3, :3]).coeffs().tolist()
        pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = turn
        question.seed.name = list(judge.joint_names)
        question.seed.position = seed.tolist()
        result.append(question)
    return result


def _measure(
    client: _Client, names: tuple[str, ...], requests: list[Any]
) -> tuple[FloatArray, float]:
    for _ in range(10):
        for name in names:
            client.call(name, requests[0])  # not counted: discovery has hardly ended
    times, solved = np.empty((len(requests), len(names))), 0
    for i, question in enumerate(requests):
        for j in (0, 1) if i % 2 else (1, 0):
            began = time.perf_counter_ns()
            answer = client.call(names[j], question)
            times[i, j] = (time.perf_counter_ns() - began) * 1e-3
            solved += bool(answer.success)
    return times, solved / len(requests)
