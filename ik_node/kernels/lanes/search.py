# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Many starts of one problem at once: the first lane to converge has the answer.

A lane whose start halts takes the next one, so all lanes stay busy. A seed that is already near
the target is followed alone first: who tracks a path wants the configuration beside the last one,
not the first that some random start finds.
"""

from __future__ import annotations

from ik_node.kernels._jit import called, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes import watch as watching
from ik_node.kernels.lanes.lane import (
    keep_if_better,
    set_answer,
    set_start,
    set_targets,
    take_answer,
)
from ik_node.kernels.lanes.space import carve
from ik_node.kernels.lanes.step import evaluate, step, within
from ik_node.kernels.lanes.vector import LANES
from ik_node.kernels.lanes.watch import CONVERGED, HALTED
from ik_node.kernels.reach import violated
from ik_node.kernels.status import NOT_FOUND, SUCCESS, UNREACHABLE
from ik_node.kernels.step import (
    DAMPING,
    ITERATIONS,
    KEEP_NEAREST,
    MINIMUM_DAMPING,
    ORIENTATION_TOLERANCE,
    POSITION_TOLERANCE,
    SOLUTIONS,
    STARTS,
)

NEAR = 0.5
"""Half the squared weighted error below which a seed is near: about 0.5 m or 1 rad."""


@called
def solve_starts(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    random_seed: int,
    first: int,
    last: int,
    q: FloatArray,
    report: FloatArray,
    work: FloatArray,
) -> int:
    """
    Search from starts first..last-1, in lanes.

    Parameters, results and the starts are those of `ik_node.kernels.solve.solve_starts`. Which
    start has the answer differs: the one that needs the fewest steps, the lowest of them in a tie.
    With KEEP_NEAREST in the settings all starts are made, and of the solutions the one is kept
    that is nearest to the seed (Euclidean norm of the joint differences, full turns as near as the
    limits allow; the first in a tie).

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, limits, targets, begin, seed, settings
        See there.
    random_seed, first, last, q, report
        See there.
    work : (space_rows(k, n, t), LANES) float64
        Work space.

    Returns
    -------
    int
        SUCCESS or NOT_FOUND.

    """
    w = carve(work, nodes.shape[0], q.shape[0], tip_wiring.shape[0])
    begun = first
    solo = first == 0 and settings[KEEP_NEAREST] == 0.0  # until the seed turns out to be far
    looked = False
    live = 0
    for lane in range(LANES):
        set_targets(targets, lane, w.targets)
        # A lane without a start computes along with the others, so it needs numbers.
        set_start(limits, begin, seed, q, random_seed, min(begun, last - 1), lane, w.x)
        if begun < last:
            watching.begin(w.watch, lane)
            begun += 1
            live += 1
        else:
            watching.idle(w.watch, lane)
    watching.fresh(w.watch)  # these were there before the first step
    while live > 0:
        energy = evaluate(
            nodes, wiring, tips, tip_wiring, w.targets, w.x, settings, w.frames, w.places, w.error,
            w.misses,
        )  # fmt: skip
        if not looked:
            looked = True
            solo = solo and 0.5 * _square(w.error, 0) <= NEAR
            if solo:
                for lane in range(1, LANES):
                    watching.idle(w.watch, lane)
                begun = 1
                live = 1
        event = watching.look(energy, within(w.misses, settings), settings, w.watch, w.verdict)
        if event:
            crowd = solo and w.verdict[HALTED, 0] > 0.0
            changed = False
            for lane in range(LANES):
                if w.verdict[CONVERGED, lane] > 0.0:
                    changed = set_answer(limits, seed, w.x, lane, w.answers) or changed
                elif w.verdict[HALTED, lane] > 0.0 and report[SOLUTIONS] == 0.0:
                    keep_if_better(w.x, w.misses, w.verdict, lane, q, report)
            if changed:
                # What goes into an answer is put through forward kinematics itself.
                evaluate(
                    nodes, wiring, tips, tip_wiring, w.targets, w.answers, settings, w.frames,
                    w.places, w.error, w.misses,
                )  # fmt: skip
            for lane in range(LANES):
                over = w.verdict[HALTED, lane] > 0.0 or crowd
                if w.verdict[CONVERGED, lane] > 0.0 and take_answer(
                    w.answers, w.misses, w.verdict, lane, seed, settings, q, report
                ):
                    if settings[KEEP_NEAREST] == 0.0:
                        report[STARTS] += begun - first
                        return SUCCESS
                    over = True
                if over:
                    if begun < last:
                        set_start(limits, begin, seed, q, random_seed, begun, lane, w.x)
                        watching.begin(w.watch, lane)
                        begun += 1
                        live += 1
                    else:
                        watching.idle(w.watch, lane)
                    live -= 1
            if crowd:
                solo = False
                live += LANES - 1
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
        report[ITERATIONS] += live
    report[STARTS] += begun - first
    return SUCCESS if report[SOLUTIONS] > 0.0 else NOT_FOUND


@kernel
def _square(error: FloatArray, lane: int) -> float:
    """Compute the squared length of the error in one lane."""
    total = 0.0
    for row in range(error.shape[0]):
        total += error[row, lane] ** 2
    return total


@kernel
def prove_or_solve(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    bounds: FloatArray,
    targets: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    random_seed: int,
    last: int,
    q: FloatArray,
    report: FloatArray,
    work: FloatArray,
) -> int:
    """
    Do what most requests need, in one call: look for a proof, then make the first starts.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, limits, targets, seed, settings, random_seed, last
        As for `solve_starts`; the seed is also where start 0 begins.
    bounds : (r, ROW_SIZE) float64
        See `ik_node.kernels.reach`.
    q, report, work
        As for `solve_starts`.

    Returns
    -------
    int
        SUCCESS, NOT_FOUND, or UNREACHABLE without having made a start.

    """
    tolerances = settings[POSITION_TOLERANCE], settings[ORIENTATION_TOLERANCE]
    if violated(targets, bounds, tolerances[0], tolerances[1]) >= 0:
        return UNREACHABLE
    first = min(0, last)  # with a literal 0 the search would be compiled once more
    return solve_starts(
        nodes, wiring, tips, tip_wiring, limits, targets, seed, seed, settings, random_seed, first,
        last, q, report, work,
    )  # fmt: skip
