# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
One interleaved run of several solvers over the same targets.

Target by target every solver has its turn, in an order that rotates, so a noisy second hits all
of them. A turn is a few calls in a row: the median is the time of that target, the first one shows
what it costs when others have just used the caches. Conversions of targets and answers, and the
judge, stay outside of the time; the garbage collector is off during a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import gc
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge import FloatArray, Judge
from benchmarks.solvers.solver import Solver
from benchmarks.targets import Cases


class Turn(NamedTuple):
    """A few calls in a row with the same question."""

    times: list[float]
    """[us]."""
    found: list[bool]
    """Whether a solution was claimed."""
    accepted: list[bool]
    """Whether the judge accepts it."""
    answers: list[FloatArray | None]
    """(n,) each [rad or m]."""


@dataclass(frozen=True)
class Trial:
    """What one solver did in a run."""

    solver: str
    indices: NDArray[np.int64]
    """(c,) which targets it was asked."""
    times: FloatArray
    """(c, r) [us]."""
    found: NDArray[np.bool_]
    """(c, r) whether it claims a solution."""
    accepted: NDArray[np.bool_]
    """(c, r) whether the judge accepts it."""


def run_interleaved(solvers: Sequence[Solver], cases: Cases, judge: Judge) -> list[Trial]:
    """
    Ask all solvers for all targets, turn by turn.

    Parameters
    ----------
    solvers : sequence of Solver
        Ready for this robot.
    cases : Cases
        Targets and seeds.
    judge : Judge
        Of the same robot.

    Returns
    -------
    list of Trial
        In the order of `solvers`.

    """
    asked: list[list[int]] = [[] for _ in solvers]
    rows: list[list[Turn]] = [[] for _ in solvers]
    for solver in solvers:
        for target, seed in zip(cases.targets[:3], cases.seeds[:3], strict=True):
            take_turn(solver, target, seed, judge)  # not counted: the first calls load and compile
    for i, (target, seed) in enumerate(zip(cases.targets, cases.seeds, strict=True)):
        first = i % len(solvers)
        for j in [*range(first, len(solvers)), *range(first)]:
            if i % solvers[j].stride == 0:
                asked[j].append(i)
                rows[j].append(take_turn(solvers[j], target, seed, judge))
    return [
        Trial(
            solver.name,
            np.array(indices),
            np.array([turn.times for turn in row]),
            np.array([turn.found for turn in row]),
            np.array([turn.accepted for turn in row]),
        )
        for solver, indices, row in zip(solvers, asked, rows, strict=True)
    ]


def take_turn(solver: Solver, target: FloatArray, seed: FloatArray, judge: Judge) -> Turn:
    """
    Call a solver a few times; an exception is an answer that is none.

    Parameters
    ----------
    solver : Solver
        Whose turn it is.
    target : (4, 4) float64
        T_base_tip [m].
    seed : (n,) float64
        [rad or m].
    judge : Judge
        Of the same robot.

    Returns
    -------
    Turn

    """
    call = solver.prepare(target, seed)
    times: list[float] = []
    answers: list[FloatArray | None] = []
    gc.disable()
    try:
        for _ in range(solver.repeats):
            began = time.perf_counter_ns()
            try:
                raw = call()
            except Exception:  # whatever a peer raises, for instance where there is no solution
                raw = None
            times.append((time.perf_counter_ns() - began) * 1e-3)
            # Read at once, as a solver may use its arrays again. The judge waits until the calls
            # are made: in between he would be what they find in the caches.
            answers.append(None if raw is None else solver.answer(raw))
    finally:
        gc.enable()
    found = [q is not None for q in answers]
    return Turn(times, found, [judge.accepts(q, target) for q in answers], answers)
