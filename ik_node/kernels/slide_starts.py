# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Slides from several starts, until one of them arrives."""

from __future__ import annotations

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import draw, nearest_turn
from ik_node.kernels.slide import slide
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import energy_at, STARTS
import numpy as np

_DRAWS = 4
"""
Every other start begins at the best of so many draws: that takes half a step and saves two. Not
every one, as the best may be near a place that no start gets away from.
"""


@kernel
def slide_from_starts(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    reference: FloatArray,
    settings: FloatArray,
    random_seed: int,
    last: int,
    steps: int,
    q: FloatArray,
    report: FloatArray,
    work: FloatArray,
) -> int:
    """
    Slide to a reference from itself, and where that leads nowhere from random starts.

    To slide from anywhere takes half the steps of a search and a slide back from what it finds,
    and ends nearer to the reference. The starts are drawn from the inner half of the limits: from
    there fewer joints run into one. No full turn is made on the way, so they begin by those that
    are nearest to the reference.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, limits, targets, reference, settings, steps, work
        As for `kernels.slide.slide`.
    random_seed : int
        Key of the random starts.
    last : int
        Number of starts, the reference included.
    q : (n,) float64
        Output: the solution.
    report : (REPORT_SIZE,) float64
        In and out, with an infinite energy: as for `slide`, and the starts.

    Returns
    -------
    int
        SUCCESS or NOT_FOUND; then `q` has not changed.

    """
    n, rows = q.shape[0], work.shape[0]
    begin, drawn = work[rows - 1][:n], work[rows - 2][:n]
    for start in range(last):
        report[STARTS] += 1.0
        for i in range(n):
            begin[i] = reference[i]
        lowest = np.inf
        for number in range(_DRAWS if start % 2 == 1 else min(start, 1)):
            draw(limits, reference, random_seed, _DRAWS * start + number, drawn)
            for i in range(n):
                # Of bounds that are infinite there is no middle: plain Python warns of their sum.
                if limits[i, 0] > -np.inf and limits[i, 1] < np.inf:
                    drawn[i] = 0.5 * (0.5 * (limits[i, 0] + limits[i, 1]) + drawn[i])
                drawn[i] = nearest_turn(
                    drawn[i], reference[i], limits[i, 0], limits[i, 1], limits[i, 2]
                )
            energy = energy_at(nodes, wiring, tips, tip_wiring, targets, drawn, settings, work)
            if number == 0 or energy < lowest:
                lowest = energy
                for i in range(n):
                    begin[i] = drawn[i]
        code = slide(
            nodes, wiring, tips, tip_wiring, limits, targets, begin, reference, settings, steps,
            q, report, work,
        )  # fmt: skip
        if code == SUCCESS:
            return SUCCESS
    return NOT_FOUND
