# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Along the solutions of a task to where a cost is smaller.

A step goes in the null space of the rows (Liegeois: Automatic supervisory control of the
configuration and behavior of multibody mechanisms, IEEE T-SMC 7(12), 1977), with a basis Z of it
by z = -(Z^T H Z + mu I)^-1 Z^T g, and is then corrected until the targets are met again. It is
taken only if the cost is smaller there.
"""

from __future__ import annotations

from collections.abc import Callable
import time

from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.step import AT_BOUND
from ik_node.solvers.joint_costs import Cost
from ik_node.solvers.least_squares import LeastSquares, Mask, Place
import numpy as np

_CORRECTIONS = 8
_TRIALS = 10
_SHORTER = 0.3
_RANK = 1e-9
"""Singular values below this part of the largest are those of free motions."""
_DAMPING = 1e-3
_ENOUGH = 1e-7
"""Part of the cost, or of one, that a step has to promise."""
_LONGEST = 0.3
"""No joint goes farther in a step [rad or m]: beyond, solutions are no straight lines."""


def pursue(
    problem: LeastSquares, q: FloatArray, cost: Cost, deadline: float, steps: int
) -> tuple[FloatArray, int]:
    """
    Go from a solution to solutions of less cost.

    Parameters
    ----------
    problem : LeastSquares
        Targets.
    q : (n,) float64
        A solution [rad or m].
    cost : Cost
        What is to be small.
    deadline : float
        On the steady clock [s].
    steps : int
        At most so many.

    Returns
    -------
    q : (n,) float64
        A solution that costs no more.
    count : int
        Steps taken.

    """
    place, value = problem.at(q), cost.value(q)
    for count in range(steps):
        if time.monotonic() >= deadline:
            return place.q, count
        after = cheaper(problem, place, cost)
        if after is None:
            return place.q, count
        lower = cost.value(after.q)
        enough = value - lower > _ENOUGH * max(abs(value), 1.0)
        place, value = after, lower
        if not enough:
            return place.q, count + 1
    return place.q, steps


def cheaper(
    problem: LeastSquares,
    place: Place,
    cost: Cost,
    allowed: Callable[[FloatArray], bool] = lambda q: True,
) -> Place | None:
    """
    Take one step from a solution to another one that costs less.

    Parameters
    ----------
    problem : LeastSquares
        Targets.
    place : Place
        A solution.
    cost : Cost
        What is to be smaller.
    allowed : callable
        Tells of a configuration (n,) whether the step may end there.

    Returns
    -------
    Place or None
        None where no step is of use.

    """
    value = cost.value(place.q)
    gradient, hessian = cost.derivatives(place.q)
    dq = _direction(problem, place, gradient, hessian)
    if not -float(gradient @ dq) > _ENOUGH * max(abs(value), 1.0):
        return None
    dq *= min(1.0, _LONGEST / float(np.abs(dq).max()))
    for _ in range(_TRIALS):
        after = _corrected(problem, problem.at(problem.moved(place.q, dq)))
        if after is not None and allowed(after.q) and cost.value(after.q) < value:
            return after
        dq *= _SHORTER
    return None


def _corrected(problem: LeastSquares, place: Place) -> Place | None:
    """Bring what is near the targets back to them."""
    found: Place | None = place
    for _ in range(_CORRECTIONS):
        if found is None or problem.reached(found):
            return found
        found = problem.step(found)
    return None


def _direction(
    problem: LeastSquares, place: Place, gradient: FloatArray, hessian: FloatArray
) -> FloatArray:
    """Compute a step in the null space that pushes no joint through its limit."""
    q, limits = place.q, problem.limits
    at_lower, at_upper = q <= limits[:, 0] + AT_BOUND, q >= limits[:, 1] - AT_BOUND
    free: Mask = ~(at_lower & at_upper)
    while True:
        dq = np.zeros(len(q))
        basis = _null_space(place.jacobian[:, free])
        if basis.shape[1] == 0:
            return dq
        inner = basis.T @ hessian[np.ix_(free, free)] @ basis
        inner.reshape(-1)[:: len(inner) + 1] += _DAMPING * max(1.0, float(np.abs(inner).max()))
        dq[free] = -basis @ np.linalg.solve(inner, basis.T @ gradient[free])
        outward = free & ((at_lower & (dq < 0.0)) | (at_upper & (dq > 0.0)))
        if not outward.any():
            return dq
        free &= ~outward


def _null_space(jacobian: FloatArray) -> FloatArray:
    """Compute an orthonormal basis (n, k) of the motions that change no row."""
    n = jacobian.shape[1]
    if n == 0:
        return np.zeros((0, 0))
    _, values, rows = np.linalg.svd(jacobian)
    rank = int(np.count_nonzero(values > _RANK * max(float(values.max()), _RANK)))
    basis: FloatArray = rows[rank:].T
    return basis
