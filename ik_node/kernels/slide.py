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
from ik_node.kernels.linalg import gram, solve_again, solve_damped
from ik_node.kernels.rotations import rotate_vector_by
from ik_node.kernels.row_jacobian import count_rows
from ik_node.kernels.row_kinds import ANGLES, BOUNDED, CONE, ROW_BITS
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import (
    AT_BOUND,
    DAMPING,
    ENERGY,
    evaluate,
    ITERATIONS,
    MINIMUM_DAMPING,
    ORIENTATION_ERROR,
    POSITION_ERROR,
    reached,
)
from ik_node.kernels.tree import CONSTRAINTS, LOWER, TIP_SIZE, UPPER
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
_CORRECTIONS = 6
"""After the way has ended, how many steps may remove the error that is left."""
_LOOKS = 4
"""How often in a step joints and rows may be let go."""
_PATIENCE = 4
_FALL = 0.8
_LOST = 1e-3
"""
The way leads nowhere where so many steps have left more than this part of the energy, and more
than this of it: then corrections alone have to remove what is left, each of them this part.
"""
_SHORTEST = 0.05
"""The least share of the way that a step goes."""


_VECTORS = 18


@kernel
def padded(rows: int) -> int:
    """
    Round up a number of rows to one whose loops are unrolled; rows of zeros make no difference.

    Parameters
    ----------
    rows : int
        How many there are.

    Returns
    -------
    int

    """
    if rows <= 3:
        return 3
    return 6 if rows < 6 else rows


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
        See `kernels.tree`.
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
    ranged = _has_ranges(tips, tip_wiring)
    for tip in range(t):
        for i in range(TIP_SIZE):
            own_tips[tip, i] = tips[tip, i]
    going = True
    share, lowest, lowest_at, last = 1.0, np.inf, 0, steps
    for count in range(steps + _CORRECTIONS):
        if count >= last + _CORRECTIONS:
            break
        energy, inside = evaluate(
            nodes, wiring, own_tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
            axes, mix, six, jacobian, error,
        )  # fmt: skip
        if energy < _FALL * lowest:
            lowest, lowest_at = energy, count
        elif energy > _LOST and (not going or count >= lowest_at + _PATIENCE):
            if not going:
                return NOT_FOUND
            last, lowest = count, energy
        going = going and count < last
        if inside and not going:
            if report[ENERGY] < np.inf and not (
                _way_to(limits, x, reference, wish) < _way_to(limits, q, reference, wish)
            ):
                return NOT_FOUND
            if reached(
                nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
                axes, mix, six, trial,
            ):  # fmt: skip
                report[POSITION_ERROR] = trial[POSITION_ERROR]
                report[ORIENTATION_ERROR] = trial[ORIENTATION_ERROR]
                report[ENERGY] = energy
                for i in range(n):
                    q[i] = x[i]
                return SUCCESS
            return NOT_FOUND
        if ranged:
            _hold(tips, tip_wiring, error, own_tips, held)
        apart2 = 0.0
        if going:
            apart2 = _way_to(limits, x, reference, wish)
        else:
            for i in range(n):
                wish[i] = 0.0
        damping = DAMPING * energy + MINIMUM_DAMPING
        # With a constant size the loops over rows are unrolled.
        if rows == 3:
            _projected(
                jacobian, error, 3, damping, limits, x, wish, share, active, packed, factor, y, w,
                correction, way, held,
            )  # fmt: skip
        elif rows == 6:
            _projected(
                jacobian, error, 6, damping, limits, x, wish, share, active, packed, factor, y, w,
                correction, way, held,
            )  # fmt: skip
        else:
            _projected(
                jacobian, error, rows, damping, limits, x, wish, share, active, packed, factor, y,
                w, correction, way, held,
            )  # fmt: skip
        if ranged:
            _let_go(tips, tip_wiring, held, own_tips)
        if going and count > 0:
            share = _share(limits, x, way, old_x, old_way)
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
            _go(limits, correction, x)
            report[ITERATIONS] += 1.0
        nothing = left2 < max(_NOTHING * _NOTHING, _ASKEW * _ASKEW * apart2)
        going = going and not (nothing and farthest < _CLOSE)
    return NOT_FOUND


@kernel
def _is_range(tips: FloatArray, tip_wiring: IntArray, tip: int, i: int) -> bool:
    """Tell whether a row has bounds with something between them."""
    bits = BOUNDED if i < 3 else CONE | ANGLES
    return bool(
        tip_wiring[tip, CONSTRAINTS] & bits and tips[tip, LOWER + i] < tips[tip, UPPER + i]
    )


@kernel
def _has_ranges(tips: FloatArray, tip_wiring: IntArray) -> bool:
    for tip in range(tip_wiring.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i] and _is_range(tips, tip_wiring, tip, i):
                return True
    return False


