# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Pinocchio as an independent oracle: poses and Jacobians of every serial chain, judged solutions.

Pinocchio reads the same files with its own parser and its own algorithms.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import functools

import ik_node
import numpy as np
import pytest

pinocchio = pytest.importorskip('pinocchio')

ROBOTS = [
    'panda_description/urdf/panda.urdf',
    'ur_description/urdf/ur5_robot.urdf',
    'kinova_description/robots/kinova.urdf',
    'xarm_description/urdf/xarm7.urdf',
    'so_arm_description/urdf/so101.urdf',
    'z1_description/urdf/z1.urdf',
    'tiago_description/robots/tiago_dual.urdf',
    'baxter_description/urdf/baxter.urdf',
    'pr2_description/urdf/pr2.urdf',
    'allegro_hand_description/urdf/allegro_right_hand.urdf',
    'talos_data/robots/talos_full_v2.urdf',
    'romeo_description/urdf/romeo.urdf',
    'icub_description/robots/icub.urdf',
    'g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf',
    'anymal_c_simple_description/urdf/anymal.urdf',
    'double_pendulum_description/urdf/double_pendulum_continuous.urdf',
]


class Oracle:
    """A robot in Pinocchio, spoken to by joint and link names."""

    def __init__(self, path):
        self.model = pinocchio.buildModelFromUrdf(str(path))
        self.data = self.model.createData()

    def update(self, positions):
        """Take the positions of all moving joints, mimic joints included."""
        q = pinocchio.neutral(self.model)
        for name, value in positions.items():
            joint = self.model.joints[self.model.getJointId(name)]
            if joint.nq == 2:  # a continuous joint is stored as cosine and sine
                q[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                q[joint.idx_q] = value
        pinocchio.computeJointJacobians(self.model, self.data, q)
        pinocchio.updateFramePlacements(self.model, self.data)

    def pose(self, link):
        """Compute T_root_link."""
        return self.data.oMf[self._frame(link)].homogeneous

    def jacobian(self, link, frame):
        """Compute the columns of all joints, by joint name."""
        kind = {
            'base': pinocchio.LOCAL_WORLD_ALIGNED,
            'tip': pinocchio.LOCAL,
        }[frame]
        full = pinocchio.getFrameJacobian(self.model, self.data, self._frame(link), kind)
        return {
            name: full[:, self.model.joints[i].idx_v]
            for i, name in enumerate(self.model.names)
            if i > 0
        }

    @functools.cache  # noqa: B019, one oracle a test
    def _frame(self, link):
        return self.model.getFrameId(link, pinocchio.FrameType.BODY)


def random_positions(group, rng, count):
    """Draw configurations inside the limits, three turns wide where there are none."""
    lower = np.where(np.isfinite(group.lower), group.lower, -9.0)
    upper = np.where(np.isfinite(group.upper), group.upper, 9.0)
    return lower + (upper - lower) * rng.random((count, len(lower)))


@pytest.mark.parametrize('robot', ROBOTS)
def test_every_serial_chain(robot, real_robot, rng):
    path = real_robot(robot)
    env, oracle = ik_node.Environment.from_urdf(path), Oracle(path)
    mechanism = env.mechanism
    parents = {thing.parent for thing in mechanism.objects}
    chains = 0
    for leaf, index in mechanism.frame_indices.items():
        if index in parents:
            continue
        try:
            group = env.create_group(leaf, tip=leaf)
        except ik_node.InvalidArgumentError:
            continue  # no moving joint above this link
        chains += 1
        for q in random_positions(group, rng, 5):
            positions = {name: 0.0 for name in env.moving_joint_names}
            positions |= group.named_positions(q)
            oracle.update(positions)
            np.testing.assert_allclose(
                group.forward_kinematics(q), oracle.pose(leaf), rtol=0.0, atol=1e-12
            )
            for frame in ('base', 'tip'):
                columns = oracle.jacobian(leaf, frame)
                expected = np.array(
                    [
                        columns[name]
                        + sum(
                            (
                                drive.multiplier * columns[joint.name]
                                for joint, drive in mechanism.followers(name)
                            ),
                            np.zeros(6),
                        )
                        for name in group.joint_names
                    ]
                ).T
                np.testing.assert_allclose(
                    group.jacobian(q, frame), expected, rtol=0.0, atol=1e-12
                )
    assert chains > 0


SOLVED = [
    ('panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand'),
    ('ur_description/urdf/ur5_robot.urdf', 'base_link', 'ee_link'),
    ('kinova_description/robots/kinova.urdf', None, None),
    ('iiwa14', None, None),
    ('tiago_description/robots/tiago_no_hand.urdf', 'base_footprint', 'wrist_ft_tool_link'),
]


@pytest.mark.parametrize(('robot', 'base', 'tip'), SOLVED)
def test_thousand_reachable_targets_from_far_seeds(
    robot, base, tip, real_robot, shipped_robot, rng
):
    path = real_robot(robot) if robot.endswith('.urdf') else shipped_robot(robot)
    env, oracle = ik_node.Environment.from_urdf(path), Oracle(path)
    arm = env.create_group('arm', base, tip)
    rest = {name: 0.0 for name in env.moving_joint_names}
    goals, seeds = random_positions(arm, rng, 1000), random_positions(arm, rng, 1000)
    for goal, seed in zip(goals, seeds, strict=True):
        target = arm.forward_kinematics(goal)
        # The library's default of 5 ms is kept on a machine with a load; what is not reached in
        # it would be a failure of the search, and the time is not what this test is about.
        result = arm.solve(target, seed, timeout=1.0)
        assert result.success, result.message
        assert (result.q >= arm.lower).all()
        assert (result.q <= arm.upper).all()
        oracle.update(rest | arm.named_positions(result.q))
        T_base_tip = np.linalg.inv(oracle.pose(arm.base)) @ oracle.pose(arm.tip)
        assert np.linalg.norm(T_base_tip[:3, 3] - target[:3, 3]) < 1e-5
        rotation = pinocchio.log3(target[:3, :3] @ T_base_tip[:3, :3].T)
        assert np.linalg.norm(rotation) < 1e-4


def test_bit_identical_answers_from_one_thread_or_four(real_robot, rng):
    env = ik_node.Environment.from_urdf(real_robot('panda_description/urdf/panda.urdf'))
    arm = env.create_group('arm')
    targets = arm.forward_kinematics(random_positions(arm, rng, 200))
    seeds = random_positions(arm, rng, 200)

    def solve(i):
        return arm.solve(targets[i], seeds[i], timeout=10.0, random_seed=i % 3).q.tobytes()

    serial = [solve(i) for i in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solve, range(200))) == serial
