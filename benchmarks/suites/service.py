# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Round trips of `~/solve` and `~/solve_batch` over DDS beside services that calculate nothing."""

from __future__ import annotations

from array import array
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
BATCH_COLUMNS = ('poses', 'calls', 'median ms', 'solver ms', 'empty ms', 'poses/s', 'solved %')
BATCHES = {100: 50, 1000: 30, 10_000: 15, 100_000: 7}
"""How many poses, and how often."""
SPACE = '/ik_node_service_benchmark'


def run(request: Request) -> list[Table]:
    """Call node and empty server in turns; each has its own process, the client is this one."""
    try:
        import rclpy

        from ik_node_interfaces.srv import Solve, SolveBatch
    except ImportError as error:
        return [Table('service', COLUMNS, (), (f'NOT RUN: {error}.',))]
    servers = f'{SPACE}/ik_node', f'{SPACE}/empty'
    names = tuple(f'{server}/solve' for server in servers)
    batch_names = tuple(f'{server}/solve_batch' for server in servers)
    node_arguments = ['-m', 'ik_node.ros.main', '--ros-args', '-r', f'__ns:={SPACE}', '-p',
                      f'robot_description_file:={ROOT / "config/robots/panda.urdf"}']  # fmt: skip
    empty_arguments = ['-m', 'benchmarks.empty_server', '--ros-args', '-r', f'__ns:={SPACE}']
    rclpy.init(args=[])
    try:
        with (
            running(node_arguments, request.folder) as node,
            running(empty_arguments, request.folder) as empty,
        ):
            client = _Client(
                {**dict.fromkeys(names, Solve), **dict.fromkeys(batch_names, SolveBatch)}
            )
            node.wait_for(lambda: 'ready: ' in node.output, 120.0, 'the node becoming ready')
            for process, name in zip((node, empty) * 2, names + batch_names, strict=True):
                ready = functools.partial(client.is_ready, name)
                process.wait_for(ready, 30.0, f'the service {name}')
            times, solved = _measure(client, names, _requests(request, Solve))
            batches = tuple(
                _batch_row(client, batch_names, _batch_request(request, SolveBatch, size), calls)
                for size, calls in BATCHES.items()
            )
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
    batch_notes = (
        'Far targets of the shipped Panda, a seed for each, all processors. "solver" is what the '
        'node says of itself; "empty" answers with as many numbers and calculates nothing. '
        'Medians; poses/s are those of the whole call.',
    )
    return [
        Table('service: round trip over DDS', COLUMNS, tuple(rows), notes),
        Table('service: batches over DDS', BATCH_COLUMNS, batches, batch_notes),
    ]


class _Client:
    """Blocking calls with one executor that lives on."""

    def __init__(self, kinds: dict[str, Any]) -> None:
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        node = rclpy.create_node('benchmark_client')
        self._executor: Any = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._clients = {name: node.create_client(kind, name) for name, kind in kinds.items()}

    def is_ready(self, name: str) -> bool:
        """Say whether a service has been discovered."""
        return bool(self._clients[name].service_is_ready())

    def call(self, name: str, request: Any) -> Any:
        """Send a request and wait for the answer."""
        future = self._clients[name].call_async(request)
        deadline = time.monotonic() + 30.0
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


def _batch_request(request: Request, kind: Any, size: int) -> Any:
    arm = ik_node.Environment.from_urdf(ROOT / 'config/robots/panda.urdf')
    base, tip = arm.longest_chain()
    group = arm.create_group('arm', base=base, tip=tip)
    rng, shape = request.rng(), (size, len(group.joint_names))
    targets = group.forward_kinematics(rng.uniform(group.lower, group.upper, shape))
    poses = np.hstack((targets[:, :3, 3], _quats_xyzw(targets[:, :3, :3])))
    return kind.Request(
        poses=array('d', poses.tobytes()),
        seeds=array('d', rng.uniform(group.lower, group.upper, shape).tobytes()),
    )


def _quats_xyzw(rotations: FloatArray) -> FloatArray:
    """Quaternions (b, 4) of rotations (b, 3, 3) from their traces; none turns by exactly pi."""
    w = 0.5 * np.sqrt(np.maximum(1.0 + np.trace(rotations, axis1=1, axis2=2), 1e-12))
    skew = rotations - rotations.transpose(0, 2, 1)
    axis = np.stack((skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]), axis=1)
    return np.hstack((axis / (4.0 * w[:, np.newaxis]), w[:, np.newaxis]))


def _batch_row(
    client: _Client, names: tuple[str, ...], question: Any, calls: int
) -> tuple[Cell, ...]:
    times, inside, solved = np.empty((calls, len(names))), np.empty(calls), 0.0
    for name in names:
        client.call(name, question)  # not counted: memory of this size is asked for
    for i in range(calls):
        for j in (0, 1) if i % 2 else (1, 0):
            began = time.perf_counter_ns()
            answer = client.call(names[j], question)
            times[i, j] = (time.perf_counter_ns() - began) * 1e-6
            if j == 0:
                inside[i] = 1e3 * answer.elapsed
                solved = 100.0 * float(np.mean(np.asarray(answer.statuses) == 1))
    size = len(question.poses) // 7
    whole, empty = np.median(times, axis=0).tolist()
    rate = round(1e3 * size / whole)
    return size, calls, whole, float(np.median(inside)), empty, rate, solved
