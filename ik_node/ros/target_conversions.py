# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Conversions between messages and targets of every kind; see `conversions`.

A field that a kind does not read must be empty: a value there is a mistake, and would be ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import math
from typing import TypeAlias

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
import ik_node
from ik_node import IkParameterizationType
from ik_node.constraints import vectors
from ik_node.constraints.parts import Kind, Part
from ik_node.constraints.vectors import number, unit, unit_quat, vector, Z_AXIS
from ik_node.errors import IkNodeError, InvalidTargetError
from ik_node.ros.conversions import matrix_from_pose
import numpy as np
from numpy.typing import NDArray

from ik_node_interfaces.msg import Target

Matrix: TypeAlias = NDArray[np.float64]
#: None: the target that the tip has by itself.
Wanted: TypeAlias = 'ik_node.Target | Matrix | None'

#: Types that are none of IKFast's.
KINDS = ('pose', 'shapes', 'box', 'dummy')

#: What says which tip, which frame and which kind, whatever the kind.
_COMMON = ('tip', 'header', 'type', 'id')
_FIELDS = tuple(name for name in Target.get_fields_and_field_types() if name not in _COMMON)
_DEFAULT = Target()

_POSE = ('position', 'orientation')
_BOX = (*_POSE, 'lower', 'upper')
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


def wanted(message: Target) -> Wanted:
    """
    Target of a message, seen from the frame of its header.

    Returns
    -------
    Target or (4, 4) float64 or None

    Raises
    ------
    InvalidTargetError
        No kind has that name or number, a value means nothing, or a field has a value that the
        kind does not read.

    """
    kind = _kind(message)
    if isinstance(kind, IkParameterizationType):
        return _parameterization(message, kind)
    return _MAKERS[kind](message)


def seen_from(target: Wanted, T_base_frame: Matrix) -> Wanted:
    """
    Give the same target in the base.

    Raises
    ------
    InvalidTargetError
        Its type is tied to axes of the base that those of the frame are not parallel to.

    """
    if target is None:
        return None
    if isinstance(target, ik_node.Target):
        return target.transformed(T_base_frame)
    return np.asarray(T_base_frame @ target, dtype=np.float64)


def tool_direction(message: Vector3) -> vectors.Vector3:
    """
    Direction of the tool in the tip; zeros stand for its z axis.

    Raises
    ------
    InvalidTargetError
        NaN or infinite.

    """
    direction = (message.x, message.y, message.z)
    return unit('tool_direction', direction) if any(direction) else Z_AXIS


def _kind(message: Target) -> IkParameterizationType | str:
    """Find what kind of target is meant, by name, by number or by both."""
    name = message.type.lower()
    if name in KINDS or not (name or message.id):
        if message.id:
            raise InvalidTargetError(
                f'type is {name!r} and id is {message.id:#x}; an id is for types of IKFast, so '
                'leave one of them out'
            )
        return name or KINDS[0]
    found = [_type_of(given) for given in (message.type, message.id) if given]
    if found[0] is not found[-1]:
        raise InvalidTargetError(
            f'type is {found[0].name} and id is {message.id:#x}, which is {found[-1].name}; give '
            'one of them, or the same in both'
        )
    if found[0].is_velocity:
        raise InvalidTargetError(
            f'{found[0].name} ({int(found[0]):#x}) has the velocity bit: its values are '
            f'velocities, which no joint values reach; for a target take {found[0].target.name} '
            f'({int(found[0].target):#x})'
        )
    return found[0]


def _type_of(given: str | int) -> IkParameterizationType:
    try:
        if isinstance(given, str):
            return IkParameterizationType.from_name(given)
        return IkParameterizationType(given)
    except IkNodeError:
        shown = f'type {given[:80]!r}' if isinstance(given, str) else f'id {given:#x}'
        known = ', '.join(f'{one.name} {int(one):#x}' for one in IkParameterizationType.targets())
        raise InvalidTargetError(
            f'there is no {shown} of targets; known: {", ".join(KINDS)}, and with their ids '
            f'{known}'
        ) from None


def _parameterization(message: Target, kind: IkParameterizationType) -> ik_node.Target:
    if kind is IkParameterizationType.NONE:
        raise InvalidTargetError("type is 'None': nothing is asked; leave this target out")
    target_class = ik_node.IkParameterization.class_of(kind)
    if message.values:
        _refuse_others(message, ('values',), f'a {kind.name} by its values')
        return target_class.from_values(message.values)
    fields = {part.name: _field_of(part) for part in target_class.parts}
    _refuse_others(message, fields.values(), f'a {kind.name}')
    return target_class(
        **{part.name: _read(message, fields[part.name], part) for part in target_class.parts}
    )


