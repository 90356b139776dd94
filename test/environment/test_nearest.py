# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Near seeds, tracked paths, and the nearest of several solutions."""

from __future__ import annotations

import itertools
import math

import ik_node
from ik_node.kernels.rotations import rotation_exp
import numpy as np
import pytest

ARMS = {
    'panda': ('panda_link0', 'panda_hand_tcp', [0.1, 0.3, -0.2, -1.9, 0.2, 2.2, 0.5]),
    'ur5e': ('base_link', 'tool0', [0.3, -1.2, 1.5, -0.6, 1.1, 0.2]),
    'iiwa14': ('base', 'flange', [0.2, 0.5, -0.3, -1.2, 0.3, 0.9, 0.1]),
}


@pytest.fixture(params=ARMS)
def arm(request, shipped_robot):
    """Give an arm and a comfortable configuration."""
    base, tip, q = ARMS[request.param]
    env = ik_node.Environment.from_urdf(shipped_robot(request.param))
    return env.create_group('arm', base, tip), np.array(q)


def line(start, steps):
    """Move 0.2 m along a diagonal."""
    for s in np.linspace(0.0, 1.0, steps):
        target = start.copy()
        target[:3, 3] += s * np.array([-0.1, 0.12, -0.1])
        yield target


def circle(start, steps):
    """Move around a circle of 0.08 m, swaying by 0.2 rad."""
    for s in np.linspace(0.0, 2.0 * math.pi, steps):
        target = start.copy()
        target[:3, 3] += 0.08 * np.array([math.cos(s) - 1.0, math.sin(s), 0.0])
        target[:3, :3] = (
            np.reshape(rotation_exp(0.2 * math.sin(s), 0.0, 0.0), (3, 3)) @ (target[:3, :3])
        )
        yield target


@pytest.mark.parametrize('path', [line, circle])
def test_a_tracked_path_has_no_jump(arm, path):
    group, q = arm
    steps = 2000
    largest, needed = 0.0, 0.0
    for target in path(group.forward_kinematics(q), steps):
        jacobian = group.jacobian(q)
        present = group.forward_kinematics(q)
        twist = np.append(target[:3, 3] - present[:3, 3], _turn(present, target))
        result = group.solve(target, q)
        assert result.success
        assert result.restarts == 0
        largest = max(largest, float(np.abs(result.q - q).max()))
        needed = max(needed, float(np.abs(np.linalg.pinv(jacobian) @ twist).max()))
        q = result.q
    # A step of the path is small, so the motion that it needs is that of the Jacobian.
    assert largest <= 1.5 * needed + 1e-6


def _turn(present, target):
    r = target[:3, :3] @ present[:3, :3].T
    return 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])


def test_nearest_is_the_nearest_of_all_branches(shipped_robot, rng):
    base, tip, _ = ARMS['ur5e']
    group = ik_node.Environment.from_urdf(shipped_robot('ur5e')).create_group('arm', base, tip)
    for _ in range(10):
        target = group.forward_kinematics(rng.uniform(-3.0, 3.0, 6))
        seed = rng.uniform(-3.0, 3.0, 6)
        branches = group.find_configs(target, seed, max_configs=64, max_draws=600, timeout=20.0)
        turned = [nearest_turns(q, seed, group) for q in branches.configs]
        best = min(np.linalg.norm(q - seed) for q in turned)
        result = group.solve(target, seed, prefer='nearest')
        assert result.success
        assert np.linalg.norm(result.q - seed) <= best + 1e-4


def nearest_turns(q, seed, group):
    """Choose full turns inside the limits, by trying them all."""
    turned = np.empty_like(q)
    for i, value in enumerate(q):
        choices = [value + 2.0 * math.pi * k for k in range(-3, 4)]
        inside = [c for c in choices if group.lower[i] <= c <= group.upper[i]]
        turned[i] = min(inside, key=lambda c: abs(c - seed[i]))
    return turned


def test_full_turns_are_as_near_as_the_limits_allow(shipped_robot):
    base, tip, q = ARMS['ur5e']
    group = ik_node.Environment.from_urdf(shipped_robot('ur5e')).create_group('arm', base, tip)
    q = np.array(q)
    target = group.forward_kinematics(q)
    for turns in itertools.product((-1, 0), (-1, 0)):
        seed = q + 0.05
        seed[[0, 5]] += 2.0 * math.pi * np.array(turns)
        for prefer in ('fast', 'nearest'):
            result = group.solve(target, seed, prefer=prefer)
            assert result.success
            np.testing.assert_allclose(result.q, nearest_turns(q, seed, group), atol=1e-4)


