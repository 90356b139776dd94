# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Two right ways to call ik_node from Python, with the node running on a Panda.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 10_ros_client.py blocking
    python3 10_ros_client.py callback

The wrong way is a blocking call, or `spin_until_future_complete`, inside a callback: the executor
that would deliver the answer is busy waiting for it. In a callback use the second way.
"""

from __future__ import annotations

import sys
import threading

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from rclpy.utilities import remove_ros_args

from ik_node_interfaces.srv import Solve


def example_request() -> Solve.Request:
    """Ask for a pose in front of the robot, the hand pointing down."""
    request = Solve.Request()
    position = request.target.pose.position
    position.x, position.y, position.z = 0.4, 0.1, 0.4  # [m], in the base frame of the group
    turn = request.target.pose.orientation
    turn.x, turn.y, turn.z, turn.w = 1.0, 0.0, 0.0, 0.0  # half a turn about x
    request.options.timeout = 0.1  # [s]
    return request


def show(answer: Solve.Response) -> None:
    """Print joint values, or the reason why there are none."""
    if not answer.success:
        print(f'no solution: {answer.message}')
        return
    for name, position in zip(answer.solution.name, answer.solution.position, strict=True):
        print(f'{name}: {position:+.4f}')


class BlockingClient:
    """For scripts: the node spins in a thread of its own, so any other thread may wait."""

    def __init__(self) -> None:
        self.node = rclpy.create_node('blocking_client')
        self._client = self.node.create_client(Solve, 'ik_node/solve')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            pass  # the program ends

    def solve(
        self, request: Solve.Request, seconds: float = 5.0, tries: int = 3
    ) -> Solve.Response:
        """
        Send a request and wait; never without a bound, for the node may be gone.

        Asking again is harmless, and the reply to a client that has just started can be lost.
        """
        if not self._client.wait_for_service(seconds):
            raise TimeoutError(f'there is no service {self._client.srv_name}')
        for _ in range(tries):
            arrived = threading.Event()
            future = self._client.call_async(request)
            future.add_done_callback(lambda _, arrived=arrived: arrived.set())
            if arrived.wait(seconds):
                return future.result()
            self._client.remove_pending_request(future)
        raise TimeoutError(f'no answer within {tries} times {seconds} s')

    def close(self) -> None:
        """Stop spinning."""
        self._executor.shutdown()
        self._thread.join()
        self.node.destroy_node()


class CallbackClient(Node):
    """
    For nodes: a callback sends the request, another takes the answer, and nobody waits.

    To `await` the answer in the first one works as well, if the client has a callback group of its
    own: in the group of the waiting callback the answer would have to wait for that one to end.
    """

    def __init__(self) -> None:
        super().__init__('callback_client')
        self._solve = self.create_client(Solve, 'ik_node/solve')
        self._pending: Future | None = None
        self._clock_tick = self.create_timer(0.5, self._ask)
        self.done = False

    def _ask(self) -> None:
        if self.done or not self._solve.service_is_ready():
            return  # the timer comes again
        if self._pending is not None:
            self._solve.remove_pending_request(self._pending)  # lost: ask again
        self._pending = self._solve.call_async(example_request())
        self._pending.add_done_callback(self._answered)

    def _answered(self, future: Future) -> None:
        show(future.result())
        self.done = True


def main() -> None:
    """Run one of the two."""
    rclpy.init()
    way = (remove_ros_args(sys.argv)[1:] or ['blocking'])[0]
    if way == 'blocking':
        client = BlockingClient()
        show(client.solve(example_request()))
        client.close()
    else:
        node = CallbackClient()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        while not node.done:
            executor.spin_once(timeout_sec=0.5)
        node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
