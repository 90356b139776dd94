# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Residual rows of orientations; see `ik_node.kernels.row_kinds`.

Where a direction is undefined (opposite axes, a target at the eye, an axis that points along the
normal of its azimuth) the error is a half turn, so that no solver takes it for solved.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import PI, rotation_error, TWO_PI
from ik_node.kernels.row_kinds import (
    ALPHA_BETA,
    AZIMUTH,
    CONE,
    GAMMA,
    LOOKAT,
    MIX_SIZE,
    ORIENTATION,
    V,
    W,
)
from ik_node.kernels.tree import LOWER, UPPER

POLE = 1e-9
"""
Two z axes nearer to opposite than this (1 + cosine), a target nearer than this to the eye [m], or
an axis with less than this across a normal, have no direction to turn to.
"""


@kernel
def orientation_rows(
    pose: FloatArray,
    goal: FloatArray,
    kind: int,
    bounds: FloatArray,
    error: FloatArray,
    row: int,
    mix: FloatArray,
) -> float:
    """
    Write the three rows of an orientation.

    Parameters
    ----------
    pose, goal
        From `kernels.rows.place_tip`.
    kind : int
        Bits of orientations, or 0.
    bounds : (33,) float64
        Row of `tips`, for its bounds.
    error : (rows,) float64
        Output at row..row+2 [rad], not weighted.
    row : int
        First of them.
    mix : (27,) float64
        Output: V and W, where there is an orientation.

    Returns
    -------
    float
        Squared angle [rad^2].

    """
    error[row], error[row + 1], error[row + 2] = 0.0, 0.0, 0.0
    if kind == 0:
        return 0.0
    for i in range(V, MIX_SIZE):
        mix[i] = 0.0
    if kind == ORIENTATION:
        x, y, z = rotation_error(pose, goal)
        for i in range(3):
            error[row + i] = pose[i] * x + pose[3 + i] * y + pose[6 + i] * z
            _set(mix, W + 3 * i, pose[i], pose[3 + i], pose[6 + i])
        return x * x + y * y + z * z
    if kind == ALPHA_BETA:
        return _toward(pose, goal[0, 2], goal[1, 2], goal[2, 2], error, row, mix)
    if kind == GAMMA:
        return _turn_alone(pose, goal, error, row, mix)
    if kind == LOOKAT:
        return _look_at(pose, goal, error, row, mix)
    if kind == AZIMUTH:
        return _azimuth(pose, goal, error, row, mix)
    if kind == CONE:
        return _cone(pose, goal, bounds[LOWER + 3], bounds[UPPER + 3], error, row, mix)
    return _angles(pose, goal, bounds, error, row, mix)


@kernel
def _set(mix: FloatArray, at: int, x: float, y: float, z: float) -> None:
    mix[at], mix[at + 1], mix[at + 2] = x, y, z


@kernel
def _toward(
    pose: FloatArray, x: float, y: float, z: float, error: FloatArray, row: int, mix: FloatArray
) -> float:
    """Turn the z axis of the tip the shortest way to a unit vector of the base."""
    ux = pose[0] * x + pose[3] * y + pose[6] * z
    uy = pose[1] * x + pose[4] * y + pose[7] * z
    uz = pose[2] * x + pose[5] * y + pose[8] * z
    sine = math.sqrt(ux * ux + uy * uy)
    angle = math.atan2(sine, uz)
    if sine < 1e-12:
        # Opposite axes have no shortest way; about x is as good as any.
        error[row] = angle
    else:
        error[row] = -uy * angle / sine
        error[row + 1] = ux * angle / sine
    _set(mix, W, pose[0], pose[3], pose[6])
    _set(mix, W + 3, pose[1], pose[4], pose[7])
    return angle * angle


