# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and shapes of positions and orientations; see `conversions`."""

from __future__ import annotations

from collections.abc import Iterable
import math

import ik_node
from ik_node.constraints.vectors import number, Z_AXIS
from ik_node.errors import InvalidTargetError
from ik_node.ros.field_conversions import (
    DEFAULT,
    direction_of,
    quat_of,
    refuse_others,
    unit_of,
    vector_of,
)

from ik_node_interfaces.msg import Target

#: What each shape reads.
_POSITIONS = {
    '': (),
    'point': ('position',),
    'line': ('position', 'line_direction', 'lower', 'upper'),
    'plane': ('normal', 'd', 'position'),
}
_ORIENTATIONS = {
    '': (),
    'rotation': ('orientation',),
    'parallel': ('direction',),
    'cone': ('direction', 'local_axis', 'angle', 'interior'),
}
_SHAPES = (
    'position_shape',
    'orientation_shape',
    'local_point',
    'local_orientation',
    'position_priority',
    'orientation_priority',
)


def shapes(message: Target) -> ik_node.Shapes:
    """
    Shapes of a message.

    Raises
    ------
    InvalidTargetError
        There is no shape, or none of that name, a value means nothing, or a field has a value
        that the shapes do not read.

    """
    position, orientation = message.position_shape, message.orientation_shape
    for name, given, known in (
        ('position_shape', position, _POSITIONS),
        ('orientation_shape', orientation, _ORIENTATIONS),
    ):
        if given not in known:
            raise InvalidTargetError(
                f'{name} is {given[:80]!r}; it must be '
                f'{", ".join(repr(one) for one in known if one)}, or empty for none'
            )
    if not (position or orientation):
        raise InvalidTargetError(
            'position_shape and orientation_shape are empty: nothing is asked; give one of them'
        )
    which = ' and '.join(name for name in (position, orientation) if name)
    reads = (*_SHAPES, *_POSITIONS[position], *_ORIENTATIONS[orientation])
    refuse_others(message, reads, f'a target of the shapes {which}')
    return ik_node.Shapes(
        _position_shape(message),
        _orientation_shape(message),
        vector_of('local_point', message.local_point),
        quat_of('local_orientation', message.local_orientation),
        number('position_priority', message.position_priority),
        number('orientation_priority', message.orientation_priority),
    )


def _position_shape(message: Target) -> ik_node.PositionShape | None:
    kind = message.position_shape
    if kind == 'point':
        return ik_node.Point(vector_of('position', message.position))
    if kind == 'line':
        return ik_node.Line(
            vector_of('position', message.position),
            direction_of('line_direction', message.line_direction),
            _bound('lower', message.lower, -math.inf),
            _bound('upper', message.upper, math.inf),
        )
    if kind == 'plane':
        if message.position == DEFAULT.position:
            return ik_node.Plane(vector_of('normal', message.normal), number('d', message.d))
        if message.d:
            raise InvalidTargetError(
                f'd is {message.d} and a position is given too; give the plane by d or by a '
                'position on it'
            )
        position = vector_of('position', message.position)
        return ik_node.Plane.through(position, direction_of('normal', message.normal))
    return None


def _orientation_shape(message: Target) -> ik_node.OrientationShape | None:
    kind = message.orientation_shape
    if kind == 'rotation':
        return ik_node.Rotation(quat_of('orientation', message.orientation))
    if kind == 'parallel':
        return ik_node.Parallel(unit_of('direction', message.direction))
    if kind == 'cone':
        given = message.local_axis != DEFAULT.local_axis
        return ik_node.Cone(
            unit_of('local_axis', message.local_axis) if given else Z_AXIS,
            unit_of('direction', message.direction),
            number('angle', message.angle),
            message.interior,
        )
    return None


def _bound(name: str, content: Iterable[float], default: float) -> float:
    row = tuple(content)
    if len(row) > 1:
        raise InvalidTargetError(f'{name} has {len(row)} numbers; a line has one, or none')
    return row[0] if row else default
