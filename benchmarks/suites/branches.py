# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""All configurations of a UR5: what a search finds of those that the analytic peers list."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

import ik_node
import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import Robot
from benchmarks.statistics import median_of_repeats
from benchmarks.targets import far

COLUMNS = (
    'lister', 'listed', 'of all %', 'complete %', 'others', 'mean us', 'median us', 'p99 us',
)  # fmt: skip
TOLERANCE = 1e-9
"""Asked of the search [m], and ten times that [rad]: near a singular pose configurations that
differ visibly are all within the usual tolerance, and exact ones are looked for."""
ANALYTIC = ('ssik', 'EAIK')
SAME = 1e-3
"""Two configurations are one when every joint agrees to this, full turns not counted [rad]."""

Lister = Callable[[FloatArray, FloatArray], Any]


def run(request: Request) -> list[Table]:
    """List the branches of each target with everybody; the analytic peers' union is the truth."""
    robot = request.robot('ur5')
    cases = far(robot.judge, request.count(200), request.rng())
    listers, absent = _listers(robot)
    times: dict[str, list[list[float]]] = {name: [] for name in listers}
    hits: dict[str, list[tuple[int, int, int]]] = {name: [] for name in listers}
    trusted = [name for name in ANALYTIC if name in listers] or list(listers)
    for i, (target, seed) in enumerate(zip(cases.targets, cases.seeds, strict=True)):
        names = list(listers)
        found = {}
        for name in names[i % len(names) :] + names[: i % len(names)]:
            call, read = listers[name]
            repeats = []
            for _ in range(3):
                began = time.perf_counter_ns()
                raw = call(target, seed)
                repeats.append((time.perf_counter_ns() - began) * 1e-3)
            times[name].append(repeats)
            found[name] = [q for q in read(raw) if robot.judge.accepts(q, target)]
        truth: list[FloatArray] = []
        for name in trusted:
            truth.extend(q for q in found[name] if not _among(q, truth))
        for name in names:
            listed = sum(_among(q, found[name]) for q in truth)
            others = sum(not _among(q, truth) for q in found[name])
            hits[name].append((listed, len(truth), others))
    rows: list[tuple[Cell, ...]] = []
    for name in listers:
        listed, total, others = np.array(hits[name]).T
        typical = median_of_repeats(np.array(times[name]))
        rows.append(
            (name, int(listed.sum()), 100.0 * float(listed.sum() / total.sum()),
             100.0 * float(np.mean(listed == total)), int(others.sum()),
             float(typical.mean()), float(np.median(typical)),
             float(np.percentile(typical, 99.0)))
        )  # fmt: skip
    notes = [
        f'{len(cases.targets)} far targets; "all" is the union of what {" and ".join(trusted)} '
        'list and the judge accepts, full turns not counted; "complete": targets with every one '
        'of them; "others": answers that are right and not in that union.',
        f'ik_node: find_configs, max_configs=16, tolerances {TOLERANCE:g} m and rad x 10.',
        'Listers take turns target by target, 3 calls each, median.',
        *(f'{name}: NOT COMPARED, {reason}' for name, reason in absent),
    ]
    return [Table('branches: ur5', COLUMNS, tuple(rows), tuple(notes))]


def _among(q: FloatArray, configs: list[FloatArray]) -> bool:
    return any(
        np.abs(np.remainder(q - other + np.pi, 2.0 * np.pi) - np.pi).max() < SAME
        for other in configs
    )


def _listers(
    robot: Robot,
) -> tuple[dict[str, tuple[Lister, Callable[[Any], list[FloatArray]]]], list[tuple[str, str]]]:
    arm = ik_node.Environment.from_urdf(robot.path).create_group('arm', robot.base, robot.tip)

    def ours(draws: int | None) -> tuple[Lister, Callable[[Any], list[FloatArray]]]:
        return (
            lambda target, seed: arm.find_configs(
                target,
                seed,
                max_configs=16,
                max_draws=draws,
                position_tolerance=TOLERANCE,
                orientation_tolerance=10.0 * TOLERANCE,
            ),  # fmt: skip
            lambda raw: list(raw.configs),
        )

    listers = {
        'ik_node, 64 draws': ours(64),
        'ik_node, 256 draws': ours(256),
    }
    absent = []
    for name, make in (('ssik', _ssik), ('EAIK', _eaik)):
        try:
            listers[name] = make(robot)
        except Exception as error:  # a peer that is absent or broken is told, not hidden
            absent.append((name, f'{type(error).__name__}: {error}'))
    return listers, absent


def _ssik(robot: Robot) -> tuple[Lister, Callable[[Any], list[FloatArray]]]:
    from benchmarks.solvers.ssik import build_artifact

    solve = build_artifact(robot).solve
    return (
        lambda target, seed: solve(target, enumerate_windings=False),
        lambda raw: [solution.q for solution in raw],
    )


def _eaik(robot: Robot) -> tuple[Lister, Callable[[Any], list[FloatArray]]]:
    from eaik.IK_URDF import UrdfRobot

    solver = UrdfRobot(str(robot.chain))
    q = 0.3 * robot.judge.lower + 0.7 * robot.judge.upper
    T_tip_end = np.linalg.inv(robot.judge.pose(q)) @ solver.fwdKin(q)
    return lambda target, seed: solver.IK(target @ T_tip_end), lambda raw: list(raw.Q)
