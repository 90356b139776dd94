# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Homogeneous (4, 4) poses: what is wrong with one that a caller gave, and how far it is."""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.status import (
    POSE_NOT_FINITE,
    POSE_NOT_RIGID,
    POSE_ROUNDED,
    POSE_VALID,
)

# A matrix typed with three digits is still meant as a rotation, one that is off by more is not.
_RIGID_TOLERANCE = 1e-2
# Beyond this the solver would see an error that no joint can remove.
_EXACT_TOLERANCE = 1e-9


@kernel
def pose_defect(pose: FloatArray) -> int:
    """
    Classify a homogeneous matrix.

    Parameters
    ----------
    pose : (4, 4) float64
        What a caller gave.

    Returns
    -------
    int
        POSE_VALID, POSE_NOT_FINITE, POSE_NOT_RIGID (scaled, sheared, mirrored, or another last row
        than 0 0 0 1) or POSE_ROUNDED (a rotation up to rounding: to be made orthonormal).

    """
    for row in range(4):
        for column in range(4):
            if not math.isfinite(pose[row, column]):
                return POSE_NOT_FINITE
    if pose[3, 0] != 0.0 or pose[3, 1] != 0.0 or pose[3, 2] != 0.0 or pose[3, 3] != 1.0:
        return POSE_NOT_RIGID
    worst = 0.0
    for a in range(3):
        for b in range(a + 1):
            dot = pose[0, a] * pose[0, b] + pose[1, a] * pose[1, b] + pose[2, a] * pose[2, b]
            worst = max(worst, abs(dot - (1.0 if a == b else 0.0)))
    determinant = (
        pose[0, 0] * (pose[1, 1] * pose[2, 2] - pose[1, 2] * pose[2, 1])
        - pose[0, 1] * (pose[1, 0] * pose[2, 2] - pose[1, 2] * pose[2, 0])
        + pose[0, 2] * (pose[1, 0] * pose[2, 1] - pose[1, 1] * pose[2, 0])
    )
    if worst > _RIGID_TOLERANCE or determinant < 0.0:
        return POSE_NOT_RIGID
    return POSE_VALID if worst <= _EXACT_TOLERANCE else POSE_ROUNDED


@kernel
def is_exact_request(pose: FloatArray, config: FloatArray) -> bool:
    """
    Tell whether a pose and a configuration can be used as they are.

    Parameters
    ----------
    pose : (4, 4) float64
        What a caller gave.
    config : (n,) float64
        What a caller gave.

    Returns
    -------
    bool
        False where the pose has a defect, if only a rotation up to rounding, and where a value of
        the configuration is not finite.

    """
    for i in range(config.shape[0]):
        if not math.isfinite(config[i]):
            return False
    return pose_defect(pose) == POSE_VALID


@kernel
def beyond_reach(targets: FloatArray, reach: FloatArray, slack: float) -> int:
    """
    Find a target that lies outside of the sphere that its tip cannot leave.

    Parameters
    ----------
    targets : (t, 4, 4) float64
        T_base_target of each tip.
    reach : (t, 4) float64
        Center and radius of the sphere of each tip.
    slack : float
        Distance outside that does not count [m].

    Returns
    -------
    int
        Index of the first such tip, or -1.

    """
    for tip in range(targets.shape[0]):
        dx = targets[tip, 0, 3] - reach[tip, 0]
        dy = targets[tip, 1, 3] - reach[tip, 1]
        dz = targets[tip, 2, 3] - reach[tip, 2]
        if math.sqrt(dx * dx + dy * dy + dz * dz) > reach[tip, 3] + slack:
            return tip
    return -1
