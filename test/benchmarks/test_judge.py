# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The judge takes what is right and nothing else; the questions are what they claim to be."""

from __future__ import annotations

import ik_node
import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks import targets  # noqa: E402 - after the skip
from benchmarks.judge import Judge  # noqa: E402


@pytest.fixture
def judge(shipped_robot) -> Judge:
    return Judge(shipped_robot('iiwa14'), 'base', 'flange')


def test_it_accepts_the_configuration_of_the_target(judge) -> None:
    q = 0.5 * judge.upper
    assert judge.accepts(q, judge.pose(q))


def test_it_sees_the_robot_as_the_library_does(judge, shipped_robot) -> None:
    arm = ik_node.Environment.from_urdf(shipped_robot('iiwa14')).create_group(
        'a', 'base', 'flange'
    )
    assert arm.joint_names == judge.joint_names
    np.testing.assert_array_equal(arm.lower, judge.lower)
    q = 0.3 * judge.lower
    np.testing.assert_allclose(arm.forward_kinematics(q), judge.pose(q), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize('offset', [2e-5, -2e-5])
def test_it_rejects_a_position_that_is_off(judge, offset) -> None:
    q = 0.5 * judge.upper
    target = judge.pose(q)
    target[0, 3] += offset
    assert not judge.accepts(q, target)


def test_it_rejects_an_orientation_that_is_off(judge) -> None:
    q = 0.5 * judge.upper
    off = q.copy()
    off[6] += 2e-4  # the flange turns about its own axis, its origin stays
    assert not judge.accepts(off, judge.pose(q))


def test_it_rejects_what_is_outside_of_a_limit(judge) -> None:
    q = 0.5 * judge.upper
    q[0] += 2.0 * np.pi  # the same pose
    assert np.allclose(judge.pose(q), judge.pose(q - np.eye(7)[0] * 2.0 * np.pi))
    assert not judge.accepts(q, judge.pose(q))


@pytest.mark.parametrize('answer', [None, np.zeros(6), np.full(7, np.nan)])
def test_it_rejects_what_is_no_configuration(judge, answer) -> None:
    assert not judge.accepts(answer, judge.pose(np.zeros(7)))


@pytest.mark.parametrize('draw', [targets.far, targets.near, targets.singular])
def test_reachable_targets_have_seeds_inside_of_the_limits(judge, rng, draw) -> None:
    cases = draw(judge, 50, rng)
    assert cases.targets.shape == (50, 4, 4)
    assert ((cases.seeds >= judge.lower) & (cases.seeds <= judge.upper)).all()


def test_singular_targets_stand_at_zero_and_at_limits(judge) -> None:
    class Recorder(Judge):
        seen: list = []

        def __init__(self) -> None:
            self.__dict__.update(judge.__dict__)

        def poses(self, configs):
            self.seen.extend(configs)
            return super().poses(configs)

    recorder = Recorder()
    targets.singular(recorder, 400, np.random.default_rng(0))
    seen = np.array(recorder.seen)
    at_limit = (seen == judge.lower) | (seen == judge.upper)
    # 2800 draws: the standard error of a share is below 0.01.
    assert np.mean(seen == 0.0) == pytest.approx(0.4, abs=0.04)
    assert np.mean(at_limit) == pytest.approx(0.2, abs=0.04)


def test_unreachable_targets_are_not_reached(judge, rng) -> None:
    center, radius = judge.wrist_reach()
    length = np.linalg.norm(judge.T_last_tip[:3, 3])
    for q in targets.uniform(judge, 200, rng):  # the bound holds for poses that exist
        wrist = judge.pose(q) @ np.linalg.inv(judge.T_last_tip)
        assert np.linalg.norm(wrist[:3, 3] - center) <= radius + 1e-9
    outside = targets.beyond(judge, 50, rng).targets[:, :3, 3]
    assert (np.linalg.norm(outside - center, axis=1) > radius + length).all()
    inside = targets.inside_but_wrong(judge, 50, rng).targets
    assert (np.linalg.norm(inside[:, :3, 3] - center, axis=1) < radius + length).all()
    wrists = (inside @ np.linalg.inv(judge.T_last_tip))[:, :3, 3]
    assert (np.linalg.norm(wrists - center, axis=1) > radius).all()
