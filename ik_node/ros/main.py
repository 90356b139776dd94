# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Entry point of the node: `ros2 run ik_node ik_node`, or `python -m ik_node.ros.main`."""

from __future__ import annotations

import os
import signal
import sys
import traceback

from ik_node.errors import IkNodeError
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

NO_INTERFACES = (
    'the package ik_node_interfaces cannot be imported ({}): build it together with ik_node by '
    '"colcon build --base-paths src/ik_node src/ik_node/ik_node_interfaces" and source '
    'install/setup.bash'
)

#: So many failures in a row mean that the executor itself is broken.
_HOPELESS = 20


def spin(executor: SingleThreadedExecutor, node: Node) -> None:
    """
    Answer until the context shuts down.

    rclpy hands an exception of any callback to whoever spins; one in its own middle, such as a
    reply that cannot be sent because the client has gone, must not end the node.
    """
    executor.add_node(node)
    failures = 0
    while rclpy.ok():
        try:
            executor.spin_once()
            failures = 0
        except (KeyboardInterrupt, ExternalShutdownException):
            raise
        except Exception:
            # A shutdown is seen by whatever touches the context first, a timer that publishes
            # or the wait itself, and each says so in its own way.
            if not rclpy.ok():
                return
            failures += 1
            if failures >= _HOPELESS:
                raise
            node.get_logger().error(traceback.format_exc())


def run() -> int:
    """
    Run the node until it is told to stop.

    Returns
    -------
    int
        Exit code: 0 after a signal or a shutdown, 1 when the node could not start or go on.

    """
    try:
        from ik_node.ros.node import IkNode
    except ImportError as error:
        if (error.name or '').partition('.')[0] != 'ik_node_interfaces':
            raise
        print(NO_INTERFACES.format(error), file=sys.stderr)
        return 1
    try:
        ik = IkNode()
    except IkNodeError as error:
        print(f'ik_node cannot start: {error}', file=sys.stderr)
        return 1
    # It lives as long as this function. A signal is handled in a thread of rclpy's own, which
    # triggers a guard condition of the executor; freed as soon as spinning ends, it would be
    # triggered after its end (seen as a segmentation fault in one of a dozen shutdowns).
    executor = SingleThreadedExecutor()
    code = 0
    try:
        spin(executor, ik.node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        traceback.print_exc()
        code = 1
    # A second Ctrl-C must not turn a clean end into a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    busy = ik.busy
    ik.close()
    rclpy.try_shutdown()
    if busy:
        # The interpreter would wait for the solver threads, up to max_timeout, and a launch
        # file kills what does not end soon.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def main(args: list[str] | None = None) -> int:
    """Initialise rclpy, run, and end with exit code 0 on SIGINT and SIGTERM."""
    try:
        try:
            rclpy.init(args=args)
        except RuntimeError as error:
            # Of wrong ROS arguments rclpy tells in an exception without a class of its own.
            print(f'ik_node cannot start: {error}', file=sys.stderr)
            return 1
        return run()
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except Exception:
        # After a signal during the start, whatever needs the context next fails in its own way.
        if rclpy.ok():
            raise
        return 0
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
