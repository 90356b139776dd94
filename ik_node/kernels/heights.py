# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""How high the points of a chain can be above a plane of one of its bodies."""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.bounds import separation, separation_across
from ik_node.kernels.rotations import TWO_PI
from ik_node.kernels.tree import SPHERICAL


@kernel
def _link_angle(
    link: FloatArray,
    body: int,
    directions: FloatArray,
    direction_bodies: IntArray,
    joints: FloatArray,
    travel: FloatArray,
    kinds: IntArray,
    least_angle: FloatArray,
    most_angle: FloatArray,
) -> tuple[float, float]:
    """Bound the angle between the normal and a unit vector of a body; see `bound_heights`."""
    low, high = 0.0, math.pi
    for d in range(directions.shape[0]):
        if direction_bodies[d, 0] <= body <= direction_bodies[d, 1]:
            least = separation(directions[d], link, TWO_PI)
            most = least
        elif direction_bodies[d, 1] == body - 1 and kinds[body - 1] != SPHERICAL:
            least, most = separation_across(
                directions[d], link, joints[body - 1], travel[body - 1], TWO_PI
            )
        else:
            continue
        low = max(low, least_angle[d] - most, least - most_angle[d])
        high = min(high, most_angle[d] + most, TWO_PI - least_angle[d] - least)
    return low, high


@kernel
def _times(value: float, factor: float) -> float:
    """Multiply, where nothing times infinity is nothing."""
    return 0.0 if factor == 0.0 or value == 0.0 else value * factor


@kernel
def bound_heights(
    points: FloatArray,
    point_bodies: IntArray,
    slides: IntArray,
    directions: FloatArray,
    direction_bodies: IntArray,
    joints: FloatArray,
    travel: FloatArray,
    kinds: IntArray,
    least_angle: FloatArray,
    most_angle: FloatArray,
    normal: int,
    body: int,
    origin: FloatArray,
    link: FloatArray,
    heights: FloatArray,
) -> None:
    """
    Bound how high the points of a chain are above a plane that is fixed in one of its bodies.

    A link of length l that makes an angle in [a, b] with the normal adds between l cos b and
    l cos a; the angle follows from those of the directions of the same body and of the one before.

    Parameters
    ----------
    points : (v, 3) float64
        In the layout [m].
    point_bodies : (v, 2) int64
        First and last body of each.
    slides : (m, 3) int64
        Of a sliding joint the points before and behind it, that coincide in the layout, and the
        direction that is its axis; of other joints -1.
    directions, direction_bodies
        As `points`, unit vectors.
    joints, travel, kinds
        See `kernels.bounds`.
    least_angle, most_angle : (w,) float64
        Bounds of the angle between the normal and each direction.
    normal, body : int
        Which direction is the normal, and the body of the plane.
    origin : (3,) float64
        A point of the plane in the layout.
    link : (3,) float64
        Work space.
    heights : (v, 2) float64
        Output: lower and upper bound [m] of the points behind the plane, infinite for others.

    """
    for v in range(points.shape[0]):
        heights[v, 0], heights[v, 1] = -math.inf, math.inf
        if point_bodies[v, 0] <= body <= point_bodies[v, 1]:
            height = 0.0
            for c in range(3):
                height += (points[v, c] - origin[c]) * directions[normal, c]
            heights[v, 0], heights[v, 1] = height, height
    for b in range(body + 1, joints.shape[0] + 1):
        before, behind, axis = slides[b - 1, 0], slides[b - 1, 1], slides[b - 1, 2]
        if behind >= 0:
            least = math.cos(most_angle[axis])
            most = math.cos(least_angle[axis])
            down, up = travel[b - 1, 2], travel[b - 1, 3]
            heights[behind, 0] = heights[before, 0] + min(
                _times(down, least), _times(down, most), _times(up, least), _times(up, most)
            )
            heights[behind, 1] = heights[before, 1] + max(
                _times(down, least), _times(down, most), _times(up, least), _times(up, most)
            )
        for q in range(points.shape[0]):
            if point_bodies[q, 0] != b or q == behind:
                continue
            for p in range(points.shape[0]):
                if p != behind and not point_bodies[p, 0] < b <= point_bodies[p, 1]:
                    continue
                length = separation(points[p], points[q], math.inf)
                if length < 1e-12:
                    least, most = -length, length
                else:
                    for c in range(3):
                        link[c] = (points[q, c] - points[p, c]) / length
                    low, high = _link_angle(
                        link, b, directions, direction_bodies, joints, travel, kinds,
                        least_angle, most_angle,
                    )  # fmt: skip
                    least, most = length * math.cos(high), length * math.cos(low)
                heights[q, 0] = max(heights[q, 0], heights[p, 0] + least)
                heights[q, 1] = min(heights[q, 1], heights[p, 1] + most)
