# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Shapes that an effector point may be on, with the names of Tekkotsu: Point, Line and Plane.

Each is a target by itself, of the origin of the tip with a free orientation; `Shapes` combines one
with an orientation.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
import math

from ik_node.constraints.far_points import height, is_far, on_line, shifted
from ik_node.constraints.goal import BOUNDED, Goal, NO_AXIS, NOTHING, POSITION, X, Y, Z
from ik_node.constraints.rigid import Rigid
from ik_node.constraints.shape_goals import goal_of_shapes, Placement
from ik_node.constraints.target import Target
from ik_node.constraints.vectors import (
    added,
    dot,
    number,
    scaled,
    unit,
    vector,
    Vector3,
    Z_AXIS,
)
from ik_node.errors import InvalidTargetError
from numpy.typing import ArrayLike


class PositionShape(Target):
    """A set of points in the base, one of which is to be reached."""

    @abstractmethod
    def nearest(self, point: Vector3) -> Vector3:
        """
        Find the point of the shape that is nearest to another point.

        Parameters
        ----------
        point : tuple of three float
            In the base [m].

        Returns
        -------
        x, y, z : float
            In the base [m].

        """

    @property
    @abstractmethod
    def placement(self) -> Placement:
        """The shape in the form that goals are made from."""

    def distance_to(self, point: Vector3) -> float:
        """
        Measure how far a point is from the shape.

        Parameters
        ----------
        point : tuple of three float
            In the base [m].

        Returns
        -------
        float
            [m].

        """
        return math.dist(point, self.nearest(point))

    def goal(self, direction: ArrayLike = Z_AXIS) -> Goal:
        return goal_of_shapes(self.placement, None)

    def errors(self, T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS) -> tuple[float, float]:
        return self.distance_to(Rigid.trusted(T_base_tip).position), 0.0


@dataclass(frozen=True, init=False)
class Point(PositionShape):
    """
    A single point.

    Parameters
    ----------
    position : (3,) array_like
        In the base [m].

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities.

    """

    position: Vector3
    """In the base [m]."""

    def __init__(self, position: ArrayLike) -> None:
        vars(self).update(position=vector('position', position))

    @property
    def placement(self) -> Placement:
        return POSITION, self.position, NO_AXIS, NOTHING

    def nearest(self, point: Vector3) -> Vector3:
        return self.position

    def transformed(self, T_new_base: ArrayLike) -> Point:
        return Point(Rigid.checked(T_new_base).moved(self.position))


@dataclass(frozen=True, init=False)
class Line(PositionShape):
    """
    A line, or with bounds a half line or a segment.

    Parameters
    ----------
    point : (3,) array_like
        A point of the line in the base [m].
    direction : (3,) array_like
        Its direction in the base; any length but zero, of no account.
    lower, upper : float
        How far from the point, along the direction, the line begins and ends [m]; infinite for no
        end.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, a direction of zeros, bounds that leave no point.

    """

    point: Vector3
    """
    A point of the line in the base [m]: the one that was given, or, where that is more than 1e6 m
    away, the one nearest to the base, with bounds that count from there.
    """
    direction: Vector3
    """Unit vector in the base."""
    lower: float
    """Where it begins, from the point along the direction [m]."""
    upper: float
    """Where it ends [m]."""

    def __init__(
        self,
        point: ArrayLike,
        direction: ArrayLike,
        lower: float = -math.inf,
        upper: float = math.inf,
    ) -> None:
        least = number('lower', lower, finite=False)
        largest = number('upper', upper, finite=False)
        if not (least <= largest and least < math.inf and largest > -math.inf):
            raise InvalidTargetError(
                f'the bounds of the line are {least} and {largest}; the lower one must not be '
                'above the upper one, and neither may leave everything out'
            )
        start, along = vector('point', point), vector('direction', direction)
        unit_vector = unit('direction', along)
        if is_far(start):
            start, by = on_line(start, along)
            least, largest = shifted(least, -by), shifted(largest, -by)
        vars(self).update(point=start, direction=unit_vector, lower=least, upper=largest)

    @property
    def placement(self) -> Placement:
        if self.lower == self.upper:
            return POSITION, self.nearest(self.point), NO_AXIS, NOTHING
        if self.lower == -math.inf and self.upper == math.inf:
            return X | Y, self.point, self.direction, NOTHING
        return POSITION | BOUNDED, self.point, self.direction, (self.lower, self.upper)

    def nearest(self, point: Vector3) -> Vector3:
        along = dot(added(point, self.point, -1.0), self.direction)
        return added(self.point, self.direction, min(max(along, self.lower), self.upper))

    def transformed(self, T_new_base: ArrayLike) -> Line:
        motion = Rigid.checked(T_new_base)
        return Line(
            motion.moved(self.point), motion.turned(self.direction), self.lower, self.upper
        )


@dataclass(frozen=True, init=False)
class Plane(PositionShape):
    """
    A plane: normal . p + d = 0, with a plus sign as in Tekkotsu.

    Parameters
    ----------
    normal : (3,) array_like
        In the base; any length but zero. The equation is divided by its length, d included, which
        leaves the plane as it is.
    d : float
        [m], for a normal of length 1: minus the height of the plane above the origin along the
        normal. See `through` for a plane by one of its points.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities, a normal of zeros.

    """

    normal: Vector3
    """Unit vector in the base."""
    d: float
    """Minus the height above the origin along the normal [m]."""

    def __init__(self, normal: ArrayLike, d: float) -> None:
        row = vector('normal', normal)
        direction = unit('normal', row)
        offset = number('d', d)
        if direction != row:
            offset = number('d over the length of the normal', offset / math.hypot(*row), False)
        if not math.isfinite(offset):
            raise InvalidTargetError(
                f'd is {d} for a normal of length {math.hypot(*row)}: that plane is infinitely '
                'far; give a normal of length 1'
            )
        vars(self).update(normal=direction, d=offset)

    @classmethod
    def through(cls, point: ArrayLike, normal: ArrayLike) -> Plane:
        """
        Make the plane through a point.

        Parameters
        ----------
        point : (3,) array_like
            In the base [m].
        normal : (3,) array_like
            In the base; any length but zero, of no account.

        Returns
        -------
        Plane

        Raises
        ------
        InvalidTargetError
            Wrong shapes, NaN, infinities, a normal of zeros.

        """
        row, at = vector('normal', normal), vector('point', point)
        direction = unit('normal', row)
        return cls(direction, -(height(at, row) if is_far(at) else dot(direction, at)))

    @property
    def placement(self) -> Placement:
        return Z, scaled(-self.d, self.normal), self.normal, NOTHING

    def nearest(self, point: Vector3) -> Vector3:
        return added(point, self.normal, -(dot(self.normal, point) + self.d))

    def transformed(self, T_new_base: ArrayLike) -> Plane:
        motion = Rigid.checked(T_new_base)
        return Plane.through(
            motion.moved(scaled(-self.d, self.normal)), motion.turned(self.normal)
        )
