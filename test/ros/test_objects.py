# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable, Iterator
import itertools
import math
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import ElementInfo, GroupInfo, JointInfo, ObjectInfo, Status  # noqa: E402

NAN, INF = math.nan, math.inf
LONG = 'x' * 10_000
_numbers = itertools.count()


@pytest.fixture
def env(caller: Any, panda: Any) -> Iterator[Callable[..., Any]]:
    """Call the services for an empty environment of the test's own."""
    name = f'env{next(_numbers)}'

    def call(service: str, /, **fields: Any) -> Any:
        kind = getattr(srv, ''.join(part.capitalize() for part in service.split('_')))
        return caller.call(panda, service, kind.Request(**{'environment': name, **fields}))

    call.name = name  # type: ignore[attr-defined]
    ok(caller.call(panda, 'create_environment', srv.CreateEnvironment.Request(name=name)))
    yield call
    ok(call('erase_environment'))


def ok(answer: Any) -> Any:
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    assert answer.message
    return answer


def refused(answer: Any, status: int, *parts: str) -> None:
    assert (answer.success, answer.status) == (False, status), answer.message
    assert 15 < len(answer.message) < 1000
    for part in parts:
        assert part in answer.message


def pose(
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    quat_xyzw: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0),
) -> Pose:
    qx, qy, qz, qw = quat_xyzw
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))


def numbers(message: Pose) -> list[float]:
    p, q = message.position, message.orientation
    return [p.x, p.y, p.z, q.x, q.y, q.z, q.w]


def same(message: Pose, other: Pose) -> bool:
    return bool(np.allclose(numbers(message), numbers(other), atol=1e-12))


def dummy(env: Any, name: str, **fields: Any) -> Any:
    return ok(
        env(
            'set_object',
            create=True,
            fields=list(fields),
            object=ObjectInfo(name=name, **fields),
        )
    ).object


def joint(env: Any, name: str, kind: str = 'revolute', **fields: Any) -> Any:
    return ok(
        env(
            'set_joint',
            create=True,
            fields=list(fields),
            joint=JointInfo(name=name, kind=kind, **fields),
        )
    ).joint


def edit(env: Any, name: str, **fields: Any) -> Any:
    return env('set_joint', fields=list(fields), joint=JointInfo(name=name, **fields))


def get_joint(env: Any, name: str, **request: Any) -> Any:
    return ok(env('get_joint', names=[name], **request)).joints[0]


def get_object(env: Any, name: str, **request: Any) -> Any:
    return ok(env('get_objects', names=[name], **request)).objects[0]


QUARTER = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))  # about z


