# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract of MoveIt's kinematics plugins, method by method."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
import math
from pathlib import Path
from typing import Any

from ik_node.moveit import ErrorCode, KinematicsPlugin, KinematicsQueryOptions
import numpy as np
import pytest

ROBOTS = Path(__file__).resolve().parents[1] / 'robots'
UP, DOWN = np.array([-0.5, 1.0, 0.2]), np.array([0.5, -1.0, 1.2])
NO_SOLUTION = ErrorCode.NO_IK_SOLUTION


def plugin_for(robot: str, base: str, tips: Any, group: str = 'arm', **more: Any) -> Any:
    plugin = KinematicsPlugin()
    assert plugin.initialize(ROBOTS / f'{robot}.urdf', group, base, tips, **more), plugin.notes
    return plugin


@pytest.fixture
def planar() -> KinematicsPlugin:
    return plugin_for('planar_tool', 'base', 'flange')


@pytest.fixture
def panda(shipped_robot: Callable[[str], Path]) -> KinematicsPlugin:
    plugin = KinematicsPlugin()
    assert plugin.initialize(shipped_robot('panda'), 'panda_arm', '/panda_link0', '/panda_link8')
    return plugin


def pose_at(plugin: KinematicsPlugin, q: Any) -> Any:
    return plugin.get_position_fk([plugin.get_tip_frames()[0]], q)[0]


def test_names(panda: KinematicsPlugin) -> None:
    assert panda.get_group_name() == 'panda_arm'
    assert panda.get_base_frame() == 'panda_link0'
    assert panda.get_tip_frame() == 'panda_link8'
    assert panda.get_joint_names() == tuple(f'panda_joint{i}' for i in range(1, 8))
    assert 'panda_leftfinger' in panda.get_link_names()
    assert panda.get_default_timeout() == 0.05
    panda.set_default_timeout(0.2)
    assert panda.get_default_timeout() == 0.2


def test_a_search_answers_for_any_pose(panda: KinematicsPlugin, rng: np.random.Generator) -> None:
    group = panda.group
    for _ in range(100):
        goal, seed = rng.uniform(group.lower, group.upper, (2, 7))
        T = pose_at(panda, goal)
        answer = panda.search_position_ik(T, seed)
        assert answer, answer.message
        assert np.abs(pose_at(panda, answer.solution) - T).max() < 2e-5
        assert (group.lower <= answer.solution).all()
        assert (answer.solution <= group.upper).all()


def test_a_single_attempt_makes_no_other_start(planar: KinematicsPlugin) -> None:
    """Whatever the pose, the answer is the one that the seed leads to, or none."""
    T = pose_at(planar, UP)
    for seed, found in ((UP + 0.1, UP), (DOWN + 0.1, DOWN)):
        assert planar.get_position_ik(T, seed).solution == pytest.approx(found, abs=1e-5)
        answer = planar.search_position_ik(T, seed, timeout=0.0)
        assert answer.solution == pytest.approx(found, abs=1e-5)


@pytest.mark.parametrize(
    ('pose', 'seed'),
    [
        (np.eye(4), np.zeros(2)),
        (np.eye(4), [0.0, math.nan, 0.0]),
        (np.eye(4), 'seed'),
        (np.eye(3), np.zeros(3)),
        (np.stack([np.eye(4)] * 2), np.zeros(3)),
        (np.full((4, 4), math.nan), np.zeros(3)),
        ('pose', np.zeros(3)),
        (2.0 * np.eye(4), np.zeros(3)),
    ],
)
def test_a_request_that_means_nothing_is_answered(
    planar: KinematicsPlugin, pose: Any, seed: Any
) -> None:
    for answer in (planar.get_position_ik(pose, seed), planar.search_position_ik(pose, seed)):
        assert not answer
        assert answer.error_code == NO_SOLUTION
        assert answer.message


def test_a_plugin_that_was_not_initialised() -> None:
    plugin = KinematicsPlugin()
    answer = plugin.search_position_ik(np.eye(4), np.zeros(3))
    assert answer.error_code == NO_SOLUTION
    assert 'not initialised' in answer.message
    assert plugin.supports_group() == (False, 'the plugin is not initialised')
    assert not plugin.active


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('arm', 'nowhere', 'flange'), "unknown link 'nowhere'"),
        (('arm', 'base', 'nowhere'), "unknown link 'nowhere'"),
        (('arm', 'base', ''), 'no tip frame was given'),
        (('arm', 'base', 'base'), 'no joint'),
    ],
)
def test_initialize_refuses_with_a_reason(arguments: Any, said: str) -> None:
    plugin = KinematicsPlugin()
    assert not plugin.initialize(ROBOTS / 'planar_tool.urdf', *arguments)
    assert said in plugin.notes[-1]
    assert not plugin.initialize('/no/such/file.urdf', 'arm', 'base', 'flange')
    assert plugin.initialize(ROBOTS / 'planar_tool.urdf', 'arm', 'base', 'flange')


