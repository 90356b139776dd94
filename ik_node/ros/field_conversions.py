# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Fields of `ik_node_interfaces/msg/Target`, each checked under its own name; see `conversions`.

A field that a kind does not read must be empty: a value there is a mistake, and would be ignored.
"""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Point, Quaternion, Vector3
from ik_node.constraints import vectors
from ik_node.errors import InvalidTargetError

from ik_node_interfaces.msg import Target

#: What says which tip, which frame and which kind, whatever the kind.
_COMMON = ('tip', 'header', 'type', 'id')
_FIELDS = tuple(name for name in Target.get_fields_and_field_types() if name not in _COMMON)
#: What a field has that was left alone.
DEFAULT = Target()


def refuse_others(message: Target, reads: Iterable[str], kind: str) -> None:
    """
    Refuse values in fields that a kind does not read.

    Parameters
    ----------
    message : Target
        Any values.
    reads : iterable of str
        The fields that the kind reads.
    kind : str
        With its article, for the sentence of an error.

    Raises
    ------
    InvalidTargetError
        Names the field.

    """
    read = tuple(reads)
    for name in _FIELDS:
        # NaN counts as given.
        if name not in read and getattr(message, name) != getattr(DEFAULT, name):
            raise InvalidTargetError(
                f'{name} has a value, but {kind} reads {", ".join(read) or "none of these"}; '
                f'leave {name} out'
            )


def vector_of(name: str, content: Point | Vector3) -> vectors.Vector3:
    """Give a vector of finite numbers, or raise InvalidTargetError."""
    return vectors.vector(name, (content.x, content.y, content.z))


def unit_of(name: str, content: Vector3) -> vectors.Vector3:
    """Give the direction of a vector of any length but zero, or raise InvalidTargetError."""
    return vectors.unit(name, (content.x, content.y, content.z))


def direction_of(name: str, content: Vector3) -> vectors.Vector3:
    """Give a vector of any length but zero as it is, or raise InvalidTargetError."""
    unit_of(name, content)
    return vector_of(name, content)


def quat_of(name: str, content: Quaternion) -> vectors.Quat:
    """Give the unit quaternion of one of any length but zero, or raise InvalidTargetError."""
    return vectors.unit_quat(name, (content.x, content.y, content.z, content.w))
