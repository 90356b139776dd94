# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Randomised search for several configurations of one target.

Draw a configuration, measure how far the tips are from their targets, and where they are close
enough solve from there: Coppelia's findConfig. The seed is tried before the first draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
import time
from typing import NamedTuple

from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.lanes.collect import collect, COUNTS_SIZE, FOUND, SINCE, STARTS
from ik_node.kernels.patience import next_look
from ik_node.kernels.status import SUCCESS
from ik_node.model.quaternions import quat_from_rotation_vector
from ik_node.model.tables import Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import beyond_reach
from ik_node.solvers.starts import BLANK, draw_near, in_lanes, solve_starts, work_space
from ik_node.solvers.status import SolveStatus
import numpy as np

SAME = 1e-3
"""Configurations whose largest joint difference is below this are one [rad or m]."""

_SLICE = 256 if COMPILED else 1
_MOST_AT_ONCE = 4096
_SLOW = 1e-3
_FRUITLESS_TRIALS = 2000
"""Solves in a row without a new configuration after which there is no use in going on."""


class Configurations(NamedTuple):
    """What a search for configurations found."""

    status: SolveStatus
    configs: list[FloatArray]
    """Each (n,), nearest to the seed first."""
    trials: int
    """Draws made."""


def find(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    *,
    max_configs: int,
    threshold: float,
    metric: FloatArray,
    accept: Callable[[FloatArray], bool],
) -> Configurations:
    """
    Search for up to `max_configs` different configurations.

    Parameters
    ----------
    tables : Tables
        The mechanism, t tips, n variables.
    targets : (t, 4, 4) float64
        T_base_target of each tip, checked.
    seed : (n,) float64
        Reference for turns and for sorting; the first trial.
    options : SearchOptions
        `max_starts` bounds the draws.
    max_configs : int
        Stop at this number.
    threshold : float
        Largest distance of a draw that is solved from, see `kernels.solve.draw_near`.
    metric : (4,) float64
        Of that distance.
    accept : callable
        Called with each candidate (n,); False rejects it and the search goes on.

    Returns
    -------
    Configurations
        Status SUCCESS when at least one was found.

    """
    if beyond_reach(tables, targets, options):
        return Configurations(SolveStatus.UNREACHABLE, [], 0)
    if threshold == math.inf and in_lanes(tables):
        return _find_in_lanes(tables, targets, seed, options, max_configs, accept)
    found: list[FloatArray] = []
    draws = _CloseDraws(tables, targets, seed, options, threshold, metric)
    fruitless = 0
    for start in draws:
        config = _solve_from(tables, targets, start, seed, options)
        if config is not None and is_new(config, found, tables.limits) and accept(config.copy()):
            found.append(config)
            fruitless = 0
        else:
            fruitless += 1
        if len(found) == max_configs or fruitless == _FRUITLESS_TRIALS:
            break
    found.sort(key=lambda config: float(np.linalg.norm(config - seed)))
    if found:
        status = SolveStatus.SUCCESS
    else:
        status = SolveStatus.TIMED_OUT if draws.timed_out else SolveStatus.NOT_FOUND
    return Configurations(status, found, draws.count)


def _find_in_lanes(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    max_configs: int,
    accept: Callable[[FloatArray], bool],
) -> Configurations:
    """Solve from every draw, in lanes; the deadline is looked at between slices of starts."""
    deadline = time.monotonic() + options.timeout
    known: FloatArray = np.empty((0, seed.shape[0]))  # what was rejected is no news either
    counts = np.zeros(COUNTS_SIZE, np.int64)
    configs: list[FloatArray] = []
    timed_out = False
    while True:
        wanted = min(max_configs - len(configs), _MOST_AT_ONCE)
        found = np.empty((len(known) + wanted, seed.shape[0]))
        found[: len(known)] = known
        last = int(min(next_look(int(counts[STARTS])), options.max_starts))
        collect(
            tables.nodes,
            tables.wiring,
            tables.tips,
            tables.tip_wiring,
            tables.limits,
            targets,
            seed,
            options.settings,
            options.random_seed,
            last,
            SAME,
            found,
            counts,
            work_space(tables),
        )
        news = found[len(known) : counts[FOUND]]
        known = found[: counts[FOUND]]
        for config in news:
            began = time.monotonic()
            if accept(config.copy()):
                configs.append(config)
            now = time.monotonic()
            if now >= deadline and now - began > _SLOW:
                break  # a slow validation is not asked for what else was found
        ends = counts[STARTS] >= options.max_starts or counts[SINCE] >= _FRUITLESS_TRIALS
        if len(configs) == max_configs or ends:
            break
        if time.monotonic() >= deadline:
            timed_out = True
            break
    configs.sort(key=lambda config: float(np.linalg.norm(config - seed)))
    if configs:
        status = SolveStatus.SUCCESS
    else:
        status = SolveStatus.TIMED_OUT if timed_out else SolveStatus.NOT_FOUND
    return Configurations(status, configs, int(counts[STARTS]) - 1)


class _CloseDraws:
    """The seed, then random configurations whose tips are close to their targets."""

    def __init__(
        self,
        tables: Tables,
        targets: FloatArray,
        seed: FloatArray,
        options: SearchOptions,
        threshold: float,
        metric: FloatArray,
    ) -> None:
        self.count = 0
        self.timed_out = False
        self._deadline = time.monotonic() + options.timeout
        self._most = options.max_starts
        self._seed = seed
        self._arguments = (
            tables,
            targets,
            seed,
            metric,
            threshold,
            options.random_seed,
        )

    def __iter__(self) -> Iterator[FloatArray]:
        yield self._seed
        draw = np.empty(self._seed.shape[0])
        while self.count + 1 < self._most:
            if time.monotonic() >= self._deadline:
                self.timed_out = True
                return
            first = self.count + 1
            last = int(min(first + _SLICE, self._most))
            hit = draw_near(*self._arguments, first, last, draw)
            self.count = hit if hit >= 0 else last - 1
            if hit >= 0:
                yield draw


def _solve_from(
    tables: Tables,
    targets: FloatArray,
    start: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
) -> FloatArray | None:
    q = start.copy()
    report = BLANK.copy()
    code = solve_starts(
        tables,
        tables.limits,
        targets,
        start,
        seed,
        options.settings,
        options.random_seed,
        0,
        1,
        q,
        report,
    )
    return q if code == SUCCESS else None


def is_new(config: FloatArray, found: list[FloatArray], limits: FloatArray) -> bool:
    """
    Tell whether a configuration is none of those that were found.

    Parameters
    ----------
    config : (n,) float64
        [rad or m].
    found : list of (n,) float64
        What it is compared with.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.

    Returns
    -------
    bool

    """
    period = limits[:, 2]
    turn = np.where(period > 0.0, period, np.inf)
    for other in found:
        difference = config - other
        # Solutions that differ by full turns are one; inf leaves the others as they are.
        difference -= np.where(period > 0.0, np.round(difference / turn) * period, 0.0)
        for i in np.flatnonzero(limits[:, 4] == 3.0):
            difference[i : i + 3] = _angle_between(config[i : i + 3], other[i : i + 3])
        if np.abs(difference).max() < SAME:
            return False
    return True


def _angle_between(first: FloatArray, second: FloatArray) -> float:
    """Angle from one rotation vector to another; those of one rotation differ by full turns."""
    dot = quat_from_rotation_vector(first) @ quat_from_rotation_vector(second)
    return 2.0 * math.acos(min(abs(float(dot)), 1.0))
