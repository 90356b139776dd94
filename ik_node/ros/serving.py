# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""One guard around every handler: no request, however wrong, raises, hangs or goes unanswered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
import traceback
from typing import Any

from ik_node.errors import IkNodeError
from ik_node.ros import conversions, qos
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from ik_node_interfaces.msg import Status

Request = Any
Response = Any
Handler = Callable[[Request, Response], Awaitable[Response]]


def offer(node: Node, services: Iterable[tuple[str, Any, Handler]]) -> None:
    """
    Offer services under the private name of a node.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer them.
    services : iterable of (str, type, callable)
        Name, type and coroutine handler of each.

    """
    # Reentrant: a request that waits for a worker must not keep the next one waiting.
    callbacks = ReentrantCallbackGroup()
    for name, kind, handler in services:
        node.create_service(
            kind,
            f'~/{name}',
            _guarded(node, name, handler),
            qos_profile=qos.SERVICES,
            callback_group=callbacks,
        )


def done(response: Response, message: str = 'done') -> Response:
    """
    Mark a response as a success.

    Returns
    -------
    response
        The same one.

    """
    response.success, response.status, response.message = True, Status.SUCCESS, message
    return response


def _guarded(node: Node, name: str, handler: Handler) -> Handler:
    async def answer(request: Request, response: Response) -> Response:
        try:
            return await handler(request, response)
        except IkNodeError as error:
            status, message = conversions.status_of(error), str(error)
        except Exception as error:
            node.get_logger().error(f'{name}: {traceback.format_exc()}')
            status = Status.INTERNAL_ERROR
            message = f'defect in ik_node, see its log: {type(error).__name__}: {error}'
        # A new one: the handler may have filled half of the other.
        refusal = type(response)()
        refusal.success, refusal.status, refusal.message = False, status, message
        return refusal

    return answer
