# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The numbers that MoveIt's interfaces agree on, by their names there."""

from __future__ import annotations

import enum

from ik_node.solvers.status import SolveStatus


class ErrorCode(enum.IntEnum):
    """Values of `moveit_msgs/msg/MoveItErrorCodes` that kinematics needs."""

    UNDEFINED = 0
    SUCCESS = 1
    FAILURE = 99999
    TIMED_OUT = -6
    INVALID_GROUP_NAME = -15
    INVALID_GOAL_CONSTRAINTS = -16
    INVALID_ROBOT_STATE = -17
    INVALID_LINK_NAME = -18
    FRAME_TRANSFORM_FAILURE = -21
    NO_IK_SOLUTION = -31


class DiscretizationMethod(enum.IntEnum):
    """What becomes of redundant joints when all solutions of a pose are wanted."""

    NO_DISCRETIZATION = 1
    """They stay where the seed has them."""
    ALL_DISCRETIZED = 2
    """Each goes over a uniform grid."""
    SOME_DISCRETIZED = 3
    """Those with a step go over a grid, the others stay at the seed."""
    ALL_RANDOM_SAMPLED = 4
    """Each is drawn at random."""
    SOME_RANDOM_SAMPLED = 5
    """Those with a step are drawn at random, the others stay at the seed."""


class KinematicError(enum.IntEnum):
    """How a request for all solutions ended; MoveIt spells the second one so."""

    OK = 1
    UNSUPORTED_DISCRETIZATION_REQUESTED = 2
    DISCRETIZATION_NOT_INITIALIZED = 3
    MULTIPLE_TIPS_NOT_SUPPORTED = 4
    EMPTY_TIP_POSES = 5
    IK_SEED_OUTSIDE_LIMITS = 6
    SOLVER_NOT_ACTIVE = 7
    NO_SOLUTION = 8


def code_of(status: SolveStatus, *, timed: bool = False) -> ErrorCode:
    """
    Give the code for the end of a search.

    Parameters
    ----------
    status : SolveStatus
        Of the search.
    timed : bool
        Whether the caller gave the time that the search had. Only then is it news that it was
        too short.

    Returns
    -------
    ErrorCode

    """
    if status is SolveStatus.SUCCESS:
        return ErrorCode.SUCCESS
    if status is SolveStatus.TIMED_OUT and timed:
        return ErrorCode.TIMED_OUT
    return ErrorCode.NO_IK_SOLUTION
