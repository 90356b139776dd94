# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Points that are so far away that sums of floats lose what is asked for.

At 1e16 m floats are 2 m apart, so that the difference of a tip from such a point says nothing
about a tolerance. A line, a plane or a box is the same with another of its points: the one that is
nearest to the base is found here without rounding, from the numbers as they were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
import math
import sys

from ik_node.constraints.vectors import Quat, Vector3
from ik_node.errors import InvalidTargetError

FAR = 1e6
"""[m] Up to here sums of a few floats are exact to 1e-9 m."""
LEVER = 1e9
"""[m] So far from a tip floats are 1e-7 m apart."""

_Exact = tuple[Fraction, Fraction, Fraction]
_BITS = 1200
"""More than what is between the largest float and a nanometre."""


def is_far(point: Vector3) -> bool:
    """Tell whether floats lose what is near to the base beside a point [m]."""
    return max(map(abs, point)) > FAR


def on_line(point: Vector3, direction: Vector3) -> tuple[Vector3, Fraction]:
    """
    Find the point of a line that is nearest to the origin.

    Parameters
    ----------
    point : tuple of three float
        A point of the line [m].
    direction : tuple of three float
        As it was given, of any length but zero: to make it a unit vector takes rounding.

    Returns
    -------
    foot : tuple of three float
        Exact, rounded once [m].
    along : Fraction
        How far along the line it is from `point` [m], exact.

    """
    p, d = _exact(point), _exact(direction)
    share = -_dot(p, d) / _dot(d, d)
    foot = (p[0] + share * d[0], p[1] + share * d[1], p[2] + share * d[2])
    return _rounded(foot), share * _root(_dot(d, d))


def height(point: Vector3, normal: Vector3) -> float:
    """
    Measure how far the plane through a point is from the origin.

    Parameters
    ----------
    point : tuple of three float
        [m].
    normal : tuple of three float
        As it was given, of any length but zero.

    Returns
    -------
    float
        Along the normal [m]; exact, rounded once.

    """
    n = _exact(normal)
    return _float(_dot(_exact(point), n) / _root(_dot(n, n)))


def in_box(
    point: Vector3, quat_xyzw: Quat, free: Sequence[bool]
) -> tuple[Vector3, tuple[Fraction, ...]]:
    """
    Move the origin of turned axes along some of them, as near to the origin as that leads.

    Parameters
    ----------
    point : tuple of three float
        The origin of the axes [m].
    quat_xyzw : tuple of four float
        Their orientation as it was given, of any length but zero.
    free : sequence of bool
        (3,) along which of them it may move.

    Returns
    -------
    moved : tuple of three float
        Exact, rounded once [m].
    by : tuple of Fraction
        (3,) how far it was moved, against each axis [m], exact.

    """
    x, y, z, w = map(Fraction, quat_xyzw)
    size = x * x + y * y + z * z + w * w
    axes: tuple[_Exact, ...] = (
        (w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z),
    )
    moved, by = _exact(point), []
    for axis, may in zip(axes, free, strict=True):
        share = _dot(moved, axis) / size if may else Fraction(0)
        a, b, c = (at - share * part / size for at, part in zip(moved, axis, strict=True))
        moved = (a, b, c)
        by.append(share)
    return _rounded(moved), tuple(by)


def shifted(bound: float, by: Fraction) -> float:
    """
    Move a bound.

    Parameters
    ----------
    bound : float
        [m], may be infinite.
    by : Fraction
        [m].

    Returns
    -------
    float
        Their sum [m], rounded once; a finite bound stays finite.

    """
    return bound if math.isinf(bound) else _float(Fraction(bound) + by)


def lever(what: str, point: Vector3) -> Vector3:
    """
    Refuse a point on a tip that the smallest turn takes farther than any tolerance.

    Parameters
    ----------
    what : str
        Its name, for the message.
    point : tuple of three float
        In the tip [m].

    Returns
    -------
    x, y, z : float

    Raises
    ------
    InvalidTargetError
        It is farther away than `LEVER`.

    """
    size = max(map(abs, point))
    if size > LEVER:
        raise InvalidTargetError(
            f'{what} is {point}, {size:.3g} m from the tip, where numbers are '
            f'{math.ulp(size):.2g} m apart and no joint turns finely enough to place it; it must '
            f'be within {LEVER:g} m'
        )
    return point


def _exact(vector: Vector3) -> _Exact:
    x, y, z = vector
    return Fraction(x), Fraction(y), Fraction(z)


def _rounded(vector: _Exact) -> Vector3:
    x, y, z = vector
    return _float(x), _float(y), _float(z)


def _dot(a: _Exact, b: _Exact) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _root(square: Fraction) -> Fraction:
    bits = square.denominator.bit_length() + _BITS
    return Fraction(math.isqrt(square.numerator * square.denominator << 2 * bits)) / (
        square.denominator << bits
    )


def _float(value: Fraction) -> float:
    largest = sys.float_info.max
    return float(min(max(value, Fraction(-largest)), Fraction(largest)))
