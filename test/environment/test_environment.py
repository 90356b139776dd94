# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Environments: state, link poses, groups."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import math
import os
import subprocess
import sys

import ik_node
import numpy as np
import pytest


@pytest.fixture
def env(shipped_robot):
    """Give the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda'))


@pytest.fixture
def planar(shipped_robot):
    """Give the planar arm of two links of 1 m."""
    return ik_node.Environment.from_urdf(shipped_robot('planar_2r'))


def test_state_starts_at_zero_or_in_the_middle_of_the_limits(env):
    positions = env.joint_positions
    assert positions['panda_joint1'] == 0.0
    # Its limits are both negative.
    low, high = env.mechanism.bounds('panda_joint4')
    assert high < 0.0
    assert positions['panda_joint4'] == pytest.approx(0.5 * (low + high))


def test_mimic_joints_are_part_of_the_state(env):
    env.set_joint_positions({'panda_finger_joint1': 0.03})
    positions = env.joint_positions
    assert positions['panda_finger_joint2'] == 0.03
    assert list(positions) == list(env.moving_joint_names)
    # A contradicting value of a mimic joint is recomputed from its master.
    env.set_joint_positions({'panda_finger_joint2': 0.01})
    assert env.joint_positions['panda_finger_joint2'] == 0.03


@pytest.mark.parametrize('bad', [math.nan, math.inf, 'x', None])
def test_bad_positions_change_nothing(env, bad):
    before = env.joint_positions
    with pytest.raises(ik_node.InvalidSeedError, match='panda_joint2'):
        env.set_joint_positions({'panda_joint1': 0.5, 'panda_joint2': bad})
    with pytest.raises(ik_node.UnknownNameError, match='panda_joint9'):
        env.set_joint_positions({'panda_joint1': 0.5, 'panda_joint9': 0.0})
    assert env.joint_positions == before


def test_clamp_is_asked_for(planar):
    planar.set_joint_positions({'j1': 10.0})
    assert planar.joint_positions['j1'] == 10.0
    planar.set_joint_positions({'j1': 3.1}, clamp=True)
    assert planar.joint_positions['j1'] == 3.0


def test_link_poses(planar):
    positions = {'j1': math.pi / 2, 'j2': -math.pi / 2}
    upper, tip = planar.link_poses(['lower', 'tip'], positions=positions)
    np.testing.assert_allclose(upper[:3, 3], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(tip[:3, 3], [1, 1, 0], atol=1e-15)
    np.testing.assert_allclose(
        planar.link_pose('base', 'tip', positions)[:3, 3], [-1, -1, 0], atol=1e-15
    )
    with pytest.raises(ik_node.UnknownNameError):
        planar.link_pose('nope')
    with pytest.raises(ik_node.UnknownNameError):
        planar.link_pose('tip', 'nope')


def test_groups(env):
    arm = env.create_group('arm', 'panda_link0', 'panda_hand')
    assert env.groups['arm'] is env.group('arm') is arm
    assert repr(arm) == "Group('arm', 'panda_link0' -> 'panda_hand', 7 joints)"
    with pytest.raises(ik_node.InvalidArgumentError, match="'arm' is taken"):
        env.create_group('arm', 'panda_link0', 'panda_hand')
    with pytest.raises(ik_node.InvalidArgumentError, match='is no name'):
        env.create_group('', 'panda_link0', 'panda_hand')
    with pytest.raises(ik_node.UnknownNameError, match="unknown link 'panda_hnd'.*'panda_hand'"):
        env.create_group('other', 'panda_link0', 'panda_hnd')
    with pytest.raises(ik_node.InvalidArgumentError, match='no joint that can move between'):
        env.create_group('other', 'panda_link8', 'panda_hand')
    with pytest.raises(ik_node.UnknownNameError, match="did you mean 'arm'"):
        env.group('arms')
    assert list(env.groups) == ['arm']
    with pytest.raises(TypeError):
        env.groups['x'] = arm


def test_group_of_the_longest_chain(env):
    assert env.create_group('arm').tip == 'panda_hand_tcp'


def test_seed_by_name(env):
    arm = env.create_group('arm')
    env.set_joint_positions({'panda_joint3': 0.7})
    seed = arm.seed_from({'panda_joint7': 0.1, 'panda_finger_joint1': 0.02})
    expected = [env.joint_positions[name] for name in arm.joint_names]
    expected[6] = 0.1
    np.testing.assert_array_equal(seed, expected)
    assert seed[2] == 0.7
    with pytest.raises(ik_node.UnknownNameError, match="did you mean 'panda_joint7'"):
        arm.seed_from({'panda_joint77': 0.0})


def test_state_is_seen_whole_by_other_threads(planar):
    """Readers never see one joint of the old state and one of the new."""

    def write(i):
        planar.set_joint_positions({'j1': 0.001 * i, 'j2': -0.001 * i})

    def read(_):
        positions = planar.joint_positions
        return positions['j1'] + positions['j2']

    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(write, i) for i in range(2000)]
        sums = list(pool.map(read, range(2000)))
        for done in writes:
            done.result()
    assert set(sums) == {0.0}


def test_concurrent_calls_agree_with_serial_ones(env, rng):
    arm = env.create_group('arm')
    q = arm.lower + (arm.upper - arm.lower) * rng.random((400, 7))

    def work(i):
        return arm.jacobian(q[i]).tobytes() + arm.forward_kinematics(q[i]).tobytes()

    serial = [work(i) for i in range(400)]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(400))) == serial


def test_public_names():
    assert ik_node.__all__ == sorted(ik_node.__all__)
    for name in ik_node.__all__:
        assert hasattr(ik_node, name)


def test_import_is_free_of_ros():
    code = "import sys, ik_node; print([m for m in sys.modules if m.split('.')[0] == 'rclpy'])"
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


_WORK_AFTER_WARM_UP = """
import sys
import ik_node
from numba.core import event
ik_node.warm_up()
with event.install_recorder('numba:compile') as compiled:
    env = ik_node.Environment.from_urdf(sys.argv[1])
    env.set_joint_positions({'j1': 9.0}, clamp=True)
    arm = env.create_group('arm')
    arm.jacobian()
    far, near = arm.forward_kinematics([[1.0, 1.0], [0.5, 0.5]])
    far[:2, 3], far[:2, :2] = (1.0, 0.0), [[-1.0, 0.0], [0.0, -1.0]]
    assert arm.solve(near, timeout=1.0).success
    assert arm.solve(near, arm.solve(near).q).success
    assert not arm.solve(far, timeout=0.01).success
    arm.find_configs(near, max_draws=10, threshold=1.0)
    assert arm.find_configs(near, max_draws=50).success
    env.link_pose('tip')
    assert arm.solve(near, [0.4, 0.4], prefer='nearest').success
    assert arm.solve_batch([near, far], timeout=1.0).success.tolist() == [True, False]
    # Neither reached nor proven to be out of reach.
    follower = ik_node.Environment.from_urdf(sys.argv[2]).create_group('arm')
    target = follower.forward_kinematics([0.4])
    target[1, 3] += 0.01
    assert not follower.solve(target, timeout=0.02).success
    assert not follower.solve_batch([target]).success[0]
print(len(compiled.buffer))
"""


def test_warm_up_leaves_nothing_to_compile(shipped_robot):
    pytest.importorskip('numba')
    robots = [str(shipped_robot(name)) for name in ('planar_2r', 'planar_mimic')]
    done = subprocess.run(
        [sys.executable, '-c', _WORK_AFTER_WARM_UP, *robots],
        env={**os.environ, 'IK_NODE_CACHE_DIR': ''},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == '0'
