# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Velocities of targets: derivatives by time of the values of a type.

The derivative of a quaternion belongs to the angular velocity omega in the axes of the base:
qdot = 0.5 (0, omega) q. The angular velocity in the axes of the tip would stand on the other side,
0.5 q (0, omega_tip), and gives the same derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ik_node.constraints import text
from ik_node.constraints.base_axes import kept_axis
from ik_node.constraints.custom_data import CustomData, CustomValues, data_of
from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.moved_data import moved_data
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import FieldValue, joined, Kind, Part, split
from ik_node.constraints.pose_types import Rotation3D, Transform6D
from ik_node.constraints.rigid import conjugate, quat_from_matrix, quat_product, Rigid
from ik_node.constraints.vectors import number, numbers, Quat, scaled, vector, Vector3
from ik_node.errors import InvalidArgumentError, InvalidTargetError, shown
from ik_node.kernels.arrays import FloatArray
import numpy as np
from numpy.typing import ArrayLike

NORMS = {
    IkParameterizationType.TranslationXY2D: 2,
    IkParameterizationType.TranslationXYOrientation3D: 2,
    IkParameterizationType.TranslationXAxisAngle4D: 0,
    IkParameterizationType.TranslationYAxisAngle4D: 1,
    IkParameterizationType.TranslationZAxisAngle4D: 2,
    IkParameterizationType.TranslationXAxisAngleZNorm4D: 2,
    IkParameterizationType.TranslationYAxisAngleXNorm4D: 0,
    IkParameterizationType.TranslationZAxisAngleYNorm4D: 1,
}
"""Axes of the base that types are tied to: 0 for x, 1 for y, 2 for z."""


