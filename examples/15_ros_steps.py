# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Go to targets by bounded steps, hold joints and set goals, with the node running on a Panda.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 15_ros_steps.py
"""

from __future__ import annotations

import sys
from typing import Any

from geometry_msgs.msg import Point, PoseStamped, Twist, Vector3
import rclpy
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState

from ik_node_interfaces.msg import Goal, SolveOptions, Target, TargetVelocity
from ik_node_interfaces.srv import JointVelocities, Solve, Step

READY = JointState(
    name=[f'panda_joint{index}' for index in range(1, 8)],
    position=[0.0, -0.785, 0.2, -2.356, 0.0, 1.571, 0.785],
)
FAR = Target(type='Translation3D', position=Point(x=2.0, z=0.5))
GOALS = (
    Goal(kind='KeepOffLimits', margin=1.0),
    Goal(kind='Manipulability'),
    Goal(kind='Keep', link='panda_link4', direction=Vector3(z=1.0)),
)


class Client:
    """Calls services and waits; spins in one place only."""

    def __init__(self, seconds: float = 10.0) -> None:
        self.node = rclpy.create_node('step_client')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._clients = {
            kind: self.node.create_client(kind, f'ik_node/{name}')
            for name, kind in (
                ('step', Step),
                ('solve', Solve),
                ('joint_velocities', JointVelocities),
            )
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

    def go(self, joints: JointState, **target: Any) -> tuple[Any, int]:
        """Make steps of 2 cm and 0.1 rad at most until one is no progress."""
        count = 0
        while True:
            # From a seed, not from the state: a request that is sent twice makes no difference.
            answer = self.call(
                Step.Request(seed=joints, linear_step=0.02, angular_step=0.1, **target), Step
            )
            joints, count = answer.solution, count + 1
            if answer.step_status != Step.Response.PROGRESS:
                return answer, count

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self.node.destroy_node()


def main() -> None:
    """Go to a pose and towards one that is too far, then solve with more than a target."""
    rclpy.init(args=sys.argv)
    client = Client()
    pose = PoseStamped()
    pose.pose.position = Point(x=0.4, y=0.2, z=0.5)
    pose.pose.orientation.x, pose.pose.orientation.w = 1.0, 0.0
    answer, count = client.go(READY, target=pose)
    print(f'to the pose: {count} steps, {answer.message}')
    answer, count = client.go(answer.solution, targets=[FAR])
    print(f'two metres away: {count} steps, {answer.message}')

    options = SolveOptions(approximate=True)
    answer = client.call(Solve.Request(targets=[FAR], seed=READY, options=options), Solve)
    print(f'success {answer.success}, approximate {answer.approximate}: {answer.message}')

    # One request holds a joint where the seed has it, and narrows the limits of another one.
    options = SolveOptions(
        timeout=0.2,
        locked_joints=['panda_joint3'],
        limited_joints=['panda_joint1'],
        lower_limits=[0.0],
        upper_limits=[1.0],
    )
    answer = client.call(Solve.Request(target=pose, seed=READY, options=options), Solve)
    joints = dict(zip(answer.solution.name, answer.solution.position, strict=True))
    print(f'joint 3 at {joints["panda_joint3"]:+.3f} rad: {answer.message}')

    # What the target leaves free: the elbow.
    for goal in GOALS:
        options = SolveOptions(timeout=0.2, goals=[goal])
        answer = client.call(Solve.Request(target=pose, seed=READY, options=options), Solve)
        before, after = answer.goal_costs_before[0], answer.goal_costs_after[0]
        print(f'{goal.kind}: {before:.4f} -> {after:.4f}')

    twist = Twist(linear=Vector3(z=0.1))
    request = JointVelocities.Request(joint_state=READY, velocities=[TargetVelocity(twist=twist)])
    answer = client.call(request, JointVelocities)
    pairs = zip(answer.joint_names, answer.velocities, strict=True)
    print('upwards: ' + ', '.join(f'{name} {speed:+.3f} rad/s' for name, speed in pairs))

    wrong = SolveOptions(goals=[Goal(kind='Centre', margin=0.1)])
    answer = client.call(Solve.Request(target=pose, options=wrong), Solve)
    print(f'refused: {answer.message}')
    client.close()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
