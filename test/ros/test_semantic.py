# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from ik_node_interfaces.srv import GetGroup  # noqa: E402

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ROBOT = '<robot name="r">' + ''.join(f'<link name="{name}"/>' for name in 'abc')
for pair in ('ab', 'bc'):
    ROBOT += (
        f'<joint name="{pair}" type="continuous"><parent link="{pair[0]}"/>'
        f'<child link="{pair[1]}"/><axis xyz="0 0 1"/></joint>'
    )
ROBOT += '</robot>'


def semantic(**groups: str) -> str:
    return (
        '<robot name="r">'
        + ''.join(
            f'<group name="{name}"><chain base_link="{ends[0]}" tip_link="{ends[1]}"/></group>'
            for name, ends in groups.items()
        )
        + '</robot>'
    )


def groups(caller: Any, node: Any) -> dict[str, str]:
    answer = caller.call(node, 'get_group', GetGroup.Request(), 180.0)
    assert answer.success, answer.message
    return {group.name: group.base + group.tip for group in answer.groups}


@pytest.fixture
def latch(caller: Any) -> Any:
    publishers = []

    def publish(namespace: str, text: str) -> Any:
        publishers.append(
            caller.node.create_publisher(
                String, f'{namespace}/robot_description_semantic', LATCHED
            )
        )
        publishers[-1].publish(String(data=text))
        return publishers[-1]

    yield publish
    for publisher in publishers:
        caller.node.destroy_publisher(publisher)


def test_the_parameter(caller: Any, start_node: Callable[..., Any]) -> None:
    node = start_node(
        robot_description=ROBOT, robot_description_semantic=semantic(whole='ac', last='bc')
    )
    assert groups(caller, node) == {'whole': 'ac', 'last': 'bc'}


def test_parameters_win(caller: Any, start_node: Callable[..., Any]) -> None:
    text = semantic(arm='ac', last='bc')
    node = start_node(robot_description=ROBOT, robot_description_semantic=text, tip='b')
    assert groups(caller, node) == {'arm': 'ab', 'last': 'bc'}
    node = start_node(
        **{
            'robot_description': ROBOT,
            'robot_description_semantic': text,
            'groups': ['last'],
            'group.last.tip': 'b',
        }
    )
    assert groups(caller, node) == {'last': 'ab', 'arm': 'ac'}


def test_the_topic(caller: Any, start_node: Callable[..., Any], latch: Any) -> None:
    node = start_node(robot_description=ROBOT)
    assert groups(caller, node) == {'arm': 'ac'}
    publisher = latch(node.namespace, semantic(last='bc'))
    node.wait_for_log('ready: group last (', seconds=20.0)
    assert groups(caller, node) == {'last': 'bc'}
    # What does not fit the robot is told, and the robot stays usable.
    publisher.publish(String(data=semantic(last='bz')))
    node.wait_for_log('robot_description_semantic is not used: ', seconds=20.0)
    node.wait_for_log('ready: group arm (', count=2, seconds=20.0)
    assert groups(caller, node) == {'arm': 'ac'}
    publisher.publish(String(data='/etc/passwd'))
    node.wait_for_log('robot_description_semantic is not used: ', count=2, seconds=20.0)
    assert 'Traceback' not in node.log


def test_a_bad_parameter(caller: Any, start_node: Callable[..., Any], latch: Any) -> None:
    node = start_node(robot_description=ROBOT, robot_description_semantic='no SRDF')
    assert groups(caller, node) == {'arm': 'ac'}
    assert 'robot_description_semantic is not used' in node.log
    latch(node.namespace, semantic(last='bc'))
    node.wait_for_log('a parameter gives one', seconds=20.0)
    from rcl_interfaces.srv import SetParameters
    from rclpy.parameter import Parameter

    def set_semantic(text: str) -> Any:
        parameter = Parameter('robot_description_semantic', value=text).to_parameter_msg()
        return caller.call_other(
            f'{node.name}/set_parameters',
            SetParameters,
            SetParameters.Request(parameters=[parameter]),
        ).results[0]

    refusal = set_semantic(semantic(last='bz'))
    assert not refusal.successful
    assert "'z'" in refusal.reason
    assert set_semantic(semantic(first='ab')).successful
    node.wait_for_log('ready: group first (', seconds=20.0)
    assert groups(caller, node) == {'first': 'ab'}