@kernel
def _turn_alone(
    pose: FloatArray, goal: FloatArray, error: FloatArray, row: int, mix: FloatArray
) -> float:
    # For a rotation R = S Rz(turn), S without a turn about z, R10 - R01 and R00 + R11 are its sine
    # and cosine.
    r00 = pose[0] * goal[0, 0] + pose[3] * goal[1, 0] + pose[6] * goal[2, 0]
    r01 = pose[0] * goal[0, 1] + pose[3] * goal[1, 1] + pose[6] * goal[2, 1]
    r10 = pose[1] * goal[0, 0] + pose[4] * goal[1, 0] + pose[7] * goal[2, 0]
    r11 = pose[1] * goal[0, 1] + pose[4] * goal[1, 1] + pose[7] * goal[2, 1]
    turn = math.atan2(r10 - r01, r00 + r11)
    error[row + 2] = turn
    # It changes by w (z + u) / (1 + z u), u the z axis of the target.
    ux, uy, uz = goal[0, 2], goal[1, 2], goal[2, 2]
    both = 1.0 + pose[2] * ux + pose[5] * uy + pose[8] * uz
    if both > POLE:
        _set(
            mix, W + 6, (pose[2] + ux) / both, (pose[5] + uy) / both, (pose[8] + uz) / both
        )  # fmt: skip
    else:
        _set(mix, W + 6, pose[2], pose[5], pose[8])
    return turn * turn


@kernel
def _look_at(
    pose: FloatArray, goal: FloatArray, error: FloatArray, row: int, mix: FloatArray
) -> float:
    x, y, z = goal[0, 3] - pose[9], goal[1, 3] - pose[10], goal[2, 3] - pose[11]
    distance = math.sqrt(x * x + y * y + z * z)
    # Where the square overflows nothing is known: an angle to zeros would be none.
    if not POLE < distance < math.inf:
        error[row] = PI
        return PI * PI
    angle2 = _toward(pose, x / distance, y / distance, z / distance, error, row, mix)
    # The direction to the target turns by -(u x v) / distance while the tip moves.
    x, y, z = x / distance**2, y / distance**2, z / distance**2
    for i in range(2):
        ax, ay, az = pose[i], pose[3 + i], pose[6 + i]
        _set(mix, V + 3 * i, ay * z - az * y, az * x - ax * z, ax * y - ay * x)
    return angle2


@kernel
def _azimuth(
    pose: FloatArray, goal: FloatArray, error: FloatArray, row: int, mix: FloatArray
) -> float:
    # The z axis of the tip in the axes of the target.
    dx = goal[0, 0] * pose[2] + goal[1, 0] * pose[5] + goal[2, 0] * pose[8]
    dy = goal[0, 1] * pose[2] + goal[1, 1] * pose[5] + goal[2, 1] * pose[8]
    dz = goal[0, 2] * pose[2] + goal[1, 2] * pose[5] + goal[2, 2] * pose[8]
    across2 = dx * dx + dy * dy
    if not across2 > POLE * POLE:
        error[row] = PI
        return PI * PI
    angle = -math.atan2(dy, dx)
    error[row] = angle
    kx, ky = -dz * dx / across2, -dz * dy / across2
    _set_turned(mix, W, goal, kx, ky, 1.0)
    return angle * angle


@kernel
def _set_turned(mix: FloatArray, at: int, goal: FloatArray, x: float, y: float, z: float) -> None:
    """Write a vector of the target in the axes of the base."""
    for i in range(3):
        mix[at + i] = goal[i, 0] * x + goal[i, 1] * y + goal[i, 2] * z


