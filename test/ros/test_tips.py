# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Groups of several tips, and frames, over DDS.

Two planar arms of two links of a metre, side by side on a rail; where their tips are, is worked
out here.
"""

from __future__ import annotations

from collections.abc import Iterator
import itertools
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import (  # noqa: E402
    ElementInfo,
    GroupInfo,
    JointInfo,
    ObjectInfo,
    SolveOptions,
    Status,
    Target,
    TargetVelocity,
)

XY = ElementInfo.X + ElementInfo.Y
FEET = {'left': 0.5, 'right': -0.5}
#: Where the feet stand along x, and so does the whole bench.
SHIFT = 0.36
_numbers = itertools.count()


def description(joints: int = 2) -> str:
    """URDF of both arms; each joint turns about z, each link is a metre long."""
    parts = ['<link name="floor"/>', '<link name="bench"/>']
    limits = '<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/>'
    edges = [('bench', 'floor', 'bench', 'fixed', (SHIFT, 0.0), '')]
    for side, y in FEET.items():
        parent, at = 'bench', (0.0, y)
        for i in range(1, joints + 1):
            link = f'{side}_link{i}'
            edges.append((f'{side}{i}', parent, link, 'revolute', at, limits))
            parent, at = link, (1.0, 0.0)
        edges.append((f'{side}_end', parent, f'{side}_tip', 'fixed', at, ''))
    for name, parent, child, kind, (x, y), more in edges:
        if child != 'bench':
            parts.append(f'<link name="{child}"/>')
        parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{x} {y} 0"/>{more}</joint>'
        )
    return f'<robot name="arms">{"".join(parts)}</robot>'


class Arms:
    """An environment with both arms, and a group of both tips."""

    def __init__(self, caller: Any, node: Any) -> None:
        self._caller, self._node = caller, node
        self.name = f'arms{next(_numbers)}'
        self.do('create_environment', name=self.name, robot_description=description())
        self.group('both', *(ElementInfo(tip=f'{side}_tip', constraints=XY) for side in FEET))

    def __call__(self, service: str, /, **fields: Any) -> Any:
        kind = getattr(srv, ''.join(part.capitalize() for part in service.split('_')))
        request = kind.Request(**fields)
        if hasattr(request, 'environment'):
            request.environment = self.name
        return self._caller.call(self._node, service, request)

    def do(self, service: str, /, **fields: Any) -> Any:
        answer = self(service, **fields)
        assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
        return answer

    def group(self, name: str, *elements: ElementInfo) -> None:
        group = GroupInfo(name=name, elements=list(elements))
        self.do('set_group', create=True, fields=['elements'], group=group)

    def dummy(self, name: str, x: float, y: float, parent: str = '', of: str = '') -> None:
        """Create a dummy, and make it the target of another one."""
        pose = Pose(position=Point(x=x, y=y))
        self.do(
            'set_object',
            create=True,
            fields=['parent', 'pose'],
            reference=parent,
            object=ObjectInfo(name=name, parent=parent, pose=pose),
        )
        if of:
            target = ObjectInfo(name=of, target=name)
            self.do('set_object', fields=['target'], object=target)

    def solve(self, *targets: Target, group: str = 'both', **fields: Any) -> Any:
        fields.setdefault('options', SolveOptions(timeout=0.5))
        return self('solve', group=group, targets=targets, **fields)

    def tips(self, answer: Any) -> list[float]:
        """X and y of the left and of the right tip in the world."""
        assert answer.success, answer.message
        return self.at(dict(zip(answer.solution.name, answer.solution.position, strict=True)))

    @staticmethod
    def at(q: dict[str, float]) -> list[float]:
        found = []
        for side, y in FEET.items():
            a, b = q[f'{side}1'], q[f'{side}1'] + q[f'{side}2']
            found += [SHIFT + math.cos(a) + math.cos(b), y + math.sin(a) + math.sin(b)]
        return found


@pytest.fixture
def arms(caller: Any, panda: Any) -> Iterator[Arms]:
    made = Arms(caller, panda)
    yield made
    made.do('erase_environment')


def spot(x: float, y: float, tip: str = '', frame: str = '', **fields: Any) -> Target:
    return Target(
        tip=tip, header=Header(frame_id=frame), position=Point(x=x, y=y, z=0.0), **fields
    )


def near(found: list[float], *expected: float) -> bool:
    return bool(np.allclose(found, expected, atol=1e-5))


def test_a_target_for_each_tip(arms: Arms) -> None:
    in_order = arms.solve(spot(1.5, 1.0), spot(1.2, -1.0))
    assert near(arms.tips(in_order), 1.5, 1.0, 1.2, -1.0)
    named = arms.solve(spot(1.2, -1.0, 'right_tip'), spot(1.5, 1.0, 'left_tip'))
    assert near(arms.tips(named), 1.5, 1.0, 1.2, -1.0)


def test_targets_of_different_kinds_and_frames(arms: Arms) -> None:
    answer = arms.solve(
        spot(1.5, 0.1, 'right_tip', 'bench', type='TranslationXY2D'),
        Target(
            tip='left_tip',
            type='shapes',
            position_shape='line',
            position=Point(x=1.0),
            line_direction=Vector3(y=1.0),
        ),
    )
    found = arms.tips(answer)
    assert near([found[0], *found[2:]], 1.0, SHIFT + 1.5, 0.1)
    # The frame of the left forearm, where it stands at the seed.
    seed = {'left1': 0.3, 'left2': 0.5, 'right1': 0.0, 'right2': 0.0}
    state = srv.Solve.Request().seed
    state.name, state.position = list(seed), list(seed.values())
    answer = arms.solve(
        spot(-0.5, 0.0, 'right_tip', 'left_link2'), spot(1.5, 1.0, 'left_tip'), seed=state
    )
    x = SHIFT + math.cos(0.3) - 0.5 * math.cos(0.8)
    y = 0.5 + math.sin(0.3) - 0.5 * math.sin(0.8)
    assert near(arms.tips(answer), 1.5, 1.0, x, y)


def test_tips_that_are_not_named_go_to_their_own_targets(arms: Arms) -> None:
    arms.dummy('left_goal', 1.6, 0.9, of='left_tip')
    answer = arms.solve(spot(1.2, -1.0, 'right_tip'))
    assert near(arms.tips(answer), 1.6, 0.9, 1.2, -1.0)
    answer = arms.solve(Target(type='dummy'), spot(1.2, -1.1))
    assert near(arms.tips(answer), 1.6, 0.9, 1.2, -1.1)
    missing = arms.solve(Target(type='dummy'))
    assert (missing.success, missing.status) == (False, Status.INVALID_TARGET)
    assert 'right_tip' in missing.message
    # A target that hangs on the other arm goes with it.
    arms.dummy('beside', 0.0, -0.6, parent='left_tip', of='right_tip')
    found = arms.tips(arms.solve(Target(type='dummy')))
    assert near(found[:2], 1.6, 0.9)
    assert abs(math.dist(found[:2], found[2:]) - 0.6) < 1e-5
    # And one that is given instead counts instead.
    found = arms.tips(arms.solve(Target(type='dummy'), spot(1.2, -1.0)))
    assert near(found, 1.6, 0.9, 1.2, -1.0)


def test_the_message_names_the_tips_that_are_not_there(arms: Arms) -> None:
    answer = arms.solve(spot(1.5, 1.0), spot(5.0, -0.5))
    assert not answer.success
    assert "not at their targets: 'right_tip' by 2.64 m" in answer.message
    assert "'left_tip'" not in answer.message
    assert abs(answer.position_error - 2.64) < 1e-2
    iterated = arms.solve(
        spot(1.5, 1.0),
        spot(5.0, -0.5),
        options=SolveOptions(inverse_method='dls', use_orientation=False),
    )
    assert (iterated.success, iterated.status) == (False, Status.NOT_FOUND)
    assert "'right_tip' by 2.6" in iterated.message
    assert "'left_tip'" not in iterated.message


def test_configurations_of_both_arms(arms: Arms) -> None:
    for targets in (
        [spot(1.5, 1.0), spot(1.2, -1.0)],
        [spot(1.2, -1.0, 'right_tip', type='Translation3D'), spot(1.5, 1.0, 'left_tip')],
    ):
        answer = arms('find_config', group='both', targets=targets, max_configs=4)
        assert (answer.success, answer.count) == (True, 4), answer.message
        for row in np.asarray(answer.configs).reshape(4, -1):
            q = dict(zip(answer.joint_names, row.tolist(), strict=True))
            assert near(arms.at(q), 1.5, 1.0, 1.2, -1.0)


def test_a_solution_can_become_the_state(arms: Arms) -> None:
    options = SolveOptions(timeout=0.5, apply_solution=True)
    answer = arms.solve(spot(1.5, 1.0), spot(1.2, -1.0), options=options)
    joints = arms.do('get_joint').joints
    assert near(arms.tips(answer), *arms.at({joint.name: joint.position for joint in joints}))


def test_both_tips_go_step_by_step(arms: Arms) -> None:
    arms.dummy('left_goal', 1.6, 0.9, of='left_tip')
    q = {'left1': 0.5, 'left2': 0.5, 'right1': -0.5, 'right2': 0.7}
    steps = 0
    while steps < 200:
        state = srv.Step.Request().seed
        state.name, state.position = list(q), list(q.values())
        answer = arms(
            'step',
            group='both',
            targets=[spot(1.2, -1.0, 'right_tip')],
            seed=state,
            linear_step=0.05,
            angular_step=math.inf,
        )
        after = dict(zip(answer.solution.name, answer.solution.position, strict=True))
        moved = np.reshape(np.array(arms.at(after)) - arms.at(q), (2, 2))
        assert np.linalg.norm(moved, axis=1).max() <= 0.05 * (1 + 1e-9)
        q, steps = after, steps + 1
        if answer.step_status != srv.Step.Response.PROGRESS:
            break
    assert steps > 10
    assert near(arms.tips(answer), 1.6, 0.9, 1.2, -1.0)


def test_each_tip_has_a_velocity(arms: Arms) -> None:
    rates = {'left_tip': (0.1, -0.3), 'right_tip': (-0.2, 0.4)}

    def at(q: Any) -> Any:
        state = JointState(name=names, position=list(q))
        answer = arms.do('forward_kinematics', links=list(rates), joint_state=state)
        return np.array([[p.pose.position.x, p.pose.position.y] for p in answer.poses])

    fields = [
        TargetVelocity(tip=tip, type='TranslationXY2D', position=Vector3(x=x, y=y))
        for tip, (x, y) in rates.items()
    ]
    values = [TargetVelocity(type='TranslationXY2D', values=list(rate)) for rate in rates.values()]
    answers = []
    for asked in (fields, fields[::-1], values):
        answer = arms('joint_velocities', group='both', velocities=asked)
        names = list(answer.joint_names)
        q = 0.3 + 0.1 * np.arange(len(names))
        state = JointState(name=names, position=q.tolist())
        answer = arms.do('joint_velocities', group='both', velocities=asked, joint_state=state)
        assert max(answer.linear_residual, answer.angular_residual) < 1e-6
        dq = np.array(answer.velocities)
        seen = (at(q + 1e-5 * dq) - at(q - 1e-5 * dq)) / 2e-5
        np.testing.assert_allclose(seen, list(rates.values()), atol=1e-6)
        answers.append(dq)
    np.testing.assert_allclose(answers[1], answers[0], atol=1e-9)
    for asked, words in (
        ([], 'velocities has 0 velocities without a tip'),
        (fields[:1], "none for the tip 'right_tip'"),
        ([fields[0], values[1]], 'some of velocities name a tip'),
        ([fields[0], fields[0]], "velocities[1]: 'left_tip' is named twice"),
    ):
        answer = arms('joint_velocities', group='both', velocities=asked)
        assert (answer.success, answer.status) == (False, Status.INVALID_TARGET)
        assert words in answer.message


def test_a_spherical_joint_may_be_held(arms: Arms) -> None:
    arms.do('set_joint', create=True, fields=['parent'], joint=JointInfo(
        name='wrist', kind='spherical', parent='left_tip'))  # fmt: skip
    arms.dummy('hand', 0.5, 0.0, parent='wrist')
    arms.group('with a wrist', ElementInfo(tip='hand', base='floor', constraints=XY))
    held = ['wrist/x', 'wrist/y', 'wrist/z']
    target = Target(type='TranslationXY2D', values=[1.2, 1.1])
    for joints, positions, at in (
        (['wrist'], [], [0.0, 0.0, 0.0]),
        (held, [0.1, -0.2, 0.7], [0.1, -0.2, 0.7]),
        (held[::-1], [0.7, -0.2, 0.1], [0.1, -0.2, 0.7]),
    ):
        options = SolveOptions(timeout=0.3, locked_joints=joints, locked_positions=positions)
        arms.do('solve', group='with a wrist', targets=[target], options=options)
        told = arms.do('get_group', names=['with a wrist']).groups[0]
        assert list(told.joint_names)[-3:] == held
        found = arms.do('find_config', group='with a wrist', targets=[target], options=options)
        q = np.array(found.configs).reshape(found.count, -1)
        assert q[0, -3:].tolist() == at
        assert list(found.joint_names)[-3:] == held
        step = arms(
            'step',
            group='with a wrist',
            targets=[target],
            linear_step=0.1,
            angular_step=0.1,
            locked_joints=joints,
            locked_positions=positions,
        )
        assert step.step_status == srv.Step.Response.PROGRESS, step.message
    for joints, positions, words in (
        (['wrist/x'], [], 'a spherical joint is held as a whole'),
        (['wrist'], [0.3], 'it must be a rotation vector'),
        (['wrist', *held], [], 'name one or the others'),
    ):
        options = SolveOptions(locked_joints=joints, locked_positions=positions)
        answer = arms('solve', group='with a wrist', targets=[target], options=options)
        assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS)
        assert words in answer.message


def test_x_and_y_count_in_the_frame_that_is_named(arms: Arms) -> None:
    arms.group('left', ElementInfo(tip='left_tip', base='bench'))
    for frame, shift in (('world', 0.0), ('floor', 0.0), ('', SHIFT), ('bench', SHIFT)):
        target = Target(
            header=Header(frame_id=frame),
            type='TranslationXY2D',
            position=Point(x=1.5, y=1.0, z=99.0),
        )
        answer = arms.solve(target, group='left')
        assert answer.success, answer.message
        q = dict(zip(answer.solution.name, answer.solution.position, strict=True))
        assert near(arms.at(q | {'right1': 0.0, 'right2': 0.0})[:2], 1.5 + shift, 1.0)
    # A joint as base is its fixed frame.
    arms.group('shoulder', ElementInfo(tip='left_tip', base='left1'))
    target = spot(1.5, 1.0, frame='world', type='TranslationXY2D')
    answer = arms.solve(target, group='shoulder')
    assert answer.success, answer.message
    q = dict(zip(answer.solution.name, answer.solution.position, strict=True))
    assert near(arms.at(q | {'right1': 0.0, 'right2': 0.0})[:2], 1.5, 1.0)


def test_a_type_that_is_tied_to_axes_of_the_base_says_so(arms: Arms) -> None:
    tilted = ObjectInfo(
        name='tilted', parent='bench', pose=Pose(orientation=Quaternion(x=0.5, w=1.0))
    )
    arms.do('set_object', create=True, fields=['parent', 'pose'], object=tilted)
    for kind in ('TranslationXY2D', 'TranslationZAxisAngle4D'):
        answer = arms.solve(
            spot(1.5, 1.0, 'left_tip', 'tilted', type=kind), spot(1.2, -1.0, 'right_tip')
        )
        assert (answer.success, answer.status) == (False, Status.INVALID_TARGET)
        assert f'the z axis of the base, to which a {kind} is tied' in answer.message


@pytest.mark.parametrize(
    ('targets', 'sentence'),
    [
        ([], "group 'both' has 2 elements and target is for one"),
        ([spot(1.5, 1.0)], 'targets has 1 targets without a tip, and the group has 2 elements'),
        ([spot(1.5, 1.0, 'left_tip'), spot(1.5, 1.0)], 'some of targets name a tip'),
        ([spot(1.5, 1.0, 'left_tip')] * 2, "targets[1]: 'left_tip' is named twice"),
        ([spot(1.5, 1.0, 'bench')], "targets[0]: 'bench' is no tip of the group"),
        ([spot(math.nan, 1.0, 'left_tip')], 'targets[0]: '),
        ([spot(1.5, 1.0, 'left_tip')], 'right_tip'),
        ([spot(1.5, 1.0, 'left_tip', 'moon')], "unknown link 'moon'"),
    ],
)
def test_what_is_not_clear_is_refused(arms: Arms, targets: list[Target], sentence: str) -> None:
    for service in ('solve', 'find_config'):
        answer = arms(service, group='both', targets=targets)
        assert (answer.success, answer.status) == (False, Status.INVALID_TARGET), answer.message
        assert sentence in answer.message
    assert arms.solve(spot(1.5, 1.0), spot(1.2, -1.0)).success


def test_a_tip_of_two_elements_is_meant_by_its_place(arms: Arms) -> None:
    arms.group(
        'twice',
        ElementInfo(tip='left_tip', constraints=ElementInfo.X),
        ElementInfo(tip='left_tip', constraints=ElementInfo.Y),
    )
    answer = arms.solve(spot(1.5, 9.0), spot(9.0, 1.0), group='twice')
    assert answer.success, answer.message
    q = dict(zip(answer.solution.name, answer.solution.position, strict=True))
    assert near(arms.at(q | {'right1': 0.0, 'right2': 0.0})[:2], 1.5, 1.0)
    mixed = arms.solve(spot(1.5, 9.0), spot(1.5, 1.0, type='TranslationXY2D'), group='twice')
    assert mixed.success, mixed.message
    named = arms.solve(spot(1.5, 9.0, 'left_tip'), group='twice')
    assert 'is the tip of several elements' in named.message
    some = arms.solve(spot(1.5, 9.0), Target(type='dummy'), group='twice')
    assert 'belongs to several elements' in some.message
    assert {named.status, some.status} == {Status.INVALID_TARGET}


def test_a_group_that_cannot_be_solved_says_so(arms: Arms) -> None:
    arms.group('none')
    assert arms.solve(spot(1.0, 0.0), group='none').status == Status.INVALID_STATE
    arms.dummy('end', 0.1, 0.0, parent='left_tip')
    arms.group('lost', ElementInfo(tip='end'), ElementInfo(tip='right_tip'))
    arms.do('erase', dummies=['end'])
    for targets in ([], [spot(1.0, 0.0), spot(1.0, 0.0)], [Target(type='dummy')]):
        answer = arms.solve(*targets, group='lost')
        assert (answer.success, answer.status) == (False, Status.INVALID_STATE), answer.message


def test_a_batch_takes_a_part_of_a_pose(arms: Arms) -> None:
    arms.group('left', ElementInfo(tip='left_tip', base='bench', constraints=XY))
    poses = [[1.0 + 0.1 * i, 0.6, 7.0, 1.0, 0.0, 0.0, 0.0] for i in range(5)]
    answer = arms('solve_batch', group='left', poses=np.array(poses).ravel())
    assert answer.success, answer.message
    for pose, row in zip(poses, np.asarray(answer.positions).reshape(5, 2), strict=True):
        q = dict(zip(answer.joint_names, row.tolist(), strict=True))
        found = arms.at(q | {'right1': 0.0, 'right2': 0.0})
        assert near(found[:2], SHIFT + pose[0], pose[1])
    both = arms('solve_batch', group='both', poses=np.array(poses).ravel())
    assert (both.success, both.status) == (False, Status.INVALID_STATE)
