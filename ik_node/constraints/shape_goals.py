# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How a position shape and an orientation shape become goals.

A shape of a position has an axis (the direction of a line, the normal of a plane); one of an
orientation wants an axis of the effector somewhere. Both stand in one goal when a single goal
frame can have both axes; otherwise each has a goal of its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik_node.constraints.goal import (
    aimed,
    ALPHA_BETA,
    BOUNDED,
    CONE,
    Goal,
    GOAL_AXES,
    goal_of_frames,
    ORIENTATION,
    POSITION,
    X,
    Y,
    Z,
)
from ik_node.constraints.rigid import (
    column,
    frame_with_x_and_z,
    frame_with_z,
    IDENTITY,
    Matrix3,
    product,
    transposed,
)
from ik_node.constraints.vectors import cross, dot, NOWHERE, scaled, Vector3, Z_AXIS

ORIGIN: Vector3 = (0.0, 0.0, 0.0)
_BITS = (X, Y, Z)


class Placement(NamedTuple):
    """Where an effector point may be."""

    origin: Vector3
    """A point of the shape in the base [m]."""
    axis: Vector3 | None = None
    """Direction of a line or normal of a plane in the base; None for a single point."""
    along: bool = False
    """Whether the position along the axis is constrained."""
    across: bool = False
    """Whether the two positions orthogonal to it are."""
    bounds: tuple[float, float] = (0.0, 0.0)
    """Of the position along the axis, when it is constrained [m]."""


class Aim(NamedTuple):
    """How an effector may be oriented."""

    rotation: Matrix3 | None = None
    """Wanted orientation of the effector in the base, in full; None: only an axis is directed."""
    axis_base: Vector3 = Z_AXIS
    """Axis in the base that angles are measured from."""
    axis_effector: Vector3 = Z_AXIS
    """Axis of the effector that is directed."""
    angles: tuple[float, float] = (0.0, 0.0)
    """Least and largest angle between the two [rad]."""


def goals_of_shapes(
    placement: Placement | None,
    aim: Aim | None,
    point: Vector3 = ORIGIN,
    effector: Matrix3 = IDENTITY,
) -> tuple[Goal, ...]:
    """
    Lower shapes to goals.

    Parameters
    ----------
    placement : Placement, optional
        Where the effector point may be; None: anywhere.
    aim : Aim, optional
        How the effector may be oriented; None: freely.
    point : tuple of three float
        The effector point in the tip [m].
    effector : Matrix3
        Orientation of the effector in the tip.

    Returns
    -------
    tuple of Goal
        One, or two when the axes of both are neither parallel nor orthogonal. One that asks for
        nothing when both are None.

    """
    if placement is None:
        return (_aimed_goal(aim, effector, point),)
    if aim is None or aim.angles == (0.0, math.pi):
        return (_placed_goal(placement, None, point, effector),)
    if placement.axis is None or aim.rotation is not None or _frame(placement.axis, aim):
        return (_placed_goal(placement, aim, point, effector),)
    return (
        _placed_goal(placement, None, point, effector),
        _aimed_goal(aim, effector, point),
    )


def _aimed_goal(aim: Aim | None, effector: Matrix3, point: Vector3) -> Goal:
    bits, rotation, tool, bounds = _aim_frames(aim, effector)
    return goal_of_frames(bits, ORIGIN, rotation, point, tool, bounds and aimed(bounds))


def _placed_goal(placement: Placement, aim: Aim | None, point: Vector3, effector: Matrix3) -> Goal:
    """Make one goal of a position and of an orientation whose axes one frame can have."""
    bits, rotation, tool, angles = _aim_frames(aim, effector)
    if placement.axis is None:
        bounds = angles and aimed(angles)
        return goal_of_frames(bits | POSITION, placement.origin, rotation, point, tool, bounds)
    number = 2
    if aim is None:
        rotation = frame_with_z(placement.axis)
    elif aim.rotation is not None:
        # At the target, R_base_tip effector = rotation: any frame may be the goal's when the same
        # frame, carried over to the tip, is the tool's.
        rotation, tool = (
            frame_with_z(placement.axis),
            product(product(effector, transposed(rotation)), frame_with_z(placement.axis)),
        )
    else:
        found = _frame(placement.axis, aim)
        if found is not None:
            rotation, number = found
    bits |= GOAL_AXES
    lower, upper = map(list, aimed(angles or (0.0, 0.0)))
    if placement.across:
        bits |= X | Y | Z
        bits &= ~_BITS[number]
    if placement.along:
        bits |= _BITS[number]
        least, largest = placement.bounds
        if (least, largest) != (0.0, 0.0):
            bits |= BOUNDED
            if dot(placement.axis, column(rotation, number)) < 0.0:
                least, largest = -largest, -least
            lower[number], upper[number] = least, largest
    bounds = (tuple(lower), tuple(upper)) if bits & (BOUNDED | CONE) else None
    return goal_of_frames(bits, placement.origin, rotation, point, tool, bounds)


def _aim_frames(
    aim: Aim | None, effector: Matrix3
) -> tuple[int, Matrix3, Matrix3, tuple[float, float] | None]:
    """Give bits, axes of the goal, axes of the tool, and bounds of the angle."""
    if aim is None or aim.angles == (0.0, math.pi):
        return 0, IDENTITY, effector, None
    if aim.rotation is not None:
        return ORIENTATION, aim.rotation, effector, None
    tool = product(effector, frame_with_z(aim.axis_effector))
    least, largest = aim.angles
    # A cone that is a line has two equations with a slope, and one without.
    if largest < NOWHERE or math.pi - least < NOWHERE:
        return ALPHA_BETA, frame_with_z(_line_axis(aim)), tool, None
    return CONE, frame_with_z(aim.axis_base), tool, aim.angles


def _line_axis(aim: Aim) -> Vector3:
    return aim.axis_base if aim.angles[1] < NOWHERE else scaled(-1.0, aim.axis_base)


def _frame(axis: Vector3, aim: Aim) -> tuple[Matrix3, int] | None:
    """
    Find a frame whose z axis directs the effector and one of whose axes is `axis`.

    Returns
    -------
    rotation : Matrix3
        Axes of the goal.
    number : int
        Which of them is parallel to `axis`: 2 or 0. None when there is no such frame.

    """
    least, _ = aim.angles
    z = scaled(-1.0, aim.axis_base) if math.pi - least < NOWHERE else aim.axis_base
    if math.hypot(*cross(axis, z)) < NOWHERE:
        return frame_with_z(z), 2
    if abs(dot(axis, z)) < NOWHERE:
        return frame_with_x_and_z(axis, z), 0
    return None
