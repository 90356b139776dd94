# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets in the xy plane of the base, and of a point that is fixed in the tip."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, ClassVar

from ik_node.constraints.base_axes import angle_in_plane, kept_axis, moved_angle
from ik_node.constraints.custom_data import CustomValues
from ik_node.constraints.far_points import lever
from ik_node.constraints.goal import AZIMUTH, Goal, goal_of, POSITION, X, Y
from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import Kind, Part
from ik_node.constraints.rigid import Rigid
from ik_node.constraints.vectors import NOWHERE, number, numbers, vector, Vector3, wrapped
from numpy.typing import ArrayLike


@dataclass(frozen=True, init=False, repr=False)
class TranslationXY2D(IkParameterization):
    """
    x and y of the tip in the base: p.x = position[0], p.y = position[1].

    z and the orientation are free. Seen from another base it is the same type only while the z
    axes stay parallel. Values: x, y.

    Parameters
    ----------
    position : (2,) array_like
        x and y of the tip in the base [m].
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities.

    """

    type: ClassVar = IkParameterizationType.TranslationXY2D
    parts: ClassVar = (Part('position', Kind.PLANE_POINT),)
    position: tuple[float, float]
    """x and y of the tip in the base [m]."""

    def __init__(self, position: ArrayLike, *, custom: CustomValues | None = None) -> None:
        self._fill(custom, position=numbers('position', position, 2))

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> TranslationXY2D:
        return cls(tip.position[:2])

    def _goal(self, direction: Vector3) -> Goal:
        return goal_of(X | Y, (*self.position, 0.0))

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return math.dist(tip.position[:2], self.position), 0.0

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        kept_axis(self.type, motion, 2)
        return {'position': motion.moved((*self.position, 0.0))[:2]}

    def _distances(self, other: TranslationXY2D) -> tuple[float, float]:
        return math.dist(self.position, other.position), 0.0


@dataclass(frozen=True, init=False, repr=False)
class TranslationXYOrientation3D(IkParameterization):
    """
    x and y of the tip and the angle of the tool about the base's z axis.

    p.x = position[0], p.y = position[1], atan2(D.y, D.x) = angle: 0 along x, pi/2 along y. z and
    the tilt of the tool are free. A tool along the z axis (nearer to it than 1e-9) has no such
    angle: its error is pi. Seen from another base it is the same type only while the z axes stay
    parallel. Values: x, y, angle.

    Parameters
    ----------
    position : (2,) array_like
        x and y of the tip in the base [m].
    angle : float
        [rad], taken to (-pi, pi].
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities.

    """

    type: ClassVar = IkParameterizationType.TranslationXYOrientation3D
    parts: ClassVar = (Part('position', Kind.PLANE_POINT), Part('angle', Kind.ANGLE))
    position: tuple[float, float]
    """x and y of the tip in the base [m]."""
    angle: float
    """Angle of the tool about the base's z axis [rad], in (-pi, pi]."""

    def __init__(
        self, position: ArrayLike, angle: float, *, custom: CustomValues | None = None
    ) -> None:
        self._fill(
            custom,
            position=numbers('position', position, 2),
            angle=wrapped(number('angle', angle)),
        )

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> TranslationXYOrientation3D:
        # A tool along z has any angle; zero is OpenRAVE's choice too.
        return cls(tip.position[:2], angle_in_plane(pointing, 0))

    def _goal(self, direction: Vector3) -> Goal:
        half = 0.5 * self.angle
        about_z = (0.0, 0.0, math.sin(half), math.cos(half))
        return goal_of(X | Y | AZIMUTH, (*self.position, 0.0), about_z, direction)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        apart = math.dist(tip.position[:2], self.position)
        if math.hypot(pointing[0], pointing[1]) < NOWHERE:
            return apart, math.pi
        return apart, abs(wrapped(math.atan2(pointing[1], pointing[0]) - self.angle))

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        kept_axis(self.type, motion, 2)
        return {
            'position': motion.moved((*self.position, 0.0))[:2],
            'angle': moved_angle(self.angle, motion, 0),
        }

    def _distances(self, other: TranslationXYOrientation3D) -> tuple[float, float]:
        return math.dist(self.position, other.position), abs(wrapped(self.angle - other.angle))


@dataclass(frozen=True, init=False, repr=False)
class TranslationLocalGlobal6D(IkParameterization):
    """
    A point that is fixed in the tip reaches a position: R local_point + p = global_point.

    Three degrees of freedom for six values: every rotation about the position is free. Values:
    x, y, z of the local point, then of the global one.

    Parameters
    ----------
    local_point : (3,) array_like
        The point in the tip, at most 1e9 m away from it [m].
    global_point : (3,) array_like
        Where it is to be in the base [m].
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, infinities.

    """

    type: ClassVar = IkParameterizationType.TranslationLocalGlobal6D
    parts: ClassVar = (Part('local_point', Kind.LOCAL), Part('global_point', Kind.POINT))
    local_point: Vector3
    """The point in the tip [m]."""
    global_point: Vector3
    """Where it is to be in the base [m]."""

    def __init__(
        self,
        local_point: ArrayLike,
        global_point: ArrayLike,
        *,
        custom: CustomValues | None = None,
    ) -> None:
        self._fill(
            custom,
            local_point=lever('local_point', vector('local_point', local_point)),
            global_point=vector('global_point', global_point),
        )

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> TranslationLocalGlobal6D:
        return cls((0.0, 0.0, 0.0), tip.position)

    def _goal(self, direction: Vector3) -> Goal:
        return goal_of(POSITION, self.global_point, point=self.local_point)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return math.dist(tip.moved(self.local_point), self.global_point), 0.0

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        return {
            'local_point': self.local_point,
            'global_point': motion.moved(self.global_point),
        }

    def _distances(self, other: TranslationLocalGlobal6D) -> tuple[float, float]:
        return (
            math.hypot(
                math.dist(self.local_point, other.local_point),
                math.dist(self.global_point, other.global_point),
            ),
            0.0,
        )
