# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Sliding along the solutions of a task that leaves joints free, towards a reference.

One step goes to the reference as far as the rows allow it: with g = reference - q it solves
(J J^T + lambda I) y = e and (J J^T + lambda I) w = J g. J^T y is the correction, which removes the
error e; g - J^T w is the way, the projection of g onto the null space of J (Liegeois: Automatic
supervisory control of the configuration and behavior of multibody mechanisms, IEEE T-SMC 7(12),
1977), of which a share is gone. Where nothing of it is left, q is a point nearest to the
reference, to first order. The damping lambda is that of `kernels.step`, so that the way may begin
anywhere, for example at the reference itself.

Bounds are an active set. A joint stays at its limit while the step leads out; a row that has left
its bounds is held at the one it left by while its multiplier w says that the way leads out.
"""

from __future__ import annotations

from ik_node.kernels._jit import called, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.held_rows import has_ranges, hold, let_go
from ik_node.kernels.limits import nearest_turn
from ik_node.kernels.linalg import constant
from ik_node.kernels.projection import go, project, share_of, way_to
from ik_node.kernels.row_jacobian import count_rows
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import (
    DAMPING,
    ENERGY,
    evaluate,
    ITERATIONS,
    MINIMUM_DAMPING,
    ORIENTATION_ERROR,
    ORIENTATION_TOLERANCE,
    ORIENTATION_WEIGHT,
    POSITION_ERROR,
    POSITION_TOLERANCE,
    POSITION_WEIGHT,
    reached,
)
from ik_node.kernels.tree import TIP_SIZE
import numpy as np

_LONGEST = 0.7
"""No joint goes farther than this in a step: beyond, the rows are no straight lines [rad or m]."""
_NOTHING = 1e-3
_ASKEW = 0.03
"""
What is left to go is nothing where it is shorter than this [rad or m], or than this part of the
way to the reference: the angle between that way and what the rows forbid, off a right one.
"""
_CLOSE = 0.05
"""Corrections that are shorter than this converge by themselves [rad or m]."""
_CAREFUL = 0.3
"""The largest share of the way after one that led nowhere."""
_CORRECTIONS = 6
"""After the way has ended, how many steps may remove the error that is left."""
_PATIENCE = 3
_FALL = 0.8
_LOST = 1e-3
"""
The way leads nowhere where so many steps have left more than this part of the energy, and more
than this of it: then corrections alone have to remove what is left, each of them this part.
"""
_VECTORS = 20
"""Rows of the work space that are no tables; the last two are not for `slide` itself."""


@kernel
def padded(rows: int) -> int:
    """
    Round up a number of rows to one whose loops are unrolled: rows of zeros make no difference.

    Parameters
    ----------
    rows : int
        How many there are.

    Returns
    -------
    int

    """
    return max(rows, 3)


@kernel
def slide_space(k: int, n: int, t: int, rows: int) -> tuple[int, int]:
    """
    Compute how large the work space of a slide is.

    Parameters
    ----------
    k, n, t, rows : int
        Nodes, variables, tips, rows that are asked for.

    Returns
    -------
    tuple of two int
        Its shape.

    """
    rows = padded(rows)
    return 2 * k + n + t + 4 + _VECTORS, max(TIP_SIZE, n, rows * (rows + 1) // 2)


@called
def slide(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    begin: FloatArray,
    reference: FloatArray,
    settings: FloatArray,
    steps: int,
    q: FloatArray,
    report: FloatArray,
    work: FloatArray,
) -> int:
    """
    Find the solution nearest to a reference, on the way from a configuration to it.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`. An array of tips that may be written, as goals are placed in one: for
        one that may not, all of this would be compiled once more.
    limits : (n, 5) float64
        See `kernels.limits`.
    targets : (t, 4, 4) float64
        As for `kernels.solve.solve_starts`.
    begin : (n,) float64
        Where to begin: a solution, or the reference [rad or m].
    reference : (n,) float64
        Where to go [rad or m].
    settings : (SETTINGS_SIZE,) float64
        Tolerances and weights, see `kernels.step`.
    steps : int
        At most so many.
    q : (n,) float64
        In and out: a solution, which is replaced by a nearer one alone, or anything where the
        energy of the report is infinite.
    report : (REPORT_SIZE,) float64
        Energy, errors and iterations of `q`.
    work : float64
        Work space, of the size that `slide_space` says. One array: to make many takes as long as
        several steps.

    Returns
    -------
    int
        SUCCESS where `q` has changed, otherwise NOT_FOUND.

    """
    k, n, t, rows = nodes.shape[0], q.shape[0], tip_wiring.shape[0], padded(count_rows(tip_wiring))
    frames, values, jacobian = work[:k], work[k : 2 * k], work[2 * k : 2 * k + n]
    at = 2 * k + n
    own_tips, goal = work[at : at + t], work[at + t : at + t + 4]
    rest = work[at + t + 4 :]
    pose, axes, mix, six, trial = rest[0], rest[1], rest[2], rest[3], rest[4]
    error, y, w, held = rest[5], rest[6], rest[7], rest[8]
    active, wish, x, way = rest[9], rest[10], rest[11][:n], rest[12]
    correction, old_way, old_x = rest[13], rest[14], rest[15]
    packed, factor = rest[16], rest[17]
    for r in range(rows):
        error[r], held[r] = 0.0, 0.0
    for i in range(n):
        for r in range(rows):
            jacobian[i, r] = 0.0
        x[i] = min(max(begin[i], limits[i, 0]), limits[i, 1])
        active[i] = 1.0
    ranged = has_ranges(tips, tip_wiring)
    for tip in range(t):
        for i in range(TIP_SIZE):
            own_tips[tip, i] = tips[tip, i]
    going, short = True, False
    share, most, lowest, lowest_at, last = 1.0, 1.0, np.inf, 0, steps
    # What a correction leaves is about its square: then the largest that needs no other one.
    short2 = min(settings[POSITION_TOLERANCE], settings[ORIENTATION_TOLERANCE])
    found = NOT_FOUND
    for count in range(steps + _CORRECTIONS):
        if count >= last + _CORRECTIONS:
            break
        arrived, energy = False, 0.0
        if not short:
            energy, inside = evaluate(
                nodes, wiring, own_tips, tip_wiring, targets, x, settings, values, frames, pose,
                goal, axes, mix, six, jacobian, error,
            )  # fmt: skip
            if energy < _FALL * lowest:
                lowest, lowest_at = energy, count
            elif energy > _LOST and (not going or count >= lowest_at + _PATIENCE):
                if not going:
                    return found
                last, lowest = count, energy
            going = going and count < last
            arrived = inside and not going
        if short or arrived:
            for i in range(n):  # a way around may be longer than a full turn back
                x[i] = nearest_turn(x[i], reference[i], limits[i, 0], limits[i, 1], limits[i, 2])
            is_reached = reached(
                nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
                axes, mix, six, trial,
            )  # fmt: skip
            if not is_reached:
                if arrived:
                    return found
                short, short2 = False, 0.0  # to look once more would not be worth it
                continue
            if short:
                energy = 0.5 * (
                    (settings[POSITION_WEIGHT] * trial[POSITION_ERROR]) ** 2
                    + (settings[ORIENTATION_WEIGHT] * trial[ORIENTATION_ERROR]) ** 2
                )
            if report[ENERGY] < np.inf and not (
                way_to(limits, x, reference, wish) < way_to(limits, q, reference, wish)
            ):
                return found
            report[POSITION_ERROR] = trial[POSITION_ERROR]
            report[ORIENTATION_ERROR] = trial[ORIENTATION_ERROR]
            report[ENERGY] = energy
            for i in range(n):
                q[i] = x[i]
            found = SUCCESS
            if last == steps or most < 1.0:
                return found
            # The way was left before its end: once more, from a solution and in smaller steps.
            going, short, most, last, lowest_at = True, False, _CAREFUL, steps, count
            continue
        if ranged:
            hold(tips, tip_wiring, error, own_tips, held)
        apart2 = 0.0
        if going:
            apart2 = way_to(limits, x, reference, wish)
        else:
            for i in range(n):
                wish[i] = 0.0
        damping = DAMPING * energy + MINIMUM_DAMPING
        # With a constant size the loops over rows are unrolled.
        if rows == 3:
            project(
                jacobian, error, constant(3), damping, limits, x, wish, share, active, packed,
                factor, y, w, correction, way, held,
            )  # fmt: skip
        elif rows == 4:
            project(
                jacobian, error, constant(4), damping, limits, x, wish, share, active, packed,
                factor, y, w, correction, way, held,
            )  # fmt: skip
        elif rows == 5:
            project(
                jacobian, error, constant(5), damping, limits, x, wish, share, active, packed,
                factor, y, w, correction, way, held,
            )  # fmt: skip
        elif rows == 6:
            project(
                jacobian, error, constant(6), damping, limits, x, wish, share, active, packed,
                factor, y, w, correction, way, held,
            )  # fmt: skip
        else:
            project(
                jacobian, error, rows, damping, limits, x, wish, share, active, packed, factor, y,
                w, correction, way, held,
            )  # fmt: skip
        if ranged:
            let_go(tips, tip_wiring, held, own_tips)
        if going and count > 0:
            share = min(share_of(limits, x, way, old_x, old_way), most)
        largest, farthest, left2 = 0.0, 0.0, 0.0
        for i in range(n):
            left2 += way[i] * way[i]
            farthest = max(farthest, abs(correction[i]))
            old_x[i], old_way[i] = x[i], way[i]
            correction[i] += share * way[i]
            largest = max(largest, abs(correction[i]))
        if largest > 0.0:
            scale = min(1.0, _LONGEST / largest)
            for i in range(n):
                correction[i] *= scale
            go(limits, correction, x)
            report[ITERATIONS] += 1.0
        nothing = left2 < max(_NOTHING * _NOTHING, _ASKEW * _ASKEW * apart2)
        going = going and not (nothing and farthest < _CLOSE)
        short = not going and t == 1 and largest * largest < short2
    return found