@kernel
def _hold(
    tips: FloatArray,
    tip_wiring: IntArray,
    error: FloatArray,
    own_tips: FloatArray,
    held: FloatArray,
) -> None:
    """Hold what is outside of its bounds at the nearest one, so that it is not lost again."""
    row = 0
    for tip in range(tip_wiring.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i]:
                if held[row] == 0.0 and error[row] != 0.0 and _is_range(tips, tip_wiring, tip, i):
                    bound = UPPER + i if error[row] < 0.0 else LOWER + i
                    held[row] = -1.0 if error[row] < 0.0 else 1.0
                    own_tips[tip, LOWER + i] = own_tips[tip, UPPER + i] = tips[tip, bound]
                row += 1


@kernel
def _let_go(
    tips: FloatArray, tip_wiring: IntArray, held: FloatArray, own_tips: FloatArray
) -> None:
    """Give back their bounds to rows that a step has let go."""
    row = 0
    for tip in range(tips.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i]:
                if held[row] == 0.0:
                    own_tips[tip, LOWER + i] = tips[tip, LOWER + i]
                    own_tips[tip, UPPER + i] = tips[tip, UPPER + i]
                row += 1


@kernel
def _share(
    limits: FloatArray, x: FloatArray, way: FloatArray, old_x: FloatArray, old_way: FloatArray
) -> float:
    """
    Choose how much of the way to go, by how the way has changed since the last step.

    Where the solutions curve away from the reference a whole step goes too far (Barzilai, Borwein:
    Two-point step size gradient methods, IMA Journal of Numerical Analysis 8, 1988). More than a
    whole one is not gone: far from a straight line that finds worse solutions.
    """
    moved2, change = 0.0, 0.0
    for i in range(x.shape[0]):
        if limits[i, 4] == 1.0:
            step = x[i] - old_x[i]
            moved2 += step * step
            change += step * (old_way[i] - way[i])
    if change <= 0.0:
        return 1.0
    return min(max(moved2 / change, _SHORTEST), 1.0)


@kernel
def _go(limits: FloatArray, dq: FloatArray, x: FloatArray) -> None:
    """Add a step, up to the bounds: a full turn leads away from the reference."""
    for i in range(x.shape[0]):
        if limits[i, 4] == 1.0:
            x[i] = min(max(x[i] + dq[i], limits[i, 0]), limits[i, 1])
        elif limits[i, 4] == 3.0:
            rotate_vector_by(x[i : i + 3], dq[i : i + 3])


@kernel
def _way_to(limits: FloatArray, x: FloatArray, reference: FloatArray, way: FloatArray) -> float:
    """Compute the straight way, of rotation vectors about their moving axes; its square."""
    way2 = 0.0
    for i in range(x.shape[0]):
        if limits[i, 4] == 1.0:
            way[i] = reference[i] - x[i]
        elif limits[i, 4] == 3.0:
            for k in range(i, i + 3):
                way[k] = -x[k]
            rotate_vector_by(way[i : i + 3], reference[i : i + 3])
    for i in range(x.shape[0]):
        way2 += way[i] * way[i]
    return way2


@kernel
def _projected(
    jacobian: FloatArray,
    error: FloatArray,
    rows: int,
    damping: float,
    limits: FloatArray,
    x: FloatArray,
    wish: FloatArray,
    share: float,
    active: FloatArray,
    packed: FloatArray,
    factor: FloatArray,
    y: FloatArray,
    w: FloatArray,
    correction: FloatArray,
    way: FloatArray,
    held: FloatArray,
) -> None:
    """
    Compute both parts of a step; joints that it would push through their bounds stay.

    Which joints these are depends on which others stay: looked at until nothing changes, or so
    often, and then each that was pushed out once stays. The last step's are the first guess. Rows
    that are held at a bound (1: the lower one, -1: the upper one) are let go where the way leads
    inside.
    """
    n = jacobian.shape[0]
    for attempt in range(_LOOKS + n):
        for r in range(rows):
            y[r] = error[r]
            w[r] = 0.0
        for i in range(n):
            for r in range(rows):
                w[r] += active[i] * wish[i] * jacobian[i, r]
        gram(jacobian, active, rows, packed)
        solve_damped(packed, damping, rows, factor, y)
        solve_again(rows, factor, w)
        changed = False
        for r in range(rows):
            if held[r] * w[r] > 0.0 and attempt < _LOOKS:
                changed = True
                held[r], error[r] = 0.0, 0.0
                for i in range(n):
                    jacobian[i, r] = 0.0
        for i in range(n):
            back, along = 0.0, wish[i]
            for r in range(rows):
                back += jacobian[i, r] * y[r]
                along -= jacobian[i, r] * w[r]
            going = back + share * along
            outward = (going > 0.0 and x[i] >= limits[i, 1] - AT_BOUND) or (
                going < 0.0 and x[i] <= limits[i, 0] + AT_BOUND
            )
            if outward:
                changed = changed or active[i] != 0.0
                active[i] = 0.0
            elif active[i] == 0.0 and attempt < _LOOKS:
                changed = True
                active[i] = 1.0
            correction[i], way[i] = active[i] * back, active[i] * along
        if not changed:
            break
