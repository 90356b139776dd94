# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""MoveIt's own kinematics services: `compute_ik`, `compute_fk` and `solve_ik`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
import functools
import time
import traceback
from typing import Any

from ik_node.errors import IkNodeError, InvalidOptionError, InvalidSeedError, InvalidTargetError
from ik_node.moveit import ErrorCode
from ik_node.moveit.search import Found
from ik_node.ros import qos
from ik_node.ros.conversions import pose_stamped
from ik_node.ros.description import Description
from ik_node.ros.errors import MoveItRefusal
from ik_node.ros.moveit_conversions import fill_code, requested_state
from ik_node.ros.moveit_requests import (
    inverse_request,
    InverseRequest,
    NO_COLLISION_MODEL,
    Validity,
)
from ik_node.ros.moveit_solutions import fill_solution
from ik_node.ros.parameters import Parameters
from ik_node.ros.services import HEAD_START
from ik_node.ros.worker import Worker
import numpy as np
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

Request = Any
Response = Any
Handler = Callable[[Request, Response], Awaitable[Response]]

#: [s] After which the services of other nodes are known.
DISCOVERY = 3.0

#: What a parameter says instead of a name where a service is not wanted.
OFF = 'none'

MISSING = (
    'the package moveit_msgs cannot be imported ({}), so the services of MoveIt are not offered; '
    'install ros-$ROS_DISTRO-moveit-msgs, or set {} to none'
)


