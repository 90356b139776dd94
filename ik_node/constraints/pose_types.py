# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of a pose, an orientation or a position: Transform6D and its two halves."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, ClassVar

from ik_node.constraints.custom_data import CustomValues
from ik_node.constraints.goal import Goal, goal_of, ORIENTATION, POSE, POSITION
from ik_node.constraints.ik_parameterization import IKFAST_ANGLE_WEIGHT, IkParameterization
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import Kind, Part
from ik_node.constraints.rigid import (
    matrix_from_quat,
    quat_angle,
    quat_from_matrix,
    quat_product,
    Rigid,
    rotation_angle,
)
from ik_node.constraints.vectors import Quat, unit_quat, vector, Vector3
from ik_node.kernels.arrays import FloatArray
from numpy.typing import ArrayLike


@dataclass(frozen=True, init=False, repr=False)
class Transform6D(IkParameterization):
    """
    The full pose of the tip: R = R(quat), p = position. Nothing is left free.

    Values: qw, qx, qy, qz, x, y, z.

    Parameters
    ----------
    position : (3,) array_like
        Where the tip is to be in the base [m].
    quat_xyzw : (4,) array_like
        Orientation of the tip in the base, of any length but zero.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, infinities, a quaternion of zeros.

    """

    type: ClassVar = IkParameterizationType.Transform6D
    parts: ClassVar = (Part('quat_xyzw', Kind.QUAT), Part('position', Kind.POINT))
    position: Vector3
    """Position of the tip in the base [m]."""
    quat_xyzw: Quat
    """Orientation of the tip in the base, a unit quaternion with the sign that was given."""

    def __init__(
        self, position: ArrayLike, quat_xyzw: ArrayLike, *, custom: CustomValues | None = None
    ) -> None:
        self._fill(
            custom,
            position=vector('position', position),
            quat_xyzw=unit_quat('quat_xyzw', quat_xyzw),
        )

    @property
    def T_base_tip(self) -> FloatArray:
        """The pose as a matrix: (4, 4) float64."""
        return Rigid(matrix_from_quat(self.quat_xyzw), self.position).array()

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> Transform6D:
        return cls(tip.position, quat_from_matrix(tip.rotation))

    def _goal(self, direction: Vector3) -> Goal:
        return goal_of(POSE, self.position, self.quat_xyzw)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return (
            math.dist(tip.position, self.position),
            rotation_angle(tip.rotation, matrix_from_quat(self.quat_xyzw)),
        )

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        quat = quat_product(quat_from_matrix(motion.rotation), self.quat_xyzw)
        return {'position': motion.moved(self.position), 'quat_xyzw': quat}

    def _distances(self, other: Transform6D) -> tuple[float, float]:
        return (
            math.dist(self.position, other.position),
            quat_angle(self.quat_xyzw, other.quat_xyzw),
        )

    def _ikfast_distance_squared(self, other: Transform6D) -> float:
        metres, radians = self._distances(other)
        return metres * metres + IKFAST_ANGLE_WEIGHT * (0.5 * radians) ** 2


@dataclass(frozen=True, init=False, repr=False)
class Rotation3D(IkParameterization):
    """
    The orientation of the tip: R = R(quat). Its position is free.

    Values: qw, qx, qy, qz.

    Parameters
    ----------
    quat_xyzw : (4,) array_like
        Orientation of the tip in the base, of any length but zero.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities, a quaternion of zeros.

    """

    type: ClassVar = IkParameterizationType.Rotation3D
    parts: ClassVar = (Part('quat_xyzw', Kind.QUAT),)
    quat_xyzw: Quat
    """Orientation of the tip in the base, a unit quaternion with the sign that was given."""

    def __init__(self, quat_xyzw: ArrayLike, *, custom: CustomValues | None = None) -> None:
        self._fill(custom, quat_xyzw=unit_quat('quat_xyzw', quat_xyzw))

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> Rotation3D:
        return cls(quat_from_matrix(tip.rotation))

    def _goal(self, direction: Vector3) -> Goal:
        return goal_of(ORIENTATION, frame=self.quat_xyzw)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return 0.0, rotation_angle(tip.rotation, matrix_from_quat(self.quat_xyzw))

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        return {'quat_xyzw': quat_product(quat_from_matrix(motion.rotation), self.quat_xyzw)}

    def _distances(self, other: Rotation3D) -> tuple[float, float]:
        return 0.0, quat_angle(self.quat_xyzw, other.quat_xyzw)

    def _ikfast_distance_squared(self, other: Rotation3D) -> float:
        return (0.5 * quat_angle(self.quat_xyzw, other.quat_xyzw)) ** 2


@dataclass(frozen=True, init=False, repr=False)
class Translation3D(IkParameterization):
    """
    The position of the tip: p = position. Its orientation is free.

    Values: x, y, z.

    Parameters
    ----------
    position : (3,) array_like
        Where the tip is to be in the base [m].
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Wrong shape, NaN, infinities.

    """

    type: ClassVar = IkParameterizationType.Translation3D
    parts: ClassVar = (Part('position', Kind.POINT),)
    position: Vector3
    """Position of the tip in the base [m]."""

    def __init__(self, position: ArrayLike, *, custom: CustomValues | None = None) -> None:
        self._fill(custom, position=vector('position', position))

    @classmethod
    def _met_by(cls, tip: Rigid, pointing: Vector3) -> Translation3D:
        return cls(tip.position)

    def _goal(self, direction: Vector3) -> Goal:
        return goal_of(POSITION, self.position)

    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        return math.dist(tip.position, self.position), 0.0

    def _moved(self, motion: Rigid) -> dict[str, Any]:
        return {'position': motion.moved(self.position)}

    def _distances(self, other: Translation3D) -> tuple[float, float]:
        return math.dist(self.position, other.position), 0.0
