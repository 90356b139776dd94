# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups: values by hand, refusals, reasons, searches."""

from __future__ import annotations

import math
import threading
import time

import ik_node
from ik_node import SolveStatus
import numpy as np
import pytest


def pose(x, y, angle):
    """Make T_base_tip of a planar arm."""
    T = np.eye(4)
    T[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    T[:2, 3] = x, y
    return T


OFF_THE_CURVE = (math.cos(0.4) + math.cos(1.4), math.sin(0.4) + math.sin(1.4), 1.4)
"""j1 = 0.4 and j2 = 1: a pose of the arm, but not with a j2 that follows j1 by 0.5 j1 + 0.1."""


@pytest.fixture
def planar(shipped_robot):
    """Give the planar arm of two links of 1 m."""
    return ik_node.Environment.from_urdf(shipped_robot('planar_2r')).create_group('arm')


@pytest.fixture
def mimic(shipped_robot):
    """Give the planar arm whose second joint follows the first."""
    return ik_node.Environment.from_urdf(shipped_robot('planar_mimic')).create_group('arm')


@pytest.fixture(scope='module')
def panda(shipped_robot):
    """Give the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda')).create_group(
        'arm', 'panda_link0', 'panda_hand_tcp'
    )


class TestJacobian:
    """Values of a planar arm at q = (0.3, 0.7), by hand."""

    def test_base_axes(self, planar):
        expected = np.zeros((6, 2))
        expected[:2] = [[-1.136991, -0.841471], [1.495639, 0.540302]]
        expected[5] = 1.0
        np.testing.assert_allclose(planar.jacobian([0.3, 0.7]), expected, atol=5e-7)

    def test_tip_axes(self, planar):
        expected = np.zeros((6, 2))
        expected[:2] = [[0.644218, 0.0], [1.764842, 1.0]]
        expected[5] = 1.0
        np.testing.assert_allclose(planar.jacobian([0.3, 0.7], 'tip'), expected, atol=5e-7)

    def test_mimic_joint_is_part_of_its_masters_column(self, mimic):
        assert mimic.joint_names == ('j1',)
        np.testing.assert_allclose(
            mimic.jacobian([0.4]), [[-1.355745], [2.068324], [0], [0], [0], [1.5]], atol=5e-7
        )

    def test_unknown_frame(self, planar):
        with pytest.raises(ik_node.InvalidArgumentError, match="must be 'base' or 'tip'"):
            planar.jacobian([0.3, 0.7], frame='world')


class TestForwardKinematics:
    """Poses of the tip."""

    def test_mimic_joint(self, mimic):
        T_base_tip = mimic.forward_kinematics([0.4])
        np.testing.assert_allclose(T_base_tip[:3, 3], [1.685903, 1.033636, 0], atol=5e-7)

    def test_offset_of_a_mimic_joint_counts(self, mimic):
        assert mimic.named_positions([0.4]) == pytest.approx({'j1': 0.4, 'j2': 0.3})

    def test_batch(self, planar, rng):
        q = rng.uniform(-3, 3, size=(50, 2))
        poses = planar.forward_kinematics(q)
        assert poses.shape == (50, 4, 4)
        for one, T in zip(q, poses, strict=True):
            np.testing.assert_array_equal(planar.forward_kinematics(one), T)

    def test_empty_batch(self, planar):
        assert planar.forward_kinematics(np.empty((0, 2))).shape == (0, 4, 4)

    def test_state_is_the_default(self, planar):
        planar.environment.set_joint_positions({'j2': math.pi / 2})
        np.testing.assert_allclose(
            planar.forward_kinematics(), pose(1, 1, math.pi / 2), atol=1e-15
        )

    @pytest.mark.parametrize(
        'q', [[0.1], [0.1, 0.2, 0.3], 0.1, 'no', [0.1, np.nan], None, [[[0.1, 0.2]]]]
    )
    def test_refusals(self, planar, q):
        if q is None:
            q = [None, None]
        with pytest.raises(ik_node.InvalidArgumentError):
            planar.forward_kinematics(q)


class TestSolve:
    """Solutions and the reasons why there is none."""

    def test_solution_of_a_planar_arm(self, planar):
        result = planar.solve(pose(1.0, 1.0, math.pi / 2), seed=[0.1, 1.0])
        assert result.success
        assert result.status is SolveStatus.SUCCESS
        np.testing.assert_allclose(result.q, [0.0, math.pi / 2], atol=1e-5)
        assert result.position_error <= 1e-6
        assert result.joint_names == ('j1', 'j2')
        assert result.message == 'solved'
        assert result.limit_hits == ()

    def test_errors_are_those_of_the_returned_values(self, panda, rng):
        for _ in range(50):
            target = panda.forward_kinematics(
                panda.lower + (panda.upper - panda.lower) * rng.random(7)
            )
            result = panda.solve(target, timeout=1.0)
            reached = panda.forward_kinematics(result.q)
            assert result.position_error == pytest.approx(
                np.linalg.norm(reached[:3, 3] - target[:3, 3]), abs=1e-15
            )

    def test_mimic_joint(self, mimic):
        result = mimic.solve(mimic.forward_kinematics([0.4]), seed=[0.2])
        assert result.success
        np.testing.assert_allclose(result.q, [0.4], atol=1e-5)

    def test_far_target_is_refused_with_the_distance(self, planar):
        result = planar.solve(pose(2.5, 0.0, 0.0), timeout=1.0)
        assert result.status is SolveStatus.UNREACHABLE
        # The tip at 2.5 m with the last link along x: the elbow at 1.5 m.
        assert "joint 'j2' would have to be 1.5 m from joint 'j1'" in result.message
        assert 'the joints allow only 1 m' in result.message
        assert result.position_error == pytest.approx(0.5, abs=1e-6)
        np.testing.assert_allclose(result.q, [0.0, 0.0], atol=1e-3)
        assert result.elapsed < 0.5  # far from the timeout: it does not search

    def test_target_behind_a_limit_is_proven_and_the_limits_are_named(self, shipped_robot):
        text = shipped_robot('planar_2r').read_text()
        narrow = text.replace('lower="-3.0" upper="3.0"', 'lower="-0.5" upper="0.5"', 1)
        arm = ik_node.Environment.from_urdf(narrow).create_group('arm')
        # Straight to the left: j1 = pi, or nothing.
        result = arm.solve(pose(-2.0, 0.0, math.pi), timeout=1.0)
        assert result.status is SolveStatus.BLOCKED_BY_LIMITS
        assert result.message.startswith('out of reach inside the joint limits: ')
        assert 'found without the limits of j1; ' in result.message
        # Farther away than two links no limit matters.
        far = arm.solve(pose(-3.0, 0.0, math.pi), timeout=1.0)
        assert far.message.startswith('out of reach: ')

    def test_target_blocked_by_a_limit_names_the_joint(self, panda):
        # The hand upside down near the floor: the shoulder would have to bend farther.
        target = np.eye(4)
        target[:3, 3] = 0.4, 0.1, 0.0
        result = panda.solve(target, timeout=0.1)
        assert result.status is SolveStatus.BLOCKED_BY_LIMITS
        assert 'panda_joint2' in result.message
        assert 'panda_joint4' not in result.message
        assert not result.success

    def test_orientation_out_of_reach_is_proven(self, planar):
        target = pose(1.0, 1.0, 0.0)
        target[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
        result = planar.solve(target, timeout=1.0)
        assert result.status is SolveStatus.UNREACHABLE
        assert result.message.startswith("orientation out of reach: the axis of joint 'j2'")
        assert "1.571 rad from the axis of joint 'j1', and the joints allow only 0 rad" in (
            result.message
        )
        assert result.elapsed < 0.5

    def test_target_above_the_plane_is_proven(self, planar):
        target = pose(1.0, 1.0, math.pi / 2)
        target[2, 3] = 0.01
        found = planar.find_config(target)
        assert found.status is SolveStatus.UNREACHABLE
        assert found.message == (
            "out of reach: joint 'j1' would have to be at least 0.01 m from its place in the "
            'base, and the joints allow only 0 m'
        )

    def test_numbers_of_a_near_miss_differ(self, planar):
        # Stretched, and 2e-5 m too far away.
        message = planar.solve(pose(2.00002, 0.0, 0.0)).message
        assert "2.00002 m from joint 'j1', and the joints allow 0.1415 to 2 m" in message

    def test_impossible_target_without_a_proof_is_not_found(self, mimic):
        result = mimic.solve(pose(*OFF_THE_CURVE), max_starts=20, timeout=10.0)
        assert result.status is SolveStatus.NOT_FOUND
        assert 'not found from 20 starts' in result.message
        assert result.orientation_error + result.position_error > 0.1

    def test_hopeless_searches_end_before_their_time(self, mimic):
        began = time.monotonic()
        result = mimic.solve(pose(*OFF_THE_CURVE), timeout=60.0)
        assert result.status is SolveStatus.NOT_FOUND
        assert time.monotonic() - began < 30.0
        assert result.restarts == 127
        assert result.iterations > 127
        # A number of starts that the caller asked for is kept.
        asked = mimic.solve(pose(*OFF_THE_CURVE), max_starts=300, timeout=60.0)
        assert asked.restarts == 299

    def test_timeout_is_kept_on_the_steady_clock(self, mimic):
        # j2 beside its curve by 1e-3 rad: so little that the next start might always be on it.
        target = pose(math.cos(0.4) + math.cos(0.701), math.sin(0.4) + math.sin(0.701), 0.701)
        began = time.monotonic()
        result = mimic.solve(target, timeout=0.05)
        assert result.status is SolveStatus.TIMED_OUT
        assert 'not found in 0.05 s' in result.message
        # A second bounds the machine's load, not the solver.
        assert 0.05 <= time.monotonic() - began < 1.0

    def test_zero_timeout_still_answers(self, planar):
        assert planar.solve(pose(1.0, 1.0, math.pi / 2), timeout=0.0).success

    def test_single_start_goes_only_from_the_seed(self, planar):
        result = planar.solve(pose(1.0, 1.0, math.pi / 2), seed=[0.1, 1.0], max_starts=1)
        assert result.success
        assert result.restarts == 0

    def test_limit_hits_are_named(self, planar):
        result = planar.solve(planar.forward_kinematics([3.0, -3.0]), timeout=1.0)
        assert result.success
        assert np.abs(result.q).max() <= 3.0
        assert result.limit_hits == tuple(
            name
            for name, q in zip(planar.joint_names, result.q, strict=True)
            if abs(q) >= 3.0 - 1e-9
        )

    def test_seed_outside_of_the_limits_is_brought_inside(self, planar):
        result = planar.solve(pose(1.0, 1.0, math.pi / 2), seed=[100.0, -50.0], timeout=1.0)
        assert result.success
        assert np.abs(result.q).max() <= 3.0

    def test_continuous_joint_stays_at_the_turn_of_the_seed(self, real_robot):
        env = ik_node.Environment.from_urdf(
            real_robot('double_pendulum_description/urdf/double_pendulum_continuous.urdf')
        )
        arm = env.create_group('arm')
        q = np.array([40.0, -30.0])
        result = arm.solve(arm.forward_kinematics(q), seed=q + 0.05, max_starts=1)
        assert result.success
        np.testing.assert_allclose(result.q, q, atol=1e-4)

    def test_unbounded_joints_get_finite_random_starts(self, real_robot, rng):
        env = ik_node.Environment.from_urdf(real_robot('kinova_description/robots/kinova.urdf'))
        arm = env.create_group('arm')
        for i in range(200):
            goal = rng.uniform(-3, 3, 6)
            goal = np.clip(goal, arm.lower, arm.upper)
            seed = np.clip(rng.uniform(-3, 3, 6), arm.lower, arm.upper)
            result = arm.solve(arm.forward_kinematics(goal), seed, timeout=1.0, random_seed=i)
            assert np.isfinite(result.q).all()
            unbounded = np.isinf(arm.upper)
            assert (np.abs(result.q - seed)[unbounded] <= math.pi + 1e-9).all()

    def test_random_seed_chooses_the_starts(self, panda, rng):
        q = panda.lower + (panda.upper - panda.lower) * rng.random((40, 7))
        answers = [
            [
                panda.solve(T, timeout=5.0, random_seed=s).q.tobytes()
                for T in panda.forward_kinematics(q)
            ]
            for s in (1, 1, 2)
        ]
        assert answers[0] == answers[1]
        assert answers[0] != answers[2]

    def test_result_is_read_only(self, planar):
        result = planar.solve(pose(1.0, 1.0, math.pi / 2))
        with pytest.raises(ValueError, match='read-only'):
            result.q[0] = 1.0

    def test_arrays_of_the_caller_stay_its_own(self, planar):
        target, seed = pose(1.0, 1.0, math.pi / 2), np.array([0.1, 1.0])
        kept = target.copy(), seed.copy()
        reachable = planar.solve(target, seed)
        far = planar.solve(pose(2.5, 0.0, 0.0), seed)
        np.testing.assert_array_equal(target, kept[0])
        np.testing.assert_array_equal(seed, kept[1])
        for result in (reachable, far):
            assert not np.shares_memory(result.q, seed)
        assert target.flags.writeable
        assert seed.flags.writeable

    @pytest.mark.parametrize(
        'convert',
        [
            np.ndarray.tolist,
            np.asfortranarray,
            lambda array: np.repeat(array, 2, axis=0)[::2],
            lambda array: array.astype('>f8'),
            lambda array: np.broadcast_to(array, array.shape),
        ],
        ids=['lists', 'columns', 'strided', 'big endian', 'read-only'],
    )
    def test_any_kind_of_array_gives_the_same_answer(self, planar, convert):
        target, seed = pose(1.0, 1.0, math.pi / 2), np.array([0.1, 1.0])
        expected = planar.solve(target, seed).q
        np.testing.assert_array_equal(planar.solve(convert(target), convert(seed)).q, expected)

    def test_rounded_target_is_made_exact_with_and_without_a_seed(self, planar):
        rounded = np.round(pose(1.0, 1.0, 1.234), 3)
        rounded[:2, 3] = planar.forward_kinematics([0.4, 0.834])[:2, 3]
        for seed in (None, [0.3, 0.8]):
            result = planar.solve(
                rounded, seed, position_tolerance=1e-3, orientation_tolerance=1e-3
            )
            assert result.success

    def test_prepared_group_follows_every_edit(self, planar):
        env, target = planar.environment, planar.forward_kinematics([0.3, 0.7])
        assert planar.solve(target, max_starts=1).success
        # Where the joints are: the seed of a call without one.
        env.set_joint_positions({'j1': 1.0, 'j2': -1.0})
        options = {'max_starts': 1, 'position_tolerance': 10.0, 'orientation_tolerance': 10.0}
        np.testing.assert_array_equal(planar.solve(target, **options).q, [1.0, -1.0])
        # The mechanism.
        env.joint('j1').limits = (-0.1, 0.1)
        assert abs(planar.solve(target).q[0]) <= 0.1
        env.joint('j2').passive = True
        assert planar.solve(target).joint_names == ('j1',)
        env.joint('j2').passive = False
        # The elements.
        env.joint('j1').limits = (-3.0, 3.0)
        planar.element(0).constraints = ik_node.Constraint.POSITION
        turned = target.copy()
        turned[:3, :2] = -turned[:3, :2]  # another orientation makes no difference
        assert planar.solve(turned).success
        planar.element(0).enabled = False
        with pytest.raises(ik_node.InvalidStateError, match='is enabled'):
            planar.solve(target)
        planar.element(0).enabled = True
        planar.element(0).constraints = ik_node.Constraint.POSE
        assert planar.solve(target).joint_names == ('j1', 'j2')
        planar.erase_element(0)
        with pytest.raises(ik_node.InvalidStateError, match='has no element'):
            planar.solve(target)

    def test_edits_of_another_thread_are_seen_whole_or_not_at_all(self, planar):
        env, target = planar.environment, planar.forward_kinematics([0.3, 0.7])
        wide = env.joint('j1').limits
        over = threading.Event()

        def edit():
            for turn in range(300):
                env.joint('j1').limits = (0.0, 1.0) if turn % 2 else wide
                env.set_joint_positions({'j2': 0.01 * turn})
                planar.element(0).constraints = (
                    ik_node.Constraint.POSITION if turn % 3 else ik_node.Constraint.POSE
                )
            over.set()

        editor = threading.Thread(target=edit)
        editor.start()
        while not over.is_set():
            assert planar.solve(target, [0.2, 0.6], timeout=1.0).success
        editor.join()
        planar.element(0).constraints = ik_node.Constraint.POSE
        env.joint('j1').limits = (0.5, 1.0)
        assert planar.solve(target, [0.2, 0.6]).q[0] >= 0.5

    def test_erased_tip_is_noticed(self, planar):
        assert planar.solve(pose(1.0, 1.0, math.pi / 2)).success
        planar.environment.erase('tip')
        with pytest.raises(ik_node.InvalidStateError, match='the tip of group'):
            planar.solve(pose(1.0, 1.0, math.pi / 2))

    def test_rank_deficient_arm_reaches_a_consistent_pose(self):
        # A gantry of three prismatic joints: no rotation at all, yet this pose fits.
        axes = ['1 0 0', '0 1 0', '0 0 1']
        joints = ''.join(
            f'<joint name="p{i}" type="prismatic"><parent link="l{i}"/><child link="l{i + 1}"/>'
            f'<axis xyz="{axis}"/><limit lower="0" upper="2" effort="1" velocity="1"/></joint>'
            for i, axis in enumerate(axes)
        )
        links = ''.join(f'<link name="l{i}"/>' for i in range(4))
        gantry = ik_node.Environment.from_urdf(f'<robot name="g">{links}{joints}</robot>')
        group = gantry.create_group('g')
        target = np.eye(4)
        target[:3, 3] = 0.5, 0.7, 0.9
        result = group.solve(target)
        assert result.success
        np.testing.assert_allclose(result.q, [0.5, 0.7, 0.9], atol=1e-6)
        # Turned by 0.1 rad it cannot be reached: the answer says what is left.
        target[:2, :2] = pose(0, 0, 0.1)[:2, :2]
        result = group.solve(target, max_starts=5, timeout=5.0)
        assert not result.success
        assert result.orientation_error == pytest.approx(0.1, abs=1e-9)

    def test_base_below_the_common_ancestor(self, real_robot, rng):
        env = ik_node.Environment.from_urdf(real_robot('baxter_description/urdf/baxter.urdf'))
        left, right = 'left_gripper_base_link', 'right_gripper_base_link'
        arms = env.create_group('arms', base=left, tip=right)
        assert len(arms.joint_names) == 14
        for _ in range(20):
            q = arms.lower + (arms.upper - arms.lower) * rng.random(14)
            result = arms.solve(arms.forward_kinematics(q), timeout=1.0)
            assert result.success
            poses = env.link_poses([arms.tip], arms.base, arms.named_positions(result.q))
            np.testing.assert_allclose(poses[0], arms.forward_kinematics(q), atol=2e-5)


class TestBadRequests:
    """Each kind of bad value is refused with what was given and what is allowed."""

    @pytest.mark.parametrize(
        'target',
        [
            None,
            'pose',
            np.eye(3),
            np.zeros((4, 4)),
            2 * np.eye(4),
            np.eye(4) * np.nan,
            [[1, 2], [3]],
        ],
    )
    def test_target(self, planar, target):
        with pytest.raises(ik_node.InvalidTargetError):
            planar.solve(target)
        with pytest.raises(ik_node.InvalidTargetError):
            planar.find_config(target)

    @pytest.mark.parametrize('seed', [[0.1], [0.1] * 3, [np.nan, 0], [np.inf, -np.inf], 'x', 1.0])
    def test_seed(self, planar, seed):
        with pytest.raises(ik_node.InvalidSeedError):
            planar.solve(np.eye(4), seed)

    def test_bad_target_is_told_before_a_bad_seed(self, planar):
        for target in (np.eye(3), np.eye(4) * np.nan, 'pose'):
            for seed in ([0.1], [np.nan, 0.0], 'x'):
                with pytest.raises(ik_node.InvalidTargetError):
                    planar.solve(target, seed)

    def test_messages_name_what_is_wrong(self, planar):
        with pytest.raises(ik_node.InvalidSeedError, match=r'the seed has the shape \(1,\)'):
            planar.solve(np.eye(4), [0.1])
        with pytest.raises(ik_node.InvalidSeedError, match='the seed has a value that is not fin'):
            planar.solve(np.eye(4), [0.1, np.inf])
        with pytest.raises(ik_node.InvalidTargetError, match='not finite'):
            planar.solve(np.eye(4) * np.nan, [0.1, 0.2])
        with pytest.raises(ik_node.InvalidTargetError, match='must be a rotation'):
            planar.solve(2 * np.eye(4), [0.1, 0.2])

    @pytest.mark.parametrize(
        'option',
        [
            {'timeout': -1.0},
            {'timeout': math.nan},
            {'timeout': 'soon'},
            {'position_tolerance': 0.0},
            {'position_tolerance': -1e-6},
            {'orientation_tolerance': math.nan},
            {'position_weight': 0.0},
            {'random_seed': -1},
            {'random_seed': 0.5},
            {'random_seed': 2**64},
            {'max_starts': 0},
            {'max_starts': 1.5},
        ],
    )
    def test_option(self, planar, option):
        with pytest.raises(ik_node.InvalidOptionError, match=next(iter(option))):
            planar.solve(np.eye(4), **option)

    def test_unknown_option(self, planar):
        with pytest.raises(TypeError, match='tolerence'):
            planar.solve(np.eye(4), tolerence=1.0)

    @pytest.mark.parametrize(
        'option',
        [
            {'max_configs': 0},
            {'threshold': 0.0},
            {'threshold': math.nan},
            {'metric': [1, 1, 1]},
            {'metric': [1, 1, 1, -1]},
            {'metric': [1, 1, 1, math.inf]},
        ],
    )
    def test_option_of_find_configs(self, planar, option):
        with pytest.raises(ik_node.InvalidOptionError, match=next(iter(option))):
            planar.find_configs(np.eye(4), **option)


class TestFindConfigs:
    """Random searches."""

    def test_both_elbows_of_a_planar_arm(self, shipped_robot):
        # Any angle of the tip will do: a third joint turns the tip freely.
        text = (
            shipped_robot('planar_2r')
            .read_text()
            .replace('<joint name="flange" type="fixed">', '<joint name="j3" type="continuous">')
            .replace(
                '<origin xyz="1 0 0"/>\n  </joint>\n</robot>',
                '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>\n  </joint>\n</robot>',
            )
        )
        arm = ik_node.Environment.from_urdf(text).create_group('arm')
        found = arm.find_configs(
            pose(1.0, 1.0, 0.0), seed=[0.0, 1.0, 0.0], timeout=2.0, max_draws=200
        )
        assert found.success
        assert found.joint_names == ('j1', 'j2', 'j3')
        half = math.pi / 2
        np.testing.assert_allclose(
            found.configs, [[0.0, half, -half], [half, -half, 0.0]], atol=1e-4
        )

    def test_nearest_to_the_seed_comes_first(self, panda, rng):
        target = panda.forward_kinematics(
            panda.lower + (panda.upper - panda.lower) * rng.random(7)
        )
        seed = np.clip(np.zeros(7), panda.lower, panda.upper)
        found = panda.find_configs(target, seed, max_configs=10, timeout=5.0)
        assert len(found.configs) == 10
        distances = np.linalg.norm(found.configs - seed, axis=1)
        assert (np.diff(distances) >= 0).all()
        np.testing.assert_array_equal(found.q, found.configs[0])
        for q in found.configs:
            np.testing.assert_allclose(panda.forward_kinematics(q), target, atol=2e-5)
            assert (q >= panda.lower).all()
            assert (q <= panda.upper).all()

    def test_validation_rejects_and_the_search_goes_on(self, panda, rng):
        target = panda.forward_kinematics(
            panda.lower + (panda.upper - panda.lower) * rng.random(7)
        )
        found = panda.find_config(target, validation=lambda q: q[0] > 0.0, timeout=5.0)
        assert found.success
        assert found.q[0] > 0.0

    def test_everything_rejected_is_no_success(self, panda):
        target = panda.forward_kinematics()
        found = panda.find_config(target, validation=lambda q: False, max_draws=50, timeout=5.0)
        assert found.status is SolveStatus.NOT_FOUND
        assert found.configs.shape == (0, 7)
        assert found.q is None

    def test_threshold_solves_only_from_close_draws(self, panda, rng):
        target = panda.forward_kinematics(
            panda.lower + (panda.upper - panda.lower) * rng.random(7)
        )
        seed = panda.seed_from()
        far = panda.find_configs(target, seed, max_configs=3, timeout=5.0, threshold=np.inf)
        near = panda.find_configs(target, seed, max_configs=3, timeout=5.0, threshold=0.3)
        assert len(near.configs) == 3
        assert near.trials > 10 * far.trials

    def test_time_bound_is_kept_and_empty_is_an_answer(self, mimic):
        found = mimic.find_config(pose(*OFF_THE_CURVE), timeout=0.05, threshold=1e-9)
        assert found.status is SolveStatus.TIMED_OUT
        assert '0.05 s' in found.message

    def test_unreachable(self, planar):
        found = planar.find_config(pose(3.0, 0.0, 0.0))
        assert found.status is SolveStatus.UNREACHABLE
        assert 'out of reach' in found.message

    def test_same_seed_same_configurations(self, panda):
        target = panda.forward_kinematics([0.3, -0.4, 0.2, -1.9, 0.1, 1.7, 0.6])
        first, second = (
            panda.find_configs(
                target, max_configs=8, random_seed=5, timeout=10.0
            ).configs.tobytes()
            for _ in range(2)
        )
        assert first == second


def test_half_a_turn_of_a_spherical_joint_is_one_configuration():
    # (0, 0, pi) and (0, 0, -pi) are the same rotation.
    env = ik_node.Environment()
    env.create_joint('ball', 'spherical')
    env.create_dummy('tip', parent='ball')
    arm = env.create_group('arm', 'world', 'tip')
    found = arm.find_configs(
        arm.forward_kinematics([0.0, 0.0, math.pi]), max_configs=10, timeout=1.0
    )
    assert len(found.configs) == 1
