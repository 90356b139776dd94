# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Slides of a request: to the solution nearest to the seed, where a target leaves joints free.

Whether there is time is not looked at: all slides of a request take some tens of microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
import struct

from ik_node.kernels import slide_request, slide_starts, step
from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.goals import GOAL_SIZE, SMALLEST_GOAL
from ik_node.kernels.row_kinds import X
from ik_node.kernels.slide import slide, slide_space
from ik_node.kernels.slide_request import pack, Packed
from ik_node.kernels.status import SUCCESS
from ik_node.kernels.tree import TIP_SIZE
from ik_node.model.tables import Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.starts import BLANK
import numpy as np

SLIDES = 24
"""Steps of a slide towards the seed."""
SLIDING_STARTS = 3
"""
From where to slide before anything else is tried; all but the first begin at random. What they
do not find is hard to find, and the search that comes next has four starts for the time of two.
"""


_WRITERS: dict[int, Callable[..., None]] = {
    size: struct.Struct(f'{size}d').pack_into for size in range(SMALLEST_GOAL, GOAL_SIZE + 1)
}
"""They write a tuple into an array in half the time that it takes to make one of it."""


def slide_from_starts(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """
    Slide to the seed from itself, and where that leads nowhere from random starts.

    Parameters
    ----------
    tables, targets, seed, options
        As for `restarts.search`; the tables can slide.
    q, report : (n,) and (REPORT_SIZE,) float64
        Output: the solution, if there is one.

    Returns
    -------
    bool
        Whether there is one.

    """
    code = slide_starts.slide_from_starts(
        tables.nodes,
        tables.wiring,
        tables.tips.copy(),
        tables.tip_wiring,
        tables.limits,
        targets,
        seed,
        options.settings,
        options.random_seed,
        _starts(options),
        SLIDES,
        q,
        report,
        np.empty(tables.slide_space),
    )
    return bool(code == SUCCESS)


def slide_to_goal(
    packed: Packed, numbers: tuple[float, ...], seed: FloatArray, options: SearchOptions
) -> tuple[bool, FloatArray, FloatArray]:
    """
    Do it for a goal of the only tip, which is placed on the way.

    Parameters
    ----------
    packed : Packed
        Of tables that aim at the goal, whose numbers are not in them, and can slide.
    numbers : tuple of float
        See `ik_node.kernels.goals`.
    seed : (n,) float64
        [rad or m].
    options : SearchOptions
        Checked.

    Returns
    -------
    success : bool
        Not where the seed is not finite, or the numbers are none, either.
    q : (n,) float64
        The solution, if there is one [rad or m].
    report : (REPORT_SIZE,) float64
        See `ik_node.kernels.step`.

    """
    tables, wires, space = packed
    size = len(numbers)
    q, report, work = seed.copy(), np.empty(step.REPORT_SIZE), np.empty(space)
    try:
        _WRITERS[size](work, 0, *numbers)
    except (KeyError, struct.error):  # no goal: who places it otherwise will say why
        return False, q, report
    code = slide_request.slide_to_goal(
        tables,
        wires,
        options.settings,
        options.random_seed,
        _starts(options),
        SLIDES,
        size,
        q,
        report,
        work,
    )
    return code == SUCCESS, q, report


def _starts(options: SearchOptions) -> int:
    most = options.max_starts
    return SLIDING_STARTS if most >= SLIDING_STARTS else int(most)


def slide_back(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    q: FloatArray,
    report: FloatArray,
) -> None:
    """
    Slide along the solutions towards the seed, where some joints are free to.

    Parameters
    ----------
    tables, targets, seed, options
        As for `solve_nearest`.
    q, report : (n,) and (REPORT_SIZE,) float64
        A solution; changed in place to one that is nearer. Mechanisms in which joints follow
        others by a function keep theirs.

    """
    if tables.functions or not tables.is_loose:
        return
    slide(
        tables.nodes,
        tables.wiring,
        tables.tips.copy(),
        tables.tip_wiring,
        tables.limits,
        targets,
        q.copy(),
        seed,
        options.settings,
        SLIDES,
        q,
        report,
        np.empty(tables.slide_space),
    )


@cache
def load_slides() -> None:
    """
    Load the kernels of slides, or compile them.

    Once in a process, before any time is measured: the deadline of a search is shorter than that.
    """
    if not COMPILED:
        return
    limits, nodes = np.zeros((1, 5)), np.zeros((1, 15))
    wiring, tips = np.array([[-1, 0, 0]]), np.zeros((1, TIP_SIZE))
    tip_wiring, settings = np.array([[0, -1, -1, X]]), np.zeros(step.SETTINGS_SIZE)
    for array in (limits, nodes, wiring, tips, tip_wiring, settings):
        array.setflags(write=False)  # as in tables and options: another type is another kernel
    tables = nodes, wiring, tips.copy(), tip_wiring, limits
    targets, seed, report = np.zeros((1, 4, 4)), np.zeros(1), BLANK.copy()
    work = np.empty(slide_space(1, 1, 1, 1))
    slide(*tables, targets, seed, seed, settings, 1, seed.copy(), report, work)
    slide_starts.slide_from_starts(
        *tables, targets, seed, settings, 0, 1, 1, seed.copy(), BLANK.copy(), work
    )
    numbers, wires, space = pack(nodes, wiring, tips, tip_wiring, limits)
    slide_request.slide_to_goal(
        numbers, wires, settings, 0, 1, 1, SMALLEST_GOAL, seed.copy(), report, np.zeros(space)
    )
