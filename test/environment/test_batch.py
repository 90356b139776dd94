# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches: arrays in, arrays out, the same answers however they are cut."""

from __future__ import annotations

import math

import ik_node
from ik_node.kernels.rotations import rotation_error
from ik_node.model.quaternions import quat_from_rotation_vector
from ik_node.solvers.batch import PIECE
from ik_node.solvers.status import SolveStatus
import numpy as np
import pytest


@pytest.fixture(scope='module')
def panda(shipped_robot):
    """Give the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda')).create_group(
        'arm', 'panda_link0', 'panda_hand_tcp'
    )


def uniform(arm, count, rng):
    """Draw configurations inside the limits."""
    return rng.uniform(arm.lower, arm.upper, (count, len(arm.lower)))


def quats(poses):
    """Convert rotations to quaternions by their rotation vectors."""
    eye = np.append(np.eye(3).ravel(), np.zeros(3))
    return np.array([quat_from_rotation_vector(rotation_error(eye, pose)) for pose in poses])


def test_every_reachable_target_is_solved(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 3000, rng))
    result = panda.solve_batch(targets, uniform(panda, 3000, rng))
    assert result.success.all()
    assert result.message == '3000 of 3000 solved'
    np.testing.assert_allclose(panda.forward_kinematics(result.q), targets, atol=2e-5)
    assert (result.q >= panda.lower).all()
    assert (result.q <= panda.upper).all()
    assert result.position_error.max() <= 1e-6
    assert result.orientation_error.max() <= 1e-5
    assert result.joint_names == panda.joint_names
    assert result.iterations.min() >= 1
    assert result.restarts.min() >= 0


def test_threads_change_nothing(panda, rng):
    count = 2 * PIECE + 100
    targets = panda.forward_kinematics(uniform(panda, count, rng))
    targets[::11, :3, 3] *= 1.5
    seeds = uniform(panda, count, rng)
    first = panda.solve_batch(targets, seeds, threads=1)
    for threads in (2, 3):
        again = panda.solve_batch(targets, seeds, threads=threads)
        for name in ('status', 'q', 'position_error', 'iterations', 'restarts'):
            np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    part = panda.solve_batch(targets[PIECE - 7 :], seeds[PIECE - 7 :])
    np.testing.assert_array_equal(part.q, first.q[PIECE - 7 :])


def test_positions_and_quaternions_are_poses_too(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 50, rng))
    seed = uniform(panda, 1, rng)[0]
    expected = panda.solve_batch(targets, seed).q
    positions, quats_xyzw = targets[:, :3, 3], quats(targets)
    scaled = quats_xyzw * rng.uniform(-3.0, 3.0, (50, 1))  # any length and sign is the rotation
    for poses in ((positions, scaled), np.hstack([positions, scaled]), list(targets)):
        result = panda.solve_batch(poses, seed)
        assert result.success.all()
        np.testing.assert_allclose(result.q, expected, atol=1e-5)


def test_near_seeds_give_near_answers(panda, rng):
    solutions = rng.uniform(0.8 * panda.lower, 0.8 * panda.upper, (500, 7))
    seeds = solutions + 0.02 * rng.standard_normal(solutions.shape)
    result = panda.solve_batch(panda.forward_kinematics(solutions), seeds)
    assert result.success.all()
    assert np.median(np.abs(result.q - seeds).max(axis=1)) < 0.06


def test_the_state_of_the_environment_is_the_default_seed(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 10, rng))
    state = panda.seed_from()
    np.testing.assert_array_equal(
        panda.solve_batch(targets).q, panda.solve_batch(targets, state).q
    )


def test_what_cannot_be_reached_has_a_status_of_its_own(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 30, rng))
    targets[4, :3, 3] += 10.0
    result = panda.solve_batch(targets)
    assert result.status[4] == SolveStatus.UNREACHABLE
    assert result.position_error[4] > 5.0
    assert np.isfinite(result.q[4]).all()
    assert not result.success[4]
    assert result.success.sum() == 29
    assert result.message == '29 of 30 solved, 1 out of reach'


def test_starts_that_were_asked_for_are_kept(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 200, rng))
    seeds = uniform(panda, 200, rng)
    alone = panda.solve_batch(targets, seeds, max_starts=1)
    assert alone.restarts.max() == 0
    assert 0 < alone.success.sum() < 200
    assert set(alone.status) == {SolveStatus.SUCCESS, SolveStatus.NOT_FOUND}


def test_time_ends_a_batch_between_pieces(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 4 * PIECE, rng))
    result = panda.solve_batch(targets, uniform(panda, len(targets), rng), timeout=0.0, threads=1)
    assert result.success[:PIECE].all()
    assert (result.status[PIECE:] == SolveStatus.TIMED_OUT).all()
    assert np.isnan(result.position_error[PIECE:]).all()
    assert f'{3 * PIECE} not tried before the time was over' in result.message


def test_nothing_in_nothing_out(panda):
    result = panda.solve_batch(np.empty((0, 4, 4)))
    assert result.q.shape == (0, 7)
    assert result.message == '0 of 0 solved'
    assert panda.solve_batch([]).q.shape == (0, 7)


def test_arrays_of_the_caller_stay_as_they_are(panda, rng):
    targets = panda.forward_kinematics(uniform(panda, 20, rng))
    targets[3, 0, 0] += 1e-4  # off by rounding: made exact in a copy
    seeds = uniform(panda, 20, rng)
    kept = targets.copy(), seeds.copy()
    targets.setflags(write=False)
    result = panda.solve_batch(targets, seeds)
    np.testing.assert_array_equal(targets, kept[0])
    np.testing.assert_array_equal(seeds, kept[1])
    assert not np.shares_memory(result.q, seeds)
    with pytest.raises(ValueError, match='read-only'):
        result.q[0, 0] = 1.0


@pytest.mark.parametrize('robot', ['planar_mimic', 'scara'])
def test_other_mechanisms(shipped_robot, robot, rng):
    arm = ik_node.Environment.from_urdf(shipped_robot(robot)).create_group('arm')
    lower = np.maximum(arm.lower, -3.0)
    q = rng.uniform(lower, np.minimum(arm.upper, 3.0), (300, len(lower)))
    targets = arm.forward_kinematics(q)
    result = arm.solve_batch(targets)
    assert result.success.all()
    np.testing.assert_allclose(arm.forward_kinematics(result.q), targets, atol=2e-5)


def test_spherical_joints_and_functions_are_served_without_a_seam(rng):
    env = ik_node.Environment()
    env.create_joint('ball', 'spherical')
    T = np.eye(4)
    T[0, 3] = 1.0
    env.create_joint('slide', 'prismatic', parent='ball', pose=T, limits=(0.0, 0.5))
    env.create_dummy('tip', parent='slide')
    arm = env.create_group('arm', 'world', 'tip')
    q = np.column_stack([rng.uniform(-1.5, 1.5, (20, 3)), rng.uniform(0.0, 0.5, 20)])
    targets = arm.forward_kinematics(q)
    targets[7, :3, 3] *= 9.0
    result = arm.solve_batch(targets)
    assert result.status[7] == SolveStatus.UNREACHABLE
    reached = np.arange(20) != 7
    assert result.success[reached].all()
    np.testing.assert_allclose(
        arm.forward_kinematics(result.q[reached]), targets[reached], atol=2e-5
    )


class TestRefusals:
    def test_shape(self, panda):
        with pytest.raises(ik_node.InvalidTargetError, match=r'have the shape \(3, 3\)'):
            panda.solve_batch(np.eye(3))

    def test_words(self, panda):
        with pytest.raises(ik_node.InvalidTargetError, match=r'\(b, 4, 4\) matrices'):
            panda.solve_batch('there')

    @pytest.mark.parametrize('at', [0, 17, 4999])
    def test_target_is_named(self, panda, at):
        targets = np.tile(panda.forward_kinematics(), (5000, 1, 1))
        targets[at, 1, 1] = math.nan
        with pytest.raises(ik_node.InvalidTargetError, match=f'target {at}: .*not finite'):
            panda.solve_batch(targets)

    def test_quaternion_of_zeros(self, panda):
        poses = np.tile([0.4, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0], (9, 1))
        poses[5, 3:] = 0.0
        with pytest.raises(ik_node.InvalidTargetError, match='quaternion 5 is .*not all zero'):
            panda.solve_batch(poses)

    def test_seeds(self, panda):
        targets = np.tile(panda.forward_kinematics(), (3, 1, 1))
        with pytest.raises(ik_node.InvalidSeedError, match=r'must be \(3, 7\)'):
            panda.solve_batch(targets, np.zeros((2, 7)))
        seeds = np.zeros((3, 7))
        seeds[2, 1] = math.inf
        with pytest.raises(ik_node.InvalidSeedError, match='seed 2 has a value'):
            panda.solve_batch(targets, seeds)

    @pytest.mark.parametrize(
        'options',
        [
            {'threads': 0},
            {'threads': 1.5},
            {'timeout': -1.0},
            {'max_starts': 0},
            {'max_starts': 2**63},
        ],
    )
    def test_options(self, panda, options):
        with pytest.raises(ik_node.InvalidOptionError):
            panda.solve_batch(np.eye(4)[np.newaxis], **options)
