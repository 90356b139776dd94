# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""All kinds of targets: the sixteen types of IKFast, pairs of shapes, boxes."""

from __future__ import annotations

import gc
import time

import ik_node
import numpy as np

from benchmarks.equations import misses
from benchmarks.judge import FloatArray, Judge, ORIENTATION, POSITION
from benchmarks.kinds import MORE_PAIRS, PAIRS, reachable, TYPES
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import REAL, ROOT
from benchmarks.statistics import summarize
from benchmarks.targets import uniform

COLUMNS = (
    'arm', 'kind', 'of', 'targets', 'success %', 'mean us', 'median us', 'p99 us', 'first us',
    'restarts', 'moved',
)  # fmt: skip
REPEATS = 3
TIMEOUT = 1.0
"""A hundred times what any of these targets takes: a busy machine is no failure [s]."""

_ARMS = {
    'panda': (ROOT / 'config/robots/panda.urdf', 'panda_link0', 'panda_hand'),
    'ur5e': (ROOT / 'config/robots/ur5e.urdf', 'base_link', 'tool0'),
    'so101': (REAL / 'so_arm_description/urdf/so101.urdf', 'base_link', 'gripper_link'),
}
"""Arms of seven, six and five joints."""

_GROUPS = {
    'types of IKFast': TYPES,
    'pairs of shapes': PAIRS,
    'more pairs': MORE_PAIRS,
    'boxes': ('PoseBox',),
}

_NOTES = (
    'Every target is met by a configuration inside of the limits; seeds are others. Answers are '
    'judged by equations of their own at the poses of Pinocchio: 1e-5 m, 1e-4 rad, limits within '
    '1e-6.',
    f'{REPEATS} calls each, the time of a target is their median; first: of the first calls, with '
    'what a new target costs. moved: mean distance of the answers from their seeds [rad].',
    f'The effector of the shapes stands still in the tip. A search ends after {TIMEOUT:g} s.',
)


def run(request: Request) -> list[Table]:
    """Bring the tips of three arms to reachable targets of every kind, from far seeds."""
    return [_table(name, request) for name in _ARMS]


def _table(name: str, request: Request) -> Table:
    path, base, tip = _ARMS[name]
    group = ik_node.Environment.from_urdf(path).create_group('arm', base, tip)
    judge = Judge(path, base, tip)
    rows = [
        _row(name, kind, of, group, judge, request)
        for of, kinds in _GROUPS.items()
        for kind in kinds
    ]
    return Table(f'types: {name}', COLUMNS, tuple(rows), _NOTES)


def _row(
    arm: str, kind: str, of: str, group: ik_node.Group, judge: Judge, request: Request
) -> tuple[Cell, ...]:
    count, rng = request.count(2000), request.rng()
    targets = reachable(kind, judge, count, rng)
    seeds = uniform(judge, count, rng)
    group.solve(targets[0], seeds[0])  # not counted: the first call loads and compiles
    times, accepted = np.empty((count, REPEATS)), np.empty((count, REPEATS), dtype=np.bool_)
    restarts, moved = np.empty(count), np.empty(count)
    for i, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
        gc.disable()
        results = []
        for repeat in range(REPEATS):
            began = time.perf_counter_ns()
            results.append(group.solve(target, seed, timeout=TIMEOUT))
            times[i, repeat] = (time.perf_counter_ns() - began) * 1e-3
        gc.enable()
        accepted[i] = [result.success and _accepts(judge, target, result.q) for result in results]
        restarts[i] = results[0].restarts
        moved[i] = np.linalg.norm(results[0].q - seed)
    found = summarize(times, accepted)
    return (
        arm, kind, of, found.count, found.success, found.mean, found.median, found.p99,
        found.first, float(restarts.mean()), float(moved.mean()),
    )  # fmt: skip


def _accepts(judge: Judge, target: ik_node.Target, q: FloatArray) -> bool:
    """Say whether a configuration meets a target inside of the limits."""
    distance, angle = misses(target, judge.pose(q))
    return bool(distance < POSITION and angle < ORIENTATION and judge.inside(q[np.newaxis])[0])
