# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and targets of every kind; see `conversions`."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import TypeAlias

from geometry_msgs.msg import Point, Pose, Vector3
import ik_node
from ik_node import IkParameterizationType
from ik_node.constraints import vectors
from ik_node.constraints.parts import Kind, Part
from ik_node.constraints.vectors import number, unit
from ik_node.errors import IkNodeError, InvalidTargetError
from ik_node.ros.conversions import matrix_from_pose
from ik_node.ros.field_conversions import direction_of, quat_of, refuse_others, vector_of
from ik_node.ros.shape_conversions import shapes
import numpy as np
from numpy.typing import NDArray

from ik_node_interfaces.msg import Target

Matrix: TypeAlias = NDArray[np.float64]
#: None: the target that the tip has by itself.
Wanted: TypeAlias = 'ik_node.Target | Matrix | None'

#: Types that are none of IKFast's.
KINDS = ('pose', 'shapes', 'box', 'dummy')

_POSE = ('position', 'orientation')
_BOX = (*_POSE, 'lower', 'upper')


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


def tool_direction(message: Vector3) -> vectors.Vector3 | None:
    """
    Direction of the tool in the tip; None for zeros, which stand for that of the group.

    Raises
    ------
    InvalidTargetError
        NaN or infinite.

    """
    direction = (message.x, message.y, message.z)
    return unit('tool_direction', direction) if any(direction) else None


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
        refuse_others(message, ('values',), f'a {kind.name} by its values')
        return target_class.from_values(message.values)
    fields = {part.name: _field_of(part) for part in target_class.parts}
    refuse_others(message, fields.values(), f'a {kind.name}')
    return target_class(
        **{part.name: _read(message, fields[part.name], part) for part in target_class.parts}
    )


def _field_of(part: Part) -> str:
    return 'orientation' if part.kind is Kind.QUAT else part.name


def _read(message: Target, name: str, part: Part) -> float | tuple[float, ...]:
    """Read the field of a part of a type, checked under its own name."""
    content = getattr(message, name)
    if part.kind is Kind.QUAT:
        return quat_of(name, content)
    if part.kind is Kind.ANGLE:
        return number(name, content)
    if part.kind is Kind.DIRECTION:
        return direction_of(name, content)
    if part.kind is Kind.PLANE_POINT:
        # Of z nothing depends.
        return vector_of(name, Point(x=content.x, y=content.y))[:2]
    return vector_of(name, content)


def _pose(message: Target) -> Matrix:
    refuse_others(message, _POSE, 'a pose')
    return matrix_from_pose(Pose(position=message.position, orientation=message.orientation))


def _box(message: Target) -> ik_node.PoseBox:
    refuse_others(message, _BOX, 'a box')
    turned = message.orientation
    quat_of('orientation', turned)
    return ik_node.PoseBox(
        vector_of('position', message.position),
        (turned.x, turned.y, turned.z, turned.w),
        message.lower or (-math.inf,) * 6,
        message.upper or (math.inf,) * 6,
    )


def _dummy(message: Target) -> None:
    refuse_others(message, (), 'a dummy')
    if message.header.frame_id:
        raise InvalidTargetError(
            f'header.frame_id is {message.header.frame_id[:80]!r}, but the target of a tip stands '
            'where it stands; leave it out'
        )


_MAKERS: dict[str, Callable[[Target], Wanted]] = {
    'pose': _pose,
    'shapes': shapes,
    'box': _box,
    'dummy': _dummy,
}
