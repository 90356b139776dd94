# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A client that robots are moved with, in a process of its own, against our services."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
import subprocess
import sys
from typing import Any

import ik_node
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')
pytest.importorskip('pymoveit2')

CLIENT = """
import json, sys, threading, time
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from pymoveit2 import MoveIt2
from moveit_msgs.msg import Constraints, JointConstraint
from sensor_msgs.msg import JointState

rclpy.init()
node = rclpy.create_node('mover')
executor = SingleThreadedExecutor()
executor.add_node(node)
spinning = threading.Thread(target=executor.spin)
spinning.start()
names = [f'panda_joint{i}' for i in range(1, 8)]
arm = MoveIt2(
    node, names, 'panda_link0', 'panda_link8', 'panda_arm',
    callback_group=ReentrantCallbackGroup(),
)
ready = [0.1, -0.7, 0.2, -2.2, 0.1, 1.6, 0.8]
answers = {}


def pose(stamped):
    p, q = stamped.pose.position, stamped.pose.orientation
    return [p.x, p.y, p.z], [q.x, q.y, q.z, q.w]


def joints(state):
    return dict(zip(state.name, state.position)) if state is not None else None


# The reply to a client that has just started can be lost.
fk = None
while fk is None:
    fk = arm.compute_fk(joint_state=ready, timeout_sec=5.0)
answers['fk'] = [fk.header.frame_id, pose(fk)]
several = arm.compute_fk(joint_state=ready, fk_link_names=['panda_hand', 'panda_link3'])
answers['several'] = [pose(one) for one in several]
position, quaternion = pose(fk)
near = [value + 0.05 for value in ready]
ik = None
while ik is None:
    ik = arm.compute_ik(position, quaternion, start_joint_state=near, timeout_sec=5.0)
answers['ik'] = joints(ik)
answers['link'] = joints(
    arm.compute_ik(position, quaternion, ik_link_name='panda_hand', start_joint_state=near)
)
held = Constraints(joint_constraints=[JointConstraint(
    joint_name='panda_joint1', position=0.1, tolerance_above=0.01, tolerance_below=0.01)])
answers['constrained'] = joints(
    arm.compute_ik(position, quaternion, start_joint_state=near, constraints=held)
)
# As a program does that knows the robot by its joint states alone: of the whole robot and of what
# stands beside it, in any order, with velocities and efforts.
publisher = node.create_publisher(JointState, 'joint_states', 10)
whole = {'wheel': 9.0, 'panda_finger_joint2': 0.7, **dict(zip(names, near)),
         'panda_finger_joint1': 0.02}
state = JointState(name=list(whole)[::-1], position=list(whole.values())[::-1])
state.velocity, state.effort = [0.1] * len(whole), [5.0] * len(whole)
while arm.joint_state is None:
    state.header.stamp = node.get_clock().now().to_msg()
    publisher.publish(state)
    time.sleep(0.05)
answers['latest'] = joints(arm.compute_ik(position, quaternion))
answers['latest_fk'] = pose(arm.compute_fk(fk_link_names=['panda_leftfinger'])[0])
answers['unreachable'] = joints(arm.compute_ik((3.0, 0.0, 0.0), quaternion))
futures = [
    arm.compute_ik_async(position, quaternion, start_joint_state=near) for _ in range(5)
]
fk_future = arm.compute_fk_async(joint_state=ready)


def wait(future):
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(30.0)
    return future


answers['async'] = [joints(arm.get_compute_ik_result(wait(future))) for future in futures]
answers['async_fk'] = pose(arm.get_compute_fk_result(wait(fk_future)))
print('ANSWERS ' + json.dumps(answers))
arm.destroy()
rclpy.try_shutdown()
spinning.join()
"""


def test_pymoveit2_asks_sync_and_async(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Path,
    test_robots: Path,
    tmp_path: Path,
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
        publish_joint_states=False,
    )
    caller.wait_until_ready(node)
    script = tmp_path / 'client.py'
    script.write_text(CLIENT)
    done = subprocess.run(
        [sys.executable, str(script), '--ros-args', '-r', f'__ns:={node.namespace}'],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answers = json.loads(done.stdout.rpartition('ANSWERS ')[2])
    robot = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    names = [f'panda_joint{i}' for i in range(1, 8)]
    ready = dict(zip(names, (0.1, -0.7, 0.2, -2.2, 0.1, 1.6, 0.8), strict=True))
    T = robot.link_pose('panda_link8', 'panda_link0', ready)
    frame, (position, _) = answers['fk']
    assert frame == 'panda_link0'
    assert position == pytest.approx(T[:3, 3], abs=1e-9)
    assert answers['async_fk'][0] == position
    hand = robot.link_pose('panda_hand', 'panda_link0', ready)
    assert answers['several'][0][0] == pytest.approx(hand[:3, 3], abs=1e-9)
    for values in (answers['ik'], answers['constrained'], *answers['async']):
        assert set(values) == set(names)
        assert np.abs(robot.link_pose('panda_link8', 'panda_link0', values) - T).max() < 1e-5
    assert answers['async'] == [answers['ik']] * 5
    assert abs(answers['constrained']['panda_joint1'] - 0.1) < 0.0101
    # Joints that it names come back, those of others do not; a finger follows the other.
    latest = answers['latest']
    fingers = {'panda_finger_joint1': 0.02, 'panda_finger_joint2': 0.02}
    assert set(latest) == {*names, *fingers}
    assert {name: latest[name] for name in fingers} == fingers
    assert {name: latest[name] for name in names} == pytest.approx(answers['ik'], abs=1e-5)
    near = {name: value + 0.05 for name, value in ready.items()}
    finger = robot.link_pose('panda_leftfinger', 'panda_link0', {**near, **fingers})
    assert answers['latest_fk'][0] == pytest.approx(finger[:3, 3], abs=1e-9)
    placed = robot.link_pose('panda_hand', 'panda_link0', answers['link'])
    assert np.abs(placed - T).max() < 1e-5
    assert answers['unreachable'] is None
    assert 'NO_IK_SOLUTION' in done.stderr + done.stdout
