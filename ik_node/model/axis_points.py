# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Points on the axes of a chain between which distances say much about the chain.

In plain Python: it takes a fraction of a millisecond, and as a kernel seconds to compile.
"""

from __future__ import annotations

from collections.abc import Sequence
import math

Vector = tuple[float, float, float]

_PARALLEL_SINE = 1e-2
"""Axes whose angle has a smaller sine are parallel here: their common normal is too far away."""
_SAME_PLACE = 1e-9
_SWEEPS = 4
"""Rounds of moving each point between its neighbours; more of them prove no more."""


def choose_points(origins: Sequence[Vector], axes: Sequence[Vector | None]) -> list[list[Vector]]:
    """
    Choose points on the axes of a chain.

    These are the feet of the common normals of consecutive axes, on parallel axes the feet that
    their neighbours have, and the points of a short way along the whole chain.

    Parameters
    ----------
    origins : sequence of vectors
        (s,) a point of each axis in the order of the chain [m]; of a spherical joint its center.
    axes : sequence of vectors or None
        (s,) unit vectors; None: the joint is spherical.

    Returns
    -------
    list of list of vectors
        Points [m] on each axis, at least one; of a spherical joint its center.

    """
    places: list[list[float]] = [[] for _ in origins]
    for i in range(len(origins) - 1):
        for a, b in ((i, i + 1), (i + 1, i)):
            place = _foot(origins[a], axes[a], origins[b], axes[b])
            if place is not None:
                _add(places[a], place)
    steps = [(i, i + 1) for i in range(len(origins) - 1)]
    for i, j in steps + [(b, a) for a, b in reversed(steps)]:
        from_axis, to_axis = axes[i], axes[j]
        if from_axis and to_axis and _norm2(_cross(from_axis, to_axis)) < _PARALLEL_SINE**2:
            for place in places[i] or [0.0]:
                _add(places[j], _along(_at(origins[i], from_axis, place), origins[j], to_axis))
    for place, own in zip(_short_way(origins, axes, places), places, strict=True):
        _add(own, place)
    return [
        [_at(origin, axis, place) for place in own] if axis else [origin]
        for origin, axis, own in zip(origins, axes, places, strict=True)
    ]


def _foot(
    origin: Vector, axis: Vector | None, other: Vector, other_axis: Vector | None
) -> float | None:
    """Place on an axis that is nearest to another one, or to a center; None if parallel."""
    if axis is None:
        return None
    if other_axis is None:
        return _along(other, origin, axis)
    normal = _cross(axis, other_axis)
    norm2 = _norm2(normal)
    if norm2 < _PARALLEL_SINE**2:
        return None
    return _dot(_cross(_minus(other, origin), other_axis), normal) / norm2


def _short_way(
    origins: Sequence[Vector], axes: Sequence[Vector | None], places: Sequence[Sequence[float]]
) -> list[float]:
    """Places of points whose distances along the chain have a small sum, which is convex."""
    ways = [own[0] if own else 0.0 for own in places]
    points = [
        _at(origin, axis, way) if axis else origin
        for origin, axis, way in zip(origins, axes, ways, strict=True)
    ]
    for _ in range(_SWEEPS if len(points) > 1 else 0):
        for i, axis in enumerate(axes):
            if axis is None:
                continue
            before = points[i - 1 if i > 0 else 1]
            behind = points[i + 1 if i + 1 < len(points) else i - 1]
            ways[i] = _between(before, behind, origins[i], axis)
            points[i] = _at(origins[i], axis, ways[i])
    return ways


def _between(p: Vector, q: Vector, origin: Vector, axis: Vector) -> float:
    """Place on an axis with the least sum of distances to two points."""
    p_place, q_place = _along(p, origin, axis), _along(q, origin, axis)
    # Turned about the axis into one plane, the shortest way is straight.
    r = math.dist(p, _at(origin, axis, p_place))
    s = math.dist(q, _at(origin, axis, q_place))
    if r + s < _SAME_PLACE:
        return 0.5 * (p_place + q_place)
    return (p_place * s + q_place * r) / (r + s)


def _add(places: list[float], place: float) -> None:
    if all(abs(place - other) > _SAME_PLACE * (1.0 + abs(other)) for other in places):
        places.append(place)


def _at(origin: Vector, axis: Vector, place: float) -> Vector:
    return (
        origin[0] + place * axis[0],
        origin[1] + place * axis[1],
        origin[2] + place * axis[2],
    )


def _along(point: Vector, origin: Vector, axis: Vector) -> float:
    return _dot(_minus(point, origin), axis)


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _norm2(a: Vector) -> float:
    return _dot(a, a)


def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )
