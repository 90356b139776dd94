# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A service of the type of `~/solve` that returns its response as it came: the floor of a call."""

from __future__ import annotations

from typing import Any


def main() -> None:
    """Serve `~/solve` of a node called "empty" until told to stop."""
    import rclpy
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

    from ik_node_interfaces.srv import Solve

    def answer(request: Any, response: Any) -> Any:
        return response

    rclpy.init()
    executor = SingleThreadedExecutor()
    try:
        node = rclpy.create_node('empty')
        node.create_service(Solve, '~/solve', answer)
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
