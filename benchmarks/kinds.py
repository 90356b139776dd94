# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of all kinds that a robot reaches: each is made from a configuration that meets it."""

from __future__ import annotations

from collections.abc import Callable

import ik_node
import numpy as np
from numpy.typing import ArrayLike

from benchmarks.equations import angle_between, rotation
from benchmarks.judge import FloatArray, Judge
from benchmarks.targets import uniform

Z_AXIS = (0.0, 0.0, 1.0)

TYPES = (
    'Transform6D',
    'Rotation3D',
    'Translation3D',
    'Direction3D',
    'Ray4D',
    'Lookat3D',
    'TranslationDirection5D',
    'TranslationXY2D',
    'TranslationXYOrientation3D',
    'TranslationLocalGlobal6D',
    'TranslationXAxisAngle4D',
    'TranslationYAxisAngle4D',
    'TranslationZAxisAngle4D',
    'TranslationXAxisAngleZNorm4D',
    'TranslationYAxisAngleXNorm4D',
    'TranslationZAxisAngleYNorm4D',
)
"""The sixteen types of IKFast."""

EFFECTOR = (np.array([0.05, -0.08, 0.1]), np.array([0.3, -0.5, 0.2, 0.7]))
"""Where the effector of shapes, and a local point, stand in the tip: point [m], quaternion."""

_NORMS = {
    'TranslationXAxisAngleZNorm4D': 2,
    'TranslationYAxisAngleXNorm4D': 0,
    'TranslationZAxisAngleYNorm4D': 1,
}
"""Types whose tool lies in a plane, and the axis of the base that is its normal."""

Maker = Callable[[FloatArray, np.random.Generator, FloatArray], ik_node.Target]
"""Makes a target that a pose meets, with a direction of the tool."""


def _maker_of_type(name: str) -> Maker:
    kind = getattr(ik_node, name)

    def make(T: FloatArray, rng: np.random.Generator, direction: FloatArray) -> ik_node.Target:
        if kind is ik_node.Lookat3D:
            gaze = T[:3, :3] @ direction / np.linalg.norm(direction)
            return ik_node.Lookat3D(T[:3, 3] + rng.uniform(0.1, 2.0) * gaze)
        if kind is ik_node.Ray4D:
            axis = T[:3, :3] @ direction / np.linalg.norm(direction)
            return ik_node.Ray4D(T[:3, 3] + rng.uniform(-1.0, 1.0) * axis, axis)
        if kind is ik_node.TranslationLocalGlobal6D:
            local, _ = EFFECTOR
            return ik_node.TranslationLocalGlobal6D(local, T[:3, :3] @ local + T[:3, 3])
        return kind.from_pose(T, direction)

    return make


def _unit(rng: np.random.Generator) -> FloatArray:
    vector: FloatArray = rng.standard_normal(3)
    return vector / np.linalg.norm(vector)


def _point(p: FloatArray, rng: np.random.Generator) -> ik_node.PositionShape:
    return ik_node.Point(p)


def _line(p: FloatArray, rng: np.random.Generator) -> ik_node.PositionShape:
    axis = _unit(rng)
    return ik_node.Line(p + rng.uniform(-1.0, 1.0) * axis, axis)


def _segment(p: FloatArray, rng: np.random.Generator) -> ik_node.PositionShape:
    axis, before, after = _unit(rng), *rng.uniform(0.0, 0.2, 2)
    away = rng.uniform(-1.0, 1.0)
    return ik_node.Line(p - away * axis, axis, away - before, away + after)


def _half_line(p: FloatArray, rng: np.random.Generator) -> ik_node.PositionShape:
    axis, before = _unit(rng), rng.uniform(0.0, 0.2)
    if rng.random() < 0.5:
        return ik_node.Line(p, axis, lower=-before)
    return ik_node.Line(p, axis, upper=before)


def _plane(p: FloatArray, rng: np.random.Generator) -> ik_node.PositionShape:
    normal = _unit(rng)
    return ik_node.Plane.through(p + np.cross(normal, rng.standard_normal(3)), normal)


def _rotation(R: FloatArray, rng: np.random.Generator) -> ik_node.OrientationShape:
    pose = np.eye(4)
    pose[:3, :3] = R
    return ik_node.Rotation(ik_node.Rotation3D.from_pose(pose).quat_xyzw)


def _parallel(R: FloatArray, rng: np.random.Generator) -> ik_node.OrientationShape:
    return ik_node.Parallel(R[:, 2])


def _cone(R: FloatArray, rng: np.random.Generator) -> ik_node.OrientationShape:
    axis_tip, axis_base = _unit(rng), _unit(rng)
    return ik_node.Cone(axis_tip, axis_base, angle_between(R @ axis_tip, axis_base))


def _filled_cone(R: FloatArray, rng: np.random.Generator) -> ik_node.OrientationShape:
    axis_tip, axis_base = _unit(rng), _unit(rng)
    angle = angle_between(R @ axis_tip, axis_base) + rng.uniform(0.0, 0.3)
    return ik_node.Cone(axis_tip, axis_base, min(angle, np.pi), interior=True)


