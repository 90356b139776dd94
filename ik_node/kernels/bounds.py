# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How far the points of a chain can be from each other, and how much its directions can turn.

A chain of m joints has the bodies 0 (the base) to m (it carries the tip); joint i moves body i + 1
against body i. Everything is given in one layout: the chain with all its joints at position 0. A
vertex is a point, or a unit vector, that is fixed in the bodies first..last; a point on the axis
of a revolute joint is so in two.

Two vertices of one body keep their distance. Across one joint the distance depends on the position
of that joint alone, so its range over the limits is known. For all others the triangle inequality
gives bounds; smoothing takes the tightest that it implies (Dress and Havel, Shortest-path problems
and molecular conformation, Discrete Applied Mathematics 19, 1988). The angles between directions
are distances on the sphere, where a triangle has moreover a perimeter of at most 2 pi.

joints : (m, 12) float64
    Frame of each joint in the layout: the axis is its z.
travel : (m, 4) float64
    How far a joint turns [rad] and slides along its axis [m]: lower, upper, lower, upper.
perimeter : float
    Most that the sides of a triangle can add up to: infinity for points, 2 pi for directions. As a
    number it also tells which of the two vertices are; every value of a flag would be compiled.
kinds : (m,) int64
    See `kernels.tree`. What a spherical joint does follows from its center and the triangle
    inequality, so nothing is computed across one.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.rotations import TWO_PI
from ik_node.kernels.tree import SPHERICAL

# Angles beyond this are not reduced to a turn exactly enough.
_LARGE_ANGLE = 1e4


@kernel
def _half_sine_range(lower: float, upper: float) -> tuple[float, float]:
    """Range of sin^2(theta / 2) for theta in [lower, upper]."""
    if not (upper - lower < TWO_PI and abs(lower) < _LARGE_ANGLE and abs(upper) < _LARGE_ANGLE):
        return 0.0, 1.0
    a = lower / TWO_PI
    b = upper / TWO_PI
    first = math.sin(0.5 * lower) ** 2
    last = math.sin(0.5 * upper) ** 2
    least = 0.0 if math.floor(b) >= math.ceil(a) else min(first, last)
    most = 1.0 if math.floor(b - 0.5) >= math.ceil(a - 0.5) else max(first, last)
    return least, most


@kernel
def _local(vertex: FloatArray, joint: FloatArray, perimeter: float) -> tuple[float, float, float]:
    """Give radius, angle and height of a vertex about the axis of a joint."""
    x, y, z = vertex[0], vertex[1], vertex[2]
    if perimeter == math.inf:
        x -= joint[9]
        y -= joint[10]
        z -= joint[11]
    along = x * joint[0] + y * joint[3] + z * joint[6]
    across = x * joint[1] + y * joint[4] + z * joint[7]
    height = x * joint[2] + y * joint[5] + z * joint[8]
    return math.hypot(along, across), math.atan2(across, along), height


@kernel
def separation(p: FloatArray, q: FloatArray, perimeter: float) -> float:
    """
    Compute the distance of two points, or the angle between two unit vectors.

    Parameters
    ----------
    p, q : (3,) float64
        In the same axes [m], or unit vectors.
    perimeter : float
        See the module; it tells which of the two they are.

    Returns
    -------
    float
        [m] or [rad].

    """
    minus = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2
    if perimeter == math.inf:
        return math.sqrt(minus)
    # Exact for small angles too, where an arc cosine is off by the root of a rounding error.
    plus = (p[0] + q[0]) ** 2 + (p[1] + q[1]) ** 2 + (p[2] + q[2]) ** 2
    return 2.0 * math.atan2(math.sqrt(minus), math.sqrt(plus))


