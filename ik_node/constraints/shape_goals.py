# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How a position shape and an orientation shape become a goal.

A shape of a position has an axis (the direction of a line, the normal of a plane), which its rows
are seen along; one of an orientation wants an axis of the effector somewhere, or all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik_node.constraints.goal import (
    along,
    ALPHA_BETA,
    BOUNDED,
    Bounds,
    CONE,
    Goal,
    goal_of,
    NO_AXIS,
    NO_TURN,
    ORIENTATION,
    ORIGIN,
    POSITION,
    X,
    Y,
    Z,
)
from ik_node.constraints.vectors import NOWHERE, Quat, scaled, Vector3, Z_AXIS


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

    quat_xyzw: Quat | None = None
    """Wanted orientation of the effector in the base, in full; None: only an axis is directed."""
    axis_base: Vector3 = Z_AXIS
    """Axis in the base that angles are measured from."""
    axis_effector: Vector3 = Z_AXIS
    """Axis of the effector that is directed."""
    angles: tuple[float, float] = (0.0, 0.0)
    """Least and largest angle between the two [rad]."""


def goal_of_shapes(
    placement: Placement | None,
    aim: Aim | None,
    point: Vector3 = ORIGIN,
    effector: Quat = NO_TURN,
) -> Goal:
    """
    Lower shapes to a goal.

    Parameters
    ----------
    placement : Placement, optional
        Where the effector point may be; None: anywhere.
    aim : Aim, optional
        How the effector may be oriented; None: freely.
    point : tuple of three float
        The effector point in the tip [m].
    effector : tuple of four float
        Orientation of the effector in the tip, a unit quaternion x, y, z, w.

    Returns
    -------
    Goal
        One that asks for nothing when both are None.

    """
    bits, frame, tool = _aimed(aim)
    least, largest = aim.angles if aim is not None and bits == CONE else (0.0, 0.0)
    origin, axis, lower, upper = ORIGIN, NO_AXIS, 0.0, 0.0
    if placement is not None:
        origin = placement.origin
        if placement.axis is None:
            bits |= POSITION
        else:
            axis = placement.axis
            if placement.across:
                bits |= X | Y
            if placement.along:
                bits |= Z
                lower, upper = placement.bounds
                if (lower, upper) != (0.0, 0.0):
                    bits |= BOUNDED
    bounds: Bounds | None = None
    if bits & (BOUNDED | CONE):
        bounds = (0.0, 0.0, lower, least, 0.0, 0.0), (0.0, 0.0, upper, largest, 0.0, 0.0)
    return goal_of(bits, origin, frame, tool, point, effector, axis, bounds)


def _aimed(aim: Aim | None) -> tuple[int, Quat, Vector3]:
    """Give bits, frame of the goal and axis of the tool."""
    if aim is None or aim.angles == (0.0, math.pi):
        return 0, NO_TURN, Z_AXIS
    if aim.quat_xyzw is not None:
        return ORIENTATION, aim.quat_xyzw, Z_AXIS
    least, largest = aim.angles
    # A cone that is a line has two equations with a slope, and one without.
    if largest < NOWHERE:
        return ALPHA_BETA, along(aim.axis_base), aim.axis_effector
    if math.pi - least < NOWHERE:
        return ALPHA_BETA, along(scaled(-1.0, aim.axis_base)), aim.axis_effector
    return CONE, along(aim.axis_base), aim.axis_effector
