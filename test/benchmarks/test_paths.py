# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths are lines and circles, what is kept can be followed, and rides are counted right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.judge import Judge  # noqa: E402 - after the skip
from benchmarks.paths import (  # noqa: E402
    circle,
    draw_track,
    follow,
    LARGEST_STEP,
    largest_step,
    line,
    RADIUS,
    Track,
)
from benchmarks.solvers.solver import Solver  # noqa: E402
from benchmarks.suites.tracking import Ride, ride_along  # noqa: E402

Q = np.array([0.3, 0.5, -0.2, -1.2, 0.4, 0.9, 0.1])


@pytest.fixture
def judge(shipped_robot) -> Judge:
    return Judge(shipped_robot('iiwa14'), 'base', 'flange')


def test_a_line_is_straight_and_turns_evenly(judge, rng) -> None:
    poses = line(judge, Q, 11, rng)
    np.testing.assert_allclose(poses[0], judge.pose(Q), rtol=0.0, atol=1e-12)
    steps = np.diff(poses[:, :3, 3], axis=0)
    np.testing.assert_allclose(steps, np.tile(steps[0], (10, 1)), rtol=0.0, atol=1e-12)
    turns = [b[:3, :3] @ a[:3, :3].T for a, b in zip(poses[:-1], poses[1:], strict=True)]
    np.testing.assert_allclose(turns, np.tile(turns[0], (10, 1, 1)), rtol=0.0, atol=1e-9)


def test_a_circle_is_round_and_closes(judge, rng) -> None:
    poses = circle(judge, Q, 41, rng)
    np.testing.assert_allclose(poses[[0, -1]], np.tile(judge.pose(Q), (2, 1, 1)), atol=1e-9)
    center = poses[:-1, :3, 3].mean(axis=0)
    radii = np.linalg.norm(poses[:, :3, 3] - center, axis=1)
    np.testing.assert_allclose(radii, RADIUS, rtol=0.0, atol=1e-12)
    assert (poses[:, :3, :3] == poses[0, :3, :3]).all()


@pytest.mark.parametrize('shape', [line, circle])
def test_what_is_kept_is_followed_in_small_steps_inside_of_the_limits(judge, rng, shape) -> None:
    track, _ = draw_track(judge, shape, 40, rng)
    assert track.targets.shape == (40, 4, 4)
    distance, angle = judge.misses(track.configs, track.targets)
    assert distance.max() < 1e-7
    assert angle.max() < 1e-7
    assert judge.inside(track.configs, 0.0).all()
    assert 0.0 < track.step <= LARGEST_STEP


def test_the_same_generator_draws_the_same_path(judge) -> None:
    one, two = (draw_track(judge, line, 12, np.random.default_rng(3))[0] for _ in range(2))
    np.testing.assert_array_equal(one.targets, two.targets)


def test_what_leaves_the_workspace_is_not_followed(judge) -> None:
    poses = np.tile(judge.pose(Q), (30, 1, 1))
    poses[:, 0, 3] += np.linspace(0.0, 3.0, 30)
    assert follow(judge, Q, poses) is None


def test_where_none_can_be_followed_it_says_so(judge, rng) -> None:
    def away(judge: Judge, q: Any, count: int, rng: Any) -> Any:
        poses = np.tile(judge.pose(q), (count, 1, 1))
        poses[:, 0, 3] += np.linspace(0.0, 5.0, count)
        return poses

    with pytest.raises(RuntimeError, match='none of 3 paths'):
        draw_track(judge, away, 10, rng, attempts=3)


def test_largest_step_counts_full_turns() -> None:
    assert largest_step(np.array([[0.0, 1.0], [0.1, 1.0], [0.1, 1.0 - 2.0 * np.pi]])) == (
        pytest.approx(2.0 * np.pi)
    )
    assert largest_step(np.zeros((1, 2))) == 0.0


class Rider(Solver):
    """Knows the way, and does not answer where it is told to."""

    name, options, repeats = 'rider', 'none', 2

    def __init__(self, track: Track, fails: tuple[int, ...] = ()) -> None:
        self.track, self.fails = track, fails
        self.seeds: dict[int, Any] = {}

    def prepare(self, target: Any, seed: Any) -> Any:
        i = next(i for i, pose in enumerate(self.track.targets) if (pose == target).all())
        self.seeds[i] = np.array(seed)
        q = None if i in self.fails else self.track.configs[i].copy()
        return lambda: q

    def answer(self, raw: Any) -> Any:
        return raw


def test_who_knows_the_way_neither_fails_nor_jumps(judge, rng) -> None:
    track, _ = draw_track(judge, line, 20, rng)
    riders = [Rider(track), Rider(track, fails=(5, 6))]
    rides = [Ride(), Ride()]
    ride_along(riders, track, judge, rides)
    assert (rides[0].failures, rides[0].jumps, len(rides[0].times)) == (0, 0, 19)
    assert rides[0].largest == pytest.approx(track.step)
    assert rides[0].ratio == pytest.approx(1.0)
    np.testing.assert_array_equal(riders[0].seeds[8], track.configs[7])
    # Who fails starts again from where it was, and its next step is not called a jump.
    assert (rides[1].failures, rides[1].jumps) == (2, 0)
    np.testing.assert_array_equal(riders[1].seeds[7], track.configs[4])
    assert rides[1].ratio <= 1.0 + 1e-9


def test_a_step_of_ten_times_what_is_needed_is_a_jump() -> None:
    ride = Ride()
    for step in (0.01, 0.05, 0.2):
        ride.note_step(step, 0.01)
    assert (ride.jumps, ride.largest) == (1, 0.2)
    assert ride.ratio == pytest.approx(20.0)