@kernel
def _cone(
    pose: FloatArray,
    goal: FloatArray,
    lower: float,
    upper: float,
    error: FloatArray,
    row: int,
    mix: FloatArray,
) -> float:
    zx, zy, zz = pose[2], pose[5], pose[8]
    gx, gy, gz = goal[0, 2], goal[1, 2], goal[2, 2]
    nx, ny, nz = gy * zz - gz * zy, gz * zx - gx * zz, gx * zy - gy * zx
    sine = math.sqrt(nx * nx + ny * ny + nz * nz)
    angle = math.atan2(sine, gx * zx + gy * zy + gz * zz)
    left = into_bounds(angle, lower, upper)
    error[row] = left
    if left == 0.0 and lower < upper:
        return 0.0
    if sine > POLE:
        _set(mix, W, nx / sine, ny / sine, nz / sine)
    else:
        _set(mix, W, pose[0], pose[3], pose[6])  # on the axis every way leads off it
    return left * left


@kernel
def _angles(
    pose: FloatArray,
    goal: FloatArray,
    bounds: FloatArray,
    error: FloatArray,
    row: int,
    mix: FloatArray,
) -> float:
    # R = Rz(yaw) Ry(pitch) Rx(roll) of the tip in the axes of the target.
    r00 = goal[0, 0] * pose[0] + goal[1, 0] * pose[3] + goal[2, 0] * pose[6]
    r10 = goal[0, 1] * pose[0] + goal[1, 1] * pose[3] + goal[2, 1] * pose[6]
    r20 = goal[0, 2] * pose[0] + goal[1, 2] * pose[3] + goal[2, 2] * pose[6]
    r21 = goal[0, 2] * pose[1] + goal[1, 2] * pose[4] + goal[2, 2] * pose[7]
    r22 = goal[0, 2] * pose[2] + goal[1, 2] * pose[5] + goal[2, 2] * pose[8]
    cosine = math.hypot(r00, r10)  # of the pitch
    roll = math.atan2(r21, r22)
    if cosine > POLE:
        c, s = r00 / cosine, r10 / cosine  # of the yaw
    else:
        # Only the sum or the difference of roll and yaw exists: that is the yaw.
        s = -(goal[0, 0] * pose[1] + goal[1, 0] * pose[4] + goal[2, 0] * pose[7])
        c = goal[0, 1] * pose[1] + goal[1, 1] * pose[4] + goal[2, 1] * pose[7]
        roll, cosine = 0.0, POLE
    pitch, yaw = math.atan2(-r20, cosine), math.atan2(s, c)
    error[row] = _outside(roll, bounds[LOWER + 3], bounds[UPPER + 3])
    error[row + 1] = _outside(pitch, bounds[LOWER + 4], bounds[UPPER + 4])
    error[row + 2] = _outside(yaw, bounds[LOWER + 5], bounds[UPPER + 5])
    if error[row] != 0.0 or bounds[LOWER + 3] == bounds[UPPER + 3]:
        _set_turned(mix, W, goal, c / cosine, s / cosine, 0.0)
    if error[row + 1] != 0.0 or bounds[LOWER + 4] == bounds[UPPER + 4]:
        _set_turned(mix, W + 3, goal, -s, c, 0.0)
    if error[row + 2] != 0.0 or bounds[LOWER + 5] == bounds[UPPER + 5]:
        slope = -r20 / cosine
        _set_turned(mix, W + 6, goal, slope * c, slope * s, 1.0)
    angle2: float = error[row] ** 2 + error[row + 1] ** 2 + error[row + 2] ** 2
    return angle2


@kernel
def _outside(angle: float, lower: float, upper: float) -> float:
    """Compute the shortest way from an angle into bounds, full turns allowed."""
    left: float = into_bounds(angle, lower, upper)
    other = angle - TWO_PI if angle > 0.0 else angle + TWO_PI
    around: float = into_bounds(other, lower, upper)
    return around if abs(around) < abs(left) else left


@kernel
def into_bounds(value: float, lower: float, upper: float) -> float:
    """
    Compute the way from a value into bounds: zero inside, NaN for NaN.

    Parameters
    ----------
    value, lower, upper : float
        In one unit.

    Returns
    -------
    float

    """
    if not value <= upper:
        return upper - value
    if value < lower:
        return lower - value
    return 0.0
