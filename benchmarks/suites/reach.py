# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Reachable targets from far seeds, near seeds, and at singular poses and limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.judge import Judge
from benchmarks.measure import run_interleaved, Trial
from benchmarks.report import Table
from benchmarks.request import Request
from benchmarks.solvers import assemble
from benchmarks.statistics import mean_ratio, summarize
from benchmarks.targets import Cases, far, near, singular

COLUMNS = (
    'solver', 'targets', 'success %', 'mean us', 'median us', 'p99 us', 'first us', 'x ours',
)  # fmt: skip

NOISE = (
    'Noise: one interleaved run, target by target every solver has a turn, the order rotates. A '
    'turn is 3 calls (CLIK: 1), the time of a target is their median; "first us" is the mean of '
    'the first calls, made when other solvers have just used the caches.'
)
JUDGED = 'Every answer is judged by Pinocchio: 1e-5 m, 1e-4 rad, limits within 1e-6.'


def run_far(request: Request) -> list[Table]:
    """Targets are poses of uniform configurations, seeds are independent."""
    return _run('far', far, request, 1000)


def run_near(request: Request) -> list[Table]:
    """Seeds are 0.1 rad from a solution."""
    return _run('near', near, request, 500)


def run_singular(request: Request) -> list[Table]:
    """Joints stand at zero and at their limits."""
    return _run('singular', singular, request, 500)


def _run(
    suite: str,
    draw: Callable[[Judge, int, np.random.Generator], Cases],
    request: Request,
    default: int,
) -> list[Table]:
    tables: list[Table] = []
    for name in request.robots:
        robot = request.robot(name)
        solvers, absent = assemble(robot)
        cases = draw(robot.judge, request.count(default), request.rng())
        trials = run_interleaved(solvers, cases, robot.judge)
        title = f'{suite}: {name}, {len(robot.judge.lower)} joints'
        table = comparison(title, trials, absent)
        if not tables:  # what holds for all is said once
            common = (NOISE, JUDGED, *(f'{solver.name}: {solver.options}.' for solver in solvers))
            table = replace(table, notes=(*common, *table.notes))
        tables.append(table)
    return tables


def comparison(
    title: str,
    trials: Sequence[Trial],
    absent: Sequence[tuple[str, str]],
) -> Table:
    """
    Make the table of one run; the first solver is ours.

    Returns
    -------
    Table
        With the rows in order of mean time; peers that did not take part stand last.

    """
    reference = dict(zip(trials[0].indices, trials[0].times, strict=True))
    rows = []
    for trial in trials:
        found = summarize(trial.times, trial.accepted)
        same = np.array([reference[index] for index in trial.indices])
        ratio = mean_ratio(trial.times, same)
        rows.append(
            (trial.solver, found.count, found.success, found.mean, found.median, found.p99,
             found.first, ratio)
        )  # fmt: skip
    rows.sort(key=lambda row: row[3])
    nothing = (None,) * (len(COLUMNS) - 2)
    missing = tuple((solver, 0, *nothing) for solver, _ in absent)
    notes = tuple(f'{solver}: NOT COMPARED, {reason}' for solver, reason in absent)
    return Table(title, COLUMNS, (*rows, *missing), notes)
