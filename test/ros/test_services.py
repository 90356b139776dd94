# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from ik_node.ros.demo_checks import distances, pose_message, pose_of  # noqa: E402
from ik_node.ros.demo_kinematics import Robot, rotation_vector  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces.msg import SolveOptions, Status  # noqa: E402
from ik_node_interfaces.srv import (  # noqa: E402
    ComputeJacobian,
    FindConfig,
    ForwardKinematics,
    Solve,
)

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
NAN = math.nan
PATIENT = SolveOptions(timeout=0.5)


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def draw(robot: Robot, generator: np.random.Generator) -> Any:
    return lambda: robot.draw(robot.between(BASE, TIP), generator)


def named(state: Any) -> dict[str, float]:
    return dict(zip(state.name, state.position, strict=True))


def test_solve_reaches_the_pose(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    draw: Any,
) -> None:
    for _ in range(20):
        target = robot.pose(BASE, TIP, draw())
        answer = caller.call(
            panda,
            'solve',
            Solve.Request(
                target=pose_message(target, BASE), seed=messages.joints(draw()), options=PATIENT
            ),
        )
        assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
        positions = named(answer.solution)
        assert list(positions) == ARM
        position, orientation = distances(robot.pose(BASE, TIP, positions), target)
        assert position < 2e-6
        assert orientation < 2e-5
        assert robot.excess(robot.between(BASE, TIP), positions) == 0.0
        assert answer.position_error <= 1e-6
        assert answer.orientation_error <= 1e-5
        assert answer.message
        assert answer.elapsed > 0.0
        assert answer.solution.header.stamp.sec > 0


def test_a_target_may_be_given_in_the_frame_of_any_link(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    draw: Any,
) -> None:
    seed, goal = draw(), draw()
    target = robot.pose('panda_link4', BASE, seed) @ robot.pose(BASE, TIP, goal)
    answer = caller.call(
        panda,
        'solve',
        Solve.Request(
            target=pose_message(target, 'panda_link4'), seed=messages.joints(seed), options=PATIENT
        ),
    )
    assert answer.success, answer.message
    reached = robot.pose(BASE, TIP, named(answer.solution))
    assert max(distances(reached, robot.pose(BASE, TIP, goal))) < 2e-5


def test_a_seed_that_solves_is_the_answer(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    draw: Any,
) -> None:
    positions = draw()
    shuffled = {name: positions[name] for name in reversed(ARM)} | {'panda_finger_joint1': 0.02}
    answer = caller.call(
        panda,
        'solve',
        Solve.Request(
            target=pose_message(robot.pose(BASE, TIP, positions), ''),
            seed=messages.joints(shuffled),
        ),
    )
    assert answer.success, answer.message
    for name, value in named(answer.solution).items():
        assert abs(value - positions[name]) < 1e-4


def test_an_unreachable_target_is_told_as_such(caller: Any, panda: Any, messages: Any) -> None:
    answer = caller.call(panda, 'solve', Solve.Request(target=messages.pose((50.0, 0.0, 0.0))))
    assert (answer.success, answer.status) == (False, Status.UNREACHABLE)
    assert len(answer.message) > 20
    assert list(answer.solution.name) == ARM
    assert answer.position_error > 1.0


def test_a_long_timeout_is_shortened_and_told(caller: Any, panda: Any, messages: Any) -> None:
    answer = caller.call(
        panda,
        'solve',
        Solve.Request(target=messages.pose((0.5, 0.0, 0.5)), options=SolveOptions(timeout=1e9)),
    )
    assert answer.success, answer.message
    assert 'max_timeout' in answer.message


def test_find_config_returns_different_configurations(
    caller: Any,
    panda: Any,
    robot: Robot,
    draw: Any,
) -> None:
    target = robot.pose(BASE, TIP, draw())
    answer = caller.call(
        panda,
        'find_config',
        FindConfig.Request(target=pose_message(target, BASE), max_configs=5, options=PATIENT),
    )
    assert answer.success, answer.message
    assert answer.trials >= answer.count >= 2
    configs = np.reshape(answer.configs, (answer.count, len(answer.joint_names)))
    for config in configs:
        positions = dict(zip(answer.joint_names, config.tolist(), strict=True))
        assert max(distances(robot.pose(BASE, TIP, positions), target)) < 2e-5
        assert robot.excess(robot.between(BASE, TIP), positions) == 0.0
    gaps = np.abs(configs[:, None] - configs[None]).max(axis=2) + np.eye(answer.count)
    assert gaps.min() > 1e-3


