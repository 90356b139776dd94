# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Different solutions of one problem, from many starts.

Every start is drawn anew: whatever was found already, the others are as likely as before.
"""

from __future__ import annotations

from ik_node.kernels._jit import called, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes import watch as watching
from ik_node.kernels.lanes.lane import set_answer, set_targets
from ik_node.kernels.lanes.space import carve
from ik_node.kernels.lanes.step import evaluate, step, within
from ik_node.kernels.lanes.vector import LANES
from ik_node.kernels.lanes.watch import CONVERGED, HALTED
from ik_node.kernels.limits import draw, into_limits
from ik_node.kernels.step import (
    DAMPING,
    MINIMUM_DAMPING,
    ORIENTATION_TOLERANCE,
    POSITION_TOLERANCE,
)
import numpy as np

# Layout of `counts`, int64.
FOUND = 0  # solutions so far
STARTS = 1  # starts so far, the seed's included
SINCE = 2  # starts that ended since the last new solution
COUNTS_SIZE = 3


@called
def collect(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    random_seed: int,
    last: int,
    same: float,
    found: FloatArray,
    counts: IntArray,
    work: FloatArray,
) -> None:
    """
    Make starts until there are enough different solutions, or the last start is made.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, limits, targets, settings, random_seed
        As for `ik_node.kernels.lanes.search.solve_starts`.
    seed : (n,) float64
        Start 0, and what full turns are near to [rad or m].
    last : int
        Starts counts[STARTS]..last-1 are made.
    same : float
        Configurations whose largest joint difference is below this are one [rad or m], full turns
        not counted.
    found : (most, n) float64
        In and out: the solutions.
    counts : (COUNTS_SIZE,) int64
        In and out, see above.
    work : (space_rows(k, n, t), LANES) float64
        Work space.

    """
    w = carve(work, nodes.shape[0], seed.shape[0], tip_wiring.shape[0])
    live = 0
    for lane in range(LANES):
        set_targets(targets, lane, w.targets)
        if _next_start(limits, seed, random_seed, last, counts, lane, w.x, w.watch):
            live += 1
    watching.fresh(w.watch)  # these were there before the first step
    while live > 0:
        energy = evaluate(
            nodes, wiring, tips, tip_wiring, w.targets, w.x, settings, w.frames, w.places, w.error,
            w.misses,
        )  # fmt: skip
        if watching.look(energy, within(w.misses, settings), settings, w.watch, w.verdict):
            changed = False
            for lane in range(LANES):
                if w.verdict[CONVERGED, lane] > 0.0:
                    changed = set_answer(limits, seed, w.x, lane, w.answers) or changed
            if changed:
                # What goes into an answer is put through forward kinematics itself.
                evaluate(
                    nodes, wiring, tips, tip_wiring, w.targets, w.answers, settings, w.frames,
                    w.places, w.error, w.misses,
                )  # fmt: skip
            for lane in range(LANES):
                solved = (
                    w.verdict[CONVERGED, lane] > 0.0
                    and w.misses[0, lane] <= settings[POSITION_TOLERANCE] ** 2
                    and w.misses[1, lane] <= settings[ORIENTATION_TOLERANCE] ** 2
                )
                if not (solved or w.verdict[HALTED, lane] > 0.0):
                    continue
                counts[SINCE] += 1
                if solved and _is_new(limits, w.answers, lane, same, found, counts[FOUND]):
                    for i in range(seed.shape[0]):
                        found[counts[FOUND], i] = w.answers[i, lane]
                    counts[FOUND] += 1
                    counts[SINCE] = 0
                    if counts[FOUND] == found.shape[0]:
                        return
                if not _next_start(limits, seed, random_seed, last, counts, lane, w.x, w.watch):
                    live -= 1
            if changed:
                energy = evaluate(
                    nodes, wiring, tips, tip_wiring, w.targets, w.x, settings, w.frames, w.places,
                    w.error, w.misses,
                )  # fmt: skip
        step(
            nodes, wiring, tip_wiring, w.frames, w.places, w.error,
            DAMPING * energy + MINIMUM_DAMPING, watching.fresh(w.watch), settings, limits,
            w.jacobian, w.system, w.x,
        )  # fmt: skip


@kernel
def _next_start(
    limits: FloatArray,
    seed: FloatArray,
    random_seed: int,
    last: int,
    counts: IntArray,
    lane: int,
    x: FloatArray,
    watch: FloatArray,
) -> bool:
    """Begin the next start in a lane; False: there is none."""
    start = counts[STARTS]
    if start >= last:
        watching.idle(watch, lane)
        return False
    if start == 0:
        for i in range(seed.shape[0]):
            x[i, lane] = into_limits(seed[i], limits[i, 0], limits[i, 1], limits[i, 2])
    else:
        draw(limits, seed, random_seed, start, x[:, lane])
    watching.begin(watch, lane)
    counts[STARTS] += 1
    return True


@kernel
def _is_new(
    limits: FloatArray,
    answers: FloatArray,
    lane: int,
    same: float,
    found: FloatArray,
    count: int,
) -> bool:
    """Tell whether a configuration differs from all that were found, full turns not counted."""
    for other in range(count):
        largest = 0.0
        for i in range(found.shape[1]):
            difference = answers[i, lane] - found[other, i]
            period = limits[i, 2]
            if period > 0.0:
                difference -= np.floor(difference / period + 0.5) * period
            largest = max(largest, abs(difference))
        if largest < same:
            return False
    return True
