# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Ask ik_node for other things than a pose, with the node running on a Panda.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 14_ros_targets.py

A camera looks at a point, a drill lies on a line, a glass stays upright: each is one target, and
what it leaves free, the solver chooses.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from geometry_msgs.msg import Point, Quaternion, Vector3
import rclpy
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import Header

from ik_node_interfaces.msg import SolveOptions, Target
from ik_node_interfaces.srv import FindConfig, Solve

DOWN = Vector3(z=-1.0)
PATIENT = SolveOptions(timeout=0.5)

#: What each is for, and the target.
TARGETS = {
    # With named fields:
    'look at a point': Target(type='Lookat3D', point=Point(x=0.9, y=0.3, z=0.1)),
    # With values in IKFast's order, direction before position:
    'lie on a line': Target(type='Ray4D', values=[0.6, 0.0, -0.8, 0.45, 0.1, 0.4]),
    # In the frame of a link, where it stands at the seed; by IKFast's number:
    'point down in front of the base': Target(
        header=Header(frame_id='panda_link0'),
        id=0x56000007,  # TranslationDirection5D
        position=Point(x=0.5, z=0.3),
        direction=DOWN,
    ),
    # On a segment of a line, and nowhere more than half a radian off the vertical:
    'along an edge, nearly upright': Target(
        type='shapes',
        position_shape='line',
        position=Point(x=0.45, z=0.4),
        line_direction=Vector3(y=1.0),
        lower=[-0.2],
        upper=[0.2],
        orientation_shape='cone',
        direction=DOWN,
        angle=0.5,
        interior=True,
    ),
    # A tolerance for each coordinate; a turn about the vertical is free:
    'somewhere over a tray': Target(
        type='box',
        position=Point(x=0.45, z=0.4),
        orientation=Quaternion(x=1.0, w=0.0),
        lower=[-0.1, -0.2, 0.0, -0.1, -0.1, -math.inf],
        upper=[0.1, 0.2, 0.0, 0.1, 0.1, math.inf],
    ),
}


class Client:
    """Calls services and waits; spins in one place only."""

    def __init__(self, seconds: float = 10.0) -> None:
        self.node = rclpy.create_node('target_client')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._clients = {
            kind: self.node.create_client(kind, f'ik_node/{name}')
            for name, kind in (('solve', Solve), ('find_config', FindConfig))
        }
        for client in self._clients.values():
            if not client.wait_for_service(seconds):
                raise TimeoutError(f'there is no service {client.srv_name}')

    def call(self, request: Any, kind: Any, seconds: float = 5.0, tries: int = 3) -> Any:
        """Send a request and wait; asking again is harmless, and a first reply can be lost."""
        client = self._clients[kind]
        for _ in range(tries):
            future = client.call_async(request)
            self._executor.spin_until_future_complete(future, seconds)
            if future.done():
                return future.result()
            client.remove_pending_request(future)
        raise TimeoutError(f'no answer from {client.srv_name}')

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self.node.destroy_node()


def main() -> None:
    """Ask for each, for one with another tool, for several configurations, and for nonsense."""
    rclpy.init(args=sys.argv)
    client = Client()
    for what, target in TARGETS.items():
        answer = client.call(Solve.Request(targets=[target], options=PATIENT), Solve)
        joints = ' '.join(f'{position:+.3f}' for position in answer.solution.position)
        print(f'{what}: {answer.message} [{joints}]')

    # A tool that points along the x axis of the hand.
    request = Solve.Request(
        targets=[TARGETS['look at a point']], tool_direction=Vector3(x=1.0), options=PATIENT
    )
    print(f'look with another tool: {client.call(request, Solve).message}')

    request = FindConfig.Request(
        targets=[TARGETS['lie on a line']], max_configs=6, options=PATIENT
    )
    print(f'on the line: {client.call(request, FindConfig).message}')

    far = Target(type='Translation3D', position=Point(x=3.0))
    print(f'far away: {client.call(Solve.Request(targets=[far]), Solve).message}')
    wrong = Target(type='Ray4D', values=[0.6, 0.0, -0.8])
    print(f'refused: {client.call(Solve.Request(targets=[wrong]), Solve).message}')
    client.close()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