@kernel
def separation_across(
    p: FloatArray, q: FloatArray, joint: FloatArray, travel: FloatArray, perimeter: float
) -> tuple[float, float]:
    """
    Bound the separation of two vertices before and behind a joint that is not spherical.

    With radii r, s about the axis, the angle t between them and the height h the squared distance
    is (r - s)^2 + 4 r s sin^2(t / 2) + h^2: the law of cosines. The range is exact but for a
    screw, whose turning and sliding are taken as independent.

    Parameters
    ----------
    p, q : (3,) float64
        Vertex of the body before the joint, and of the one behind it.
    joint : (12,) float64
        See the module.
    travel : (4,) float64
        See the module.
    perimeter : float
        See the module.

    Returns
    -------
    least, most : float
        [m] or [rad].

    """
    r, r_angle, r_height = _local(p, joint, perimeter)
    s, s_angle, s_height = _local(q, joint, perimeter)
    turn = s_angle - r_angle
    low, high = _half_sine_range(turn + travel[0], turn + travel[1])
    common = (r - s) ** 2
    product = 4.0 * r * s
    if perimeter < math.inf:
        minus = common + (s_height - r_height) ** 2
        plus = common + (s_height + r_height) ** 2
        least = math.atan2(
            math.sqrt(minus + product * low), math.sqrt(plus + product * (1.0 - low))
        )
        most = math.atan2(
            math.sqrt(minus + product * high), math.sqrt(plus + product * (1.0 - high))
        )
        return 2.0 * least, 2.0 * most
    below = s_height - r_height + travel[2]
    above = s_height - r_height + travel[3]
    least = math.hypot(math.sqrt(common + product * low), max(0.0, below, -above))
    most = math.hypot(math.sqrt(common + product * high), max(abs(below), abs(above)))
    return least, most


@kernel
def bound_separations(
    vertices: FloatArray,
    bodies: IntArray,
    joints: FloatArray,
    travel: FloatArray,
    kinds: IntArray,
    perimeter: float,
    lower: FloatArray,
    upper: FloatArray,
) -> None:
    """
    Bound the separations of all vertices over all configurations.

    Parameters
    ----------
    vertices : (v, 3) float64
        Points [m] or unit vectors in the layout.
    bodies : (v, 2) int64
        First and last body of each.
    joints, travel, kinds
        See the module.
    perimeter : float
        See the module.
    lower, upper : (v, v) float64
        Output, symmetric [m or rad]; without a bound 0, and infinity or pi.

    """
    count = vertices.shape[0]
    for i in range(count):
        for j in range(i, count):
            least, most = 0.0, 0.5 * perimeter
            if max(bodies[i, 0], bodies[j, 0]) <= min(bodies[i, 1], bodies[j, 1]):
                least = separation(vertices[i], vertices[j], perimeter)
                most = least
            else:
                a, b = i, j
                if bodies[a, 0] > bodies[b, 0]:
                    a, b = j, i
                k = bodies[a, 1]
                if bodies[b, 0] == k + 1 and kinds[k] != SPHERICAL:
                    least, most = separation_across(
                        vertices[a], vertices[b], joints[k], travel[k], perimeter
                    )
            lower[i, j] = least
            lower[j, i] = least
            upper[i, j] = most
            upper[j, i] = most
    for k in range(count):
        for i in range(count):
            for j in range(count):
                upper[i, j] = min(
                    upper[i, j],
                    upper[i, k] + upper[k, j],
                    perimeter - lower[i, k] - lower[k, j],
                )
                lower[i, j] = max(
                    lower[i, j], lower[i, k] - upper[k, j], lower[k, j] - upper[i, k]
                )


@kernel
def says_more(
    lower: FloatArray,
    upper: FloatArray,
    paired: IntArray,
    rounding: float,
    useful: IntArray,
) -> None:
    """
    Find the pairs of ends whose bounds do not follow from those of other pairs.

    With p and r fixed in the body at one end, |p q| differs from |r q| by |p r| at most; so does
    the distance to the circle on which the joint at the end carries a point.

    Parameters
    ----------
    lower, upper : (v, v) float64
        From `bound_separations`; equal for two vertices of one body.
    paired : (v, v) int64
        1 for the pairs, of one vertex at each end.
    rounding : float
        What does not count as more.
    useful : (v, v) int64
        Output: 1 for the pairs to keep.

    """
    count = lower.shape[0]
    for p in range(count):
        for q in range(count):
            useful[p, q] = 0
            if paired[p, q] == 0:
                continue
            least, most = 0.0, math.inf
            for r in range(count):
                # Of two at one place the first says it.
                gap = upper[p, r]
                if paired[r, q] == 1 and lower[p, r] == gap and (gap > rounding or r < p):
                    most = min(most, upper[r, q] + gap)
                    least = max(least, lower[r, q] - gap, gap - upper[r, q])
                gap = upper[q, r]
                if paired[p, r] == 1 and lower[q, r] == gap and (gap > rounding or r < q):
                    most = min(most, upper[p, r] + gap)
                    least = max(least, lower[p, r] - gap, gap - upper[p, r])
            if upper[p, q] < most - rounding or lower[p, q] > least + rounding:
                useful[p, q] = 1
