# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The service for Jacobians: of a tip, of a group with all of its elements, of a chain."""

from __future__ import annotations

import ik_node
from ik_node.ros import jacobian_conversions as conversions
from ik_node.ros.conversions import doubles, positions_from
from ik_node.ros.description import Description
from ik_node.ros.object_conversions import find_reference
from ik_node.ros.place import find_place
from ik_node.ros.serving import done, offer, Request, Response
from rclpy.node import Node

from ik_node_interfaces.srv import ComputeJacobian


class JacobianServices:
    """
    Offers compute_jacobian.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer it.
    description : Description
        Finds the environment of a request.

    """

    def __init__(self, node: Node, description: Description) -> None:
        self._description = description
        self._forms = {'tip': self._tip, 'group': self._group, 'chain': self._chain}
        offer(node, (('compute_jacobian', ComputeJacobian, self._compute_jacobian),))

    async def _compute_jacobian(self, request: Request, response: Response) -> Response:
        form = conversions.form_of(request)
        await self._forms[form](request, response)
        return done(response)

    async def _tip(self, request: Request, response: Response) -> None:
        frame = conversions.frame_of(request)
        place = await find_place(
            self._description, request.environment, request.group, request.joint_state
        )
        group = place.group
        jacobian = group.jacobian(place.q, frame=frame)
        conversions.fill_jacobian(response, jacobian, group.joint_names)
        conversions.fill_tips(response, group)
        response.frame_id = group.base if frame == 'base' else group.tip
        response.reference_point = group.tip

    async def _group(self, request: Request, response: Response) -> None:
        place = await find_place(
            self._description, request.environment, request.group, request.joint_state
        )
        environment = _moved(place.environment, place.positions)
        group = environment.group(place.group.name)
        system, coordinates = group.stacked_rows()
        conversions.fill_rows(response, group, system)
        conversions.fill_jacobian(response, system.jacobian, coordinates)
        response.error = doubles(system.error)

    async def _chain(self, request: Request, response: Response) -> None:
        _, environment = await self._description.resolve(request.environment)
        environment = _moved(environment, positions_from(request.joint_state, environment))
        constraints = conversions.constraints_of(request)
        last = environment.joint(request.last_joint)
        tip, target, constraints_base = (
            conversions.chain_pose(request, field, environment)
            for field in ('tip_pose', 'target_pose', 'constraints_base_pose')
        )
        if tip is None:
            scene = environment.scene
            tip = scene.T_world(scene.index[last.uid])
        jacobian, error, coordinates = environment.jacobian(
            find_reference(environment, request.base),
            last,
            constraints,
            tip,
            target,
            constraints_base,
        )
        conversions.fill_jacobian(response, jacobian, coordinates)
        response.row_names = conversions.constrained_rows(constraints)
        response.error = doubles(error)


def _moved(environment: ik_node.Environment, positions: dict[str, float]) -> ik_node.Environment:
    """Give the environment, or where joints are to stand elsewhere a copy."""
    if not positions:
        return environment
    copy = environment.duplicate()
    copy.set_joint_positions(positions)
    return copy
