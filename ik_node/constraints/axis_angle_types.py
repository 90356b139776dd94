# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets of a position and an angle between the tool and an axis of the base.

The axes are those of the base, not of the tool or the world, and the angles are none of roll,
pitch and yaw: a cone's is acos of a component of D, the direction of the tool in the base.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, ClassVar, TypeVar

from ik_node.constraints.base_axes import angle_in_plane, AXES, kept_axis, moved_angle, on_circle
from ik_node.constraints.custom_data import CustomValues
from ik_node.constraints.goal import (
    along,
    ALPHA_BETA,
    CONE,
    Goal,
    goal_along,
    goal_of,
    POSITION,
)
from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import Kind, Part
from ik_node.constraints.rigid import Rigid
from ik_node.constraints.vectors import (
    angle_between,
    NOWHERE,
    number,
    scaled,
    vector,
    Vector3,
    wrapped,
)
from numpy.typing import ArrayLike

Self = TypeVar('Self', bound='AxisAngle4D')
AnyCone = TypeVar('AnyCone', bound='ConeAngle4D')
AnyNorm = TypeVar('AnyNorm', bound='NormAngle4D')


@dataclass(frozen=True, init=False, repr=False)
class AxisAngle4D(IkParameterization):
    """
    A position of the tip, and an angle between the tool and an axis of the base.

    Values: angle, x, y, z.

    Parameters
    ----------
    position : (3,) array_like
        Where the tip is to be in the base [m].
    angle : float
        [rad].
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities.

    """

    parts: ClassVar = (Part('angle', Kind.ANGLE), Part('position', Kind.POINT))
    axis: ClassVar[int]
    """From which axis of the base the angle is measured: 0 for x, 1 for y, 2 for z."""
    position: Vector3
    """Position of the tip in the base [m]."""
    angle: float
    """[rad]."""

    def __init__(
        self, position: ArrayLike, angle: float, *, custom: CustomValues | None = None
    ) -> None:
        self._fill(
            custom,
            position=vector('position', position),
            angle=self._in_range(wrapped(number('angle', angle))),
        )

    @staticmethod
    def _in_range(angle: float) -> float:
        return angle

    def _ikfast_distance_squared(self: Self, other: Self) -> float:
        """Count angles in full, without the weight that other types have."""
        metres, radians = self._distances(other)
        return metres * metres + radians * radians


class ConeAngle4D(AxisAngle4D):
    """
    The tool on a cone about an axis of the base: p = position, acos(D . axis) = angle.

    The turn of the tool about the axis of the cone, and about itself, are free. The angle is in
    [0, pi]; one outside is folded into that range, abs(wrap(angle)), as IKFast does: a cone has no
    signed angle. Seen from another base it is the same type only while the axes stay parallel;
    opposite axes turn the angle into pi - angle. (IKFast moves the position alone.)
    """

    @staticmethod
    def _in_range(angle: float) -> float:
        return abs(angle)

    @classmethod
    def _met_by(cls: type[AnyCone], tip: Rigid, pointing: Vector3) -> AnyCone:
        return cls(tip.position, angle_between(pointing, AXES[cls.axis]))

    def _goal(self, direction: Vector3) -> Goal:
        axis = AXES[self.axis]
        # The cone is a line here: its one equation would have no slope, but two others have.
        if min(self.angle, math.pi - self.angle) < NOWHERE:
            axis = scaled(math.copysign(1.0, 1.0 - self.angle), axis)
            return goal_along(POSITION | ALPHA_BETA, axis, direction, self.position)
        opening = self.angle, self.angle
        return goal_of(POSITION | CONE, self.position, along(axis), direction, opening)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        angle = angle_between(pointing, AXES[self.axis])
        return math.dist(tip.position, self.position), abs(angle - self.angle)

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        same = kept_axis(self.type, motion, self.axis)
        return {
            'position': motion.moved(self.position),
            'angle': self.angle if same else math.pi - self.angle,
        }

    def _distances(self: AnyCone, other: AnyCone) -> tuple[float, float]:
        return math.dist(self.position, other.position), abs(self.angle - other.angle)


class NormAngle4D(AxisAngle4D):
    """
    The tool in a plane of the base, at an angle: p = position, D = cos(angle) i + sin(angle) j.

    i is the axis that the angle is measured from, j the one that it turns towards; D is orthogonal
    to the third axis, the norm. That takes a direction in full, so an arm needs five joints, or a
    build that keeps the tool in the plane: the type has four degrees of freedom because it leaves
    that to the arm. IKFast's own check does not see a tool that leaves the plane; here that is an
    error. The turn about the tool is free. The angle is signed, in (-pi, pi].

    `from_pose` projects a tool that is outside of the plane. Seen from another base it is the same
    type only while the norms stay parallel.
    """

    @classmethod
    def _met_by(cls: type[AnyNorm], tip: Rigid, pointing: Vector3) -> AnyNorm:
        return cls(tip.position, angle_in_plane(pointing, cls.axis))

    @property
    def direction(self) -> Vector3:
        """Where the tool points: unit vector in the base."""
        return on_circle(self.angle, self.axis)

    def _goal(self, direction: Vector3) -> Goal:
        return goal_along(POSITION | ALPHA_BETA, self.direction, direction, self.position)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return math.dist(tip.position, self.position), angle_between(pointing, self.direction)

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        kept_axis(self.type, motion, (self.axis + 2) % 3)
        return {
            'position': motion.moved(self.position),
            'angle': moved_angle(self.angle, motion, self.axis),
        }

    def _distances(self: AnyNorm, other: AnyNorm) -> tuple[float, float]:
        return math.dist(self.position, other.position), abs(wrapped(self.angle - other.angle))


class TranslationXAxisAngle4D(ConeAngle4D):
    """Position, and the angle acos(D.x) between the tool and the base's x axis: a cone."""

    type: ClassVar = IkParameterizationType.TranslationXAxisAngle4D
    axis: ClassVar = 0


class TranslationYAxisAngle4D(ConeAngle4D):
    """Position, and the angle acos(D.y) between the tool and the base's y axis: a cone."""

    type: ClassVar = IkParameterizationType.TranslationYAxisAngle4D
    axis: ClassVar = 1


class TranslationZAxisAngle4D(ConeAngle4D):
    """Position, and the angle acos(D.z) between the tool and the base's z axis: a cone."""

    type: ClassVar = IkParameterizationType.TranslationZAxisAngle4D
    axis: ClassVar = 2


class TranslationXAxisAngleZNorm4D(NormAngle4D):
    """Position, and the tool orthogonal to z, at atan2(D.y, D.x) from x towards y."""

    type: ClassVar = IkParameterizationType.TranslationXAxisAngleZNorm4D
    axis: ClassVar = 0


class TranslationYAxisAngleXNorm4D(NormAngle4D):
    """Position, and the tool orthogonal to x, at atan2(D.z, D.y) from y towards z."""

    type: ClassVar = IkParameterizationType.TranslationYAxisAngleXNorm4D
    axis: ClassVar = 1


class TranslationZAxisAngleYNorm4D(NormAngle4D):
    """Position, and the tool orthogonal to y, at atan2(D.x, D.z) from z towards x."""

    type: ClassVar = IkParameterizationType.TranslationZAxisAngleYNorm4D
    axis: ClassVar = 2
