# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the demo asks the node, and how it judges the answers."""

from __future__ import annotations

from collections.abc import Iterable
import time
from typing import Any

from geometry_msgs.msg import PoseStamped
from ik_node.ros.demo_client import Client, DemoError
from ik_node.ros.demo_kinematics import (
    angle_between,
    Matrix,
    quaternion_from_rotation,
    Robot,
    rotation_from_quaternion,
    rotation_vector,
)
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from ik_node_interfaces.srv import ComputeJacobian, FindConfig, ForwardKinematics, Solve

POSITION_TOLERANCE = 1e-5  # [m]
ORIENTATION_TOLERANCE = 1e-4  # [rad]
JACOBIAN_TOLERANCE = 1e-6  # largest difference of an entry to the difference quotient
KINEMATICS_TOLERANCE = 1e-9  # [m] and [rad]
FAR_AWAY = 100.0  # [m]


def pose_message(pose: Matrix, frame: str) -> PoseStamped:
    """Message of a pose (4, 4) [m]."""
    message = PoseStamped()
    message.header.frame_id = frame
    point, quaternion = message.pose.position, message.pose.orientation
    point.x, point.y, point.z = pose[:3, 3].tolist()
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = quaternion_from_rotation(
        pose[:3, :3]
    ).tolist()
    return message


def pose_of(message: PoseStamped) -> Matrix:
    """Pose (4, 4) [m] of a message."""
    point, turn = message.pose.position, message.pose.orientation
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_quaternion(np.array((turn.x, turn.y, turn.z, turn.w)))
    pose[:3, 3] = point.x, point.y, point.z
    return pose


def joint_state(positions: dict[str, float]) -> JointState:
    """Message of named joint values [rad or m]."""
    return JointState(name=list(positions), position=list(positions.values()))


def distances(first: Matrix, second: Matrix) -> tuple[float, float]:
    """Distance [m] and angle [rad] between two poses."""
    return (
        float(np.linalg.norm(first[:3, 3] - second[:3, 3])),
        angle_between(first[:3, :3], second[:3, :3]),
    )


def timing(seconds: Iterable[float]) -> dict[str, float]:
    """Mean, median and 99th percentile in microseconds."""
    values = 1e6 * np.asarray(list(seconds))
    return {
        'mean_us': float(values.mean()),
        'median_us': float(np.median(values)),
        'p99_us': float(np.percentile(values, 99)),
    }


