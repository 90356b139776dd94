# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The judge of several tips takes what is right for all of them and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.limbs import LIMBS, LimbsJudge  # noqa: E402 - after the skip
from benchmarks.request import Request  # noqa: E402
from benchmarks.suites import tips  # noqa: E402


@pytest.fixture(params=LIMBS)
def robot(request):
    """Give a group and its judge."""
    group = tips.group_of(LIMBS[request.param])
    return group, LimbsJudge(LIMBS[request.param], group.joint_names)


def test_it_sees_the_robot_as_the_library_does(robot, rng) -> None:
    group, judge = robot
    np.testing.assert_array_equal(judge.lower, group.lower)
    np.testing.assert_array_equal(judge.upper, group.upper)
    for q in judge.uniform(10, rng):
        poses = judge.poses(q)
        np.testing.assert_allclose(group.forward_kinematics(q), poses, rtol=0.0, atol=1e-12)
        assert judge.accepts(q, poses)


def test_one_tip_that_is_off_is_too_many(robot, rng) -> None:
    _, judge = robot
    (q,) = judge.uniform(1, rng)
    poses = judge.poses(q)
    for tip in range(len(poses)):
        moved, turned = poses.copy(), poses.copy()
        moved[tip, 1, 3] += 2e-5
        turned[tip, :3, :3] = np.roll(np.eye(3), 1, axis=0) @ turned[tip, :3, :3]
        assert not judge.accepts(q, moved)
        assert not judge.accepts(q, turned)


def test_a_limit_counts(robot) -> None:
    _, judge = robot
    q = np.where(np.isfinite(judge.upper), judge.upper, 0.0)
    assert judge.accepts(q, judge.poses(q))
    first = int(np.flatnonzero(np.isfinite(judge.upper))[0])
    q[first] += 1e-5
    assert not judge.accepts(q, judge.poses(q))


def test_the_suite_has_a_row_for_each_robot(tmp_path) -> None:
    (table,) = tips.run(Request(tmp_path, targets=3))
    assert [row[0] for row in table.rows] == list(LIMBS)
    rows = table.as_dict()['rows']
    assert [row['joints'] for row in rows] == [14, 15, 28, 32]
    assert all(row['success %'] > 0.0 for row in rows)
