# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
An iteration whose every update is as the options say, for callers that need just that.

It is slower than the search of `ik_node.solvers.restarts` and finds less: the damping does not
adapt, and by default there is no other start than the seed.
"""

from __future__ import annotations

from collections.abc import Callable
import math
import time
from typing import NamedTuple

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import draw_start, into_limits, move
from ik_node.model.tables import Tables
from ik_node.solvers.ik_options import IKOptions
from ik_node.solvers.inverses import damped_inverse, truncated_inverse
from ik_node.solvers.kinematics import task_rows
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.starts import BLANK
from ik_node.solvers.status import SolveStatus
import numpy as np


class _Place(NamedTuple):
    """The task at one configuration."""

    jacobian: FloatArray
    """(r, n) weighted."""
    error: FloatArray
    """(r,) target minus tip, weighted."""
    energy: float
    """Half the squared weighted error."""
    distance: float
    """The largest over the tips [m]."""
    angle: float
    """The largest over the tips [rad]."""


@np.errstate(over='ignore', invalid='ignore')  # what diverges is noticed
def descend(tables: Tables, targets: FloatArray, seed: FloatArray, options: IKOptions) -> Outcome:
    """
    Iterate from the seed, and from random starts where the options want them.

    Parameters
    ----------
    tables : Tables
        The mechanism, t tips, n variables.
    targets : (t, 4, 4) float64
        T_base_target of each tip, checked.
    seed : (n,) float64
        First start [rad or m], checked.
    options : IKOptions
        With another method than 'adaptive'.

    Returns
    -------
    Outcome
        SUCCESS with the first iterate within the tolerances, as it is; else NOT_FOUND or TIMED_OUT
        with the iterate of the smallest weighted error.

    """
    deadline = time.monotonic() + options.timeout
    updates = max(options.max_iterations, 1)
    starts = math.inf if options.max_starts is None else options.max_starts
    # Kernels take signed integers and look at the bits alone.
    random_seed = options.random_seed - (2**64 if options.random_seed >= 2**63 else 0)
    inverse, limits = _inverse(options), _limits_of_updates(tables, options)
    best, report = seed.copy(), BLANK.copy()
    start = 0
    while start < starts:
        q = _start(tables, seed, best, random_seed, start, options)
        report[step.STARTS] += 1.0
        place = _place(tables, targets, q, options)
        for count in range(updates + 1):
            reached = _within(place, options)
            if reached or place.energy < report[step.ENERGY]:
                best = q.copy()
                report[step.ENERGY] = place.energy
                report[step.POSITION_ERROR] = place.distance
                report[step.ORIENTATION_ERROR] = place.angle
            if reached:
                return Outcome(SolveStatus.SUCCESS, best, report)
            if count == updates:
                break
            if (count > 0 or start > 0) and time.monotonic() >= deadline:
                return Outcome(SolveStatus.TIMED_OUT, best, report)
            dq = _update(inverse, place, options)
            if not math.isfinite(dq.dot(dq)):
                break  # it diverged
            move(limits, dq, q)
            report[step.ITERATIONS] += 1.0
            place = _place(tables, targets, q, options)
        start += 1
    return Outcome(SolveStatus.NOT_FOUND, best, report)


def _start(
    tables: Tables,
    seed: FloatArray,
    best: FloatArray,
    random_seed: int,
    start: int,
    options: IKOptions,
) -> FloatArray:
    """Give the seed, inside of the limits where they count, or a random configuration."""
    q: FloatArray = seed.copy()
    if start > 0:
        draw_start(tables.limits, seed, best, random_seed, start, q)
    elif options.enforce_joint_limits:
        for i, (lower, upper, period) in enumerate(tables.limits[:, :3].tolist()):
            q[i] = into_limits(q[i], lower, upper, period)
    return q


def _limits_of_updates(tables: Tables, options: IKOptions) -> FloatArray:
    """Make the limits that updates run into: a bound is a wall, not a way to go on by a turn."""
    limits: FloatArray = tables.limits.copy()
    limits[:, 2] = 0.0
    if not options.enforce_joint_limits:
        limits[:, 0], limits[:, 1] = -math.inf, math.inf
    limits.setflags(write=False)  # as in tables: another array type is another kernel
    return limits


def _inverse(options: IKOptions) -> Callable[[FloatArray], FloatArray]:
    """Choose what makes the (n, r) matrix B of an update from a Jacobian (r, n)."""
    if options.inverse_method == 'dls':
        return lambda jacobian: damped_inverse(jacobian, options.damping)
    if options.inverse_method == 'transpose':
        return lambda jacobian: options.transpose_gain * jacobian.T
    cutoff = options.svd_tolerance**2
    return lambda jacobian: truncated_inverse(jacobian, cutoff)


def _update(
    inverse: Callable[[FloatArray], FloatArray], place: _Place, options: IKOptions
) -> FloatArray:
    """Make an update; scaled as a whole it keeps its direction."""
    dq: FloatArray = options.step_size * (inverse(place.jacobian) @ place.error)
    largest = float(np.abs(dq).max())
    if largest > options.max_step:
        dq *= options.max_step / largest
    return dq


def _within(place: _Place, options: IKOptions) -> bool:
    if not place.distance <= options.position_tolerance:
        return False
    return not options.tracks_orientation or place.angle <= options.orientation_tolerance


def _place(tables: Tables, targets: FloatArray, q: FloatArray, options: IKOptions) -> _Place:
    """Compute the weighted task at a configuration."""
    rows = task_rows(tables, targets, q, own_axes=False)
    n = q.shape[0]
    jacobian: FloatArray = rows.jacobian.reshape(-1, 2, 3, n)
    error: FloatArray = rows.error.reshape(-1, 2, 3)
    if not options.tracks_orientation:
        jacobian, error = jacobian[:, :1], error[:, :1]
    elif options.orientation_weight != 1.0:
        weights = np.array([1.0, options.orientation_weight])
        jacobian = jacobian * weights[:, np.newaxis, np.newaxis]
        error = error * weights[:, np.newaxis]
    flat = error.reshape(-1)
    return _Place(
        jacobian.reshape(-1, n),
        flat,
        0.5 * float(flat.dot(flat)),
        float(rows.distances.max()),
        float(rows.angles.max()),
    )
