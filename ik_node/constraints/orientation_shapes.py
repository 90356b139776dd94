# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How an effector may be oriented, with the names of Tekkotsu: Rotation, Parallel and Cone.

Each is a target by itself, of the axes of the tip with a free position; `Shapes` combines one with
a position, and with an effector that is turned in the tip.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
import math

from ik_node.constraints.goal import (
    along,
    ALPHA_BETA,
    CONE,
    Goal,
    NO_TURN,
    NOTHING,
    ORIENTATION,
)
from ik_node.constraints.rigid import (
    column,
    Matrix3,
    matrix_from_quat,
    quat_from_matrix,
    quat_product,
    Rigid,
    rotation_angle,
    times,
)
from ik_node.constraints.shape_goals import Aim, goal_of_shapes
from ik_node.constraints.target import Target
from ik_node.constraints.vectors import (
    angle_between,
    NOWHERE,
    number,
    Quat,
    scaled,
    unit,
    unit_quat,
    Vector3,
    Z_AXIS,
)
from ik_node.errors import InvalidTargetError, shown
from numpy.typing import ArrayLike


class OrientationShape(Target):
    """A set of orientations in the base, one of which is to be reached."""

    @abstractmethod
    def angle_to(self, rotation: Matrix3) -> float:
        """
        Measure how far an orientation is from the shape.

        Parameters
        ----------
        rotation : Matrix3
            Of the effector in the base, by rows.

        Returns
        -------
        float
            The least angle that remains to be turned [rad], in [0, pi].

        """

    @property
    @abstractmethod
    def aim(self) -> Aim:
        """The shape in the form that goals are made from."""

    def goal(self, direction: ArrayLike = Z_AXIS) -> Goal:
        return goal_of_shapes(None, self.aim)

    def errors(self, T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS) -> tuple[float, float]:
        return 0.0, self.angle_to(Rigid.trusted(T_base_tip).rotation)


@dataclass(frozen=True, init=False)
class Rotation(OrientationShape):
    """
    A single orientation.

    Parameters
    ----------
    quat_xyzw : (4,) array_like
        Of the effector in the base, of any length but zero. (Tekkotsu has w first.)

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities, zeros.

    """

    quat_xyzw: Quat
    """Unit quaternion, with the sign that was given."""

    def __init__(self, quat_xyzw: ArrayLike) -> None:
        vars(self).update(quat_xyzw=unit_quat('quat_xyzw', quat_xyzw))

    @property
    def aim(self) -> Aim:
        return ORIENTATION, self.quat_xyzw, Z_AXIS, NOTHING

    def angle_to(self, rotation: Matrix3) -> float:
        return rotation_angle(rotation, matrix_from_quat(self.quat_xyzw))

    def transformed(self, T_new_base: ArrayLike) -> Rotation:
        motion = quat_from_matrix(Rigid.checked(T_new_base).rotation)
        return Rotation(quat_product(motion, self.quat_xyzw))


@dataclass(frozen=True, init=False)
class Parallel(OrientationShape):
    """
    The z axis of the effector along a direction, in the same sense; the turn about it is free.

    An opposite axis is an error of pi. (Tekkotsu's own solver takes it for solved.)

    Parameters
    ----------
    direction : (3,) array_like
        In the base; any length but zero.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities, zeros.

    """

    direction: Vector3
    """Unit vector in the base."""

    def __init__(self, direction: ArrayLike) -> None:
        vars(self).update(direction=unit('direction', direction))

    @property
    def aim(self) -> Aim:
        return ALPHA_BETA, along(self.direction), Z_AXIS, NOTHING

    def angle_to(self, rotation: Matrix3) -> float:
        return angle_between(column(rotation, 2), self.direction)

    def transformed(self, T_new_base: ArrayLike) -> Parallel:
        return Parallel(Rigid.checked(T_new_base).turned(self.direction))


@dataclass(frozen=True, init=False)
class Cone(OrientationShape):
    """
    An axis of the effector at an angle to an axis of the base: on the cone, or within it.

    Parameters
    ----------
    axis_tip : (3,) array_like
        In the effector; any length but zero.
    axis_base : (3,) array_like
        In the base; any length but zero.
    angle : float
        Between both, half the opening of the cone [rad], in [0, pi].
    interior : bool
        Whether smaller angles are as good.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, infinities, an axis of zeros, an angle out of range.

    """

    axis_tip: Vector3
    """Unit vector in the effector."""
    axis_base: Vector3
    """Unit vector in the base."""
    angle: float
    """Between both [rad]."""
    interior: bool
    """Whether smaller angles are as good."""

    def __init__(
        self, axis_tip: ArrayLike, axis_base: ArrayLike, angle: float, interior: bool = False
    ) -> None:
        opening = number('angle', angle)
        if not 0.0 <= opening <= math.pi:
            raise InvalidTargetError(
                f'the angle of the cone is {opening} rad; it must be in [0, pi]'
            )
        vars(self).update(
            axis_tip=unit('axis_tip', axis_tip),
            axis_base=unit('axis_base', axis_base),
            angle=opening,
            interior=_switch(interior),
        )

    @property
    def aim(self) -> Aim:
        least = 0.0 if self.interior else self.angle
        # A cone that is a line has two equations with a slope, and one without.
        if self.angle < NOWHERE:
            return ALPHA_BETA, along(self.axis_base), self.axis_tip, NOTHING
        if math.pi - least < NOWHERE:
            return ALPHA_BETA, along(scaled(-1.0, self.axis_base)), self.axis_tip, NOTHING
        if least == 0.0 and self.angle == math.pi:
            return 0, NO_TURN, Z_AXIS, NOTHING
        return CONE, along(self.axis_base), self.axis_tip, (least, self.angle)

    def angle_to(self, rotation: Matrix3) -> float:
        beyond = angle_between(times(rotation, self.axis_tip), self.axis_base) - self.angle
        return max(beyond, 0.0) if self.interior else abs(beyond)

    def transformed(self, T_new_base: ArrayLike) -> Cone:
        axis = Rigid.checked(T_new_base).turned(self.axis_base)
        return Cone(self.axis_tip, axis, self.angle, self.interior)


def _switch(interior: bool) -> bool:
    try:
        return bool(interior)
    except ValueError as error:  # an array has no truth value of its own
        raise InvalidTargetError(f'interior is {shown(interior)}; it must be a bool') from error
