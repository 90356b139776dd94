# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The service as MoveIt's own service plugin calls it and reads it.

The plugin is C++ in another process; its request is written field by field, and its reading of
answers is implemented here anew, rule by rule.
"""

from __future__ import annotations

from collections.abc import Callable
import itertools
from pathlib import Path
import time
from typing import Any

import ik_node
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from moveit_msgs.msg import JointConstraint  # noqa: E402

UR5E_GROUPS = (
    '<robot name="ur5e"><virtual_joint name="fixed_base" type="fixed" parent_frame="world" '
    'child_link="base_link"/><group name="manipulator"><chain base_link="base_link" '
    'tip_link="tool0"/></group></robot>'
)


class StockPlugin:
    """What the plugin knows and keeps: a state of the whole robot, for one group."""

    def __init__(self, environment: ik_node.Environment, group: str, solver_tip: str) -> None:
        self.environment = environment
        self.group = environment.group(group)
        self.tip = solver_tip
        #: Every joint of the model with one position, mimic ones included, fixed ones not.
        self.state = dict(environment.joint_positions)

    def request(self, moveit: Any, pose: Any, seed: Any) -> Any:
        self.state.update(zip(self.group.joint_names, map(float, seed), strict=True))
        request = moveit.request(self.group.name, pose, self.state)
        asked = request.ik_request
        asked.avoid_collisions = True
        asked.ik_link_name = self.tip
        asked.robot_state.joint_state.header.frame_id = 'world'
        asked.robot_state.is_diff = False
        # A virtual joint that is fixed has no degree of freedom, so it is not among those with
        # several.
        asked.robot_state.multi_dof_joint_state.header.frame_id = 'world'
        assert asked.timeout.sec == asked.timeout.nanosec == 0
        return request

    def read(self, response: Any) -> Any:
        """Merge an answer into the state and copy the joints of the group out of it."""
        assert response.error_code.val == 1, response.error_code
        joints = response.solution.joint_state
        # A state without names that is no difference is an error; lengths that differ are not,
        # but then the seed is taken for the solution.
        assert joints.name
        assert len(joints.name) == len(joints.position)
        known = set(self.environment.moving_joint_names)
        assert set(joints.name) <= known, 'the plugin would throw'
        outside = set(joints.name) - set(self.group.named_positions(self.group.lower))
        assert not outside, 'the plugin would keep these for its next requests'
        assert not joints.velocity
        assert not response.solution.multi_dof_joint_state.joint_names
        self.state.update(zip(joints.name, joints.position, strict=True))
        return np.array([self.state[name] for name in self.group.joint_names])


@pytest.mark.parametrize(
    ('robot', 'group', 'base', 'tip'),
    [
        ('panda', 'panda_arm', 'panda_link0', 'panda_link8'),
        ('ur5e', 'manipulator', 'base_link', 'tool0'),
    ],
)
def test_a_thousand_poses(
    moveit: Any,
    messages: Any,
    start_node: Callable[..., Any],
    robots: Path,
    test_robots: Path,
    generator: np.random.Generator,
    record_property: Callable[[str, object], None],
    robot: str,
    group: str,
    base: str,
    tip: str,
) -> None:
    urdf = robots / f'{robot}.urdf'
    srdf = (test_robots / 'panda.srdf').read_text() if robot == 'panda' else UR5E_GROUPS
    node = start_node(robot_description_file=str(urdf), robot_description_semantic=srdf)
    environment = ik_node.Environment.from_urdf(urdf)
    environment.add_srdf(srdf.encode())
    plugin = StockPlugin(environment, group, tip)
    arm, times = plugin.group, []
    from ik_node.ros.transformations import quaternion_from_matrix

    client = moveit.caller.client(f'{node.namespace}/solve_ik', moveit.inverse)
    for _ in range(1000):
        goal, seed = generator.uniform(arm.lower, arm.upper, (2, len(arm.lower)))
        T = arm.forward_kinematics(goal)
        pose = messages.pose(tuple(T[:3, 3]), tuple(quaternion_from_matrix(T[:3, :3])), base)
        request = plugin.request(moveit, pose, seed)
        began = time.perf_counter()
        future = client.call_async(request)
        moveit.caller.spin_until(future.done)
        times.append(time.perf_counter() - began)
        q = plugin.read(future.result())
        assert (arm.lower <= q).all()
        assert (q <= arm.upper).all()
        assert np.abs(arm.forward_kinematics(q) - T).max() < 2e-5
    median, p99 = 1e3 * np.quantile(times, (0.5, 0.99))
    record_property('round_trip_ms', f'median {median:.2f}, p99 {p99:.2f}')
    print(f'{robot}: 1000 of 1000, round trip median {median:.2f} ms, p99 {p99:.2f} ms')


def test_several_tips_in_the_order_of_the_plugin(
    moveit: Any, messages: Any, start_node: Callable[..., Any], test_robots: Path
) -> None:
    """Humble's parameter kinematics_solver_ik_links makes it send vectors."""
    node = start_node(
        robot_description_file=str(test_robots / 'two_arms.urdf'),
        robot_description_semantic=(test_robots / 'two_arms.srdf').read_text(),
    )
    environment = ik_node.Environment.from_urdf(test_robots / 'two_arms.urdf')
    goal = {'rj1': 0.3, 'rj2': 0.5, 'rj3': 0.2, 'lj1': -0.4, 'lj3': 0.7}
    from ik_node.ros.transformations import quaternion_from_matrix

    poses = {}
    for link in ('rtool', 'ltool'):
        T = environment.link_pose(link, 'torso', goal)
        quat_xyzw = tuple(quaternion_from_matrix(T[:3, :3]))
        poses[link] = messages.pose(tuple(T[:3, 3]), quat_xyzw, 'torso')
    for order in itertools.permutations(poses):
        fields = {
            'ik_link_names': list(order),
            'pose_stamped_vector': [poses[link] for link in order],
            'avoid_collisions': True,
        }
        seed = {name: value + 0.1 for name, value in goal.items()}
        answer = moveit.ask(node, moveit.request('both', None, seed, **fields), 'solve_ik')
        assert moveit.values(answer) == pytest.approx(goal, abs=1e-4)


