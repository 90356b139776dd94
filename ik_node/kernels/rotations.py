# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rotations: sine and cosine, logarithm, and the conversions that readers need.

Rotation matrices are row-major; in flat tables r[3 * row + column]. Quaternions are x, y, z, w.
"""

from __future__ import annotations

import math
from typing import Any

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray
import numpy as np

PI = math.pi
TWO_PI = 2.0 * math.pi

TWO_OVER_PI = 0.6366197723675814
# pi / 2 in two pieces (Cody and Waite): the first has 33 bits, so that k * HALF_PI_HIGH is exact
# for every quadrant number k below 2^20, far beyond any joint's turns.
HALF_PI_HIGH = 1.57079632673412561417
HALF_PI_LOW = 6.07710050650619224932e-11


@kernel
def sine_polynomial(r: Any, z: Any) -> Any:
    """
    Compute the sine near zero: minimax coefficients of the fdlibm kernel.

    Parameters
    ----------
    r : float or lanes
        In [-pi/4, pi/4].
    z : float or lanes
        r^2.

    Returns
    -------
    float or lanes

    """
    return r + r * z * (
        -1.66666666666666324348e-01
        + z * (8.33333333332248946124e-03
               + z * (-1.98412698298579493134e-04
                      + z * (2.75573137070700676789e-06
                             + z * (-2.50507602534068634195e-08
                                    + z * 1.58969099521155010221e-10))))
    )  # fmt: skip


@kernel
def cosine_polynomial(z: Any) -> Any:
    """
    Compute the cosine near zero: minimax coefficients of the fdlibm kernel.

    Parameters
    ----------
    z : float or lanes
        Square of the angle, which is in [-pi/4, pi/4].

    Returns
    -------
    float or lanes

    """
    return 1.0 - 0.5 * z + z * z * (
        4.16666666666666019037e-02
        + z * (-1.38888888888741095749e-03
               + z * (2.48015872894767294178e-05
                      + z * (-2.75573143513906633035e-07
                             + z * (2.08757232129817482790e-09
                                    + z * -1.13596475577881948265e-11))))
    )  # fmt: skip


@kernel
def rotation_error(r: FloatArray, t: FloatArray) -> tuple[float, float, float]:
    """
    Compute the rotation vector that carries the rotation `r` onto the rotation of `t`.

    The vector is Log(R_t R^T), in the axes that both matrices are given in. Around a half turn the
    sine no longer tells the axis and it comes from the symmetric part of the matrix; an exact half
    turn has two axes, of which one is chosen always in the same way.

    Parameters
    ----------
    r : (12,) float64
        Present pose: rotation row-major, then position.
    t : (4, 4) float64
        Target pose.

    Returns
    -------
    x, y, z : float
        Rotation vector [rad], length in [0, pi].

    """
    e00 = t[0, 0] * r[0] + t[0, 1] * r[1] + t[0, 2] * r[2]
    e11 = t[1, 0] * r[3] + t[1, 1] * r[4] + t[1, 2] * r[5]
    e22 = t[2, 0] * r[6] + t[2, 1] * r[7] + t[2, 2] * r[8]
    e21 = t[2, 0] * r[3] + t[2, 1] * r[4] + t[2, 2] * r[5]
    e12 = t[1, 0] * r[6] + t[1, 1] * r[7] + t[1, 2] * r[8]
    e02 = t[0, 0] * r[6] + t[0, 1] * r[7] + t[0, 2] * r[8]
    e20 = t[2, 0] * r[0] + t[2, 1] * r[1] + t[2, 2] * r[2]
    e10 = t[1, 0] * r[0] + t[1, 1] * r[1] + t[1, 2] * r[2]
    e01 = t[0, 0] * r[3] + t[0, 1] * r[4] + t[0, 2] * r[5]
    # Vector of length sin(angle) along the axis.
    x = 0.5 * (e21 - e12)
    y = 0.5 * (e02 - e20)
    z = 0.5 * (e10 - e01)
    cosine = 0.5 * (e00 + e11 + e22 - 1.0)
    sine2 = x * x + y * y + z * z
    if cosine > 0.99999:
        # angle / sin(angle) by its series: the next term is below 1e-10 here.
        scale = 1.0 + sine2 * (1.0 / 6.0)
        return x * scale, y * scale, z * scale
    sine = math.sqrt(sine2)
    if cosine > -0.9999:
        scale = math.atan2(sine, cosine) / sine
        return x * scale, y * scale, z * scale
    angle = math.atan2(sine, cosine)
    # R = cos I + (1 - cos) a a^T + sin [a]: the largest diagonal element gives the largest
    # component of the axis, its column of the symmetric part the others, and the antisymmetric
    # part the sense.
    k = 1.0 / (1.0 - cosine)
    if e00 >= e11 and e00 >= e22:
        ax = math.sqrt((e00 - cosine) * k)
        ay = 0.5 * (e01 + e10) * k / ax
        az = 0.5 * (e02 + e20) * k / ax
    elif e11 >= e22:
        ay = math.sqrt((e11 - cosine) * k)
        ax = 0.5 * (e01 + e10) * k / ay
        az = 0.5 * (e12 + e21) * k / ay
    else:
        az = math.sqrt((e22 - cosine) * k)
        ax = 0.5 * (e02 + e20) * k / az
        ay = 0.5 * (e12 + e21) * k / az
    if ax * x + ay * y + az * z < 0.0:
        angle = -angle
    return ax * angle, ay * angle, az * angle


@allocating
def matrix_from_rpy(roll: float, pitch: float, yaw: float) -> FloatArray:
    """
    Compute R = Rz(yaw) Ry(pitch) Rx(roll), URDF's fixed-axis angles.

    Parameters
    ----------
    roll, pitch, yaw : float
        Angles about the fixed x, y and z axes [rad].

    Returns
    -------
    (3, 3) float64

    """
    sr, cr = math.sin(roll), math.cos(roll)
    sp, cp = math.sin(pitch), math.cos(pitch)
    sy, cy = math.sin(yaw), math.cos(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


@kernel
def rotation_exp(
    x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """
    Compute the rotation of a rotation vector (Rodrigues' formula).

    Parameters
    ----------
    x, y, z : float
        Rotation vector [rad].

    Returns
    -------
    tuple of nine float
        Rotation, row-major.

    """
    angle2 = x * x + y * y + z * z
    angle = math.sqrt(angle2)
    if angle < 1e-4:
        # The next terms of both series are below 1e-17.
        a = 1.0 - angle2 / 6.0
        b = 0.5 - angle2 / 24.0
    else:
        a = math.sin(angle) / angle
        b = (1.0 - math.cos(angle)) / angle2
    return (
        1.0 - b * (y * y + z * z),
        b * x * y - a * z,
        b * x * z + a * y,
        b * x * y + a * z,
        1.0 - b * (x * x + z * z),
        b * y * z - a * x,
        b * x * z - a * y,
        b * y * z + a * x,
        1.0 - b * (x * x + y * y),
    )


@kernel
def rotate_vector_by(w: FloatArray, d: FloatArray) -> None:
    """
    Turn a rotation further about its own (moving) axes: w becomes Log(Exp(w) Exp(d)).

    Parameters
    ----------
    w : (3,) float64
        Rotation vector [rad], changed in place; its length ends in [0, pi].
    d : (3,) float64
        Rotation vector to append [rad].

    """
    # Half-angle quaternions: no branch at half turns but the choice of the shorter vector.
    size_w = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    size_d = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    scale_w = 0.5 if size_w < 1e-8 else math.sin(0.5 * size_w) / size_w
    scale_d = 0.5 if size_d < 1e-8 else math.sin(0.5 * size_d) / size_d
    aw, ax, ay, az = (
        math.cos(0.5 * size_w),
        scale_w * w[0],
        scale_w * w[1],
        scale_w * w[2],
    )
    bw, bx, by, bz = (
        math.cos(0.5 * size_d),
        scale_d * d[0],
        scale_d * d[1],
        scale_d * d[2],
    )
    cw = aw * bw - ax * bx - ay * by - az * bz
    cx = aw * bx + ax * bw + ay * bz - az * by
    cy = aw * by - ax * bz + ay * bw + az * bx
    cz = aw * bz + ax * by - ay * bx + az * bw
    if cw < 0.0:
        cw, cx, cy, cz = -cw, -cx, -cy, -cz
    sine = math.sqrt(cx * cx + cy * cy + cz * cz)
    scale = 2.0 if sine < 1e-8 else 2.0 * math.atan2(sine, cw) / sine
    w[0], w[1], w[2] = scale * cx, scale * cy, scale * cz


@kernel
def matrix_of_quat(quat: FloatArray, out: FloatArray) -> None:
    """
    Convert a unit quaternion.

    Parameters
    ----------
    quat : (4,) float64
        x, y, z, w.
    out : (9,) float64
        Output: the rotation, row-major.

    """
    x, y, z, w = quat[0], quat[1], quat[2], quat[3]
    out[0], out[4] = 1.0 - 2.0 * (y * y + z * z), 1.0 - 2.0 * (x * x + z * z)
    out[8] = 1.0 - 2.0 * (x * x + y * y)
    out[1], out[3] = 2.0 * (x * y - w * z), 2.0 * (x * y + w * z)
    out[2], out[6] = 2.0 * (x * z + w * y), 2.0 * (x * z - w * y)
    out[5], out[7] = 2.0 * (y * z - w * x), 2.0 * (y * z + w * x)


@kernel
def frame_with_z(axis: FloatArray, out: FloatArray) -> None:
    """
    Complete a direction to a frame whose z axis it is.

    Parameters
    ----------
    axis : (3,) float64
        Unit vector.
    out : (9,) float64
        Output: the frame, row-major; no turn for the z axis itself. Which of all such frames it is
        means nothing.

    """
    x, y, z = axis[0], axis[1], axis[2]
    # The x axis begins as the coordinate axis that is farthest from the direction.
    ax, ay, az = 1.0, 0.0, 0.0
    if abs(y) < abs(x) and abs(y) <= abs(z):
        ax, ay = 0.0, 1.0
    elif abs(z) < abs(x) and abs(z) < abs(y):
        ax, az = 0.0, 1.0
    along = ax * x + ay * y + az * z
    ax, ay, az = ax - along * x, ay - along * y, az - along * z
    length = math.sqrt(ax * ax + ay * ay + az * az)
    ax, ay, az = ax / length, ay / length, az / length
    out[0], out[3], out[6] = ax, ay, az
    out[1], out[4], out[7] = y * az - z * ay, z * ax - x * az, x * ay - y * ax
    out[2], out[5], out[8] = x, y, z
