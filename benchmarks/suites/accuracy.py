# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Millions of answers, each claimed success confirmed by kinematics that are not ours."""

from __future__ import annotations

from dataclasses import dataclass
import logging
import time
from typing import Any

import ik_node
from ik_node.solvers import options
import numpy as np
from numpy.typing import NDArray

from benchmarks.arms import load_arm, NAMES
from benchmarks.judge import FloatArray, Judge
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.targets import Cases, far, singular

COLUMNS = (
    'robot', 'joints', 'asked by', 'targets', 'claims', 'false claims', 'not solved', 'success %',
    'largest miss m', 'largest miss rad', 'us a solve',
)  # fmt: skip
FACTOR = 1.01
"""Times the tolerances that were asked for: two kinematics round differently."""
SLACK = 1e-9
"""At a limit [rad or m]."""
SHARE = 50
"""One target of so many is also asked by `solve`."""
SINGULAR = 10
"""One target of so many is at zeros and limits of joints."""
_CHUNK = 50_000
"""Targets in one batch: 6.4 MB of poses."""
_SHOWN = 3


@dataclass
class Tally:
    """Counts over the answers of one robot by one method."""

    targets: int = 0
    claims: int = 0
    false: int = 0
    distance: float = 0.0
    """Largest of the claims [m]."""
    angle: float = 0.0
    """Largest of the claims [rad]."""
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        """Add the counts of another one."""
        self.targets += other.targets
        self.claims += other.claims
        self.false += other.false
        self.seconds += other.seconds
        self.distance = max(self.distance, other.distance)
        self.angle = max(self.angle, other.angle)

    def row(self, robot: str, joints: int | None, method: str) -> tuple[Cell, ...]:
        """Write the row of the table."""
        return (
            robot, joints, method, self.targets, self.claims, self.false,
            self.targets - self.claims, 100.0 * (self.claims - self.false) / self.targets,
            self.distance, self.angle, self.seconds / self.targets * 1e6,
        )  # fmt: skip


def run(request: Request) -> list[Table]:
    """Ask for poses of configurations: all of them are reachable."""
    count = request.count(100_000)
    logging.getLogger('ik_node').setLevel(logging.ERROR)  # oddities of files are not the subject
    ik_node.warm_up()
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    total = Tally()
    for name in NAMES:
        path, base, tip, judge = load_arm(name)
        arm = ik_node.Environment.from_urdf(path).create_group('arm', base, tip)
        rng = request.rng()
        batch, single = Tally(), Tally()
        while batch.targets < count:
            cases = _draw(judge, min(_CHUNK, count - batch.targets), rng)
            for tally, method, part in (
                (batch, _solve_batch, cases),
                (single, _solve, Cases(cases.targets[::SHARE], cases.seeds[::SHARE])),
            ):
                began = time.perf_counter()
                claimed, configs = method(arm, part)
                tally.seconds += time.perf_counter() - began
                said = examine(judge, part, claimed, configs, tally)
                wrong += [f'{name}, {method.__name__[1:]}: {what}' for what in said]
        for tally, text in ((batch, 'solve_batch'), (single, 'solve')):
            rows.append(tally.row(name, len(judge.lower), text))
            total.add(tally)
    rows.append(total.row(f'all {len(NAMES)}', None, 'both'))
    notes = (
        'A claim is false when Pinocchio finds the tip farther away than '
        f'{options.POSITION_TOLERANCE:g} m x {FACTOR} or {options.ORIENTATION_TOLERANCE:g} rad x '
        f'{FACTOR}, or a joint outside of a limit by {SLACK:g}. Every claim is examined.',
        f'Targets are poses of configurations, so all can be reached: one in {SINGULAR} as in '
        'the suite "singular", the others as in "far"; seeds are independent.',
        f'One target in {SHARE} is also asked by `solve`, which gives up after '
        f'{options.TIMEOUT * 1e3:g} ms.',
        *sorted(wrong, key=lambda text: 'FALSE CLAIM' not in text)[: 2 * _SHOWN],
    )
    return [Table('accuracy', COLUMNS, tuple(rows), notes)]


def examine(
    judge: Judge,
    cases: Cases,
    claimed: NDArray[np.bool_],
    configs: FloatArray,
    tally: Tally,
) -> list[str]:
    """
    Confirm every claim and add to the counts.

    Parameters
    ----------
    judge : Judge
        Independent kinematics.
    cases : Cases
        What was asked.
    claimed : (c,) bool
        Which are said to be solved.
    configs : (c, n) float64
        The answers [rad or m].
    tally : Tally
        Is added to.

    Returns
    -------
    list of str
        What it takes to repeat the first false claims, and the first targets without an answer.

    """
    answers, targets = configs[claimed], cases.targets[claimed]
    tally.targets += len(claimed)
    tally.claims += len(answers)
    said = [
        f'NOT SOLVED: target {cases.targets[i].tolist()}, seed {cases.seeds[i].tolist()}'
        for i in np.flatnonzero(~claimed)[:_SHOWN]
    ]
    if not len(answers):
        return said
    distance, angle = judge.misses(answers, targets)
    # Comparisons with NaN are false, and so is a claim with one.
    right = distance <= options.POSITION_TOLERANCE * FACTOR
    right &= angle <= options.ORIENTATION_TOLERANCE * FACTOR
    right &= judge.inside(answers, SLACK)
    tally.false += int(np.count_nonzero(~right))
    tally.distance = max(tally.distance, float(np.max(distance)))
    tally.angle = max(tally.angle, float(np.max(angle)))
    seeds = cases.seeds[claimed]
    return [
        f'FALSE CLAIM: target {targets[i].tolist()}, seed {seeds[i].tolist()}, '
        f'answer {answers[i].tolist()}, {distance[i]:.3g} m, {angle[i]:.3g} rad'
        for i in np.flatnonzero(~right)[:_SHOWN]
    ] + said


def _draw(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    hard = count // SINGULAR
    parts = [far(judge, count - hard, rng), singular(judge, hard, rng)]
    order = rng.permutation(count)
    return Cases(
        np.concatenate([part.targets for part in parts])[order],
        np.concatenate([part.seeds for part in parts])[order],
    )


def _solve_batch(arm: Any, cases: Cases) -> tuple[NDArray[np.bool_], FloatArray]:
    result = arm.solve_batch(cases.targets, cases.seeds)
    return result.success, result.q


def _solve(arm: Any, cases: Cases) -> tuple[NDArray[np.bool_], FloatArray]:
    pairs = zip(cases.targets, cases.seeds, strict=True)
    results = [arm.solve(target, seed) for target, seed in pairs]
    return np.array([r.success for r in results]), np.array([r.q for r in results])
