# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of joints as rows of the tables, and which joints are back after a full turn."""

from __future__ import annotations

import math

from ik_node.kernels.rotations import TWO_PI
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, JointKind

_FREE_DRAW_LENGTH = 1.0
"""Half width [m] of random draws around the seed for a prismatic joint without limits."""
_FREE_DRAW_TURNS = 2.0
"""The same in turns for a turning joint without limits that is not back after a full turn."""


def limit_rows(mechanism: Mechanism, joint: Joint) -> list[tuple[float, ...]]:
    """
    Write the rows of the limits of an independent joint.

    Returns
    -------
    list of tuple of five float
        One for each coordinate, see `ik_node.kernels.limits`.

    """
    if joint.kind is JointKind.SPHERICAL:
        return [(-math.inf, math.inf, 0.0, math.pi, size) for size in (3.0, 0.0, 0.0)]
    lower, upper = mechanism.bounds(joint.name)
    periodic = is_periodic(mechanism, joint)
    half_width = _FREE_DRAW_LENGTH
    if joint.turns:
        # A screw, or a joint with a follower that does not make full turns with it, is somewhere
        # else after a turn.
        half_width = math.pi if periodic else _FREE_DRAW_TURNS * TWO_PI
    return [(lower, upper, TWO_PI if periodic else 0.0, half_width, 1.0)]


def is_periodic(mechanism: Mechanism, joint: Joint) -> bool:
    """
    Tell whether a full turn of a joint changes no pose.

    Parameters
    ----------
    mechanism : Mechanism
        Where the joint is.
    joint : Joint
        An independent one.

    Returns
    -------
    bool
        False for a screw, and where a follower does not make full turns with it.

    """
    return _turns_whole(joint) and all(
        _turns_whole(follower) and drive.function is None and drive.multiplier % 1.0 == 0.0
        for follower, drive in mechanism.followers(joint.name)
    )


def _turns_whole(joint: Joint) -> bool:
    return joint.turns and joint.screw_lead == 0.0
