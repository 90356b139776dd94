# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Reports about plugins, over DDS.

What has no field on the wire is asked for by the field that is nearest to it.
"""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from moveit_msgs.msg import Constraints, JointConstraint  # noqa: E402
import rclpy  # noqa: E402
from rclpy.callback_groups import ReentrantCallbackGroup  # noqa: E402

SUCCESS, NO_IK_SOLUTION, FAILURE = 1, -31, 99999
NAMES = [f'A{number}' for number in range(1, 8)]
OTHERS = [0.5, 0.3, -1.0, 0.2, 0.7, 0.4]
ROOT = Path(__file__).resolve().parents[2]


def near(names: list[str], positions: Any, tolerances: Any) -> Constraints:
    rows = []
    for name, position, tolerance in zip(names, positions, tolerances, strict=True):
        rows.append(JointConstraint(joint_name=name, position=float(position), weight=1.0))
        rows[-1].tolerance_above = rows[-1].tolerance_below = float(tolerance)
    return Constraints(joint_constraints=rows)


def test_p01_a_host_whose_client_has_callbacks_of_its_own(
    caller: Any, moveit: Any, start_node: Callable[..., Any], robots: Path, test_robots: Path
) -> None:
    """
    A host that answers compute_ik by asking solve_ik, as move_group with the plugin does.

    Its client is in a callback group of its own, which is what the plugin lacks; and the node
    that it asks calls nobody back.
    """
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
        compute_ik_service='none',
    )
    seed = {'panda_joint4': -1.5, 'panda_joint6': 1.2}
    goal = moveit.fk(node, ['panda_link8'], seed).pose_stamped[0]
    moveit.caller.client(f'{node.namespace}/solve_ik', moveit.inverse)
    host = rclpy.create_node('host', namespace=node.namespace)
    inner = host.create_client(moveit.inverse, 'solve_ik', callback_group=ReentrantCallbackGroup())

    async def answer(request: Any, response: Any) -> Any:
        return await inner.call_async(request)

    service = host.create_service(moveit.inverse, 'compute_ik', answer)
    caller.take(host)
    try:
        caller.spin_until(inner.service_is_ready, 60.0)
        for _ in range(3):
            found = moveit.ask(node, moveit.request('panda_arm', goal, seed))
            assert found.error_code.val == SUCCESS
        clients = caller.node.get_client_names_and_types_by_node('ik_node', node.namespace)
        assert clients == []
        # Nor does it wait for frames of others.
        heard = caller.node.get_subscriber_names_and_types_by_node('ik_node', node.namespace)
        assert not [topic for topic, _ in heard if topic.endswith(('/tf', '/tf_static'))]
    finally:
        host.destroy_service(service)
        caller.drop(host)


def test_p60_the_server_goes_and_comes_back_while_its_client_runs(
    moveit: Any, caller: Any, start_node: Callable[..., Any], test_robots: Path
) -> None:
    """By a name of its own in a namespace of its own; the client is there first, and stays."""
    parameters = {
        'robot_description_file': str(test_robots / 'planar_tool.urdf'),
        'robot_description_semantic': (test_robots / 'planar_tool.srdf').read_text(),
        'solve_ik_service': '/cell_7/arm_solver',
    }
    host = rclpy.create_node('host', namespace='/cell_7')
    caller.take(host)
    client = host.create_client(moveit.inverse, 'arm_solver')
    wrong = host.create_client(moveit.inverse, 'solve_ik')
    seed = {'j1': -0.4, 'j2': 0.9, 'j3': 0.1}

    def ask(pose: Any) -> Any:
        """Ask until there is an answer; each wait is bounded, as a client's has to be."""
        for _ in range(20):
            caller.spin_until(client.service_is_ready, 180.0)
            future = client.call_async(moveit.request('arm', pose, seed))
            caller.spin_for(3.0, future.done)
            if future.done():
                return moveit.values(future.result())
            client.remove_pending_request(future)
        raise AssertionError('no answer')

    try:
        assert not client.service_is_ready()
        node = start_node(**parameters)
        pose = moveit.fk(node, ['flange'], {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}).pose_stamped[0]
        before = ask(pose)
        assert before == pytest.approx({'j1': -0.5, 'j2': 1.0, 'j3': 0.2}, abs=1e-5)
        # Killed, without a word to anybody.
        node.process.kill()
        node.process.wait(10.0)
        again = start_node(**parameters)
        again.wait_for_log('ready: ')
        assert ask(pose) == before
        assert again.stop(signal.SIGTERM) == 0
        caller.spin_until(lambda: not client.service_is_ready(), 60.0)
        last = start_node(**parameters)
        assert ask(pose) == before
        assert last.alive
        # The name that nobody has stays without a server.
        assert not wrong.service_is_ready()
    finally:
        caller.drop(host)


def test_p60_who_asks_nobody_is_told_the_name() -> None:
    """The client of the examples waits with a bound, and names what is missing."""
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / 'examples' / '20_moveit_client.py'),
            '--ros-args',
            '-r',
            '__ns:=/nobody/here',
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode != 0
    assert 'there is no service /nobody/here/compute_fk' in done.stderr


