# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Sliding along the solutions of a task that leaves joints free, towards a reference.

One step goes to the reference as far as the rows allow it: with g = reference - q it solves
(J J^T + lambda I) y = e - J g and goes g + J^T y, which removes the error e and is the projection
of g onto the null space of J otherwise (Liegeois: Automatic supervisory control of the
configuration and behavior of multibody mechanisms, IEEE T-SMC 7(12), 1977). Where nothing is left
to go, q is a point nearest to the reference, to first order.
"""

from __future__ import annotations

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import move
from ik_node.kernels.linalg import gram, solve_damped
from ik_node.kernels.rows import MIX_SIZE
from ik_node.kernels.solve import solve_starts
from ik_node.kernels.status import SUCCESS
from ik_node.kernels.step import (
    AT_BOUND,
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
_NOTHING = 1e-4
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
    reference: FloatArray,
    settings: FloatArray,
    steps: int,
    q: FloatArray,
    report: FloatArray,
) -> bool:
    """
    Move a solution to one that is nearer to a reference.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    limits : (n, 5) float64
        See `kernels.limits`.
    targets : (t, 4, 4) float64
        As for `kernels.solve.solve_starts`.
    reference : (n,) float64
        Where to go [rad or m].
    settings : (SETTINGS_SIZE,) float64
        Tolerances and weights, see `kernels.step`.
    steps : int
        At most so many.
    q : (n,) float64
        In and out; changed only to a solution that is nearer.
    report : (REPORT_SIZE,) float64
        Errors, energy and iterations are updated with it.

    Returns
    -------
    bool
        Whether `q` has changed.

    """
    k, n, rows = nodes.shape[0], q.shape[0], 6 * tip_wiring.shape[0]
    values, frames = np.empty((k, 3)), np.empty((k, 12))
    pose, goal, axes, mix = np.empty(12), np.empty((4, 4)), np.empty(9), np.empty(MIX_SIZE)
    jacobian, error, y = np.empty((n, rows)), np.empty(rows), np.empty(rows)
    packed = np.empty(rows * (rows + 1) // 2)
    factor = np.empty(rows * (rows + 1) // 2)
    active, wish, dq, x = np.empty(n), np.empty(n), np.empty(n), q.copy()
    trial = np.empty(REPORT_SIZE)
    corrections = 0
    for count in range(steps + _CORRECTIONS):
        energy, inside = evaluate(
            nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
            axes, mix, jacobian, error,
        )  # fmt: skip
        going = count < steps and corrections == 0
        if not going and inside:
            if _nearer(limits, x, q, reference) and reached(
                nodes, wiring, tips, tip_wiring, targets, x, settings, values, frames, pose, goal,
                axes, mix, error, trial,
            ):  # fmt: skip
                report[POSITION_ERROR] = trial[POSITION_ERROR]
                report[ORIENTATION_ERROR] = trial[ORIENTATION_ERROR]
                report[ENERGY] = energy
                report[ITERATIONS] += count
                q[:] = x
                return True
            return False
        for i in range(n):
            wish[i] = reference[i] - x[i] if going and limits[i, 4] == 1.0 else 0.0
        _projected(jacobian, error, limits, x, wish, active, packed, factor, y, dq)
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(dq[i]))
        if largest > _LONGEST:
            for i in range(n):
                dq[i] *= _LONGEST / largest
        move(limits, dq, x)
        if largest < _NOTHING or not going:
            corrections += 1
    return False


@allocating
def solve_near(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    targets: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    random_seed: int,
    steps: int,
    q: FloatArray,
    report: FloatArray,
) -> int:
    """
    Search from the seed alone, and slide back towards it.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, limits, targets, seed, settings, random_seed, q, report
        As for `kernels.solve.solve_starts`.
    steps : int
        As for `slide`.

    Returns
    -------
    int
        SUCCESS or NOT_FOUND.

    """
    code = solve_starts(
        nodes, wiring, tips, tip_wiring, limits, targets, seed, seed, settings, random_seed, 0, 1,
        q, report,
    )  # fmt: skip
    if code == SUCCESS:
        slide(nodes, wiring, tips, tip_wiring, limits, targets, seed, settings, steps, q, report)
    return code


@kernel
def _nearer(limits: FloatArray, x: FloatArray, q: FloatArray, reference: FloatArray) -> bool:
    before, after = 0.0, 0.0
    for i in range(q.shape[0]):
        if limits[i, 4] == 1.0:
            before += (q[i] - reference[i]) ** 2
            after += (x[i] - reference[i]) ** 2
    return after < before


@kernel
def _projected(
    jacobian: FloatArray,
    error: FloatArray,
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
    n, rows = jacobian.shape[0], error.shape[0]
    for i in range(n):
        active[i] = 1.0
    for _ in range(2):
        for r in range(rows):
            y[r] = error[r]
            for i in range(n):
                if active[i] != 0.0:
                    y[r] -= jacobian[i, r] * wish[i]
        gram(jacobian, active, rows, packed)
        solve_damped(packed, MINIMUM_DAMPING, rows, factor, y)
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
        if not stuck:
            return
