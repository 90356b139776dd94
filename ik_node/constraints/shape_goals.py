# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How a position shape and an orientation shape become a goal.

A shape of a position has an axis (the direction of a line, the normal of a plane), which its rows
are seen along; one of an orientation wants an axis of the effector somewhere, or all of them.
"""

from __future__ import annotations

from typing import TypeAlias

from ik_node.constraints.goal import Goal, goal_of, NO_AXIS, NO_TURN, NOTHING, ORIGIN, Pair
from ik_node.constraints.vectors import Quat, Vector3, Z_AXIS

# Plain tuples, as a search makes both anew and a named one takes 0.2 us.
Placement: TypeAlias = tuple[int, Vector3, Vector3, Pair]
"""
Where an effector point may be: bits of the position (Z is along the axis, X and Y are across it);
a point of the shape in the base [m]; the direction of a line or normal of a plane in the base, or
NO_AXIS for the axes of the base; least and largest position along the axis, with BOUNDED [m].
"""
Aim: TypeAlias = tuple[int, Quat, Vector3, Pair]
"""
How an effector may be oriented: bits of the orientation; its wanted axes in the base, or `along`
the axis that angles are from; which axis of the effector is directed; least and largest angle
between the two, with CONE [rad].
"""

_ANYWHERE: Placement = (0, ORIGIN, NO_AXIS, NOTHING)
_ANYHOW: Aim = (0, NO_TURN, Z_AXIS, NOTHING)


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
    where, origin, axis, span = placement or _ANYWHERE
    how, frame, tool, opening = aim or _ANYHOW
    return goal_of(where | how, origin, frame, tool, opening, point, effector, axis, span)