class MoveItServices:
    """
    Offers MoveIt's kinematics services where its messages are installed.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer them, in its namespace.
    parameters : Parameters
        Their names, and defaults for what a request leaves open.
    description : Description
        Finds the robot.
    worker : Worker
        Threads for searches.

    Raises
    ------
    InvalidOptionError
        A parameter is no name of a service.

    """

    def __init__(
        self, node: Node, parameters: Parameters, description: Description, worker: Worker
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._description = description
        self._worker = worker
        #: Judges candidates where a request avoids collisions; None: they are not judged.
        self.validity: Validity | None = None
        settings = parameters.settings
        names = {
            'compute_ik_service': settings.compute_ik_service,
            'compute_fk_service': settings.compute_fk_service,
            'solve_ik_service': settings.solve_ik_service,
        }
        wanted = {key: name for key, name in names.items() if name != OFF}
        if wanted:
            self._offer(wanted)

    def _offer(self, names: dict[str, str]) -> None:
        try:
            from moveit_msgs.srv import GetPositionFK, GetPositionIK
        except ImportError as error:
            self._node.get_logger().info(MISSING.format(error, ', '.join(names)))
            return
        # Reentrant: a request that waits for a worker must not keep the next one waiting.
        callbacks = ReentrantCallbackGroup()
        handlers: dict[str, tuple[Any, Handler]] = {
            'compute_ik_service': (GetPositionIK, functools.partial(self._inverse, echo=True)),
            'compute_fk_service': (GetPositionFK, self._forward),
            # Its client keeps joints of others for its later requests.
            'solve_ik_service': (GetPositionIK, functools.partial(self._inverse, echo=False)),
        }
        for key, name in names.items():
            kind, handler = handlers[key]
            try:
                self._node.create_service(
                    kind,
                    name,
                    self._guarded(name, handler),
                    qos_profile=qos.SERVICES,
                    callback_group=callbacks,
                )
            except Exception as error:
                raise InvalidOptionError(
                    f'parameter {key!r}: {name[:80]!r} is no name of a service, nor {OFF!r}: '
                    f'{error}'
                ) from error

        # On the steady clock: a paused simulation would never let it tick.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._look = self._node.create_timer(
            DISCOVERY, lambda: self._look_around(names), clock=steady
        )

    def _look_around(self, names: dict[str, str]) -> None:
        """Warn once of others that answer to the same names, as a move_group would."""
        self._node.destroy_timer(self._look)
        for key, name in names.items():
            if self._node.count_services(name) > 1:
                self._node.get_logger().warning(
                    f'another node answers {self._node.resolve_service_name(name)} as well, so '
                    f'clients get the answer of either; set {key} to {OFF} or to another name'
                )

    def _guarded(self, name: str, handler: Handler) -> Handler:
        async def answer(request: Request, response: Response) -> Response:
            try:
                return await handler(request, response)
            except MoveItRefusal as error:
                code, message = error.code, str(error)
            except InvalidSeedError as error:
                code, message = ErrorCode.INVALID_ROBOT_STATE, str(error)
            except InvalidTargetError as error:
                code, message = ErrorCode.INVALID_GOAL_CONSTRAINTS, str(error)
            except IkNodeError as error:
                code, message = ErrorCode.FAILURE, str(error)
            except Exception as error:
                self._node.get_logger().error(f'{name}: {traceback.format_exc()}')
                code = ErrorCode.FAILURE
                message = f'defect in ik_node, see its log: {type(error).__name__}: {error}'
            self._tell(name, code, message)
            # A new one: the handler may have filled half of the other.
            refusal = type(response)()
            fill_code(refusal.error_code, code, message)
            return refusal

        return answer

    def _tell(self, who: str, code: int, message: str) -> None:
        """Log why there is no answer: the codes of Humble are numbers alone."""
        self._node.get_logger().debug(f'{who}: {int(code)}: {message}')

    async def _inverse(self, request: Request, response: Response, *, echo: bool) -> Response:
        _, environment = await self._description.resolve('')
        asked = inverse_request(
            request.ik_request,
            environment,
            self._parameters.settings,
            self._parameters.moveit.settings_of,
            self.validity,
        )
        if NO_COLLISION_MODEL in asked.notes:
            self._node.get_logger().debug(NO_COLLISION_MODEL)
        if asked.state.ignored:
            self._node.get_logger().debug(
                f'joints of another robot in robot_state: {", ".join(asked.state.ignored[:12])}'
            )
        found, positions = await self._answer(asked)
        fill_code(response.error_code, found.code, found.message)
        if not found.success:
            self._tell('inverse kinematics', found.code, found.message)
        else:
            stamp = self._node.get_clock().now().to_msg()
            frame = asked.state.frames.model_frame
            echoed = asked.state if echo else None
            fill_solution(response.solution, asked.group, positions, frame, stamp, echoed)
        return response

    async def _answer(self, asked: InverseRequest) -> tuple[Found, dict[str, float]]:
        """Search a moment here, and in a worker what takes longer; see `services.HEAD_START`."""
        if asked.plain:
            began = time.perf_counter()
            head = asked.answer(min(asked.timeout, HEAD_START))
            if time.perf_counter() - began < 0.9 * HEAD_START:
                return head  # it ended for another reason than its time
        return await self._worker.submit(asked.answer)

    async def _forward(self, request: Request, response: Response) -> Response:
        _, environment = await self._description.resolve('')
        if not request.fk_link_names:
            raise MoveItRefusal(
                ErrorCode.INVALID_LINK_NAME, 'fk_link_names is empty; name at least one link'
            )
        state = requested_state(request.robot_state, environment)
        frames = state.frames
        links = [name.removeprefix('/') for name in request.fk_link_names]
        known = [name for name in links if name and name in frames]
        code, problems = ErrorCode.SUCCESS, []
        if len(known) < len(links):
            unknown = [name[:80] for name in links if name not in known]
            problems.append(f'there are no links {", ".join(map(repr, unknown[:12]))}')
            code = ErrorCode.INVALID_LINK_NAME
        frame, reference = request.header.frame_id, request.header.frame_id
        if frame not in frames:
            # As move_group answers: the poses stay, in the frame that they are labelled with.
            problems.append(f'there is no frame {frame[:80]!r}; the poses are in the model frame')
            code, reference = ErrorCode.FRAME_TRANSFORM_FAILURE, ''
        label = reference or frames.model_frame
        T_world_reference, *poses = frames.poses([reference, *known], state.positions)
        T_reference_world = np.linalg.inv(T_world_reference)
        stamp = self._node.get_clock().now().to_msg()
        response.fk_link_names = known
        response.pose_stamped = [
            pose_stamped(T_reference_world @ pose, label, stamp) for pose in poses
        ]
        fill_code(response.error_code, code, '; '.join(problems) or 'solved')
        return response
