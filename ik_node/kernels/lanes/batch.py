# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Many targets at once, one in each lane.

A lane that is done takes the next target, so all lanes stay busy. Targets that a few starts do not
solve wait until the others are done, then all lanes work on one of them at a time. So an answer
depends on its target, its seed and the options alone: not on its neighbours, nor on how a batch is
cut into pieces.
"""

from __future__ import annotations

from typing import NamedTuple

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
from ik_node.kernels.lanes.search import solve_starts
from ik_node.kernels.lanes.space import carve
from ik_node.kernels.lanes.step import evaluate, step, within
from ik_node.kernels.lanes.vector import LANES
from ik_node.kernels.lanes.watch import CONVERGED, HALTED
from ik_node.kernels.patience import ALMOST, is_hopeless, next_look
from ik_node.kernels.reach import violated
from ik_node.kernels.status import SUCCESS, UNREACHABLE
from ik_node.kernels.step import (
    DAMPING,
    ENERGY,
    ITERATIONS,
    MINIMUM_DAMPING,
    ORIENTATION_TOLERANCE,
    POSITION_TOLERANCE,
    STARTS,
)

STARTS_ALONE = 16
"""Starts of a target in its lane, before all lanes work on it."""

_STARTS_BEFORE_PROOF = 4
"""A proof of unreachability takes as long as some steps, and most targets never need one."""


class Queue(NamedTuple):
    """What the lanes work on."""

    upcoming: IntArray
    """[0]: the next target that no lane has worked on."""
    targets: IntArray
    """(LANES,) the target in each lane."""
    starts: IntArray
    """(LANES,) its starts so far; `alone` when it is done."""
    alone: int
    """The most of them."""


@kernel
def _next_start(
    queue: Queue,
    limits: FloatArray,
    targets: FloatArray,
    seeds: FloatArray,
    random_seed: int,
    q: FloatArray,
    reports: FloatArray,
    lane: int,
    x: FloatArray,
    lane_targets: FloatArray,
    watch: FloatArray,
) -> bool:
    """Give a lane the next start of its target, or of the next target; False: there is none."""
    if queue.starts[lane] == queue.alone:
        queue.targets[lane] = queue.upcoming[0]
        queue.starts[lane] = 0
        queue.upcoming[0] += 1
        if queue.targets[lane] >= targets.shape[0]:
            watching.idle(watch, lane)
            return False
        at = queue.targets[lane]
        set_targets(targets[at : at + 1], lane, lane_targets)
    at = queue.targets[lane]
    set_start(limits, seeds[at], seeds[at], q[at], random_seed, queue.starts[lane], lane, x)
    watching.begin(watch, lane)
    queue.starts[lane] += 1
    reports[at, STARTS] += 1.0
    return True


@called
def solve_targets(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    bounds: FloatArray,
    targets: FloatArray,
    seeds: FloatArray,
    settings: FloatArray,
    patient: FloatArray,
    random_seed: int,
    max_starts: int,
    give_up: bool,
    q: FloatArray,
    reports: FloatArray,
    work: FloatArray,
    answer_work: FloatArray,
    lanes: IntArray,
    begin: FloatArray,
    status: IntArray,
) -> None:
    """
    Solve many targets of one tip.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `ik_node.kernels.tree`: one tip, no spherical joints.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.
    bounds : (r, ROW_SIZE) float64
        See `ik_node.kernels.reach`.
    targets : (b, 4, 4) float64
        T_base_target.
    seeds : (b, n) float64
        Start 0 of each target [rad or m], and the reference of its full turns.
    settings, patient : (SETTINGS_SIZE,) float64
        See `ik_node.kernels.step`; the second for a start that is nearly there.
    random_seed : int
        Key of the random starts.
    max_starts : int
        Starts of each target.
    give_up : bool
        Whether to make fewer where it is hopeless to go on.
    q : (b, n) float64
        Output: the solutions, or the best configurations.
    reports : (b, REPORT_SIZE) float64
        In and out, as for `ik_node.kernels.solve.solve_starts`.
    work, answer_work : (space_rows(k, n, 1), LANES) float64
        Work spaces.
    lanes : (3, LANES) int64
        Work space.
    begin : (n,) float64
        Work space.
    status : (b,) int64
        Output: SUCCESS, UNREACHABLE or NOT_FOUND.

    """
    w = carve(work, nodes.shape[0], q.shape[1], 1)
    v = carve(answer_work, nodes.shape[0], q.shape[1], 1)
    alone = min(STARTS_ALONE, max_starts)
    status[:] = 0
    queue = Queue(lanes[0], lanes[1], lanes[2], alone)
    queue.upcoming[0] = 0
    queue.starts[:] = alone
    live = 0
    for lane in range(LANES):
        if _next_start(queue, limits, targets, seeds, random_seed, q, reports, lane, w.x,
                       w.targets, w.watch):  # fmt: skip
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
                at = queue.targets[lane]
                if w.verdict[CONVERGED, lane] > 0.0:
                    changed = set_answer(limits, seeds[at], w.x, lane, w.answers) or changed
                elif w.verdict[HALTED, lane] > 0.0:
                    keep_if_better(w.x, w.misses, w.verdict, lane, q[at], reports[at])
            of_answers = w.misses
            if changed:
                # What goes into an answer is put through forward kinematics itself.
                evaluate(
                    nodes, wiring, tips, tip_wiring, w.targets, w.answers, settings,
                    v.frames, v.places, v.error, v.misses,
                )  # fmt: skip
                of_answers = v.misses
            for lane in range(LANES):
                over = w.verdict[HALTED, lane] > 0.0
                if not (over or w.verdict[CONVERGED, lane] > 0.0):
                    continue
                at = queue.targets[lane]
                if w.verdict[CONVERGED, lane] > 0.0 and take_answer(
                    w.answers, of_answers, w.verdict, lane, seeds[at], settings, q[at], reports[at]
                ):
                    status[at] = SUCCESS
                    queue.starts[lane] = alone
                    over = True
                elif over and queue.starts[lane] == _STARTS_BEFORE_PROOF and violated(
                    targets[at : at + 1], bounds, settings[POSITION_TOLERANCE],
                    settings[ORIENTATION_TOLERANCE],
                ) >= 0:  # fmt: skip
                    status[at] = UNREACHABLE
                    queue.starts[lane] = alone
                if over:
                    reports[at, ITERATIONS] += watching.steps_of(w.watch, lane)
                    if not _next_start(queue, limits, targets, seeds, random_seed, q, reports,
                                       lane, w.x, w.targets, w.watch):  # fmt: skip
                        live -= 1
        step(
            nodes, wiring, tip_wiring, w.frames, w.places, w.error,
            DAMPING * energy + MINIMUM_DAMPING, watching.fresh(w.watch), settings, limits,
            w.jacobian, w.system, w.x,
        )  # fmt: skip
    for at in range(status.shape[0]):
        first = alone
        polished = 0.0
        while status[at] == 0:
            target, seed = targets[at : at + 1], seeds[at]
            last = min(next_look(first), max_starts)
            code = solve_starts(
                nodes, wiring, tips, tip_wiring, limits, target, seed, seed, settings, random_seed,
                first, last, q[at], reports[at], work,
            )  # fmt: skip
            first = last
            energy = reports[at, ENERGY]
            if code != SUCCESS and first < max_starts and energy < ALMOST and energy != polished:
                for i in range(begin.shape[0]):
                    begin[i] = q[at, i]
                zero = min(0, first)  # with literals the search would be compiled once more
                code = solve_starts(
                    nodes, wiring, tips, tip_wiring, limits, target, begin, seed, patient,
                    random_seed, zero, zero + 1, q[at], reports[at], work,
                )  # fmt: skip
                polished = reports[at, ENERGY]
            if code == SUCCESS or first == max_starts or (give_up and is_hopeless(first, energy)):
                status[at] = code
