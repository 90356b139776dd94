# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines and circles, pose by pose, each solve from the last answer: time, failures and jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.judge import FloatArray, Judge
from benchmarks.measure import take_turn
from benchmarks.paths import circle, draw_track, LARGEST_STEP, line, RADIUS, SUBSTEPS, Track
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.solvers import assemble
from benchmarks.solvers.solver import Solver
from benchmarks.statistics import mean_ratio, summarize

COLUMNS = (
    'paths', 'solver', 'poses', 'failures', 'jumps', 'largest step', 'x needed', 'mean us',
    'median us', 'p99 us', 'x ours',
)  # fmt: skip
SHAPES = {'lines': line, 'circles': circle}
PATHS = 3
"""Of each shape for each robot."""
JUMP = 10.0
"""A step of so many times the largest that the path needs is a jump."""
SOLVERS: tuple[tuple[str, str], ...] = (
    ('benchmarks.solvers.ours', 'Library'),
    ('benchmarks.solvers.eaik', 'EaikNearest'),
    ('benchmarks.solvers.ssik', 'Ssik'),
    ('benchmarks.solvers.roboticstoolbox', 'RoboticsToolbox'),
    ('benchmarks.solvers.trac_ik', 'TracIk'),
    ('benchmarks.solvers.kdl', 'Kdl'),
    ('benchmarks.solvers.clik', 'Clik'),
)
"""Module and class, ours first."""


@dataclass
class Ride:
    """What one solver did on paths of one shape."""

    times: list[list[float]] = field(default_factory=list)
    """A list of repeats a pose [us]."""
    failures: int = 0
    jumps: int = 0
    largest: float = 0.0
    """Step of a joint between two poses [rad or m]."""
    ratio: float = 0.0
    """The same over the largest step that its path needs."""

    def note_step(self, step: float, needed: float) -> None:
        """Count a step of so many [rad or m] on a path that needs `needed`."""
        self.jumps += step > JUMP * needed
        self.largest = max(self.largest, step)
        self.ratio = max(self.ratio, step / needed)


def run(request: Request) -> list[Table]:
    """Follow the same paths with all solvers, pose by pose in turns."""
    poses = max(request.count(2000), 3)
    tables: list[Table] = []
    for name in request.robots:
        robot = request.robot(name)
        solvers, absent = assemble(robot, SOLVERS)
        rng = request.rng()
        rows: list[tuple[Cell, ...]] = []
        notes = [] if tables else [*_NOTES, *(f'{s.name}: {s.options}.' for s in solvers)]
        for shape, draw in SHAPES.items():
            drawn = [draw_track(robot.judge, draw, poses, rng) for _ in range(PATHS)]
            needed = ', '.join(f'{track.step:.2g}' for track, _ in drawn)
            notes.append(
                f'{PATHS} {shape} of {poses} poses ({sum(count for _, count in drawn)} drawn ones '
                f'dropped); largest step that they need: {needed}.'
            )
            rides = [Ride() for _ in solvers]
            for track, _ in drawn:
                ride_along(solvers, track, robot.judge, rides)
            rows += [
                _row(shape, solver.name, ride, rides[0])
                for solver, ride in zip(solvers, rides, strict=True)
            ]
        notes += [f'{solver}: NOT COMPARED, {reason}' for solver, reason in absent]
        tables.append(Table(f'tracking: {name}', COLUMNS, tuple(rows), tuple(notes)))
    return tables


_NOTES = (
    f'Lines go evenly from the pose of one configuration to that of one nearby, circles have a '
    f'radius of {RADIUS} m and a fixed orientation. Kept are paths that differential steps with '
    f"Pinocchio's Jacobian, {SUBSTEPS} a pose, follow inside of the limits with no joint moving "
    f'by more than {LARGEST_STEP} rad or m between two poses.',
    'Each solver starts from the configuration of the first pose, then from its own last right '
    'answer. Failures: answers that the judge rejects, and none. Largest step: of a joint between '
    'two right answers, over the poses between them [rad or m]. x needed: over the largest step '
    f'of the differential motion on that path; jumps: more than {JUMP:g} times.',
    'Every pose is a turn of 3 calls with the same seed; the first answer counts, the median is '
    'the time.',
)


def ride_along(
    solvers: Sequence[Solver], track: Track, judge: Judge, rides: Sequence[Ride]
) -> None:
    """
    Follow a path with all solvers, who take turns at each pose.

    Parameters
    ----------
    solvers : sequence of Solver
        Ready for the robot.
    track : Track
        The path.
    judge : Judge
        Of the robot.
    rides : sequence of Ride
        One a solver; is added to.

    """
    last: list[FloatArray] = [track.configs[0] for _ in solvers]
    behind = [0 for _ in solvers]
    for solver in solvers:
        take_turn(solver, track.targets[0], track.configs[0], judge)  # loads, compiles
    for i in range(1, len(track.targets)):
        target = track.targets[i]
        first = i % len(solvers)
        for j in [*range(first, len(solvers)), *range(first)]:
            times, _, accepted, answers = take_turn(solvers[j], target, last[j], judge)
            ride, q = rides[j], answers[0]
            ride.times.append(times)
            if not accepted[0] or q is None:
                ride.failures += 1
                continue
            step = float(np.abs(q - last[j]).max()) / (i - behind[j])
            ride.note_step(step, track.step)
            last[j], behind[j] = np.array(q), i


def _row(shape: str, solver: str, ride: Ride, ours: Ride) -> tuple[Cell, ...]:
    times, reference = np.array(ride.times), np.array(ours.times)
    found = summarize(times, np.ones(times.shape, dtype=bool))
    return (
        shape, solver, found.count, ride.failures, ride.jumps, ride.largest, ride.ratio,
        found.mean, found.median, found.p99, mean_ratio(times, reference),
    )  # fmt: skip
