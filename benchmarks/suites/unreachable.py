# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets without a solution: how long until an honest answer, and what it says."""

from __future__ import annotations

from collections import Counter

import ik_node
import numpy as np

from benchmarks.measure import run_interleaved, Trial
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.solvers import assemble
from benchmarks.statistics import mean_ratio, median_of_repeats, summarize
from benchmarks.targets import beyond, Cases, inside_but_wrong

COLUMNS = ('targets are', 'solver', 'said no %', 'mean us', 'median us', 'p99 us', 'x ours')

KINDS = {'beyond the reach': beyond, 'inside, but wrong': inside_but_wrong}
BOUNDED = 32


def run(request: Request) -> list[Table]:
    """Ask all solvers for what cannot be; a wrong "yes" would show in the column "said no"."""
    tables = []
    for name in request.robots:
        robot = request.robot(name)
        solvers, absent = assemble(robot)
        rows: list[tuple[Cell, ...]] = []
        notes = [f'{solver}: NOT COMPARED, {reason}' for solver, reason in absent]
        arm = ik_node.Environment.from_urdf(robot.path).create_group('arm', robot.base, robot.tip)
        for kind, draw in KINDS.items():
            cases = draw(robot.judge, request.count(50), request.rng())
            trials = run_interleaved(solvers, cases, robot.judge)
            rows += [_row(kind, trial, trials[0]) for trial in trials]
            said = _what_is_said(arm, cases)
            notes.append(f'{kind}, ik_node with its defaults: {said["default"]}.')
            notes.append(f'{kind}, ik_node with max_starts={BOUNDED}: {said["bounded"]}.')
        notes.append(
            'Inside, but wrong: the tip is within the length of the stretched chain, but '
            'the last joint would be outside of its own ball (triangle inequality).'
        )
        tables.append(Table(f'unreachable: {name}', COLUMNS, tuple(rows), tuple(notes)))
    return tables


def _row(kind: str, trial: Trial, ours: Trial) -> tuple[Cell, ...]:
    found = summarize(trial.times, trial.found)
    ratio = mean_ratio(trial.times, ours.times[np.isin(ours.indices, trial.indices)])
    no = 100.0 - found.success
    return kind, trial.solver, no, found.mean, found.median, found.p99, ratio


def _what_is_said(arm: ik_node.Group, cases: Cases) -> dict[str, str]:
    """Count the reasons, with the mean time of each way to ask."""
    said = {}
    for way, starts in (('default', None), ('bounded', BOUNDED)):
        reasons: Counter[str] = Counter()
        times = []
        for target, seed in zip(cases.targets, cases.seeds, strict=True):
            repeats = [arm.solve(target, seed, max_starts=starts) for _ in range(3)]
            reasons[repeats[0].status.name] += 1
            times.append([result.elapsed * 1e6 for result in repeats])
        mean = float(np.mean(median_of_repeats(np.array(times))))
        counts = ', '.join(f'{count} x {reason}' for reason, count in reasons.most_common())
        said[way] = f'{counts}; mean {mean:.0f} us'
    return said