def test_consistency_limits(planar: KinematicsPlugin) -> None:
    T = pose_at(planar, UP)
    far = UP + [0.0, 0.3, 0.0]
    assert planar.search_position_ik(T, far, consistency_limits=[])
    answer = planar.search_position_ik(T, DOWN, consistency_limits=[0.2] * 3)
    assert answer.solution == pytest.approx(DOWN, abs=1e-5)
    assert not planar.search_position_ik(T, far, consistency_limits=[0.5, 0.2, 0.5])
    for limits in ([0.2] * 2, [0.2, -1.0, 0.2], [0.2, math.nan, 0.2], 'wide'):
        answer = planar.search_position_ik(T, UP, consistency_limits=limits)
        assert answer.error_code == NO_SOLUTION
        assert 'consistency_limits' in answer.message


def test_a_full_turn_is_near() -> None:
    """3.1 to -3.1 is 0.083185 by way of a half turn, told on the side of the seed."""
    text = (ROBOTS / 'planar_tool.urdf').read_text()
    plugin = KinematicsPlugin()
    assert plugin.initialize(text.replace('revolute', 'continuous'), 'arm', 'base', 'flange')
    T = pose_at(plugin, [-3.1, 0.5, 0.3])
    seed = [3.1, 0.5, 0.3]
    answer = plugin.search_position_ik(T, seed, consistency_limits=[0.2] * 3)
    assert answer.solution[0] == pytest.approx(3.183185, abs=1e-5)
    assert not plugin.search_position_ik(T, seed, consistency_limits=[0.05, 9.0, 9.0])


def test_a_rejected_solution_is_no_answer(planar: KinematicsPlugin) -> None:
    T = pose_at(planar, UP)
    seen: list[Any] = []

    def elbow_down(pose: Any, q: Any) -> int:
        seen.append((pose, q))
        return ErrorCode.SUCCESS if q[1] < 0.0 else -12

    answer = planar.search_position_ik(T, UP, solution_callback=elbow_down)
    assert answer.solution == pytest.approx(DOWN, abs=1e-5)
    assert seen[0][1] == pytest.approx(UP, abs=1e-5)  # the nearest is asked about first
    assert all(np.array_equal(pose, T) for pose, _ in seen)
    # When all are rejected, the code of who rejected them is passed on.
    answer = planar.search_position_ik(T, UP, timeout=0.1, solution_callback=lambda p, q: -12)
    assert answer.error_code == -12
    assert np.array_equal(answer.solution, UP)
    # A plain yes or no does as well, and no answer at all is told to be none.
    assert planar.search_position_ik(T, UP, solution_callback=lambda p, q: True)
    no = planar.search_position_ik(T, UP, solution_callback=lambda p, q: False)
    assert no.error_code == NO_SOLUTION
    answer = planar.search_position_ik(T, UP, solution_callback=lambda p, q: None)  # type: ignore
    assert 'answered None' in answer.message


def test_a_cost_function_chooses(planar: KinematicsPlugin) -> None:
    T = pose_at(planar, UP)
    answer = planar.search_position_ik(T, UP, cost_function=lambda pose, q, seed: q[1])
    assert answer.solution == pytest.approx(DOWN, abs=1e-5)
    answer = planar.search_position_ik(T, DOWN, cost_function=lambda pose, q, seed: -q[1])
    assert answer.solution == pytest.approx(UP, abs=1e-5)


def test_the_context_has_the_other_joints() -> None:
    """The finger is moved by a joint that is not in the group, here between base and tip."""
    plugin = plugin_for('two_arms', 'base', 'ltool', semantic=ROBOTS / 'two_arms.srdf')
    assert plugin.get_joint_names() == ('turn', 'lj1', 'lj3')
    q = [0.1, 0.3, 0.4]
    for lj2 in (0.0, 0.6):
        group = plugin.group
        T = group.environment.link_pose('ltool', 'base', {**group.named_positions(q), 'lj2': lj2})
        answer = plugin.search_position_ik(T, q, context_state={'lj2': lj2, 'lj1': 9.0})
        assert answer.solution == pytest.approx(q, abs=1e-5)


def test_an_approximate_solution_is_flagged_and_bounded(planar: KinematicsPlugin) -> None:
    options = KinematicsQueryOptions(return_approximate_solution=True)
    seed = np.array([0.0, 0.1, -0.1])
    T = np.eye(4)
    T[0, 3] = 3.01
    answer = planar.search_position_ik(T, seed, options=options)
    assert answer
    assert answer.approximate
    assert answer.position_error == pytest.approx(0.01, abs=5e-3)
    assert not planar.search_position_ik(T, seed)
    T[0, 3] = 3.5  # half a metre out of reach
    answer = planar.search_position_ik(T, seed, options=options)
    assert not answer
    assert np.array_equal(answer.solution, seed)
    limits = {'approximate_solution_joint_threshold': 0.01}
    plugin = plugin_for('planar_tool', 'base', 'flange', parameters=limits)
    T[0, 3] = 3.01
    assert not plugin.search_position_ik(T, seed, options=options)


