# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from ik_node.ros.settings import TABLE  # noqa: E402
from rcl_interfaces.msg import ParameterType  # noqa: E402
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces.srv import ForwardKinematics  # noqa: E402


def set_parameter(caller: Any, node: Any, name: str, value: Any) -> Any:
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    (result,) = caller.call_other(f'{node.name}/set_parameters', SetParameters, request).results
    return result


def test_every_parameter_is_declared_and_described(caller: Any, panda: Any) -> None:
    names = [row.name for row in TABLE]
    answer = caller.call_other(
        f'{panda.name}/describe_parameters',
        DescribeParameters,
        DescribeParameters.Request(names=names),
    )
    assert [descriptor.name for descriptor in answer.descriptors] == names
    assert all(descriptor.description for descriptor in answer.descriptors)


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('timeout', 1),
        ('timeout', 0.005),
        ('joint_states_rate', 25),
        ('joint_states_rate', 50.0),
        ('random_seed', 3),
        ('random_seed', 0),
        ('max_timeout', 10),
    ],
)
def test_a_good_value_is_taken(caller: Any, panda: Any, name: str, value: Any) -> None:
    result = set_parameter(caller, panda, name, value)
    assert result.successful, result.reason
    answer = caller.call_other(
        f'{panda.name}/get_parameters', GetParameters, GetParameters.Request(names=[name])
    )
    got = answer.values[0]
    assert (
        got.integer_value if got.type == ParameterType.PARAMETER_INTEGER else got.double_value
    ) == value


@pytest.mark.parametrize(
    ('name', 'value', 'parts'),
    [
        ('timeout', -1.0, ('timeout', '-1', '60')),
        ('timeout', 0, ('timeout', 'got 0', 'from 1e-05 to 60 s')),
        ('timeout', 'fast', ('timeout', "got 'fast'", 'expected a double')),
        ('joint_states_rate', 5000.0, ('joint_states_rate', '5000', '0.1', '1000')),
        ('joint_states_rate', float('nan'), ('joint_states_rate', 'nan')),
        ('publish_joint_states', 'yes', ('publish_joint_states', "got 'yes'", 'expected a bool')),
        ('solver_threads', 4, ('solver_threads', 'read-only')),
        ('random_seed', 1.5, ('random_seed', 'got 1.5', 'expected an integer')),
        ('base', 'nowhere', ('nowhere', 'panda_link0')),
        ('robot_description', '<robot', ('',)),
        ('robot_description_file', '/no/such.urdf', ('/no/such.urdf',)),
        ('timeout', None, ('timeout', 'cannot be deleted')),
        ('base', None, ('base', 'cannot be deleted')),
    ],
)
def test_a_bad_value_is_refused_with_the_reason(
    caller: Any,
    panda: Any,
    name: str,
    value: Any,
    parts: tuple[str, ...],
) -> None:
    result = set_parameter(caller, panda, name, value)
    assert not result.successful
    assert len(result.reason) > 10
    for part in parts:
        assert part in result.reason
    answer = caller.call(panda, 'forward_kinematics', ForwardKinematics.Request())
    assert list(answer.links) == ['panda_hand_tcp']


def test_the_robot_and_its_ends_can_change_at_run_time(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
) -> None:
    node = start_node(robot_description_file=str(robots / 'ur5e.urdf'))
    caller.wait_until_ready(node)
    assert set_parameter(caller, node, 'tip', 'forearm_link').successful
    node.wait_for_log('-> forearm_link, 3 joints)')
    request = SetParameters.Request()
    result = set_parameter(caller, node, 'robot_description', (robots / 'panda.urdf').read_text())
    assert not result.successful
    assert 'forearm_link' in result.reason
    from rcl_interfaces.srv import SetParametersAtomically

    request = SetParametersAtomically.Request(
        parameters=[
            Parameter(name, value=value).to_parameter_msg()
            for name, value in (
                ('robot_description', (robots / 'panda.urdf').read_text()),
                ('base', 'panda_link0'),
                ('tip', 'panda_hand_tcp'),
            )
        ]
    )
    answer = caller.call_other(
        f'{node.name}/set_parameters_atomically', SetParametersAtomically, request
    )
    assert answer.result.successful, answer.result.reason
    node.wait_for_log('group arm (panda_link0 -> panda_hand_tcp, 7 joints)')


def test_publishing_can_be_switched_off_and_on(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
) -> None:
    node = start_node(robot_description_file=str(robots / 'ur5e.urdf'))
    caller.wait_until_ready(node)
    topic = f'{node.namespace}/joint_states'
    heard: list[JointState] = []
    subscription = caller.node.create_subscription(JointState, topic, heard.append, 10)
    caller.spin_until(lambda: len(heard) > 3)
    assert set_parameter(caller, node, 'publish_joint_states', False).successful
    caller.spin_until(lambda: caller.node.count_publishers(topic) == 0)
    assert set_parameter(caller, node, 'publish_joint_states', True).successful
    heard.clear()
    caller.spin_until(lambda: len(heard) > 3)
    caller.node.destroy_subscription(subscription)


def test_integers_and_empty_values_start_the_node(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
) -> None:
    node = start_node(
        '-p',
        'groups:=[]',
        '-p',
        'base:=""',
        robot_description_file=str(robots / 'ur5e.urdf'),
        timeout=1,
        max_timeout=5,
        joint_states_rate=20,
        position_tolerance=1,
        tip='',
    )
    caller.wait_until_ready(node)
    assert 'group arm (' in node.log


def test_wrong_arguments_end_the_node_with_one_sentence(start_node: Callable[..., Any]) -> None:
    node = start_node('-p', 'base:=')
    assert node.process.wait(30.0) == 1
    assert 'Traceback' not in node.log
    assert 'ik_node cannot start: ' in node.log
    assert 'base:=' in node.log


@pytest.mark.parametrize(
    ('parameters', 'parts'),
    [
        ({'timeout': 'fast'}, ("'timeout'", "'fast'", 'expected a double from 1e-05 to 60 s')),
        ({'joint_states_rate': 0.0}, ('joint_states_rate', '0.1', '1000')),
        ({'groups': [1, 2]}, ("'groups'", '[1, 2]', 'strings')),
        ({'solver_threads': 0}, ('solver_threads', '1', '64')),
    ],
)
def test_a_wrong_value_at_start_ends_the_node_with_one_sentence(
    start_node: Callable[..., Any],
    parameters: dict[str, Any],
    parts: tuple[str, ...],
) -> None:
    node = start_node(**parameters)
    assert node.process.wait(30.0) == 1
    assert 'Traceback' not in node.log
    (line,) = [line for line in node.log.splitlines() if 'ik_node cannot start' in line]
    for part in parts:
        assert part in line
