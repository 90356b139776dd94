# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What a request asks for beside its target, over DDS on the Panda.

Costs are worked out here from the answer, with kinematics that share no code with the library.
"""

from __future__ import annotations

from collections.abc import Callable
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from geometry_msgs.msg import Point, Vector3  # noqa: E402
from ik_node.ros.demo_checks import distances, pose_message  # noqa: E402
from ik_node.ros.demo_kinematics import Robot  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import Goal, SolveOptions, Status, Target  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
START = dict(zip(ARM, (0.1, -0.3, 0.2, -1.9, 0.1, 1.7, 0.6), strict=True))
GOAL = dict(zip(ARM, (0.8, 0.6, -0.5, -1.9, 0.9, 2.6, 1.6), strict=True))
POSTURE = {'panda_joint3': 0.6, 'panda_joint5': -0.4}
NAN = math.nan
GOALS = {
    'NearSeed': {},
    'Centre': {},
    'KeepOffLimits': {'margin': 1.2},
    'Posture': {'joint_names': list(POSTURE), 'positions': list(POSTURE.values())},
    'Manipulability': {},
    'Keep': {
        'link': 'panda_link4',
        'point': [Point(x=0.1, y=-0.3, z=0.6)],
        'direction': Vector3(y=-2.0),
        'axis': Vector3(z=1.0),
    },
}
FAMOUS = '''
"""Solvers for the tests of the node."""
import numpy as np

def make():
    def solve(request):
        place = request.problem.at(request.seed)
        for _ in range(30):
            dq = np.linalg.pinv(place.jacobian) @ place.error
            place = request.problem.at(request.problem.moved(place.q, dq))
        return place.q
    return solve

def broken():
    def solve(request):
        raise RuntimeError('out of luck')
    return solve
'''


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def solve(caller: Any, panda: Any, messages: Any, robot: Robot) -> Callable[..., Any]:
    """Solve from START, by default for the pose of GOAL."""

    def ask(*targets: Target, node: Any = panda, **options: Any) -> Any:
        options.setdefault('timeout', 0.3)
        request = srv.Solve.Request(
            targets=targets,
            seed=messages.joints(START),
            options=SolveOptions(**options),
        )
        if not targets:
            request.target = pose_message(robot.pose(BASE, TIP, GOAL), BASE)
        return caller.call(node, 'solve', request)

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


def cost(robot: Robot, kind: str, q: dict[str, float]) -> float:
    """Compute the cost of one of GOALS by its definition."""
    values = np.array([q[name] for name in ARM])
    low, high = np.array([robot.limits(joint) for joint in robot.between(BASE, TIP)]).T
    half = 0.5 * (high - low)
    if kind == 'NearSeed':
        return float(((values - list(START.values())) ** 2).sum())
    if kind == 'Centre':
        return float((((values - low - half) / half) ** 2).mean())
    if kind == 'KeepOffLimits':
        width = np.minimum(1.2, half)
        depth = np.maximum(low + width - values, 0.0) + np.maximum(values - high + width, 0.0)
        return float(((depth / width) ** 2).sum())
    if kind == 'Posture':
        return sum((q[name] - position) ** 2 for name, position in POSTURE.items())
    T = robot.pose(BASE, 'panda_link4', q)
    angle = math.acos(np.clip(T[:3, 2] @ [0.0, -1.0, 0.0], -1.0, 1.0))
    return float(((T[:3, 3] - [0.1, -0.3, 0.6]) ** 2).sum() + angle**2)


@pytest.mark.parametrize('method', ['', 'dls'])
@pytest.mark.parametrize('kind', GOALS)
def test_each_goal_costs_less_and_the_target_holds(
    solve: Any, caller: Any, panda: Any, messages: Any, robot: Robot, kind: str, method: str
) -> None:
    goal = Goal(kind=kind, **GOALS[kind])
    plain = holds(robot, solve(timeout=0.5, inverse_method=method))
    answer = solve(timeout=0.5, inverse_method=method, goals=[goal])
    q = holds(robot, answer)
    assert len(answer.goal_costs_before) == len(answer.goal_costs_after) == 1
    (before,), (after,) = answer.goal_costs_before, answer.goal_costs_after
    assert after < before - 1e-3, (before, after)
    assert not answer.approximate
    if kind == 'Manipulability':
        for positions, expected in ((plain, before), (q, after)):
            told = caller.call(
                panda,
                'compute_jacobian',
                srv.ComputeJacobian.Request(joint_state=messages.joints(positions)),
            )
            assert -math.log(told.manipulability) == pytest.approx(expected, abs=1e-6)
    else:
        assert cost(robot, kind, plain) == pytest.approx(before, abs=1e-6)
        assert cost(robot, kind, q) == pytest.approx(after, abs=1e-6)


@pytest.mark.parametrize('frame', ['', BASE, 'world', 'panda_link2', TIP])
def test_what_is_kept_may_be_given_in_any_frame(solve: Any, robot: Robot, frame: str) -> None:
    # The same point and direction, seen from links as they stand at the seed.
    T = np.linalg.inv(robot.pose(BASE, frame, START)) if frame not in ('', 'world') else np.eye(4)
    point = T @ [0.1, -0.3, 0.6, 1.0]
    direction = T[:3, :3] @ [0.0, -2.0, 0.0]
    goal = Goal(
        kind='Keep',
        link='panda_link4',
        frame_id=frame,
        point=[Point(x=point[0], y=point[1], z=point[2])],
        direction=Vector3(x=direction[0], y=direction[1], z=direction[2]),
    )
    answer = solve(timeout=0.5, goals=[goal])
    q = holds(robot, answer)
    assert cost(robot, 'Keep', q) == pytest.approx(answer.goal_costs_after[0], abs=1e-6)
    assert answer.goal_costs_after[0] < answer.goal_costs_before[0] - 1e-3


def test_goals_are_weighed(solve: Any, robot: Robot) -> None:
    asked = {}
    for weight in (1e-3, 1e3):
        goals = [
            Goal(kind='posture', weight=weight, **GOALS['Posture']),
            Goal(kind='CENTRE'),
        ]
        answer = solve(timeout=0.5, goals=goals)
        holds(robot, answer)
        asked[weight] = list(answer.goal_costs_after)
    assert asked[1e3][0] < asked[1e-3][0] - 1e-3
    assert asked[1e3][1] > asked[1e-3][1] + 1e-4


def test_goals_without_a_solution_have_no_costs(solve: Any) -> None:
    answer = solve(
        Target(type='Translation3D', values=[3.0, 0.0, 0.0]), goals=[Goal(kind='Centre')]
    )
    assert not answer.success
    assert (len(answer.goal_costs_before), len(answer.goal_costs_after)) == (0, 0)
    answer = solve()
    assert answer.success
    assert (len(answer.goal_costs_before), len(answer.goal_costs_after)) == (0, 0)


@pytest.mark.parametrize('method', ['', 'dls'])
def test_an_approximate_answer(solve: Any, robot: Robot, method: str) -> None:
    far = Target(type='Translation3D', values=[2.0, 0.0, 0.5])
    answer = solve(far, approximate=True, inverse_method=method)
    assert (answer.success, answer.approximate) == (False, True), answer.message
    assert answer.status < 0
    q = named(answer)
    assert robot.excess(robot.between(BASE, TIP), q) == 0.0
    away = np.linalg.norm(robot.pose(BASE, TIP, q)[:3, 3] - [2.0, 0.0, 0.5])
    assert answer.position_error == pytest.approx(away, abs=1e-6)
    # No small motion of the joints inside of their limits comes nearer.
    generator = np.random.default_rng(3)
    for _ in range(300):
        other = {name: q[name] + 0.02 * generator.normal() for name in ARM}
        if robot.excess(robot.between(BASE, TIP), {**q, **other}) == 0.0:
            moved = robot.pose(BASE, TIP, {**q, **other})[:3, 3]
            assert np.linalg.norm(moved - [2.0, 0.0, 0.5]) > away - 1e-6
    assert not solve(far).approximate
    assert not solve(approximate=True).approximate


@pytest.mark.parametrize('kind', ['Centre', 'Posture', 'Keep'])
def test_configurations_of_less_cost(
    caller: Any, panda: Any, messages: Any, robot: Robot, kind: str
) -> None:
    def find(*goals: Goal) -> list[float]:
        request = srv.FindConfig.Request(
            target=pose_message(robot.pose(BASE, TIP, GOAL), BASE),
            seed=messages.joints(START),
            max_configs=4,
            options=SolveOptions(timeout=1.0, max_starts=40, goals=goals),
        )
        answer = caller.call(panda, 'find_config', request)
        assert answer.success, answer.message
        costs = []
        for row in np.reshape(answer.configs, (answer.count, -1)):
            q = dict(zip(answer.joint_names, row.tolist(), strict=True))
            found = distances(robot.pose(BASE, TIP, q), robot.pose(BASE, TIP, GOAL))
            assert max(found) < 2e-5
            costs.append(cost(robot, kind, q))
        return costs

    plain, cheaper = find(), find(Goal(kind=kind, **GOALS[kind]))
    assert cheaper == pytest.approx(sorted(cheaper), abs=1e-6)
    assert cheaper[0] < min(plain) - 1e-3


def test_steps_at_the_target_go_on_to_less_cost(
    caller: Any, panda: Any, messages: Any, robot: Robot
) -> None:
    q, costs = GOAL, [cost(robot, 'Centre', GOAL)]
    request = srv.Step.Request(
        target=pose_message(robot.pose(BASE, TIP, GOAL), BASE),
        linear_step=1e-5,
        angular_step=1e-4,
        goals=[Goal(kind='Centre')],
    )
    for _ in range(5):
        request.seed = messages.joints(q)
        answer = caller.call(panda, 'step', request)
        assert answer.step_status == srv.Step.Response.SUCCESS, answer.message
        q = named(answer)
        assert max(distances(robot.pose(BASE, TIP, q), robot.pose(BASE, TIP, GOAL))) < 2e-5
        costs.append(cost(robot, 'Centre', q))
    assert costs[1] < costs[0] - 1e-4
    assert costs == sorted(costs, reverse=True)
    request.goals = [Goal(kind='Keep')]
    answer = caller.call(panda, 'step', request)
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS)
    assert answer.message.startswith('goals[0]: a Keep has neither')


def test_an_approximate_answer_can_become_the_state(solve: Any, caller: Any, panda: Any) -> None:
    far = Target(type='Translation3D', values=[2.0, 0.0, 0.5])
    answer = solve(far, approximate=True, apply_solution=True, apply_best_on_failure=True)
    assert answer.approximate
    assert 'joints were set to the least-squares answer' in answer.message
    told = caller.call(panda, 'get_joint', srv.GetJoint.Request(names=ARM))
    assert [joint.position for joint in told.joints] == [named(answer)[name] for name in ARM]


def test_a_solver_of_another_package(
    solve: Any,
    caller: Any,
    robot: Robot,
    robots: Path,
    start_node: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / 'famous.py').write_text(FAMOUS)
    info = tmp_path / 'famous-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: famous\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(
        '[ik_node.solvers]\nfamous = famous:make\nbroken = famous:broken\n'
    )
    monkeypatch.setenv('PYTHONPATH', str(tmp_path), prepend=os.pathsep)
    node = start_node(robot_description_file=str(robots / 'panda.urdf'), base=BASE, tip=TIP)
    caller.wait_until_ready(node)
    q = holds(robot, solve(node=node, solver='famous'))
    assert q == holds(robot, solve(node=node, solver='famous'))
    answer = solve(node=node, solver='famous', goals=[Goal(kind='Centre')])
    holds(robot, answer)
    assert answer.goal_costs_after[0] < answer.goal_costs_before[0] - 1e-3
    far = Target(type='Translation3D', values=[3.0, 0.0, 0.0])
    answer = solve(far, node=node, solver='famous', approximate=True)
    assert (answer.success, answer.status) == (False, Status.NOT_FOUND)
    assert answer.approximate
    assert "not found by solver 'famous'" in answer.message
    answer = solve(node=node, solver='broken')
    assert (answer.success, answer.status) == (False, Status.INTERNAL_ERROR)
    assert 'out of luck' in answer.message
    answer = solve(node=node, solver='magic')
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS)
    assert "options.solver is 'magic'; it must be one of 'broken', 'famous'" in answer.message
    holds(robot, solve(node=node))
    assert node.log.count('Traceback') == 1


@pytest.mark.parametrize(
    ('options', 'status', 'sentence'),
    [
        ({'goals': [Goal()]}, Status.INVALID_OPTIONS, "goals[0]: kind is ''"),
        (
            {'goals': [Goal(kind='Centre'), Goal(kind='x' * 9999)]},
            Status.INVALID_OPTIONS,
            'options.goals[1]: kind is',
        ),
        ({'goals': [Goal(kind='Centre')] * 33}, Status.INVALID_OPTIONS, 'at most 32'),
        ({'goals': [Goal(kind='Centre', weight=0.0)]}, Status.INVALID_OPTIONS, 'weight of a'),
        ({'goals': [Goal(kind='NearSeed', weight=NAN)]}, Status.INVALID_OPTIONS, 'weight of a'),
        ({'goals': [Goal(kind='Centre', margin=1.0)]}, Status.INVALID_OPTIONS, 'margin has a'),
        (
            {'goals': [Goal(kind='Manipulability', link='a')]},
            Status.INVALID_OPTIONS,
            'link has a value, but Manipulability reads weight',
        ),
        ({'goals': [Goal(kind='KeepOffLimits')]}, Status.INVALID_OPTIONS, 'margin of a'),
        ({'goals': [Goal(kind='Posture')]}, Status.INVALID_OPTIONS, 'has no joint_names'),
        (
            {'goals': [Goal(kind='Posture', positions=[1.0])]},
            Status.INVALID_OPTIONS,
            '0 joint_names and 1 positions',
        ),
        (
            {'goals': [Goal(kind='Posture', joint_names=['a', 'a'], positions=[0.0, 1.0])]},
            Status.INVALID_OPTIONS,
            'more than once',
        ),
        (
            {'goals': [Goal(kind='Posture', joint_names=['elbow'], positions=[0.0])]},
            Status.UNKNOWN_JOINT,
            "'elbow'",
        ),
        (
            {'goals': [Goal(kind='Posture', joint_names=['elbow'], positions=[NAN])]},
            Status.INVALID_OPTIONS,
            'finite',
        ),
        ({'goals': [Goal(kind='Keep', link='panda_link4')]}, Status.INVALID_OPTIONS, 'neither'),
        (
            {'goals': [Goal(kind='Keep', link='moon', point=[Point()])]},
            Status.UNKNOWN_LINK,
            "'moon'",
        ),
        (
            {'goals': [Goal(kind='Keep', link='x' * 99_999, point=[Point()])]},
            Status.UNKNOWN_LINK,
            'xxx',
        ),
        (
            {'goals': [Goal(kind='Keep', link='panda_link0', point=[Point()])]},
            Status.INVALID_OPTIONS,
            'no joint of group',
        ),
        (
            {'goals': [Goal(kind='Keep', link='panda_link4', frame_id='moon', point=[Point()])]},
            Status.INVALID_OPTIONS,
            'options.goals[0]: frame_id must be a link of the robot',
        ),
        (
            {'goals': [Goal(kind='Centre', frame_id=BASE)]},
            Status.INVALID_OPTIONS,
            'frame_id has a',
        ),
        (
            {'goals': [Goal(kind='Keep', link='panda_link4', point=[Point(x=NAN)])]},
            Status.INVALID_OPTIONS,
            'finite',
        ),
        (
            {
                'goals': [
                    Goal(kind='Keep', link='panda_link4', point=[Point()], axis=Vector3(x=1.0))
                ]
            },
            Status.INVALID_OPTIONS,
            'no direction',
        ),
        (
            {
                'goals': [Goal(kind='Centre')],
                'inverse_method': 'dls',
                'use_orientation': False,
            },
            Status.INVALID_OPTIONS,
            'leave out the orientation',
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
    ('options', 'sentence'),
    [
        ({'solver': 'x' * 9999}, 'options.solver is'),
        ({'solver': 'dls'}, 'methods of its own are for inverse_method'),
        ({'solver': 'famous', 'inverse_method': 'dls'}, 'inverse_method'),
        ({'solver': 'famous', 'prefer': 'nearest'}, 'options.prefer has a value'),
        ({'solver': 'famous', 'max_starts': 3}, 'options.max_starts has a value'),
        ({'solver': 'famous', 'single_attempt': True}, 'options.single_attempt has a value'),
        ({'solver': 'famous', 'damping': 0.1}, 'options.damping has a value'),
    ],
)
def test_what_a_solver_does_not_look_at(
    solve: Any, options: dict[str, Any], sentence: str
) -> None:
    answer = solve(**options)
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS), answer.message
    assert sentence in answer.message


@pytest.mark.parametrize(
    'options',
    [
        {'approximate': True},
        {'goals': [Goal(kind='Centre')]},
        {'solver': 'famous'},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_other_services_do_not_look_at(
    caller: Any, panda: Any, messages: Any, options: dict[str, Any]
) -> None:
    (field,) = options
    message = SolveOptions(**options)
    batch = caller.call(panda, 'solve_batch', srv.SolveBatch.Request(options=message))
    assert (batch.success, batch.status) == (False, Status.INVALID_OPTIONS), batch.message
    assert f'options.{field} has a value' in batch.message
    if field == 'goals':
        return  # ~/find_config has them
    request = srv.FindConfig.Request(target=messages.pose(), options=message)
    found = caller.call(panda, 'find_config', request)
    assert (found.success, found.status) == (False, Status.INVALID_OPTIONS), found.message
    assert f'options.{field} has a value, but is for ~/solve alone' in found.message
