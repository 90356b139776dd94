# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Vectors, directions and angles of single targets, as plain floats.

A target has a handful of numbers; for so few of them Python's floats are several times faster than
arrays, they compare and hash, and nobody can change them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
import math
import sys
from typing import TypeAlias

from ik_node.errors import InvalidTargetError, shown
from ik_node.model.given import real
import numpy as np
from numpy.typing import ArrayLike

Vector3: TypeAlias = tuple[float, float, float]
Quat: TypeAlias = tuple[float, float, float, float]

Z_AXIS: Vector3 = (0.0, 0.0, 1.0)

NOWHERE = 1e-9
"""A vector shorter than this [m, or 1] points nowhere: its direction would be noise."""

_UNIT = 8.0 * sys.float_info.epsilon


def number(what: str, value: object, finite: bool = True) -> float:
    """
    Check a number.

    Parameters
    ----------
    what : str
        Its name, for the message.
    value : object
        What was given.
    finite : bool
        Whether infinities are refused too.

    Returns
    -------
    float

    Raises
    ------
    InvalidTargetError
        No number, NaN, or infinite.

    """
    result = _float(value)
    if math.isfinite(result) or (not finite and not math.isnan(result)):
        return result
    allowed = 'a finite number' if finite else 'a number, or an infinity for no bound'
    raise InvalidTargetError(f'{what} is {shown(value)}; it must be {allowed}')


def numbers(what: str, values: ArrayLike, size: int, finite: bool = True) -> tuple[float, ...]:
    """
    Check a row of numbers.

    Parameters
    ----------
    what : str
        Its name, for the message.
    values : (size,) array_like
        What was given.
    size : int
        How many there must be.
    finite : bool
        Whether infinities are refused too.

    Returns
    -------
    tuple of float

    Raises
    ------
    InvalidTargetError
        Another shape, no numbers, NaN, or infinite.

    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    # Sets have no order, and of a mapping the keys would be read.
    if (
        isinstance(values, Collection)
        and not isinstance(values, Set | Mapping)
        and len(values) == size
    ):
        row = tuple(map(_float, values))
        if all(map(math.isfinite, row)) or not (finite or any(map(math.isnan, row))):
            return row
    allowed = 'finite numbers' if finite else 'numbers, infinities for no bound'
    raise InvalidTargetError(f'{what} is {shown(values)}; it must be {size} {allowed}')


def vector(what: str, values: ArrayLike) -> Vector3:
    """
    Check a vector.

    Parameters
    ----------
    what : str
        Its name, for the message.
    values : (3,) array_like
        What was given.

    Returns
    -------
    x, y, z : float

    Raises
    ------
    InvalidTargetError
        Not three finite numbers.

    """
    x, y, z = numbers(what, values, 3)
    return x, y, z


def unit(what: str, values: ArrayLike) -> Vector3:
    """
    Make a direction of a vector of any length but zero.

    Parameters
    ----------
    what : str
        Its name, for the message.
    values : (3,) array_like
        What was given.

    Returns
    -------
    x, y, z : float
        Length 1.

    Raises
    ------
    InvalidTargetError
        Not three finite numbers, or all zero.

    """
    if values is Z_AXIS:
        return Z_AXIS
    x, y, z = _normalised(what, numbers(what, values, 3))
    # One object for what most tools point along, so that asking for it takes no time.
    return Z_AXIS if (x, y, z) == Z_AXIS else (x, y, z)


def unit_quat(what: str, values: ArrayLike) -> Quat:
    """
    Make a unit quaternion of one of any length but zero; its sign stays.

    Parameters
    ----------
    what : str
        Its name, for the message.
    values : (4,) array_like
        x, y, z, w.

    Returns
    -------
    x, y, z, w : float

    Raises
    ------
    InvalidTargetError
        Not four finite numbers, or all zero.

    """
    x, y, z, w = _normalised(what, numbers(what, values, 4))
    return x, y, z, w


def wrapped(angle: float) -> float:
    """
    Take an angle to (-pi, pi].

    Parameters
    ----------
    angle : float
        [rad].

    Returns
    -------
    float
        [rad]; one that is inside comes back to the last bit.

    """
    turned = math.remainder(angle, 2.0 * math.pi)
    return math.pi if turned <= -math.pi else turned


def dot(a: Vector3, b: Vector3) -> float:
    """Compute the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Compute the vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def added(a: Vector3, b: Vector3, factor: float = 1.0) -> Vector3:
    """Compute a + factor b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


def scaled(factor: float, a: Vector3) -> Vector3:
    """Compute factor a."""
    return factor * a[0], factor * a[1], factor * a[2]


def across(a: Vector3, direction: Vector3) -> Vector3:
    """Compute the part of `a` that is orthogonal to the unit vector `direction`."""
    return added(a, direction, -dot(a, direction))


def angle_between(a: Vector3, b: Vector3) -> float:
    """
    Compute the angle between two vectors.

    By its sine and cosine: as exact for equal and opposite directions as anywhere else.

    Parameters
    ----------
    a, b : tuple of three float
        Of any length but zero.

    Returns
    -------
    float
        [rad], in [0, pi].

    """
    return math.atan2(math.hypot(*cross(a, b)), dot(a, b))


def _float(value: object) -> float:
    if type(value) is float:
        return value
    return math.nan if isinstance(value, bool) else real(value)


def _normalised(what: str, row: tuple[float, ...]) -> tuple[float, ...]:
    # What is a unit vector already is kept to the last bit, so that text forms do not drift.
    if abs(math.fsum(value * value for value in row) - 1.0) <= _UNIT:
        return row
    largest = max(map(abs, row))
    if largest == 0.0:
        raise InvalidTargetError(
            f'{what} is {shown(row)}; it may have any length but zero, because zeros have no '
            'direction'
        )
    # Lengths of the largest and the smallest floats overflow and lose their digits.
    row = tuple(value / largest for value in row)
    length = math.hypot(*row)
    return tuple(value / length for value in row)
