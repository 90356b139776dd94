# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and bounded steps; see `conversions`."""

from __future__ import annotations

from typing import Any

import ik_node
from ik_node import StepStatus
from ik_node.environment.stepping import StepResult
from ik_node.errors import InvalidOptionError
from ik_node.ros.conversions import POSITION_WEIGHT
from ik_node.ros.restriction_conversions import restrictions
from ik_node.ros.settings import Settings

from ik_node_interfaces.msg import Status
from ik_node_interfaces.srv import Step

#: Of such groups a step takes a millisecond at most: a change of threads would cost as much.
FEW_JOINTS = 32


def step_options(request: Step.Request, settings: Settings) -> dict[str, Any]:
    """
    Keywords of `Group.step`, the direction of the tool excepted.

    Raises
    ------
    InvalidOptionError
        A value out of its range.

    """
    defaults = {
        'position_tolerance': settings.position_tolerance,
        'orientation_tolerance': settings.orientation_tolerance,
        'position_weight': POSITION_WEIGHT,
    }
    for name in defaults:
        value = getattr(request, name)
        # Written so that NaN fails it as well.
        if not value >= 0.0:
            raise InvalidOptionError(
                f'{name} is {value}; give a positive number, or 0 for the default'
            )
    return {
        'linear_step': request.linear_step,
        'angular_step': request.angular_step,
        **{name: getattr(request, name) or value for name, value in defaults.items()},
        **restrictions(request),
    }


def fill_step(response: Step.Response, result: StepResult) -> None:
    """Put the outcome of a step into a message, the joints excepted."""
    response.success = result.status is StepStatus.SUCCESS
    response.status = int(Status.SUCCESS if response.success else Status.NOT_WITHIN_TOLERANCE)
    response.step_status, response.message = int(result.status), result.message
    response.position_error = result.position_error
    response.orientation_error = result.orientation_error
    response.position_error_before = result.position_error_before
    response.orientation_error_before = result.orientation_error_before


def is_small(group: ik_node.Group) -> bool:
    """Tell whether a step of a group may be made between two messages."""
    return len(group.joint_names) <= FEW_JOINTS
