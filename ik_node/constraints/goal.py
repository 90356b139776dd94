# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Goals: what targets of every kind lower to, and all that rows are made from.

A goal compares two frames. The goal frame is fixed in the base; the tool frame is fixed in the
tip, and its z axis is what is directed. Bits say what of the tool frame is constrained, seen from
the goal frame. Both frames are a few numbers here; `ik_node.kernels.goals` makes arrays of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from ik_node.constraints.vectors import Quat, Vector3, Z_AXIS
from ik_node.kernels import goals, tree
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.row_kinds import (
    ALPHA_BETA,
    ANGLES,
    AZIMUTH,
    BOUNDED,
    CONE,
    GAMMA,
    GOAL_AXES,
    LOOKAT,
    ORIENTATION,
    POSE,
    POSITION,
    X,
    Y,
    Z,
)
import numpy as np

__all__ = [
    'ALPHA_BETA',
    'ANGLES',
    'AZIMUTH',
    'BOUNDED',
    'CONE',
    'GAMMA',
    'GOAL_AXES',
    'Goal',
    'LOOKAT',
    'NOTHING',
    'NO_AXIS',
    'NO_TURN',
    'ORIENTATION',
    'POSE',
    'POSITION',
    'X',
    'Y',
    'Z',
    'along',
    'goal_along',
    'goal_of',
    'goal_of_box',
]

Pair: TypeAlias = tuple[float, float]
"""Least and largest value [m or rad]."""

ORIGIN: Vector3 = (0.0, 0.0, 0.0)
NO_TURN: Quat = (0.0, 0.0, 0.0, 1.0)
NO_AXIS: Vector3 = (0.0, 0.0, 0.0)
NOTHING: Pair = (0.0, 0.0)


class Goal(NamedTuple):
    """What a target asks of a tip, in the form that rows are made from."""

    constraints: int
    """Sum of the bits of `ik_node.kernels.row_kinds`; zero asks for nothing."""
    numbers: tuple[float, ...]
    """Frames and bounds, see `ik_node.kernels.goals`; cut off where only defaults follow."""
    priorities: tuple[float, float] = (1.0, 1.0)
    """Factors of the squared errors of position and orientation where not all can be met."""

    @property
    def T_base_goal(self) -> FloatArray:
        """(4, 4) float64: the goal frame, position in [m]."""
        return self._placed()[0]

    @property
    def T_tip_point(self) -> FloatArray:
        """(4, 4): the tool frame: its origin is what is placed, its z axis is directed."""
        row, pose = self._placed()[1], np.eye(4)
        pose[:3, :3], pose[:3, 3] = row[:9].reshape(3, 3), row[9:12]
        return pose

    @property
    def R_base_axes(self) -> FloatArray:
        """(3, 3): the axes of the rows of the position, unless they are those of the goal."""
        return self._placed()[1][tree.AXES : tree.LOWER].reshape(3, 3)

    @property
    def lower(self) -> FloatArray:
        """(6,) least x, y, z [m] and the least values of the orientation rows [rad]."""
        return self._placed()[1][tree.LOWER : tree.UPPER]

    @property
    def upper(self) -> FloatArray:
        """(6,) the largest; infinite where there is no bound."""
        return self._placed()[1][tree.UPPER :]

    def _placed(self) -> tuple[FloatArray, FloatArray]:
        """Give the target and the row of the tip, as seen from the tip and the base themselves."""
        tips, targets = np.zeros((1, tree.TIP_SIZE)), np.empty((1, 4, 4))
        tips[0, :9] = tips[0, tree.AXES : tree.LOWER] = np.eye(3).ravel()
        tips.setflags(write=False)
        placed = np.empty_like(tips)
        goals.place_goal(np.array(self.numbers), tips, 0, targets, placed, placed[0])
        return targets[0], placed[0]


def goal_of(
    constraints: int,
    origin: Vector3 = ORIGIN,
    frame: Quat = NO_TURN,
    tool: Vector3 = Z_AXIS,
    opening: Pair = NOTHING,
    point: Vector3 = ORIGIN,
    effector: Quat = NO_TURN,
    axis: Vector3 = NO_AXIS,
    span: Pair = NOTHING,
) -> Goal:
    """
    Make a goal.

    Parameters
    ----------
    constraints : int
        Sum of bits.
    origin : tuple of three float
        Of the goal in the base [m].
    frame : tuple of four float
        Its axes: a unit quaternion x, y, z, w, or `along` an axis.
    tool : tuple of three float
        Axis of the effector that is directed.
    opening : pair of float
        Least and largest angle of a cone [rad].
    point : tuple of three float
        The effector point in the tip [m].
    effector : tuple of four float
        Axes of the effector in the tip: a unit quaternion x, y, z, w.
    axis : tuple of three float
        Direction in the base that is the z axis of the rows of the position; zeros: the axes of
        the base.
    span : pair of float
        Least and largest position along that axis [m].

    Returns
    -------
    Goal

    """
    # Most goals need the first few numbers alone, and an array of seven takes half the time.
    numbers: tuple[float, ...]
    if axis is not NO_AXIS:
        numbers = (*origin, *frame, *tool, *opening, *point, *effector, *axis, *span)
    elif effector != NO_TURN:
        numbers = (*origin, *frame, *tool, *opening, *point, *effector)
    elif point != ORIGIN:
        numbers = (*origin, *frame, *tool, *opening, *point)
    elif opening is not NOTHING:
        numbers = (*origin, *frame, *tool, *opening)
    elif tool != Z_AXIS:
        numbers = (*origin, *frame, *tool)
    else:
        numbers = origin if frame is NO_TURN else (*origin, *frame)
    return Goal(constraints, numbers)


def along(axis: Vector3) -> Quat:
    """
    Make a frame of its z axis alone.

    Parameters
    ----------
    axis : tuple of three float
        Unit vector in the base.

    Returns
    -------
    tuple of four float
        For `goal_of`.

    """
    return (*axis, goals.IS_AXIS)


def goal_along(
    constraints: int, axis: Vector3, tool: Vector3 = Z_AXIS, origin: Vector3 = ORIGIN
) -> Goal:
    """
    Make a goal whose frame is a z axis alone, as those of most directions are.

    Parameters
    ----------
    constraints, tool, origin
        As for `goal_of`, which does the same in twice the time.
    axis : tuple of three float
        Unit vector in the base.

    Returns
    -------
    Goal

    """
    if tool is Z_AXIS:
        return Goal(constraints, (*origin, *axis, goals.IS_AXIS))
    return Goal(constraints, (*origin, *axis, goals.IS_AXIS, *tool))


def goal_of_box(
    constraints: int, origin: Vector3, frame: Quat, lower: Sequence[float], upper: Sequence[float]
) -> Goal:
    """
    Make a goal of a frame and bounds of all rows.

    Parameters
    ----------
    constraints, origin, frame
        As for `goal_of`.
    lower, upper : sequence of six float
        Least and largest values [m, rad].

    Returns
    -------
    Goal

    """
    beginning = (*Z_AXIS, *NOTHING, *ORIGIN, *NO_TURN, *NO_AXIS, *NOTHING)
    return Goal(constraints, (*origin, *frame, *beginning, *lower, *upper))
