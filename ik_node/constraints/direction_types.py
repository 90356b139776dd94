# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of the direction of the tool: Direction3D, Ray4D, TranslationDirection5D, Lookat3D."""

from __future__ import annotations

from dataclasses import dataclass, field
import math
from typing import Any, ClassVar

from ik_node.constraints.custom_data import CustomValues
from ik_node.constraints.far_points import is_far, on_line
from ik_node.constraints.goal import (
    ALPHA_BETA,
    Goal,
    goal_along,
    GOAL_AXES,
    goal_of,
    LOOKAT,
    POSITION,
    X,
    Y,
)
from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import Kind, Part
from ik_node.constraints.rigid import Rigid
from ik_node.constraints.vectors import (
    across,
    added,
    angle_between,
    dot,
    NOWHERE,
    scaled,
    unit,
    vector,
    Vector3,
)
from numpy.typing import ArrayLike

_HORIZON = 1e12
"""[m] From within a metre, what is farther away is seen in the same direction."""


@dataclass(frozen=True, init=False, repr=False)
class Direction3D(IkParameterization):
    """
    The direction of the tool: D = direction, in the same sense. The rest is free.

    An opposite direction is an error of pi, not of zero. Values: dx, dy, dz.

    Parameters
    ----------
    direction : (3,) array_like
        Where the tool is to point in the base; any length but zero.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities, zeros.

    """

    type: ClassVar = IkParameterizationType.Direction3D
    parts: ClassVar = (Part('direction', Kind.DIRECTION),)
    direction: Vector3
    """Unit vector in the base."""

    def __init__(self, direction: ArrayLike, *, custom: CustomValues | None = None) -> None:
        self._fill(custom, direction=unit('direction', direction))

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> Direction3D:
        return cls(pointing)

    def _goal(self, direction: Vector3) -> Goal:
        return goal_along(ALPHA_BETA, self.direction, direction)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return 0.0, angle_between(pointing, self.direction)

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        return {'direction': motion.turned(self.direction)}

    def _distances(self, other: Direction3D) -> tuple[float, float]:
        return 0.0, angle_between(self.direction, other.direction)

    def _ikfast_distance_squared(self, other: Direction3D) -> float:
        return angle_between(self.direction, other.direction) ** 2


@dataclass(frozen=True, init=False, repr=False)
class Ray4D(IkParameterization):
    """
    The tool lies on a line: D = direction and (p - position) x direction = 0.

    The turn about the line and where on it the tip stands are free; the sense is not. Two rays
    with the same line and sense have no distance from each other; what is compared is the point
    of the line that is nearest to the origin of the base, and the direction, so the distance of
    rays with different directions depends on where the base is. Values: dx, dy, dz, x, y, z.

    Parameters
    ----------
    position : (3,) array_like
        Any point of the line in the base [m].
    direction : (3,) array_like
        Its direction in the base; any length but zero.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, infinities, a direction of zeros.

    """

    type: ClassVar = IkParameterizationType.Ray4D
    parts: ClassVar = (Part('direction', Kind.DIRECTION), Part('position', Kind.POINT))
    position: Vector3
    """
    A point of the line in the base [m]: the one that was given, or, where that is more than 1e6 m
    away, the one nearest to the base.
    """
    direction: Vector3
    """Unit vector in the base."""

    def __init__(
        self, position: ArrayLike, direction: ArrayLike, *, custom: CustomValues | None = None
    ) -> None:
        point, along = vector('position', position), vector('direction', direction)
        unit_vector = unit('direction', along)
        if is_far(point):
            point, _ = on_line(point, along)
        self._fill(custom, position=point, direction=unit_vector)

    @property
    def foot(self) -> Vector3:
        """The point of the line that is nearest to the origin of the base [m]."""
        return across(self.position, self.direction)

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> Ray4D:
        return cls(tip.position, pointing)

    def _goal(self, direction: Vector3) -> Goal:
        constraints = X | Y | GOAL_AXES | ALPHA_BETA
        return goal_along(constraints, self.direction, direction, self.position)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        away = across(added(tip.position, self.position, -1.0), self.direction)
        return math.hypot(*away), angle_between(pointing, self.direction)

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        return {
            'position': motion.moved(self.position),
            'direction': motion.turned(self.direction),
        }

    def _distances(self, other: Ray4D) -> tuple[float, float]:
        return (
            math.dist(self.foot, other.foot),
            angle_between(self.direction, other.direction),
        )


