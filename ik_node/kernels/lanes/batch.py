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

from ik_node.kernels._jit import allocating
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
from ik_node.kernels.lanes.step import evaluate, step, within
from ik_node.kernels.lanes.vector import LANES
from ik_node.kernels.lanes.watch import CONVERGED, HALTED, VERDICT_ROWS, WATCH_ROWS
from ik_node.kernels.patience import is_hopeless, next_look
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
import numpy as np

STARTS_ALONE = 16
"""Starts of a target in its lane, before all lanes work on it."""


@allocating
def solve_targets(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_nodes: IntArray,
    limits: FloatArray,
    bounds: FloatArray,
    targets: FloatArray,
    seeds: FloatArray,
    settings: FloatArray,
    random_seed: int,
    max_starts: int,
    give_up: bool,
    q: FloatArray,
    reports: FloatArray,
    work: FloatArray,
    status: IntArray,
) -> None:
    """
    Solve many targets of one tip.

    Parameters
    ----------
    nodes, wiring, tips, tip_nodes
        See `ik_node.kernels.tree`: one tip, no spherical joints.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.
    bounds : (r, ROW_SIZE) float64
        See `ik_node.kernels.reach`.
    targets : (b, 4, 4) float64
        T_base_target.
    seeds : (b, n) float64
        Start 0 of each target [rad or m], and the reference of its full turns.
    settings : (SETTINGS_SIZE,) float64
        See `ik_node.kernels.step`.
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
    work : (work_rows(k, n, 1), LANES) float64
        Work space, see `ik_node.kernels.lanes.search`.
    status : (b,) int64
        Output: SUCCESS, UNREACHABLE or NOT_FOUND.

    """
    k, n = nodes.shape[0], q.shape[1]
    x = np.zeros((n, LANES))
    answers = np.zeros((n, LANES))
    lane_targets = np.zeros((12, LANES))
    frames = np.empty((12 * k, LANES))
    places = np.empty((3, LANES))
    jacobian = np.empty((6 * n, LANES))
    error = np.empty((6, LANES))
    misses = np.empty((2, LANES))
    system = np.empty((27, LANES))
    watch = np.empty((WATCH_ROWS, LANES))
    verdict = np.empty((VERDICT_ROWS, LANES))
    alone = min(STARTS_ALONE, max_starts)
    status[:] = 0
    problems = np.zeros(LANES, np.int64)
    # Starts of the target in a lane so far. All lanes begin as if their last target were done.
    starts = np.full(LANES, alone)
    change = np.ones(LANES, np.bool_)
    upcoming = 0
    live = LANES
    event = True
    while True:
        if event:
            for lane in range(LANES):
                if not change[lane]:
                    continue
                change[lane] = False
                if starts[lane] == alone:
                    problems[lane] = upcoming
                    upcoming += 1
                    starts[lane] = 0
                at = problems[lane]
                if at >= status.shape[0]:
                    watching.idle(watch, lane)
                    live -= 1
                    continue
                if starts[lane] == 0:
                    set_targets(targets[at : at + 1], lane, lane_targets)
                set_start(limits, seeds[at], seeds[at], q[at], random_seed, starts[lane], lane, x)
                watching.begin(watch, lane)
                starts[lane] += 1
                reports[at, STARTS] += 1.0
            if live == 0:
                break
        energy = evaluate(
            nodes, wiring, tips, tip_nodes, lane_targets, x, settings, frames, places, error,
            misses,
        )  # fmt: skip
        event = watching.look(energy, within(misses, settings), settings, watch, verdict)
        if event:
            solved = 0.0
            for lane in range(LANES):
                change[lane] = verdict[HALTED, lane] > 0.0
                solved += verdict[CONVERGED, lane]
                if change[lane]:
                    at = problems[lane]
                    keep_if_better(x, misses, verdict, lane, q[at], reports[at])
                    # A proof takes as long as a few steps, and most targets never need one.
                    if starts[lane] == 1 and verdict[CONVERGED, lane] == 0.0 and violated(
                        targets[at : at + 1], bounds, settings[POSITION_TOLERANCE],
                        settings[ORIENTATION_TOLERANCE],
                    ) >= 0:  # fmt: skip
                        status[at] = UNREACHABLE
                        starts[lane] = alone
            if solved > 0.0:
                changed = False
                for lane in range(LANES):
                    if verdict[CONVERGED, lane] > 0.0:
                        at = problems[lane]
                        changed = set_answer(limits, seeds[at], x, lane, answers) or changed
                if changed:
                    # What goes into an answer is put through forward kinematics itself.
                    evaluate(
                        nodes, wiring, tips, tip_nodes, lane_targets, answers, settings, frames,
                        places, error, misses,
                    )  # fmt: skip
                for lane in range(LANES):
                    at = problems[lane]
                    if verdict[CONVERGED, lane] > 0.0 and take_answer(
                        answers, misses, verdict, lane, seeds[at], settings, q[at], reports[at]
                    ):
                        status[at] = SUCCESS
                        starts[lane] = alone
                        change[lane] = True
                if changed:
                    energy = evaluate(
                        nodes, wiring, tips, tip_nodes, lane_targets, x, settings, frames, places,
                        error, misses,
                    )  # fmt: skip
            for lane in range(LANES):
                if change[lane]:
                    reports[problems[lane], ITERATIONS] += watching.steps_of(watch, lane)
        step(
            nodes, wiring, tip_nodes, frames, places, error,
            DAMPING * energy + MINIMUM_DAMPING, settings, limits, jacobian, system, x,
        )  # fmt: skip
    for at in range(status.shape[0]):
        first = alone
        while status[at] == 0:
            last = min(next_look(first), max_starts)
            code = solve_starts(
                nodes, wiring, tips, tip_nodes, limits, targets[at : at + 1], seeds[at], seeds[at],
                settings, random_seed, first, last, q[at], reports[at], work,
            )  # fmt: skip
            if code == SUCCESS or last == max_starts or (
                give_up and is_hopeless(last, reports[at, ENERGY])
            ):  # fmt: skip
                status[at] = code
            first = last