def test_find_config_goes_on_until_it_has_all(
    caller: Any, panda: Any, robot: Robot, draw: Any
) -> None:
    # Seven joints reach a pose in any number of ways; a millisecond is too short for 200 of them.
    target = pose_message(robot.pose(BASE, TIP, dict.fromkeys(ARM, 0.0) | {ARM[3]: -1.5}), BASE)
    request = FindConfig.Request(target=target, max_configs=200, options=PATIENT)
    answer = caller.call(panda, 'find_config', request)
    assert (answer.success, answer.count) == (True, 200), answer.message


def test_find_config_returns_the_joints_asked_for(
    caller: Any,
    panda: Any,
    robot: Robot,
    draw: Any,
) -> None:
    names = ['panda_joint7', 'panda_finger_joint2', 'panda_joint1']
    request = FindConfig.Request(
        target=pose_message(robot.pose(BASE, TIP, draw()), BASE),
        joint_names=names,
        options=PATIENT,
    )
    answer = caller.call(panda, 'find_config', request)
    assert answer.success, answer.message
    assert (list(answer.joint_names), answer.count, len(answer.configs)) == (names, 1, 3)


def test_find_config_honours_metric_and_threshold(
    caller: Any,
    panda: Any,
    robot: Robot,
    draw: Any,
) -> None:
    request = FindConfig.Request(
        target=pose_message(robot.pose(BASE, TIP, draw()), BASE),
        threshold=0.5,
        metric=[1.0, 1.0, 1.0, 0.2],
        max_configs=2,
        options=PATIENT,
    )
    answer = caller.call(panda, 'find_config', request)
    assert answer.status in (Status.SUCCESS, Status.NOT_FOUND, Status.TIMED_OUT), answer.message


def test_the_jacobian_is_the_derivative(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    draw: Any,
) -> None:
    positions, step = draw(), 1e-6
    for frame in ('', 'base', 'tip'):
        answer = caller.call(
            panda,
            'compute_jacobian',
            ComputeJacobian.Request(joint_state=messages.joints(positions), frame=frame),
        )
        assert answer.success, answer.message
        assert (answer.rows, answer.columns) == (6, 7)
        assert list(answer.row_names) == ['x', 'y', 'z', 'rx', 'ry', 'rz']
        assert list(answer.joint_names) == ARM
        assert answer.reference_point == TIP
        assert answer.frame_id == (TIP if frame == 'tip' else BASE)
        axes = robot.pose(BASE, TIP, positions)[:3, :3].T if frame == 'tip' else np.eye(3)
        for column, name in zip(np.reshape(answer.jacobian, (6, 7)).T, ARM, strict=True):
            low, high = (
                robot.pose(BASE, TIP, {**positions, name: positions[name] + d})
                for d in (-step, step)
            )
            np.testing.assert_allclose(
                column[:3], axes @ (high - low)[:3, 3] / (2 * step), atol=1e-8
            )
            turned = rotation_vector(high[:3, :3] @ low[:3, :3].T)
            np.testing.assert_allclose(column[3:], axes @ turned / (2 * step), atol=1e-8)


def test_forward_kinematics_of_many_links(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    draw: Any,
) -> None:
    positions = draw() | {'panda_finger_joint1': 0.03}
    links = ['panda_link5', 'panda_rightfinger', 'panda_link0']
    answer = caller.call(
        panda,
        'forward_kinematics',
        ForwardKinematics.Request(
            links=links, reference='panda_hand', joint_state=messages.joints(positions)
        ),
    )
    assert answer.success, answer.message
    assert list(answer.links) == links
    for link, pose in zip(links, answer.poses, strict=True):
        assert pose.header.frame_id == 'panda_hand'
        assert max(distances(pose_of(pose), robot.pose('panda_hand', link, positions))) < 1e-12


def test_a_mimic_joint_follows_its_master_whatever_is_asked(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
) -> None:
    positions = dict.fromkeys(ARM, 0.0) | {'panda_finger_joint1': 0.03}
    answer = caller.call(
        panda,
        'forward_kinematics',
        ForwardKinematics.Request(
            links=['panda_rightfinger'],
            joint_state=messages.joints(positions | {'panda_finger_joint2': 0.01}),
        ),
    )
    assert answer.success, answer.message
    own = robot.pose(BASE, 'panda_rightfinger', positions)
    assert max(distances(pose_of(answer.poses[0]), own)) < 1e-12


