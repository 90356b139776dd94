# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What users of MoveIt's plugins reported, with the numbers of the reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ik_node.moveit import (
    DiscretizationMethod,
    ErrorCode,
    KinematicsPlugin,
    KinematicsQueryOptions,
)
import numpy as np
import pytest

ROBOTS = Path(__file__).resolve().parents[1] / 'robots'
IIWA = (ROBOTS / 'iiwa14.urdf').read_text()
#: Its first joint turns without end.
TURNING = IIWA.replace('name="A1" type="revolute"', 'name="A1" type="continuous"')
OTHERS = [0.5, 0.3, -1.0, 0.2, 0.7, 0.4]


def seven(text: str = IIWA, **parameters: Any) -> KinematicsPlugin:
    plugin = KinematicsPlugin()
    assert plugin.initialize(text, 'arm', 'base', 'flange', parameters=parameters), plugin.notes
    assert len(plugin.get_joint_names()) == 7
    return plugin


def pose_at(plugin: KinematicsPlugin, q: Any) -> Any:
    return plugin.get_position_fk(['flange'], q)[0]


def test_p61_limits_are_seven_or_none() -> None:
    """Of another size they are an error; 3.1 to -3.1 is 0.083185, told on the seed's side."""
    assert 'continuous' in TURNING
    plugin = seven(TURNING)
    T, seed = pose_at(plugin, [-3.1, *OTHERS]), np.array([3.1, *OTHERS])
    for limits in ([0.2] * 6, [0.2] * 8, [[0.2] * 7]):
        answer = plugin.search_position_ik(T, seed, consistency_limits=limits)
        assert answer.error_code == ErrorCode.NO_IK_SOLUTION
        assert 'consistency_limits' in answer.message
        assert np.array_equal(answer.solution, seed)
    for limits in ([0.2] * 7, []):
        answer = plugin.search_position_ik(T, seed, consistency_limits=limits)
        assert answer, answer.message
        assert np.abs(answer.solution - seed).max() <= 0.2 + 1e-9
        assert np.abs(pose_at(plugin, answer.solution) - T).max() < 2e-5
    # With everything else fixed the first joint has to go all the way.
    only = [0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    answer = plugin.search_position_ik(T, seed, consistency_limits=only)
    assert answer.solution[0] == pytest.approx(3.183185, abs=1e-5)
    assert answer.solution[0] - 3.1 == pytest.approx(0.083185, abs=1e-5)
    assert answer.solution[1:].tolist() == OTHERS
    # 0.0831 is too little, and so it is when the joints are counted in another order.
    for limits in ([0.0831, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0.2]):
        assert not plugin.search_position_ik(T, seed, consistency_limits=limits)


@pytest.mark.parametrize('joint', [2, 6])
def test_p62_a_redundant_joint_keeps_the_value_of_the_seed(joint: int) -> None:
    """0.4 exactly, with the elbow bent and with 0.05 rad left to straight."""
    plugin = seven()
    assert plugin.set_redundant_joints([joint])
    locked = KinematicsQueryOptions(lock_redundant_joints=True)
    for elbow in (-1.0, 0.05, -0.05):
        goal = np.array([0.3, 0.6, 0.4, elbow, -0.2, 0.7, 0.4])
        T = pose_at(plugin, goal)
        seed = goal + [0.02, -0.02, 0.02, 0.01, 0.02, -0.02, 0.02]
        seed[joint] = 0.4
        for answer in (
            plugin.get_position_ik(T, seed),
            plugin.search_position_ik(T, seed, options=locked),
        ):
            assert answer, f'elbow {elbow}: {answer.message}'
            assert answer.solution[joint] == 0.4
            assert np.abs(pose_at(plugin, answer.solution) - T).max() < 2e-5
        found = plugin.get_position_ik_solutions(T, seed)
        assert found, found.message
        assert {float(q[joint]) for q in found.solutions} == {0.4}
    for index in (7, 8, -1, 1000):
        assert not plugin.set_redundant_joints([index])
        assert not plugin.set_redundant_joints([joint, index])
        assert plugin.get_redundant_joints() == (joint,)


def test_what_is_there_before_anything_is_set() -> None:
    """MoveIt's defaults: one method, steps of 0.1 for redundant joints, none for others."""
    plugin = seven()
    assert plugin.get_redundant_joints() == ()
    assert plugin.get_search_discretization(2) == 0.0
    only = (DiscretizationMethod.NO_DISCRETIZATION,)
    assert plugin.get_supported_discretization_methods() == only
    assert plugin.set_redundant_joints(['A3'])
    assert plugin.get_search_discretization(2) == 0.1
    assert plugin.get_supported_discretization_methods() == tuple(DiscretizationMethod)
    options = KinematicsQueryOptions()
    assert not options.lock_redundant_joints
    assert not options.return_approximate_solution
    assert options.discretization_method is DiscretizationMethod.NO_DISCRETIZATION


def test_p62_step_and_range_are_those_of_the_request() -> None:
    plugin = seven()
    goal = np.array([0.3, 0.6, 0.4, -1.0, -0.2, 0.7, 0.4])
    T = pose_at(plugin, goal)
    grid = KinematicsQueryOptions(discretization_method=DiscretizationMethod.ALL_DISCRETIZED)
    for step in (1.0, 0.5):
        assert plugin.set_search_discretization({2: step})
        found = plugin.get_position_ik_solutions(T, goal, grid)
        lower, upper = float(plugin.group.lower[2]), float(plugin.group.upper[2])
        for q in found.solutions:
            steps = (float(q[2]) - lower) / step
            on_grid = abs(steps - round(steps)) < 1e-6
            assert on_grid or float(q[2]) in (0.4, upper)
    # A sweep stays within the consistency limit of the joint that is swept.
    swept = seven(redundant_joints=['A3'], search_mode='optimize_free_joint')
    tried: list[float] = []

    def no(pose: Any, q: Any) -> int:
        tried.append(float(q[2]))
        return -12

    limits = [9.0, 9.0, 0.25, 9.0, 9.0, 9.0, 9.0]
    answer = swept.search_position_ik(T, goal, 5.0, limits, solution_callback=no)
    assert answer.error_code == -12
    assert sorted({round(value, 6) for value in tried}) == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6])


