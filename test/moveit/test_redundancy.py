# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Redundant joints: held, swept, on a grid or drawn."""

from __future__ import annotations

from collections.abc import Callable
import itertools
from pathlib import Path
from typing import Any

from ik_node.moveit import (
    DiscretizationMethod,
    KinematicError,
    KinematicsPlugin,
    KinematicsQueryOptions,
)
from ik_node.moveit.redundancy import distinct, draws, grid, sweep
import numpy as np
import pytest

GOAL = np.array([0.3, 0.2, 0.4, -1.2, 0.1, 1.8, 0.2])
SEED = GOAL + [0.2, 0.0, 0.0, 0.1, 0.0, 0.1, 0.0]


@pytest.fixture
def make(shipped_robot: Callable[[str], Path]) -> Callable[..., KinematicsPlugin]:
    def plugin(**parameters: Any) -> KinematicsPlugin:
        made = KinematicsPlugin()
        robot = shipped_robot('panda')
        assert made.initialize(robot, 'arm', 'panda_link0', 'panda_link8', parameters=parameters)
        return made

    return plugin


def pose(plugin: KinematicsPlugin, q: Any = GOAL) -> Any:
    return plugin.get_position_fk(['panda_link8'], q)[0]


def test_which_joints_are_redundant(make: Callable[..., KinematicsPlugin]) -> None:
    plugin = make(redundant_joints=['panda_joint3'], kinematics_solver_search_resolution=0.2)
    assert plugin.get_redundant_joints() == (2,)
    assert plugin.get_search_discretization(2) == 0.2
    assert plugin.get_search_discretization() == 0.0
    for joints in ([7], [-1], ['nobody'], list(range(7)), [True]):
        assert not plugin.set_redundant_joints(joints)
        assert plugin.get_redundant_joints() == (2,)
    assert plugin.set_redundant_joints(['panda_joint7', 0])
    assert plugin.get_redundant_joints() == (6, 0)
    assert plugin.set_search_discretization({4: 0.5})
    assert plugin.get_redundant_joints() == (4,)
    assert plugin.get_search_discretization(4) == 0.5
    assert not plugin.set_search_discretization({9: 0.5})
    assert plugin.set_search_discretization(0.3)
    assert plugin.get_search_discretization(4) == 0.3


@pytest.mark.parametrize('joint', [2, 6])
def test_a_redundant_joint_stays_at_the_seed(
    make: Callable[..., KinematicsPlugin], joint: int
) -> None:
    """Also where the elbow is 0.05 rad from the end of its range, nearly straight."""
    plugin = make()
    plugin.set_redundant_joints([joint])
    straight = GOAL.copy()
    straight[3] = plugin.group.upper[3] - 0.05
    for goal in (GOAL, straight):
        seed = goal + 0.03
        seed[3] = goal[3] - 0.03
        seed[joint] = goal[joint]
        T = pose(plugin, goal)
        answer = plugin.get_position_ik(T, seed)
        assert answer, answer.message
        assert answer.solution[joint] == goal[joint]
        assert np.abs(pose(plugin, answer.solution) - T).max() < 2e-5
    locked = KinematicsQueryOptions(lock_redundant_joints=True)
    answer = plugin.search_position_ik(T, seed, options=locked)
    assert answer.solution[joint] == goal[joint]


@pytest.mark.parametrize('mode', ['optimize_free_joint', 'OPTIMIZE_MAX_JOINT'])
def test_the_sweep_of_the_free_joint(make: Callable[..., KinematicsPlugin], mode: str) -> None:
    plugin = make(redundant_joints=['panda_joint3'], search_mode=mode)
    T = pose(plugin)
    seed = SEED.copy()
    seed[2] = 0.4 + 0.2  # two steps away
    tried: list[float] = []

    def judge(pose: Any, q: Any) -> int:
        tried.append(float(q[2]))
        return int(abs(q[2] - 0.4) < 0.05) or -31

    answer = plugin.search_position_ik(T, seed, 5.0, solution_callback=judge)
    assert answer.solution[2] == pytest.approx(0.4, abs=1e-9)
    order = list(dict.fromkeys(round(value, 6) for value in tried))
    assert order[:5] == pytest.approx([0.6, 0.7, 0.5, 0.8, 0.4])
    free = plugin.search_position_ik(T, seed, 5.0)
    moves = np.abs(free.solution - seed)
    if mode.lower() == 'optimize_free_joint':
        assert free.solution[2] == pytest.approx(0.6, abs=1e-9)
    else:
        others = make(redundant_joints=['panda_joint3'], search_mode='optimize_free_joint')
        first = others.search_position_ik(T, seed, 5.0)
        assert moves.max() <= np.abs(first.solution - seed).max() + 1e-9
    limits = [9.0, 9.0, 0.15, 9.0, 9.0, 9.0, 9.0]
    near = plugin.search_position_ik(T, seed, 5.0, limits, solution_callback=judge)
    assert not near


