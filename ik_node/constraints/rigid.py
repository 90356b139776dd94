# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations and rigid transforms of single targets, as plain floats; see `constraints.vectors`."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

from ik_node.constraints.pose import pose_target
from ik_node.constraints.vectors import added, dot, Quat, Vector3
from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray
import numpy as np
from numpy.typing import ArrayLike

Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]
"""A rotation, by rows."""

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Rigid(NamedTuple):
    """A rigid transform T_a_b."""

    rotation: Matrix3
    """R_a_b."""
    position: Vector3
    """Origin of b in a [m]."""

    @classmethod
    def trusted(cls, pose: ArrayLike) -> Rigid:
        """
        Read a pose that is known to be rigid, such as one of forward kinematics.

        Parameters
        ----------
        pose : (4, 4) array_like
            T_a_b; its rotation and its last row are not checked.

        Returns
        -------
        Rigid

        Raises
        ------
        InvalidArgumentError
            Another shape.

        """
        try:
            array = np.asarray(pose, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidArgumentError(f'a pose is a (4, 4) array of numbers: {error}') from error
        if array.shape != (4, 4):
            raise InvalidArgumentError(f'a pose is a (4, 4) array, not one of shape {array.shape}')
        (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = array.tolist()
        return cls(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))

    @classmethod
    def checked(cls, pose: ArrayLike) -> Rigid:
        """
        Read a pose of a user's.

        Parameters
        ----------
        pose : (4, 4) array_like
            T_a_b.

        Returns
        -------
        Rigid

        Raises
        ------
        InvalidTargetError
            See `pose_target`.

        """
        return cls.trusted(pose_target(pose))

    def turned(self, direction: Vector3) -> Vector3:
        """Give a direction of b in a."""
        return times(self.rotation, direction)

    def moved(self, point: Vector3) -> Vector3:
        """Give a point of b in a."""
        return added(times(self.rotation, point), self.position)

    def array(self) -> FloatArray:
        """Give the (4, 4) matrix, C-contiguous and the caller's own."""
        (a, b, c), (d, e, f), (g, h, i) = self.rotation
        x, y, z = self.position
        return np.array(((a, b, c, x), (d, e, f, y), (g, h, i, z), (0.0, 0.0, 0.0, 1.0)))


def times(rotation: Matrix3, v: Vector3) -> Vector3:
    """Rotate a vector."""
    return dot(rotation[0], v), dot(rotation[1], v), dot(rotation[2], v)


def transposed(rotation: Matrix3) -> Matrix3:
    """Invert a rotation."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    return (a, d, g), (b, e, h), (c, f, i)


def product(first: Matrix3, second: Matrix3) -> Matrix3:
    """Compute the rotation `first second`."""
    columns = transposed(second)
    return (times(columns, first[0]), times(columns, first[1]), times(columns, first[2]))


def column(rotation: Matrix3, at: int) -> Vector3:
    """Give an axis of a rotated frame."""
    return rotation[0][at], rotation[1][at], rotation[2][at]


def matrix_from_quat(quat_xyzw: Quat) -> Matrix3:
    """Convert a unit quaternion to a rotation."""
    x, y, z, w = quat_xyzw
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def quat_from_matrix(rotation: Matrix3) -> Quat:
    """
    Convert a rotation to a quaternion.

    Parameters
    ----------
    rotation : Matrix3
        Exact to rounding.

    Returns
    -------
    x, y, z, w : float
        Unit quaternion with w >= 0.

    """
    (a, b, c), (d, e, f), (g, h, i) = rotation
    # Four times the squares of x, y, z, w: the largest of them divides without loss (Shepperd).
    squares = (1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i)
    largest = squares.index(max(squares))
    x, y, z, w = (
        (squares[0], b + d, c + g, h - f),
        (b + d, squares[1], f + h, c - g),
        (c + g, f + h, squares[2], d - b),
        (h - f, c - g, d - b, squares[3]),
    )[largest]
    length = math.copysign(math.hypot(x, y, z, w), w)
    return x / length, y / length, z / length, w / length


def quat_product(first_xyzw: Quat, second_xyzw: Quat) -> Quat:
    """Compute Hamilton's product `first second`; of unit quaternions, the composed rotation."""
    ax, ay, az, aw = first_xyzw
    bx, by, bz, bw = second_xyzw
    # In pairs that cancel exactly when one is the conjugate of the other.
    return (
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        aw * bw - ax * bx - ay * by - az * bz,
    )


def conjugate(quat_xyzw: Quat) -> Quat:
    """Invert a unit quaternion."""
    x, y, z, w = quat_xyzw
    return -x, -y, -z, w


def rotation_angle(first: Matrix3, second: Matrix3) -> float:
    """
    Compute the angle of the rotation from one orientation to another.

    Parameters
    ----------
    first, second : Matrix3
        In the same frame.

    Returns
    -------
    float
        [rad], in [0, pi].

    """
    (a, b, c), (d, e, f), (g, h, i) = product(transposed(first), second)
    return math.atan2(math.hypot(h - f, c - g, d - b), a + e + i - 1.0)


def quat_angle(first_xyzw: Quat, second_xyzw: Quat) -> float:
    """
    Compute the angle of the rotation from one orientation to another; q and -q are the same.

    Parameters
    ----------
    first_xyzw, second_xyzw : tuple of four float
        Unit quaternions.

    Returns
    -------
    float
        [rad], in [0, pi].

    """
    x, y, z, w = quat_product(conjugate(first_xyzw), second_xyzw)
    return 2.0 * math.atan2(math.hypot(x, y, z), abs(w))