@pytest.mark.parametrize('parameters', [{'solver_type': 'foo'}, {'iktype': 'Transform 6D'}])
def test_p74_a_word_of_another_solver(parameters: dict[str, str]) -> None:
    plugin = KinematicsPlugin()
    assert not plugin.initialize(IIWA, 'arm', 'base', 'flange', parameters=parameters)
    assert 'must be one of' in plugin.notes[-1]
    assert next(iter(parameters)) in plugin.notes[-1]
    assert not plugin.search_position_ik(np.eye(4), np.zeros(7))


@pytest.mark.parametrize('spelling', ['transform6d', 'Transform6D '])
def test_p74_a_type_in_any_case(spelling: str) -> None:
    plugin = seven(iktype=spelling)
    q = [0.3, *OTHERS]
    assert plugin.search_position_ik(pose_at(plugin, q), q)


@pytest.mark.parametrize(
    'direction', [['a', 'b', 'c'], [0, 0, 0], [0.0, float('nan'), 1.0], [True, 0, 0], 'xyz']
)
def test_a_direction_that_is_none(direction: Any) -> None:
    plugin = KinematicsPlugin()
    assert not plugin.initialize(
        IIWA, 'arm', 'base', 'flange', parameters={'direction': direction}
    )
    assert 'three numbers' in plugin.notes[-1]


@pytest.mark.parametrize('limits', [['j1'], 'j1', {'joint_limits': [1]}, {'joint_limits': 3}])
def test_limits_that_are_no_mapping(limits: Any) -> None:
    plugin = KinematicsPlugin()
    assert not plugin.initialize(IIWA, 'arm', 'base', 'flange', joint_limits=limits)
    assert 'joint_limits holds no mapping' in plugin.notes[-1]


def test_keys_that_are_no_words() -> None:
    """YAML allows them."""
    parameters: Any = {1: 2, None: 'x'}
    plugin = KinematicsPlugin()
    assert plugin.initialize(IIWA, 'arm', 'base', 'flange', parameters=parameters)
    assert any('1 is unknown' in note for note in plugin.notes)


def test_the_first_of_several_tips_is_told_with_a_word(
    caplog: pytest.LogCaptureFixture, shipped_robot: Callable[[str], Path]
) -> None:
    plugin = KinematicsPlugin()
    tips, srdf = ['rtool', '/ltool'], ROBOTS / 'two_arms.srdf'
    assert plugin.initialize(ROBOTS / 'two_arms.urdf', 'both', '/torso', tips, semantic=srdf)
    assert plugin.get_tip_frame() == 'rtool'
    assert 'several tips: rtool, ltool' in caplog.text
    caplog.clear()
    assert seven().get_tip_frame() == 'flange'
    assert not caplog.text


def test_several_tips_with_limits_and_a_judge() -> None:
    """Everything that a search for one tip keeps, one for several keeps."""
    plugin = KinematicsPlugin()
    srdf = ROBOTS / 'two_arms.srdf'
    tips = ['rtool', 'ltool']
    assert plugin.initialize(ROBOTS / 'two_arms.urdf', 'both', 'torso', tips, semantic=srdf)
    names = plugin.get_joint_names()
    q = np.array([{'rj1': -0.5, 'rj2': 1.0, 'rj3': 0.2}.get(name, 0.3) for name in names])
    poses = plugin.get_position_fk(tips, q)
    elbow = names.index('rj2')
    seen: list[Any] = []

    def other_elbow(pose: Any, solution: Any) -> int:
        seen.append(pose)
        return ErrorCode.SUCCESS if solution[elbow] < 0.0 else -12

    answer = plugin.search_position_ik(poses, q, 2.0, solution_callback=other_elbow)
    assert answer, answer.message
    assert answer.solution[elbow] == pytest.approx(-1.0, abs=1e-4)
    assert np.abs(plugin.get_position_fk(tips, answer.solution) - poses).max() < 2e-5
    assert all(np.array_equal(pose, poses[0]) for pose in seen)
    near = [0.5] * len(names)
    answer = plugin.search_position_ik(poses, q, 0.3, near, solution_callback=other_elbow)
    assert answer.error_code == -12
    answer = plugin.search_position_ik(
        poses, q, 2.0, cost_function=lambda pose, solution, seed: solution[elbow]
    )
    assert answer.solution[elbow] == pytest.approx(-1.0, abs=1e-4)
