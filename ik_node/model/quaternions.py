# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Quaternions x, y, z, w and the rotation vectors that spherical joints are stored as."""

from __future__ import annotations

import math

from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray
import numpy as np
from numpy.typing import ArrayLike


def rotation_vector_from_quat(quat_xyzw: ArrayLike) -> tuple[float, float, float]:
    """
    Convert a quaternion to a rotation vector.

    Parameters
    ----------
    quat_xyzw : (4,) array_like
        Any length but zero; q and -q are the same rotation.

    Returns
    -------
    x, y, z : float
        Rotation vector [rad], length in [0, pi].

    Raises
    ------
    InvalidArgumentError
        Not four finite numbers, or all zero.

    """
    quat = np.asarray(quat_xyzw, dtype=float)
    norm = float(np.linalg.norm(quat)) if quat.shape == (4,) else math.nan
    if not (math.isfinite(norm) and norm > 1e-9):
        raise InvalidArgumentError(
            f'the quaternion is {quat.tolist()}; it must be four finite numbers x, y, z, w, not '
            'all zero'
        )
    quat = quat / math.copysign(norm, quat[3])
    sine = float(np.linalg.norm(quat[:3]))
    scale = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, quat[3]) / sine
    x, y, z = (scale * quat[:3]).tolist()
    return x, y, z


def quat_from_rotation_vector(vector: ArrayLike) -> FloatArray:
    """
    Convert a rotation vector to a quaternion.

    Parameters
    ----------
    vector : (3,) array_like
        [rad].

    Returns
    -------
    (4,) float64
        Unit quaternion x, y, z, w.

    """
    vector = np.asarray(vector, dtype=float)
    angle = float(np.linalg.norm(vector))
    scale = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return np.append(scale * vector, math.cos(0.5 * angle))


def matrices_from_quats(quats_xyzw: FloatArray) -> FloatArray:
    """
    Convert many quaternions to rotations.

    Parameters
    ----------
    quats_xyzw : (b, 4) float64
        Of any length but zero.

    Returns
    -------
    (b, 3, 3) float64

    Raises
    ------
    InvalidArgumentError
        A quaternion that is zero or not finite; it names the first one.

    """
    norms = np.linalg.norm(quats_xyzw, axis=1)
    wrong = np.flatnonzero(~(np.isfinite(norms) & (norms > 1e-9)))
    if len(wrong):
        at = wrong[0]
        raise InvalidArgumentError(
            f'quaternion {at} is {quats_xyzw[at].tolist()}; it must be four finite numbers x, y, '
            'z, w, not all zero'
        )
    x, y, z, w = (quats_xyzw / norms[:, np.newaxis]).T
    rotations = np.empty((len(norms), 3, 3))
    rotations[:, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    rotations[:, 0, 1] = 2.0 * (x * y - w * z)
    rotations[:, 0, 2] = 2.0 * (x * z + w * y)
    rotations[:, 1, 0] = 2.0 * (x * y + w * z)
    rotations[:, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    rotations[:, 1, 2] = 2.0 * (y * z - w * x)
    rotations[:, 2, 0] = 2.0 * (x * z - w * y)
    rotations[:, 2, 1] = 2.0 * (y * z + w * x)
    rotations[:, 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return rotations
