# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Services of the types of the node's that calculate nothing: the floor of a call."""

from __future__ import annotations

from array import array
from typing import Any


def main() -> None:
    """Serve `~/solve` and `~/solve_batch` of a node called "empty" until told to stop."""
    import rclpy
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

    from ik_node_interfaces.srv import Solve, SolveBatch

    def answer(request: Any, response: Any) -> Any:
        return response

    def answer_batch(request: Any, response: Any) -> Any:
        count = len(request.poses) // 7
        response.positions = request.seeds
        response.statuses = array('b', bytes(count))
        response.position_errors = response.orientation_errors = array('d', bytes(8 * count))
        return response

    rclpy.init()
    executor = SingleThreadedExecutor()
    try:
        node = rclpy.create_node('empty')
        node.create_service(Solve, '~/solve', answer)
        node.create_service(SolveBatch, '~/solve_batch', answer_batch)
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
