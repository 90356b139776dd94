# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Ask ik_node for many poses at once, with the node running on a Panda.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 12_ros_batch.py 100000

Fields of type `float64[]` are filled from the bytes of arrays and read through `np.asarray`; a
list would be checked number by number, which takes longer than solving.
"""

from __future__ import annotations

from array import array
import sys
import time

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.utilities import remove_ros_args

from ik_node_interfaces.msg import Status
from ik_node_interfaces.srv import SolveBatch


def flat(rows: np.ndarray) -> array[float]:
    """Content of a `float64[]` field, row after row."""
    return array('d', np.ascontiguousarray(rows, dtype=np.float64).tobytes())


def poses(count: int) -> np.ndarray:
    """(count, 7) positions [m] above a table and the hand pointing down, turned about z."""
    generator = np.random.default_rng(0)
    rows = np.zeros((count, 7))
    rows[:, :3] = generator.uniform((0.35, -0.25, 0.2), (0.55, 0.25, 0.5), (count, 3))
    half = generator.uniform(-0.5, 0.5, count)  # [rad] half of the turn
    rows[:, 3], rows[:, 4] = np.cos(half), np.sin(half)  # x and y of the quaternion x, y, z, w
    return rows


def main(seconds: float = 60.0) -> None:
    """Send a batch and tell how long it took."""
    rclpy.init()
    count = int((remove_ros_args(sys.argv)[1:] or ['1000'])[0])
    node = rclpy.create_node('batch_client')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    client = node.create_client(SolveBatch, 'ik_node/solve_batch')
    if not client.wait_for_service(seconds):
        raise TimeoutError(f'there is no service {client.srv_name}')

    def call(request: SolveBatch.Request, patience: float = seconds) -> SolveBatch.Response | None:
        future = client.call_async(request)
        end = time.monotonic() + patience
        while not future.done() and time.monotonic() < end:
            executor.spin_once(timeout_sec=0.5)
        return future.result() if future.done() else None

    # The reply to a client that has just started can be lost: try the way with no pose at all.
    while call(SolveBatch.Request(), 3.0) is None:
        print('no answer yet')
    request = SolveBatch.Request(poses=flat(poses(count)))
    began = time.perf_counter()
    answer = call(request)
    took = time.perf_counter() - began
    if answer is None:
        raise TimeoutError(f'no answer within {seconds} s')
    print(answer.message)
    positions = np.asarray(answer.positions).reshape(-1, len(answer.joint_names))
    solved = np.asarray(answer.statuses) == Status.SUCCESS
    for name, column in zip(answer.joint_names, positions[solved].T, strict=True):
        print(f'{name}: {column.min():+.3f} to {column.max():+.3f}')
    print(f'{count / took:.0f} poses/s, {answer.elapsed / took:.0%} of the time in the solver')
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