def test_a_new_joint_has_the_defaults_of_its_kind(env: Any) -> None:
    made = joint(env, 'r')
    assert (made.kind, made.cyclic, made.passive, made.parent) == ('revolute', True, False, '')
    assert (made.lower, made.upper, made.position) == (-INF, INF, 0.0)
    assert (made.weight, made.screw_lead, made.master) == (1.0, 0.0, '')
    assert made.max_step == pytest.approx(math.radians(10.0))
    assert made.limit_margin == pytest.approx(math.radians(5.0))
    assert made.velocity == INF
    made = joint(env, 'p', 'prismatic')
    assert (made.lower, made.upper, made.max_step, made.limit_margin) == (-0.5, 0.5, 0.1, 0.01)
    made = joint(env, 's', 'spherical')
    assert (made.lower, made.upper, made.position) == (-INF, INF, 0.0)
    assert numbers(made.motion) == [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert [one.name for one in ok(env('get_joint')).joints] == ['r', 'p', 's']


ATTRIBUTES = {
    'passive': True,
    'cyclic': False,
    'lower': -1.25,
    'upper': 2.5,
    'screw_lead': -0.125,
    'weight': 0.5,
    'max_step': 0.0625,
    'limit_margin': 0.03125,
    'velocity': 3.5,
    'position': 0.75,
}


def test_every_attribute_of_a_joint_in_one_request(env: Any) -> None:
    dummy(env, 'base')
    made = joint(env, 'j', parent='base', pose=pose(1.0, 2.0, 3.0, QUARTER), **ATTRIBUTES)
    for answer in (made, get_joint(env, 'j')):
        for name, value in ATTRIBUTES.items():
            assert getattr(answer, name) == value, name
        assert answer.parent == 'base'
        assert same(answer.pose, pose(1.0, 2.0, 3.0, QUARTER))
        # A screw: 0.75 rad of a turn that advances -0.125 m.
        turn = 0.75 / 2
        assert same(
            answer.motion,
            pose(
                z=-0.125 * 0.75 / (2.0 * math.pi),
                quat_xyzw=(0.0, 0.0, math.sin(turn), math.cos(turn)),
            ),
        )


@pytest.mark.parametrize('name', ATTRIBUTES)
def test_each_attribute_of_a_joint_by_itself(env: Any, name: str) -> None:
    before = joint(env, 'j', lower=-2.0, upper=3.0)
    after = ok(edit(env, 'j', **{name: ATTRIBUTES[name]})).joint
    assert getattr(after, name) == ATTRIBUTES[name]
    assert get_joint(env, 'j') == after
    for other in JointInfo.get_fields_and_field_types():
        if other not in (name, 'motion'):
            assert getattr(after, other) == getattr(before, other), other


def test_a_position_is_brought_into_the_limits(env: Any) -> None:
    joint(env, 'j', lower=-1.0, upper=1.0)
    assert ok(edit(env, 'j', position=3.0)).joint.position == 1.0
    # By full turns first: the same angle.
    assert ok(edit(env, 'j', position=7.0)).joint.position == pytest.approx(7.0 - 2 * math.pi)
    ok(edit(env, 'j', position=1.0))
    # Limits that exclude the position move it.
    assert ok(edit(env, 'j', upper=0.5)).joint.position == 0.5
    # Without limits any angle is as it is given.
    assert ok(edit(env, 'j', cyclic=True)).joint.upper == INF
    assert ok(edit(env, 'j', position=3.5)).joint.position == 3.5
    assert ok(edit(env, 'j', lower=-4.0)).joint.cyclic is False
    assert (get_joint(env, 'j').lower, get_joint(env, 'j').upper) == (-4.0, INF)


def test_a_spherical_joint_has_an_orientation(env: Any) -> None:
    made = joint(env, 'j', 'spherical', orientation=Quaternion(x=0.0, y=3.0, z=0.0, w=4.0))
    turned = pose(quat_xyzw=(0.0, 0.6, 0.0, 0.8))
    assert same(Pose(orientation=made.orientation), turned)
    assert same(made.motion, turned)
    dummy(env, 'child', parent='j')
    assert same(get_object(env, 'child').pose, turned)
    zero = Quaternion(x=0.0, y=0.0, z=0.0, w=0.0)
    refused(edit(env, 'j', orientation=zero), Status.INVALID_OPTIONS, 'not all zero')
    refused(edit(env, 'j', position=1.0), Status.INVALID_STATE, 'spherical')
    refused(edit(env, 'j', lower=-1.0), Status.INVALID_STATE, 'spherical')
    joint(env, 'r')
    refused(edit(env, 'r', orientation=Quaternion(x=1.0)), Status.INVALID_STATE, 'revolute')


def test_a_joint_follows_another_one(env: Any) -> None:
    joint(env, 'master', 'prismatic', position=0.25)
    made = joint(env, 'j', 'prismatic', master='master', multiplier=-0.5, offset=0.25)
    assert (made.master, made.multiplier, made.offset) == ('master', -0.5, 0.25)
    assert (made.position, made.follows_function) == (0.125, False)
    ok(edit(env, 'master', position=0.5))
    assert get_joint(env, 'j').position == 0.0
    refused(edit(env, 'j', position=0.1), Status.INVALID_STATE, 'master')
    # One of the numbers alone; the other stays.
    made = ok(edit(env, 'j', offset=0.5)).joint
    assert (made.multiplier, made.offset, made.position) == (-0.5, 0.5, 0.25)
    # Another master without numbers: 1 and 0.
    joint(env, 'other', 'prismatic', position=0.125)
    made = ok(edit(env, 'j', master='other')).joint
    assert (made.multiplier, made.offset, made.position) == (1.0, 0.0, 0.125)
    refused(edit(env, 'other', master='j'), Status.INVALID_MODEL, 'loop')
    refused(edit(env, 'other', master='other'), Status.INVALID_MODEL, 'loop')
    refused(edit(env, 'j', master='nobody'), Status.UNKNOWN_JOINT)
    assert get_joint(env, 'j') == made
    refused(edit(env, 'j', master='', multiplier=2.0), Status.INVALID_OPTIONS, 'empty master')
    made = ok(edit(env, 'j', master='')).joint
    assert (made.master, made.position) == ('', 0.125)
    refused(edit(env, 'j', multiplier=2.0), Status.INVALID_STATE, 'name the master')
    # Limits and dependency change together, though neither could change first.
    ok(edit(env, 'other', lower=0.0, upper=0.1))
    ok(edit(env, 'j', lower=0.0, upper=0.1, master='other'))
    ok(edit(env, 'j', lower=10.0, upper=11.0, multiplier=10.0, offset=10.0))
    ok(env('erase', joints=['other']))
    assert get_joint(env, 'j').master == ''


def test_poses_are_relative_to_what_is_asked(env: Any) -> None:
    dummy(env, 'a', pose=pose(1.0, 0.0, 0.0, QUARTER))
    joint(env, 'j', 'prismatic', parent='a', position=0.5)
    made = dummy(env, 'b', parent='j')
    # At the frame of its parent: the moving one of the joint.
    assert same(made.pose, pose(1.0, 0.0, 0.5, QUARTER))
    assert same(get_object(env, 'b', in_parent=True).pose, pose())
    # A joint itself is where its fixed frame is.
    assert same(get_object(env, 'j').pose, pose(1.0, 0.0, 0.0, QUARTER))
    assert same(get_joint(env, 'j', reference='b').pose, pose(z=-0.5))
    assert same(get_joint(env, 'j', in_parent=True).pose, pose())
    placed = ok(
        env(
            'set_object',
            fields=['pose'],
            reference='a',
            object=ObjectInfo(name='b', pose=pose(0.0, 2.0, 0.0)),
        )
    ).object
    assert same(placed.pose, pose(0.0, 2.0, 0.0))
    assert same(get_object(env, 'b').pose, pose(-1.0, 0.0, 0.0, QUARTER))
    assert same(get_object(env, 'b', reference='j').pose, pose(0.0, 2.0, -0.5))
    both = env('get_objects', in_parent=True, reference='a')
    refused(both, Status.INVALID_OPTIONS, 'in_parent')
    refused(env('get_objects', reference='nobody'), Status.UNKNOWN_OBJECT)


def test_a_quaternion_need_not_be_normalised(env: Any) -> None:
    made = dummy(env, 'a', pose=pose(quat_xyzw=(0.0, 0.0, 20.0, 20.0)))
    assert same(made.pose, pose(quat_xyzw=QUARTER))
    for bad in (pose(NAN), pose(INF), pose(quat_xyzw=(0.0,) * 4), pose(quat_xyzw=(NAN,) * 4)):
        answer = env('set_object', fields=['pose'], object=ObjectInfo(name='a', pose=bad))
        refused(answer, Status.INVALID_TARGET)
    assert get_object(env, 'a') == made


def test_an_object_changes_its_parent(env: Any) -> None:
    dummy(env, 'a', pose=pose(1.0))
    dummy(env, 'b', pose=pose(0.0, 1.0))
    for keep, where in ((False, pose(0.0, 1.0)), (True, pose(1.0, 1.0))):
        answer = ok(
            env(
                'set_object',
                fields=['parent'],
                keep_local_pose=keep,
                object=ObjectInfo(name='b', parent='a'),
            )
        )
        assert answer.object.parent == 'a'
        assert same(answer.object.pose, where)
        ok(env('set_object', fields=['parent'], object=ObjectInfo(name='b')))
        ok(
            env(
                'set_object',
                fields=['pose'],
                object=ObjectInfo(name='b', pose=pose(0.0, 1.0)),
            )
        )
    ok(env('set_object', fields=['parent'], object=ObjectInfo(name='b', parent='a')))
    loop = env('set_object', fields=['parent'], object=ObjectInfo(name='a', parent='b'))
    refused(loop, Status.INVALID_OPTIONS, 'cannot hang')
    loop = env('set_object', fields=['parent'], object=ObjectInfo(name='a', parent='a'))
    refused(loop, Status.INVALID_OPTIONS)
    loop = env('set_object', fields=['pose'], reference='b', object=ObjectInfo(name='a'))
    refused(loop, Status.INVALID_OPTIONS, 'relative to itself')


def test_targets(env: Any) -> None:
    dummy(env, 'goal')
    assert dummy(env, 'tip', target='goal').target == 'goal'
    dummy(env, 'goal2')
    answer = env('set_object', fields=['target'], object=ObjectInfo(name='tip', target='goal2'))
    refused(answer, Status.INVALID_STATE, 'goal')
    ok(env('set_object', fields=['target'], object=ObjectInfo(name='tip')))
    ok(env('set_object', fields=['target'], object=ObjectInfo(name='tip', target='goal2')))
    ok(env('set_object', fields=['new_name'], new_name='goal3', object=ObjectInfo(name='goal2')))
    assert get_object(env, 'tip').target == 'goal3'
    own = env('set_object', fields=['target'], object=ObjectInfo(name='goal', target='goal'))
    refused(own, Status.INVALID_OPTIONS)
    joint(env, 'j')
    answer = env('set_object', fields=['target'], object=ObjectInfo(name='j', target='goal'))
    refused(answer, Status.INVALID_OPTIONS, 'only a dummy')
    answer = env('set_object', fields=['target'], object=ObjectInfo(name='tip', target='j'))
    refused(answer, Status.UNKNOWN_LINK)
    ok(env('erase', dummies=['goal3']))
    assert get_object(env, 'tip').target == ''


def test_names(env: Any) -> None:
    dummy(env, 'a')
    joint(env, 'j', 'prismatic', position=0.25)
    joint(env, 'k', 'prismatic', master='j')
    answer = ok(env('set_joint', fields=['new_name'], new_name='i', joint=JointInfo(name='j')))
    assert (answer.joint.name, answer.joint.position) == ('i', 0.25)
    assert get_joint(env, 'k').master == 'i'
    ok(env('set_joint', fields=['new_name'], new_name='i', joint=JointInfo(name='i')))
    for name in ('a', 'k', '', 'world', LONG):
        renamed = env('set_joint', fields=['new_name'], new_name=name, joint=JointInfo(name='i'))
        refused(renamed, Status.INVALID_NAME)
        made = env('set_object', create=True, object=ObjectInfo(name=name))
        refused(made, Status.INVALID_NAME)
        made = env('set_joint', create=True, joint=JointInfo(name=name, kind='prismatic'))
        refused(made, Status.INVALID_NAME)
    assert [one.name for one in ok(env('get_objects')).objects] == ['a', 'i', 'k']


def test_objects_by_name_and_type(env: Any) -> None:
    dummy(env, 'a')
    joint(env, 'j', parent='a')
    listed = ok(env('get_objects')).objects
    assert [(o.name, o.type, o.parent) for o in listed] == [
        ('a', 'dummy', ''),
        ('j', 'joint', 'a'),
    ]
    assert [o.name for o in ok(env('get_objects', type='joint')).objects] == ['j']
    assert [o.name for o in ok(env('get_objects', type='dummy')).objects] == ['a']
    assert [o.name for o in ok(env('get_objects', names=['j', 'a', 'j'])).objects] == list('jaj')
    refused(env('get_objects', type='group'), Status.INVALID_OPTIONS, "'joint'")
    refused(env('get_objects', names=['j'], type='group'), Status.INVALID_OPTIONS)
    refused(env('get_objects', names=['j'], type='dummy'), Status.UNKNOWN_LINK)
    refused(env('get_objects', names=['a', 'aa']), Status.UNKNOWN_OBJECT, "mean 'a'")
    refused(env('get_joint', names=['a']), Status.UNKNOWN_JOINT)
    refused(env('get_group', names=['a']), Status.UNKNOWN_GROUP)


def test_nothing_of_a_request_with_one_mistake_is_done(env: Any) -> None:
    dummy(env, 'a')
    joint(env, 'j', 'prismatic', parent='a', lower=-2.0, upper=3.0)
    before = ok(env('get_joint')).joints, ok(env('get_objects')).objects
    good = {**ATTRIBUTES, 'passive': True}
    del good['cyclic'], good['screw_lead']
    for name, value, status in (
        ('weight', -1.0, Status.INVALID_OPTIONS),
        ('max_step', 0.0, Status.INVALID_OPTIONS),
        ('velocity', NAN, Status.INVALID_OPTIONS),
        ('limit_margin', INF, Status.INVALID_OPTIONS),
        ('position', NAN, Status.INVALID_OPTIONS),
        ('lower', 99.0, Status.INVALID_OPTIONS),
        ('cyclic', True, Status.INVALID_OPTIONS),
        ('screw_lead', 0.5, Status.INVALID_OPTIONS),
        ('master', 'nobody', Status.UNKNOWN_JOINT),
        ('orientation', Quaternion(), Status.INVALID_STATE),
    ):
        fields = {**good, 'pose': pose(9.0), 'parent': '', name: value}
        refused(edit(env, 'j', **fields), status)
        made = env(
            'set_joint',
            create=True,
            fields=list(fields),
            joint=JointInfo(name='new', kind='prismatic', **fields),
        )
        refused(made, status)
        answer = env(
            'set_joint',
            fields=[*good, 'new_name'],
            new_name='a',
            joint=JointInfo(name='j', **good),
        )
        refused(answer, Status.INVALID_NAME)
    made = env(
        'set_object',
        create=True,
        fields=['pose', 'target'],
        object=ObjectInfo(name='new', pose=pose(1.0), target='nobody'),
    )
    refused(made, Status.UNKNOWN_LINK)
    refused(env('erase', dummies=['a'], joints=['nobody']), Status.UNKNOWN_JOINT)
    refused(env('erase', dummies=['a'], groups=['nobody']), Status.UNKNOWN_GROUP)
    refused(env('erase', dummies=['a', 'a']), Status.INVALID_OPTIONS, 'twice')
    assert (ok(env('get_joint')).joints, ok(env('get_objects')).objects) == before


def test_a_value_that_would_be_ignored_is_refused(env: Any) -> None:
    before = joint(env, 'j', 'prismatic')
    for name in JointInfo.get_fields_and_field_types():
        if name in ('name', 'kind', 'motion', 'follows_function'):
            continue
        value = {
            'parent': 'x',
            'pose': pose(1.0),
            'orientation': Quaternion(x=1.0, w=0.0),
            'master': 'x',
            'passive': True,
            'cyclic': True,
        }.get(name, 0.125)
        message = JointInfo(name='j', **{name: value})
        fields = ['weight'] if name != 'weight' else ['velocity']
        setattr(message, fields[0], 1.0)
        answer = env('set_joint', fields=fields, joint=message)
        refused(answer, Status.INVALID_OPTIONS, f'{name} has a value')
        refused(env('set_joint', joint=message), Status.INVALID_OPTIONS, 'fields is empty')
    # The message as it was read, with one change, is fine.
    message = get_joint(env, 'j')
    assert message == before
    message.weight = 2.0
    refused(env('set_joint', fields=['velocity'], joint=message), Status.INVALID_OPTIONS)
    assert ok(env('set_joint', fields=['weight'], joint=message)).joint == message
    for fields, part in (
        (['wieght'], "mean 'weight'"),
        (['weight', 'weight'], 'twice'),
        ([LONG], 'known:'),
        (['kind'], 'known:'),
    ):
        answer = env('set_joint', fields=fields, joint=JointInfo(name='j', weight=1.0))
        refused(answer, Status.INVALID_OPTIONS, part)
    answer = env(
        'set_joint', fields=['weight'], new_name='x', joint=JointInfo(name='j', weight=1.0)
    )
    refused(answer, Status.INVALID_OPTIONS, 'new_name')
    answer = env(
        'set_joint', fields=['weight'], keep_local_pose=True, joint=JointInfo(name='j', weight=1.0)
    )
    refused(answer, Status.INVALID_OPTIONS, 'keep_local_pose')
    answer = edit(env, 'j', weight=1.0)
    assert answer.success
    answer = env(
        'set_joint', fields=['weight'], joint=JointInfo(name='j', kind='revolute', weight=3.0)
    )
    refused(answer, Status.INVALID_OPTIONS, 'for good')


def test_erased_objects_leave_their_children_where_they_are(env: Any) -> None:
    dummy(env, 'a', pose=pose(1.0))
    joint(env, 'j', 'prismatic', parent='a', position=0.25)
    dummy(env, 'b', parent='j')
    at = get_object(env, 'b').pose
    answer = ok(env('erase', joints=['j'], dummies=['a']))
    assert list(answer.broken_groups) == []
    left = get_object(env, 'b')
    assert left.parent == ''
    assert same(left.pose, at)
    refused(env('erase'), Status.INVALID_OPTIONS, 'nothing')


def test_groups(env: Any, messages: Any) -> None:
    dummy(env, 'a')
    joint(env, 'j', parent='a', lower=-1.0, upper=2.0)
    dummy(env, 'b', parent='j', pose=pose(1.0))
    joint(env, 's', 'spherical', parent='b')
    dummy(env, 'c', parent='s', pose=pose(2.0))
    made = ok(env('set_group', create=True, group=GroupInfo(name='g'))).group
    assert (made.base, made.tip, made.problem) == ('a', 'c', '')
    assert list(made.joint_names) == ['j', 's/x', 's/y', 's/z']
    assert (made.lower[0], made.upper[0]) == (-1.0, 2.0)
    made = ok(
        env(
            'set_group',
            create=True,
            fields=['base', 'tip'],
            group=GroupInfo(name='h', base='world', tip='b'),
        )
    ).group
    assert (made.base, list(made.joint_names)) == ('world', ['j'])
    answer = ok(env('forward_kinematics', group='h', joint_state=messages.joints({'j': 0.0})))
    assert (answer.poses[0].header.frame_id, answer.poses[0].pose.position.x) == ('world', 1.0)
    # In its place, with all else as it was.
    made = ok(env('set_group', fields=['tip'], group=GroupInfo(name='g', tip='b'))).group
    assert (made.base, made.tip, list(made.joint_names)) == ('a', 'b', ['j'])
    assert [one.name for one in ok(env('get_group')).groups] == ['g', 'h']
    for fields, group, status in (
        (['tip'], GroupInfo(name='g', tip='z'), Status.UNKNOWN_LINK),
        (['tip'], GroupInfo(name='g', tip='a'), Status.INVALID_OPTIONS),
        (['tip'], GroupInfo(name='g'), Status.INVALID_OPTIONS),
        (['tip'], GroupInfo(name='k', tip='b'), Status.UNKNOWN_GROUP),
        ([], GroupInfo(name='g', tip='c'), Status.INVALID_OPTIONS),
        (['base'], GroupInfo(name='g', base='a', tip='c'), Status.INVALID_OPTIONS),
    ):
        refused(env('set_group', fields=fields, group=group), status)
    taken = env('set_group', create=True, group=GroupInfo(name='g'))
    refused(taken, Status.INVALID_NAME, 'taken')
    assert ok(env('get_group', names=['g'])).groups == [made]
    # What is erased or passive is told, and can be made good.
    answer = ok(env('erase', dummies=['b']))
    assert list(answer.broken_groups) == ['g', 'h']
    broken = ok(env('get_group', names=['g'])).groups[0]
    assert (broken.base, broken.tip, list(broken.joint_names)) == ('a', '', [])
    assert 'erased' in broken.problem
    refused(env('solve', group='g', target=messages.pose()), Status.INVALID_STATE, 'erased')
    answer = env('set_group', fields=['base'], group=GroupInfo(name='g', base='world'))
    refused(answer, Status.INVALID_STATE, 'tip')
    made = ok(env('set_group', fields=['tip'], group=GroupInfo(name='g', tip='c'))).group
    assert (made.tip, made.problem) == ('c', '')
    ok(edit(env, 'j', passive=True))
    assert list(ok(env('get_group', names=['g'])).groups[0].joint_names) == ['s/x', 's/y', 's/z']
    ok(edit(env, 's', passive=True))
    assert 'no joint that can move' in ok(env('get_group', names=['g'])).groups[0].problem
    ok(edit(env, 'j', passive=False))
    ok(env('erase', groups=['h']))
    assert [one.name for one in ok(env('get_group')).groups] == ['g']


SWITCHES = (
    'enabled',
    'ignore_max_steps',
    'restore_on_bad_linear_tolerance',
    'restore_on_bad_angular_tolerance',
    'stop_on_limit_hit',
    'avoid_limits',
)


def test_every_attribute_of_a_group(env: Any) -> None:
    dummy(env, 'a')
    joint(env, 'j', parent='a', lower=-1.0, upper=2.0)
    dummy(env, 'b', parent='j')
    joint(env, 'k', parent='b')
    dummy(env, 'c', parent='k')

    def change(**fields: Any) -> Any:
        return env('set_group', fields=list(fields), group=GroupInfo(name='g', **fields))

    made = ok(env('set_group', create=True, group=GroupInfo(name='g'))).group
    assert (made.method, made.damping, made.max_iterations) == ('pseudo_inverse', 0.1, 3)
    assert [getattr(made, name) for name in SWITCHES] == [True, True, False, False, False, False]
    (element,) = made.elements
    assert (element.tip, element.base, element.constraints) == ('c', 'a', ElementInfo.POSE)
    assert element == ElementInfo(tip='c', base='a')
    for name in SWITCHES:
        flipped = not getattr(made, name)
        after = ok(change(**{name: flipped})).group
        assert getattr(after, name) is flipped
        assert {other for other in SWITCHES if getattr(after, other) != getattr(made, other)} == {
            name
        }
        ok(change(**{name: not flipped}))
    after = ok(change(method='damped_least_squares', damping=0.5, max_iterations=99)).group
    assert (after.method, after.damping, after.max_iterations) == ('damped_least_squares', 0.5, 99)
    elements = [
        ElementInfo(
            tip='c',
            base='j',
            constraints_base='world',
            constraints=ElementInfo.X | ElementInfo.ALPHA_BETA,
            linear_precision=0.25,
            angular_precision=0.125,
            linear_weight=0.5,
            angular_weight=0.75,
            weight=0.0,
            enabled=False,
        ),
        ElementInfo(tip='b', constraints_base='a', constraints=0),
        ElementInfo(tip='c'),
    ]
    after = ok(change(elements=elements)).group
    assert after.elements == elements
    assert (after.base, after.tip, list(after.joint_names)) == ('j', 'c', ['j', 'k'])
    assert after.damping == 0.5
    for fields, status, part in (
        ({'method': 'magic'}, Status.INVALID_OPTIONS, "'pseudo_inverse'"),
        ({'method': ''}, Status.INVALID_OPTIONS, 'method'),
        ({'damping': -1.0}, Status.INVALID_OPTIONS, 'damping'),
        ({'damping': NAN}, Status.INVALID_OPTIONS, 'damping'),
        ({'max_iterations': 0}, Status.INVALID_OPTIONS, 'max_iterations'),
        ({'tip': 'b'}, Status.INVALID_STATE, '3 elements'),
        ({'tip': 'b', 'elements': []}, Status.INVALID_OPTIONS, 'elements'),
        ({'elements': [ElementInfo()]}, Status.UNKNOWN_LINK, 'link'),
        ({'elements': [ElementInfo(tip='c', base='z')]}, Status.UNKNOWN_OBJECT, "'z'"),
        ({'elements': [ElementInfo(tip='c', constraints=32)]}, Status.INVALID_OPTIONS, 'X=1'),
        ({'elements': [ElementInfo(tip='c', weight=-1.0)]}, Status.INVALID_OPTIONS, 'weight'),
        (
            {'elements': [ElementInfo(tip='c', linear_precision=0.0)]},
            Status.INVALID_OPTIONS,
            'linear_precision',
        ),
    ):
        refused(change(avoid_limits=True, **fields), status, part)
        made = env(
            'set_group',
            create=True,
            fields=list(fields),
            group=GroupInfo(name='h', **fields),
        )
        assert not made.success or set(fields) == {'tip'}
        if made.success:
            ok(env('erase', groups=['h']))
    assert ok(env('get_group')).groups == [after]
    # A copy and a file have it all.
    ok(env('duplicate_environment', name='copy_of_groups'))
    assert ok(env('get_group', environment='copy_of_groups')).groups == [after]
    ok(env('erase_environment', environment='copy_of_groups'))
    empty = ok(change(elements=[])).group
    assert (empty.base, empty.tip, list(empty.elements)) == ('', '', [])
    assert 'no element' in empty.problem
    refused(env('solve', group='g'), Status.INVALID_STATE, 'no element')
    refused(env('forward_kinematics', group='g'), Status.INVALID_STATE, 'no element')
    ok(change(elements=elements))
    refused(env('solve', group='g'), Status.INVALID_TARGET, '2 elements')
    ok(env('erase', dummies=['b'], joints=['j']))
    left = ok(env('get_group')).groups[0].elements
    assert [(one.tip, one.base) for one in left] == [('c', ''), ('', ''), ('c', '')]


def test_a_robot_made_by_hand_is_solved(env: Any, messages: Any) -> None:
    """Three hinges in a plane, links of 1 m: reach for (1, 1), the tip turned by 90 degrees."""
    parent = ''
    for index in range(3):
        joint(env, f'j{index}', lower=-3.0, upper=3.0, position=0.1, parent=parent)
        dummy(env, f'link{index}', parent=f'j{index}')
        ok(
            env(
                'set_object',
                fields=['pose'],
                reference=f'j{index}',
                object=ObjectInfo(name=f'link{index}', pose=pose(1.0)),
            )
        )
        parent = f'link{index}'
    ok(
        env(
            'set_group',
            create=True,
            fields=['base', 'tip'],
            group=GroupInfo(name='arm', base='world', tip='link2'),
        )
    )
    # The frame of a target may be any dummy: the target of the tip, say.
    dummy(env, 'goal', pose=pose(1.0, 1.0, 0.0, QUARTER))
    request = {'target': messages.pose((0, 0, 0), (0, 0, 0, 1), 'goal')}
    request['options'] = srv.Solve.Request().options
    request['options'].timeout = 0.5
    request['options'].apply_solution = True
    answer = ok(env('solve', **request))
    assert list(answer.solution.name) == ['j0', 'j1', 'j2']
    assert sum(answer.solution.position) == pytest.approx(math.pi / 2, abs=1e-4)
    reached = get_object(env, 'link2', reference='goal').pose
    assert np.allclose(numbers(reached), numbers(pose()), atol=1e-4)


def test_a_link_and_a_joint_of_one_name(caller: Any, panda: Any) -> None:
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="b" type="continuous">'
        '<origin xyz="1 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
        '</robot>'
    )
    create = srv.CreateEnvironment.Request(name='twins', robot_description=text, group='g')
    ok(caller.call(panda, 'create_environment', create))
    ask = srv.GetObjects.Request(environment='twins', names=['b'])
    assert caller.call(panda, 'get_objects', ask).objects[0].type == 'dummy'
    ask.type = 'joint'
    assert ok(caller.call(panda, 'get_objects', ask)).objects[0].type == 'joint'
    change = srv.SetObject.Request(environment='twins', fields=['new_name'], new_name='c')
    change.object = ObjectInfo(name='b', type='joint')
    assert ok(caller.call(panda, 'set_object', change)).object.type == 'joint'
    ok(caller.call(panda, 'erase_environment', srv.EraseEnvironment.Request(environment='twins')))


