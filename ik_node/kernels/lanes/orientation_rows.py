# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Residual rows of orientations in lanes; see `ik_node.kernels.orientation_rows`."""

from __future__ import annotations

import math
from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.lanes.rotations import angle_of, rotation_error
from ik_node.kernels.lanes.vector import absolute, select, splat, sqrt, store
from ik_node.kernels.orientation_rows import POLE
from ik_node.kernels.rotations import PI, TWO_PI
from ik_node.kernels.row_kinds import ALPHA_BETA, AZIMUTH, CONE, GAMMA, LOOKAT, ORIENTATION, V, W
from ik_node.kernels.tree import LOWER, UPPER


@kernel
def orientation_rows(
    r0: Any, r1: Any, r2: Any, r3: Any, r4: Any, r5: Any, r6: Any, r7: Any, r8: Any,
    g0: Any, g1: Any, g2: Any, g3: Any, g4: Any, g5: Any, g6: Any, g7: Any, g8: Any,
    x: Any, y: Any, z: Any, kind: int, bounds: FloatArray, mix: FloatArray,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """
    Compute the three rows of an orientation.

    Parameters
    ----------
    r0, r1, r2, r3, r4, r5, r6, r7, r8 : lanes
        Rotation of the tip, row-major.
    g0, g1, g2, g3, g4, g5, g6, g7, g8 : lanes
        Rotation of the target.
    x, y, z : lanes
        Target minus tip [m].
    kind : int
        Bits of orientations, or 0.
    bounds : (33,) float64
        Row of `tips`.
    mix : (27, LANES) float64
        Zeros, changed in place.

    Returns
    -------
    alpha, beta, gamma : lanes
        [rad], not weighted.

    """
    o = splat(0.0)
    if kind == ORIENTATION:
        wx, wy, wz = rotation_error(
            r0, r1, r2, r3, r4, r5, r6, r7, r8, g0, g1, g2, g3, g4, g5, g6, g7, g8
        )
        _set(mix, W, r0, r3, r6)
        _set(mix, W + 3, r1, r4, r7)
        _set(mix, W + 6, r2, r5, r8)
        return (
            r0 * wx + r3 * wy + r6 * wz,
            r1 * wx + r4 * wy + r7 * wz,
            r2 * wx + r5 * wy + r8 * wz,
        )
    if kind == ALPHA_BETA:
        alpha, beta = _toward(r0, r1, r2, r3, r4, r5, r6, r7, r8, g2, g5, g8, mix)
        return alpha, beta, o
    if kind == GAMMA:
        sine = (r1 * g0 + r4 * g3 + r7 * g6) - (r0 * g1 + r3 * g4 + r6 * g7)
        cosine = (r0 * g0 + r3 * g3 + r6 * g6) + (r1 * g1 + r4 * g4 + r7 * g7)
        both = 1.0 + (r2 * g2 + r5 * g5 + r8 * g8)
        clear = both > POLE
        scale = 1.0 / select(clear, both, 1.0)
        _set(
            mix, W + 6,
            select(clear, (r2 + g2) * scale, r2),
            select(clear, (r5 + g5) * scale, r5),
            select(clear, (r8 + g8) * scale, r8),
        )  # fmt: skip
        return o, o, angle_of(sine, cosine)
    if kind == LOOKAT:
        return _look_at(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z, mix)
    if kind == AZIMUTH:
        dx = g0 * r2 + g3 * r5 + g6 * r8
        dy = g1 * r2 + g4 * r5 + g7 * r8
        dz = g2 * r2 + g5 * r5 + g8 * r8
        across2 = dx * dx + dy * dy
        clear = across2 > POLE * POLE
        scale = select(clear, 1.0 / select(clear, across2, 1.0), 0.0)
        kx, ky, kz = -dz * dx * scale, -dz * dy * scale, select(clear, 1.0, 0.0)
        _set_turned(mix, W, g0, g1, g2, g3, g4, g5, g6, g7, g8, kx, ky, kz)
        return select(clear, -angle_of(dy, dx), PI), o, o
    if kind == CONE:
        lower, upper = bounds[LOWER + 3], bounds[UPPER + 3]
        nx, ny, nz = g5 * r8 - g8 * r5, g8 * r2 - g2 * r8, g2 * r5 - g5 * r2
        sine = sqrt(nx * nx + ny * ny + nz * nz)
        left = into_bounds(angle_of(sine, g2 * r2 + g5 * r5 + g8 * r8), lower, upper)
        clear = sine > POLE
        scale = 1.0 / select(clear, sine, 1.0)
        kx, ky, kz = (
            select(clear, nx * scale, r0),
            select(clear, ny * scale, r3),
            select(clear, nz * scale, r6),
        )
        if lower < upper:
            kx, ky, kz = _unless_inside(left, kx, ky, kz)
        _set(mix, W, kx, ky, kz)
        return left, o, o
    if kind == 0:
        return o, o, o
    return _angles(
        r0, r1, r2, r3, r4, r5, r6, r7, r8, g0, g1, g2, g3, g4, g5, g6, g7, g8, bounds, mix
    )


@kernel
def _set(mix: FloatArray, at: int, x: Any, y: Any, z: Any) -> None:
    store(mix, at, x)
    store(mix, at + 1, y)
    store(mix, at + 2, z)


@kernel
def _set_turned(
    mix: FloatArray, at: int, g0: Any, g1: Any, g2: Any, g3: Any, g4: Any, g5: Any, g6: Any,
    g7: Any, g8: Any, x: Any, y: Any, z: Any,
) -> None:  # fmt: skip
    """Write a vector of the target in the axes of the base."""
    _set(
        mix, at, g0 * x + g1 * y + g2 * z, g3 * x + g4 * y + g5 * z, g6 * x + g7 * y + g8 * z
    )  # fmt: skip


@kernel
def _unless_inside(left: Any, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Give zeros where a row is inside of its bounds."""
    inside = left == 0.0
    return select(inside, 0.0, x), select(inside, 0.0, y), select(inside, 0.0, z)


@kernel
def into_bounds(value: Any, lower: float, upper: float) -> Any:
    """
    Compute the way from values into bounds: zero inside, NaN for NaN.

    Parameters
    ----------
    value : lanes
        Values.
    lower, upper : float
        In the same unit.

    Returns
    -------
    lanes

    """
    # Written so that NaN stays: it is no error of zero.
    beyond = select(value <= upper, splat(0.0), upper - value)
    return select(value >= lower, beyond, lower - value)


@kernel
def _toward(
    r0: Any, r1: Any, r2: Any, r3: Any, r4: Any, r5: Any, r6: Any, r7: Any, r8: Any,
    x: Any, y: Any, z: Any, mix: FloatArray,
) -> tuple[Any, Any]:  # fmt: skip
    """Turn the z axis of the tip the shortest way to a unit vector of the base."""
    ux = r0 * x + r3 * y + r6 * z
    uy = r1 * x + r4 * y + r7 * z
    uz = r2 * x + r5 * y + r8 * z
    sine = sqrt(ux * ux + uy * uy)
    angle = angle_of(sine, uz)
    clear = sine > 1e-12
    scale = angle / select(clear, sine, 1.0)
    _set(mix, W, r0, r3, r6)
    _set(mix, W + 3, r1, r4, r7)
    return select(clear, -uy * scale, angle), select(clear, ux * scale, 0.0)


@kernel
def _look_at(
    r0: Any, r1: Any, r2: Any, r3: Any, r4: Any, r5: Any, r6: Any, r7: Any, r8: Any,
    x: Any, y: Any, z: Any, mix: FloatArray,
) -> tuple[Any, Any, Any]:  # fmt: skip
    o = splat(0.0)
    distance = sqrt(x * x + y * y + z * z)
    distance = select(distance < math.inf, distance, 0.0)
    clear = distance > POLE
    scale = 1.0 / select(clear, distance, 1.0)
    alpha, beta = _toward(
        r0, r1, r2, r3, r4, r5, r6, r7, r8, x * scale, y * scale, z * scale, mix
    )  # fmt: skip
    scale = select(clear, scale * scale, 0.0)
    x, y, z = x * scale, y * scale, z * scale
    _set(mix, V, r3 * z - r6 * y, r6 * x - r0 * z, r0 * y - r3 * x)
    _set(mix, V + 3, r4 * z - r7 * y, r7 * x - r1 * z, r1 * y - r4 * x)
    return select(clear, alpha, PI), select(clear, beta, 0.0), o


@kernel
def _angles(
    r0: Any, r1: Any, r2: Any, r3: Any, r4: Any, r5: Any, r6: Any, r7: Any, r8: Any,
    g0: Any, g1: Any, g2: Any, g3: Any, g4: Any, g5: Any, g6: Any, g7: Any, g8: Any,
    bounds: FloatArray, mix: FloatArray,
) -> tuple[Any, Any, Any]:  # fmt: skip
    d00 = g0 * r0 + g3 * r3 + g6 * r6
    d10 = g1 * r0 + g4 * r3 + g7 * r6
    d20 = g2 * r0 + g5 * r3 + g8 * r6
    d21 = g2 * r1 + g5 * r4 + g8 * r7
    d22 = g2 * r2 + g5 * r5 + g8 * r8
    d01 = g0 * r1 + g3 * r4 + g6 * r7
    d11 = g1 * r1 + g4 * r4 + g7 * r7
    cosine = sqrt(d00 * d00 + d10 * d10)
    clear = cosine > POLE
    cosine = select(clear, cosine, POLE)
    scale = 1.0 / cosine
    c, s, o = select(clear, d00 * scale, d11), select(clear, d10 * scale, -d01), splat(0.0)
    slope = -d20 * scale
    roll = select(clear, angle_of(d21, d22), 0.0)
    roll = _around(roll, bounds[LOWER + 3], bounds[UPPER + 3])
    pitch = _around(angle_of(-d20, cosine), bounds[LOWER + 4], bounds[UPPER + 4])
    yaw = _around(angle_of(s, c), bounds[LOWER + 5], bounds[UPPER + 5])
    kx, ky, kz = c * scale, s * scale, o
    if bounds[LOWER + 3] < bounds[UPPER + 3]:
        kx, ky, kz = _unless_inside(roll, kx, ky, kz)
    _set_turned(mix, W, g0, g1, g2, g3, g4, g5, g6, g7, g8, kx, ky, kz)
    kx, ky, kz = -s, c, o
    if bounds[LOWER + 4] < bounds[UPPER + 4]:
        kx, ky, kz = _unless_inside(pitch, kx, ky, kz)
    _set_turned(mix, W + 3, g0, g1, g2, g3, g4, g5, g6, g7, g8, kx, ky, kz)
    kx, ky, kz = slope * c, slope * s, splat(1.0)
    if bounds[LOWER + 5] < bounds[UPPER + 5]:
        kx, ky, kz = _unless_inside(yaw, kx, ky, kz)
    _set_turned(mix, W + 6, g0, g1, g2, g3, g4, g5, g6, g7, g8, kx, ky, kz)
    return roll, pitch, yaw


@kernel
def _around(angle: Any, lower: float, upper: float) -> Any:
    """Compute the shortest way from an angle into bounds, full turns allowed."""
    left = into_bounds(angle, lower, upper)
    around = into_bounds(select(angle > 0.0, angle - TWO_PI, angle + TWO_PI), lower, upper)
    return select(absolute(around) < absolute(left), around, left)
