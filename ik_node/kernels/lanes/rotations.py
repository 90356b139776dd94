# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations in lanes: sine and cosine, and the error between two rotations."""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.lanes.vector import absolute, any_lane, floor, select, sqrt
from ik_node.kernels.rotations import (
    cosine_polynomial,
    HALF_PI_HIGH,
    HALF_PI_LOW,
    PI,
    sine_polynomial,
    TWO_OVER_PI,
)


@kernel
def sin_cos(x: Any) -> tuple[Any, Any]:
    """
    Compute sine and cosine together, without branches and without a call into the C library.

    Within 2e-16 of it for abs(x) < 1e6.

    Parameters
    ----------
    x : lanes
        Angle [rad].

    Returns
    -------
    sine, cosine : lanes

    """
    k = floor(x * TWO_OVER_PI + 0.5)
    r = (x - k * HALF_PI_HIGH) - k * HALF_PI_LOW
    z = r * r
    s = sine_polynomial(r, z)
    c = cosine_polynomial(z)
    quadrant = k - 4.0 * floor(k * 0.25)
    odd = absolute(quadrant - 2.0) == 1.0
    sine = select(odd, c, s)
    cosine = select(odd, s, c)
    sine = select(quadrant >= 2.0, -sine, sine)
    cosine = select(absolute(quadrant - 1.5) < 1.0, -cosine, cosine)
    return sine, cosine


@kernel
def angle_over_sine(cosine: Any) -> Any:
    """
    Compute angle / sin(angle) for angles in [0, pi), from the cosine alone.

    acos(c) = sqrt(1 - c) p(c) with the polynomial of Abramowitz and Stegun, 4.4.46 (error below
    2e-8), so that one root and one division are enough. A step may be that much off: what goes
    into an answer is checked with exact functions.

    Parameters
    ----------
    cosine : lanes
        In [-1, 1] up to rounding.

    Returns
    -------
    lanes
        1 at an angle of zero; finite at a half turn.

    """
    c = absolute(cosine)
    p = 1.5707963050 + c * (
        -0.2145988016
        + c * (0.0889789874
               + c * (-0.0501743046
                      + c * (0.0308918810
                             + c * (-0.0170881256
                                    + c * (0.0066700901 - c * 0.0012624911)))))
    )  # fmt: skip
    small = select(c < 1.0, 1.0 - c, 0.0)
    small = sqrt(select(small > 1e-12, small, 1e-12))
    large = sqrt(1.0 + c)
    # sin = sqrt(1 - c) sqrt(1 + c), and beyond a quarter turn the angle is pi - acos(c).
    numerator = select(cosine >= 0.0, p, PI - small * p)
    return numerator / select(cosine >= 0.0, large, small * large)


@kernel
def rotation_error(
    r00: Any, r01: Any, r02: Any, r10: Any, r11: Any, r12: Any, r20: Any, r21: Any, r22: Any,
    t00: Any, t01: Any, t02: Any, t10: Any, t11: Any, t12: Any, t20: Any, t21: Any, t22: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """
    Compute the rotation vector that carries a rotation onto another: Log(R_t R^T).

    Parameters
    ----------
    r00, r01, r02, r10, r11, r12, r20, r21, r22 : lanes
        Present rotation.
    t00, t01, t02, t10, t11, t12, t20, t21, t22 : lanes
        Target rotation.

    Returns
    -------
    x, y, z : lanes
        [rad], in the axes that both are given in; within 2e-8 of its length.

    """
    e00 = t00 * r00 + t01 * r01 + t02 * r02
    e11 = t10 * r10 + t11 * r11 + t12 * r12
    e22 = t20 * r20 + t21 * r21 + t22 * r22
    e21 = t20 * r10 + t21 * r11 + t22 * r12
    e12 = t10 * r20 + t11 * r21 + t12 * r22
    e02 = t00 * r20 + t01 * r21 + t02 * r22
    e20 = t20 * r00 + t21 * r01 + t22 * r02
    e10 = t10 * r00 + t11 * r01 + t12 * r02
    e01 = t00 * r10 + t01 * r11 + t02 * r12
    # Vector of length sin(angle) along the axis.
    sx = 0.5 * (e21 - e12)
    sy = 0.5 * (e02 - e20)
    sz = 0.5 * (e10 - e01)
    cosine = 0.5 * (e00 + e11 + e22 - 1.0)
    scale = angle_over_sine(cosine)
    x, y, z = sx * scale, sy * scale, sz * scale
    half_turn = cosine < -0.9999
    if any_lane(half_turn):
        # The sine no longer tells the axis; its square does, in the symmetric part. The column of
        # the largest diagonal element is farthest from zero.
        first = (e00 >= e11) & (e00 >= e22)
        second = e11 >= e22
        ax = select(first, e00 - cosine, 0.5 * select(second, e01 + e10, e02 + e20))
        ay = select(first, 0.5 * (e01 + e10), select(second, e11 - cosine, 0.5 * (e12 + e21)))
        az = select(first, 0.5 * (e02 + e20), select(second, 0.5 * (e12 + e21), e22 - cosine))
        size = sqrt(ax * ax + ay * ay + az * az)
        # asin of less than 0.015 needs one term of its series for 1e-10.
        sine = sqrt(sx * sx + sy * sy + sz * sz)
        angle = PI - sine * (1.0 + sine * sine * (1.0 / 6.0))
        factor = angle / select(size > 0.0, size, 1.0)
        factor = select(ax * sx + ay * sy + az * sz < 0.0, -factor, factor)
        x = select(half_turn, ax * factor, x)
        y = select(half_turn, ay * factor, y)
        z = select(half_turn, az * factor, z)
    return x, y, z


@kernel
def angle_of(sine: Any, cosine: Any) -> Any:
    """
    Compute the angle of a sine and a cosine, both times the same positive number.

    Parameters
    ----------
    sine, cosine : lanes
        Not both zero; where they are the angle is zero.

    Returns
    -------
    lanes
        [rad], in [-pi, pi], within 2e-8 of its size.

    """
    size2 = sine * sine + cosine * cosine
    none = size2 <= 1e-300  # written so that NaN stays
    scale = 1.0 / sqrt(select(none, 1.0, size2))
    s = select(none, 0.0, sine * scale)
    c = select(none, 1.0, cosine * scale)
    # Around a half turn the cosine does not tell the angle; see `rotation_error`.
    rest = PI - absolute(s) * (1.0 + s * s * (1.0 / 6.0))
    return select(c < -0.9999, select(s < 0.0, -rest, rest), angle_over_sine(c) * s)
