# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts that values of IKFast's types are made of, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import enum
from typing import NamedTuple, TypeAlias

FieldValue: TypeAlias = 'float | tuple[float, ...]'


class Kind(enum.Enum):
    """What a part is: its key in JSON, and how many values it has."""

    QUAT = ('quaternion', 4)
    """w, x, y, z among the values; x, y, z, w as a field."""
    POINT = ('translate', 3)
    """Position in the base [m]."""
    PLANE_POINT = ('translate', 2)
    """x and y of a position [m]."""
    DIRECTION = ('direction', 3)
    """Unit vector in the base."""
    LOCAL = ('localTranslate', 3)
    """Position in the tip [m]."""
    ANGLE = ('angle', 1)
    """[rad]; a float as a field."""

    @property
    def key(self) -> str:
        """Key in JSON."""
        return self.value[0]

    @property
    def size(self) -> int:
        """Number of values."""
        return self.value[1]


class Part(NamedTuple):
    """A field of a type of targets."""

    name: str
    kind: Kind


def part_values(kind: Kind, field: FieldValue) -> tuple[float, ...]:
    """Give the values of a field in IKFast's order."""
    if not isinstance(field, tuple):
        return (field,)
    return field[3:] + field[:3] if kind is Kind.QUAT else field


def field_of_values(kind: Kind, values: tuple[float, ...]) -> FieldValue:
    """Give the field that has values in IKFast's order."""
    if kind is Kind.ANGLE:
        return values[0]
    return values[1:] + values[:1] if kind is Kind.QUAT else values


def split(parts: Sequence[Part], values: tuple[float, ...]) -> dict[str, FieldValue]:
    """
    Cut values into fields.

    Parameters
    ----------
    parts : sequence of Part
        In IKFast's order.
    values : tuple of float
        As many as the parts have together.

    Returns
    -------
    dict of str to float or tuple of float
        By the names of the fields.

    """
    fields = {}
    first = 0
    for name, kind in parts:
        fields[name] = field_of_values(kind, values[first : first + kind.size])
        first += kind.size
    return fields


def joined(parts: Sequence[Part], fields: Mapping[str, FieldValue]) -> tuple[float, ...]:
    """
    Put the values of fields into a row; the inverse of `split`.

    Parameters
    ----------
    parts : sequence of Part
        In IKFast's order.
    fields : mapping of str to float or tuple of float
        By the names of the fields.

    Returns
    -------
    tuple of float

    """
    row: tuple[float, ...] = ()
    for name, kind in parts:
        row += part_values(kind, fields[name])
    return row