_POSITIONS = {
    'Point': _point,
    'Line': _line,
    'Plane': _plane,
    'segment': _segment,
    'half line': _half_line,
}
_ORIENTATIONS = {
    'Rotation': _rotation,
    'Parallel': _parallel,
    'Cone': _cone,
    'filled Cone': _filled_cone,
}
PAIRS = tuple(
    f'{position} + {orientation}'
    for position in ('Point', 'Line', 'Plane')
    for orientation in ('Rotation', 'Parallel', 'Cone')
)
"""The nine pairs of shapes."""
MORE_PAIRS = tuple(
    f'{position} + {orientation}'
    for position in _POSITIONS
    for orientation in _ORIENTATIONS
    if f'{position} + {orientation}' not in PAIRS
)
"""Those with lines that end and cones that are filled."""


def _maker_of_pair(name: str) -> Maker:
    position, orientation = name.split(' + ')

    def make(T: FloatArray, rng: np.random.Generator, direction: FloatArray) -> ik_node.Target:
        point, quat = EFFECTOR
        pose = np.eye(4)
        pose[:3, :3] = rotation(quat)
        return ik_node.Shapes(
            _POSITIONS[position](T[:3, :3] @ point + T[:3, 3], rng),
            _ORIENTATIONS[orientation](T[:3, :3] @ pose[:3, :3], rng),
            point,
            quat,
        )

    return make


def _pose_box(T: FloatArray, rng: np.random.Generator, direction: FloatArray) -> ik_node.Target:
    """Make a box with sides that are closed, open on one side, exact and free."""
    pose = np.eye(4)
    # Roll, pitch and yaw of the tip, seen from the target.
    angles = rng.uniform((-np.pi, -1.4, -np.pi), (np.pi, 1.4, np.pi))
    at = np.append(rng.uniform(-0.2, 0.2, 3), angles)
    cx, cy, cz = np.cos(angles)
    sx, sy, sz = np.sin(angles)
    seen = (
        np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
        @ np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
        @ np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    )
    pose[:3, :3] = T[:3, :3] @ seen.T
    pose[:3, 3] = T[:3, 3] - pose[:3, :3] @ at[:3]
    lower, upper = at - rng.uniform(0.0, 0.2, 6), at + rng.uniform(0.0, 0.2, 6)
    lower[4], upper[4] = max(lower[4], -0.5 * np.pi), min(upper[4], 0.5 * np.pi)
    kind = rng.integers(0, 5, 6)
    lower[kind == 0] = upper[kind == 0] = at[kind == 0]
    lower[(kind == 1) | (kind == 2)] = -np.inf
    upper[(kind == 1) | (kind == 3)] = np.inf
    return ik_node.PoseBox.around(pose, lower, upper)


def maker_of(name: str) -> Maker:
    """
    Find out how targets of a kind are made.

    Parameters
    ----------
    name : str
        One of `TYPES`, `PAIRS` or `MORE_PAIRS`, or 'PoseBox'.

    Returns
    -------
    callable
        See `Maker`.

    """
    if name == 'PoseBox':
        return _pose_box
    return _maker_of_type(name) if name in TYPES else _maker_of_pair(name)


def reachable(
    name: str,
    judge: Judge,
    count: int,
    rng: np.random.Generator,
    direction: ArrayLike = Z_AXIS,
) -> list[ik_node.Target]:
    """
    Make targets of a kind that configurations inside of the limits meet.

    Parameters
    ----------
    name : str
        See `maker_of`.
    judge : Judge
        Of the robot.
    count : int
        How many.
    rng : Generator
        Draws configurations and what a target leaves open.
    direction : (3,) array_like
        Direction of the tool in the tip.

    Returns
    -------
    list of Target

    """
    tool = np.asarray(direction, dtype=np.float64)
    configs = uniform(judge, count, rng)
    if name in _NORMS:
        configs = _into_plane(judge, configs, tool / np.linalg.norm(tool), _NORMS[name], rng)
    make = maker_of(name)
    return [make(T, rng, tool) for T in judge.poses(configs)]


def _into_plane(
    judge: Judge, configs: FloatArray, tool: FloatArray, axis: int, rng: np.random.Generator
) -> FloatArray:
    """
    Move configurations until the tool is orthogonal to an axis of the base.

    Joints are turned one after the other, by Newton's method with differences of poses: as far
    from a search for inverse kinematics as can be. What does not come to rest inside of the limits
    begins anew.
    """
    low, high = judge.finite_lower, judge.finite_upper
    done = configs.copy()
    for q in done:
        for attempt in range(200):
            j = int(rng.integers(len(q)))
            for _ in range(12):
                trial = np.array([q, q, q])
                trial[1:, j] += 1e-6, -1e-6
                heights = judge.poses(trial)[:, axis, :3] @ tool
                slope = (heights[1] - heights[2]) / 2e-6
                if abs(heights[0]) < 1e-13 or abs(slope) < 1e-3:
                    break
                q[j] = np.clip(q[j] - np.clip(heights[0] / slope, -1.0, 1.0), low[j], high[j])
            if abs(judge.pose(q)[axis, :3] @ tool) < 1e-12:
                break
            if attempt % 10 == 9:
                q[:] = uniform(judge, 1, rng)[0]
        else:
            raise ValueError('no configuration has the tool in the plane')
    return done
