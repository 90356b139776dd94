# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and velocities of targets; see `conversions`."""

from __future__ import annotations

from typing import NamedTuple

from geometry_msgs.msg import Twist
import ik_node
from ik_node import IkParameterization, IkParameterizationType, Transform6D
from ik_node.constraints.parts import FieldValue, Kind
from ik_node.constraints.pose_types import Rotation3D
from ik_node.constraints.vectors import number, Vector3
from ik_node.constraints.velocity import IkParameterizationVelocity
from ik_node.environment.objects import SceneObject
from ik_node.environment.scene import Scene
from ik_node.errors import IkNodeError, InvalidTargetError
from ik_node.ros.aim_conversions import order_of
from ik_node.ros.conversions import tips_of
from ik_node.ros.field_conversions import vector_of
from ik_node.ros.frames import frame_seen_from, Matrix
from ik_node.ros.place import Place
from ik_node.ros.target_conversions import tool_direction, wanted
import numpy as np

from ik_node_interfaces.msg import TargetVelocity
from ik_node_interfaces.srv import JointVelocities

_FIELDS = (
    'angular_velocity',
    'position',
    'direction',
    'angle',
    'point',
    'global_point',
    'local_point',
)
_DEFAULT = TargetVelocity()


class Motion(NamedTuple):
    """Velocities in the bases of elements, and of what."""

    velocities: list[IkParameterizationVelocity]
    """One for each element."""
    at: list[IkParameterization]
    """The targets at this moment."""
    direction: Vector3
    """Of the tool in the tips."""


def motion_of(request: JointVelocities.Request, place: Place) -> Motion:
    """
    Find what a request wants to move how fast.

    Parameters
    ----------
    request : JointVelocities.Request
        Any values.
    place : Place
        The group, and where the robot stands.

    Returns
    -------
    Motion

    Raises
    ------
    InvalidTargetError
        There is no such type, a value or the frame means nothing, fields contradict each other,
        or a tip has no velocity.

    """
    direction = tool_direction(request.tool_direction) or place.group.direction
    elements = tips_of(place.group)
    named = [message.tip for message in request.velocities]
    order = order_of(named, elements, 'velocities')
    if len(order) < len(elements):
        without = next(at for at in range(len(elements)) if at not in order)
        raise InvalidTargetError(
            f'velocities has none for the tip {elements[without].tip.name!r}; give one for each, '
            'a twist of zeros for a tip that stands still'
        )
    poses = place.group.forward_kinematics(place.q).reshape(-1, 4, 4)
    scene = place.environment.overlaid(place.positions)
    found: dict[int, tuple[IkParameterizationVelocity, IkParameterization]] = {}
    for where, (at, message) in enumerate(zip(order, request.velocities, strict=True)):
        try:
            T_base_frame = _frame(message, elements[at].base, place.environment, scene)
            found[at] = _motion(message, T_base_frame, poses[at], direction)
        except InvalidTargetError as error:
            raise InvalidTargetError(f'velocities[{where}]: {error}') from error
    velocities, ats = zip(*(found[at] for at in range(len(elements))), strict=True)
    return Motion(list(velocities), list(ats), direction)


def _frame(
    message: TargetVelocity,
    base: SceneObject | None,
    environment: ik_node.Environment,
    scene: Scene,
) -> Matrix | None:
    try:
        return frame_seen_from(base, message.header.frame_id, environment, scene)
    except InvalidTargetError as error:
        raise InvalidTargetError(f'header.{error}') from error


def _motion(
    message: TargetVelocity, T_base_frame: Matrix | None, T_base_tip: Matrix, direction: Vector3
) -> tuple[IkParameterizationVelocity, IkParameterization]:
    # Quaternions have a sign, and their derivatives go by it: so all is made in the frame first.
    T_frame_tip = T_base_tip
    if T_base_frame is not None:
        T_frame_tip = np.linalg.inv(T_base_frame) @ T_base_tip
    kind = _type(message)
    at = _present(message, kind, T_frame_tip, direction)
    if kind is not None:
        velocity = _velocity(message, kind, at)
    elif isinstance(at, Transform6D):
        linear, angular = message.twist.linear, message.twist.angular
        velocity = IkParameterizationVelocity.from_twist(
            (linear.x, linear.y, linear.z), (angular.x, angular.y, angular.z), at
        )
    if T_base_frame is None:
        return velocity, at
    return velocity.transformed(T_base_frame), at.transformed(T_base_frame)


