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

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge import FloatArray, Judge
from benchmarks.solvers.solver import Solver
from benchmarks.targets import Cases


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
    rows: list[list[tuple[list[float], list[bool], list[bool]]]] = [[] for _ in solvers]
    for solver in solvers:
        for target, seed in zip(cases.targets[:3], cases.seeds[:3], strict=True):
            _turn(solver, target, seed, judge)  # not counted: the first calls load and compile
    for i, (target, seed) in enumerate(zip(cases.targets, cases.seeds, strict=True)):
        first = i % len(solvers)
        for j in [*range(first, len(solvers)), *range(first)]:
            if i % solvers[j].stride == 0:
                asked[j].append(i)
                rows[j].append(_turn(solvers[j], target, seed, judge))
    return [
        Trial(solver.name, np.array(indices), *(np.array(part) for part in zip(*row, strict=True)))
        for solver, indices, row in zip(solvers, asked, rows, strict=True)
    ]


def _turn(
    solver: Solver, target: FloatArray, seed: FloatArray, judge: Judge
) -> tuple[list[float], list[bool], list[bool]]:
    """Call a solver a few times; an exception is an answer that is none."""
    call = solver.prepare(target, seed)
    times, found, accepted = [], [], []
    gc.disable()
    try:
        for _ in range(solver.repeats):
            began = time.perf_counter_ns()
            try:
                raw = call()
            except Exception:  # whatever a peer raises, for instance where there is no solution
                times.append((time.perf_counter_ns() - began) * 1e-3)
                found.append(False)
                accepted.append(False)
                continue
            times.append((time.perf_counter_ns() - began) * 1e-3)
            q = solver.answer(raw)
            found.append(q is not None)
            accepted.append(judge.accepts(q, target))
    finally:
        gc.enable()
    return times, found, accepted
