# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests for several tips that cannot be met, and those that mean nothing."""

from __future__ import annotations

import ik_node
from ik_node import Constraint, SolveStatus
import numpy as np
import pytest


def group_of(path, base, tips, constraints=Constraint.POSE):
    """Make a group with an element for each tip."""
    group = ik_node.Environment.from_urdf(path).create_group('limbs', empty=True)
    for tip in tips:
        group.add_element(tip, base, constraints=constraints)
    return group


@pytest.fixture
def baxter(real_robot):
    """Give both arms of Baxter, seen from its torso."""
    path = real_robot('baxter_description/urdf/baxter.urdf')
    return group_of(path, 'torso', ('left_gripper', 'right_gripper'))


def draw(group, rng):
    """Draw a configuration inside the limits."""
    return rng.uniform(np.maximum(group.lower, -3.0), np.minimum(group.upper, 3.0))


class TestWhatCannotBe:
    def test_one_hand_out_of_reach_is_proven(self, baxter, rng):
        targets = baxter.forward_kinematics(draw(baxter, rng))
        for far, side in enumerate(('left', 'right')):
            wrong = targets.copy()
            wrong[far, 0, 3] += 5.0
            result = baxter.solve(wrong, timeout=1.0)
            assert result.status is SolveStatus.UNREACHABLE
            assert f"'{side}_" in result.message
            # The other hand is where it shall be.
            T = baxter.forward_kinematics(result.q)
            np.testing.assert_allclose(T[1 - far], targets[1 - far], atol=2e-5)
            distance = np.linalg.norm(T[far, :3, 3] - wrong[far, :3, 3])
            assert result.position_error == pytest.approx(distance, abs=1e-9)
            assert baxter.find_config(wrong).status is SolveStatus.UNREACHABLE

    def test_both_hands_out_of_reach(self, baxter, rng):
        targets = baxter.forward_kinematics(draw(baxter, rng))
        targets[:, 0, 3] += [5.0, 9.0]
        result = baxter.solve(targets)
        assert result.status is SolveStatus.UNREACHABLE
        assert "'left_" in result.message
        assert result.position_error > 7.0

    def test_a_proof_is_told_whatever_came_first(self):
        # Arm a reaches only a curve, as its elbow follows its shoulder: nothing can be proven.
        env = ik_node.Environment()
        along = np.eye(4)
        along[0, 3] = 1.0
        for arm in 'ab':
            env.create_joint(f'{arm} shoulder', limits=(-3.0, 3.0))
            env.create_joint(f'{arm} elbow', parent=f'{arm} shoulder', pose=along)
            env.create_dummy(f'{arm} tip', f'{arm} elbow', along)
        env.joint('a elbow').set_dependency('a shoulder', multiplier=0.5)
        group = env.create_group('both', empty=True)
        for arm in 'ab':
            group.add_element(f'{arm} tip', constraints=Constraint.POSITION)
        targets = np.array([np.eye(4), np.eye(4)])
        targets[:, 0, 3] = 1.8, 1.5  # at this distance the curve is in other directions
        assert group.solve(targets).status is SolveStatus.NOT_FOUND
        targets[1, 0, 3] = 2.5
        result = group.solve(targets)
        assert result.status is SolveStatus.UNREACHABLE
        assert "joint 'b " in result.message

    def test_what_has_no_finite_error_is_not_near(self, baxter):
        targets = baxter.forward_kinematics()
        targets[1, 0, 3] = 1e200
        result = baxter.solve(targets)
        assert not result.success
        assert not result.position_error < 1e100

    def test_hands_that_one_lift_cannot_serve(self, real_robot):
        # One hand below what the lowest lift allows it, the other above what the highest does.
        group = group_of(
            real_robot('tiago_description/robots/tiago_dual.urdf'),
            'base_link',
            ('arm_left_tool_link', 'arm_right_tool_link'),
            Constraint.POSITION,
        )
        q = np.clip(np.zeros(15), group.lower, group.upper)
        low, high = (
            group.forward_kinematics([value, *q[1:]]) for value in (group.lower[0], group.upper[0])
        )
        targets = np.stack([low[0], high[1]])
        targets[0, 2, 3] -= 1.0
        targets[1, 2, 3] += 1.0
        result = group.solve(targets, timeout=0.02)
        assert not result.success
        assert result.position_error > 0.01
        assert (result.q >= group.lower).all()
        assert (result.q <= group.upper).all()