def test_p61_how_far_joints_may_go(
    moveit: Any, start_node: Callable[..., Any], test_robots: Path
) -> None:
    """3.1 to -3.1 is 0.083185 by way of a half turn: allowed, and told on the side of the seed."""
    text = (test_robots / 'iiwa14.urdf').read_text()
    turning = text.replace('name="A1" type="revolute"', 'name="A1" type="continuous"')
    assert turning != text
    node = start_node(robot_description=turning, base='base', tip='flange')
    goal = dict(zip(NAMES, [-3.1, *OTHERS], strict=True))
    seed = [3.1, *OTHERS]
    pose = moveit.fk(node, ['flange'], goal).pose_stamped[0]
    at = dict(zip(NAMES, seed, strict=True))

    def ask(tolerances: list[float]) -> Any:
        count = len(tolerances)
        constraints = near(NAMES[:count], seed[:count], tolerances)
        return moveit.ik(node, 'arm', pose, at, constraints=constraints)

    # Seven, six and none; by name, so that fewer are no error.
    for tolerances in ([0.2] * 7, [0.2] * 6, []):
        values = moveit.values(ask(tolerances))
        bounds = [*tolerances, *[0.5] * (7 - len(tolerances))]
        for name, bound in zip(NAMES, bounds, strict=True):
            assert abs(values[name] - at[name]) <= bound + 1e-9
    values = moveit.values(ask([0.2, *[0.0] * 6]))
    assert values['A1'] == pytest.approx(3.183185, abs=1e-5)
    assert values['A1'] - 3.1 == pytest.approx(0.083185, abs=1e-5)
    for tolerances in ([0.0831, *[0.0] * 6], [*[0.0] * 6, 0.2]):
        assert ask(tolerances).error_code.val == NO_IK_SOLUTION
    # What the joint is held near may be told a full turn away.
    constraints = near(['A1'], [3.1 - 4.0 * np.pi], [0.2])
    answer = moveit.ik(node, 'arm', pose, at, constraints=constraints)
    assert abs(moveit.values(answer)['A1'] - 3.1) <= 0.2 + 1e-9


@pytest.mark.parametrize('joint', [2, 6])
def test_p62_a_joint_that_is_held(
    moveit: Any, start_node: Callable[..., Any], test_robots: Path, joint: int
) -> None:
    """By the request, or passive by the SRDF; 0.4 exactly, also with 0.05 rad left to straight."""
    name = NAMES[joint]
    groups = '<group name="arm"><chain base_link="base" tip_link="flange"/></group>'
    passive = f'<passive_joint name="{name}"/>'
    robot = {'robot_description_file': str(test_robots / 'iiwa14.urdf')}
    free, fixed = (
        start_node(
            robot_description_semantic=f'<robot name="iiwa14">{groups}{more}</robot>', **robot
        )
        for more in ('', passive)
    )
    for elbow in (-1.0, 0.05, -0.05):
        q = [0.3, 0.6, 0.4, elbow, -0.2, 0.7, 0.4]
        goal = moveit.fk(free, ['flange'], dict(zip(NAMES, q, strict=True))).pose_stamped[0]
        seed = {n: value + 0.02 for n, value in zip(NAMES, q, strict=True)} | {name: 0.4}
        held = near([name], [0.4], [0.0])
        values = moveit.values(moveit.ik(free, 'arm', goal, seed, constraints=held))
        assert values[name] == 0.4
        reached = moveit.fk(free, ['flange'], values).pose_stamped[0].pose.position
        assert reached.x == pytest.approx(goal.pose.position.x, abs=1e-5)
        assert reached.z == pytest.approx(goal.pose.position.z, abs=1e-5)
        # A passive joint is not of the group: echoed to who named it, never moved.
        values = moveit.values(moveit.ik(fixed, 'arm', goal, seed))
        assert values[name] == 0.4
        reached = moveit.fk(fixed, ['flange'], values).pose_stamped[0].pose.position
        assert reached.x == pytest.approx(goal.pose.position.x, abs=1e-5)
        request = moveit.request('arm', goal, seed)
        told = moveit.values(moveit.ask(fixed, request, 'solve_ik'))
        assert list(told) == [n for n in NAMES if n != name]


@pytest.mark.parametrize(
    ('key', 'value', 'code', 'said'),
    [
        ('solver_type', 'foo', FAILURE, 'speed, distance'),
        ('iktype', 'foo', FAILURE, 'Transform6D, Rotation3D'),
        ('iktype', 'transform6d', SUCCESS, 'solved'),
        ('iktype', 'Transform6D ', SUCCESS, 'solved'),
    ],
)
def test_p74_a_word_in_the_parameters_of_a_node(
    moveit: Any,
    start_node: Callable[..., Any],
    test_robots: Path,
    key: str,
    value: str,
    code: int,
    said: str,
) -> None:
    """A word that is none is answered with those that there are, and logged; the node lives."""
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'planar_tool.urdf'),
            'robot_description_semantic': (test_robots / 'planar_tool.srdf')
            .read_text()
            .replace('</robot>', '<group name="other"><group name="arm"/></group></robot>'),
            f'robot_description_kinematics.arm.{key}': value,
        }
    )
    q = {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}
    pose = moveit.fk(node, ['flange'], q).pose_stamped[0]
    for service in ('compute_ik', 'solve_ik'):
        for _ in range(2):
            answer = moveit.ask(node, moveit.request('arm', pose, q), service)
            assert answer.error_code.val == code
            assert said in answer.error_code.message
    if code == FAILURE:
        assert f"{key} is 'foo'; it must be one of" in answer.error_code.message
        node.wait_for_log(f"group arm has no solver: {key} is 'foo'", seconds=20.0)
        assert node.log.count('group arm has no solver') == 1
    assert moveit.ik(node, 'other', pose, q).error_code.val == SUCCESS
    assert node.alive
    assert 'Traceback' not in node.log
