# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The service that handles groups: a few steps from where the joints are."""

from __future__ import annotations

import time

import ik_node
from ik_node.errors import InvalidOptionError, InvalidStateError
from ik_node.ros import handling_conversions as conversions
from ik_node.ros.description import Description
from ik_node.ros.handling_trial import Trial
from ik_node.ros.parameters import Parameters
from ik_node.ros.serving import offer, Request, Response
from ik_node.ros.worker import Worker
from rclpy.node import Node

from ik_node_interfaces.msg import Status
from ik_node_interfaces.srv import HandleGroups

#: Up to so many iterations, counted once for each element, are made on the executor's own thread:
#: they take about a millisecond, and requests act one after another. More go to the worker.
FEW = 20


class HandlingServices:
    """
    Offers handle_groups.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer it.
    parameters : Parameters
        `max_timeout`.
    description : Description
        Finds the environment of a request.
    worker : Worker
        Threads for many iterations.

    """

    def __init__(
        self, node: Node, parameters: Parameters, description: Description, worker: Worker
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._description = description
        self._worker = worker
        offer(node, (('handle_groups', HandleGroups, self._handle_groups),))

    async def _handle_groups(self, request: Request, response: Response) -> Response:
        response.environment, environment = await self._description.resolve(request.environment)
        timeout = conversions.handling_timeout(request.timeout, self._parameters.settings)
        handlings = _together(request, environment)
        trial = Trial(environment, conversions.target_poses(request, environment))
        arguments = (trial, handlings, request.strict, timeout, response)
        if _size(environment, handlings) <= FEW:
            _run(*arguments)
        else:
            await self._worker.submit(_run, *arguments)
        if request.dry_run:
            response.message += '; dry_run: nothing was applied'
        elif response.status != Status.INVALID_STATE:
            trial.apply()
        stamp = self._node.get_clock().now().to_msg()
        for result in response.results:
            result.joint_state.header.stamp = stamp
        return response


def _together(request: Request, environment: ik_node.Environment) -> list[list[str]]:
    """List the groups of each handling by name."""
    if request.groups:
        names = [environment.group(name).name for name in request.groups]
        if len(set(names)) != len(names):
            raise InvalidOptionError('groups names one of them twice; name each once')
        return [names]
    enabled = [[name] for name, group in environment.groups.items() if group.enabled]
    if not enabled:
        raise InvalidStateError('no group is enabled; create or enable one with ~/set_group')
    return enabled


def _size(environment: ik_node.Environment, handlings: list[list[str]]) -> int:
    """Count the elements that may be looked at, each once for each iteration."""
    size = 0
    for names in handlings:
        groups = [environment.groups[name] for name in names]
        iterations = next((group.max_iterations for group in groups if group.enabled), 0)
        size += iterations * sum(len(group.element_records) for group in groups)
    return size


def _run(
    trial: Trial, handlings: list[list[str]], strict: bool, timeout: float, response: Response
) -> None:
    """Handle, and fill the response."""
    began = time.monotonic()
    sentences = []
    for names in handlings:
        groups = [trial.environment.group(name) for name in names]
        result = trial.handle(groups, strict, began + timeout)
        message = conversions.result_message(trial.environment, groups, result)
        response.results.append(message)
        sentences.append(conversions.told(groups, message))
    response.elapsed = time.monotonic() - began
    response.status = conversions.handling_status(response.results)
    response.success = response.status == Status.SUCCESS
    if not response.success and response.elapsed >= timeout:
        sentences.append(f'the time of {timeout:g} s was over')
    response.message = '; '.join(sentences)
