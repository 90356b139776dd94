# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Handling of groups over DDS, on planar arms whose answers are worked out here.

The arms are made by requests alone: joints about z in the plane, links of a metre.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from geometry_msgs.msg import Point, Pose, Quaternion  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import (  # noqa: E402
    ElementInfo,
    GroupInfo,
    HandleResult,
    JointInfo,
    ObjectInfo,
    Status,
)

NAN = math.nan
XY = ElementInfo.X + ElementInfo.Y
_numbers = itertools.count()


class Bench:
    """An environment of the test's own, and short spellings of what is done with it."""

    def __init__(self, caller: Any, node: Any) -> None:
        self._caller, self._node = caller, node
        self.name = f'bench{next(_numbers)}'

    def __call__(self, service: str, /, **fields: Any) -> Any:
        kind = getattr(srv, ''.join(part.capitalize() for part in service.split('_')))
        request = kind.Request(**{'environment': self.name, **fields})
        return self._caller.call(self._node, service, request)

    def do(self, service: str, /, **fields: Any) -> Any:
        answer = self(service, **fields)
        assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
        return answer

    def arm(self, joints: int = 2, name: str = '', **attributes: Any) -> None:
        """Make an arm of links of 1 m with a tip and a target where the tip is."""
        parent = ''
        for i in range(joints):
            fields = {'parent': parent, 'pose': at(float(i > 0)), **attributes}
            joint = f'{name}j{i + 1}'
            self.do(
                'set_joint',
                create=True,
                fields=list(fields),
                reference=parent,
                joint=JointInfo(name=joint, kind='revolute', **fields),
            )
            parent = joint
        self.dummy(f'{name}tip', parent, at(1.0))
        self.dummy(f'{name}target', '', at(float(joints)))
        self.do(
            'set_object',
            fields=['target'],
            object=ObjectInfo(name=f'{name}tip', target=f'{name}target'),
        )

    def dummy(self, name: str, parent: str = '', pose: Pose | None = None) -> None:
        fields = {'parent': parent, 'pose': pose or at(0.0)}
        self.do(
            'set_object',
            create=True,
            fields=list(fields),
            reference=parent,
            object=ObjectInfo(name=name, **fields),
        )

    def group(self, name: str, *elements: ElementInfo, **attributes: Any) -> None:
        """Make a group; without elements of the position of `tip` in the plane."""
        elements = elements or (ElementInfo(tip='tip', constraints=XY),)
        fields = {'elements': list(elements), 'max_iterations': 20, **attributes}
        self.do(
            'set_group', create=True, fields=list(fields), group=GroupInfo(name=name, **fields)
        )

    def put(self, **positions: float) -> None:
        for name, position in positions.items():
            self.do(
                'set_joint', fields=['position'], joint=JointInfo(name=name, position=position)
            )

    def q(self, *names: str) -> list[float]:
        joints = self.do('get_joint', names=list(names)).joints
        return [joint.position for joint in joints]

    def where(self, name: str) -> tuple[float, float]:
        point = self.do('get_objects', names=[name]).objects[0].pose.position
        return point.x, point.y

    def handle(self, *groups: str, to: dict[str, Any] | None = None, **fields: Any) -> Any:
        wanted = to or {}
        return self(
            'handle_groups',
            groups=list(groups),
            targets=list(wanted),
            target_poses=list(wanted.values()),
            **fields,
        )


def at(x: float = 0.0, y: float = 0.0) -> Pose:
    return Pose(
        position=Point(x=x, y=y, z=0.0), orientation=Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)
    )


@pytest.fixture
def bench(caller: Any, panda: Any) -> Iterator[Bench]:
    made = Bench(caller, panda)
    made_one = srv.CreateEnvironment.Request(name=made.name)
    assert caller.call(panda, 'create_environment', made_one).success
    yield made
    made.do('erase_environment')


@pytest.fixture
def goal(messages: Any) -> Callable[..., Any]:
    return lambda x, y, frame='': messages.pose((x, y, 0.0), (0.0, 0.0, 0.0, 1.0), frame)


def refused(answer: Any, status: int, *parts: str) -> None:
    assert (answer.success, answer.status) == (False, status), answer.message
    assert 15 < len(answer.message) < 1000
    for part in parts:
        assert part in answer.message


def tip_of(q: list[float]) -> NDArray[np.float64]:
    """Where the tip of an arm is, from its closed form [m]."""
    angles = np.cumsum(q)
    return np.array([np.cos(angles).sum(), np.sin(angles).sum()])


