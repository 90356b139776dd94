# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""`~/solve_batch` over DDS, held against the library in this process."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
import math
import signal
import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

import ik_node  # noqa: E402
from ik_node.ros.transformations import quaternion_from_matrix  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces.msg import SolveOptions, Status  # noqa: E402
from ik_node_interfaces.srv import FindConfig, Solve, SolveBatch  # noqa: E402

ARM = [f'panda_joint{index}' for index in range(1, 8)]
NAN = math.nan
POSE = (0.4, 0.1, 0.4, 1.0, 0.0, 0.0, 0.0)
FAR = (50.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
# The hand upside down near the floor: no distance forbids it, so it takes all of its starts.
IMPOSSIBLE = (0.4, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0)
LONG = 'x' * 10_000


def flat(rows: Any) -> array[float]:
    return array('d', np.ascontiguousarray(rows, dtype=np.float64).tobytes())


def rows_of(matrices: np.ndarray) -> np.ndarray:
    """Positions and quaternions x, y, z, w of (b, 4, 4)."""
    quats_xyzw = [quaternion_from_matrix(rotation) for rotation in matrices[:, :3, :3]]
    return np.hstack((matrices[:, :3, 3], quats_xyzw))


def draw(group: ik_node.Group, count: int, generator: np.random.Generator) -> np.ndarray:
    return generator.uniform(group.lower, group.upper, (count, len(group.joint_names)))


@pytest.fixture(scope='module')
def arm(robots: Any) -> ik_node.Group:
    environment = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    return environment.create_group('arm', base='panda_link0', tip='panda_hand_tcp')


@pytest.fixture
def call(caller: Any, panda: Any) -> Callable[..., Any]:
    return lambda **fields: caller.call(panda, 'solve_batch', SolveBatch.Request(**fields))


@pytest.fixture
def joint_states(caller: Any, panda: Any) -> Iterator[list[float]]:
    """Collect the times at which joint states arrive [s]."""
    heard: list[float] = []
    subscription = caller.node.create_subscription(
        JointState,
        f'{panda.namespace}/joint_states',
        lambda _: heard.append(time.monotonic()),
        100,
    )
    caller.spin_until(lambda: len(heard) > 3)
    yield heard
    caller.node.destroy_subscription(subscription)


def assert_reached(group: ik_node.Group, answer: Any, targets: np.ndarray) -> None:
    q = np.reshape(answer.positions, (len(targets), len(answer.joint_names)))
    assert ((q >= group.lower) & (q <= group.upper)).all()
    reached = group.forward_kinematics(q)
    assert np.linalg.norm((reached - targets)[:, :3, 3], axis=1).max() < 2e-6
    # The chord between two rotations is sqrt(2) times the angle between them, where it is small.
    assert np.linalg.norm((reached - targets)[:, :3, :3], axis=(1, 2)).max() < 3e-5
    assert max(answer.position_errors) <= 1e-6
    assert max(answer.orientation_errors) <= 1e-5


def assert_same(answer: Any, result: ik_node.BatchResult) -> None:
    """Compare bit for bit."""
    assert tuple(answer.joint_names) == result.joint_names
    assert answer.positions.tobytes() == result.q.tobytes()
    assert list(answer.statuses) == result.status.tolist()
    assert answer.position_errors.tobytes() == result.position_error.tobytes()
    assert answer.orientation_errors.tobytes() == result.orientation_error.tobytes()


@pytest.mark.parametrize('robot', ['panda', 'ur5e'])
def test_two_thousand_poses_are_reached(
    caller: Any,
    start_node: Callable[..., Any],
    robots: Any,
    generator: np.random.Generator,
    robot: str,
) -> None:
    file = robots / f'{robot}.urdf'
    environment = ik_node.Environment.from_urdf(file)
    base, tip = environment.longest_chain()
    group = environment.create_group('arm', base=base, tip=tip)
    node = start_node(robot_description_file=str(file), base=base, tip=tip)
    caller.wait_until_ready(node)
    targets = group.forward_kinematics(draw(group, 2000, generator))
    poses, seeds = rows_of(targets), draw(group, 2000, generator)
    answer = caller.call(
        node, 'solve_batch', SolveBatch.Request(poses=flat(poses), seeds=flat(seeds))
    )
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    assert answer.message == '2000 of 2000 solved'
    assert set(answer.statuses) == {Status.SUCCESS}
    assert answer.elapsed > 0.0
    assert_reached(group, answer, targets)
    assert_same(answer, group.solve_batch(poses, seeds))


@pytest.mark.parametrize('count', [1, 1500])
@pytest.mark.parametrize('seeds', ['none', 'one', 'each'])
def test_seeds(
    call: Callable[..., Any],
    arm: ik_node.Group,
    generator: np.random.Generator,
    count: int,
    seeds: str,
) -> None:
    poses = rows_of(arm.forward_kinematics(draw(arm, count, generator)))
    given = {
        'none': None,
        'one': draw(arm, 1, generator)[0],
        'each': draw(arm, count, generator),
    }[seeds]
    answer = call(poses=flat(poses), seeds=flat(() if given is None else given))
    assert answer.success, answer.message
    # The node's environment is as new as the one here, and so is its state.
    assert_same(answer, arm.solve_batch(poses, given))


def test_seeds_may_name_their_joints(
    call: Callable[..., Any], arm: ik_node.Group, generator: np.random.Generator
) -> None:
    poses = rows_of(arm.forward_kinematics(draw(arm, 50, generator)))
    seeds = draw(arm, 50, generator)
    answer = call(poses=flat(poses), seeds=flat(seeds[:, ::-1]), joint_names=ARM[::-1])
    assert_same(answer, arm.solve_batch(poses, seeds))
    # Those that are not named start where the environment has them.
    some = np.tile(arm.seed_from(), (50, 1))
    some[:, [5, 2]] = seeds[:, [5, 2]]
    names = [ARM[5], ARM[2]]
    answer = call(poses=flat(poses), seeds=flat(seeds[:, [5, 2]]), joint_names=names)
    assert_same(answer, arm.solve_batch(poses, some))
    assert list(answer.joint_names) == ARM


def test_poses_may_be_given_in_the_frame_of_any_link(
    call: Callable[..., Any], arm: ik_node.Group, generator: np.random.Generator
) -> None:
    targets = arm.forward_kinematics(draw(arm, 200, generator))
    for frame in ('panda_link4', 'world'):
        reference = None if frame == 'world' else frame
        T_frame_base = arm.environment.link_pose('panda_link0', reference)
        poses = rows_of(T_frame_base @ targets)
        poses[:, 3:] *= generator.uniform(0.5, 2.0, (200, 1))
        answer = call(poses=flat(poses), frame_id=frame)
        assert answer.success, answer.message
        assert_reached(arm, answer, targets)


def test_options_and_threads_are_those_of_the_library(
    call: Callable[..., Any], arm: ik_node.Group, generator: np.random.Generator
) -> None:
    poses = rows_of(arm.forward_kinematics(draw(arm, 3000, generator)))
    options = SolveOptions(
        position_tolerance=1e-3, orientation_tolerance=1e-2, position_weight=3.0, random_seed=5
    )
    result = arm.solve_batch(
        poses,
        position_tolerance=1e-3,
        orientation_tolerance=1e-2,
        position_weight=3.0,
        random_seed=5,
    )
    for threads in (0, 1, 2**32 - 1):
        assert_same(call(poses=flat(poses), options=options, threads=threads), result)
    once = call(poses=flat(poses), options=SolveOptions(single_attempt=True))
    assert_same(once, arm.solve_batch(poses, max_starts=1))
    assert (once.success, once.status) == (False, Status.NOT_FOUND)


def test_one_out_of_reach_does_not_spoil_the_others(
    call: Callable[..., Any], arm: ik_node.Group, generator: np.random.Generator
) -> None:
    poses = rows_of(arm.forward_kinematics(draw(arm, 20, generator)))
    poses[[7, 11]] = FAR
    answer = call(poses=flat(poses))
    assert (answer.success, answer.status) == (False, Status.UNREACHABLE)
    assert answer.message == '18 of 20 solved, 2 out of reach; the first of them is pose 7'
    expected = [Status.SUCCESS] * 20
    expected[7] = expected[11] = Status.UNREACHABLE
    assert list(answer.statuses) == expected
    assert answer.position_errors[7] > 40.0
    assert len(answer.positions) == 20 * 7


def test_the_timeout_is_that_of_the_whole_batch(call: Callable[..., Any]) -> None:
    impossible = np.tile(IMPOSSIBLE, (20_000, 1))
    answer = call(poses=flat(impossible), options=SolveOptions(timeout=0.05))
    assert not answer.success
    assert answer.statuses[0] == Status.NOT_FOUND
    assert answer.statuses[-1] == Status.TIMED_OUT
    assert math.isnan(answer.position_errors[-1])
    assert 'before the time was over' in answer.message


def test_no_pose_is_an_answer(call: Callable[..., Any]) -> None:
    for seeds in ((), (0.1,) * 7):
        answer = call(seeds=flat(seeds))
        assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
        assert list(answer.joint_names) == ARM
        assert (len(answer.positions), len(answer.statuses)) == (0, 0)


def with_pose(index: int, *pose: float) -> array[float]:
    rows = np.tile(POSE, (5, 1))
    rows[index] = pose
    return flat(rows)


@pytest.mark.parametrize(
    ('fields', 'status', 'words'),
    [
        ({'poses': flat([POSE] * 2)[:-1]}, Status.INVALID_TARGET, '13 numbers'),
        ({'poses': with_pose(3, NAN, *POSE[1:])}, Status.INVALID_TARGET, 'pose 3: the position'),
        ({'poses': with_pose(2, *POSE[:6], NAN)}, Status.INVALID_TARGET, 'pose 2: the quaternion'),
        ({'poses': with_pose(0, *POSE[:6], math.inf)}, Status.INVALID_TARGET, 'pose 0'),
        ({'poses': with_pose(4, *POSE[:3], 0, 0, 0, 0)}, Status.INVALID_TARGET, 'pose 4: the q'),
        ({'poses': with_pose(1, *POSE[:6], 1e300)}, Status.INVALID_TARGET, 'pose 1'),
        ({'frame_id': 'map'}, Status.INVALID_TARGET, "'map'"),
        ({'frame_id': LONG}, Status.INVALID_TARGET, 'panda_link0'),
        ({'seeds': flat([0.0] * 6)}, Status.INVALID_SEED, 'it needs 35, 7 for each pose, or 7'),
        ({'seeds': flat([0.0] * 36)}, Status.INVALID_SEED, 'has 36 numbers for 5 poses'),
        ({'seeds': flat([0.0] * 34 + [NAN])}, Status.INVALID_SEED, "seed 4 puts 'panda_joint7'"),
        ({'seeds': flat([math.inf] * 7)}, Status.INVALID_SEED, 'seed 0'),
        ({'joint_names': ARM[:2], 'seeds': flat([0.0] * 7)}, Status.INVALID_SEED, 'needs 10, 2'),
        ({'joint_names': [ARM[0], ARM[0]]}, Status.INVALID_SEED, 'more than once'),
        ({'joint_names': ['knee']}, Status.UNKNOWN_JOINT, "'knee'"),
        ({'joint_names': ['panda_finger_joint1']}, Status.UNKNOWN_JOINT, 'known: panda_joint1'),
        ({'joint_names': [LONG]}, Status.UNKNOWN_JOINT, 'known: panda_joint1'),
        ({'group': 'leg'}, Status.UNKNOWN_GROUP, "'leg'"),
        ({'environment': 'moon'}, Status.UNKNOWN_ENVIRONMENT, "'moon'"),
        ({'options': SolveOptions(prefer='nearest')}, Status.INVALID_OPTIONS, 'its own seed'),
        ({'options': SolveOptions(prefer=LONG)}, Status.INVALID_OPTIONS, "'fast', 'nearest'"),
        ({'options': SolveOptions(max_starts=4097)}, Status.INVALID_OPTIONS, 'at most 4096'),
        ({'options': SolveOptions(apply_solution=True)}, Status.INVALID_OPTIONS, 'apply_solution'),
        ({'options': SolveOptions(timeout=-1.0)}, Status.INVALID_OPTIONS, 'timeout is -1.0'),
        ({'options': SolveOptions(timeout=NAN)}, Status.INVALID_OPTIONS, 'timeout is nan'),
        ({'options': SolveOptions(position_tolerance=NAN)}, Status.INVALID_OPTIONS, 'position_'),
    ],
)
def test_a_wrong_request_is_refused_with_its_reason(
    caller: Any, panda: Any, fields: dict[str, Any], status: int, words: str
) -> None:
    request = SolveBatch.Request(**{'poses': flat([POSE] * 5), **fields})
    answer = caller.call(panda, 'solve_batch', request)
    assert (answer.success, answer.status) == (False, status), answer.message
    assert words in answer.message
    assert len(answer.message) < 1000
    assert len(answer.positions) == 0
    good = caller.call(panda, 'solve_batch', SolveBatch.Request(poses=flat(POSE)))
    assert good.success, good.message


def test_wild_numbers_are_answered(
    call: Callable[..., Any], panda: Any, generator: np.random.Generator
) -> None:
    for scale in (1e300, 1e150, 1e-300):
        poses = np.tile(POSE, (5, 1))
        poses[:, :3] *= scale
        answer = call(poses=flat(poses), seeds=flat([[scale] * 7] * 5), frame_id='panda_link4')
        assert answer.status in (Status.UNREACHABLE, Status.NOT_FOUND, Status.SUCCESS)
        assert 'Traceback' not in panda.log


def test_joint_states_go_on_meanwhile(
    caller: Any,
    panda: Any,
    arm: ik_node.Group,
    joint_states: list[float],
    generator: np.random.Generator,
) -> None:
    poses = rows_of(arm.forward_kinematics(draw(arm, 10_000, generator)))
    request = SolveBatch.Request(
        poses=flat(np.tile(poses, (10, 1))), seeds=flat(draw(arm, 100_000, generator))
    )
    caller.client(f'{panda.name}/solve_batch', SolveBatch)
    sent = time.monotonic()
    future = caller.send(panda, 'solve_batch', request)
    caller.spin_until(future.done, 60.0)
    arrived = time.monotonic()
    caller.spin_for(0.2)
    answer = future.result()
    assert answer.success, answer.message
    inside = [when for when in joint_states if sent <= when <= arrived]
    gaps = np.diff([when for when in joint_states if sent - 0.05 <= when <= arrived + 0.2])
    print(
        f'100000 poses in {arrived - sent:.3f} s, {answer.elapsed:.3f} s in the solver; '
        f'{len(inside)} joint states meanwhile, largest gap {1e3 * gaps.max():.1f} ms'
    )
    assert inside


def test_other_requests_are_answered_meanwhile(
    caller: Any, panda: Any, arm: ik_node.Group, messages: Any
) -> None:
    impossible = flat(np.tile(IMPOSSIBLE, (20_000, 1)))
    future = caller.send(
        panda,
        'solve_batch',
        SolveBatch.Request(poses=impossible, options=SolveOptions(timeout=1.0)),
    )
    for _ in range(20):
        answer = caller.call(
            panda,
            'solve',
            Solve.Request(target=messages.pose(), options=SolveOptions(timeout=0.5)),
        )
        assert answer.success, answer.message
    assert not future.done()
    caller.spin_until(future.done, 60.0)


def test_a_signal_during_a_batch_ends_the_node_cleanly(
    caller: Any, start_node: Callable[..., Any], robots: Any
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'), base='panda_link0', tip='panda_hand_tcp'
    )
    caller.wait_until_ready(node)
    impossible = flat(np.tile(IMPOSSIBLE, (50_000, 1)))
    future = caller.send(node, 'solve_batch', SolveBatch.Request(poses=impossible))
    caller.spin_for(0.5)
    assert not future.done()
    start = time.monotonic()
    assert node.stop(signal.SIGINT) == 0, node.log
    assert time.monotonic() - start < 4.0
    assert 'Traceback' not in node.log


def test_solve_gives_the_nearest_when_asked(
    caller: Any, panda: Any, messages: Any, arm: ik_node.Group, generator: np.random.Generator
) -> None:
    farther = []
    for _ in range(20):
        goal, seed = draw(arm, 2, generator)
        target = arm.forward_kinematics(goal)
        pose = rows_of(target[np.newaxis])[0]
        request = Solve.Request(
            target=messages.pose(pose[:3], pose[3:]),
            seed=messages.joints(dict(zip(ARM, seed, strict=True))),
        )
        request.options.timeout = 1.0
        distances = {}
        for prefer in ('', 'fast', 'nearest'):
            request.options.prefer = prefer
            answer = caller.call(panda, 'solve', request)
            assert answer.success, answer.message
            distances[prefer] = np.linalg.norm(np.array(answer.solution.position) - seed)
        assert distances['fast'] == distances['']
        assert distances['nearest'] <= distances['fast'] + 1e-4
        own = arm.solve(target, seed, prefer='nearest', timeout=1.0)
        assert distances['nearest'] == pytest.approx(np.linalg.norm(own.q - seed), abs=1e-4)
        farther.append(distances['fast'] > distances['nearest'] + 0.1)
    assert any(farther)


def test_the_nearest_of_countless_starts_is_refused(
    caller: Any, panda: Any, messages: Any
) -> None:
    # No timeout would end it.
    options = SolveOptions(prefer='nearest', max_starts=2**32 - 1)
    answer = caller.call(panda, 'solve', Solve.Request(target=messages.pose(), options=options))
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS), answer.message
    assert 'at most 4096' in answer.message


@pytest.mark.parametrize(
    ('service', 'kind', 'prefer', 'words'),
    [
        ('solve', Solve, 'best', "'best'; it must be 'fast', 'nearest' or empty"),
        ('solve', Solve, LONG, "it must be 'fast', 'nearest' or empty"),
        ('find_config', FindConfig, 'best', "'best'"),
        ('find_config', FindConfig, 'nearest', 'sorted'),
    ],
)
def test_an_unknown_preference_is_refused(
    caller: Any, panda: Any, messages: Any, service: str, kind: Any, prefer: str, words: str
) -> None:
    request = kind.Request(target=messages.pose(), options=SolveOptions(prefer=prefer))
    answer = caller.call(panda, service, request)
    assert (answer.success, answer.status) == (False, Status.INVALID_OPTIONS), answer.message
    assert words in answer.message
    assert len(answer.message) < 1000
