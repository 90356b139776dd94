# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
One step towards targets that moves the tips no farther than allowed.

The statuses are those of Tekkotsu (Motion/IKSolver.h, StepResult). A step is one of
`ik_node.solvers.least_squares`, scaled as a whole until forward kinematics of the answer finds
every tip within the bounds.
"""

from __future__ import annotations

from typing import NamedTuple

from ik_node.kernels.arrays import FloatArray
from ik_node.solvers.joint_costs import Cost
from ik_node.solvers.kinematics import forward_kinematics
from ik_node.solvers.least_squares import LeastSquares, Place, VANISHED
from ik_node.solvers.null_space import cheaper
from ik_node.solvers.status import StepStatus
import numpy as np

_SCALINGS = 60
_ALMOST = 0.999
"""A step is scaled to a little less than the bound, so that it need not be scaled again."""


class Stepped(NamedTuple):
    """What a step did."""

    status: StepStatus
    before: Place
    after: Place
    blocked: tuple[str, ...] = ()
    """With LIMITS: the coordinates at whose limits it ends."""


def take_step(
    problem: LeastSquares,
    q: FloatArray,
    linear_step: float,
    angular_step: float,
    cost: Cost | None = None,
) -> Stepped:
    """
    Move towards the targets, as far as allowed.

    Parameters
    ----------
    problem : LeastSquares
        Targets, t tips, n variables.
    q : (n,) float64
        Where the joints are [rad or m]. One that is outside of its limits comes no farther out.
    linear_step, angular_step : float
        Largest distance [m] and angle [rad] that a tip may move, seen from the base; positive,
        infinite where there is no bound.
    cost : Cost, optional
        What is to be smaller, as far as the bounds allow, where the targets are reached.

    Returns
    -------
    Stepped

    """
    stepped = _nearer(problem, q, linear_step, angular_step)
    if cost is None or stepped.status is not StepStatus.SUCCESS:
        return stepped
    start = forward_kinematics(problem.tables, q[np.newaxis])[0]
    bounds = (linear_step, angular_step)
    after = cheaper(
        problem, stepped.after, cost, lambda ending: _ratio(problem, start, bounds, ending) <= 1.0
    )
    return stepped if after is None else stepped._replace(after=after)


def _nearer(
    problem: LeastSquares, q: FloatArray, linear_step: float, angular_step: float
) -> Stepped:
    """Move towards the targets alone."""
    outside = _outside(problem, q)
    _widen(problem, q)
    before = problem.at(q)
    if problem.reached(before):
        status = StepStatus.LIMITS if outside else StepStatus.SUCCESS
        return Stepped(status, before, before, outside)
    blocked = problem.blocked(before)
    after = None
    if problem.promise(before, ~blocked) >= VANISHED:
        start = forward_kinematics(problem.tables, q[np.newaxis])[0]
        bounds = (linear_step, angular_step)
        after = problem.step(before, lambda q, dq: _shortened(problem, start, bounds, q, dq))
    if after is None:
        limited = blocked.any() and (blocked.all() or problem.promise(before) >= VANISHED)
        if not limited:
            return Stepped(StepStatus.RANGE, before, before)
        names = zip(problem.tables.coordinate_names, blocked, strict=True)
        at_limit = tuple(name for name, stuck in names if stuck)
        return Stepped(StepStatus.LIMITS, before, before, at_limit)
    done = problem.reached(after) and not _outside(problem, after.q)
    return Stepped(StepStatus.SUCCESS if done else StepStatus.PROGRESS, before, after)


def _outside(problem: LeastSquares, q: FloatArray) -> tuple[str, ...]:
    """Name the coordinates that are outside of the limits of the mechanism."""
    limits = problem.tables.limits
    outside = (q < limits[:, 0]) | (q > limits[:, 1])
    names = zip(problem.tables.coordinate_names, outside, strict=True)
    return tuple(name for name, out in names if out)


def _widen(problem: LeastSquares, q: FloatArray) -> None:
    """Let joints that are outside of their limits be where they are: to jump is no step."""
    limits = problem.limits.copy()
    limits[:, 0] = np.minimum(limits[:, 0], q)
    limits[:, 1] = np.maximum(limits[:, 1], q)
    limits.setflags(write=False)
    problem.limits = limits


def _shortened(
    problem: LeastSquares,
    start: FloatArray,
    bounds: tuple[float, float],
    q: FloatArray,
    dq: FloatArray,
) -> FloatArray:
    """Scale a step (n,) until the tips, at poses (t, 4, 4) before it, stay within the bounds."""
    for _ in range(_SCALINGS):
        ratio = _ratio(problem, start, bounds, problem.moved(q, dq))
        if ratio <= 1.0:
            return dq
        dq = dq * (_ALMOST / ratio)
    return np.zeros(len(dq))


def _ratio(
    problem: LeastSquares, start: FloatArray, bounds: tuple[float, float], q: FloatArray
) -> float:
    """Tell how many times its bound the tip has moved that moved the farthest for its own."""
    poses = forward_kinematics(problem.tables, q[np.newaxis])[0]
    return max(
        float(np.linalg.norm(poses[:, :3, 3] - start[:, :3, 3], axis=1).max()) / bounds[0],
        _largest_angle(start, poses) / bounds[1],
    )


def _largest_angle(before: FloatArray, after: FloatArray) -> float:
    """Measure the largest angle [rad] between poses (t, 4, 4): exact also where it is small."""
    R = np.swapaxes(before[:, :3, :3], 1, 2) @ after[:, :3, :3]
    sines = np.stack(
        [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1
    )
    cosines = np.trace(R, axis1=1, axis2=2) - 1.0
    return float(np.arctan2(np.linalg.norm(sines, axis=1), cosines).max())