def _field_of(part: Part) -> str:
    return 'orientation' if part.kind is Kind.QUAT else part.name


def _read(message: Target, name: str, part: Part) -> float | tuple[float, ...]:
    """Read the field of a part of a type, checked under its own name."""
    content = getattr(message, name)
    if part.kind is Kind.QUAT:
        return _quat(name, content)
    if part.kind is Kind.ANGLE:
        return number(name, content)
    if part.kind is Kind.DIRECTION:
        return _unit(name, content)
    if part.kind is Kind.PLANE_POINT:
        # Of z nothing depends.
        return _vector(name, Point(x=content.x, y=content.y))[:2]
    return _vector(name, content)


def _pose(message: Target) -> Matrix:
    _refuse_others(message, _POSE, 'a pose')
    return matrix_from_pose(Pose(position=message.position, orientation=message.orientation))


def _box(message: Target) -> ik_node.PoseBox:
    _refuse_others(message, _BOX, 'a box')
    return ik_node.PoseBox(
        _vector('position', message.position),
        _quat('orientation', message.orientation),
        message.lower or (-math.inf,) * 6,
        message.upper or (math.inf,) * 6,
    )


def _dummy(message: Target) -> None:
    _refuse_others(message, (), 'a dummy')
    if message.header.frame_id:
        raise InvalidTargetError(
            f'header.frame_id is {message.header.frame_id[:80]!r}, but the target of a tip stands '
            'where it stands; leave it out'
        )


def _shapes(message: Target) -> ik_node.Shapes:
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
    _refuse_others(message, reads, f'a target of the shapes {which}')
    return ik_node.Shapes(
        _position_shape(message),
        _orientation_shape(message),
        _vector('local_point', message.local_point),
        _quat('local_orientation', message.local_orientation),
        number('position_priority', message.position_priority),
        number('orientation_priority', message.orientation_priority),
    )


def _position_shape(message: Target) -> ik_node.PositionShape | None:
    kind = message.position_shape
    if kind == 'point':
        return ik_node.Point(_vector('position', message.position))
    if kind == 'line':
        return ik_node.Line(
            _vector('position', message.position),
            _unit('line_direction', message.line_direction),
            _bound('lower', message.lower, -math.inf),
            _bound('upper', message.upper, math.inf),
        )
    if kind == 'plane':
        if message.position == _DEFAULT.position:
            return ik_node.Plane(_vector('normal', message.normal), number('d', message.d))
        if message.d:
            raise InvalidTargetError(
                f'd is {message.d} and a position is given too; give the plane by d or by a '
                'position on it'
            )
        position = _vector('position', message.position)
        return ik_node.Plane.through(position, _unit('normal', message.normal))
    return None


def _orientation_shape(message: Target) -> ik_node.OrientationShape | None:
    kind = message.orientation_shape
    if kind == 'rotation':
        return ik_node.Rotation(_quat('orientation', message.orientation))
    if kind == 'parallel':
        return ik_node.Parallel(_unit('direction', message.direction))
    if kind == 'cone':
        given = message.local_axis != _DEFAULT.local_axis
        return ik_node.Cone(
            _unit('local_axis', message.local_axis) if given else Z_AXIS,
            _unit('direction', message.direction),
            number('angle', message.angle),
            message.interior,
        )
    return None


_MAKERS: dict[str, Callable[[Target], Wanted]] = {
    'pose': _pose,
    'shapes': _shapes,
    'box': _box,
    'dummy': _dummy,
}


def _refuse_others(message: Target, reads: Iterable[str], kind: str) -> None:
    read = tuple(reads)
    for name in _FIELDS:
        # NaN counts as given.
        if name not in read and getattr(message, name) != getattr(_DEFAULT, name):
            raise InvalidTargetError(
                f'{name} has a value, but {kind} reads {", ".join(read) or "none of these"}; '
                f'leave {name} out'
            )


def _bound(name: str, content: Iterable[float], default: float) -> float:
    row = tuple(content)
    if len(row) > 1:
        raise InvalidTargetError(f'{name} has {len(row)} numbers; a line has one, or none')
    return row[0] if row else default


def _vector(name: str, content: Point | Vector3) -> vectors.Vector3:
    return vector(name, (content.x, content.y, content.z))


def _unit(name: str, content: Vector3) -> vectors.Vector3:
    return unit(name, (content.x, content.y, content.z))


def _quat(name: str, content: Quaternion) -> tuple[float, float, float, float]:
    return unit_quat(name, (content.x, content.y, content.z, content.w))
