# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Work space of the kernels in lanes.

It is handed in as one array, as kernels that are called for every request allocate nothing: that
keeps the call from Python cheap.
"""

from __future__ import annotations

from typing import NamedTuple

from ik_node.kernels._jit import inlined
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.lanes.watch import VERDICT_ROWS, WATCH_ROWS


class Space(NamedTuple):
    """Parts of a work space; k nodes, n variables, t tips. Each has the width LANES."""

    x: FloatArray
    """(n, LANES) configurations [rad or m]."""
    answers: FloatArray
    """(n, LANES) configurations with the full turns of an answer."""
    targets: FloatArray
    """(12 t, LANES) per tip the rotation row-major, then the position."""
    frames: FloatArray
    """(12 k, LANES) see `ik_node.kernels.lanes.tree`."""
    places: FloatArray
    """(33 t, LANES) see `ik_node.kernels.lanes.rows`."""
    jacobian: FloatArray
    """(6 t n, LANES) joint by joint its column."""
    error: FloatArray
    """(6 t, LANES) weighted."""
    system: FloatArray
    """
    (m (m + 1) / 2 + m, LANES) for m = 6 t rows: the packed matrix J J^T, then the right-hand side.

    One array, so that the compiler sees that they do not overlap and keeps what it can in
    registers.
    """
    misses: FloatArray
    """(2, LANES) largest squared distance and angle of a tip."""
    watch: FloatArray
    """(WATCH_ROWS, LANES) see `ik_node.kernels.lanes.watch`."""
    verdict: FloatArray
    """(VERDICT_ROWS, LANES) see there."""


def space_rows(k: int, n: int, t: int) -> int:
    """
    Count the rows of a work space.

    Parameters
    ----------
    k, n, t : int
        Nodes, variables, tips.

    Returns
    -------
    int

    """
    m = 6 * t
    return (
        2 * n
        + 45 * t
        + 12 * k
        + m * n
        + m
        + m * (m + 1) // 2
        + m
        + 2
        + (WATCH_ROWS + VERDICT_ROWS)
    )


@inlined
def carve(work: FloatArray, k: int, n: int, t: int) -> Space:
    """
    Divide a work space into its parts, with nothing in the way of the first step.

    Compiled into its callers: views that a function without counting of references returns would
    be counted down by a caller that counts.

    Parameters
    ----------
    work : (space_rows(k, n, t), LANES) float64
        Any content.
    k, n, t : int
        Nodes, variables, tips.

    Returns
    -------
    Space

    """
    m = 6 * t
    answers = n
    targets = answers + n
    frames = targets + 12 * t
    places = frames + 12 * k
    jacobian = places + 33 * t
    error = jacobian + m * n
    system = error + m
    misses = system + m * (m + 1) // 2 + m
    watch = misses + 2
    verdict = watch + WATCH_ROWS
    # A lane without a problem computes along with the others, so it needs numbers.
    work[:frames] = 0.0
    work[watch : verdict + VERDICT_ROWS] = 0.0
    return Space(
        work[:answers],
        work[answers:targets],
        work[targets:frames],
        work[frames:places],
        work[places:jacobian],
        work[jacobian:error],
        work[error:system],
        work[system:misses],
        work[misses:watch],
        work[watch:verdict],
        work[verdict : verdict + VERDICT_ROWS],
    )
