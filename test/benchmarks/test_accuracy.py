# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""No false claim goes unseen, and answers without a solution are sorted by their reasons."""

from __future__ import annotations

from types import SimpleNamespace

import ik_node
from ik_node import SolveStatus
import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.arms import load_arm  # noqa: E402 - after the skip
from benchmarks.judge import Judge  # noqa: E402
from benchmarks.suites.accuracy import examine, Tally  # noqa: E402
from benchmarks.suites.batch import accepted_share  # noqa: E402
from benchmarks.suites.unreachable import reason_of  # noqa: E402
from benchmarks.targets import Cases, doubtful, far, uniform  # noqa: E402

ENDLESS = """
<robot name="r">
  <link name="root"/><link name="a"/><link name="b"/><link name="tip"/>
  <joint name="j0" type="prismatic"><parent link="root"/><child link="a"/>
    <axis xyz="0 0 1"/><limit lower="0" upper="0.5" effort="1" velocity="1"/></joint>
  <joint name="j1" type="continuous"><parent link="a"/><child link="b"/>
    <origin xyz="0.3 0 0" rpy="0.2 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="j2" type="revolute"><parent link="b"/><child link="tip"/>
    <origin xyz="0 0.2 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def judge(shipped_robot) -> Judge:
    return Judge(shipped_robot('iiwa14'), 'base', 'flange')


@pytest.fixture
def solved(judge, rng) -> tuple[Cases, np.ndarray]:
    configs = 0.9 * uniform(judge, 6, rng)
    return Cases(judge.poses(configs), np.zeros_like(configs)), configs


def test_right_claims_are_confirmed(judge, solved) -> None:
    cases, configs = solved
    tally = Tally()
    assert examine(judge, cases, np.ones(6, dtype=bool), configs, tally) == []
    assert (tally.targets, tally.claims, tally.false) == (6, 6, 0)
    assert tally.distance < 1e-12
    assert tally.angle < 1e-12


@pytest.mark.parametrize(
    ('joint', 'change'),
    [(0, 1e-4), (6, 1.1e-5), (6, np.nan), (0, 2.0 * np.pi)],
    ids=['position', 'orientation', 'no number', 'limit'],
)
def test_a_false_claim_is_counted_and_can_be_repeated(judge, solved, joint, change) -> None:
    cases, configs = solved
    configs = configs.copy()
    configs[2, joint] += change
    tally = Tally()
    (text,) = examine(judge, cases, np.ones(6, dtype=bool), configs, tally)
    assert tally.false == 1
    assert text.startswith('FALSE CLAIM: target [[')
    assert str(cases.targets[2].tolist()) in text


def test_within_the_tolerance_is_no_false_claim(judge, solved) -> None:
    cases, configs = solved
    tally = Tally()
    moved = configs + 0.9e-5 * np.eye(7)[6]  # the flange turns about its own axis
    examine(judge, cases, np.ones(6, dtype=bool), moved, tally)
    assert tally.false == 0
    assert tally.angle == pytest.approx(0.9e-5, rel=1e-6)


def test_what_is_not_claimed_is_not_false_but_told(judge, solved) -> None:
    cases, configs = solved
    claimed = np.array([True, False, True, True, False, True])
    tally = Tally()
    said = examine(judge, cases, claimed, np.where(claimed[:, None], configs, np.nan), tally)
    assert [text[:11] for text in said] == ['NOT SOLVED:'] * 2
    assert (tally.targets, tally.claims, tally.false) == (6, 4, 0)
    assert examine(judge, cases, np.zeros(6, dtype=bool), configs, Tally())[2:]


def test_counts_add_up() -> None:
    total = Tally()
    total.add(Tally(10, 9, 1, 1e-7, 2e-6, 0.5))
    total.add(Tally(20, 20, 0, 3e-7, 1e-6, 1.0))
    assert total == Tally(30, 29, 1, 3e-7, 2e-6, 1.5)
    row = total.row('robot', 7, 'solve')
    assert row[6:8] == (1, pytest.approx(100.0 * 28 / 30))


def test_share_of_a_sample_counts_claims_alone(judge, rng) -> None:
    configs = 0.9 * uniform(judge, 10, rng)
    cases = Cases(judge.poses(configs), configs)
    claimed = np.arange(10) != 3
    configs[7, 0] += 0.1
    assert accepted_share(judge, cases, configs, claimed) == pytest.approx(80.0)


def test_a_joint_without_end_is_judged(tmp_path, rng) -> None:
    path = tmp_path / 'endless.urdf'
    path.write_text(ENDLESS)
    judge = Judge(path, 'root', 'tip')
    assert judge.lower.tolist() == [0.0, -np.inf, -1.0]
    arm = ik_node.Environment.from_urdf(path).create_group('a', 'root', 'tip')
    configs = uniform(judge, 20, rng)
    assert np.abs(configs[:, 1]).max() <= np.pi
    poses = np.array([arm.forward_kinematics(q) for q in configs])
    np.testing.assert_allclose(judge.poses(configs), poses, rtol=0.0, atol=1e-12)
    assert judge.accepts(configs[0] + [0.0, 20.0 * np.pi, 0.0], poses[0])
    assert far(judge, 3, rng).targets.shape == (3, 4, 4)


def test_misses_are_distances_and_angles(judge) -> None:
    q = 0.5 * judge.upper
    targets = np.tile(judge.pose(q), (3, 1, 1))
    targets[1, 0, 3] += 3e-7
    turned = np.array([q, q, q + 2.5 * np.eye(7)[6]])
    distance, angle = judge.misses(turned, targets)
    np.testing.assert_allclose(distance, [0.0, 3e-7, 0.0], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(angle, [0.0, 0.0, 2.5], rtol=0.0, atol=1e-12)


def test_the_twist_to_a_target_is_what_the_jacobian_explains(judge) -> None:
    q, change = 0.5 * judge.upper, 1e-6 * np.arange(1.0, 8.0)
    twist, jacobian = judge.error(q, judge.pose(q + change))
    np.testing.assert_allclose(jacobian @ change, twist, rtol=0.0, atol=1e-9)


def test_an_arm_can_be_loaded() -> None:
    path, base, tip, judge = load_arm('scara')
    arm = ik_node.Environment.from_urdf(path).create_group('a', base, tip)
    assert arm.joint_names == judge.joint_names


def test_doubtful_targets_mix_poses_or_push_them_out(judge, rng) -> None:
    poses = doubtful(judge, 40, rng).targets
    turns = poses[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], 1, 2)
    np.testing.assert_allclose(turns, np.tile(np.eye(3), (40, 1, 1)), rtol=0.0, atol=1e-12)
    center, radius = judge.wrist_reach()
    radius += np.linalg.norm(judge.T_last_tip[:3, 3])
    distance = np.linalg.norm(poses[:, :3, 3] - center, axis=1)
    assert (distance[::2] <= radius).all()
    assert (distance[1::2] <= 1.25 * radius).all()


@pytest.mark.parametrize(
    ('status', 'message', 'reason'),
    [
        ('UNREACHABLE', 'orientation out of reach: x', 'proven by an angle'),
        ('UNREACHABLE', 'out of reach: along z of base, tip', 'proven by a height'),
        ('UNREACHABLE', 'out of reach: elbow would have to be', 'proven by a distance'),
        ('BLOCKED_BY_LIMITS', 'not found inside the joint limits', 'only without some limits'),
        ('NOT_FOUND', 'not found from 64 starts', 'not found'),
        ('NOT_FOUND', 'not found, but the position alone was: with another orientation',
         'not found, the position alone was'),
        ('TIMED_OUT', 'not found in 0.005 s, nor was the position alone',
         'time is over, nor the position'),
        ('SUCCESS', 'solved', 'solved'),
    ],
)  # fmt: skip
def test_reasons_have_kinds(status, message, reason) -> None:
    result = SimpleNamespace(status=SolveStatus[status], message=message)
    assert reason_of(result) == reason


@pytest.mark.parametrize(
    ('target', 'start'), [('far', 'proven by'), ('turned', 'proven by')], ids=['far', 'turned']
)
def test_reasons_of_the_library_itself_are_known(shipped_robot, target, start) -> None:
    base, tip = ('base', 'flange')
    arm = ik_node.Environment.from_urdf(shipped_robot('iiwa14')).create_group('a', base, tip)
    pose = np.array(arm.forward_kinematics(np.zeros(7)))
    if target == 'far':
        pose[0, 3] += 5.0
    else:
        pose[:3, :3] = pose[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    result = arm.solve(pose, np.zeros(7))
    assert reason_of(result).startswith(start)
