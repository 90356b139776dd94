# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Many targets of one chain, in pieces that threads take turns at.

Where a batch is cut changes nothing: the answer to a target depends on the target, its seed and
the options alone. The deadline is looked at before each piece.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
import math
import time
from typing import NamedTuple

from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.batch import solve_targets
from ik_node.kernels.lanes.vector import LANES
from ik_node.model.tables import Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import keep_inside, search
from ik_node.solvers.starts import BLANK, in_lanes, work_space
from ik_node.solvers.status import SolveStatus
import numpy as np

PIECE = 2048
"""Targets in a piece: two milliseconds, and arrays that stay in a cache."""

MOST_STARTS = 4096
"""The most that a caller may ask for: the deadline is not looked at within a piece."""
_COMPACT_STARTS = 512


class Answers(NamedTuple):
    """What a batch found."""

    status: IntArray
    """(b,) numbers of `SolveStatus`."""
    q: FloatArray
    """(b, n) solutions, or the best configurations."""
    reports: FloatArray
    """(b, REPORT_SIZE) see `ik_node.kernels.step`."""


def solve_all(
    tables: Tables,
    targets: Callable[[int, int], FloatArray],
    seeds: FloatArray,
    options: SearchOptions,
    threads: int,
) -> Answers:
    """
    Solve many targets.

    Parameters
    ----------
    tables : Tables
        The mechanism, one tip, n variables.
    targets : callable
        Gives T_base_target (c, 4, 4) of the targets from a first to before a last one, checked;
        what it raises ends the batch.
    seeds : (b, n) float64
        Where each starts [rad or m], checked.
    options : SearchOptions
        Checked; the timeout is that of the whole batch and may be infinite.
    threads : int
        Positive.

    Returns
    -------
    Answers

    """
    count, n = seeds.shape
    deadline = time.monotonic() + options.timeout
    answers = Answers(
        np.zeros(count, np.int64), np.empty((count, n)), np.empty((count, len(BLANK)))
    )
    solve = _piece_in_lanes if in_lanes(tables) else _piece_one_by_one

    def work(first: int) -> None:
        last = min(first + PIECE, count)
        piece = Answers(
            answers.status[first:last], answers.q[first:last], answers.reports[first:last]
        )
        piece.q[:] = seeds[first:last]
        piece.reports[:] = BLANK
        if first > 0 and time.monotonic() >= deadline:
            piece.status[:] = SolveStatus.TIMED_OUT
        else:
            solve(tables, targets(first, last), seeds[first:last], options, piece)

    pieces = range(0, count, PIECE)
    if threads == 1 or len(pieces) < 2:
        for first in pieces:
            work(first)
    else:
        with ThreadPoolExecutor(threads, thread_name_prefix='ik_batch') as pool:
            for _ in pool.map(work, pieces):
                pass  # an exception of a piece is raised here
    keep_inside(tables, answers.q, answers.reports)
    return answers


def _starts_of(tables: Tables, options: SearchOptions) -> int:
    """Tell how many starts a target may have."""
    if options.max_starts != math.inf:
        return int(options.max_starts)
    return _COMPACT_STARTS if tables.gives_up else MOST_STARTS


def _piece_in_lanes(
    tables: Tables,
    targets: FloatArray,
    seeds: FloatArray,
    options: SearchOptions,
    piece: Answers,
) -> None:
    solve_targets(
        tables.nodes,
        tables.wiring,
        tables.tips,
        tables.tip_wiring,
        tables.limits,
        tables.reach.table,
        targets,
        # A copy: kernels are compiled for arrays that can be written.
        np.array(seeds, order='C'),
        options.settings,
        options.patient,
        options.random_seed,
        _starts_of(tables, options),
        options.max_starts == math.inf and tables.gives_up,
        piece.q,
        piece.reports,
        work_space(tables),
        work_space(tables),
        np.empty((3, LANES), np.int64),
        np.empty(seeds.shape[1]),
        piece.status,
    )


def _piece_one_by_one(
    tables: Tables,
    targets: FloatArray,
    seeds: FloatArray,
    options: SearchOptions,
    piece: Answers,
) -> None:
    """Serve the mechanisms that the kernels in lanes do not know."""
    each = options._replace(timeout=math.inf, max_starts=_starts_of(tables, options))
    for i in range(targets.shape[0]):
        outcome = search(tables, targets[i : i + 1], np.array(seeds[i]), each)
        piece.status[i] = outcome.status
        piece.q[i] = outcome.q
        piece.reports[i] = outcome.report
