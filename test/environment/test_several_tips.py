# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups of several tips on real robots; Pinocchio judges every answer."""

from __future__ import annotations

import ik_node
from ik_node import Constraint, SolveStatus
import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.limbs import LIMBS, Limbs, LimbsJudge  # noqa: E402 - after the skip

ROMEO = 'romeo_description/urdf/romeo.urdf'
TALOS = 'talos_data/robots/talos_full_v2.urdf'
TALOS_HANDS = ('gripper_left_base_link', 'gripper_right_base_link')
MORE = {
    'pr2, arms on a lift': (
        'pr2_description/urdf/pr2.urdf',
        'base_link',
        ('l_gripper_tool_frame', 'r_gripper_tool_frame'),
    ),
    'talos, hands, feet and head': (
        TALOS,
        'base_link',
        (*TALOS_HANDS, 'left_sole_link', 'right_sole_link', 'head_2_link'),
    ),
    'talos, from the left foot': (TALOS, 'left_sole_link', (*TALOS_HANDS, 'right_sole_link')),
    'romeo, from the pelvis': (ROMEO, 'base_link', ('l_wrist', 'r_wrist', 'l_sole', 'r_sole')),
    'romeo, from the left foot': (ROMEO, 'l_sole', ('l_wrist', 'r_wrist', 'r_sole')),
    'icub, from the pelvis': (
        'icub_description/robots/icub.urdf',
        'root_link',
        ('l_hand', 'r_hand', 'l_sole', 'r_sole'),
    ),
    'icub, six tips from the pelvis': (
        'icub_description/robots/icub.urdf',
        'root_link',
        ('l_hand', 'r_hand', 'l_sole', 'r_sole', 'head', 'chest'),
    ),
}
PARTS = {
    'baxter, both arms': [7, 7],
    'tiago_dual, arms on a lift': [],
    'pr2, arms on a lift': [],
    'talos, from the pelvis': [16, 6, 6],
    'talos, hands, feet and head': [18, 6, 6],
    'talos, from the left foot': [],
    'romeo, from the pelvis': [15, 6, 6],
    'romeo, from the left foot': [],
    'icub, from the pelvis': [17, 6, 6],
    'icub, six tips from the pelvis': [20, 6, 6],
    'icub, from the left foot': [],
}
"""How many joints each set of tips has that shares none with the others."""
LARGE = {'icub, six tips from the pelvis': 32, 'talos, hands, feet and head': 30,
         'icub, from the left foot': 32, 'baxter, both arms': 14}  # fmt: skip


@pytest.fixture
def limbs(real_robot):
    """Find a robot by its name."""

    def find(name):
        if name in LIMBS:
            return LIMBS[name]
        path, base, tips = MORE[name]
        return Limbs(real_robot(path), base, tips)

    return find


def group_of(limbs, constraints=Constraint.POSE):
    """Make a group with an element for each tip."""
    group = ik_node.Environment.from_urdf(limbs.path).create_group('limbs', empty=True)
    for tip in limbs.tips:
        group.add_element(tip, limbs.base, constraints=constraints)
    return group


@pytest.fixture
def baxter(limbs):
    """Give both arms of Baxter, seen from its torso."""
    return group_of(LIMBS['baxter, both arms'])


def draw(group, rng):
    """Draw a configuration inside the limits."""
    return rng.uniform(np.maximum(group.lower, -3.0), np.minimum(group.upper, 3.0))


@pytest.mark.parametrize('name', PARTS)
def test_reachable_targets_from_far_seeds(name, limbs, rng):
    robot = limbs(name)
    group = group_of(robot)
    judge = LimbsJudge(robot, group.joint_names)
    sizes = [len(part.tables.coordinate_names) for part in group.prepared().parts]
    assert sizes == PARTS[name]
    assert len(group.joint_names) == LARGE.get(name, len(group.joint_names))
    for q, seed in zip(judge.uniform(200, rng), judge.uniform(200, rng), strict=True):
        targets = judge.poses(q)
        np.testing.assert_allclose(group.forward_kinematics(q), targets, rtol=0.0, atol=1e-12)
        result = group.solve(targets, seed, timeout=5.0)
        assert result.success, result.message
        assert judge.accepts(result.q, targets)


@pytest.mark.parametrize('name', ['talos, from the left foot', 'icub, from the left foot'])
def test_hard_targets_are_not_given_up(name, limbs, rng):
    # One in twenty of these and more was farther away after 128 or 512 starts than any target of
    # a single arm ever is.
    robot = limbs(name)
    group = group_of(robot)
    judge = LimbsJudge(robot, group.joint_names)
    q = judge.uniform(60, rng)
    ends = np.where(rng.random(q.shape) < 0.5, judge.lower, judge.upper)
    q = np.where(rng.random(q.shape) < 0.5, ends, q)
    for config, seed in zip(q, judge.uniform(60, rng), strict=True):
        targets = judge.poses(config)
        result = group.solve(targets, seed, timeout=20.0)
        assert result.status is not SolveStatus.NOT_FOUND
        assert result.elapsed >= 20.0 or judge.accepts(result.q, targets)


