# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""One search as MoveIt means it: the solution nearest to the seed that nobody rejects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import time
from typing import NamedTuple

from ik_node.constraints.vectors import Z_AXIS
from ik_node.environment.request import Targets
from ik_node.environment.results import SolveResult
from ik_node.kernels.arrays import FloatArray
from ik_node.moveit.codes import code_of, ErrorCode
from ik_node.moveit.trial import Trial
from ik_node.solvers import options
from ik_node.solvers.status import SolveStatus
import numpy as np

DEFAULT_TIMEOUT = 0.05
"""MoveIt's default for a group with a solver [s]."""
CANDIDATES = 16
"""Acceptable configurations of which the nearest is taken once the nearest of all is rejected."""

Accept = Callable[[FloatArray], int]
"""Called with a configuration of the group; answers with an error code, SUCCESS to accept it."""
Cost = Callable[[FloatArray], float]
"""Called with a configuration of the group; the lower the better."""


@dataclass(frozen=True)
class Tuning:
    """How exactly and how hard to search."""

    position_tolerance: float = options.POSITION_TOLERANCE
    """[m]"""
    orientation_tolerance: float = options.ORIENTATION_TOLERANCE
    """[rad]"""
    position_weight: float = options.POSITION_WEIGHT
    """[rad/m]"""
    random_seed: int = options.RANDOM_SEED
    prefer: str = 'nearest'
    """'nearest', or 'fast' for the first solution that is found."""
    direction: tuple[float, float, float] = Z_AXIS
    """Direction of the tool in the tip, for targets that mean one."""


class Found(NamedTuple):
    """How a search ended."""

    code: int
    """SUCCESS, or why there is no answer: of the search or of who rejected its solutions."""
    q: FloatArray
    """(n,) of the group: the solution; the best configuration where there is none."""
    message: str
    position_error: float
    """[m], NaN where it was not measured."""
    orientation_error: float
    """[rad], NaN where it was not measured."""

    @property
    def success(self) -> bool:
        """Whether `q` is a solution."""
        return self.code == ErrorCode.SUCCESS


def search(
    trial: Trial,
    targets: Targets,
    timeout: float,
    *,
    accept: Accept | None = None,
    cost: Cost | None = None,
    tuning: Tuning = Tuning(),
    timed: bool = False,
    max_starts: int | None = None,
) -> Found:
    """
    Find the nearest solution that is accepted.

    Parameters
    ----------
    trial : Trial
        Where to search, and the seed.
    targets : Targets
        As for `Group.solve`.
    timeout : float
        [s] on the steady clock, for all of it.
    accept : callable, optional
        Judges solutions. One that it rejects is no answer, and the search goes on.
    cost : callable, optional
        Of several accepted solutions the one of the lowest cost is taken, instead of the nearest.
    tuning : Tuning
        How exactly.
    timed : bool
        Whether the caller gave the timeout; see `codes.code_of`.
    max_starts : int, optional
        1: only from the seed.

    Returns
    -------
    Found

    """
    deadline = time.monotonic() + timeout
    result = trial.group.solve(
        targets,
        trial.seed,
        timeout=timeout,
        position_tolerance=tuning.position_tolerance,
        orientation_tolerance=tuning.orientation_tolerance,
        position_weight=tuning.position_weight,
        random_seed=tuning.random_seed,
        max_starts=max_starts,
        prefer='fast' if max_starts == 1 else tuning.prefer,
        direction=tuning.direction,
    )
    if not result.success:
        return _found(trial, result, code_of(result.status, timed=timed), result.message)
    verdict = int(ErrorCode.SUCCESS if accept is None else accept(trial.whole(result.q)))
    if verdict == ErrorCode.SUCCESS and cost is None:
        return _found(trial, result, verdict, result.message)
    if max_starts == 1:
        return _found(trial, result, verdict, _rejected(verdict, 1))
    rejected = _Judge(trial, accept, verdict)
    configs = trial.group.find_configs(
        targets,
        trial.seed,
        max_configs=CANDIDATES,
        timeout=max(0.0, deadline - time.monotonic()),
        validation=rejected,
        random_seed=tuning.random_seed,
        position_tolerance=tuning.position_tolerance,
        orientation_tolerance=tuning.orientation_tolerance,
        direction=tuning.direction,
    )
    if not configs.success:
        if timed and configs.status is SolveStatus.TIMED_OUT and accept is None:
            return _found(trial, result, ErrorCode.TIMED_OUT, configs.message)
        return _found(trial, result, rejected.code, _rejected(rejected.code, rejected.count))
    candidates = [trial.whole(config) for config in configs.configs]
    best = candidates[0] if cost is None else min(candidates, key=cost)
    return Found(int(ErrorCode.SUCCESS), best, 'solved', np.nan, np.nan)


class _Judge:
    """Asks whether a configuration is acceptable, and remembers the last refusal."""

    def __init__(self, trial: Trial, accept: Accept | None, code: int) -> None:
        self._trial = trial
        self._accept = accept
        self.code = code
        self.count = int(code != ErrorCode.SUCCESS)

    def __call__(self, q: FloatArray) -> bool:
        if self._accept is None:
            return True
        code = int(self._accept(self._trial.whole(q)))
        if code == ErrorCode.SUCCESS:
            return True
        self.code = code
        self.count += 1
        return False


def _rejected(code: int, count: int) -> str:
    solutions = 'the solution' if count == 1 else f'all {count} solutions that were found'
    return f'{solutions} had to be rejected, with the code {code}'


def _found(trial: Trial, result: SolveResult, code: int, message: str) -> Found:
    return Found(
        int(code),
        trial.whole(result.q),
        message,
        result.position_error,
        result.orientation_error,
    )
