# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
One damped least-squares step, and the check of an answer.

A step solves (J J^T + lambda I) y = e over the joints that may move and goes J^T y. The damping is
proportional to the squared error, lambda = DAMPING * E + MINIMUM_DAMPING with E = |e|^2 / 2: small
steps far away, Newton's steps near the target, without trial and rejection (Sugihara:
Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE T-RO 27(5),
2011). A joint that stands at a bound and is pushed outward leaves the step, unless it can go on
by a full turn.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import called, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import move, turns_endlessly
from ik_node.kernels.linalg import constant, gram, solve_damped
from ik_node.kernels.row_jacobian import tip_rows
from ik_node.kernels.row_kinds import ROW_BITS
from ik_node.kernels.rows import place_tip, tip_error
from ik_node.kernels.tree import CONSTRAINTS, joint_frames, joint_positions, joint_positions_exact

DAMPING = 0.05
MINIMUM_DAMPING = 1e-10
AT_BOUND = 1e-12

# Layout of `settings`, a float64 vector: one array argument is cheaper than eight numbers.
POSITION_TOLERANCE = 0
ORIENTATION_TOLERANCE = 1
POSITION_WEIGHT = 2
STEPS_PER_START = 3
STALL_WINDOW = 4
STALL_RATIO = 5
ORIENTATION_WEIGHT = 6
KEEP_NEAREST = 7  # 1: go on after a solution and keep the one nearest to the seed
SETTINGS_SIZE = 8

# Layout of `report`, a float64 vector.
ENERGY = 0
POSITION_ERROR = 1
ORIENTATION_ERROR = 2
ITERATIONS = 3
STARTS = 4
SOLUTIONS = 5  # with KEEP_NEAREST: how many starts reached the target
DISTANCE2 = 6  # with KEEP_NEAREST: squared distance of the kept one from the seed
REPORT_SIZE = 7


