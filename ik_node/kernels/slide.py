# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Sliding along the solutions of a task that leaves joints free, towards a reference.

One step goes to the reference as far as the rows allow it: with g = reference - q it solves
(J J^T + lambda I) y = e - J g and goes g + J^T y, which removes the error e and is the projection
of g onto the null space of J otherwise (Liegeois: Automatic supervisory control of the
configuration and behavior of multibody mechanisms, IEEE T-SMC 7(12), 1977). Where nothing is left
to go, q is a point nearest to the reference, to first order. The damping lambda is that of
`kernels.step`, so that the way may begin anywhere, for example at the reference itself.
"""

from __future__ import annotations

from ik_node.kernels._jit import allocating, inlined, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import into_limits, move
from ik_node.kernels.linalg import gram, solve_damped
from ik_node.kernels.rows import MIX_SIZE
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
    REPORT_SIZE,
)
import numpy as np

_LONGEST = 0.5
"""No joint goes farther than this in a step: beyond, the rows are no straight lines [rad or m]."""
_NOTHING = 1e-3
"""A step that is shorter than this in every joint is the last one [rad or m]."""
_CORRECTIONS = 6


@allocating
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

    Returns
    -------
    int
        SUCCESS where `q` has changed, otherwise NOT_FOUND.

    """
    k, n, rows = nodes.shape[0], q.shape[0], 6 * tip_wiring.shape[0]
    values, frames = np.empty((k, 3)), np.empty((k, 12))
    pose, goal, axes, mix = np.empty(12), np.empty((4, 4)), np.empty(9), np.empty(MIX_SIZE)
    jacobian, error, y = np.empty((n, rows)), np.empty(rows), np.empty(rows)
    packed = np.empty(rows * (rows + 1) // 2)
    factor = np.empty(rows * (rows + 1) // 2)
    active, wish, dq, x = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    trial = np.empty(REPORT_SIZE)
    for i in range(n):
        x[i] = into_limits(begin[i], limits[i, 0], limits[i, 1], limits[i, 2])
    going = True
    for count in range(steps + _CORRECTIONS):
        energy, inside = evaluate(
            nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
            axes, mix, jacobian, error,
        )  # fmt: skip
        going = going and count < steps
        if inside and not going:
            if (report[ENERGY] == np.inf or _nearer(limits, x, q, reference)) and reached(
                nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
                axes, mix, error, trial,
            ):  # fmt: skip
                report[POSITION_ERROR] = trial[POSITION_ERROR]
                report[ORIENTATION_ERROR] = trial[ORIENTATION_ERROR]
                report[ENERGY] = energy
                q[:] = x
                return SUCCESS
            return NOT_FOUND
        for i in range(n):
            wish[i] = reference[i] - x[i] if going and limits[i, 4] == 1.0 else 0.0
        damping = DAMPING * energy + MINIMUM_DAMPING
        if rows == 6:  # with a constant size the loops are unrolled
            _projected(jacobian, error, 6, damping, limits, x, wish, active, packed, factor, y, dq)
        else:
            _projected(
                jacobian, error, rows, damping, limits, x, wish, active, packed, factor, y, dq
            )
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(dq[i]))
        if largest > _LONGEST:
            for i in range(n):
                dq[i] *= _LONGEST / largest
        if largest > 0.0:
            move(limits, dq, x)
            report[ITERATIONS] += 1.0
        going = going and largest >= _NOTHING
    return NOT_FOUND


@kernel
def _nearer(limits: FloatArray, x: FloatArray, q: FloatArray, reference: FloatArray) -> bool:
    before, after = 0.0, 0.0
    for i in range(q.shape[0]):
        if limits[i, 4] == 1.0:
            before += (q[i] - reference[i]) ** 2
            after += (x[i] - reference[i]) ** 2
    return after < before


@inlined
def _projected(
    jacobian: FloatArray,
    error: FloatArray,
    rows: int,
    damping: float,
    limits: FloatArray,
    x: FloatArray,
    wish: FloatArray,
    active: FloatArray,
    packed: FloatArray,
    factor: FloatArray,
    y: FloatArray,
    dq: FloatArray,
) -> None:
    """Compute a step; joints that it would push through their bounds stay, twice looked at."""
    n = jacobian.shape[0]
    for i in range(n):
        active[i] = 1.0
    stuck = True
    for attempt in range(2):
        if attempt > 0 and not stuck:
            break
        for r in range(rows):
            y[r] = error[r]
            for i in range(n):
                if active[i] != 0.0:
                    y[r] -= jacobian[i, r] * wish[i]
        gram(jacobian, active, rows, packed)
        solve_damped(packed, damping, rows, factor, y)
        stuck = False
        for i in range(n):
            dq[i] = 0.0
            if active[i] != 0.0:
                dq[i] = wish[i]
                for r in range(rows):
                    dq[i] += jacobian[i, r] * y[r]
                outward = (dq[i] > 0.0 and x[i] >= limits[i, 1] - AT_BOUND) or (
                    dq[i] < 0.0 and x[i] <= limits[i, 0] + AT_BOUND
                )
                if outward:
                    active[i] = 0.0
                    dq[i] = 0.0
                    stuck = True