class TestRefusals:
    def test_defects_name_the_tip(self, baxter):
        targets = baxter.forward_kinematics()
        targets[1, 0, 0] = np.nan
        with pytest.raises(ik_node.InvalidTargetError, match="target of 'right_gripper'"):
            baxter.solve(targets)
        with pytest.raises(ik_node.InvalidTargetError, match="target of 'left_gripper'"):
            baxter.solve({'right_gripper': np.eye(4), 'left_gripper': 2.0 * np.eye(4)})
        with pytest.raises(ik_node.InvalidTargetError, match="target of 'left_gripper'"):
            baxter.find_configs({'right_gripper': np.eye(4), 'left_gripper': np.eye(3)})

    @pytest.mark.parametrize(
        'shape', [(4, 4), (1, 4, 4), (3, 4, 4), (2, 3, 4), (2, 7), (0, 4, 4), ()]
    )
    def test_shape(self, baxter, shape):
        with pytest.raises(ik_node.InvalidTargetError, match=r'2 elements.*\(2, 4, 4\)'):
            baxter.solve(np.zeros(shape))

    def test_what_is_no_array(self, baxter):
        for target in ('no', [np.eye(4), np.eye(3)], [[{}]]):
            with pytest.raises(ik_node.InvalidTargetError, match='array'):
                baxter.solve(target)

    def test_unknown_tip(self, baxter):
        with pytest.raises(
            ik_node.InvalidTargetError,
            match="'head' is no tip of group 'limbs'; its tips are left_gripper, right_gripper",
        ):
            baxter.solve({'head': np.eye(4)})

    def test_a_tip_without_target(self, baxter):
        for target in (None, {}, {'left_gripper': np.eye(4)}):
            with pytest.raises(ik_node.InvalidTargetError, match="tip '.*' has none"):
                baxter.solve(target)

    def test_the_name_of_a_tip_of_two_elements(self, baxter):
        baxter.add_element('left_gripper', 'torso', constraints=Constraint.POSITION)
        with pytest.raises(ik_node.InvalidTargetError, match='tip of several elements'):
            baxter.solve({'left_gripper': np.eye(4), 'right_gripper': np.eye(4)})

    def test_seed(self, baxter):
        targets = baxter.forward_kinematics()
        for seed in (np.zeros(7), np.full(14, np.nan), 'no', np.zeros((2, 7))):
            with pytest.raises(ik_node.InvalidSeedError):
                baxter.solve(targets, seed)

    def test_batch(self, baxter):
        with pytest.raises(ik_node.InvalidStateError, match='2 elements.*takes one tip'):
            baxter.solve_batch(np.array([np.eye(4)]))

    def test_nothing_enabled(self, baxter):
        targets = baxter.forward_kinematics()
        for element in baxter.elements:
            element.enabled = False
        with pytest.raises(ik_node.InvalidStateError, match='no element .* is enabled'):
            baxter.solve(targets)


def test_a_position_far_away_is_out_of_reach_whatever_its_orientation(shipped_robot):
    env = ik_node.Environment.from_urdf(shipped_robot('panda'))
    group = env.create_group('arm', 'panda_link0', 'panda_hand')
    result = group.solve(ik_node.Translation3D((3.0, 0.0, 0.0)))
    assert result.status is ik_node.SolveStatus.UNREACHABLE
    assert 'out of reach: the tip would have to be 3.0' in result.message
    group.element(0).constraints = ik_node.Constraint.POSITION
    target = np.eye(4)
    target[:3, 3] = 3.0, 0.0, 0.0
    assert group.solve(target).status is ik_node.SolveStatus.UNREACHABLE


def test_no_partial_target_that_is_reachable_is_proven_to_be_none(shipped_robot):
    env = ik_node.Environment.from_urdf(shipped_robot('ur5e'))
    group = env.create_group('arm', 'base_link', 'tool0')
    rng = np.random.default_rng(3)
    for pose in group.forward_kinematics(rng.uniform(-3.0, 3.0, (200, 6))):
        for kind in (ik_node.Translation3D, ik_node.Rotation3D, ik_node.TranslationDirection5D):
            # A single start: what is proven is told whether a search finds it or not.
            result = group.solve(kind.from_pose(pose), max_starts=1)
            assert result.status is not ik_node.SolveStatus.UNREACHABLE
