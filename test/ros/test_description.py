# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

import ik_node  # noqa: E402
from ik_node.ros.description import build  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from ik_node_interfaces.msg import Status  # noqa: E402
from ik_node_interfaces.srv import ForwardKinematics  # noqa: E402

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
LINK = '<link name="{}"/>'
JOINT = (
    '<joint name="{}{}" type="revolute"><parent link="{}"/><child link="{}"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)


def robot(links: str, joints: tuple[str, ...], name: str = 'r') -> str:
    return (
        f'<robot name="{name}">'
        + ''.join(map(LINK.format, links))
        + ''.join(JOINT.format(*pair, *pair) for pair in joints)
        + '</robot>'
    )


BAD = {
    'not XML': 'this is no XML',
    'cut off': robot('ab', ('ab',))[:-20],
    'another document': '<html><body/></html>',
    'no links': '<robot name="empty"/>',
    'two roots': robot('abc', ('ab',)),
    'a loop': robot('abc', ('ab', 'bc', 'ca')),
    'two parents': robot('abc', ('ab', 'ac', 'bc')),
    'a link that is missing': robot('ab', ('ab', 'bz')),
    'no joints': robot('a', ()),
    'an entity': '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]><robot name="&e;"/>',
}


@pytest.fixture
def latch(caller: Any) -> Any:
    publishers = []

    def publish(namespace: str, text: str) -> Any:
        publishers.append(
            caller.node.create_publisher(String, f'{namespace}/robot_description', LATCHED)
        )
        publishers[-1].publish(String(data=text))
        return publishers[-1]

    yield publish
    for publisher in publishers:
        caller.node.destroy_publisher(publisher)


def ask(caller: Any, node: Any) -> Any:
    return caller.call(node, 'forward_kinematics', ForwardKinematics.Request(), 180.0)


def test_before_there_is_a_description_services_say_so(
    caller: Any,
    start_node: Callable[..., Any],
    latch: Any,
    robots: Any,
) -> None:
    node = start_node()
    answer = ask(caller, node)
    assert (answer.success, answer.status) == (False, Status.NO_MODEL)
    assert f'{node.namespace}/robot_description' in answer.message
    # The publisher comes second, and publishes once.
    latch(node.namespace, (robots / 'ur5e.urdf').read_text())
    node.wait_for_log('ready: group arm (')
    assert ask(caller, node).success


def test_the_topic_can_come_first_and_change(
    caller: Any,
    start_node: Callable[..., Any],
    latch: Any,
    robots: Any,
) -> None:
    # The namespace of the next node is not known before it starts: a remapping names the topic.
    publisher = latch('/elsewhere', (robots / 'ur5e.urdf').read_text())
    caller.spin_for(0.2)
    node = start_node('-r', 'robot_description:=/elsewhere/robot_description')
    node.wait_for_log('ready: ')
    first = ask(caller, node)
    assert first.success, first.message

    publisher.publish(String(data='<robot name="broken">'))
    node.wait_for_log('the previous robot stays')
    assert 'topic robot_description' in node.log
    assert ask(caller, node).poses == first.poses or ask(caller, node).links == first.links

    publisher.publish(String(data=''))
    node.wait_for_log('the previous robot stays', count=2)
    assert ask(caller, node).links == first.links

    publisher.publish(String(data=robot('abc', ('ab', 'bc'))))
    node.wait_for_log('ready: ', count=2)
    assert 'group arm (a -> c, 2 joints)' in node.log
    assert list(ask(caller, node).links) == ['c']


def test_every_bad_description_is_told_and_survived(
    caller: Any,
    start_node: Callable[..., Any],
    latch: Any,
) -> None:
    node = start_node()
    publisher = latch(node.namespace, BAD['not XML'])
    node.wait_for_log('no robot yet')
    for count, (what, text) in enumerate(list(BAD.items())[1:], 2):
        publisher.publish(String(data=text))
        node.wait_for_log('no robot yet', count=count, seconds=20.0)
        answer = ask(caller, node)
        assert (answer.success, answer.status) == (False, Status.INVALID_MODEL), what
        assert len(answer.message) > 40, (what, answer.message)
    assert 'Traceback' not in node.log
    publisher.publish(String(data=robot('ab', ('ab',))))
    node.wait_for_log('ready: group arm (a -> b, 1 joints)')
    assert ask(caller, node).success


def test_a_parameter_wins_over_the_topic(
    caller: Any,
    start_node: Callable[..., Any],
    latch: Any,
    robots: Any,
) -> None:
    node = start_node(
        robot_description=robot('xy', ('xy',)), robot_description_file=str(robots / 'ur5e.urdf')
    )
    latch(node.namespace, robot('abc', ('ab', 'bc')))
    node.wait_for_log('ready: ')
    node.wait_for_log('is not used')
    assert list(ask(caller, node).links) == ['y']


def test_a_file_that_is_missing_is_told(caller: Any, start_node: Callable[..., Any]) -> None:
    node = start_node(robot_description_file='/no/such/file.urdf')
    answer = ask(caller, node)
    assert (answer.success, answer.status) == (False, Status.INVALID_MODEL)
    assert '/no/such/file.urdf' in answer.message
    assert 'robot_description_file' in answer.message
    assert node.alive


def test_ends_that_the_robot_does_not_have(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
) -> None:
    node = start_node(robot_description_file=str(robots / 'ur5e.urdf'), tip='tool9')
    answer = ask(caller, node)
    assert (answer.success, answer.status) == (False, Status.INVALID_MODEL)
    assert 'tool9' in answer.message
    assert 'tool0' in answer.message


def test_several_groups(caller: Any, start_node: Callable[..., Any], robots: Any) -> None:
    node = start_node(
        **{
            'robot_description_file': str(robots / 'panda.urdf'),
            'groups': ['hand', 'arm'],
            'group.hand.base': 'panda_hand',
            'group.hand.tip': 'panda_leftfinger',
            'group.arm.tip': 'panda_hand_tcp',
        }
    )
    caller.wait_until_ready(node)
    assert 'group hand (panda_hand -> panda_leftfinger, 1 joints)' in node.log
    assert 'group arm (panda_link0 -> panda_hand_tcp, 7 joints)' in node.log
    assert list(ask(caller, node).links) == ['panda_leftfinger']
    answer = caller.call(node, 'forward_kinematics', ForwardKinematics.Request(group='arm'))
    assert list(answer.links) == ['panda_hand_tcp']


def test_slashes_in_link_names_are_taken_as_they_are(
    caller: Any,
    start_node: Callable[..., Any],
) -> None:
    text = robot('ab', ('ab',)).replace('"b"', '"dx400/b"')
    node = start_node(robot_description=text)
    answer = ask(caller, node)
    assert answer.success, answer.message
    assert list(answer.links) == ['dx400/b']
    assert answer.poses[0].header.frame_id == 'a'


def test_refusals_name_the_parameters() -> None:
    two_arms = robot('abcde', ('ab', 'bd', 'ac', 'ce'))
    with pytest.raises(ik_node.InvalidArgumentError, match='by base and tip'):
        build(two_arms.encode(), {'arm': ('', '')})
    with pytest.raises(
        ik_node.InvalidArgumentError, match='by group.left.base and group.left.tip'
    ):
        build(two_arms.encode(), {'left': ('', '')})
    with pytest.raises(ik_node.ModelError, match='robot_description_file'):
        build(b'/home/me/robot.urdf', {'arm': ('', '')})
