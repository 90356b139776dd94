# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A whole request for one tip in one call: place its goal, and slide to it.

Python pays for every array that it makes (0.1 us) and that it hands to a kernel (0.05 us), which
is what some steps of a slide take. So the tables come as two arrays, and all that is only there
for the length of the call shares one.
"""

from __future__ import annotations

from typing import TypeAlias

from ik_node.kernels._jit import called
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.goals import GOAL_SIZE, place_goal
from ik_node.kernels.row_jacobian import count_rows
from ik_node.kernels.slide import slide_space
from ik_node.kernels.slide_starts import slide_from_starts
from ik_node.kernels.status import NOT_FOUND
from ik_node.kernels.step import (
    ENERGY,
    ORIENTATION_ERROR,
    POSITION_ERROR,
    REPORT_SIZE,
)
from ik_node.kernels.tree import TIP_SIZE, TIP_WIRING_SIZE
import numpy as np

Packed: TypeAlias = tuple[FloatArray, IntArray, tuple[int, int]]
"""Tables of one tip in two arrays, and the shape of the work space; see `pack`."""

# Rows of the work space before those of the slide; the caller writes the goal.
_GOAL = 0
_TARGET = 1
_PLACED = 2
_REFERENCE = 3
_SLIDE = 4


def pack(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
) -> Packed:
    """
    Pack tables of one tip, a row of theirs a row.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    limits : (n, 5) float64
        See `kernels.limits`.

    Returns
    -------
    numbers : (k + 1 + n, 33) float64
        Nodes, the tip and limits, read-only.
    wires : (k + 1, 4) int64
        Of the nodes and of the tip, read-only.
    space : tuple of int
        Shape of the work space of `slide_to_goal`.

    """
    k, n = len(nodes), len(limits)
    numbers, wires = np.zeros((k + 1 + n, TIP_SIZE)), np.zeros((k + 1, TIP_WIRING_SIZE), np.int64)
    numbers[:k, : nodes.shape[1]], numbers[k] = nodes, tips[0]
    numbers[k + 1 :, : limits.shape[1]] = limits
    wires[:k, : wiring.shape[1]], wires[k] = wiring, tip_wiring[0]
    for array in (numbers, wires):
        array.setflags(write=False)
    height, width = slide_space(k, n, 1, count_rows(tip_wiring))
    return numbers, wires, (_SLIDE + height, max(width, GOAL_SIZE))


@called
def slide_to_goal(
    numbers: FloatArray,
    wires: IntArray,
    settings: FloatArray,
    random_seed: int,
    last: int,
    steps: int,
    size: int,
    q: FloatArray,
    report: FloatArray,
    work: FloatArray,
) -> int:
    """
    Slide to a goal of the only tip from a reference, and from random starts.

    Parameters
    ----------
    numbers, wires
        From `pack`.
    settings, random_seed, last, steps
        As for `kernels.slide_starts.slide_from_starts`.
    size : int
        How many numbers the goal has.
    q : (n,) float64
        In and out: the reference, then the solution if there is one [rad or m].
    report : (REPORT_SIZE,) float64
        Output.
    work : float64
        Work space, of the shape that `pack` says; it begins with the goal, see `kernels.goals`.

    Returns
    -------
    int
        SUCCESS, or NOT_FOUND also where the reference is not finite.

    """
    k, n = wires.shape[0] - 1, q.shape[0]
    targets = work[_TARGET, :16].reshape((1, 4, 4))
    placed, reference = work[_PLACED : _PLACED + 1], work[_REFERENCE, :n]
    for i in range(n):
        reference[i] = q[i]
    for i in range(REPORT_SIZE):
        report[i] = 0.0
    report[ENERGY] = np.inf
    report[POSITION_ERROR] = report[ORIENTATION_ERROR] = np.nan
    if not place_goal(work[_GOAL, :size], numbers[k : k + 1], 0, targets, placed, reference):
        return NOT_FOUND
    return slide_from_starts(
        numbers[:k], wires[:k], placed, wires[k:], numbers[k + 1 :], targets, reference, settings,
        random_seed, last, steps, q, report, work[_SLIDE:],
    )  # fmt: skip