def test_a_seed_at_a_limit_goes_on_by_a_full_turn(shipped_robot):
    base, tip, q = ARMS['ur5e']
    group = ik_node.Environment.from_urdf(shipped_robot('ur5e')).create_group('arm', base, tip)
    q = np.array(q)
    seed = q + 0.05
    seed[5] = group.upper[5]  # the solution is 0.2 rad beyond, or nearly a turn back
    result = group.solve(group.forward_kinematics(q), seed)
    assert result.restarts == 0
    np.testing.assert_allclose(result.q, q, atol=1e-4)


def test_a_redundant_arm_slides_to_the_seed(shipped_robot, rng):
    base, tip, q = ARMS['panda']
    group = ik_node.Environment.from_urdf(shipped_robot('panda')).create_group('arm', base, tip)
    for _ in range(5):
        seed = np.array(q) + 0.3 * rng.standard_normal(7)
        target = group.forward_kinematics(np.array(q))
        result = group.solve(target, seed, prefer='nearest')
        assert result.success
        away = seed - result.q
        # At the nearest point of the solutions nothing of the way leads along them.
        null = np.linalg.svd(group.jacobian(result.q))[2][6]
        free = (result.q > group.lower + 1e-6).all() and (result.q < group.upper - 1e-6).all()
        if free:
            assert abs(null @ away) <= 0.05 * np.linalg.norm(away) + 1e-3
        assert np.linalg.norm(away) <= np.linalg.norm(seed - q) + 1e-9


def test_nearest_is_the_same_every_time(arm, rng):
    group, q = arm
    target, seed = group.forward_kinematics(q), rng.uniform(-1.0, 1.0, len(q))
    first = group.solve(target, seed, prefer='nearest', random_seed=5)
    second = group.solve(target, seed, prefer='nearest', random_seed=5)
    np.testing.assert_array_equal(first.q, second.q)
    assert first.restarts >= 63


def test_more_starts_never_make_it_farther(arm, rng):
    group, q = arm
    target, seed = group.forward_kinematics(q), rng.uniform(-1.5, 1.5, len(q))
    few = group.solve(target, seed, prefer='nearest', max_starts=64)
    many = group.solve(target, seed, prefer='nearest', max_starts=1000, timeout=10.0)
    assert np.linalg.norm(many.q - seed) <= np.linalg.norm(few.q - seed) + 1e-3


def test_nearest_keeps_its_time(arm, rng):
    group, q = arm
    result = group.solve(
        group.forward_kinematics(q), q, prefer='nearest', max_starts=10**9, timeout=0.02
    )
    assert result.success
    assert result.restarts < 10**7


def test_nearest_of_nothing_is_told_as_ever(shipped_robot):
    base, tip, q = ARMS['panda']
    group = ik_node.Environment.from_urdf(shipped_robot('panda')).create_group('arm', base, tip)
    target = group.forward_kinematics(q)
    target[2, 3] += 5.0
    result = group.solve(target, q, prefer='nearest')
    assert result.status.name == 'UNREACHABLE'
    assert 'out of reach' in result.message


def test_mechanisms_that_know_no_lanes_have_a_nearest_solution_too(rng):
    env = ik_node.Environment()
    env.create_joint('ball', 'spherical')
    T = np.eye(4)
    T[0, 3] = 1.0
    env.create_joint('hinge', 'revolute', parent='ball', pose=T, limits=(-2.0, 2.0))
    env.create_dummy('tip', parent='hinge', pose=T)
    arm = env.create_group('arm', 'world', 'tip')
    q = np.array([0.2, -0.4, 0.3, 0.9])
    result = arm.solve(arm.forward_kinematics(q), q + 0.1, prefer='nearest')
    assert result.success
    assert np.linalg.norm(result.q - (q + 0.1)) <= 0.2 + 1e-6


def test_prefer_names_what_it_may_be(arm):
    group, q = arm
    with pytest.raises(ik_node.InvalidOptionError, match="'fast' or 'nearest'"):
        group.solve(group.forward_kinematics(q), q, prefer='closest')


def test_joints_that_a_target_leaves_free_make_no_full_turns(shipped_robot, rng):
    # From most of these seeds no way leads to the target: the answer is that of a random start.
    env = ik_node.Environment.from_urdf(shipped_robot('ur5e'))
    group = env.create_group('arm', 'base_link', 'tool0')
    farthest = []
    for _ in range(100):
        q, seed = rng.uniform(group.lower, group.upper, (2, 6))
        target = ik_node.TranslationDirection5D.from_pose(group.forward_kinematics(q))
        result = group.solve(target, seed)
        assert result.success
        farthest.append(np.abs(result.q - seed).max())
    assert max(farthest) < 2.0 * math.pi
    assert np.mean(farthest) < 3.2