def test_the_whole_panda(caller: Any, panda: Any) -> None:
    joints = ok(caller.call(panda, 'get_joint', srv.GetJoint.Request())).joints
    assert [one.name for one in joints][:7] == [f'panda_joint{index}' for index in range(1, 8)]
    assert [one.master for one in joints][-1] == 'panda_finger_joint1'
    assert (joints[0].lower, joints[0].upper) == (-2.8973, 2.8973)
    request = srv.GetObjects.Request(reference='panda_link0', type='dummy')
    objects = {o.name: o for o in ok(caller.call(panda, 'get_objects', request)).objects}
    links = srv.ForwardKinematics.Request(links=list(objects), reference='panda_link0')
    poses = ok(caller.call(panda, 'forward_kinematics', links)).poses
    for name, stamped in zip(objects, poses, strict=True):
        assert same(objects[name].pose, stamped.pose), name


def test_four_clients_edit_four_environments(caller: Any, panda: Any) -> None:
    """Each of them sees its own edits in order, and nothing of the others."""
    for index in range(4):
        request = srv.DuplicateEnvironment.Request(name=f'client{index}')
        ok(caller.call(panda, 'duplicate_environment', request))
    executor = SingleThreadedExecutor()
    nodes = [rclpy.create_node(f'editor_{index}') for index in range(4)]
    clients = []
    for node in nodes:
        executor.add_node(node)
        clients.append(node.create_client(srv.SetJoint, f'{panda.name}/set_joint'))
    while not all(client.service_is_ready() for client in clients):
        executor.spin_once(timeout_sec=0.1)
    caller.spin_for(0.5)

    def request(index: int, count: int) -> srv.SetJoint.Request:
        name = f'panda_joint{1 + (count + index) % 7}'
        # Within the limits of all seven joints: the fourth has no positive position.
        message = JointInfo(name=name, position=-0.1 - 0.001 * count - 0.1 * index)
        return srv.SetJoint.Request(
            environment=f'client{index}', fields=['position', 'weight'], joint=message
        )

    futures: list[Any] = [None] * 4
    counts = [0] * 4
    expected: list[dict[str, float]] = [{}, {}, {}, {}]
    for _ in range(100_000):
        for index, client in enumerate(clients):
            future = futures[index]
            if future is not None and not future.done():
                continue
            if future is not None:
                answer = ok(future.result())
                assert answer.environment == f'client{index}'
                name = answer.joint.name
                assert answer.joint.position == expected[index][name]
            if counts[index] < 50:
                wanted = request(index, counts[index])
                wanted.joint.weight = 1.0 + index
                low = {'panda_joint6': -0.0175}.get(wanted.joint.name)
                at = wanted.joint.position
                expected[index][wanted.joint.name] = at if low is None else max(at, low)
                futures[index] = client.call_async(wanted)
                counts[index] += 1
            else:
                futures[index] = None
        if all(future is None for future in futures):
            break
        executor.spin_once(timeout_sec=0.1)
    for node in nodes:
        node.destroy_node()
    executor.shutdown()
    for index in range(4):
        name = f'client{index}'
        ask = srv.GetJoint.Request(environment=name)
        joints = {j.name: j for j in ok(caller.call(panda, 'get_joint', ask)).joints}
        assert len(expected[index]) == 7
        for joint_name, at in expected[index].items():
            assert joints[joint_name].position == at
            assert joints[joint_name].weight == 1.0 + index
        ok(caller.call(panda, 'erase_environment', srv.EraseEnvironment.Request(environment=name)))
    joints = ok(caller.call(panda, 'get_joint', srv.GetJoint.Request())).joints
    assert {one.weight for one in joints} == {1.0}


