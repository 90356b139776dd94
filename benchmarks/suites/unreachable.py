# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets without a solution: how long until an honest answer, and what it says."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import ik_node
from ik_node import SolveStatus
import numpy as np

from benchmarks.judge import FloatArray, Judge
from benchmarks.measure import run_interleaved, Trial
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import Robot
from benchmarks.solvers import assemble
from benchmarks.statistics import mean_ratio, median_of_repeats, summarize
from benchmarks.targets import beyond, Cases, doubtful, inside_but_wrong, uniform

COLUMNS = (
    'targets are', 'solver', 'said no %', 'solved', 'mean us', 'median us', 'p99 us', 'x ours',
)  # fmt: skip
REASON_COLUMNS = ('targets are', 'ik_node asked with', 'it says', 'share %', 'mean us', 'p99 us')

BEYOND = 'beyond the reach'
INSIDE = 'inside, but wrong'
UNPROVEN = 'not found, not proven'
LONG = 4000
"""Starts of the search that keeps a target for the third kind."""
BOUNDED = 32

_NOTES = (
    f'{INSIDE}: the tip is within the length of the stretched chain, but the last joint would be '
    'outside of its own ball (triangle inequality).',
    f'{UNPROVEN}: the position of one random configuration with the orientation of another, or '
    f'a pose pushed outwards, kept where {LONG} starts of ik_node find nothing and ik_node does '
    'not prove that there is nothing. No solver can be sure there.',
    'Said no: answers without a solution. Solved: targets with an answer that the judge accepts, '
    'which for the first two kinds cannot be.',
)


def run(request: Request) -> list[Table]:
    """Ask all solvers for what cannot be; a wrong "yes" would show in the column "said no"."""
    tables: list[Table] = []
    for name in request.robots:
        robot = request.robot(name)
        solvers, absent = assemble(robot)
        rows: list[tuple[Cell, ...]] = []
        reasons: list[tuple[Cell, ...]] = []
        notes = [] if tables else list(_NOTES)
        notes += [f'{solver}: NOT COMPARED, {reason}' for solver, reason in absent]
        arm = ik_node.Environment.from_urdf(robot.path).create_group('arm', robot.base, robot.tip)
        for kind, cases in _kinds(robot, arm, request).items():
            if not len(cases.targets):
                notes.append(f'{kind}: no such target was drawn.')
                continue
            trials = run_interleaved(solvers, cases, robot.judge)
            rows += [_row(kind, trial, trials[0]) for trial in trials]
            notes += _solved(kind, trials, cases)
            reasons += _what_is_said(kind, arm, cases)
        tables.append(Table(f'unreachable: {name}', COLUMNS, tuple(rows), tuple(notes)))
        tables.append(Table(f'unreachable: {name}, reasons', REASON_COLUMNS, tuple(reasons)))
    return tables


def _kinds(robot: Robot, arm: ik_node.Group, request: Request) -> dict[str, Cases]:
    judge, count = robot.judge, request.count(30)
    return {
        BEYOND: beyond(judge, count, request.rng()),
        INSIDE: inside_but_wrong(judge, count, request.rng()),
        UNPROVEN: draw_unproven(arm, judge, count, request.rng()),
    }


def draw_unproven(
    arm: ik_node.Group, judge: Judge, count: int, rng: np.random.Generator, rounds: int = 40
) -> Cases:
    """
    Draw targets that a long search does not find and no proof excludes.

    Parameters
    ----------
    arm : Group
        Searches.
    judge : Judge
        Of the same robot.
    count : int
        Number of targets.
    rng : numpy.random.Generator
        Draws them.
    rounds : int
        Give up after so many times 64 candidates.

    Returns
    -------
    Cases
        At most `count`: an arm may reach nearly all that it cannot be proven not to reach.

    """
    kept: list[FloatArray] = []
    for _ in range(rounds):
        if len(kept) >= count:
            break
        candidates = doubtful(judge, 64, rng)
        found = arm.solve_batch(candidates.targets, candidates.seeds, max_starts=LONG)
        kept.extend(candidates.targets[found.status == SolveStatus.NOT_FOUND])
    poses = np.array(kept[:count]).reshape(-1, 4, 4)
    return Cases(poses, uniform(judge, len(poses), rng))


def reason_of(result: Any) -> str:
    """
    Tell the kind of reason in an answer without a solution.

    Parameters
    ----------
    result : SolveResult
        With a status and a message.

    Returns
    -------
    str

    """
    status, message = result.status, result.message
    if status is SolveStatus.UNREACHABLE:
        for start, by in (('orientation', 'an angle'), ('out of reach: along', 'a height')):
            if message.startswith(start):
                return f'proven by {by}'
        return 'proven by a distance'
    if status is SolveStatus.BLOCKED_BY_LIMITS:
        return 'only without some limits'
    if status is SolveStatus.SUCCESS:
        return 'solved'
    text = 'time is over' if status is SolveStatus.TIMED_OUT else 'not found'
    if 'but the position alone was' in message:
        return f'{text}, the position alone was'
    return f'{text}, nor the position' if 'nor was the position' in message else text


def _row(kind: str, trial: Trial, ours: Trial) -> tuple[Cell, ...]:
    found = summarize(trial.times, trial.found)
    ratio = mean_ratio(trial.times, ours.times[np.isin(ours.indices, trial.indices)])
    no, solved = 100.0 - found.success, int(np.count_nonzero(trial.accepted.any(axis=1)))
    return kind, trial.solver, no, solved, found.mean, found.median, found.p99, ratio


def _solved(kind: str, trials: list[Trial], cases: Cases) -> list[str]:
    """Write down what was solved though it should not be possible, to be repeated."""
    notes = []
    for trial in trials:
        for i in trial.indices[trial.accepted.any(axis=1)][:1]:
            notes.append(
                f'{kind}, SOLVED by {trial.solver}: target {cases.targets[i].tolist()}, seed '
                f'{cases.seeds[i].tolist()}'
            )
    return notes


def _what_is_said(kind: str, arm: ik_node.Group, cases: Cases) -> list[tuple[Cell, ...]]:
    """Count the reasons, with the times of each way to ask."""
    rows: list[tuple[Cell, ...]] = []
    for way, starts in (('its defaults', None), (f'max_starts={BOUNDED}', BOUNDED)):
        times: defaultdict[str, list[list[float]]] = defaultdict(list)
        for target, seed in zip(cases.targets, cases.seeds, strict=True):
            repeats = [arm.solve(target, seed, max_starts=starts) for _ in range(3)]
            reason = reason_of(repeats[0])
            times[reason].append([result.elapsed * 1e6 for result in repeats])
        for reason in sorted(times, key=lambda said: -len(times[said])):
            typical = median_of_repeats(np.array(times[reason]))
            share = 100.0 * len(typical) / len(cases.targets)
            rows.append(
                (kind, way, reason, share, float(typical.mean()),
                 float(np.percentile(typical, 99.0)))
            )  # fmt: skip
    return rows
