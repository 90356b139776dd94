# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that one request holds or limits, over DDS on the Panda."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from ik_node.ros.demo_checks import distances, pose_message  # noqa: E402
from ik_node.ros.demo_kinematics import Robot  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import SolveOptions, Status, Target  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
START = dict(zip(ARM, (0.1, -0.3, 0.2, -1.9, 0.1, 1.7, 0.6), strict=True))
GOAL = dict(zip(ARM, (0.8, 0.6, -0.5, -1.9, 0.9, 2.6, 1.6), strict=True))
INF = math.inf


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def solve(caller: Any, panda: Any, messages: Any, robot: Robot) -> Callable[..., Any]:
    """Solve from START, by default for the pose of GOAL."""

    def ask(*targets: Target, **options: Any) -> Any:
        options.setdefault('timeout', 0.3)
        request = srv.Solve.Request(
            targets=targets,
            seed=messages.joints(START),
            options=SolveOptions(**options),
        )
        if not targets:
            request.target = pose_message(robot.pose(BASE, TIP, GOAL), BASE)
        return caller.call(panda, 'solve', request)

    return ask


def named(answer: Any) -> dict[str, float]:
    return dict(zip(answer.solution.name, answer.solution.position, strict=True))


def holds(robot: Robot, answer: Any) -> dict[str, float]:
    """Check that the target is met inside of the limits; give the joints."""
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    q = named(answer)
    position, orientation = distances(robot.pose(BASE, TIP, q), robot.pose(BASE, TIP, GOAL))
    assert position < 2e-6
    assert orientation < 2e-5
    assert robot.excess(robot.between(BASE, TIP), q) == 0.0
    return q


@pytest.mark.parametrize('method', ['', 'dls'])
def test_locked_joints_stay(solve: Any, robot: Robot, method: str) -> None:
    options = {'inverse_method': method, 'timeout': 0.5}
    # At the seed, for a target that leaves enough free.
    target = Target(type='Translation3D', values=[0.45, 0.1, 0.4])
    answer = solve(target, locked_joints=['panda_joint2', 'panda_joint3'], **options)
    assert answer.success, answer.message
    q = named(answer)
    assert (q['panda_joint2'], q['panda_joint3']) == (-0.3, 0.2)
    assert robot.pose(BASE, TIP, q)[:3, 3] == pytest.approx([0.45, 0.1, 0.4], abs=2e-6)
    # Elsewhere, for a pose.
    answer = solve(locked_joints=['panda_joint3'], locked_positions=[-0.2], **options)
    assert holds(robot, answer)['panda_joint3'] == -0.2
    assert holds(robot, solve(**options))['panda_joint3'] != -0.2


@pytest.mark.parametrize('method', ['', 'dls'])
def test_narrowed_limits_hold(solve: Any, robot: Robot, method: str) -> None:
    options = {'inverse_method': method, 'timeout': 0.5}
    free = holds(robot, solve(**options))
    bound = free['panda_joint3'] + 0.1
    answer = solve(
        limited_joints=['panda_joint3', 'panda_joint4'],
        lower_limits=[bound, -INF],
        upper_limits=[INF, 0.0],
        max_starts=200,
        **options,
    )
    assert holds(robot, answer)['panda_joint3'] >= bound
    # What is wider than the joint's own makes no difference.
    answer = solve(limited_joints=['panda_joint4'], upper_limits=[9.0], **options)
    assert holds(robot, answer) == pytest.approx(free, abs=1e-9)


def test_configurations_with_joints_held_and_limited(
    caller: Any, panda: Any, messages: Any, robot: Robot
) -> None:
    request = srv.FindConfig.Request(
        target=pose_message(robot.pose(BASE, TIP, GOAL), BASE),
        seed=messages.joints(START),
        max_configs=4,
        options=SolveOptions(
            timeout=0.5,
            locked_joints=['panda_joint3'],
            locked_positions=[-0.2],
            limited_joints=['panda_joint1'],
            lower_limits=[0.2],
            upper_limits=[1.0],
        ),
    )
    answer = caller.call(panda, 'find_config', request)
    assert answer.success, answer.message
    for row in np.reshape(answer.configs, (answer.count, -1)):
        q = dict(zip(answer.joint_names, row.tolist(), strict=True))
        assert q['panda_joint3'] == -0.2
        assert 0.2 <= q['panda_joint1'] <= 1.0
        found = distances(robot.pose(BASE, TIP, q), robot.pose(BASE, TIP, GOAL))
        assert max(found) < 2e-5


@pytest.mark.parametrize(
    ('options', 'status', 'sentence'),
    [
        ({'locked_joints': ['elbow']}, Status.UNKNOWN_JOINT, "'elbow'"),
        (
            {'locked_joints': ['panda_joint1', 'panda_joint2'], 'locked_positions': [0.0]},
            Status.INVALID_OPTIONS,
            'options.locked_positions has 1 numbers and options.locked_joints 2 names',
        ),
        ({'limited_joints': ['panda_joint1']}, Status.INVALID_OPTIONS, 'options.limited_joints'),
        (
            {
                'limited_joints': ['panda_joint1'],
                'lower_limits': [1.0],
                'upper_limits': [0.0],
            },
            Status.INVALID_OPTIONS,
            'numbers in order',
        ),
    ],
)
def test_what_means_nothing_is_refused_and_the_node_lives_on(
    solve: Any, options: dict[str, Any], status: int, sentence: str
) -> None:
    for more in ({}, {'inverse_method': 'svd'}):
        answer = solve(**{**more, **options})
        assert (answer.success, answer.status) == (False, status), answer.message
        assert sentence in answer.message
        assert len(answer.message) < 1200
    assert solve().success


@pytest.mark.parametrize(
    'options',
    [
        {'locked_joints': ['panda_joint1']},
        {'locked_positions': [1.0]},
        {'limited_joints': ['panda_joint1']},
        {'lower_limits': [1.0]},
        {'upper_limits': [1.0]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_a_batch_takes_none_of_them(caller: Any, panda: Any, options: dict[str, Any]) -> None:
    (field,) = options
    request = srv.SolveBatch.Request(options=SolveOptions(**options))
    answer = caller.call(panda, 'solve_batch', request)
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS), answer.message
    assert f'options.{field} has a value, but is not for a batch' in answer.message


def test_without_limits_no_joint_can_be_held(solve: Any) -> None:
    for fields in (
        {'locked_joints': ['panda_joint3']},
        {'limited_joints': ['panda_joint3'], 'upper_limits': [0.3]},
    ):
        answer = solve(inverse_method='dls', enforce_joint_limits=False, **fields)
        assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS)
        assert 'do not enforce joint limits' in answer.message
