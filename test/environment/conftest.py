# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What is left of a constraint, computed from poses alone: no kernel has a part in it."""

from __future__ import annotations

from collections.abc import Callable
import math

import numpy as np
import pytest


def angle_of(R):
    """Compute the angle of a rotation matrix."""
    sines = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    return math.atan2(np.linalg.norm(sines), np.trace(R) - 1.0)


def turn_left(R):
    """Compute the turn about z after the shortest way from z to the third column of R."""
    way = np.array([-R[1, 2], R[0, 2], 0.0])
    sine = np.linalg.norm(way)
    if sine < 1e-12:
        return math.atan2(R[1, 0], R[0, 0])
    x, y, _ = way / sine
    cross = np.array([[0.0, 0.0, y], [0.0, 0.0, -x], [-y, x, 0.0]])
    shortest = np.eye(3) + sine * cross + (1.0 - R[2, 2]) * cross @ cross
    left = shortest.T @ R
    return math.atan2(left[1, 0], left[0, 0])


def constrained_misses(T_base_tip, T_base_target, constraints, R_base_axes=None):
    """Measure the constrained distance [m] and angle [rad] between a tip and its target."""
    axes = np.eye(3) if R_base_axes is None else R_base_axes
    away = axes.T @ (T_base_target[:3, 3] - T_base_tip[:3, 3])
    distance = float(np.linalg.norm(away[[bool(constraints & bit) for bit in (1, 2, 4)]]))
    R = T_base_tip[:3, :3].T @ T_base_target[:3, :3]
    direction, turn = constraints & 8, constraints & 16
    if direction and turn:
        return distance, angle_of(R)
    if direction:
        return distance, math.atan2(math.hypot(R[0, 2], R[1, 2]), R[2, 2])
    return distance, abs(turn_left(R)) if turn else 0.0


@pytest.fixture(scope='session')
def misses() -> Callable[..., tuple[float, float]]:
    """Give `constrained_misses`."""
    return constrained_misses
