# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from rclpy.qos import qos_profile_sensor_data, QoSProfile  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces.msg import SolveOptions  # noqa: E402
from ik_node_interfaces.srv import ForwardKinematics, Solve  # noqa: E402

FIXED = """
<robot name="block"><link name="a"/><link name="b"/>
<joint name="weld" type="fixed"><parent link="a"/><child link="b"/></joint></robot>
"""


@pytest.fixture
def listen(caller: Any) -> Any:
    """Collect joint states, with the time at which each arrived."""
    made = []

    def start(node: Any, profile: Any = None) -> list[tuple[float, JointState]]:
        heard: list[tuple[float, JointState]] = []
        clock = caller.node.get_clock()
        made.append(
            caller.node.create_subscription(
                JointState,
                f'{node.namespace}/joint_states',
                lambda message: heard.append((clock.now().nanoseconds * 1e-9, message)),
                profile or QoSProfile(depth=100),
            )
        )
        caller.spin_until(lambda: len(heard) > 2)
        return heard

    yield start
    for subscription in made:
        caller.node.destroy_subscription(subscription)


def stamp(message: JointState) -> float:
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def test_every_moving_joint_is_there_once(caller: Any, panda: Any, listen: Any) -> None:
    heard = listen(panda)
    arrival, message = heard[-1]
    assert sorted(message.name) == sorted(
        [f'panda_joint{index}' for index in range(1, 8)]
        + ['panda_finger_joint1', 'panda_finger_joint2']
    )
    assert len(message.position) == len(message.name)
    assert len(message.velocity) == len(message.effort) == 0
    assert np.isfinite(message.position).all()
    assert abs(arrival - stamp(message)) < 0.5


def test_a_best_effort_subscriber_hears_them_too(panda: Any, listen: Any) -> None:
    assert listen(panda, qos_profile_sensor_data)


def test_the_rate_is_kept_while_a_solve_runs(
    caller: Any,
    panda: Any,
    messages: Any,
    listen: Any,
) -> None:
    heard = listen(panda)
    caller.spin_for(0.2)
    heard.clear()
    # The hand upside down near the floor: no distance forbids it, and a given number of starts is
    # made even where it is hopeless to go on, so the search lasts as long as it may.
    futures = [
        caller.send(
            panda,
            'solve',
            Solve.Request(
                target=messages.pose((0.4, 0.1, 0.0), (0.0, 0.0, 0.0, 1.0)),
                options=SolveOptions(timeout=1.0, max_starts=2**32 - 1),
            ),
        )
    ]
    caller.spin_until(lambda: all(future.done() for future in futures))
    for future in futures:
        assert not future.result().success
        assert future.result().elapsed > 0.9, future.result().message
    stamps = np.array([stamp(message) for _, message in heard])
    assert (np.diff(stamps) >= 0.0).all()
    assert 45 <= len(stamps) <= 56
    # Stamps are taken where the message is sent: what this process does in between is no gap.
    assert np.diff(stamps).max() < 0.04


def test_a_mimic_joint_is_published_with_its_master(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
    listen: Any,
    messages: Any,
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        base='panda_link0',
        tip='panda_leftfinger',
        joint_states_rate=100,
    )
    caller.wait_until_ready(node)
    heard = listen(node)
    answer = caller.call(
        node,
        'forward_kinematics',
        ForwardKinematics.Request(
            joint_state=messages.joints(
                {
                    f'panda_joint{i}': v
                    for i, v in enumerate((0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7), 1)
                }
                | {'panda_finger_joint1': 0.025}
            )
        ),
    )
    solved = caller.call(
        node,
        'solve',
        Solve.Request(
            target=answer.poses[0], options=SolveOptions(timeout=0.5, apply_solution=True)
        ),
    )
    assert solved.success, solved.message
    assert set(solved.solution.name) >= {'panda_finger_joint1', 'panda_finger_joint2'}
    caller.spin_for(0.2)
    message = heard[-1][1]
    told = dict(zip(message.name, message.position, strict=True))
    assert told['panda_finger_joint1'] == told['panda_finger_joint2']
    for name, value in zip(solved.solution.name, solved.solution.position, strict=True):
        assert told[name] == value


def test_a_robot_that_publishes_is_followed(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
    messages: Any,
) -> None:
    node = start_node(robot_description_file=str(robots / 'ur5e.urdf'), publish_joint_states=False)
    caller.wait_until_ready(node)
    publisher = caller.node.create_publisher(
        JointState, f'{node.namespace}/joint_states', qos_profile_sensor_data
    )
    caller.spin_until(lambda: publisher.get_subscription_count() == 1)
    assert caller.node.count_publishers(f'{node.namespace}/joint_states') == 1
    before = caller.call(node, 'forward_kinematics', ForwardKinematics.Request())
    positions = {'elbow_joint': -1.0, 'shoulder_lift_joint': 0.5, 'a_gripper': 3.0}
    answers: list[Any] = []

    def arrived() -> bool:
        publisher.publish(messages.joints(positions))
        # Velocities without positions are legal, and say nothing about the state.
        publisher.publish(JointState(name=['elbow_joint'], velocity=[1.0]))
        answers.append(caller.call(node, 'forward_kinematics', ForwardKinematics.Request()))
        return answers[-1].poses[0].pose != before.poses[0].pose

    caller.spin_until(arrived)
    del positions['a_gripper']
    told = caller.call(
        node,
        'forward_kinematics',
        ForwardKinematics.Request(joint_state=messages.joints(positions)),
    )
    assert answers[-1].poses[0].pose == told.poses[0].pose
    # The state is the default seed: a target that it already fulfils changes no joint.
    solved = caller.call(node, 'solve', Solve.Request(target=answers[-1].poses[0]))
    assert solved.success, solved.message
    found = dict(zip(solved.solution.name, solved.solution.position, strict=True))
    assert abs(found['elbow_joint'] + 1.0) < 1e-4
    caller.node.destroy_publisher(publisher)


def test_a_robot_without_joints_has_no_state(
    caller: Any,
    start_node: Callable[..., Any],
) -> None:
    node = start_node(robot_description=FIXED, base='a', tip='b')
    heard: list[JointState] = []
    subscription = caller.node.create_subscription(
        JointState, f'{node.namespace}/joint_states', heard.append, 10
    )
    answer = caller.call(node, 'forward_kinematics', ForwardKinematics.Request(), 180.0)
    assert answer.message
    caller.spin_for(0.5)
    assert heard == []
    assert node.alive
    caller.node.destroy_subscription(subscription)
