# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The services that go on from where the joints are: a bounded step, and joint velocities."""

from __future__ import annotations

import functools

from ik_node.ros import conversions, step_conversions, velocity_conversions
from ik_node.ros.aim_conversions import aim_of
from ik_node.ros.description import Description
from ik_node.ros.goal_conversions import goals_of
from ik_node.ros.parameters import Parameters
from ik_node.ros.place import find_place
from ik_node.ros.serving import done, offer, Request, Response
from ik_node.ros.worker import Worker
from rclpy.node import Node

from ik_node_interfaces.srv import JointVelocities, Step


class MovingServices:
    """
    Offers step and joint_velocities.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer them, under its private name.
    parameters : Parameters
        Defaults for what a request leaves at zero.
    description : Description
        Finds the environment of a request.
    worker : Worker
        Threads for groups of many joints.

    """

    def __init__(
        self, node: Node, parameters: Parameters, description: Description, worker: Worker
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._description = description
        self._worker = worker
        offer(
            node,
            (
                ('step', Step, self._step),
                ('joint_velocities', JointVelocities, self._joint_velocities),
            ),
        )

    async def _step(self, request: Request, response: Response) -> Response:
        place = await find_place(
            self._description, request.environment, request.group, request.seed
        )
        options = step_conversions.step_options(request, self._parameters.settings)
        aim = aim_of(request, place)
        step = functools.partial(
            place.group.step,
            aim.target,
            place.q,
            direction=aim.direction,
            goals=goals_of(request.goals, place, ''),
            **options,
        )
        if step_conversions.is_small(place.group):
            result = step()
        else:
            result = await self._worker.submit(step)
        positions = place.group.named_positions(result.q)
        if request.apply_solution:
            place.environment.set_joint_positions(positions)
        step_conversions.fill_step(response, result)
        stamp = self._node.get_clock().now().to_msg()
        conversions.fill_joint_state(response.solution, positions, stamp)
        return response

    async def _joint_velocities(self, request: Request, response: Response) -> Response:
        place = await find_place(
            self._description, request.environment, request.group, request.joint_state
        )
        motion = velocity_conversions.motion_of(request, place)
        found = place.group.joint_velocities(
            motion.velocities,
            place.q,
            at=motion.at,
            damping=request.damping,
            direction=motion.direction,
        )
        response.joint_names = list(found.joint_names)
        response.velocities = conversions.doubles(found.dq)
        response.linear_residual = found.linear_residual
        response.angular_residual = found.angular_residual
        return done(response)
