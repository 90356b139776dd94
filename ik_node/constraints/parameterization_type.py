# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The types of targets of OpenRAVE's IKFast, by the same names and numbers.

A number carries what it says of its type:

======  ====================================================================================
bits    meaning
======  ====================================================================================
31..28  least number of joints that can reach such a target: its degrees of freedom
27..24  how many values describe it
16      custom data follow: only in the text form, never in a type
15      the values are derivatives by time
15..0   unique number, the velocity bit included
======  ====================================================================================
"""

from __future__ import annotations

import enum
from numbers import Integral

from ik_node.errors import InvalidArgumentError, shown, UnknownNameError

VELOCITY_DATA_BIT = 0x8000
"""Bit of types whose values are velocities; IKFast's IKP_VelocityDataBit."""
CUSTOM_DATA_BIT = 0x10000
"""Bit of a serialised type that custom data follow; IKFast's IKP_CustomDataBit."""
UNIQUE_ID_MASK = 0xFFFF
"""Bits of the unique number; IKFast's IKP_UniqueIdMask."""
NUMBER_OF_PARAMETERIZATIONS = 16
"""How many types there are, without NONE and velocities."""

PREFIX = 'IKP_'


class IkParameterizationType(enum.IntEnum):
    """
    What kind of target a set of values is.

    `IkParameterizationType(number)` accepts the number of any member; see also `from_name` and
    `from_unique_id`. Positions are those of the origin of the tip, in the base; "the direction" is
    the direction of the tool, fixed in the tip (its z axis unless said otherwise) and seen from
    the base.
    """

    NONE = 0
    """Nothing is asked."""
    Transform6D = 0x67000001
    """The full pose."""
    Rotation3D = 0x34000002
    """The orientation."""
    Translation3D = 0x33000003
    """The position."""
    Direction3D = 0x23000004
    """The direction; the turn about it is free."""
    Ray4D = 0x46000005
    """The direction lies on a line, in its sense; where on it is free."""
    Lookat3D = 0x23000006
    """The direction points at a position in front of it."""
    TranslationDirection5D = 0x56000007
    """Position and direction."""
    TranslationXY2D = 0x22000008
    """x and y of the position."""
    TranslationXYOrientation3D = 0x33000009
    """x and y of the position, and the angle of the direction about the base's z axis."""
    TranslationLocalGlobal6D = 0x3600000A
    """A point that is fixed in the tip reaches a position."""
    TranslationXAxisAngle4D = 0x4400000B
    """Position, and the angle between the direction and the base's x axis (a cone)."""
    TranslationYAxisAngle4D = 0x4400000C
    """The same for the y axis."""
    TranslationZAxisAngle4D = 0x4400000D
    """The same for the z axis."""
    TranslationXAxisAngleZNorm4D = 0x4400000E
    """Position, and the direction orthogonal to z, at an angle from x towards y."""
    TranslationYAxisAngleXNorm4D = 0x4400000F
    """Position, and the direction orthogonal to x, at an angle from y towards z."""
    TranslationZAxisAngleYNorm4D = 0x44000010
    """Position, and the direction orthogonal to y, at an angle from z towards x."""
    Transform6DVelocity = 0x67008001
    Rotation3DVelocity = 0x34008002
    Translation3DVelocity = 0x33008003
    Direction3DVelocity = 0x23008004
    Ray4DVelocity = 0x46008005
    Lookat3DVelocity = 0x23008006
    TranslationDirection5DVelocity = 0x56008007
    TranslationXY2DVelocity = 0x22008008
    TranslationXYOrientation3DVelocity = 0x33008009
    TranslationLocalGlobal6DVelocity = 0x3600800A
    TranslationXAxisAngle4DVelocity = 0x4400800B
    TranslationYAxisAngle4DVelocity = 0x4400800C
    TranslationZAxisAngle4DVelocity = 0x4400800D
    TranslationXAxisAngleZNorm4DVelocity = 0x4400800E
    TranslationYAxisAngleXNorm4DVelocity = 0x4400800F
    TranslationZAxisAngleYNorm4DVelocity = 0x44008010

    @classmethod
    def _missing_(cls, value: object) -> IkParameterizationType:
        given = f'{value:#x}' if isinstance(value, int) and value < 1 << 64 else shown(value)
        known = ', '.join(f'{member.name} {member.value:#x}' for member in cls.targets())
        raise InvalidArgumentError(
            f'{given} is the number of no type of target; known: {known}, the same with the '
            f'velocity bit {VELOCITY_DATA_BIT:#x}, and NONE 0'
        )

    @classmethod
    def targets(cls) -> tuple[IkParameterizationType, ...]:
        """
        List the sixteen types, without NONE and velocities.

        Returns
        -------
        tuple of IkParameterizationType
            In the order of their unique numbers.

        """
        return tuple(member for member in cls if member and not member.is_velocity)

    @classmethod
    def from_name(cls, name: object) -> IkParameterizationType:
        """
        Find a type by its name.

        Parameters
        ----------
        name : str
            'Transform6D' or 'IKP_Transform6D'; in any case of letters, as IKFast's own tools write
            all of them small.

        Returns
        -------
        IkParameterizationType

        Raises
        ------
        UnknownNameError
            No type has that name; it lists those that exist.

        """
        if isinstance(name, str):
            plain = name.lower().removeprefix(PREFIX.lower())
            for member in cls:
                if member.name.lower() == plain:
                    return member
        raise UnknownNameError('type of target', name, [member.name for member in cls])

    @classmethod
    def of(cls, kind: IkParameterizationType | int | str) -> IkParameterizationType:
        """
        Find a type by its name or its number.

        Parameters
        ----------
        kind : IkParameterizationType or int or str
            A type, its number or its name.

        Returns
        -------
        IkParameterizationType

        Raises
        ------
        InvalidArgumentError
            No type has that number.
        UnknownNameError
            No type has that name.

        """
        if not isinstance(kind, Integral):
            return cls.from_name(kind)
        # Of a longer number an enumeration would write every digit.
        number = int(kind)
        return cls(number) if number.bit_length() <= 64 else cls._missing_(number)

    @classmethod
    def from_unique_id(cls, number: int) -> IkParameterizationType:
        """
        Find a type by the low bits of its number.

        Parameters
        ----------
        number : int
            Any number whose low 16 bits are unique number and velocity bit; what stands above is
            ignored. The velocity bit decides between a type and its velocity.

        Returns
        -------
        IkParameterizationType

        Raises
        ------
        InvalidArgumentError
            No type has that unique number.

        """
        if isinstance(number, int):
            for member in cls:
                if member.unique_id == number & UNIQUE_ID_MASK:
                    return member
        raise InvalidArgumentError(
            f'{shown(number)} has the unique number of no type of target; they are 1 to '
            f'{NUMBER_OF_PARAMETERIZATIONS}, with or without the velocity bit '
            f'{VELOCITY_DATA_BIT:#x}, and 0 for NONE'
        )

    @property
    def dof(self) -> int:
        """Degrees of freedom that a target of this type takes; no arm has fewer joints."""
        return (self.value >> 28) & 0xF

    @property
    def number_of_values(self) -> int:
        """How many values describe a target of this type, custom data not counted."""
        return (self.value >> 24) & 0xF

    @property
    def unique_id(self) -> int:
        """Unique number, the velocity bit included."""
        return self.value & UNIQUE_ID_MASK

    @property
    def is_velocity(self) -> bool:
        """Whether the values are derivatives by time."""
        return bool(self.value & VELOCITY_DATA_BIT)

    @property
    def velocity(self) -> IkParameterizationType:
        """The type of the derivative by time; of a velocity, itself."""
        if not self:
            raise InvalidArgumentError('NONE has no velocity; take one of the sixteen types')
        return IkParameterizationType(self.value | VELOCITY_DATA_BIT)

    @property
    def target(self) -> IkParameterizationType:
        """The type whose derivative this is; of a type that is no velocity, itself."""
        return IkParameterizationType(self.value & ~VELOCITY_DATA_BIT)

    @property
    def ikfast_name(self) -> str:
        """Name in C++ and in OpenRAVE: with the prefix IKP_."""
        return PREFIX + ('None' if self is IkParameterizationType.NONE else self.name)
