# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of space: whether a point is inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.model.walk import inverse
import numpy as np

BOX, SPHERE, CYLINDER, CONE, PRISM = range(1, 6)
"""Numbers of `shape_msgs/msg/SolidPrimitive`."""
_SIZES = {BOX: 3, SPHERE: 1, CYLINDER: 2, CONE: 2, PRISM: 1}


class Solid(NamedTuple):
    """A primitive about the origin of its frame, along its z axis."""

    kind: int
    dimensions: tuple[float, ...]
    """BOX: x, y, z; SPHERE: radius; CYLINDER, CONE: height, radius; PRISM: height [m]."""
    T_frame_solid: FloatArray
    polygon: tuple[tuple[float, float], ...] = ()
    """Of a prism: corners in the xy plane [m]."""

    def contains(self, point: FloatArray) -> bool:
        """
        Tell whether a point (3,) of the frame is inside, the surface included.

        Returns
        -------
        bool

        """
        x, y, z = _seen_from(self.T_frame_solid, point)
        size = self.dimensions
        if self.kind == BOX:
            return all(2.0 * abs(p) <= extent for p, extent in zip((x, y, z), size, strict=False))
        if self.kind == SPHERE:
            return bool(x * x + y * y + z * z <= size[0] ** 2)
        if not 2.0 * abs(z) <= size[0]:
            return False
        if self.kind == PRISM:
            return _in_polygon(self.polygon, x, y)
        # A cone points along z; its apex is half of its height above the origin.
        radius = size[1] if self.kind == CYLINDER else size[1] * (0.5 - z / size[0])
        return bool(x * x + y * y <= radius**2)


class Mesh(NamedTuple):
    """A closed surface of triangles."""

    vertices: FloatArray
    """(v, 3) [m]"""
    triangles: IntArray
    """(t, 3) vertices of each triangle, all turning the same way as seen from outside."""
    T_frame_mesh: FloatArray

    def contains(self, point: FloatArray) -> bool:
        """
        Tell whether a point (3,) of the frame is inside.

        Returns
        -------
        bool

        """
        # The solid angles under which the triangles are seen add up to 4 pi inside and to zero
        # outside (van Oosterom and Strackee, 1983).
        corners = self.vertices[self.triangles] - _seen_from(self.T_frame_mesh, point)
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum('ij,ij->i', a, np.cross(b, c))
        flat = (
            la * lb * lc
            + np.einsum('ij,ij->i', a, b) * lc
            + np.einsum('ij,ij->i', b, c) * la
            + np.einsum('ij,ij->i', c, a) * lb
        )
        return bool(abs(2.0 * np.arctan2(volume, flat).sum()) > 2.0 * np.pi)


Region = Solid | Mesh


def solid(
    kind: int,
    dimensions: Sequence[float],
    T_frame_solid: FloatArray,
    polygon: Sequence[tuple[float, float]] = (),
) -> Solid:
    """
    Make a primitive.

    Returns
    -------
    Solid

    Raises
    ------
    InvalidArgumentError
        Another kind, too few dimensions, or one that is negative or no number.

    """
    if kind not in _SIZES:
        raise InvalidArgumentError(
            f'{kind} is no kind of primitive; BOX is 1, SPHERE 2, CYLINDER 3, CONE 4, PRISM 5'
        )
    size = tuple(float(d) for d in dimensions)
    if len(size) < _SIZES[kind] or not all(0.0 <= d < np.inf for d in size):
        raise InvalidArgumentError(
            f'a primitive of kind {kind} has the dimensions {list(size)}; it needs '
            f'{_SIZES[kind]}, none negative'
        )
    if kind == CONE and size[0] == 0.0:
        raise InvalidArgumentError('a cone of height 0 contains nothing')
    return Solid(kind, size, T_frame_solid, tuple(polygon))


def _seen_from(T_frame_region: FloatArray, point: FloatArray) -> FloatArray:
    seen: FloatArray = (inverse(T_frame_region) @ np.append(point, 1.0))[:3]
    return seen


def _in_polygon(corners: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    inside = False
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            inside = not inside
    return inside