POISON = (NAN, INF, -INF, -1.0, 0.0, 1e300, -1e-300, 1e-320, 7.0)
WORDS = ('', 'a', 'j', LONG, 'a/b', '\n', 'é', 'world', '../x', '%s{}', 'weight', 'robot')


def test_two_hundred_wrong_requests_get_two_hundred_answers(
    caller: Any, panda: Any, env: Any, generator: np.random.Generator
) -> None:
    dummy(env, 'a')
    joint(env, 'j', parent='a')
    joint(env, 'k', 'spherical', parent='j')

    def number() -> float:
        return float(generator.choice(POISON))

    def word() -> str:
        return WORDS[generator.integers(len(WORDS))]

    def value(kind: str) -> Any:
        if kind == 'boolean':
            return bool(generator.integers(2))
        if kind == 'double':
            return number()
        if kind == 'string':
            return word()
        if kind == 'sequence<string>':
            return [word() for _ in range(generator.integers(4))]
        if kind == 'sequence<double>':
            return [number() for _ in range(generator.integers(4))]
        if kind.endswith('Quaternion'):
            return pose(quat_xyzw=(number(), number(), number(), number())).orientation
        if kind.endswith('Vector3'):
            return Vector3(x=number(), y=number(), z=number())
        if kind.endswith('Pose'):
            return pose(number(), number(), number(), (number(), number(), number(), number()))
        if kind.startswith('uint'):
            return int(generator.integers(2**8))
        if kind.startswith('sequence<'):
            return [filled(ElementInfo) for _ in range(generator.integers(3))]
        made = {'Joint': JointInfo, 'Group': GroupInfo, 'Object': ObjectInfo}
        return filled(next(t for name, t in made.items() if name in kind))

    def filled(kind: Any) -> Any:
        return kind(**{name: value(t) for name, t in kind.get_fields_and_field_types().items()})

    kinds = [
        (name, getattr(srv, ''.join(part.capitalize() for part in name.split('_'))))
        for name in (
            'create_environment',
            'duplicate_environment',
            'switch_environment',
            'load_environment',
            'get_objects',
            'set_object',
            'get_joint',
            'set_joint',
            'get_group',
            'set_group',
            'erase',
        )
    ]
    answers = []
    for index in range(220):
        name, kind = kinds[index % len(kinds)]
        request = filled(kind.Request)
        if hasattr(request, 'environment') and index % 3:
            request.environment = env.name
        if hasattr(request, 'fields') and index % 2:
            allowed = {'set_object': ObjectInfo, 'set_joint': JointInfo, 'set_group': GroupInfo}
            names = [*allowed[name].get_fields_and_field_types(), 'new_name']
            request.fields = list(generator.choice(names, 3, replace=False))
            request.create = index % 4 == 1
        answers.append(caller.call(panda, name, request))
        assert panda.alive, panda.log
        assert answers[-1].message
        assert answers[-1].status != Status.INTERNAL_ERROR, (name, request, answers[-1].message)
    assert sum(not answer.success for answer in answers) > 150
    assert len({answer.status for answer in answers}) > 6
    listed = ok(caller.call(panda, 'list_environments', srv.ListEnvironments.Request()))
    for one in listed.environments:
        if one.name not in ('robot_description', env.name):
            request = srv.EraseEnvironment.Request(environment=one.name)
            ok(caller.call(panda, 'erase_environment', request))
    switch = srv.SwitchEnvironment.Request(environment='robot_description')
    ok(caller.call(panda, 'switch_environment', switch))
    ok(caller.call(panda, 'forward_kinematics', srv.ForwardKinematics.Request()))
    ok(env('get_objects'))


def test_a_joint_that_limits_hold_back_is_told(env: Any) -> None:
    joint(env, 'slide', 'prismatic', lower=-1.0, upper=1.0)
    assert ok(edit(env, 'slide', position=0.5)).message == 'done'
    # Ninety millimetres, given as metres.
    answer = ok(edit(env, 'slide', position=90.0))
    assert answer.joint.position == 1.0
    assert 'a position of 90 is outside of its limits, -1 to 1' in answer.message
    answer = ok(edit(env, 'slide', upper=0.25))
    assert answer.joint.position == 0.25
    assert 'it was at 1, now outside of its limits, -1 to 0.25' in answer.message
