# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Angles that are measured from axes of the base.

Axes are numbered 0 for x, 1 for y, 2 for z. An angle "from axis i" turns from it towards the next
one, about the one after that: from x towards y about z, from y towards z about x, from z towards x
about y.
"""

from __future__ import annotations

import math

from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.rigid import column, Rigid
from ik_node.constraints.vectors import angle_between, NOWHERE, Vector3
from ik_node.errors import InvalidTargetError

AXES: tuple[Vector3, Vector3, Vector3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

TILT = 1e-6
"""Axes nearer to each other than this [rad] are taken for the same, turned by rounding."""


def on_circle(angle: float, axis: int) -> Vector3:
    """
    Give the direction at an angle from an axis.

    Parameters
    ----------
    angle : float
        [rad].
    axis : int
        From which axis.

    Returns
    -------
    x, y, z : float
        Unit vector.

    """
    cosine, sine = math.cos(angle), math.sin(angle)
    if axis == 0:
        return cosine, sine, 0.0
    return (0.0, cosine, sine) if axis == 1 else (sine, 0.0, cosine)


def angle_in_plane(direction: Vector3, axis: int) -> float:
    """
    Give the angle of a direction from an axis, after projection on the plane of the circle.

    Parameters
    ----------
    direction : tuple of three float
        In the base.
    axis : int
        From which axis.

    Returns
    -------
    float
        [rad]; zero for a direction that is orthogonal to the plane.

    """
    along, beside = direction[axis], direction[(axis + 1) % 3]
    if math.hypot(along, beside) < NOWHERE:
        return 0.0
    return math.atan2(beside, along)


def kept_axis(kind: IkParameterizationType, motion: Rigid, axis: int) -> bool:
    """
    Check that an axis of the base is an axis of the new base, too.

    Parameters
    ----------
    kind : IkParameterizationType
        Whose axis it is, for the message.
    motion : Rigid
        T_new_base.
    axis : int
        Which axis.

    Returns
    -------
    bool
        Whether it keeps its sense.

    Raises
    ------
    InvalidTargetError
        It would be tilted by more than `TILT`: no target of that type means the same there.

    """
    tilt = angle_between(column(motion.rotation, axis), AXES[axis])
    if min(tilt, math.pi - tilt) > TILT:
        raise InvalidTargetError(
            f'the {"xyz"[axis]} axis of the base, to which a {kind.name} is tied, is at an angle '
            f'of {tilt:.6g} rad to that of the new base; it must be parallel to it. Shapes with a '
            'Line, a Parallel or a Cone can be seen from any base'
        )
    return tilt < 1.0


def moved_angle(angle: float, motion: Rigid, axis: int) -> float:
    """
    See an angle from another base, whose axis orthogonal to the circle is parallel.

    Parameters
    ----------
    angle : float
        [rad].
    motion : Rigid
        T_new_base.
    axis : int
        From which axis it is measured, in both bases.

    Returns
    -------
    float
        [rad].

    """
    return angle_in_plane(motion.turned(on_circle(angle, axis)), axis)