@dataclass(frozen=True, init=False, repr=False)
class IkParameterizationVelocity:
    """
    How fast the values of a target change.

    Positions become linear velocities [m/s], directions and angles their derivatives [1/s],
    [rad/s], quaternions theirs [1/s]; nothing is normalised or wrapped.

    Parameters
    ----------
    kind : IkParameterizationType or int or str
        Type of the target or of its velocity, by member, number or name.
    values : (number_of_values,) array_like
        Derivatives of the values, in IKFast's order.
    custom : mapping of str to (n,) array_like, optional
        See `CustomData`.

    Raises
    ------
    InvalidTargetError
        Another number of values, NaN, infinities.
    InvalidArgumentError
        NONE, or no type has that number.
    UnknownNameError
        No type has that name.

    """

    type: IkParameterizationType
    """Type with the velocity bit."""
    rates: tuple[float, ...]
    """Derivatives of the values, in IKFast's order."""
    custom: CustomData
    """Named numbers that are carried along."""

    def __init__(
        self,
        kind: IkParameterizationType | int | str,
        values: ArrayLike,
        *,
        custom: CustomValues | None = None,
    ) -> None:
        member = IkParameterizationType.of(kind).velocity
        vars(self).update(
            type=member,
            rates=numbers(f'the values of a {member.name}', values, member.number_of_values),
            custom=data_of(custom),
        )

    @classmethod
    def of_fields(
        cls, kind: IkParameterizationType | int | str, **fields: Any
    ) -> IkParameterizationVelocity:
        """
        Make a velocity of the derivatives of the fields of a target.

        Parameters
        ----------
        kind : IkParameterizationType or int or str
            Type of the target or of its velocity.
        **fields : float or (k,) array_like
            Derivatives by the names of the fields of the target's class: quaternions as x, y, z,
            w. Every field must be there.

        Returns
        -------
        IkParameterizationVelocity

        Raises
        ------
        InvalidTargetError
            A field is missing, unknown, of another shape or not finite.

        """
        still = cls(kind, (0.0,) * IkParameterizationType.of(kind).number_of_values)
        names = [name for name, _ in still.parts]
        if sorted(names) != sorted(fields):
            raise InvalidTargetError(
                f'a {still.type.name} has the fields {", ".join(names)}; these are '
                f'{", ".join(fields) or "none"}'
            )
        row: dict[str, FieldValue] = {
            name: number(f'the derivative of {name}', fields[name])
            if part is Kind.ANGLE
            else numbers(f'the derivative of {name}', fields[name], part.size)
            for name, part in still.parts
        }
        return cls(kind, joined(still.parts, row))

    def __repr__(self) -> str:
        shown = [repr(self.type.name), repr(self.rates)]
        if self.custom:
            shown.append(f'custom={self.custom!r}')
        return f'IkParameterizationVelocity({", ".join(shown)})'

    @property
    def parts(self) -> tuple[Part, ...]:
        """The fields, in IKFast's order; those of the target's class."""
        return IkParameterization.class_of(self.type.target).parts

    @property
    def values(self) -> FloatArray:
        """The values in IKFast's order: (number_of_values,) float64, read-only."""
        values = np.array(self.rates)
        values.setflags(write=False)
        return values

    @property
    def fields(self) -> dict[str, FieldValue]:
        """Derivatives by the names of the fields of the target's class."""
        return split(self.parts, self.rates)

    def to_text(self) -> str:
        """
        Write the velocity as OpenRAVE does.

        Returns
        -------
        str
            See `constraints.text`.

        """
        return text.written(self.type, self.rates, self.custom)

    @classmethod
    def from_text(cls, line: str) -> IkParameterizationVelocity:
        """
        Read a velocity as OpenRAVE writes it.

        Parameters
        ----------
        line : str
            From `to_text`.

        Returns
        -------
        IkParameterizationVelocity

        Raises
        ------
        InvalidTargetError
            Malformed, or no velocity.
        InvalidArgumentError
            No type has that number.

        """
        kind, values, custom = text.read(line)
        if not kind.is_velocity:
            raise InvalidTargetError(
                f'this is a {kind.name}, no velocity; read it with IkParameterization'
            )
        return cls(kind, values, custom=custom)

    def transformed(self, T_new_base: ArrayLike) -> IkParameterizationVelocity:
        """
        Give the same velocity seen from another base, one that does not move in this one.

        Parameters
        ----------
        T_new_base : (4, 4) array_like
            Pose of the base in the new one. Velocities turn; where it is, does not matter. A
            quaternion's derivative belongs to the quaternion that `Transform6D.transformed`
            gives.

        Returns
        -------
        IkParameterizationVelocity

        Raises
        ------
        InvalidTargetError
            No rigid pose, or the type is tied to an axis of the base that the pose would tilt.

        """
        motion = Rigid.checked(T_new_base)
        axis = NORMS.get(self.type.target)
        same = axis is None or kept_axis(self.type, motion, axis)
        row: dict[str, FieldValue] = {}
        for name, kind in self.parts:
            row[name] = _turned(kind, self.fields[name], motion, same)
        custom = moved_data(self.custom, motion, IkParameterization.class_of)
        return IkParameterizationVelocity(self.type, joined(self.parts, row), custom=custom)

    @classmethod
    def from_twist(
        cls, linear: ArrayLike, angular: ArrayLike, at: Transform6D
    ) -> IkParameterizationVelocity:
        """
        Make the velocity of a pose of its twist.

        Parameters
        ----------
        linear : (3,) array_like
            Velocity of the origin of the tip, in the axes of the base [m/s].
        angular : (3,) array_like
            Angular velocity of the tip, in the axes of the base [rad/s].
        at : Transform6D
            Where the tip is; the sign of its quaternion is that of the derivative.

        Returns
        -------
        IkParameterizationVelocity
            Of the type Transform6DVelocity.

        """
        if not isinstance(at, Transform6D):
            raise InvalidTargetError(f'at is {shown(at)}; it must be a Transform6D')
        x, y, z, w = quat_product((*vector('angular', angular), 0.0), at.quat_xyzw)
        return cls(
            IkParameterizationType.Transform6D,
            (0.5 * w, 0.5 * x, 0.5 * y, 0.5 * z, *vector('linear', linear)),
        )

    def angular(self, at: Transform6D | Rotation3D) -> Vector3:
        """
        Compute the angular velocity of an orientation.

        Parameters
        ----------
        at : Transform6D or Rotation3D
            Where the tip is, with the quaternion that changes with this derivative.

        Returns
        -------
        x, y, z : float
            In the axes of the base [rad/s]. A part of the derivative that would change the length
            of the quaternion is dropped.

        Raises
        ------
        InvalidArgumentError
            The type has no quaternion.

        """
        quat_rate = self.fields.get('quat_xyzw')
        if not isinstance(quat_rate, tuple):
            raise InvalidArgumentError(
                f'a {self.type.name} has no angular velocity; a Transform6DVelocity and a '
                'Rotation3DVelocity have'
            )
        if not isinstance(at, Transform6D | Rotation3D):
            raise InvalidTargetError(
                f'at is {shown(at)}; it must be a Transform6D or a Rotation3D, which have a '
                'quaternion'
            )
        x, y, z, w = quat_rate
        rate: Quat = (x, y, z, w)
        return scaled(2.0, quat_product(rate, conjugate(at.quat_xyzw))[:3])

    def twist(self, at: Transform6D) -> tuple[Vector3, Vector3]:
        """
        Compute the twist of a pose; the inverse of `from_twist`.

        Parameters
        ----------
        at : Transform6D
            Where the tip is, with the quaternion that changes with this derivative.

        Returns
        -------
        linear : tuple of three float
            Velocity of the origin of the tip, in the axes of the base [m/s].
        angular : tuple of three float
            Angular velocity of the tip, in the axes of the base [rad/s].

        Raises
        ------
        InvalidArgumentError
            The type is not Transform6DVelocity.

        """
        if self.type is not IkParameterizationType.Transform6DVelocity:
            raise InvalidArgumentError(
                f'a {self.type.name} has no twist; only a Transform6DVelocity has'
            )
        x, y, z = self.rates[4:]
        return (x, y, z), self.angular(at)


def _turned(kind: Kind, rate: FieldValue, motion: Rigid, same: bool) -> FieldValue:
    """See a derivative from a turned base; `same`: the axis of the type keeps its sense."""
    if not isinstance(rate, tuple):
        return rate if same else -rate
    if kind is Kind.QUAT:
        x, y, z, w = rate
        return quat_product(quat_from_matrix(motion.rotation), (x, y, z, w))
    if kind is Kind.LOCAL:
        return rate
    turned = motion.turned((rate[0], rate[1], rate[2] if len(rate) > 2 else 0.0))
    return turned[: len(rate)]
