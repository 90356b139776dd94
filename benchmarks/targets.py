# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The questions: targets with seeds, drawn from one generator for all solvers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.judge import FloatArray, Judge

NEAR = 0.1
"""Standard deviation of a near seed from a solution [rad or m]."""


@dataclass(frozen=True)
class Cases:
    """Targets and where to start from."""

    targets: FloatArray
    """(c, 4, 4) T_base_tip [m]."""
    seeds: FloatArray
    """(c, n) [rad or m]."""


def uniform(judge: Judge, count: int, rng: np.random.Generator) -> FloatArray:
    """
    Draw configurations inside the limits.

    Returns
    -------
    (count, n) float64
        [rad or m].

    """
    low, high = _range(judge)
    return low + (high - low) * rng.random((count, len(low)))


def far(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    """Take poses of uniform configurations; a seed knows nothing of its target."""
    return _reachable(judge, uniform(judge, count, rng), uniform(judge, count, rng))


def near(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    """Take poses of uniform configurations; a seed is a solution with noise, as in tracking."""
    solutions = uniform(judge, count, rng)
    seeds = solutions + NEAR * rng.standard_normal(solutions.shape)
    return _reachable(judge, solutions, np.clip(seeds, judge.lower, judge.upper))


def singular(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    """Put each joint with a chance of .4 at 0 and of .2 at a limit; seeds are far."""
    solutions = uniform(judge, count, rng)
    kind, side = rng.random(solutions.shape), rng.random(solutions.shape) < 0.5
    solutions = np.where(kind < 0.6, np.where(side, *_range(judge)), solutions)
    solutions = np.where(kind < 0.4, np.clip(0.0, judge.lower, judge.upper), solutions)
    return _reachable(judge, solutions, uniform(judge, count, rng))


def beyond(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    """Take poses of 1.05 to 2 times the length of the stretched chain from the first joint."""
    center, radius = judge.wrist_reach()
    radius += float(np.linalg.norm(judge.T_last_tip[:3, 3]))
    poses = _turned(judge, count, rng)
    distance = radius * rng.uniform(1.05, 2.0, (count, 1))
    poses[:, :3, 3] = center + _directions(count, rng) * distance
    return Cases(poses, uniform(judge, count, rng))


def inside_but_wrong(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    """
    Take poses inside of the ball of the stretched chain that no configuration reaches.

    The tip points inwards, so the origin of the last joint would have to lie outside of its own
    ball: unreachable by the triangle inequality, but not by the distance of the tip.
    """
    center, radius = judge.wrist_reach()
    length = float(np.linalg.norm(judge.T_last_tip[:3, 3]))
    T_tip_last = np.linalg.inv(judge.T_last_tip)
    poses: list[FloatArray] = []
    while len(poses) < count:
        batch = _turned(judge, 256, rng)
        distance = (radius + length) * rng.uniform(0.85, 0.999, (256, 1))
        batch[:, :3, 3] = center + _directions(256, rng) * distance
        wrists = (batch @ T_tip_last)[:, :3, 3]
        poses.extend(batch[np.linalg.norm(wrists - center, axis=1) > radius + 1e-3])
    return Cases(np.array(poses[:count]), uniform(judge, count, rng))


def doubtful(judge: Judge, count: int, rng: np.random.Generator) -> Cases:
    """
    Take poses that may or may not be reached.

    Every other one has the position of one random configuration and the orientation of another;
    the rest are poses of which the position is pushed outwards from the first joint by up to a
    quarter.
    """
    poses, others = _turned(judge, count, rng), _turned(judge, count, rng)
    center, _ = judge.wrist_reach()
    factor = rng.uniform(1.0, 1.25, (count, 1))
    pushed = np.arange(count) % 2 == 1
    poses[~pushed, :3, :3] = others[~pushed, :3, :3]
    poses[pushed, :3, 3] = (center + (poses[:, :3, 3] - center) * factor)[pushed]
    return Cases(poses, uniform(judge, count, rng))


def _reachable(judge: Judge, solutions: FloatArray, seeds: FloatArray) -> Cases:
    return Cases(judge.poses(solutions), seeds)


def _range(judge: Judge) -> tuple[FloatArray, FloatArray]:
    return judge.finite_lower, judge.finite_upper


def _turned(judge: Judge, count: int, rng: np.random.Generator) -> FloatArray:
    """Give poses with the orientations of random configurations."""
    return judge.poses(uniform(judge, count, rng))


def _directions(count: int, rng: np.random.Generator) -> FloatArray:
    vectors: FloatArray = rng.standard_normal((count, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
