# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""How a search ended."""

from __future__ import annotations

import enum

from ik_node.kernels import status


class SolveStatus(enum.IntEnum):
    """Outcome of a search; the numbers are those of ik_node_interfaces/msg/Status."""

    SUCCESS = status.SUCCESS
    """Within both tolerances and all limits, checked by forward kinematics of the answer."""
    NOT_FOUND = status.NOT_FOUND
    """All allowed starts were tried."""
    TIMED_OUT = status.TIMED_OUT
    """The time was over first."""
    UNREACHABLE = status.UNREACHABLE
    """Proven: no configuration inside the limits reaches the target."""
    BLOCKED_BY_LIMITS = status.BLOCKED_BY_LIMITS
    """Not found inside the limits, but without those that are named: a hint, no proof."""


class StepStatus(enum.IntEnum):
    """Outcome of a bounded step; the numbers are those of Tekkotsu's `IKSolver::StepResult`."""

    SUCCESS = 0
    """Within both tolerances and all limits after the step."""
    PROGRESS = 1
    """Nearer: the weighted error has become smaller."""
    LIMITS = 2
    """Blocked by joint limits alone: without them a step would come nearer."""
    RANGE = 3
    """No step comes nearer, whatever the limits: out of reach, or a singular configuration."""
