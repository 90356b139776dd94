# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Goals: what targets of every kind lower to, and all that rows are made from.

A goal compares two frames. The goal frame is fixed in the base; the tool frame is fixed in the
tip, and its z axis is what is directed. Bits say what of the tool frame is constrained, seen from
the goal frame.
"""

from __future__ import annotations

from typing import NamedTuple

from ik_node.constraints.rigid import IDENTITY, Matrix3, Rigid
from ik_node.constraints.vectors import Vector3
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
    'ORIENTATION',
    'POSE',
    'POSITION',
    'X',
    'Y',
    'Z',
    'aimed',
    'goal_of_frames',
]


# Most targets are about the tip itself, and a copy takes a quarter of the time.
_TIP: FloatArray = np.eye(4)


class Goal(NamedTuple):
    """What a target asks of a tip, in the form that rows are made from."""

    T_base_goal: FloatArray
    """(4, 4), position in [m]."""
    T_tip_point: FloatArray
    """(4, 4): the tool frame on the tip: its origin is what is placed, its z axis is directed."""
    constraints: int
    """Sum of the bits of `ik_node.kernels.row_kinds`; zero asks for nothing."""
    lower: FloatArray | None = None
    """(6,) least x, y, z [m] and the least values of the orientation rows [rad]; None: zeros."""
    upper: FloatArray | None = None
    """(6,) the largest; None: zeros. Infinite where there is no bound."""
    priorities: tuple[float, float] = (1.0, 1.0)
    """Factors of the squared errors of position and orientation where not all can be met."""


def goal_of_frames(
    constraints: int,
    position: Vector3 = (0.0, 0.0, 0.0),
    rotation: Matrix3 = IDENTITY,
    point: Vector3 = (0.0, 0.0, 0.0),
    tool: Matrix3 = IDENTITY,
    bounds: tuple[tuple[float, ...], tuple[float, ...]] | None = None,
) -> Goal:
    """
    Make a goal of plain floats.

    Parameters
    ----------
    constraints : int
        Sum of bits.
    position, rotation
        Origin [m] and axes of the goal in the base.
    point, tool
        Origin [m] and axes of the tool frame in the tip.
    bounds : pair of six float, optional
        Lower and upper.

    Returns
    -------
    Goal
        With arrays of its own.

    """
    lower, upper = (None, None) if bounds is None else map(np.array, bounds)
    is_tip = tool is IDENTITY and point == (0.0, 0.0, 0.0)
    T_tip_point = _TIP.copy() if is_tip else Rigid(tool, point).array()
    return Goal(Rigid(rotation, position).array(), T_tip_point, constraints, lower, upper)


def aimed(angles: tuple[float, float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """
    Make the bounds of a cone.

    Parameters
    ----------
    angles : pair of float
        Least and largest angle between the z axes of tool and goal [rad].

    Returns
    -------
    lower, upper : tuple of six float

    """
    least, largest = angles
    return (0.0, 0.0, 0.0, least, 0.0, 0.0), (0.0, 0.0, 0.0, largest, 0.0, 0.0)
