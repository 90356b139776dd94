# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The full pose of a tip as a target."""

from __future__ import annotations

from ik_node.errors import InvalidTargetError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.poses import pose_defect
from ik_node.kernels.status import POSE_NOT_FINITE, POSE_ROUNDED, POSE_VALID
import numpy as np
from numpy.typing import ArrayLike


def pose_target(target: ArrayLike) -> FloatArray:
    """
    Check a pose and make its rotation exact.

    Parameters
    ----------
    target : (4, 4) array_like
        T_base_tip, homogeneous, position in [m].

    Returns
    -------
    (4, 4) float64
        The target, C-contiguous. A rotation that is off by rounding (up to 1e-2, as when typed
        with three digits) is replaced by the nearest rotation.

    Raises
    ------
    InvalidTargetError
        Another shape, numbers that are not finite, not a rigid transform.

    """
    try:
        # A copy: kernels are compiled for arrays that can be written.
        pose: FloatArray = np.array(target, dtype=np.float64, order='C')
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTargetError(f'a pose is a (4, 4) array of numbers: {error}') from error
    if pose.shape != (4, 4):
        raise InvalidTargetError(f'a pose is a (4, 4) array, not one of shape {pose.shape}')
    defect = pose_defect(pose)
    if defect == POSE_VALID:
        return pose
    if defect == POSE_NOT_FINITE:
        raise InvalidTargetError('the pose has a number that is not finite (NaN or infinity)')
    if defect != POSE_ROUNDED:
        raise InvalidTargetError(
            'the pose is no rigid transform: its upper left 3x3 must be a rotation and its last '
            'row 0 0 0 1'
        )
    u, _, vt = np.linalg.svd(pose[:3, :3])
    exact: FloatArray = pose.copy()
    exact[:3, :3] = u @ vt
    return exact