def test_eight_callers_at_once(
    moveit: Any,
    caller: Any,
    messages: Any,
    start_node: Callable[..., Any],
    robots: Path,
    test_robots: Path,
    generator: np.random.Generator,
) -> None:
    """
    Each from its own client, with seeds of every kind; each gets the answer to its question.

    Each waits for an answer before it asks again, as the plugin and move_group do. The replies of
    a service reach all of its clients in Fast DDS, which keep the last ten: with more under way
    at once a client that is slow to look would lose its own, whoever serves it.
    """
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
    )
    environment = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    environment.add_srdf(test_robots / 'panda.srdf')
    arm = environment.group('panda_arm')
    from ik_node.ros.transformations import quaternion_from_matrix

    services = [f'{node.namespace}/compute_ik', f'{node.namespace}/solve_ik']
    for service in services:
        moveit.caller.client(service, moveit.inverse)
    clients = [caller.node.create_client(moveit.inverse, services[n // 4]) for n in range(8)]
    for client in clients:
        # The reply to a client that has just started can be lost.
        caller.spin_until(client.service_is_ready, 60.0)
        greetings: list[Any] = []
        while not any(future.done() for future in greetings):
            greetings.append(client.call_async(moveit.request('nobody')))
            caller.spin_for(2.0, greetings[-1].done)
            assert len(greetings) < 30
    seeds: list[Callable[[Any], dict[str, float]]] = [
        lambda q: dict(zip(arm.joint_names, q, strict=True)),
        lambda q: dict(zip(arm.joint_names[3:], q[3:], strict=True)),
        lambda q: {'elbow_joint': 1.0, 'shoulder_pan_joint': 2.0},
        lambda q: {**dict(zip(arm.joint_names, q, strict=True)), 'stranger': 9.9},
        lambda q: {},
    ]
    asked = []
    for number in range(80):
        goal, seed = generator.uniform(arm.lower, arm.upper, (2, 7)).tolist()
        T = arm.forward_kinematics(goal)
        pose = messages.pose(tuple(T[:3, 3]), tuple(quaternion_from_matrix(T[:3, :3])))
        state = seeds[number % len(seeds)](seed)
        request = moveit.request('panda_arm', pose, state, is_diff=bool(number % 2))
        # With limits of its own it is searched in a copy of the environment, in another thread.
        bounds = JointConstraint(joint_name='panda_joint4', position=goal[3], weight=1.0)
        bounds.tolerance_above = bounds.tolerance_below = 0.5
        limited = number % 3 == 0
        if limited:
            request.ik_request.constraints.joint_constraints = [bounds]
        at = goal[3] if limited else None
        asked.append((T, at, request))
    waiting = {number: list(range(number, 80, 8)) for number in range(8)}
    futures: dict[int, Any] = {}

    def all_answered() -> bool:
        for number, client in enumerate(clients):
            under_way = [n for n in range(number, 80, 8) if n in futures and not futures[n].done()]
            if waiting[number] and not under_way:
                following = waiting[number].pop(0)
                futures[following] = client.call_async(asked[following][2])
        return len(futures) == 80 and all(future.done() for future in futures.values())

    caller.spin_until(all_answered, 60.0)
    for number, (T, at, _) in enumerate(asked):
        values = moveit.values(futures[number].result())
        assert list(values) == list(arm.joint_names)
        q = [values[name] for name in arm.joint_names]
        assert np.abs(arm.forward_kinematics(q) - T).max() < 2e-5
        assert at is None or abs(values['panda_joint4'] - at) <= 0.5 + 1e-9
    for client in clients:
        caller.node.destroy_client(client)


def test_malformed_requests_are_all_answered(
    moveit: Any, node_for_fuzzing: Any, generator: np.random.Generator
) -> None:
    """Two hundred that mean nothing: a reply to each, and the node goes on."""
    node, caller = node_for_fuzzing, moveit.caller
    client = caller.client(f'{node.namespace}/compute_ik', moveit.inverse)
    words = ['', 'panda_arm', 'x' * 10_000, 'panda_link0', '\u00e9', 'nan']
    answers = []
    for _ in range(200):
        request = moveit.request(str(generator.choice(words)))
        asked = request.ik_request
        asked.ik_link_name = str(generator.choice(words))
        asked.pose_stamped.header.frame_id = str(generator.choice(words))
        numbers = generator.choice([0.0, 1e308, -1e-308, np.nan, np.inf, 1.0], 7).tolist()
        point, turn = asked.pose_stamped.pose.position, asked.pose_stamped.pose.orientation
        point.x, point.y, point.z, turn.x, turn.y, turn.z, turn.w = numbers
        joints = asked.robot_state.joint_state
        joints.name = [str(w) for w in generator.choice([*words, 'panda_joint1'], 3)]
        joints.position = generator.choice([0.0, np.nan, 1e300], int(generator.integers(5)))
        asked.timeout.sec = int(generator.choice([0, -1, 0]))
        future = client.call_async(request)
        caller.spin_until(future.done)
        answers.append(future.result().error_code)
    assert all(code.val != 0 and code.message for code in answers)
    assert node.alive


@pytest.fixture
def node_for_fuzzing(start_node: Callable[..., Any], robots: Path, test_robots: Path) -> Any:
    return start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
    )
