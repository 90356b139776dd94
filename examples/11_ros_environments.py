# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Build a mechanism by service calls, in an environment of one's own, and solve for it.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 11_ros_environments.py

Every request names its environment, so another client that switches the current one, or edits
another one, makes no difference.
"""

from __future__ import annotations

import sys
from typing import Any

from geometry_msgs.msg import Point, Pose, Quaternion
import rclpy
from rclpy.executors import SingleThreadedExecutor

from ik_node_interfaces.msg import GroupInfo, JointInfo, ObjectInfo
from ik_node_interfaces.srv import (
    CreateEnvironment,
    EraseEnvironment,
    GetObjects,
    ListEnvironments,
    SetGroup,
    SetJoint,
    SetObject,
    Solve,
)

BENCH = 'bench'
UPRIGHT = Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)


SERVICES = {
    'create_environment': CreateEnvironment,
    'erase_environment': EraseEnvironment,
    'get_objects': GetObjects,
    'set_group': SetGroup,
    'set_joint': SetJoint,
    'set_object': SetObject,
    'solve': Solve,
    'list_environments': ListEnvironments,
}


class Client:
    """Calls services and waits; spins in one place only."""

    def __init__(self, seconds: float = 10.0) -> None:
        self.node = rclpy.create_node('bench_client')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._clients = {
            name: self.node.create_client(kind, f'ik_node/{name}')
            for name, kind in SERVICES.items()
        }
        for client in self._clients.values():
            if not client.wait_for_service(seconds):
                raise TimeoutError(f'there is no service {client.srv_name}')
        # The reply to a client that has just started can be lost, and to create a thing twice is
        # a mistake. So the first request is one that may be repeated, to the service whose client
        # was made last: when its reply arrives, those of the others will.
        for _ in range(5):
            if (
                self._send('list_environments', ListEnvironments.Request(), seconds / 5)
                is not None
            ):
                return
        raise TimeoutError('no answer from list_environments')

    def _send(self, name: str, request: Any, seconds: float) -> Any:
        client = self._clients[name]
        future = client.call_async(request)
        self._executor.spin_until_future_complete(future, seconds)
        if not future.done():
            client.remove_pending_request(future)
        return future.result()

    def call(self, name: str, request: Any, seconds: float = 10.0) -> Any:
        """Send a request and wait for its answer."""
        answer = self._send(name, request, seconds)
        if answer is None:
            raise TimeoutError(f'no answer from {name}')
        return answer

    def do(self, name: str, request: Any) -> Any:
        """Send a request that has to succeed."""
        answer = self.call(name, request)
        if not answer.success:
            raise RuntimeError(f'{name}: {answer.message}')
        return answer

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self.node.destroy_node()


def at(x: float, y: float, z: float) -> Pose:
    """Make a pose without a turn [m]."""
    return Pose(position=Point(x=x, y=y, z=z), orientation=UPRIGHT)


def build(client: Client) -> None:
    """Make a lift that carries an arm of half a metre, which turns about the axis of the lift."""
    client.do(
        'set_object',
        SetObject.Request(environment=BENCH, create=True, object=ObjectInfo(name='table')),
    )
    client.do(
        'set_joint',
        SetJoint.Request(
            environment=BENCH,
            create=True,
            # What is not listed here keeps its default; a value that is not listed is refused.
            fields=['parent', 'lower', 'upper'],
            joint=JointInfo(name='lift', kind='prismatic', parent='table', lower=0.0, upper=1.0),
        ),
    )
    client.do(
        'set_joint',
        SetJoint.Request(
            environment=BENCH,
            create=True,
            fields=['parent'],
            joint=JointInfo(name='turn', kind='revolute', parent='lift'),
        ),
    )
    client.do(
        'set_object',
        SetObject.Request(
            environment=BENCH,
            create=True,
            fields=['parent', 'pose'],
            reference='turn',  # the moving frame of the joint
            object=ObjectInfo(name='hand', parent='turn', pose=at(0.5, 0.0, 0.0)),
        ),
    )
    client.do(
        'set_object',
        SetObject.Request(
            environment=BENCH,
            create=True,
            fields=['pose'],
            object=ObjectInfo(name='goal', pose=at(0.5, 0.0, 0.25)),
        ),
    )
    client.do(
        'set_group',
        SetGroup.Request(
            environment=BENCH,
            create=True,
            fields=['base', 'tip'],
            group=GroupInfo(name='arm', base='table', tip='hand'),
        ),
    )


def main() -> None:
    """Build, list, solve, make a mistake, clean up."""
    rclpy.init(args=sys.argv)
    client = Client()
    client.call('erase_environment', EraseEnvironment.Request(environment=BENCH))  # of a last run
    client.do('create_environment', CreateEnvironment.Request(name=BENCH))
    build(client)
    listed = client.do('list_environments', ListEnvironments.Request())
    for one in listed.environments:
        print(
            f'{one.name}: {one.dummies} dummies, {one.joints} joints, groups '
            + ', '.join(one.groups)
        )

    # The target is where the dummy `goal` is: its frame, and no distance from it.
    solve = Solve.Request(environment=BENCH, group='arm')
    solve.target.header.frame_id = 'goal'
    solve.options.apply_solution = True
    answer = client.do('solve', solve)
    for name, position in zip(answer.solution.name, answer.solution.position, strict=True):
        print(f'{name}: {position:+.4f} {"m" if name == "lift" else "rad"}')
    hand = client.do('get_objects', GetObjects.Request(environment=BENCH, names=['hand']))
    print(f'hand: {hand.objects[0].pose.position}')

    # Nothing of a request with a mistake is done, and the answer says what the mistake was.
    mistake = client.call(
        'set_joint',
        SetJoint.Request(
            environment=BENCH,
            fields=['position', 'weight'],
            joint=JointInfo(name='lift', position=0.5, weight=-1.0),
        ),
    )
    print(f'refused: {mistake.message}')
    erased = client.do('erase_environment', EraseEnvironment.Request(environment=BENCH))
    print(f'current: {erased.current}')
    client.close()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
