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

Packed: TypeAlias = tuple[FloatArray, IntArray, int]
"""Tables of one tip in two arrays, and the size of the work space; see `pack`."""

# Layout of the work space; the goal, which the caller writes, stands first.
_TARGET = GOAL_SIZE
_PLACED = _TARGET + 16
_REFERENCE = _PLACED + TIP_SIZE

# Layout of `wires`: numbers of nodes, of variables and of rows, then the wiring.
_WIRING = 3

_NODE_SIZE = 15
_LIMITS_SIZE = 5


def pack(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    rows: int,
) -> Packed:
    """
    Pack tables of one tip.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    limits : (n, 5) float64
        See `kernels.limits`.
    rows : int
        How many are asked for.

    Returns
    -------
    numbers, wires : float64 and int64
        For `slide_to_goal`, read-only.
    space : int
        Size of its work space.

    """
    sizes = [len(nodes), len(limits), rows]
    numbers = np.concatenate([nodes.ravel(), tips.ravel(), limits.ravel()])
    wires = np.concatenate([np.array(sizes), wiring.ravel(), tip_wiring.ravel()])
    for array in (numbers, wires):
        array.setflags(write=False)
    height, width = slide_space(len(nodes), len(limits), 1, rows)
    return numbers, wires, _REFERENCE + len(limits) + height * width


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
        As for `kernels.slide.slide_from_starts`.
    size : int
        How many numbers the goal has.
    q : (n,) float64
        In and out: the reference, then the solution if there is one [rad or m].
    report : (REPORT_SIZE,) float64
        Output.
    work : float64
        Work space, of the size that `pack` says; it begins with the goal, see `kernels.goals`.

    Returns
    -------
    int
        SUCCESS, or NOT_FOUND also where the reference is not finite.

    """
    k, n, rows = wires[0], wires[1], wires[2]
    nodes = numbers[: _NODE_SIZE * k].reshape((k, _NODE_SIZE))
    at = _NODE_SIZE * k
    tips = numbers[at : at + TIP_SIZE].reshape((1, TIP_SIZE))
    limits = numbers[at + TIP_SIZE :].reshape((n, _LIMITS_SIZE))
    at = _WIRING + 3 * k
    wiring = wires[_WIRING:at].reshape((k, 3))
    tip_wiring = wires[at:].reshape((1, TIP_WIRING_SIZE))
    targets = work[_TARGET:_PLACED].reshape((1, 4, 4))
    placed = work[_PLACED:_REFERENCE].reshape((1, TIP_SIZE))
    reference = work[_REFERENCE : _REFERENCE + n]
    for i in range(n):
        reference[i] = q[i]
    for i in range(REPORT_SIZE):
        report[i] = 0.0
    report[ENERGY] = np.inf
    report[POSITION_ERROR] = report[ORIENTATION_ERROR] = np.nan
    if not place_goal(work[:size], tips, 0, targets, placed, reference):
        return NOT_FOUND
    height, width = slide_space(k, n, 1, rows)
    at = _REFERENCE + n
    rest = work[at : at + height * width].reshape((height, width))
    return slide_from_starts(
        nodes, wiring, placed, tip_wiring, limits, targets, reference, settings, random_seed, last,
        steps, q, report, rest,
    )  # fmt: skip
