# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Lines and circles that a robot can follow, and what following them takes of its joints.

Whether it can is decided by small differential steps with Pinocchio's Jacobian: no search, so no
choice of another branch. A path on which that meets a limit, or a singular pose that it does not
get through, is dropped, though another start might do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.judge import FloatArray, Judge
from benchmarks.targets import uniform

RADIUS = 0.1
"""Of a circle [m]."""
NEARBY = 0.4
"""Standard deviation between the configurations at the ends of a line [rad or m]."""
SUBSTEPS = 4
"""Poses between two of a path."""
LARGEST_STEP = 0.1
"""Of a joint between two poses of a path that counts as continuous [rad or m]."""
_DAMPING = 1e-10
_CORRECTIONS = 12
_CLOSE = 1e-8


@dataclass(frozen=True)
class Track:
    """A path and one way to follow it."""

    targets: FloatArray
    """(m, 4, 4) T_base_tip [m]."""
    configs: FloatArray
    """(m, n) the way of small steps [rad or m]."""

    @property
    def step(self) -> float:
        """Largest of a joint between two poses [rad or m]."""
        return largest_step(self.configs)


def largest_step(configs: FloatArray) -> float:
    """
    Return the largest step of a joint between successive configurations (m, n).

    Returns
    -------
    float
        [rad or m]; a full turn is one.

    """
    return float(np.abs(np.diff(configs, axis=0)).max(initial=0.0))


def line(judge: Judge, q: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """
    Go straight from the pose of a configuration to that of one nearby, turning evenly.

    Parameters
    ----------
    judge : Judge
        Of the robot.
    q : (n,) float64
        Where the path begins [rad or m].
    count : int
        Number of poses.
    rng : numpy.random.Generator
        Draws the end.

    Returns
    -------
    (count, 4, 4) float64
        T_base_tip [m].

    """
    import pinocchio

    end = np.clip(q + NEARBY * rng.standard_normal(len(q)), judge.lower, judge.upper)
    first, last = judge.poses(np.array([q, end]))
    turn = np.array(pinocchio.log3(first[:3, :3].T @ last[:3, :3]))
    poses = np.tile(first, (count, 1, 1))
    for pose, share in zip(poses, np.linspace(0.0, 1.0, count), strict=True):
        pose[:3, :3] = first[:3, :3] @ pinocchio.exp3(share * turn)
        pose[:3, 3] += share * (last[:3, 3] - first[:3, 3])
    return poses


def circle(judge: Judge, q: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """
    Go once around a circle with the orientation kept; arguments and result as for `line`.

    The pose of `q` is the first and the last one; the plane is drawn.
    """
    start = judge.pose(q)
    plane, _ = np.linalg.qr(rng.standard_normal((3, 2)))
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    poses = np.tile(start, (count, 1, 1))
    poses[:, :3, 3] += RADIUS * ((1.0 - np.cos(angle))[:, np.newaxis] * plane[:, 0])
    poses[:, :3, 3] += RADIUS * (np.sin(angle)[:, np.newaxis] * plane[:, 1])
    return poses


Shape = Callable[[Judge, FloatArray, int, np.random.Generator], FloatArray]


def follow(judge: Judge, q: FloatArray, targets: FloatArray) -> FloatArray | None:
    """
    Follow a dense path by damped least squares, each pose from the configuration before.

    Parameters
    ----------
    judge : Judge
        Of the robot.
    q : (n,) float64
        Reaches the first pose [rad or m].
    targets : (m, 4, 4) float64
        T_base_tip [m].

    Returns
    -------
    (m, n) float64 or None
        [rad or m]; None: a pose was not reached inside of the limits.

    """
    configs = np.empty((len(targets), len(q)))
    for i, target in enumerate(targets):
        for _ in range(_CORRECTIONS):
            error, jacobian = judge.error(q, target)
            if np.linalg.norm(error) < _CLOSE:
                break
            square = jacobian @ jacobian.T + _DAMPING * np.eye(6)
            q = q + jacobian.T @ np.linalg.solve(square, error)
        else:
            return None
        if not judge.inside(q[np.newaxis], 0.0)[0]:
            return None
        configs[i] = q
    return configs


def draw_track(
    judge: Judge, shape: Shape, count: int, rng: np.random.Generator, attempts: int = 400
) -> tuple[Track, int]:
    """
    Draw paths until one can be followed.

    Parameters
    ----------
    judge : Judge
        Of the robot.
    shape : callable
        `line` or `circle`.
    count : int
        Number of poses.
    rng : numpy.random.Generator
        Draws where it begins and where it goes.
    attempts : int
        Largest number of draws.

    Returns
    -------
    track : Track
        The first that can be followed.
    dropped : int
        How many could not.

    Raises
    ------
    RuntimeError
        None can.

    """
    for dropped in range(attempts):
        q = uniform(judge, 1, rng)[0]
        # A coarse look first: most paths that fail leave the workspace, and this is quick.
        state = rng.bit_generator.state
        coarse = follow(judge, q, shape(judge, q, 64, rng))
        if coarse is None or largest_step(coarse) > LARGEST_STEP * max(1.0, count / 64):
            continue
        rng.bit_generator.state = state
        dense = shape(judge, q, (count - 1) * SUBSTEPS + 1, rng)
        configs = follow(judge, q, dense)
        if configs is None:
            continue
        track = Track(dense[::SUBSTEPS], configs[::SUBSTEPS])
        if track.step <= LARGEST_STEP:
            return track, dropped
    raise RuntimeError(f'none of {attempts} paths can be followed')