def test_a_solution_can_be_made_the_state(
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    draw: Any,
) -> None:
    target = robot.pose(BASE, TIP, draw())
    answer = caller.call(
        panda,
        'solve',
        Solve.Request(
            target=pose_message(target, ''), options=SolveOptions(timeout=0.5, apply_solution=True)
        ),
    )
    assert answer.success, answer.message
    now = caller.call(panda, 'forward_kinematics', ForwardKinematics.Request())
    assert max(distances(pose_of(now.poses[0]), target)) < 2e-5


def test_a_paused_simulation_stops_neither_solver_nor_joint_states(
    caller: Any, messages: Any, robots: Any, start_node: Any
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        base='panda_link0',
        tip='panda_hand_tcp',
        use_sim_time=True,
    )
    caller.wait_until_ready(node)
    heard: list[JointState] = []
    subscription = caller.node.create_subscription(
        JointState, f'{node.namespace}/joint_states', heard.append, 10
    )
    start = time.monotonic()
    answer = caller.call(
        node,
        'solve',
        Solve.Request(
            target=messages.pose((0.86, 0.0, 0.4), (0.0, 0.0, 0.0, 1.0)),
            options=SolveOptions(timeout=0.05),
        ),
    )
    assert not answer.success
    assert time.monotonic() - start < 2.0
    caller.spin_until(lambda: len(heard) > 3)
    caller.node.destroy_subscription(subscription)


GOOD = ((0.4, 0.1, 0.4), (1.0, 0.0, 0.0, 0.0))
LONG = 'x' * 10_000


@pytest.mark.parametrize(
    ('change', 'status'),
    [
        ({'group': 'leg'}, Status.UNKNOWN_GROUP),
        ({'group': LONG}, Status.UNKNOWN_GROUP),
        ({'frame': 'map'}, Status.INVALID_TARGET),
        ({'frame': LONG}, Status.INVALID_TARGET),
        ({'quat_xyzw': (0.0, 0.0, 0.0, 0.0)}, Status.INVALID_TARGET),
        ({'quat_xyzw': (NAN, 0.0, 0.0, 1.0)}, Status.INVALID_TARGET),
        ({'position': (0.0, NAN, 0.0)}, Status.INVALID_TARGET),
        ({'position': (math.inf, 0.0, 0.0)}, Status.INVALID_TARGET),
        ({'seed': (['panda_joint1'], [])}, Status.INVALID_SEED),
        ({'seed': (['panda_joint1'], [1.0, 2.0])}, Status.INVALID_SEED),
        ({'seed': (['panda_joint1'] * 2, [1.0, 1.0])}, Status.INVALID_SEED),
        ({'seed': (['panda_joint1'], [NAN])}, Status.INVALID_SEED),
        ({'seed': (['knee'], [1.0])}, Status.UNKNOWN_JOINT),
        ({'seed': ([LONG], [1.0])}, Status.UNKNOWN_JOINT),
        ({'options': {'timeout': -1.0}}, Status.INVALID_OPTIONS),
        ({'options': {'timeout': NAN}}, Status.INVALID_OPTIONS),
        ({'options': {'position_tolerance': -1.0}}, Status.INVALID_OPTIONS),
        ({'options': {'orientation_tolerance': NAN}}, Status.INVALID_OPTIONS),
        ({'options': {'position_weight': -2.0}}, Status.INVALID_OPTIONS),
    ],
)
@pytest.mark.parametrize('service', ['solve', 'find_config'])
def test_a_wrong_request_is_refused_with_its_reason(
    caller: Any,
    panda: Any,
    messages: Any,
    service: str,
    change: dict[str, Any],
    status: int,
) -> None:
    names, positions = change.get('seed', ((), ()))
    seed = messages.joints({})
    seed.name, seed.position = list(names), list(positions)
    request = (Solve if service == 'solve' else FindConfig).Request(
        group=change.get('group', ''),
        seed=seed,
        target=messages.pose(
            change.get('position', GOOD[0]),
            change.get('quat_xyzw', GOOD[1]),
            change.get('frame', ''),
        ),
        options=SolveOptions(**change.get('options', {})),
    )
    answer = caller.call(panda, service, request)
    assert (answer.success, answer.status) == (False, status), answer.message
    assert 15 < len(answer.message) < 1000