@called
def reached(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    q: FloatArray,
    settings: FloatArray,
    values: FloatArray,
    frames: FloatArray,
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
    mix: FloatArray,
    six: FloatArray,
    report: FloatArray,
) -> bool:
    """
    Check an answer by exact forward kinematics of the very values that are returned.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    targets : (t, 4, 4) float64
        Pose of the target of each tip in the moving frame of its node; see `kernels.tree`.
    q : (n,) float64
        The answer.
    settings : (SETTINGS_SIZE,) float64
        Tolerances, weights and patience; see the layout above.
    values, frames
        Work space of `kernels.tree`.
    pose, goal, axes, mix
        Work space of `kernels.rows`.
    six : (6,) float64
        Work space.
    report : (REPORT_SIZE,) float64
        Output: the largest errors over the tips.

    Returns
    -------
    bool
        Whether every tip is within both tolerances, as far as it is constrained.

    """
    joint_positions_exact(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    distance2 = 0.0
    angle2 = 0.0
    for tip in range(tip_wiring.shape[0]):
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        d2, a2 = tip_error(
            pose, goal, axes, tip_wiring[tip, CONSTRAINTS], tips[tip], False, 1.0, 1.0, six, 0,
            mix,
        )  # fmt: skip
        # NaN stays: it is no error of zero.
        if not (d2 <= distance2 or math.isnan(distance2)):
            distance2 = d2
        if not (a2 <= angle2 or math.isnan(angle2)):
            angle2 = a2
    report[POSITION_ERROR] = math.sqrt(distance2)
    report[ORIENTATION_ERROR] = math.sqrt(angle2)
    return bool(
        report[POSITION_ERROR] <= settings[POSITION_TOLERANCE]
        and report[ORIENTATION_ERROR] <= settings[ORIENTATION_TOLERANCE]
    )


@kernel
def evaluate(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    q: FloatArray,
    settings: FloatArray,
    values: FloatArray,
    frames: FloatArray,
    pose: FloatArray,
    goal: FloatArray,
    axes: FloatArray,
    mix: FloatArray,
    six: FloatArray,
    jacobian: FloatArray,
    error: FloatArray,
) -> tuple[float, bool]:
    """
    Compute errors and Jacobian at one configuration, of the rows that are asked for.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    targets : (t, 4, 4) float64
        Pose of the target of each tip in the moving frame of its node; see `kernels.tree`.
    q : (n,) float64
        Configuration.
    settings : (SETTINGS_SIZE,) float64
        Tolerances and weights.
    values, frames
        Work space of `kernels.tree`.
    pose, goal, axes, mix, six
        Work space of `kernels.rows`.
    jacobian : (n, rows) float64
        Output: transposed, rows weighted; as many as `kernels.row_jacobian.count_rows`.
    error : (rows,) float64
        Output: weighted.

    Returns
    -------
    energy : float
        Half the squared weighted error.
    inside : bool
        Whether every tip is within both tolerances, as far as it is constrained.

    """
    weight = settings[POSITION_WEIGHT]
    turn_weight = settings[ORIENTATION_WEIGHT]
    position_tolerance2 = settings[POSITION_TOLERANCE] ** 2
    orientation_tolerance2 = settings[ORIENTATION_TOLERANCE] ** 2
    joint_positions(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    inside = True
    row = 0
    energy = 0.0
    for tip in range(tip_wiring.shape[0]):
        constraints = tip_wiring[tip, CONSTRAINTS]
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        d2, a2 = tip_error(
            pose, goal, axes, constraints, tips[tip], False, weight, turn_weight, six, 0, mix
        )
        inside = inside and d2 <= position_tolerance2 and a2 <= orientation_tolerance2
        energy += 0.5 * (weight * weight * d2 + turn_weight * turn_weight * a2)
        first = row
        row = tip_rows(
            nodes, wiring, values, frames, tip_wiring, tip, pose, goal, mix, False, weight,
            turn_weight, jacobian, row,
        )  # fmt: skip
        at = first
        for i in range(6):
            if constraints & ROW_BITS[i]:
                error[at] = six[i]
                at += 1
    return energy, inside


@called
def energy_at(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    q: FloatArray,
    settings: FloatArray,
    work: FloatArray,
) -> float:
    """
    Compute the energy at a configuration alone, in half the time of `evaluate`.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring, targets, q, settings
        As for `evaluate`.
    work : (m, l) float64
        Work space, m >= 2 k + 8, l >= 33.

    Returns
    -------
    float
        Half the squared weighted error.

    """
    k = nodes.shape[0]
    frames, values, goal, rest = work[:k], work[k : 2 * k], work[2 * k : 2 * k + 4], work[2 * k :]
    pose, axes, mix, six = rest[4], rest[5], rest[6], rest[7]
    joint_positions(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    weight, turn_weight = settings[POSITION_WEIGHT], settings[ORIENTATION_WEIGHT]
    energy = 0.0
    for tip in range(tip_wiring.shape[0]):
        place_tip(frames, tips, tip_wiring, tip, targets[tip], pose, goal, axes)
        d2, a2 = tip_error(
            pose, goal, axes, tip_wiring[tip, CONSTRAINTS], tips[tip], False, 1.0, 1.0, six, 0, mix
        )
        energy += 0.5 * (weight * weight * d2 + turn_weight * turn_weight * a2)
    return energy


@called
def step(
    jacobian: FloatArray,
    error: FloatArray,
    damping: float,
    limits: FloatArray,
    active: FloatArray,
    packed: FloatArray,
    factor: FloatArray,
    y: FloatArray,
    q: FloatArray,
) -> None:
    """
    Take one damped step in place, inside the limits.

    Parameters
    ----------
    jacobian : (n, rows) float64
        Transposed, rows weighted.
    error : (rows,) float64
        Weighted.
    damping : float
        lambda.
    limits : (n, 5) float64
        See `kernels.limits`.
    active, packed, factor, y
        Work space: (n,), twice (rows (rows + 1) / 2,), (rows,).
    q : (n,) float64
        Changed in place.

    """
    rows = error.shape[0]
    for i in range(q.shape[0]):
        slope = 0.0
        for r in range(rows):
            slope += jacobian[i, r] * error[r]
        outward = (slope > 0.0 and q[i] >= limits[i, 1] - AT_BOUND) or (
            slope < 0.0 and q[i] <= limits[i, 0] + AT_BOUND
        )
        stuck = outward and not turns_endlessly(limits[i, 0], limits[i, 1], limits[i, 2])
        active[i] = 0.0 if stuck else 1.0
    for r in range(rows):
        y[r] = error[r]
    # One pose is the common case: with a constant size the loops are unrolled.
    if rows == 6:
        gram(jacobian, active, constant(6), packed)
        solve_damped(packed, damping, constant(6), factor, y)
    else:
        gram(jacobian, active, rows, packed)
        solve_damped(packed, damping, rows, factor, y)
    dq = active
    for i in range(q.shape[0]):
        if active[i] != 0.0:
            dq[i] = 0.0
            for r in range(rows):
                dq[i] += jacobian[i, r] * y[r]
    move(limits, dq, q)