def test_shapes(baxter, rng):
    configs = np.array([draw(baxter, rng) for _ in range(3)])
    assert baxter.forward_kinematics(configs[0]).shape == (2, 4, 4)
    assert baxter.forward_kinematics(configs).shape == (3, 2, 4, 4)
    assert baxter.forward_kinematics(np.empty((0, 14))).shape == (0, 2, 4, 4)
    jacobian = baxter.jacobian(configs[0])
    assert jacobian.shape == (12, 14)
    assert not jacobian[:6, 7:].any()
    assert not jacobian[6:, :7].any()
    for frame in ('base', 'tip'):
        rows = baxter.jacobian(configs[0], frame)
        for i, tip in enumerate(('left_gripper', 'right_gripper')):
            name = f'{tip} alone'
            if name not in baxter.environment.groups:
                baxter.environment.create_group(name, 'torso', tip)
            alone = baxter.environment.group(name).jacobian(configs[0, 7 * i : 7 * i + 7], frame)
            np.testing.assert_array_equal(rows[6 * i : 6 * i + 6, 7 * i : 7 * i + 7], alone)


def test_each_arm_is_solved_as_if_it_were_alone(baxter, rng):
    seed = draw(baxter, rng)
    targets = baxter.forward_kinematics(draw(baxter, rng))
    both = baxter.solve(targets, seed, timeout=1.0)
    restarts = 0
    for i, tip in enumerate(('left_gripper', 'right_gripper')):
        arm = baxter.environment.create_group(tip, 'torso', tip)
        columns = slice(7 * i, 7 * i + 7)
        alone = arm.solve(targets[i], seed[columns], timeout=1.0)
        np.testing.assert_array_equal(alone.q, both.q[columns])
        restarts += alone.restarts
    assert both.restarts == restarts


@pytest.mark.parametrize('name', ['baxter, both arms', 'tiago_dual, arms on a lift'])
class TestOptions:
    def test_same_seed_same_answer(self, name, limbs, rng):
        group = group_of(limbs(name))
        targets = [group.forward_kinematics(draw(group, rng)) for _ in range(20)]
        answers = [
            [group.solve(T, timeout=5.0, random_seed=s).q.tobytes() for T in targets]
            for s in (1, 1, 2)
        ]
        assert answers[0] == answers[1]
        assert answers[0] != answers[2]

    def test_one_start_goes_from_the_seed(self, name, limbs, rng):
        group = group_of(limbs(name))
        q = 0.5 * draw(group, rng)
        result = group.solve(group.forward_kinematics(q), q + 0.01, max_starts=1)
        assert result.success
        assert result.restarts == 0
        np.testing.assert_allclose(result.q, q, atol=0.1)

    def test_nearest(self, name, limbs, rng):
        group = group_of(limbs(name))
        for _ in range(10):
            seed, targets = draw(group, rng), group.forward_kinematics(draw(group, rng))
            fast, near = (group.solve(targets, seed, prefer=p, timeout=1.0)
                          for p in ('fast', 'nearest'))  # fmt: skip
            assert near.success
            assert np.linalg.norm(near.q - seed) <= np.linalg.norm(fast.q - seed) + 1e-9
            np.testing.assert_allclose(group.forward_kinematics(near.q), targets, atol=2e-5)

    def test_several_configurations(self, name, limbs, rng):
        group = group_of(limbs(name))
        targets, seed = group.forward_kinematics(draw(group, rng)), draw(group, rng)
        found = group.find_configs(targets, seed, max_configs=5, timeout=5.0)
        assert len(found.configs) == 5
        distances = np.linalg.norm(found.configs - seed, axis=1)
        assert (np.diff(distances) >= 0.0).all()
        np.testing.assert_allclose(
            group.forward_kinematics(found.configs), np.broadcast_to(targets, (5, 2, 4, 4)),
            atol=2e-5,
        )  # fmt: skip


def test_disabled_elements_are_skipped(baxter, rng):
    targets = baxter.forward_kinematics(draw(baxter, rng))
    baxter.elements[0].enabled = False
    result = baxter.solve(targets[1], timeout=1.0)
    assert result.success
    assert result.joint_names == tuple(n for n in result.joint_names if n.startswith('right_'))
    np.testing.assert_allclose(baxter.forward_kinematics(result.q), targets[1], atol=2e-5)
    with pytest.raises(ik_node.InvalidTargetError):
        baxter.solve(targets)
    baxter.elements[0].enabled = True
    assert baxter.solve(targets, timeout=1.0).success
