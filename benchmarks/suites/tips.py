# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Several tips at once: two arms, and hands and feet of humanoids."""

from __future__ import annotations

import gc
import time

import ik_node
import numpy as np

from benchmarks.limbs import LIMBS, Limbs, LimbsJudge
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.statistics import summarize

COLUMNS = (
    'robot', 'tips', 'joints', 'targets', 'success %', 'mean us', 'median us', 'p99 us',
    'restarts', 'most restarts',
)  # fmt: skip
REPEATS = 3

_NOTES = (
    'Targets are the poses of all tips in one uniform configuration, seeds are others. Every '
    'answer is judged by Pinocchio: 1e-5 m, 1e-4 rad, limits within 1e-6.',
    f'{REPEATS} calls each, the time of a target is their median; default options, so a search '
    'ends after 5 ms. The peers take one tip.',
)


def run(request: Request) -> list[Table]:
    """Bring all tips of each robot to reachable targets, from far seeds."""
    rows = [_row(name, limbs, request) for name, limbs in LIMBS.items()]
    return [Table('tips', COLUMNS, tuple(rows), _NOTES)]


def group_of(limbs: Limbs) -> ik_node.Group:
    """
    Make a group with an element for the pose of each tip.

    Parameters
    ----------
    limbs : Limbs
        Robot, base and tips.

    Returns
    -------
    Group

    """
    env = ik_node.Environment.from_urdf(limbs.path)
    group = env.create_group('limbs', empty=True)
    for tip in limbs.tips:
        group.add_element(tip, limbs.base, constraints=ik_node.Constraint.POSE)
    return group


def _row(name: str, limbs: Limbs, request: Request) -> tuple[Cell, ...]:
    group = group_of(limbs)
    judge = LimbsJudge(limbs, group.joint_names)
    count, rng = request.count(1000), request.rng()
    targets = [judge.poses(q) for q in judge.uniform(count, rng)]
    seeds = judge.uniform(count, rng)
    group.solve(targets[0], seeds[0])  # not counted: the first call loads and compiles
    times, accepted = np.empty((count, REPEATS)), np.empty((count, REPEATS), dtype=np.bool_)
    restarts = np.empty(count)
    for i, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
        gc.disable()
        results = []
        for repeat in range(REPEATS):
            began = time.perf_counter_ns()
            results.append(group.solve(target, seed))
            times[i, repeat] = (time.perf_counter_ns() - began) * 1e-3
        gc.enable()
        accepted[i] = [judge.accepts(result.q, target) for result in results]
        restarts[i] = results[0].restarts
    found = summarize(times, accepted)
    return (
        name, len(limbs.tips), len(group.joint_names), found.count, found.success, found.mean,
        found.median, found.p99, float(restarts.mean()), int(restarts.max()),
    )  # fmt: skip
