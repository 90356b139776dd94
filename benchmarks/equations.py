# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The equations of all kinds of targets in NumPy, as judges of answers.

They are written from the definitions in docs/targets.md and read nothing of a target but its
fields. Angles come from differences of vectors and matrices, not from sines and cosines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ik_node
import numpy as np
from numpy.typing import ArrayLike

from benchmarks.judge import FloatArray

Misses = tuple[float, float]

_X, _Y, _Z = np.eye(3)


def misses(target: ik_node.Target, T_base_tip: FloatArray, direction: ArrayLike = _Z) -> Misses:
    """
    Measure by how much a pose misses a target.

    Parameters
    ----------
    target : Target
        Of any kind.
    T_base_tip : (4, 4) float64
        The pose [m].
    direction : (3,) array_like
        Direction of the tool in the tip.

    Returns
    -------
    distance : float
        [m].
    angle : float
        [rad].

    """
    R, p = T_base_tip[:3, :3], T_base_tip[:3, 3]
    tool = np.asarray(direction, dtype=np.float64)
    D = R @ tool / np.linalg.norm(tool)
    return _EQUATIONS[type(target).__name__](target, R, p, D)


def rotation(quat_xyzw: ArrayLike) -> FloatArray:
    """
    Compute the matrix of a quaternion.

    Returns
    -------
    (3, 3) float64

    """
    x, y, z, w = np.asarray(quat_xyzw, dtype=np.float64) / np.linalg.norm(quat_xyzw)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)


def angle_between(a: FloatArray, b: FloatArray) -> float:
    """
    Measure the angle between two unit vectors.

    Returns
    -------
    float
        [rad].

    """
    return 2.0 * float(np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))


def angle_of(a: FloatArray, b: FloatArray) -> float:
    """
    Measure the angle of the rotation between two rotation matrices.

    Returns
    -------
    float
        [rad].

    """
    sine = float(np.linalg.norm(a - b)) / np.sqrt(8.0)
    return 2.0 * float(np.arcsin(min(sine, 1.0)))


def _circle(first: float, second: float) -> float:
    """Measure how far apart two angles are on a circle."""
    return angle_between(
        np.array([np.cos(first), np.sin(first)]), np.array([np.cos(second), np.sin(second)])
    )


def _length(vector: ArrayLike) -> float:
    return float(np.linalg.norm(vector))


def _transform(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return _length(p - target.position), angle_of(R, rotation(target.quat_xyzw))


def _rotation(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return 0.0, angle_of(R, rotation(target.quat_xyzw))


def _translation(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return _length(p - target.position), 0.0


def _direction(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return 0.0, angle_between(D, np.array(target.direction))


def _ray(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    direction = np.array(target.direction)
    return _length(np.cross(p - target.position, direction)), angle_between(D, direction)


def _look_at(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    way = target.point - p
    distance = _length(way)
    return 0.0, np.pi if distance < 1e-9 else angle_between(D, way / distance)


def _five(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return _length(p - target.position), angle_between(D, np.array(target.direction))


def _plane_point(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return _length(p[:2] - target.position), 0.0


def _plane_pose(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    if _length(D[:2]) < 1e-9:
        return _length(p[:2] - target.position), np.pi
    return _length(p[:2] - target.position), _circle(float(np.arctan2(D[1], D[0])), target.angle)


def _local(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return _length(R @ target.local_point + p - target.global_point), 0.0


def _cone_about(axis: FloatArray) -> Callable[..., Misses]:
    def equation(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
        return _length(p - target.position), abs(angle_between(D, axis) - target.angle)

    return equation


def _plane_of(first: FloatArray, second: FloatArray) -> Callable[..., Misses]:
    def equation(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
        wanted = np.cos(target.angle) * first + np.sin(target.angle) * second
        return _length(p - target.position), angle_between(D, wanted)

    return equation


def _shapes(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    point = R @ target.point + p
    effector = R @ rotation(target.quat_xyzw)
    distance = angle = 0.0
    if target.position is not None and target.position_priority > 0.0:
        distance = _EQUATIONS[type(target.position).__name__](target.position, R, point, D)[0]
    if target.orientation is not None and target.orientation_priority > 0.0:
        shape = target.orientation
        angle = _EQUATIONS[type(shape).__name__](shape, effector, point, D)[1]
    return distance, angle


def _line(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    direction = np.array(target.direction)
    along = np.clip((p - target.point) @ direction, target.lower, target.upper)
    return _length(p - (target.point + along * direction)), 0.0


def _plane(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return abs(float(p @ target.normal) + target.d), 0.0


def _parallel(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    return 0.0, angle_between(R[:, 2], np.array(target.direction))


def _cone(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    beyond = angle_between(R @ target.axis_tip, np.array(target.axis_base)) - target.angle
    return 0.0, max(beyond, 0.0) if target.interior else abs(beyond)


def _box(target: Any, R: FloatArray, p: FloatArray, D: FloatArray) -> Misses:
    R_base_target = rotation(target.quat_xyzw)
    position = R_base_target.T @ (p - target.position)
    lower, upper = np.array(target.lower), np.array(target.upper)
    distance = _length(position - np.clip(position, lower[:3], upper[:3]))
    seen = R_base_target.T @ R
    yaw, roll = np.arctan2(seen[1, 0], seen[0, 0]), np.arctan2(seen[2, 1], seen[2, 2])
    pitch = np.arcsin(np.clip(-seen[2, 0], -1.0, 1.0))
    beyond = np.zeros(3)
    for i, angle in enumerate((roll, pitch, yaw)):
        least, most = lower[3 + i], upper[3 + i]
        # The angle is any of these; the nearest to the range counts.
        turns = angle + 2.0 * np.pi * np.arange(-2, 3) if i != 1 else np.array([angle])
        beyond[i] = np.abs(turns - np.clip(turns, least, most)).min()
    return distance, _length(beyond)


_EQUATIONS: dict[str, Callable[[Any, FloatArray, FloatArray, FloatArray], Misses]] = {
    'Transform6D': _transform,
    'Rotation3D': _rotation,
    'Translation3D': _translation,
    'Direction3D': _direction,
    'Ray4D': _ray,
    'Lookat3D': _look_at,
    'TranslationDirection5D': _five,
    'TranslationXY2D': _plane_point,
    'TranslationXYOrientation3D': _plane_pose,
    'TranslationLocalGlobal6D': _local,
    'TranslationXAxisAngle4D': _cone_about(_X),
    'TranslationYAxisAngle4D': _cone_about(_Y),
    'TranslationZAxisAngle4D': _cone_about(_Z),
    'TranslationXAxisAngleZNorm4D': _plane_of(_X, _Y),
    'TranslationYAxisAngleXNorm4D': _plane_of(_Y, _Z),
    'TranslationZAxisAngleYNorm4D': _plane_of(_Z, _X),
    'Shapes': _shapes,
    'Point': _translation,
    'Line': _line,
    'Plane': _plane,
    'Rotation': _rotation,
    'Parallel': _parallel,
    'Cone': _cone,
    'PoseBox': _box,
}
