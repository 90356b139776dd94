# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""`Group.solve_batch`: targets a second with one thread and with all, and what memory it takes."""

from __future__ import annotations

import os
import time
from typing import Any

import ik_node
import numpy as np

from benchmarks.judge import FloatArray, Judge
from benchmarks.processes import python_floats
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import load_robot, Robot
from benchmarks.targets import Cases, far, uniform

COLUMNS = (
    'robot', 'threads', 'targets', 'solves/s median', 'solves/s best', 'CPU us a solve',
    'cores used', 'scaling median', 'scaling best', 'claimed %', 'success %',
)  # fmt: skip
MEMORY_COLUMNS = ('robot', 'targets', 'threads', 'what', 'MB on top')
REPEATS = 5
"""Of each number of threads, in turns."""
JUDGED = 2000
"""Answers that the judge sees."""
FEWEST = 20_000
"""Targets of a batch: with fewer the pieces that threads take turns at would not last."""
MEMORY_TARGETS = 1_000_000

_MEMORY = """
from pathlib import Path
import tempfile
from benchmarks.suites.batch import measure_memory
with tempfile.TemporaryDirectory() as folder:
    print(*measure_memory(Path(folder), {name!r}, {count}, {seed}))
"""


def run(request: Request) -> list[Table]:
    """Solve the same batch again and again; the numbers of threads take turns."""
    most = len(os.sched_getaffinity(0))
    threads = (1, most) if most > 1 else (1,)
    rows: list[tuple[Cell, ...]] = []
    for name in request.robots:
        rows += _rows(request.robot(name), request, threads)
    notes = (
        f'Far targets with a seed of their own each; {REPEATS} runs of each number of threads, in '
        'turns. Scaling: over the rate of one thread, median of neighbouring runs. CPU time is '
        'that of all threads of the process: other programs hardly change it, unless two cores '
        'are threads of one.',
        'Cores used: CPU time over time. Far fewer than threads means that other programs had the '
        'cores, and then the scaling says nothing.',
        f'Claimed: of all answers. Success: what Pinocchio accepts of {JUDGED} answers, evenly '
        'spread over the batch.',
    )
    return [Table('batch', COLUMNS, tuple(rows), notes), _memory(request, most)]


def _count(request: Request) -> int:
    return max(request.count(100_000), FEWEST)


def _rows(robot: Robot, request: Request, threads: tuple[int, ...]) -> list[tuple[Cell, ...]]:
    arm = ik_node.Environment.from_urdf(robot.path).create_group('arm', robot.base, robot.tip)
    cases = far(robot.judge, _count(request), request.rng())
    arm.solve_batch(cases.targets[:2048], cases.seeds[:2048], threads=max(threads))  # compiles
    count = len(cases.targets)
    wall: dict[int, list[float]] = {number: [] for number in threads}
    spent: dict[int, list[float]] = {number: [] for number in threads}
    answers: dict[int, Any] = {}
    for _ in range(REPEATS):
        for number in threads:
            began, used = time.perf_counter(), time.process_time()
            answers[number] = arm.solve_batch(cases.targets, cases.seeds, threads=number)
            wall[number].append(time.perf_counter() - began)
            spent[number].append(time.process_time() - used)
    rows: list[tuple[Cell, ...]] = []
    for number in threads:
        median, best = (float(pick(wall[number])) for pick in (np.median, np.min))
        claimed = answers[number].success
        rows.append(
            (robot.name, number, count, count / median, count / best,
             float(np.median(spent[number])) / count * 1e6,
             float(np.median(np.divide(spent[number], wall[number]))),
             float(np.median(np.divide(wall[1], wall[number]))), min(wall[1]) / best,
             100.0 * float(np.mean(claimed)),
             accepted_share(robot.judge, cases, answers[number].q, claimed))
        )  # fmt: skip
    return rows


def accepted_share(judge: Judge, cases: Cases, configs: FloatArray, claimed: FloatArray) -> float:
    """
    Let the judge see a sample of the answers.

    Parameters
    ----------
    judge : Judge
        Of the robot.
    cases : Cases
        What was asked.
    configs : (c, n) float64
        The answers [rad or m].
    claimed : (c,) bool
        Which are said to be solutions; the others have failed.

    Returns
    -------
    float
        [%].

    """
    sample = np.unique(np.linspace(0, len(configs) - 1, JUDGED).astype(np.int64))
    good = [claimed[i] and judge.accepts(configs[i], cases.targets[i]) for i in sample]
    return 100.0 * float(np.mean(good))


def _memory(request: Request, threads: int) -> Table:
    count = MEMORY_TARGETS if request.targets is None else 10 * _count(request)
    name = request.robots[0]
    code = _MEMORY.format(name=name, count=count, seed=request.seed)
    peak, result, left, again, after = python_floats(code)
    rows = [
        (name, count, threads, what, value)
        for what, value in (
            ('peak of the first batch', peak), ('its result alone', result),
            ('left when it is deleted', left), ('peak of five more batches', again),
            ('left after them', after),
        )
    ]  # fmt: skip
    notes = (
        'A process of its own; resident memory on top of what it had with the library warm and '
        "targets and seeds in place. The result is arrays of the caller's.",
    )
    return Table('batch: memory', MEMORY_COLUMNS, tuple(rows), notes)


def measure_memory(folder: Any, name: str, count: int, seed: int) -> tuple[float, ...]:
    """
    Measure what batches take of the memory of this process.

    Returns
    -------
    peak, result, left, again, after : float
        On top of what was resident before [MB]: at most during the first batch, with its result,
        after deleting that, at most during five more batches, after them.

    """
    robot = load_robot(name, folder)
    arm = ik_node.Environment.from_urdf(robot.path).create_group('arm', robot.base, robot.tip)
    rng = np.random.default_rng(seed)
    # The same poses many times: they cost time to make, and nothing here depends on them.
    few = far(robot.judge, min(count, 20_000), rng).targets
    targets = np.resize(few, (count, 4, 4))
    seeds = uniform(robot.judge, count, rng)
    del few
    arm.solve_batch(targets[:4096], seeds[:4096])  # compiles and starts what stays
    _forget_peak()
    before = _status('VmRSS')
    answer = arm.solve_batch(targets, seeds)
    peak, result = _status('VmHWM'), _status('VmRSS')
    del answer
    left = _status('VmRSS')
    _forget_peak()
    for _ in range(5):
        arm.solve_batch(targets, seeds)
    again, after = _status('VmHWM'), _status('VmRSS')
    return tuple(value - before for value in (peak, result, left, again, after))


def _status(key: str) -> float:
    """Read a number of the kernel's about this process [MB]."""
    with open('/proc/self/status', encoding='ascii') as stream:
        line = next(line for line in stream if line.startswith(key))
    return int(line.split()[1]) * 1024 / 1e6


def _forget_peak() -> None:
    with open('/proc/self/clear_refs', 'w', encoding='ascii') as stream:
        stream.write('5')