def named(state: JointState) -> dict[str, float]:
    return dict(zip(state.name, state.position, strict=True))


def test_joints_go_to_the_target_and_stay_there(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.put(j1=0.2, j2=0.9)
    bench.group('g')
    answer = bench.handle('g', to={'target': goal(1.35, 1.1)})
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    assert answer.environment == bench.name
    assert answer.elapsed > 0.0
    (result,) = answer.results
    assert (result.flags, list(result.groups)) == (0, ['g'])
    assert 2 <= result.iterations <= 10
    assert f'after {result.iterations} iterations' in answer.message
    assert (list(result.limit_hits), list(result.limit_hit_amounts)) == ([], [])
    state = named(result.joint_state)
    assert list(state) == ['j1', 'j2']
    assert result.joint_state.header.stamp.sec > 0
    assert bench.q('j1', 'j2') == list(state.values())
    error = np.linalg.norm(tip_of(list(state.values())) - (1.35, 1.1))
    assert error <= 0.0005
    assert result.linear_error == pytest.approx(error, abs=1e-12)
    assert result.angular_error == 0.0
    (element,) = result.elements
    assert (element.group, element.number, element.tip) == ('g', 0, 'tip')
    assert (element.linear_error, element.angular_error) == (result.linear_error, 0.0)
    assert element.within
    assert bench.where('target') == (1.35, 1.1)


def test_one_iteration_is_the_newton_step(bench: Bench, goal: Any) -> None:
    bench.arm()
    q = np.array([0.2, 0.9])
    bench.put(j1=0.2, j2=0.9)
    bench.group('g', max_iterations=1, method='undamped_pseudo_inverse')
    answer = bench.handle('g', to={'target': goal(0.9, 1.1)})
    a, b = q[0], q.sum()
    jacobian = [
        [-math.sin(a) - math.sin(b), -math.sin(b)],
        [math.cos(a) + math.cos(b), math.cos(b)],
    ]
    step = np.linalg.solve(jacobian, np.array([0.9, 1.1]) - tip_of(q.tolist()))
    np.testing.assert_allclose(bench.q('j1', 'j2'), q + step, atol=1e-12)
    error = np.linalg.norm(tip_of((q + step).tolist()) - (0.9, 1.1))
    refused(answer, Status.NOT_WITHIN_TOLERANCE, 'not within precision', "'tip'", f'{error:g} m')
    (result,) = answer.results
    assert result.iterations == 1
    # 0.17 rad, the largest step of a joint, was exceeded; the group ignores it and tells it.
    assert np.abs(step).max() > math.radians(10.0)
    assert result.flags == HandleResult.NOT_WITHIN_TOLERANCE + HandleResult.STEPS_TOO_BIG
    assert not result.elements[0].within


def test_a_target_in_the_frame_of_an_object(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.put(j1=0.2, j2=0.9)
    bench.group('g')
    bench.dummy('table', '', at(0.5, 0.5))
    assert bench.handle('g', to={'target': goal(0.4, 0.6, 'table')}).success
    assert bench.where('target') == (0.9, 1.1)
    # The moving frame of a joint.
    bench.put(j1=math.pi / 2)
    assert bench.handle('g', to={'target': goal(1.5, 0.0, 'j1')}, dry_run=False).success
    np.testing.assert_allclose(bench.where('target'), (0.0, 1.5), atol=1e-12)


def test_targets_that_hang_on_each_other_go_where_each_was_sent(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.group('g')
    bench.put(j1=0.2, j2=0.9)
    bench.dummy('child', 'target', at(0.1, 0.0))
    answer = bench.handle('g', to={'child': goal(3.0, 4.0), 'target': goal(0.9, 1.1)})
    assert answer.success, answer.message
    np.testing.assert_allclose(bench.where('child'), (3.0, 4.0), atol=1e-12)
    np.testing.assert_allclose(bench.where('target'), (0.9, 1.1), atol=1e-12)


def test_a_dry_run_changes_nothing(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.put(j1=0.2, j2=0.9)
    bench.group('g')
    tried = bench.handle('g', to={'target': goal(0.9, 1.1)}, dry_run=True)
    assert tried.success, tried.message
    assert 'nothing was applied' in tried.message
    assert bench.q('j1', 'j2') == [0.2, 0.9]
    assert bench.where('target') == (2.0, 0.0)
    done = bench.handle('g', to={'target': goal(0.9, 1.1)})
    assert named(done.results[0].joint_state) == named(tried.results[0].joint_state)
    assert list(named(tried.results[0].joint_state).values()) == bench.q('j1', 'j2')


def test_a_mimic_joint_is_part_of_the_answer(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.do(
        'set_joint',
        create=True,
        fields=['master', 'multiplier', 'offset'],
        joint=JointInfo(name='m', kind='prismatic', master='j2', multiplier=-0.5, offset=0.1),
    )
    bench.put(j1=0.2, j2=0.9)
    bench.group('g')
    state = named(bench.handle('g', to={'target': goal(0.9, 1.1)}).results[0].joint_state)
    assert list(state) == ['j1', 'j2', 'm']
    assert state['m'] == pytest.approx(-0.5 * state['j2'] + 0.1, abs=1e-12)


def test_a_spherical_joint_has_three_values(bench: Bench) -> None:
    bench.do('set_joint', create=True, joint=JointInfo(name='s', kind='spherical'))
    bench.dummy('tip', 's', at(1.0))
    bench.dummy('target', '', at(0.0, 1.0))
    bench.do('set_object', fields=['target'], object=ObjectInfo(name='tip', target='target'))
    bench.group('g', ElementInfo(tip='tip', constraints=ElementInfo.POSITION), max_iterations=50)
    answer = bench.handle('g')
    assert answer.success, answer.message
    state = named(answer.results[0].joint_state)
    assert list(state) == ['s/x', 's/y', 's/z']
    np.testing.assert_allclose([state['s/x'], state['s/z']], [0.0, math.pi / 2], atol=1e-2)


def test_limit_hits_have_signed_amounts(bench: Bench, goal: Any) -> None:
    bench.arm(1, lower=-0.5, upper=0.75)
    bench.group('g', max_iterations=1, method='jacobian_transpose')
    # At q = 0 the tip moves along y, and the transpose makes the error itself the step.
    for y, bound in ((1.0, 0.75), (-0.9, -0.5)):
        bench.put(j1=0.0)
        answer = bench.handle('g', to={'target': goal(1.0, y)})
        refused(answer, Status.NOT_WITHIN_TOLERANCE, "'j1'", f'{y - bound:+g}')
        (result,) = answer.results
        assert result.flags & HandleResult.LIMIT_HIT
        assert list(result.limit_hits) == ['j1']
        assert list(result.limit_hit_amounts) == pytest.approx([y - bound])
        assert bench.q('j1') == [bound]


def test_success_and_a_limit_hit_go_together(bench: Bench, goal: Any) -> None:
    bench.arm(1, lower=-0.5, upper=0.5)
    bench.group('g')
    # The first step, sin 0.5 / cos 0 with the undamped inverse, stays inside; a farther one not.
    bench.put(j1=-0.5)
    answer = bench.handle('g', to={'target': goal(math.cos(0.5), math.sin(0.5))})
    assert answer.success, answer.message
    assert answer.results[0].flags & ~(HandleResult.LIMIT_HIT | HandleResult.STEPS_TOO_BIG) == 0


@pytest.mark.parametrize('restore', ['linear', 'angular'])
def test_restoring(bench: Bench, goal: Any, restore: str) -> None:
    bench.arm()
    bench.put(j1=0.2, j2=0.9)
    element = ElementInfo(tip='tip', constraints=XY if restore == 'linear' else ElementInfo.GAMMA)
    switch = {f'restore_on_bad_{restore}_tolerance': True}
    bench.group('g', element, max_iterations=1, method='jacobian_transpose', **switch)
    answer = bench.handle('g', to={'target': goal(9.0, 0.0)})
    refused(answer, Status.NOT_WITHIN_TOLERANCE, 'the joints went back')
    (result,) = answer.results
    assert bench.q('j1', 'j2') == [0.2, 0.9]
    assert named(result.joint_state) == {'j1': 0.2, 'j2': 0.9}
    assert (result.linear_error if restore == 'linear' else result.angular_error) > 0.1
    # The targets are where they were sent all the same.
    assert bench.where('target') == (9.0, 0.0)


def test_the_other_switch_does_not_restore(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.put(j1=0.2, j2=0.9)
    bench.group('g', max_iterations=1, restore_on_bad_angular_tolerance=True)
    answer = bench.handle('g', to={'target': goal(9.0, 0.0)})
    refused(answer, Status.NOT_WITHIN_TOLERANCE)
    assert 'went back' not in answer.message
    assert bench.q('j1', 'j2') != [0.2, 0.9]


def two_tasks(bench: Bench) -> None:
    """Make an arm of three joints with a task for its tip and one for its first link."""
    bench.arm(3)
    bench.dummy('link', 'j1')
    bench.dummy('direction')
    bench.do('set_object', fields=['target'], object=ObjectInfo(name='link', target='direction'))
    bench.group('first', max_iterations=100)
    bench.group('second', ElementInfo(tip='link', constraints=ElementInfo.GAMMA))
    bench.put(j1=0.4, j2=0.5, j3=0.6)


def direction(messages: Any, angle: float) -> Any:
    turn = (0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2))
    return messages.pose((0.0, 0.0, 0.0), turn)


@pytest.mark.parametrize('strict', [False, True])
def test_the_first_group_comes_first(bench: Bench, goal: Any, messages: Any, strict: bool) -> None:
    two_tasks(bench)
    tip = tip_of([0.5, 0.4, 0.8])
    to = {'target': goal(*tip), 'direction': direction(messages, 0.5)}
    answer = bench.handle('first', 'second', to=to, strict=strict)
    assert answer.success, answer.message
    (result,) = answer.results
    assert list(result.groups) == ['first', 'second']
    assert [(e.group, e.tip) for e in result.elements] == [('first', 'tip'), ('second', 'link')]
    q = list(named(result.joint_state).values())
    np.testing.assert_allclose(tip_of(q), tip, atol=0.0005)
    assert q[0] == pytest.approx(0.5, abs=math.radians(0.1))
    # Both at once are Newton's method in three joints for three rows; otherwise only as much of
    # the second step is made as the first group leaves of it.
    assert (result.iterations < 10) is strict


def test_the_second_group_gives_way(bench: Bench, goal: Any, messages: Any) -> None:
    two_tasks(bench)
    tip = tip_of([0.5, 0.4, 0.8])
    # From the end of a link in that direction the target of the tip is 2.7 m away.
    to = {'target': goal(*tip), 'direction': direction(messages, 2.5)}
    answer = bench.handle('first', 'second', to=to)
    refused(answer, Status.NOT_WITHIN_TOLERANCE, "'link' of group 'second'")
    first, second = answer.results[0].elements
    assert (first.within, second.within) == (True, False)
    assert answer.results[0].linear_error == first.linear_error < 0.0005
    assert answer.results[0].angular_error == second.angular_error > 0.5


def test_every_group_on_its_own(bench: Bench, goal: Any) -> None:
    bench.arm(name='a_')
    bench.arm(name='b_')
    for name in 'ab':
        bench.group(name, ElementInfo(tip=f'{name}_tip', constraints=XY))
        bench.put(**{f'{name}_j2': 0.9})
    answer = bench.handle(to={'a_target': goal(0.9, 1.1), 'b_target': goal(5.0, 0.0)})
    refused(answer, Status.NOT_WITHIN_TOLERANCE, "group 'a': within", "group 'b': not within")
    assert [list(result.groups) for result in answer.results] == [['a'], ['b']]
    assert [list(named(r.joint_state)) for r in answer.results] == [
        ['a_j1', 'a_j2'],
        ['b_j1', 'b_j2'],
    ]
    # One that is not enabled is left out, and when there is no other nothing is done.
    bench.do('set_group', fields=['enabled'], group=GroupInfo(name='b', enabled=False))
    answer = bench.handle()
    assert answer.success, answer.message
    assert [list(result.groups) for result in answer.results] == [['a']]
    bench.do('set_group', fields=['enabled'], group=GroupInfo(name='a', enabled=False))
    refused(bench.handle(), Status.INVALID_STATE, 'no group is enabled')


def test_what_cannot_be_handled_is_told_and_moves_nothing(bench: Bench, goal: Any) -> None:
    bench.arm()
    bench.group('g')
    bench.group('off', enabled=False)
    bench.group('empty', *[ElementInfo(tip='tip', enabled=False)])
    bench.dummy('loose', 'j2')
    bench.group('aimless', ElementInfo(tip='loose', constraints=XY))
    to = {'target': goal(0.9, 1.1)}
    nothing = HandleResult.NOT_PERFORMED + HandleResult.NOT_WITHIN_TOLERANCE
    for groups, flags, reason in (
        (['off'], nothing, 'not enabled'),
        (['empty'], nothing, "no element of 'empty' can be used"),
        (['g', 'empty'], nothing, "no element of 'empty' can be used"),
        (
            ['aimless'],
            HandleResult.CANNOT_INVERT + HandleResult.NOT_WITHIN_TOLERANCE,
            'no tip has a target',
        ),
    ):
        answer = bench.handle(*groups, to=to)
        refused(answer, Status.INVALID_STATE, reason)
        assert [result.flags for result in answer.results] == [flags]
        assert bench.q('j1', 'j2') == [0.0, 0.0]
        assert bench.where('target') == (2.0, 0.0)
    # One that is not enabled is no hindrance to others.
    bench.put(j2=0.5)
    assert bench.handle('g', 'off', to=to).success


def test_bad_requests(bench: Bench, goal: Any, messages: Any) -> None:
    bench.arm()
    bench.group('g')
    here = goal(0.9, 1.1)
    for fields, status, *parts in (
        ({'environment': 'nobody'}, Status.UNKNOWN_ENVIRONMENT, 'nobody'),
        ({'groups': ['leg']}, Status.UNKNOWN_GROUP, 'leg'),
        ({'groups': ['g', 'g']}, Status.INVALID_OPTIONS, 'twice'),
        ({'timeout': -1.0}, Status.INVALID_OPTIONS, 'timeout'),
        ({'timeout': NAN}, Status.INVALID_OPTIONS, 'timeout'),
        ({'targets': ['target']}, Status.INVALID_OPTIONS, 'target_poses'),
        ({'target_poses': [here]}, Status.INVALID_OPTIONS, 'target_poses'),
        ({'targets': ['j1'], 'target_poses': [here]}, Status.UNKNOWN_LINK, 'j1'),
        ({'targets': ['ghost'], 'target_poses': [here]}, Status.UNKNOWN_LINK, 'ghost'),
        ({'targets': ['target'] * 2, 'target_poses': [here] * 2}, Status.INVALID_OPTIONS, 'twice'),
        (
            {'targets': ['target'], 'target_poses': [goal(NAN, 0.0)]},
            Status.INVALID_TARGET,
            "target 'target'",
            'nan',
        ),
        (
            {
                'targets': ['target'],
                'target_poses': [messages.pose((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))],
            },
            Status.INVALID_TARGET,
            'quaternion',
        ),
        (
            {'targets': ['target'], 'target_poses': [goal(1.0, 0.0, 'nowhere')]},
            Status.INVALID_TARGET,
            'nowhere',
        ),
    ):
        answer = bench('handle_groups', **{'groups': ['g'], **fields})
        refused(answer, status, *parts)
        assert len(answer.results) == 0
    assert bench.q('j1', 'j2') == [0.0, 0.0]
    assert bench.where('target') == (2.0, 0.0)
    bench.put(j2=0.5)
    assert bench.handle('g', to={'target': here}).success


def test_a_long_handling_keeps_nobody_waiting_and_ends_in_time(
    bench: Bench, caller: Any, panda: Any, goal: Any
) -> None:
    bench.arm()
    bench.group('g', max_iterations=4_000_000_000, method='jacobian_transpose')
    request = srv.HandleGroups.Request(
        environment=bench.name,
        groups=['g'],
        targets=['target'],
        target_poses=[goal(50.0, 0.5)],
        timeout=1.5,
    )
    pending = caller.send(panda, 'handle_groups', request)
    bench.dummy('meanwhile')
    bench.do('set_joint', fields=['weight'], joint=JointInfo(name='j1', weight=0.5))
    assert not pending.done()
    caller.spin_until(pending.done)
    answer = pending.result()
    refused(answer, Status.NOT_WITHIN_TOLERANCE, 'the time of 1.5 s was over')
    assert 1.4 < answer.elapsed < 5.0
    # Applied to the environment as it is by now: what was edited meanwhile is still there.
    assert bench.where('target') == (50.0, 0.5)
    state = named(answer.results[0].joint_state)
    assert bench.q('j1', 'j2') == list(state.values())
    assert bench.do('get_joint', names=['j1']).joints[0].weight == 0.5
    assert bench.where('meanwhile') == (0.0, 0.0)


def test_what_is_gone_at_the_end_is_told(bench: Bench, caller: Any, panda: Any, goal: Any) -> None:
    bench.arm()
    bench.group('g', max_iterations=4_000_000_000, method='jacobian_transpose')
    request = srv.HandleGroups.Request(
        environment=bench.name,
        groups=['g'],
        targets=['target'],
        target_poses=[goal(50.0, 0.5)],
        timeout=1.0,
    )
    pending = caller.send(panda, 'handle_groups', request)
    bench.do('erase', joints=['j2'])
    caller.spin_until(pending.done)
    refused(pending.result(), Status.INVALID_STATE, "'j2'", 'nothing was applied')
    assert bench.where('target') == (2.0, 0.0)
    assert bench.q('j1') == [0.0]
