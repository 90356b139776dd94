# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Bounded steps over DDS: on the Panda, and on planar arms whose limits and reach are known here.

Motion is measured by the kinematics of the demonstration, which share no code with the library.
"""

from __future__ import annotations

from collections.abc import Callable
import itertools
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from geometry_msgs.msg import Point, Quaternion, Vector3  # noqa: E402
from ik_node.ros.demo_checks import distances, pose_message  # noqa: E402
from ik_node.ros.demo_kinematics import Robot  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import JointInfo, Status, Target  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
START = dict(zip(ARM, (0.1, -0.3, 0.2, -1.9, 0.1, 1.7, 0.6), strict=True))
GOAL = dict(zip(ARM, (0.5, 0.1, -0.1, -1.5, 0.4, 2.0, 0.3), strict=True))
LINEAR, ANGULAR = 0.03, 0.12
NAN, INF = math.nan, math.inf
#: Many names, of which the last has come before.
MANY = [*(f'n{i}' for i in range(100_000)), 'n99999']
StepRequest, Answer = srv.Step.Request, srv.Step.Response
_numbers = itertools.count()


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def step(caller: Any, panda: Any, messages: Any) -> Callable[..., Any]:
    """Ask for a step, from START unless it says otherwise."""

    def ask(**fields: Any) -> Any:
        fields.setdefault('seed', messages.joints(START))
        fields = {'linear_step': LINEAR, 'angular_step': ANGULAR, **fields}
        return caller.call(panda, 'step', StepRequest(**fields))

    return ask


@pytest.fixture
def goal(robot: Robot) -> Any:
    return pose_message(robot.pose(BASE, TIP, GOAL), BASE)


@pytest.fixture
def state(caller: Any, panda: Any) -> Callable[[], dict[str, float]]:
    """Put the state to START, and tell where the joints are when asked."""
    for name, position in START.items():
        request = srv.SetJoint.Request(
            fields=['position'], joint=JointInfo(name=name, position=position)
        )
        assert caller.call(panda, 'set_joint', request).success

    def positions() -> dict[str, float]:
        answer = caller.call(panda, 'get_joint', srv.GetJoint.Request(names=ARM))
        return {joint.name: joint.position for joint in answer.joints}

    return positions


def named(answer: Any) -> dict[str, float]:
    return dict(zip(answer.solution.name, answer.solution.position, strict=True))


def arm_of(answer: Any) -> dict[str, float]:
    return {name: named(answer)[name] for name in ARM}


def test_the_numbers_are_those_of_tekkotsu() -> None:
    assert (Answer.SUCCESS, Answer.PROGRESS, Answer.LIMITS, Answer.RANGE) == (0, 1, 2, 3)
    assert Answer().step_status == -1


def test_steps_that_are_applied_reach_the_target(
    step: Any, state: Any, goal: Any, robot: Robot
) -> None:
    aim = robot.pose(BASE, TIP, GOAL)
    before, count = START, 0
    while count < 200:
        count += 1
        answer = step(target=goal, seed=JointState(), apply_solution=True)
        after = arm_of(answer)
        assert state() == after
        moved = distances(robot.pose(BASE, TIP, before), robot.pose(BASE, TIP, after))
        assert moved[0] <= LINEAR * (1 + 1e-9)
        assert moved[1] <= ANGULAR * (1 + 1e-9)
        left = distances(robot.pose(BASE, TIP, before), aim)
        assert left == pytest.approx(
            (answer.position_error_before, answer.orientation_error_before), abs=1e-6
        )
        left = distances(robot.pose(BASE, TIP, after), aim)
        assert left == pytest.approx((answer.position_error, answer.orientation_error), abs=1e-6)
        if answer.success:
            break
        assert (answer.step_status, answer.status) == (
            Answer.PROGRESS,
            Status.NOT_WITHIN_TOLERANCE,
        )
        assert 'smaller' in answer.message
        weighted = [
            (2.0 * a) ** 2 + b**2
            for a, b in (
                (answer.position_error_before, answer.orientation_error_before),
                (answer.position_error, answer.orientation_error),
            )
        ]
        assert weighted[1] < weighted[0]
        before = after
    assert (answer.step_status, answer.status) == (Answer.SUCCESS, Status.SUCCESS)
    assert 'reached' in answer.message
    # As many as the way is long, and a few more.
    way = distances(robot.pose(BASE, TIP, START), aim)
    assert count >= max(way[0] / LINEAR, way[1] / ANGULAR) > 5
    again = step(target=goal, seed=JointState(), apply_solution=True)
    assert (again.step_status, arm_of(again)) == (Answer.SUCCESS, after)


def test_without_apply_the_state_stays(step: Any, state: Any, goal: Any) -> None:
    before = state()
    answer = step(target=goal)
    assert answer.step_status == Answer.PROGRESS
    assert state() == before
    assert arm_of(answer) != before


@pytest.mark.parametrize(
    'target',
    [
        Target(type='Lookat3D', point=Point(x=0.9, y=0.3, z=0.1)),
        Target(type='Ray4D', values=[0.6, 0.0, -0.8, 0.45, 0.1, 0.4]),
        Target(id=0x33000003, position=Point(x=0.45, y=0.1, z=0.4)),
        Target(
            header=Header(frame_id='panda_link1'),
            type='shapes',
            position_shape='plane',
            normal=Vector3(z=1.0),
            d=-0.1,
        ),
        Target(
            type='box',
            position=Point(x=0.45, y=0.1, z=0.4),
            orientation=Quaternion(x=1.0, w=0.0),
            lower=[-0.05] * 6,
            upper=[0.05] * 6,
        ),
    ],
    ids=lambda target: target.type or hex(target.id),
)
def test_steps_towards_targets_of_other_kinds(
    step: Any, robot: Robot, messages: Any, target: Target
) -> None:
    before = START
    for _ in range(100):
        answer = step(
            targets=[target],
            tool_direction=Vector3(x=0.3, z=1.0),
            seed=messages.joints(before),
        )
        after = arm_of(answer)
        moved = distances(robot.pose(BASE, TIP, before), robot.pose(BASE, TIP, after))
        assert moved[1] <= ANGULAR * (1 + 1e-9)
        if answer.step_status != Answer.PROGRESS:
            break
        before = after
    assert answer.success, answer.message
    assert answer.position_error <= 1e-6
    assert answer.orientation_error <= 1e-5


def test_there_may_be_no_bound(step: Any, goal: Any, robot: Robot) -> None:
    short = step(target=goal, angular_step=INF)
    far = step(target=goal, linear_step=INF, angular_step=INF)
    start = robot.pose(BASE, TIP, START)
    assert distances(start, robot.pose(BASE, TIP, arm_of(short)))[0] <= LINEAR * (1 + 1e-9)
    assert distances(start, robot.pose(BASE, TIP, arm_of(far)))[0] > 2 * LINEAR


def test_tolerances_and_weight_count(step: Any, goal: Any) -> None:
    left = step(target=goal)
    wide = step(target=goal, position_tolerance=2.0, orientation_tolerance=3.0)
    assert wide.success
    assert arm_of(wide) == START
    weighted = step(target=goal, position_weight=20.0)
    assert weighted.position_error < left.position_error


def test_joints_that_are_locked_or_limited(
    step: Any, goal: Any, messages: Any, robot: Robot
) -> None:
    held = {'panda_joint3': 0.15}
    q = {**START, **held}
    for _ in range(60):
        answer = step(
            target=goal,
            seed=messages.joints(q),
            locked_joints=['panda_joint2', 'panda_joint3'],
            limited_joints=['panda_joint1', 'panda_joint6'],
            lower_limits=[-INF, 1.65],
            upper_limits=[0.3, INF],
        )
        q = arm_of(answer)
        assert q['panda_joint2'] == START['panda_joint2']
        assert q['panda_joint3'] == 0.15
        assert q['panda_joint1'] <= 0.3
        assert q['panda_joint6'] >= 1.65
        if answer.step_status != Answer.PROGRESS:
            break
    assert answer.step_status in (Answer.LIMITS, Answer.RANGE), answer.message
    placed = step(target=goal, locked_joints=['panda_joint3'], locked_positions=[0.18])
    assert named(placed)['panda_joint3'] == 0.18
    free = step(target=goal)
    assert named(free)['panda_joint2'] != START['panda_joint2']


class Planar:
    """An arm of links of a metre in a plane, in an environment of its own."""

    def __init__(self, caller: Any, node: Any, limit: float, joints: int = 2) -> None:
        self._caller, self._node = caller, node
        self._joints = joints
        self.name = f'planar{next(_numbers)}'
        parts, parent = ['<link name="floor"/>'], 'floor'
        for i in range(joints):
            parts.append(
                f'<link name="link{i}"/><joint name="j{i}" type="revolute">'
                f'<parent link="{parent}"/><child link="link{i}"/>'
                f'<origin xyz="{min(i, 1)} 0 0"/><axis xyz="0 0 1"/>'
                f'<limit lower="{-limit}" upper="{limit}" effort="1" velocity="1"/></joint>'
            )
            parent = f'link{i}'
        parts.append(
            f'<link name="tip"/><joint name="end" type="fixed"><parent link="{parent}"/>'
            '<child link="tip"/><origin xyz="1 0 0"/></joint>'
        )
        made = caller.call(
            node,
            'create_environment',
            srv.CreateEnvironment.Request(
                name=self.name,
                robot_description=f'<robot name="planar">{"".join(parts)}</robot>',
                group='arm',
                base='floor',
                tip='tip',
            ),
        )
        assert made.success, made.message

    def go(self, x: float, y: float, **fields: Any) -> tuple[list[Any], np.ndarray]:
        """Make steps until one is no progress; give their answers and the angles."""
        answers = []
        for _ in range(500):
            answers.append(
                self._caller.call(
                    self._node,
                    'step',
                    StepRequest(
                        environment=self.name,
                        targets=[Target(type='TranslationXY2D', values=[x, y])],
                        linear_step=0.1,
                        angular_step=INF,
                        apply_solution=True,
                        **fields,
                    ),
                )
            )
            if answers[-1].step_status != Answer.PROGRESS:
                break
        positions = named(answers[-1])
        return answers, np.array([positions[f'j{i}'] for i in range(self._joints)])

    @staticmethod
    def tip(q: np.ndarray) -> np.ndarray:
        return np.array([np.cos(np.cumsum(q)).sum(), np.sin(np.cumsum(q)).sum()])


def test_out_of_reach_is_range(caller: Any, panda: Any) -> None:
    arm = Planar(caller, panda, 3.0)
    answers, q = arm.go(0.9, 1.2)
    assert answers[-1].step_status == Answer.SUCCESS
    assert np.abs(arm.tip(q) - (0.9, 1.2)).max() < 2e-6
    answers, q = arm.go(3.0, 4.0)
    last = answers[-1]
    assert (last.step_status, last.success) == (Answer.RANGE, False)
    assert last.status == Status.NOT_WITHIN_TOLERANCE
    assert 'out of reach' in last.message
    # Stretched out, as near as it gets.
    np.testing.assert_allclose(arm.tip(q), (1.2, 1.6), atol=1e-3)
    assert last.position_error == pytest.approx(3.0, abs=1e-4)
    assert last.position_error == last.position_error_before
    assert {answer.step_status for answer in answers[:-1]} == {Answer.PROGRESS}


def test_a_limit_is_limits_and_is_named(caller: Any, panda: Any) -> None:
    arm = Planar(caller, panda, 0.5, joints=1)
    answers, q = arm.go(0.0, 1.0)
    last = answers[-1]
    assert (last.step_status, last.success) == (Answer.LIMITS, False)
    assert last.status == Status.NOT_WITHIN_TOLERANCE
    assert 'limits of j0' in last.message
    assert q[0] == 0.5
    assert last.position_error == pytest.approx(np.linalg.norm(arm.tip(q) - (0.0, 1.0)), abs=1e-9)
    # The same with limits of the request alone, and without them it goes on.
    arm = Planar(caller, panda, 3.0, joints=1)
    answers, q = arm.go(0.0, 1.0, limited_joints=['j0'], upper_limits=[0.25])
    assert (answers[-1].step_status, q[0]) == (Answer.LIMITS, 0.25)
    answers, q = arm.go(0.0, 1.0)
    assert answers[-1].step_status == Answer.SUCCESS
    assert q[0] == pytest.approx(math.pi / 2, abs=1e-5)


def test_many_joints_step_in_a_worker(caller: Any, panda: Any) -> None:
    arm = Planar(caller, panda, 3.0, joints=40)
    answers, q = arm.go(20.0, 20.0, position_tolerance=1e-3)
    assert answers[-1].success, answers[-1].message
    assert np.abs(arm.tip(q) - 20.0).max() < 1e-3


@pytest.mark.parametrize(
    ('fields', 'status', 'sentence'),
    [
        ({'linear_step': 0.0}, Status.INVALID_OPTIONS, 'linear_step is 0.0'),
        ({'linear_step': NAN}, Status.INVALID_OPTIONS, 'linear_step is nan'),
        ({'angular_step': -1.0}, Status.INVALID_OPTIONS, 'angular_step is -1.0'),
        ({'position_tolerance': -1.0}, Status.INVALID_OPTIONS, 'position_tolerance is -1.0'),
        ({'orientation_tolerance': NAN}, Status.INVALID_OPTIONS, 'orientation_tolerance is nan'),
        ({'position_weight': -INF}, Status.INVALID_OPTIONS, 'position_weight is -inf'),
        ({'position_weight': INF}, Status.INVALID_OPTIONS, 'position_weight is inf'),
        ({'group': 'leg'}, Status.UNKNOWN_GROUP, 'leg'),
        ({'environment': 'nowhere'}, Status.UNKNOWN_ENVIRONMENT, 'nowhere'),
        ({'seed': JointState(name=['a'])}, Status.INVALID_SEED, '1 names'),
        (
            {'seed': JointState(name=MANY, position=[0.0] * len(MANY))},
            Status.INVALID_SEED,
            'more than once',
        ),
        ({'locked_joints': MANY}, Status.INVALID_OPTIONS, "'n99999' more than once"),
        ({'targets': [Target(type='Lookat')]}, Status.INVALID_TARGET, "no type 'Lookat'"),
        ({'targets': [Target(type='dummy')]}, Status.INVALID_TARGET, 'no target was given'),
        ({'tool_direction': Vector3(x=NAN)}, Status.INVALID_TARGET, 'tool_direction is'),
        ({'locked_joints': ['elbow']}, Status.UNKNOWN_JOINT, "'elbow'"),
        ({'locked_joints': ['panda_joint1'] * 2}, Status.INVALID_OPTIONS, 'more than once'),
        ({'locked_positions': [1.0]}, Status.INVALID_OPTIONS, 'locked_positions has 1 numbers'),
        (
            {'locked_joints': ['panda_joint1'], 'locked_positions': [9.0]},
            Status.INVALID_OPTIONS,
            'its limits allow',
        ),
        (
            {'locked_joints': ['panda_joint1'], 'locked_positions': [NAN]},
            Status.INVALID_OPTIONS,
            'finite',
        ),
        ({'limited_joints': ['panda_joint1']}, Status.INVALID_OPTIONS, 'neither lower_limits'),
        ({'upper_limits': [1.0]}, Status.INVALID_OPTIONS, 'upper_limits has 1 numbers'),
        (
            {'limited_joints': ['panda_joint1'], 'lower_limits': [5.0]},
            Status.INVALID_OPTIONS,
            'leave no position',
        ),
        (
            {'limited_joints': ['panda_joint1'], 'lower_limits': [NAN]},
            Status.INVALID_OPTIONS,
            'numbers in order',
        ),
        (
            {'limited_joints': ['x' * 10_000], 'lower_limits': [0.0]},
            Status.UNKNOWN_JOINT,
            'xxx...',
        ),
    ],
)
def test_what_means_nothing_is_refused_and_the_node_lives_on(
    step: Any, state: Any, goal: Any, fields: dict[str, Any], status: int, sentence: str
) -> None:
    where = {} if 'targets' in fields else {'target': goal}
    answer = step(apply_solution=True, **where, **fields)
    assert (answer.success, answer.status) == (False, status), answer.message
    assert answer.step_status == -1
    assert sentence in answer.message
    assert len(answer.message) < 1200
    assert state() == START
    assert step(target=goal).step_status == Answer.PROGRESS