@dataclass(frozen=True, init=False, repr=False)
class TranslationDirection5D(IkParameterization):
    """
    Position of the tip and direction of the tool: p = position and D = direction.

    The turn about the direction is free. Values: dx, dy, dz, x, y, z.

    Parameters
    ----------
    position : (3,) array_like
        Where the tip is to be in the base [m].
    direction : (3,) array_like
        Where the tool is to point in the base; any length but zero.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, infinities, a direction of zeros.

    """

    type: ClassVar = IkParameterizationType.TranslationDirection5D
    parts: ClassVar = (Part('direction', Kind.DIRECTION), Part('position', Kind.POINT))
    position: Vector3
    """Position of the tip in the base [m]."""
    direction: Vector3
    """Unit vector in the base."""

    def __init__(
        self, position: ArrayLike, direction: ArrayLike, *, custom: CustomValues | None = None
    ) -> None:
        self._fill(
            custom, position=vector('position', position), direction=unit('direction', direction)
        )

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> TranslationDirection5D:
        return cls(tip.position, pointing)

    def _goal(self, direction: Vector3) -> Goal:
        return goal_along(POSITION | ALPHA_BETA, self.direction, direction, self.position)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return math.dist(tip.position, self.position), angle_between(pointing, self.direction)

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        return {
            'position': motion.moved(self.position),
            'direction': motion.turned(self.direction),
        }

    def _distances(self, other: TranslationDirection5D) -> tuple[float, float]:
        return (
            math.dist(self.position, other.position),
            angle_between(self.direction, other.direction),
        )


@dataclass(frozen=True, init=False, repr=False)
class Lookat3D(IkParameterization):
    """
    The tool points at a position: point - p has the direction D, and is in front of the tip.

    A ray, not a line: a position exactly behind is an error of pi. So is one at the tip itself,
    nearer than 1e-9 m, because it is seen in no direction. The distance and the turn about the
    direction are free, the position of the tip only together with the orientation. IKFast measures
    what is in front from the origin of the last link; here the origin of the tip counts.

    Values: x, y, z. The stored direction is not among them, and of no account for equality.

    Parameters
    ----------
    point : (3,) array_like
        What is to be looked at in the base [m].
    direction : (3,) array_like, optional
        Direction of the tool in the base when it looked there. It constrains nothing;
        `ikfast_distance_squared` alone uses it. `from_pose` stores it.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, infinities, a direction of zeros.

    """

    type: ClassVar = IkParameterizationType.Lookat3D
    parts: ClassVar = (Part('point', Kind.POINT),)
    point: Vector3
    """What is to be looked at in the base [m]."""
    direction: Vector3 | None = field(compare=False)
    """Direction of the tool in the base when it looked there, a unit vector; or None."""

    def __init__(
        self,
        point: ArrayLike,
        direction: ArrayLike | None = None,
        *,
        custom: CustomValues | None = None,
    ) -> None:
        self._fill(
            custom,
            point=vector('point', point),
            direction=None if direction is None else unit('direction', direction),
        )

    @property
    def _in_sight(self) -> Vector3:
        """The point, or one at the horizon in the same direction: squares of more overflow."""
        largest = max(map(abs, self.point))
        return self.point if largest <= _HORIZON else scaled(_HORIZON / largest, self.point)

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> Lookat3D:
        # Any distance would do; OpenRAVE takes a metre, and its distance counts on that.
        return cls(added(tip.position, pointing), pointing)

    def _goal(self, direction: Vector3) -> Goal:
        return goal_of(LOOKAT, self._in_sight, tool=direction)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        view = added(self._in_sight, tip.position, -1.0)
        if math.hypot(*view) < NOWHERE:
            return 0.0, math.pi
        return 0.0, angle_between(pointing, view)

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        direction = None if self.direction is None else motion.turned(self.direction)
        return {'point': motion.moved(self.point), 'direction': direction}

    def _distances(self, other: Lookat3D) -> tuple[float, float]:
        return math.dist(self.point, other.point), 0.0

    def _ikfast_distance_squared(self, other: Lookat3D) -> float:
        """Leave out what is along the other's direction, unless it is more than 1 m behind."""
        apart = added(self.point, other.point, -1.0)
        if other.direction is not None:
            along = dot(apart, other.direction)
            if along >= -1.0:
                apart = added(apart, other.direction, -along)
        return dot(apart, apart)