class Demo:
    """
    The checks of one robot against one node.

    Parameters
    ----------
    client : Client
        Talks to the node.
    robot : Robot
        The demo's own model of the robot.
    poses : int
        How many targets to solve.

    """

    def __init__(self, client: Client, robot: Robot, poses: int) -> None:
        self._client = client
        self._robot = robot
        self._poses = poses
        self._generator = np.random.default_rng(20260801)
        first = client.call('forward_kinematics', ForwardKinematics.Request())
        if not first.success:
            raise DemoError(f'the node has no robot: {first.message}')
        self.base, self.tip = first.poses[0].header.frame_id, first.links[0]
        self._joints = robot.between(self.base, self.tip)
        if not self._joints:
            raise DemoError(f'no joint moves {self.tip} against {self.base}')
        self.report: dict[str, Any] = {
            'base': self.base,
            'tip': self.tip,
            'joints': [joint.name for joint in self._joints],
        }
        self.failures: list[str] = []

    def run(self) -> None:
        """Make all checks; the outcome is in `report` and `failures`."""
        for check in (
            self.check_solve,
            self.check_forward_kinematics,
            self.check_jacobian,
            self.check_find_config,
            self.check_unreachable,
        ):
            print(f'  {check.__name__.removeprefix("check_").replace("_", " ")} ...', flush=True)
            check()

    def _draw(self) -> dict[str, float]:
        return self._robot.draw(self._joints, self._generator)

    def _own_pose(self, positions: dict[str, float]) -> Matrix:
        return self._robot.pose(self.base, self.tip, positions)

    def _expect(self, holds: bool, sentence: str) -> bool:
        if not holds:
            self.failures.append(sentence)
        return holds

    def _wrong(self, positions: dict[str, float], target: Matrix) -> tuple[str, float, float]:
        missing = [joint.name for joint in self._joints if joint.name not in positions]
        if missing:
            return f'the answer lacks {", ".join(missing)}', np.inf, np.inf
        position, orientation = distances(self._own_pose(positions), target)
        excess = self._robot.excess(self._joints, positions)
        strayed = max(
            abs(self._robot.value(joint, positions) - positions[joint.name])
            for joint in self._joints
        )
        if position > POSITION_TOLERANCE or orientation > ORIENTATION_TOLERANCE:
            return f'misses by {position:.2e} m, {orientation:.2e} rad', position, orientation
        if excess > 1e-9:
            return f'a joint is {excess:.2e} outside its limits', position, orientation
        if strayed > 1e-9:
            return f'a mimic joint is {strayed:.2e} off its master', position, orientation
        return '', position, orientation

    def check_solve(self) -> None:
        """Solve random reachable poses from random seeds far away."""
        solver, trips, solved, example = [], [], 0, None
        worst: NDArray[np.float64] = np.zeros(2)
        for index in range(self._poses):
            target = self._own_pose(self._draw())
            request = Solve.Request(
                target=pose_message(target, self.base), seed=joint_state(self._draw())
            )
            # Ten times the default: this asks whether poses are solved, and on a busy machine
            # 5 ms on the wall can be no time at all on the processor.
            request.options.timeout = 0.05
            start = time.perf_counter()
            answer = self._client.call('solve', request)
            trips.append(time.perf_counter() - start)
            solver.append(answer.elapsed)
            if not self._expect(answer.success, f'pose {index}: {answer.message}'):
                continue
            positions = dict(zip(answer.solution.name, answer.solution.position, strict=True))
            wrong, *errors = self._wrong(positions, target)
            if self._expect(not wrong, f'pose {index}: {wrong}'):
                solved += 1
            worst = np.maximum(worst, errors)
            example = example or positions
        self.report['solve'] = {
            'poses': self._poses,
            'solved': solved,
            'solver': timing(solver),
            'round_trip': timing(trips),
            'worst_position_error_m': worst[0],
            'worst_orientation_error_rad': worst[1],
            'example': example or {},
        }

    def _served_pose(self, positions: dict[str, float]) -> Matrix:
        answer = self._client.call(
            'forward_kinematics', ForwardKinematics.Request(joint_state=joint_state(positions))
        )
        if not answer.success:
            raise DemoError(f'forward_kinematics: {answer.message}')
        return pose_of(answer.poses[0])

    def check_forward_kinematics(self) -> None:
        """Compare the service with the demo's own kinematics."""
        worst = 0.0
        for _ in range(20):
            positions = self._draw()
            worst = max(worst, *distances(self._served_pose(positions), self._own_pose(positions)))
        self.report['forward_kinematics'] = {'worst_difference': worst}
        self._expect(worst < KINEMATICS_TOLERANCE, f'forward kinematics differ by {worst:.2e}')

    def check_jacobian(self) -> None:
        """Compare the Jacobian with central differences of the forward kinematics service."""
        worst, step = 0.0, 1e-5
        for _ in range(3):
            positions = self._draw()
            answer = self._client.call(
                'compute_jacobian', ComputeJacobian.Request(joint_state=joint_state(positions))
            )
            if not self._expect(answer.success, f'Jacobian: {answer.message}'):
                return
            jacobian = np.reshape(answer.jacobian, (answer.rows, answer.columns))
            for column, name in zip(jacobian.T, answer.joint_names, strict=True):
                low, high = (
                    {**positions, name: positions[name] + sign * step} for sign in (-1.0, 1.0)
                )
                before, after = self._served_pose(low), self._served_pose(high)
                quotient = np.concatenate(
                    (
                        after[:3, 3] - before[:3, 3],
                        rotation_vector(after[:3, :3] @ before[:3, :3].T),
                    )
                ) / (2.0 * step)
                worst = max(worst, float(np.abs(quotient - column).max()))
        self.report['jacobian'] = {'worst_difference': worst}
        self._expect(
            worst < JACOBIAN_TOLERANCE,
            f'the Jacobian differs from difference quotients by {worst:.2e}',
        )

    def check_find_config(self) -> None:
        """Ask for several configurations for one pose, each of them right."""
        target = self._own_pose(self._draw())
        request = FindConfig.Request(target=pose_message(target, self.base), max_configs=4)
        request.options.timeout = 0.5
        answer = self._client.call('find_config', request)
        self.report['find_config'] = {'configs': answer.count, 'trials': answer.trials}
        if not self._expect(answer.success and answer.count > 0, f'find_config: {answer.message}'):
            return
        for config in np.reshape(answer.configs, (answer.count, -1)):
            positions = dict(zip(answer.joint_names, config.tolist(), strict=True))
            for joint in self._joints:
                positions.setdefault(joint.name, self._robot.value(joint, positions))
            wrong, *_ = self._wrong(positions, target)
            self._expect(not wrong, f'find_config: {wrong}')

    def check_unreachable(self) -> None:
        """Ask for a target that nothing reaches, and want to be told so."""
        target = self._own_pose(self._draw())
        target[:3, 3] += FAR_AWAY
        answer = self._client.call('solve', Solve.Request(target=pose_message(target, self.base)))
        self.report['unreachable'] = {'status': answer.status, 'message': answer.message}
        self._expect(
            not answer.success and answer.status < 0 and bool(answer.message),
            f'a target {FAR_AWAY:.0f} m away was answered with {answer.status}',
        )