def test_several_tips_in_their_order() -> None:
    srdf = ROBOTS / 'two_arms.srdf'
    plugin = plugin_for('two_arms', 'torso', ['rtool', 'ltool'], semantic=srdf)
    assert plugin.get_tip_frames() == ('rtool', 'ltool')
    names = plugin.get_joint_names()
    q = np.linspace(-0.3, 0.5, len(names))
    poses = plugin.get_position_fk(['rtool', 'ltool'], q)
    answer = plugin.search_position_ik(poses, q + 0.1)
    assert answer.solution == pytest.approx(q, abs=1e-4)
    assert not plugin.search_position_ik(poses[::-1], q, timeout=0.05)
    assert not plugin.search_position_ik(poses[0], q)
    assert plugin.get_position_ik(poses, q + 0.05).solution == pytest.approx(q, abs=1e-4)


def test_groups_are_supported_or_not_with_a_reason() -> None:
    srdf = ROBOTS / 'two_arms.srdf'
    plugin = plugin_for('two_arms', '', [], 'left', semantic=srdf)
    for group in ('left', 'both', 'gap', 'whole', 'inside'):
        assert plugin.supports_group(group) == (True, '')
    supported, reason = plugin.supports_group('hand')
    assert not supported
    assert "'fj1' and 'fj2' are on different branches" in reason
    assert 'the groups are left, right' in plugin.supports_group('legs')[1]
    plugin = KinematicsPlugin()
    assert not plugin.initialize(ROBOTS / 'two_arms.urdf', 'hand', '', [], semantic=srdf)
    assert 'no tip frame' in plugin.notes[-1]


def test_the_tips_of_initialize_count(shipped_robot: Callable[[str], Path]) -> None:
    """Not what the SRDF says about end effectors, nor its group of the same name."""
    plugin = KinematicsPlugin()
    robot, srdf = shipped_robot('panda'), ROBOTS / 'panda.srdf'
    assert plugin.initialize(robot, 'panda_arm', 'panda_link1', ['panda_hand'], semantic=srdf)
    assert plugin.get_tip_frames() == ('panda_hand',)
    assert plugin.get_base_frame() == 'panda_link1'


def test_joint_limits_replace_those_of_the_urdf() -> None:
    limits = {'joint_limits': {'j2': {'has_position_limits': True, 'max_position': 1.0}}}
    plugin = plugin_for('planar_tool', 'base', 'flange', joint_limits=limits)
    q = [-1.0, 2.0, 0.3]
    T = pose_at(plugin, q)
    answer = plugin.search_position_ik(T, [0.0, 0.9, 0.0])
    assert answer.solution[1] == pytest.approx(-2.0, abs=1e-5)
    limits['joint_limits']['j2']['min_position'] = -1.5
    limits['joint_limits']['ghost'] = {'has_position_limits': True, 'max_position': 1.0}
    plugin = plugin_for('planar_tool', 'base', 'flange', joint_limits=limits)
    assert not plugin.search_position_ik(T, [0.0, 0.9, 0.0])
    assert "there is no joint 'ghost'" in ' '.join(plugin.notes)


def test_forward_kinematics_of_any_link(planar: KinematicsPlugin) -> None:
    poses = planar.get_position_fk(['tool0', 'l2', 'base'], [0.0, math.pi / 2, 0.0])
    assert poses[0][:3, 3] == pytest.approx([1.0, 2.0, 0.2])
    assert poses[1][:3, 3] == pytest.approx([1.0, 0.0, 0.0])
    assert poses[2] == pytest.approx(np.eye(4))
    with pytest.raises(LookupError, match='nobody'):
        planar.get_position_fk(['nobody'], UP)
    with pytest.raises(ValueError, match='shape'):
        planar.get_position_fk(['l2'], [0.0])


def test_many_threads_may_ask(panda: KinematicsPlugin, rng: np.random.Generator) -> None:
    group = panda.group
    asked = rng.uniform(group.lower, group.upper, (64, 2, 7))
    poses = [pose_at(panda, goal) for goal, _ in asked]

    def ask(number: int) -> Any:
        options = [0.5] * 7 if number % 4 == 0 else ()
        seed = asked[number, 0] + 0.01 if number % 4 == 0 else asked[number, 1]
        return panda.search_position_ik(poses[number], seed, 5.0, options).solution

    alone = [ask(number) for number in range(64)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(ask, range(64)))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
