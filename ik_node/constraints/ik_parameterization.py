# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the sixteen types of targets of IKFast have in common."""

from __future__ import annotations

from abc import abstractmethod
import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
import math
from typing import Any, ClassVar, TypeAlias, TypeVar

from ik_node.constraints import json_form, text
from ik_node.constraints.custom_data import CustomData, CustomValues, data_of
from ik_node.constraints.goal import Goal
from ik_node.constraints.moved_data import moved_data
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import joined, Part, split
from ik_node.constraints.rigid import Rigid
from ik_node.constraints.target import Target
from ik_node.constraints.vectors import number, numbers, unit, Vector3, Z_AXIS
from ik_node.errors import InvalidArgumentError, InvalidTargetError
from ik_node.kernels.arrays import FloatArray
import numpy as np
from numpy.typing import ArrayLike

Self = TypeVar('Self', bound='IkParameterization')
TargetClass: TypeAlias = 'type[IkParameterization]'

IKFAST_ANGLE_WEIGHT = 0.4
"""What IKFast multiplies most squared angles with in its distance [m^2/rad^2]."""


@dataclass(frozen=True, init=False, repr=False)
class IkParameterization(Target):
    """
    A target of one of IKFast's sixteen types.

    Constructors take positions first and quaternions as x, y, z, w; `values`, `from_values` and
    the text form have IKFast's order: what turns before what moves, w before x, y, z. Directions
    and quaternions may have any length but zero and are normalised; angles are taken to
    (-pi, pi]. Two targets are equal when all their numbers are, custom data included.
    """

    type: ClassVar[IkParameterizationType]
    """The type of all targets of a class."""
    parts: ClassVar[tuple[Part, ...]]
    """The fields of a class, in IKFast's order."""
    custom: CustomData
    """Named numbers that the target carries along; no distance or error depends on them."""

    _classes: ClassVar[dict[IkParameterizationType, TargetClass]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if 'type' in vars(cls):
            cls._classes[cls.type] = cls

    def _fill(self, custom: CustomValues | None, **checked: Any) -> None:
        """Set the fields, once, past what keeps everybody else from it."""
        vars(self).update(checked, custom=data_of(custom))

    def __repr__(self) -> str:
        names = [field.name for field in fields(self) if field.name != 'custom']
        shown = [f'{name}={getattr(self, name)!r}' for name in names]
        if self.custom:
            shown.append(f'custom={self.custom!r}')
        return f'{type(self).__name__}({", ".join(shown)})'

    @property
    def values(self) -> FloatArray:
        """The values in IKFast's order: (number_of_values,) float64, read-only."""
        values = np.array(joined(self.parts, vars(self)))
        values.setflags(write=False)
        return values

    @classmethod
    def class_of(cls, kind: IkParameterizationType | int | str) -> TargetClass:
        """
        Find the class of a type.

        Parameters
        ----------
        kind : IkParameterizationType or int or str
            A type, its number or its name.

        Returns
        -------
        type
            A subclass of this one.

        Raises
        ------
        InvalidArgumentError
            A velocity, or NONE, or no type has that number.
        UnknownNameError
            No type has that name.

        """
        member = IkParameterizationType.of(kind)
        if member not in cls._classes:
            raise InvalidArgumentError(
                f'{member.name} is no type of target; take one of the sixteen types, or '
                'IkParameterizationVelocity for velocities'
            )
        return cls._classes[member]

    @classmethod
    def from_values(
        cls: builtins.type[Self], values: ArrayLike, custom: CustomValues | None = None
    ) -> Self:
        """
        Make a target of values in IKFast's order.

        Parameters
        ----------
        values : (number_of_values,) array_like
            See `IkParameterization`; lengths in [m], angles in [rad].
        custom : mapping of str to (n,) array_like, optional
            See `CustomData`.

        Returns
        -------
        IkParameterization

        Raises
        ------
        InvalidTargetError
            Another number of values, NaN, infinities, a direction or quaternion of zeros.

        """
        kind = cls._kind()
        row = numbers(f'the values of a {kind.name}', values, kind.number_of_values)
        make: Callable[..., Self] = cls
        return make(**split(cls.parts, row), custom=custom)

    def to_text(self) -> str:
        """
        Write the target as OpenRAVE does.

        Returns
        -------
        str
            See `constraints.text`.

        """
        return text.written(self.type, joined(self.parts, vars(self)), self.custom)

    @classmethod
    def from_text(cls: builtins.type[Self], line: str) -> Self:
        """
        Read a target as OpenRAVE writes it.

        Parameters
        ----------
        line : str
            From `to_text`. `IkParameterization.from_text` reads every type, the same of a
            subclass only its own.

        Returns
        -------
        IkParameterization

        Raises
        ------
        InvalidTargetError
            Malformed, or another type.
        InvalidArgumentError
            No type has that number, or it is a velocity.

        """
        kind, values, custom = text.read(line)
        return cls._subclass(kind).from_values(values, custom)

    def to_json(self) -> dict[str, Any]:
        """
        Write the target as an object of JSON.

        Returns
        -------
        dict
            See `constraints.json_form`.

        """
        return json_form.written(self.type, self.parts, vars(self), self.custom)

    @classmethod
    def from_json(cls: builtins.type[Self], data: str | bytes | Mapping[str, Any]) -> Self:
        """
        Read a target from JSON.

        Parameters
        ----------
        data : str or bytes or mapping
            From `to_json`, as an object or as text. `IkParameterization.from_json` reads every
            type, the same of a subclass only its own.

        Returns
        -------
        IkParameterization

        Raises
        ------
        InvalidTargetError
            Malformed, keys missing or unknown, or another type.
        UnknownNameError
            No type has that name.

        """
        members = json_form.parsed(data)
        made = cls._subclass(IkParameterizationType.from_name(members['type']))
        values, custom = json_form.values(made.type, made.parts, members)
        return made.from_values(values, custom)

    @classmethod
    def _kind(cls) -> IkParameterizationType:
        kind: IkParameterizationType | None = getattr(cls, 'type', None)
        if kind is None:
            raise InvalidArgumentError(
                f'{cls.__name__} stands for several types; take one of the sixteen classes, by '
                'name or from IkParameterization.class_of'
            )
        known: IkParameterizationType = kind
        return known

    @classmethod
    def _subclass(cls: builtins.type[Self], kind: IkParameterizationType) -> builtins.type[Self]:
        found = IkParameterization.class_of(kind)
        if not issubclass(found, cls):
            raise InvalidTargetError(
                f'this is a {kind.name}, not a {cls.__name__}; read it with {found.__name__}, or '
                'with IkParameterization, which reads every type'
            )
        return found

    @classmethod
    def from_pose(
        cls: builtins.type[Self], T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS
    ) -> Self:
        """
        Make the target of this type that a pose meets.

        Parameters
        ----------
        T_base_tip : (4, 4) array_like
            A pose of the tip.
        direction : (3,) array_like
            Direction of the tool in the tip.

        Returns
        -------
        IkParameterization

        Raises
        ------
        InvalidTargetError
            No rigid pose, or the direction is zero or not finite.

        """
        cls._kind()
        tip = Rigid.checked(T_base_tip)
        return cls._met_by(tip, tip.turned(unit('direction', direction)))

    def goal(self, direction: ArrayLike = Z_AXIS) -> Goal:
        return self._goal(unit('direction', direction))

    def errors(self, T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS) -> tuple[float, float]:
        tip = Rigid.trusted(T_base_tip)
        return self._errors(tip, tip.turned(unit('direction', direction)))

    def transformed(self: Self, T_new_base: ArrayLike) -> Self:
        motion = Rigid.checked(T_new_base)
        custom = moved_data(self.custom, motion, IkParameterization.class_of)
        make: Callable[..., Self] = type(self)
        return make(**self._moved(motion), custom=custom)

    def distance(self, other: IkParameterization, metres_per_radian: float = 1.0) -> float:
        """
        Measure how different two targets of the same type are.

        A metric: symmetric, zero for equal targets alone, and no detour is shorter. It is the
        square root of the sum of two squares: the distance of the positions, and the angle (of
        the rotation, of the directions, on the circle) times a weight. q and -q are the same
        rotation.

        Parameters
        ----------
        other : IkParameterization
            Of the same type.
        metres_per_radian : float
            How far apart a radian counts as [m/rad], positive.

        Returns
        -------
        float
            [m]. Where there are no positions, the angle times the weight.

        Raises
        ------
        InvalidArgumentError
            Another type, or a weight that is not positive.

        """
        self._same_type(other)
        weight = number('metres_per_radian', metres_per_radian)
        if weight <= 0.0:
            raise InvalidArgumentError(f'metres_per_radian is {weight}; it must be positive')
        metres, radians = self._distances(other)
        return math.hypot(metres, weight * radians)

    def ikfast_distance_squared(self, other: IkParameterization) -> float:
        """
        Measure the difference of two targets of the same type as IKFast does.

        OpenRAVE's ComputeDistanceSqr: squared metres plus weighted squared radians. Rotations
        count with half their angle; see each class for what else is peculiar to it.

        Parameters
        ----------
        other : IkParameterization
            Of the same type.

        Returns
        -------
        float
            [m^2 and rad^2].

        Raises
        ------
        InvalidArgumentError
            Another type.

        """
        self._same_type(other)
        return self._ikfast_distance_squared(other)

    def _same_type(self, other: IkParameterization) -> None:
        if type(other) is not type(self):
            raise InvalidArgumentError(
                f'a {type(self).__name__} has no distance to a {type(other).__name__}; compare '
                'targets of the same type'
            )

    @classmethod
    @abstractmethod
    def _met_by(cls: builtins.type[Self], tip: Rigid, pointing: Vector3) -> Self:
        """Make the target that a tip meets whose tool points in a direction of the base."""

    @abstractmethod
    def _goal(self, direction: Vector3) -> Goal:
        """Lower the target for a direction in the tip."""

    @abstractmethod
    def _errors(self, tip: Rigid, pointing: Vector3) -> tuple[float, float]:
        """Measure the errors [m], [rad] of a tip whose tool points in a direction of the base."""

    @abstractmethod
    def _moved(self, motion: Rigid) -> dict[str, Any]:
        """Give the fields as seen from another base."""

    @abstractmethod
    def _distances(self: Self, other: Self) -> tuple[float, float]:
        """Measure the differences [m], [rad] from a target of the same type."""

    def _ikfast_distance_squared(self: Self, other: Self) -> float:
        metres, radians = self._distances(other)
        return metres * metres + IKFAST_ANGLE_WEIGHT * radians * radians
