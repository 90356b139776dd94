# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Solving by an iteration that the request describes, and what becomes of the state."""

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
from ik_node_interfaces.msg import JointInfo, SolveOptions, Status  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
START = dict(zip(ARM, (0.1, -0.3, 0.2, -1.9, 0.1, 1.7, 0.6), strict=True))
NEAR = {name: value + 0.2 for name, value in START.items()}


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def solve(caller: Any, panda: Any, messages: Any, robot: Robot) -> Callable[..., Any]:
    """Solve for a pose from START, by default for that of NEAR."""

    def call(target: Any = None, service: str = 'solve', **options: Any) -> Any:
        kind = srv.Solve if service == 'solve' else srv.FindConfig
        request = kind.Request(
            target=target or pose_message(robot.pose(BASE, TIP, NEAR), BASE),
            seed=messages.joints(START),
            options=SolveOptions(**options),
        )
        return caller.call(panda, service, request)

    return call


@pytest.fixture
def state(caller: Any, panda: Any) -> Callable[[], dict[str, float]]:
    """Put the joints of the state away from START, and tell where they are when asked."""
    for name in ARM:
        request = srv.SetJoint.Request(
            fields=['position'], joint=JointInfo(name=name, position=START[name] - 0.1)
        )
        assert caller.call(panda, 'set_joint', request).success

    def positions() -> dict[str, float]:
        answer = caller.call(panda, 'get_joint', srv.GetJoint.Request(names=ARM))
        return {joint.name: joint.position for joint in answer.joints}

    return positions


def named(state: Any) -> dict[str, float]:
    return dict(zip(state.name, state.position, strict=True))


def refused(answer: Any, *parts: str) -> None:
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS), answer.message
    assert 15 < len(answer.message) < 1000
    for part in parts:
        assert part in answer.message


@pytest.mark.parametrize(
    ('method', 'more'),
    [
        ('dls', {}),
        ('pinv', {'max_step': 0.1}),
        ('svd', {'step_size': 0.5}),
        ('transpose', {'max_iterations': 100_000, 'transpose_gain': 0.35, 'timeout': 5.0}),
        ('adaptive', {}),
    ],
)
def test_every_method_reaches_the_pose(
    solve: Any, robot: Robot, method: str, more: dict[str, Any]
) -> None:
    answer = solve(inverse_method=method, **more)
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    reached = robot.pose(BASE, TIP, named(answer.solution))
    position, orientation = distances(reached, robot.pose(BASE, TIP, NEAR))
    assert position < 2e-6
    assert orientation < 2e-5
    assert answer.restarts == 0
    assert answer.iterations > 1


def test_one_update_is_the_damped_step(
    solve: Any, caller: Any, panda: Any, messages: Any, robot: Robot
) -> None:
    asked = srv.ComputeJacobian.Request(joint_state=messages.joints(START))
    jacobian = np.reshape(caller.call(panda, 'compute_jacobian', asked).jacobian, (6, 7))
    before, goal = robot.pose(BASE, TIP, START), robot.pose(BASE, TIP, NEAR)
    # The position alone, with a damping and half of the step.
    rows, error = jacobian[:3], (goal - before)[:3, 3]
    step = 0.5 * rows.T @ np.linalg.solve(rows @ rows.T + 0.3**2 * np.eye(3), error)
    answer = solve(
        inverse_method='dls',
        damping=0.3,
        step_size=0.5,
        max_iterations=1,
        use_orientation=False,
    )
    assert (answer.success, answer.status) == (False, Status.NOT_FOUND), answer.message
    assert answer.iterations == 1
    q = np.array([named(answer.solution)[name] for name in ARM])
    np.testing.assert_allclose(q, np.array(list(START.values())) + step, atol=1e-9)
    # And with a bound on the largest component.
    answer = solve(
        inverse_method='dls',
        damping=0.3,
        step_size=0.5,
        max_iterations=1,
        use_orientation=False,
        max_step=0.01,
    )
    q = np.array([named(answer.solution)[name] for name in ARM])
    scaled = step * 0.01 / np.abs(step).max()
    np.testing.assert_allclose(q, np.array(list(START.values())) + scaled, atol=1e-9)


def test_the_position_alone(solve: Any, robot: Robot, messages: Any) -> None:
    target = messages.pose((0.45, 0.1, 0.5), (0.0, 0.0, 0.0, 1.0))
    answer = solve(target, inverse_method='dls', use_orientation=False)
    assert answer.success, answer.message
    reached = robot.pose(BASE, TIP, named(answer.solution))
    np.testing.assert_allclose(reached[:3, 3], (0.45, 0.1, 0.5), atol=2e-6)


def test_limits_can_be_left(solve: Any, messages: Any, robot: Robot) -> None:
    # Joint 4 ends at -0.07 rad; the arm stretched to the other side needs more.
    beyond = {**START, 'panda_joint4': 0.5}
    target = pose_message(robot.pose(BASE, TIP, beyond), BASE)
    inside = solve(target, inverse_method='dls', max_iterations=500)
    assert robot.excess(robot.between(BASE, TIP), named(inside.solution)) == 0.0
    outside = solve(target, inverse_method='dls', max_iterations=500, enforce_joint_limits=False)
    assert outside.success, outside.message
    reached = robot.pose(BASE, TIP, named(outside.solution))
    assert max(distances(reached, robot.pose(BASE, TIP, beyond))) < 2e-5


@pytest.mark.parametrize('method', ['dls', ''])
@pytest.mark.parametrize('reachable', [True, False])
@pytest.mark.parametrize('apply_solution', [True, False])
@pytest.mark.parametrize('apply_best', [True, False])
def test_what_becomes_of_the_state(
    solve: Any,
    state: Any,
    messages: Any,
    method: str,
    reachable: bool,
    apply_solution: bool,
    apply_best: bool,
) -> None:
    before = state()
    answer = solve(
        None if reachable else messages.pose((3.0, 0.0, 0.5)),
        inverse_method=method,
        timeout=0.5,
        apply_solution=apply_solution,
        apply_best_on_failure=apply_best,
    )
    assert answer.success is reachable, answer.message
    applied = apply_solution and (reachable or apply_best)
    found = {name: named(answer.solution)[name] for name in ARM}
    assert state() == (found if applied else before)
    assert ('best configuration' in answer.message and applied) == (applied and not reachable)


def test_wrong_options_are_refused(solve: Any) -> None:
    refused(solve(inverse_method='magic'), 'magic', "'dls'")
    refused(solve(inverse_method='dls', damping=math.nan), 'damping')
    refused(solve(inverse_method='dls', prefer='nearest'), 'prefer')
    refused(solve(damping=0.1), 'damping', 'inverse_method')
    refused(solve(use_orientation=False), 'use_orientation')
    refused(solve(service='find_config', inverse_method='dls'), '~/solve')
    refused(solve(service='find_config', apply_best_on_failure=True), 'apply_best_on_failure')
    assert solve(inverse_method='dls').success


def test_a_batch_refuses_a_method(caller: Any, panda: Any) -> None:
    request = srv.SolveBatch.Request(options=SolveOptions(inverse_method='dls'))
    refused(caller.call(panda, 'solve_batch', request), 'inverse_method')


def test_an_endless_iteration_ends_in_time(
    solve: Any, caller: Any, panda: Any, messages: Any
) -> None:
    answer = solve(
        messages.pose((3.0, 0.0, 0.5)),
        inverse_method='transpose',
        max_iterations=4_000_000_000,
        timeout=0.3,
    )
    assert (answer.success, answer.status) == (False, Status.TIMED_OUT), answer.message
    assert 0.25 < answer.elapsed < 3.0
