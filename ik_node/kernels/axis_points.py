# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on the axes of a chain between which distances say much about the chain."""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray

# Axes whose angle has a smaller sine are parallel here: their common normal is too far away.
_PARALLEL_SINE = 1e-2
# Rounds of moving each point between its neighbours; what is left then is some micrometres.
_SWEEPS = 10


@kernel
def _between_feet(p: FloatArray, q: FloatArray, origin: FloatArray, axis: FloatArray) -> float:
    """Find the point of a line with the least sum of distances to two points."""
    p_foot = 0.0
    q_foot = 0.0
    p2 = 0.0
    q2 = 0.0
    for c in range(3):
        p_foot += (p[c] - origin[c]) * axis[c]
        q_foot += (q[c] - origin[c]) * axis[c]
        p2 += (p[c] - origin[c]) ** 2
        q2 += (q[c] - origin[c]) ** 2
    # Turned about the line into one plane, the shortest way is straight.
    r = math.sqrt(max(p2 - p_foot * p_foot, 0.0))
    s = math.sqrt(max(q2 - q_foot * q_foot, 0.0))
    if r + s < 1e-12:
        return 0.5 * (p_foot + q_foot)
    return (p_foot * s + q_foot * r) / (r + s)


@kernel
def _add(value: float, row: FloatArray, count: int) -> int:
    """Append a value unless it is there; returns the new count."""
    for i in range(count):
        if abs(row[i] - value) < 1e-9 * (1.0 + abs(value)):
            return count
    if count == row.shape[0]:
        return count
    row[count] = value
    return count + 1


@kernel
def choose_points(
    origins: FloatArray,
    axes: FloatArray,
    is_line: IntArray,
    points: FloatArray,
    places: FloatArray,
    counts: IntArray,
) -> None:
    """
    Choose points on the axes of a chain between which distances say much.

    These are the feet of the common normals of consecutive axes, on parallel axes the feet that
    their neighbours have, and the points of the shortest way along the whole chain.

    Parameters
    ----------
    origins, axes : (s, 3) float64
        Axes of the revolute joints in their order along the chain, in the layout; of a spherical
        joint its center.
    is_line : (s,) int64
        1 for an axis, 0 for a center.
    points : (s, 3) float64
        Work space.
    places : (s, c) float64
        Output: where on its axis each point is, measured from the origin [m].
    counts : (s,) int64
        Output: how many of them there are.

    """
    size = origins.shape[0]
    for i in range(size):
        counts[i] = 0
        for c in range(3):
            points[i, c] = origins[i, c]
    for i in range(size - 1):
        a, b = axes[i], axes[i + 1]
        dx = origins[i + 1, 0] - origins[i, 0]
        dy = origins[i + 1, 1] - origins[i, 1]
        dz = origins[i + 1, 2] - origins[i, 2]
        if is_line[i] == 0 or is_line[i + 1] == 0:
            if is_line[i] == 1:
                place = dx * a[0] + dy * a[1] + dz * a[2]
                counts[i] = _add(place, places[i], counts[i])
            elif is_line[i + 1] == 1:
                place = -(dx * b[0] + dy * b[1] + dz * b[2])
                counts[i + 1] = _add(place, places[i + 1], counts[i + 1])
            continue
        nx = a[1] * b[2] - a[2] * b[1]
        ny = a[2] * b[0] - a[0] * b[2]
        nz = a[0] * b[1] - a[1] * b[0]
        n2 = nx * nx + ny * ny + nz * nz
        if n2 < _PARALLEL_SINE * _PARALLEL_SINE:
            continue
        place = (
            (dy * b[2] - dz * b[1]) * nx + (dz * b[0] - dx * b[2]) * ny
            + (dx * b[1] - dy * b[0]) * nz
        ) / n2  # fmt: skip
        counts[i] = _add(place, places[i], counts[i])
        place = (
            (dy * a[2] - dz * a[1]) * nx + (dz * a[0] - dx * a[2]) * ny
            + (dx * a[1] - dy * a[0]) * nz
        ) / n2  # fmt: skip
        counts[i + 1] = _add(place, places[i + 1], counts[i + 1])
    for pair in range(2 * (size - 1)):
        # Forward along the chain, then back.
        i = pair if pair < size - 1 else 2 * (size - 1) - pair
        j = i + 1 if pair < size - 1 else i - 1
        if is_line[i] == 0 or is_line[j] == 0:
            continue
        a, b = axes[i], axes[j]
        n2 = (
            (a[1] * b[2] - a[2] * b[1]) ** 2
            + (a[2] * b[0] - a[0] * b[2]) ** 2
            + (a[0] * b[1] - a[1] * b[0]) ** 2
        )
        if n2 >= _PARALLEL_SINE * _PARALLEL_SINE:
            continue
        for k in range(counts[i]):
            place = 0.0
            for c in range(3):
                place += (origins[i, c] + places[i, k] * a[c] - origins[j, c]) * b[c]
            counts[j] = _add(place, places[j], counts[j])
    for i in range(size):
        if is_line[i] == 1 and counts[i] > 0:
            for c in range(3):
                points[i, c] = origins[i, c] + places[i, 0] * axes[i, c]
    for sweep in range(_SWEEPS):
        for i in range(size):
            if is_line[i] == 0 or size == 1:
                continue
            before = points[max(i - 1, 0)] if i > 0 else points[1]
            behind = points[i + 1] if i < size - 1 else points[i - 1]
            place = _between_feet(before, behind, origins[i], axes[i])
            for c in range(3):
                points[i, c] = origins[i, c] + place * axes[i, c]
            if sweep == _SWEEPS - 1:
                counts[i] = _add(place, places[i], counts[i])
    for i in range(size):
        if counts[i] == 0:
            counts[i] = _add(0.0, places[i], counts[i])
