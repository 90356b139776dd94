# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Proofs that a pose cannot be reached: conditions that every reachable pose meets.

A pose target places the whole body that carries the tip, so distances, angles and heights between
what is fixed in the base and what is fixed in that body are known; `ik_node.model.reach` knows in
which range each must be. A row of the table, in float64 (lengths in m, angles in rad):

KIND, TIP
    What is measured (below), and for which tip.
LEAST, MOST
    The range.
COSINE, SINE
    See the kinds.
LEVER
    How far from the tip what is measured lies: a rotation within the tolerance moves it.
BASE_POINT, BASE_DIRECTION, TIP_POINT, TIP_DIRECTION
    Three numbers each, in the base and in the tip; directions are unit vectors.

The kinds:

DISTANCE_BASE
    From a circle in the base to a point in the tip: the point of the first moving body that goes
    around the axis of the first joint. SINE is the radius; 0 makes it a point.
DISTANCE_TIP
    The mirror image: from a point in the base to a circle in the tip.
ANGLE
    Between the two directions.
HEIGHT_BASE
    Of the point in the tip above a plane through the point in the base. The normal is the
    direction in the base, turned away from it by the angle of COSINE and SINE in any azimuth: the
    axis of the second joint, that the first joint carries around.
HEIGHT_TIP
    The mirror image.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import called, kernel
from ik_node.kernels.arrays import FloatArray

DISTANCE_BASE = 0
DISTANCE_TIP = 1
ANGLE = 2
HEIGHT_BASE = 3
HEIGHT_TIP = 4

KIND = 0
TIP = 1
LEAST = 2
MOST = 3
COSINE = 4
SINE = 5
LEVER = 6
BASE_POINT = 7
BASE_DIRECTION = 10
TIP_POINT = 13
TIP_DIRECTION = 16
ROW_SIZE = 19

# A target is a rotation up to 1e-9 (`kernels.poses`).
_ROUNDING = 2e-9


@kernel
def measured(target: FloatArray, row: FloatArray) -> tuple[float, float, float]:
    """
    Measure what a row is about, with the tip at its target.

    Parameters
    ----------
    target : (4, 4) float64
        T_base_target.
    row : (ROW_SIZE,) float64
        See the module.

    Returns
    -------
    least, most : float
        The values that the joint at the end can still give [m or rad].
    lever : float
        How much they change at most with a rotation of the target [m/rad].

    """
    kind = row[KIND]
    bx, by, bz = row[BASE_DIRECTION], row[BASE_DIRECTION + 1], row[BASE_DIRECTION + 2]
    x, y, z = row[TIP_DIRECTION], row[TIP_DIRECTION + 1], row[TIP_DIRECTION + 2]
    tx = target[0, 0] * x + target[0, 1] * y + target[0, 2] * z
    ty = target[1, 0] * x + target[1, 1] * y + target[1, 2] * z
    tz = target[2, 0] * x + target[2, 1] * y + target[2, 2] * z
    if kind == ANGLE:
        minus = (bx - tx) ** 2 + (by - ty) ** 2 + (bz - tz) ** 2
        plus = (bx + tx) ** 2 + (by + ty) ** 2 + (bz + tz) ** 2
        angle = 2.0 * math.atan2(math.sqrt(minus), math.sqrt(plus))
        return angle, angle, 1.0
    x, y, z = row[TIP_POINT], row[TIP_POINT + 1], row[TIP_POINT + 2]
    dx = (target[0, 0] * x + target[0, 1] * y + target[0, 2] * z) + target[0, 3] - row[BASE_POINT]
    dy = (
        (target[1, 0] * x + target[1, 1] * y + target[1, 2] * z)
        + target[1, 3] - row[BASE_POINT + 1]
    )  # fmt: skip
    dz = (
        (target[2, 0] * x + target[2, 1] * y + target[2, 2] * z)
        + target[2, 3] - row[BASE_POINT + 2]
    )  # fmt: skip
    if kind == DISTANCE_TIP or kind == HEIGHT_TIP:
        bx, by, bz = tx, ty, tz
    height = dx * bx + dy * by + dz * bz
    dx -= height * bx
    dy -= height * by
    dz -= height * bz
    radius = math.sqrt(dx * dx + dy * dy + dz * dz)
    if kind == DISTANCE_BASE or kind == DISTANCE_TIP:
        near = radius - row[SINE]
        far = radius + row[SINE]
        return (
            math.sqrt(height * height + near * near),
            math.sqrt(height * height + far * far),
            row[LEVER],
        )
    lever = row[LEVER]
    if kind == HEIGHT_TIP:
        # A plane in the tip turns about the tip, so what counts is how far away the point is.
        lever += math.sqrt(radius * radius + height * height)
        height = -height
    sweep = row[SINE] * radius
    return row[COSINE] * height - sweep, row[COSINE] * height + sweep, lever


@kernel
def _excess(
    target: FloatArray, row: FloatArray, position_tolerance: float, orientation_tolerance: float
) -> float:
    """Compute by how much every pose within the tolerances fails a condition [m or rad]."""
    least, most, lever = measured(target, row)
    slack = lever * (orientation_tolerance + _ROUNDING)
    if row[KIND] != ANGLE:
        slack += position_tolerance
    excess: float = max(least - row[MOST], row[LEAST] - most) - slack
    return excess


@called
def violated(
    targets: FloatArray,
    rows: FloatArray,
    position_tolerance: float,
    orientation_tolerance: float,
) -> int:
    """
    Find a condition that no pose within the tolerances of the targets meets.

    Parameters
    ----------
    targets : (t, 4, 4) float64
        T_base_target of each tip.
    rows : (r, ROW_SIZE) float64
        See the module.
    position_tolerance : float
        [m].
    orientation_tolerance : float
        [rad].

    Returns
    -------
    int
        A row that proves it: the first one that fails by about as much as any, because those with
        the plainest meaning come first. -1 says nothing.

    """
    worst = 0.0
    for i in range(rows.shape[0]):
        excess = _excess(
            targets[int(rows[i, TIP])], rows[i], position_tolerance, orientation_tolerance
        )
        # Not true of NaN, which proves nothing.
        if excess > worst:
            worst = excess
    if worst > 0.0:
        for i in range(rows.shape[0]):
            excess = _excess(
                targets[int(rows[i, TIP])], rows[i], position_tolerance, orientation_tolerance
            )
            if excess >= 0.5 * worst:
                return i
    return -1
