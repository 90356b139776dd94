# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Ask ik_node what one asks move_group: compute_fk and compute_ik, with the types of MoveIt.

::

    ros2 run ik_node ik_node --ros-args -p robot_description_file:=panda.urdf
    python3 20_moveit_client.py

The client waits in a thread of its own and never without a bound, and names the service that is
missing. A program that works with move_group needs no change but its namespace.
"""

from __future__ import annotations

import threading
from typing import Any

from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import JointConstraint, MoveItErrorCodes
from moveit_msgs.srv import GetPositionFK, GetPositionIK
import rclpy
from rclpy.executors import SingleThreadedExecutor

GROUP, BASE, TIP = 'arm', 'panda_link0', 'panda_hand_tcp'
READY = {
    f'panda_joint{number}': position
    for number, position in enumerate((0.0, -0.7, 0.0, -2.2, 0.0, 1.6, 0.8), start=1)
}


class MoveItClient:
    """Calls MoveIt's kinematics services, those of ik_node or of move_group."""

    def __init__(self) -> None:
        self.node = rclpy.create_node('moveit_client')
        self._inverse = self.node.create_client(GetPositionIK, 'compute_ik')
        self._forward = self.node.create_client(GetPositionFK, 'compute_fk')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin)
        self._thread.start()

    def forward(self, link: str, positions: dict[str, float]) -> PoseStamped:
        """Ask where a link is, in the frame of the base."""
        request = GetPositionFK.Request(fk_link_names=[link])
        request.header.frame_id = BASE
        _set_state(request.robot_state.joint_state, positions)
        answer: GetPositionFK.Response = self._call(self._forward, request)
        return answer.pose_stamped[0]

    def inverse(
        self, pose: PoseStamped, seed: dict[str, float], *constraints: JointConstraint
    ) -> dict[str, float]:
        """Ask for the joint positions nearest to a seed that bring the tip to a pose."""
        request = GetPositionIK.Request()
        asked = request.ik_request
        asked.group_name, asked.pose_stamped = GROUP, pose
        asked.timeout.nanosec = 100_000_000  # 0.1 s; 0 would be the default of the node
        asked.constraints.joint_constraints = list(constraints)
        _set_state(asked.robot_state.joint_state, seed)
        answer: GetPositionIK.Response = self._call(self._inverse, request)
        state = answer.solution.joint_state
        return dict(zip(state.name, state.position, strict=True))

    def _call(self, client: Any, request: Any, seconds: float = 5.0, tries: int = 3) -> Any:
        name = self.node.resolve_service_name(client.srv_name)
        if not client.wait_for_service(seconds):
            raise TimeoutError(f'there is no service {name}')
        for _ in range(tries):  # the reply to a client that has just started can be lost
            arrived = threading.Event()
            future = client.call_async(request)
            future.add_done_callback(lambda _, arrived=arrived: arrived.set())
            if arrived.wait(seconds):
                break
            client.remove_pending_request(future)
        else:
            raise TimeoutError(f'{name} does not answer')
        answer = future.result()
        if answer.error_code.val != MoveItErrorCodes.SUCCESS:
            raise ValueError(f'{answer.error_code.val}: {answer.error_code.message}')
        return answer

    def close(self) -> None:
        """Stop spinning."""
        self._executor.shutdown()
        self._thread.join()
        self.node.destroy_node()


def _set_state(message: Any, positions: dict[str, float]) -> None:
    message.name, message.position = list(positions), list(positions.values())


def show(title: str, positions: dict[str, float]) -> None:
    """Print joint positions."""
    print(title, ' '.join(f'{position:+.3f}' for position in positions.values()))


def main() -> None:
    """Place the hand 10 cm lower, freely and with the first joint held; then 3 m away."""
    rclpy.init()
    client = MoveItClient()
    try:
        pose = client.forward(TIP, READY)
        pose.pose.position.z -= 0.1
        show('10 cm lower:', client.inverse(pose, READY))
        held = JointConstraint(joint_name='panda_joint1', position=0.2)
        held.tolerance_above = held.tolerance_below = 0.01
        show('with joint 1 near 0.2:', client.inverse(pose, READY, held))
        pose.pose.position.x = 3.0
        try:
            client.inverse(pose, READY)
        except ValueError as refusal:
            print(f'3 m away: {refusal}')
    finally:
        client.close()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