def _velocity(
    message: TargetVelocity, kind: IkParameterizationType, at: IkParameterization
) -> IkParameterizationVelocity:
    """Read the derivatives of a type, by its values or by its fields."""
    parts = IkParameterization.class_of(kind).parts
    names = {
        part.name: 'angular_velocity' if part.kind is Kind.QUAT else part.name for part in parts
    }
    reads = () if message.values else tuple(names.values())
    for name in _FIELDS:
        # NaN counts as given.
        if name not in reads and getattr(message, name) != getattr(_DEFAULT, name):
            raise InvalidTargetError(
                f'{name} has a value, but a {kind.name} reads '
                f'{", ".join(reads) or "the values that are given"}; leave {name} out'
            )
    if message.values:
        return IkParameterizationVelocity(kind, message.values)
    fields: dict[str, FieldValue] = {}
    for part in parts:
        content = getattr(message, names[part.name])
        if part.kind is Kind.ANGLE:
            fields[part.name] = number(part.name, content)
        elif part.kind is Kind.QUAT and isinstance(at, Transform6D | Rotation3D):
            pose = Transform6D((0.0, 0.0, 0.0), at.quat_xyzw)
            angular = vector_of('angular_velocity', content)
            turning = IkParameterizationVelocity.from_twist((0.0, 0.0, 0.0), angular, pose)
            fields[part.name] = turning.fields['quat_xyzw']
        elif part.kind is Kind.PLANE_POINT:
            # Of z nothing depends.
            fields[part.name] = number('position.x', content.x), number('position.y', content.y)
        else:
            fields[part.name] = vector_of(part.name, content)
    return IkParameterizationVelocity.of_fields(kind, **fields)


def _type(message: TargetVelocity) -> IkParameterizationType | None:
    """Find the type whose values change; None: a twist is given."""
    if not (message.type or message.id):
        for name in ('values', *_FIELDS):
            if getattr(message, name) != getattr(_DEFAULT, name):
                raise InvalidTargetError(
                    f'{name} is given without a type; name the type of IKFast that it belongs to, '
                    'or give a twist'
                )
        return None
    if message.twist != Twist():
        raise InvalidTargetError(
            'twist and a type are given; the values of a type have its velocity, so leave one of '
            'them out'
        )
    found = []
    try:
        if message.type:
            found.append(IkParameterizationType.from_name(message.type[:80]).target)
        if message.id:
            found.append(IkParameterizationType(message.id).target)
    except IkNodeError:
        shown = (
            f'type {message.type[:80]!r}' if not found and message.type else f'id {message.id:#x}'
        )
        known = ', '.join(one.name for one in IkParameterizationType.targets())
        raise InvalidTargetError(f'there is no {shown} of targets; known: {known}') from None
    if found[0] is not found[-1]:
        raise InvalidTargetError(
            f'type is {found[0].name} and id is {message.id:#x}, which is {found[-1].name}; give '
            'one of them, or the same in both'
        )
    if found[0] is IkParameterizationType.NONE:
        raise InvalidTargetError("type is 'None': nothing moves; name a type that has values")
    return found[0]


def _present(
    message: TargetVelocity,
    kind: IkParameterizationType | None,
    T_frame_tip: Matrix,
    direction: Vector3,
) -> IkParameterization:
    """Give the target at this moment in the frame of the message."""
    of = IkParameterization.class_of(kind or IkParameterizationType.Transform6D)
    if not message.at:
        return of.from_pose(T_frame_tip, direction)
    given = message.at[0]
    if given.tip or given.header.frame_id not in ('', message.header.frame_id):
        raise InvalidTargetError(
            'at has a tip or a frame of its own; both are those of the velocity'
        )
    at = wanted(given)
    if not isinstance(at, of):
        named = given.type[:80] or (f'{given.id:#x}' if given.id else 'pose')
        raise InvalidTargetError(
            f'at is a target of the type {named!r}; it must be a {of.__name__}, whose values the '
            'velocity changes'
        )
    return at
