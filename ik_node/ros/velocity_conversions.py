# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and velocities of targets; see `conversions`."""

from __future__ import annotations

from typing import NamedTuple

from geometry_msgs.msg import Twist
from ik_node import IkParameterization, IkParameterizationType, Transform6D
from ik_node.constraints.vectors import Vector3
from ik_node.constraints.velocity import IkParameterizationVelocity
from ik_node.errors import IkNodeError, InvalidStateError, InvalidTargetError
from ik_node.ros.conversions import frame_in_base
from ik_node.ros.place import Place
from ik_node.ros.target_conversions import Matrix, tool_direction, wanted
import numpy as np

from ik_node_interfaces.srv import JointVelocities


class Motion(NamedTuple):
    """A velocity in the base of a group, and of what."""

    velocity: IkParameterizationVelocity
    at: IkParameterization
    """The target at this moment."""
    direction: Vector3
    """Of the tool in the tip."""


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
        There is no such type, a value or the frame means nothing, or fields contradict each
        other.
    InvalidStateError
        The group has several tips.

    """
    group = place.group
    if len(group.elements) != 1:
        raise InvalidStateError(
            f'group {group.name!r} has {len(group.elements)} elements; joint velocities are for '
            'groups of one'
        )
    direction = tool_direction(request.tool_direction)
    frame = frame_in_base(request.header.frame_id, group, place.positions)
    # Quaternions have a sign, and their derivatives go by it: so all is made in the frame first.
    T_base_frame = np.eye(4) if frame is None else frame
    T_frame_tip = np.linalg.inv(T_base_frame) @ group.forward_kinematics(place.q)
    kind = _type(request)
    at = _present(request, kind, T_frame_tip, direction)
    if kind is not None:
        velocity = IkParameterizationVelocity(kind, request.values)
    elif isinstance(at, Transform6D):
        linear, angular = request.twist.linear, request.twist.angular
        velocity = IkParameterizationVelocity.from_twist(
            (linear.x, linear.y, linear.z), (angular.x, angular.y, angular.z), at
        )
    if frame is None:
        return Motion(velocity, at, direction)
    return Motion(velocity.transformed(frame), at.transformed(frame), direction)


def _type(request: JointVelocities.Request) -> IkParameterizationType | None:
    """Find the type whose values change; None: a twist is given."""
    if not (request.type or request.id):
        if request.values:
            raise InvalidTargetError(
                'values are given without a type; name the type of IKFast that they belong to'
            )
        return None
    if request.twist != Twist():
        raise InvalidTargetError(
            'twist and a type are given; the values of a type have its velocity, so leave one of '
            'them out'
        )
    found = []
    try:
        if request.type:
            found.append(IkParameterizationType.from_name(request.type[:80]).target)
        if request.id:
            found.append(IkParameterizationType(request.id).target)
    except IkNodeError:
        shown = (
            f'type {request.type[:80]!r}' if not found and request.type else f'id {request.id:#x}'
        )
        known = ', '.join(one.name for one in IkParameterizationType.targets())
        raise InvalidTargetError(f'there is no {shown} of targets; known: {known}') from None
    if found[0] is not found[-1]:
        raise InvalidTargetError(
            f'type is {found[0].name} and id is {request.id:#x}, which is {found[-1].name}; give '
            'one of them, or the same in both'
        )
    if found[0] is IkParameterizationType.NONE:
        raise InvalidTargetError("type is 'None': nothing moves; name a type that has values")
    return found[0]


def _present(
    request: JointVelocities.Request,
    kind: IkParameterizationType | None,
    T_frame_tip: Matrix,
    direction: Vector3,
) -> IkParameterization:
    """Give the target at this moment in the frame of the request."""
    of = IkParameterization.class_of(kind or IkParameterizationType.Transform6D)
    if not request.at:
        return of.from_pose(T_frame_tip, direction)
    message = request.at[0]
    if message.tip or message.header.frame_id not in ('', request.header.frame_id):
        raise InvalidTargetError(
            'at has a tip or a frame of its own; it is in the frame of the request, and of the '
            'tip of the group'
        )
    at = wanted(message)
    if not isinstance(at, of):
        given = message.type[:80] or (f'{message.id:#x}' if message.id else 'pose')
        raise InvalidTargetError(
            f'at is a target of the type {given!r}; it must be a {of.__name__}, whose values the '
            'velocity changes'
        )
    return at
