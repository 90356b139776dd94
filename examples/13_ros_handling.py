# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Follow a moving target by handling groups, a few steps at a time.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 13_ros_handling.py

A planar arm of three links has two tasks. Its tip shall be at a target that moves on a circle; as
far as that allows, its first link shall point upwards. Each request places the target and makes
the steps; nothing but the answer has to be read.
"""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
import rclpy
from rclpy.executors import SingleThreadedExecutor

from ik_node_interfaces.msg import ElementInfo, GroupInfo, HandleResult, JointInfo, ObjectInfo
from ik_node_interfaces.srv import (
    ComputeJacobian,
    CreateEnvironment,
    EraseEnvironment,
    HandleGroups,
    ListEnvironments,
    SetGroup,
    SetJoint,
    SetObject,
)

SCENE = 'planar'
LINK = 0.4
SERVICES = {
    'create_environment': CreateEnvironment,
    'erase_environment': EraseEnvironment,
    'set_joint': SetJoint,
    'set_object': SetObject,
    'set_group': SetGroup,
    'handle_groups': HandleGroups,
    'compute_jacobian': ComputeJacobian,
    'list_environments': ListEnvironments,
}


class Client:
    """Calls services and waits; spins in one place only."""

    def __init__(self, seconds: float = 10.0) -> None:
        self.node = rclpy.create_node('handling_client')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._clients = {
            name: self.node.create_client(kind, f'ik_node/{name}')
            for name, kind in SERVICES.items()
        }
        for client in self._clients.values():
            if not client.wait_for_service(seconds):
                raise TimeoutError(f'there is no service {client.srv_name}')
        # The reply to a client that has just started can be lost. So the first request is one
        # that may be repeated, to the service whose client was made last.
        for _ in range(5):
            if self._send('list_environments', ListEnvironments.Request(), seconds / 5):
                return
        raise TimeoutError('no answer from list_environments')

    def _send(self, name: str, request: Any, seconds: float) -> Any:
        client = self._clients[name]
        future = client.call_async(request)
        self._executor.spin_until_future_complete(future, seconds)
        if not future.done():
            client.remove_pending_request(future)
        return future.result()

    def call(self, service: str, /, seconds: float = 10.0, **fields: Any) -> Any:
        """Send a request about the scene and wait for its answer."""
        request = SERVICES[service].Request(**fields)
        if hasattr(request, 'environment'):
            request.environment = SCENE
        answer = self._send(service, request, seconds)
        if answer is None:
            raise TimeoutError(f'no answer from {service}')
        return answer

    def do(self, service: str, /, **fields: Any) -> Any:
        """Send a request that has to succeed."""
        answer = self.call(service, **fields)
        if not answer.success:
            raise RuntimeError(f'{service}: {answer.message}')
        return answer

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self.node.destroy_node()


def at(x: float, y: float = 0.0, angle: float = 0.0) -> Pose:
    """Make a pose in the plane [m, rad]."""
    turn = Quaternion(x=0.0, y=0.0, z=math.sin(angle / 2), w=math.cos(angle / 2))
    return Pose(position=Point(x=x, y=y, z=0.0), orientation=turn)


def joint(client: Client, name: str, parent: str, position: float) -> None:
    """Make a joint at the end of a link."""
    client.do(
        'set_joint',
        create=True,
        fields=['parent', 'pose', 'lower', 'upper', 'position'],
        reference=parent,
        joint=JointInfo(
            name=name,
            kind='revolute',
            parent=parent,
            pose=at(LINK if parent else 0.0),
            lower=-2.8,
            upper=2.8,
            position=position,
        ),
    )


def dummy(client: Client, name: str, pose: Pose, parent: str = '', target: str = '') -> None:
    """Make a dummy, that shall go to a target or is one."""
    client.do(
        'set_object',
        create=True,
        fields=['parent', 'pose', 'target'],
        reference=parent,
        object=ObjectInfo(name=name, parent=parent, pose=pose, target=target),
    )


def build(client: Client) -> None:
    """Make the arm, tips and targets, and a group for each task."""
    for name, parent, position in (
        ('shoulder', '', 0.9),
        ('elbow', 'shoulder', -1.0),
        ('wrist', 'elbow', 0.8),
    ):
        joint(client, name, parent, position)
    dummy(client, 'goal', at(0.8, 0.3))
    dummy(client, 'tip', at(LINK), 'wrist', 'goal')
    dummy(client, 'upwards', at(0.0, 0.0, math.pi / 2))
    dummy(client, 'upper_arm', at(0.0), 'shoulder', 'upwards')
    for name, element in (
        ('reach', ElementInfo(tip='tip', constraints=ElementInfo.X + ElementInfo.Y)),
        ('posture', ElementInfo(tip='upper_arm', constraints=ElementInfo.GAMMA)),
    ):
        client.do(
            'set_group',
            create=True,
            fields=['elements', 'method', 'max_iterations', 'ignore_max_steps'],
            group=GroupInfo(
                name=name,
                elements=[element],
                method='damped_least_squares',
                max_iterations=5,
                ignore_max_steps=False,  # no joint moves more than 10 degrees in an iteration
            ),
        )


def handle(client: Client, x: float, y: float) -> Any:
    """Send the tip to a place and give the answer."""
    return client.call(
        'handle_groups',
        groups=['reach', 'posture'],  # the first comes first
        targets=['goal'],
        target_poses=[PoseStamped(pose=at(x, y))],  # no frame: the world
    )


def main() -> None:
    """Build, follow a circle, leave the workspace, look at the Jacobian, clean up."""
    rclpy.init(args=sys.argv)
    client = Client()
    client.call('erase_environment')  # of a last run
    client.do('create_environment', name=SCENE)
    build(client)

    worst, steps = 0.0, 100
    for _ in range(5):
        handle(client, 0.8, 0.3)  # to the start of the circle
    began = time.perf_counter()
    for i in range(steps):
        angle = 2 * math.pi * i / steps
        answer = handle(client, 0.7 + 0.1 * math.cos(angle), 0.3 + 0.1 * math.sin(angle))
        reach = answer.results[0].elements[0]
        worst = max(worst, reach.linear_error)
    elapsed = (time.perf_counter() - began) / steps
    print(f'circle: the tip at most {worst * 1e3:.2f} mm off, {elapsed * 1e3:.1f} ms a request')
    state = answer.results[0].joint_state
    for name, position in zip(state.name, state.position, strict=True):
        print(f'{name}: {position:+.4f} rad')

    # What was not reached, and by how much, is in the sentence and in the numbers.
    for _ in range(20):
        answer = handle(client, 2.0, 0.3)
    print(f'far away: {answer.message}')
    jacobian = client.do('compute_jacobian', form='group', group='reach')
    print(
        f'stretched: manipulability {jacobian.manipulability:.4f}, '
        f'condition {jacobian.condition_number:.0f}, '
        f'nullity {jacobian.nullity}'
    )
    # To the other side of the shoulder, until a limit is in the way.
    for _ in range(20):
        result = handle(client, -0.1, -0.1).results[0]
        if result.flags & HandleResult.LIMIT_HIT:
            hits = zip(result.limit_hits, result.limit_hit_amounts, strict=True)
            print('limits hit: ' + ', '.join(f'{name} by {by:+.2f} rad' for name, by in hits))
            break
    client.do('erase_environment')
    client.close()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