@pytest.mark.parametrize('method', DiscretizationMethod)
def test_all_solutions_of_a_pose(
    make: Callable[..., KinematicsPlugin], method: DiscretizationMethod
) -> None:
    plugin = make(kinematics_solver_search_resolution=0.5, max_solutions=200)
    options = KinematicsQueryOptions(discretization_method=method)
    T = pose(plugin)
    if method is not DiscretizationMethod.NO_DISCRETIZATION:
        refused = plugin.get_position_ik_solutions(T, SEED, options)
        error = KinematicError.UNSUPORTED_DISCRETIZATION_REQUESTED
        assert refused.result.kinematic_error is error
    plugin.set_redundant_joints([2])
    found = plugin.get_position_ik_solutions(T, SEED, options)
    assert found
    assert found.result.kinematic_error is KinematicError.OK
    assert 0.0 < found.result.solution_percentage <= 1.0
    group = plugin.group
    for q in found.solutions:
        assert np.abs(pose(plugin, q) - T).max() < 2e-5
        assert (group.lower <= q).all()
        assert (q <= group.upper).all()
    distances = [float(np.linalg.norm(q - SEED)) for q in found.solutions]
    assert distances == sorted(distances)
    for a, b in itertools.combinations(found.solutions, 2):
        assert np.abs(a - b).max() > 1e-3
    values = {round(float(q[2]), 6) for q in found.solutions}
    if method is DiscretizationMethod.NO_DISCRETIZATION:
        assert values == {0.4}
    else:
        assert len(values) > 3
    again = plugin.get_position_ik_solutions(T, SEED, options)
    assert [q.tolist() for q in again.solutions] == [q.tolist() for q in found.solutions]


def test_what_no_solutions_can_be_listed_for(make: Callable[..., KinematicsPlugin]) -> None:
    plugin = make()
    T = pose(plugin)

    def error(poses: Any, seed: Any = SEED, method: int = 1) -> KinematicError:
        options = KinematicsQueryOptions(discretization_method=DiscretizationMethod(method))
        return plugin.get_position_ik_solutions(poses, seed, options).result.kinematic_error

    assert error([]) is KinematicError.EMPTY_TIP_POSES
    assert error([T, T]) is KinematicError.MULTIPLE_TIPS_NOT_SUPPORTED
    assert error(T, SEED[:3]) is KinematicError.NO_SOLUTION
    far = T.copy()
    far[0, 3] = 5.0
    assert error(far) is KinematicError.NO_SOLUTION
    plugin.set_redundant_joints([2])
    outside = SEED.copy()
    outside[2] = 99.0
    assert error(T, outside) is KinematicError.IK_SEED_OUTSIDE_LIMITS
    plugin.set_search_discretization(0.0)
    assert error(T, SEED, 2) is KinematicError.DISCRETIZATION_NOT_INITIALIZED
    assert error(T, SEED, 3) is KinematicError.OK
    idle = KinematicsPlugin().get_position_ik_solutions(T, SEED)
    assert idle.result.kinematic_error is KinematicError.SOLVER_NOT_ACTIVE


def test_values_of_a_joint() -> None:
    assert list(sweep(-0.25, 0.25, 0.1, 0.1)) == pytest.approx([0.1, 0.2, 0.0, -0.1, -0.2])
    assert grid(0.0, 1.0, 0.5, 0.4) == pytest.approx([0.5, 0.0, 0.4, 0.8, 1.0])
    endless = grid(-np.inf, np.inf, 1.0, 1.0)
    assert min(endless) == pytest.approx(1.0 - np.pi)
    assert max(endless) == pytest.approx(1.0 + np.pi)
    drawn = draws(0.0, 1.0, 0.5, 0.25, np.random.default_rng(1))
    assert drawn[0] == 0.5
    assert len(drawn) == 5
    kept = distinct([np.array([1.0]), np.array([0.2]), np.array([0.2001])], np.zeros(1), 1e-3)
    assert [float(q[0]) for q in kept] == [0.2, 1.0]
