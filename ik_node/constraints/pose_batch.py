# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Many poses as targets, checked and converted piece by piece."""

from __future__ import annotations

from typing import TypeAlias

from ik_node.constraints.pose import pose_target
from ik_node.errors import InvalidArgumentError, InvalidTargetError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.poses import first_defect
from ik_node.model.quaternions import matrices_from_quats
import numpy as np
from numpy.typing import ArrayLike

Poses: TypeAlias = 'ArrayLike | tuple[ArrayLike, ArrayLike]'
"""(b, 4, 4) matrices, (b, 7) rows x, y, z, qx, qy, qz, qw, or a pair (b, 3), (b, 4) of these."""


class PoseBatch:
    """
    Poses of a batch, checked and converted piece by piece: it is never copied as a whole.

    Parameters
    ----------
    targets : (b, 4, 4) or (b, 7) array_like, or a pair of (b, 3) and (b, 4)
        T_base_tip as matrices [m], or positions [m] and quaternions x, y, z, w of any length but
        zero.

    Raises
    ------
    InvalidTargetError
        Another shape.

    """

    def __init__(self, targets: Poses) -> None:
        self._poses = _arrays(targets)

    def __len__(self) -> int:
        return len(self._poses[0])

    def piece(self, first: int, last: int) -> FloatArray:
        """
        Give some of the poses.

        Returns
        -------
        (last - first, 4, 4) float64
            T_base_tip, C-contiguous, a copy.

        Raises
        ------
        InvalidTargetError
            Numbers that are not finite, no rigid transform, a quaternion of zeros; it names the
            first such target.

        """
        parts = [part[first:last] for part in self._poses]
        if len(parts) == 1:
            poses: FloatArray = np.array(parts[0], order='C')
        else:
            poses = np.zeros((len(parts[0]), 4, 4))
            poses[:, :3, 3] = parts[0]
            try:
                poses[:, :3, :3] = matrices_from_quats(parts[1])
            except InvalidArgumentError as error:
                raise InvalidTargetError(f'targets from number {first} on: {error}') from error
            poses[:, 3, 3] = 1.0
        at = first_defect(poses, 0)
        while at >= 0:
            try:
                poses[at] = pose_target(poses[at])
            except InvalidTargetError as error:
                raise InvalidTargetError(f'target {first + at}: {error}') from error
            at = first_defect(poses, at + 1)
        return poses


def _arrays(targets: Poses) -> tuple[FloatArray, ...]:
    """Give matrices (b, 4, 4), or positions (b, 3) and quaternions (b, 4)."""
    what = (
        'targets are (b, 4, 4) matrices, (b, 7) rows of position and quaternion, or a pair of '
        '(b, 3) positions and (b, 4) quaternions x, y, z, w'
    )
    try:
        if isinstance(targets, tuple) and len(targets) == 2:
            positions, quats_xyzw = (np.asarray(part, dtype=np.float64) for part in targets)
            if positions.shape == (len(positions), 3) and quats_xyzw.shape == (len(positions), 4):
                return positions, quats_xyzw
        poses = np.asarray(targets, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTargetError(f'{what}: {error}') from error
    if poses.size == 0 and poses.ndim == 1:  # an empty list
        poses = poses.reshape(0, 4, 4)
    if poses.ndim == 3 and poses.shape[1:] == (4, 4):
        return (poses,)
    if poses.ndim == 2 and poses.shape[1] == 7:
        return poses[:, :3], poses[:, 3:]
    raise InvalidTargetError(f'{what}; these have the shape {poses.shape}')