@pytest.mark.parametrize(
    ('service', 'request_', 'status'),
    [
        ('find_config', FindConfig.Request(joint_names=['knee']), Status.UNKNOWN_JOINT),
        ('find_config', FindConfig.Request(metric=[1.0]), Status.INVALID_OPTIONS),
        ('find_config', FindConfig.Request(metric=[1.0, 1.0, NAN, 1.0]), Status.INVALID_OPTIONS),
        ('find_config', FindConfig.Request(threshold=-1.0), Status.INVALID_OPTIONS),
        ('find_config', FindConfig.Request(threshold=NAN), Status.INVALID_OPTIONS),
        ('compute_jacobian', ComputeJacobian.Request(frame='world'), Status.INVALID_OPTIONS),
        ('compute_jacobian', ComputeJacobian.Request(group='leg'), Status.UNKNOWN_GROUP),
        ('forward_kinematics', ForwardKinematics.Request(links=['foot']), Status.UNKNOWN_LINK),
        ('forward_kinematics', ForwardKinematics.Request(links=[LONG]), Status.UNKNOWN_LINK),
        ('forward_kinematics', ForwardKinematics.Request(reference='foot'), Status.UNKNOWN_LINK),
    ],
)
def test_a_wrong_request_to_the_other_services(
    caller: Any,
    panda: Any,
    messages: Any,
    service: str,
    request_: Any,
    status: int,
) -> None:
    if service == 'find_config':
        request_.target = messages.pose(*GOOD)
    answer = caller.call(panda, service, request_)
    assert (answer.success, answer.status) == (False, status), answer.message
    assert 15 < len(answer.message) < 1000


def test_two_hundred_wrong_requests_get_two_hundred_answers(
    caller: Any,
    panda: Any,
    messages: Any,
    generator: np.random.Generator,
) -> None:
    poison = (NAN, math.inf, -math.inf, -1.0, 0.0, 1e300, -1e-300, 1e-320)
    words = ('', 'arm', LONG, 'panda_link4', 'a/b', '\n', 'é', 'panda_joint1', '%s{}')

    def number() -> float:
        return float(generator.choice(poison))

    def word() -> str:
        return words[generator.integers(len(words))]

    def joints() -> Any:
        state = messages.joints({})
        state.name = [word() for _ in range(generator.integers(4))]
        state.position = [number() for _ in range(generator.integers(4))]
        return state

    def options() -> SolveOptions:
        # No weight of 0 and no long search: every one of the 200 should be wrong by itself.
        return SolveOptions(
            timeout=min(number(), 0.01),
            position_tolerance=number(),
            random_seed=2**64 - 1,
            orientation_tolerance=number(),
            position_weight=number(),
            max_starts=2**32 - 1,
        )

    def request(index: int) -> tuple[str, Any]:
        target = messages.pose(
            (number(), number(), number()), (number(), number(), number(), number()), word()
        )
        return (
            (
                'solve',
                Solve.Request(group=word(), target=target, seed=joints(), options=options()),
            ),
            (
                'find_config',
                FindConfig.Request(
                    group=word(),
                    target=target,
                    seed=joints(),
                    options=options(),
                    threshold=number(),
                    max_configs=int(generator.integers(2**32)),
                    metric=[number() for _ in range(generator.integers(6))],
                    joint_names=[word() for _ in range(generator.integers(3))],
                ),
            ),
            (
                'compute_jacobian',
                ComputeJacobian.Request(group='leg', joint_state=joints(), frame=word()),
            ),
            (
                'forward_kinematics',
                ForwardKinematics.Request(
                    group='leg', links=[word()] * 5, joint_state=joints(), reference=word()
                ),
            ),
        )[index % 4]

    answers = []
    for index in range(200):
        answers.append(caller.call(panda, *request(index)))
        assert panda.alive, panda.log
    assert len(answers) == 200
    assert all(not answer.success and answer.message for answer in answers)
    assert Status.INTERNAL_ERROR not in {answer.status for answer in answers}, panda.log
    good = caller.call(panda, 'solve', Solve.Request(target=messages.pose(*GOOD), options=PATIENT))
    assert good.success, good.message
