# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows of one element at one scene: Jacobian, error, and how far the tip is from its target.

Linear rows are in the axes of the constraints base, angular rows in those of the tip. The error is
target minus tip, so J^+ e moves the tip to the target. A target that hangs on joints of the group
moves with them; its motion is subtracted, so that the two sides of a loop meet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik_node.environment.calculation import Constraint
from ik_node.environment.element import ElementRecord
from ik_node.environment.scene import Scene
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import rotation_error, rotation_exp
from ik_node.model.objects import Frame
from ik_node.model.tables import compile_tables, Tables
from ik_node.model.walk import ancestors
from ik_node.solvers.kinematics import geometric_jacobian
import numpy as np

ROW_NAMES = ('x', 'y', 'z', 'alpha', 'beta', 'gamma')


class Rows(NamedTuple):
    """What one element asks for."""

    names: tuple[str, ...]
    """(r,) which of ROW_NAMES."""
    jacobian: FloatArray
    """(r, n) over the given coordinates."""
    error: FloatArray
    """(r,) target minus tip [m, rad], not weighted."""
    distance: float
    """Constrained distance [m]."""
    angle: float
    """Constrained angle [rad]."""


def coordinates_of(scene: Scene, element: ElementRecord) -> tuple[str, ...]:
    """
    List the coordinates of the joints between base and tip.

    Returns
    -------
    tuple of str
        Empty where the element cannot be used: it refers to something that is gone, its base is
        no ancestor of its tip, or no joint between them can move.

    """
    index = scene.index
    if any(uid not in index for uid in element.named()):
        return ()
    base, tip = index[element.base], index[element.tip]
    if base not in ancestors(scene.mechanism, tip)[1:]:
        return ()
    return _tables(scene, base, tip).coordinate_names


def rows_of(
    scene: Scene, element: ElementRecord, coordinates: tuple[str, ...] = ()
) -> Rows | None:
    """
    Compute the rows of an element.

    Parameters
    ----------
    scene : Scene
        Objects and positions.
    element : ElementRecord
        One that can be used.
    coordinates : tuple of str, optional
        (n,) the columns wanted: those of the whole group.

    Returns
    -------
    Rows or None
        None when the tip has no target.

    """
    mechanism, index = scene.mechanism, scene.index
    base, tip = index[element.base], index[element.tip]
    frame = mechanism.objects[tip]
    if not isinstance(frame, Frame) or frame.target is None:
        return None
    target = mechanism.frame_index(frame.target)
    constraints_base = (
        base if element.constraints_base is None else index[element.constraints_base]
    )
    T_world_base = scene.T_world(constraints_base, fixed=True)
    T_world_tip, T_world_target = scene.T_world(tip), scene.T_world(target)
    e_linear = T_world_base[:3, :3].T @ (T_world_target[:3, 3] - T_world_tip[:3, 3])
    linear = _columns(scene, constraints_base, tip, coordinates)[:3]
    linear = linear - _columns(scene, constraints_base, target, coordinates)[:3]
    e_angular, angle = _angular_error(T_world_tip, T_world_target, element.constraints)
    # Seen from the base, then in the axes of the tip.
    R_base_tip = scene.T_world(base, fixed=True)[:3, :3].T @ T_world_tip[:3, :3]
    angular = _columns(scene, base, tip, coordinates)[3:]
    angular = R_base_tip.T @ (angular - _columns(scene, base, target, coordinates)[3:])
    bits = element.constraints
    keep = [bool(bits & bit) for bit in (Constraint.X, Constraint.Y, Constraint.Z)]
    keep += [bool(bits & Constraint.ALPHA_BETA)] * 2 + [bool(bits & Constraint.GAMMA)]
    error = np.append(e_linear, e_angular)[keep]
    return Rows(
        tuple(name for name, kept in zip(ROW_NAMES, keep, strict=True) if kept),
        np.vstack([linear, angular])[keep],
        error,
        float(np.linalg.norm(error[: sum(keep[:3])])),
        angle,
    )


def _tables(scene: Scene, base: int, tip: int) -> Tables:
    return compile_tables(scene.mechanism, base, [tip], scene.held)


def _columns(scene: Scene, base: int, tip: int, coordinates: tuple[str, ...]) -> FloatArray:
    """Compute (6, n) columns of the motion of a frame seen from a base, for chosen coordinates."""
    columns = np.zeros((6, len(coordinates)))
    tables = _tables(scene, base, tip)
    if tables.coordinate_names:
        jacobian = geometric_jacobian(tables, scene.coordinates(tables), in_tip_axes=False)
        for j, name in enumerate(tables.coordinate_names):
            if name in coordinates:
                columns[:, coordinates.index(name)] = jacobian[:, j]
    return columns


def _angular_error(
    T_world_tip: FloatArray, T_world_target: FloatArray, constraints: Constraint
) -> tuple[FloatArray, float]:
    """Compute the error of the constrained part of the orientation, in the axes of the tip."""
    R_tip_target = T_world_tip[:3, :3].T @ T_world_target[:3, :3]
    both = constraints & Constraint.ORIENTATION
    if not both:
        return np.zeros(3), 0.0
    if both == Constraint.ORIENTATION:
        error = _log(R_tip_target)
        return error, float(np.linalg.norm(error))
    tilt = _tilt(R_tip_target[:, 2])
    if both == Constraint.ALPHA_BETA:
        return tilt, float(np.linalg.norm(tilt))
    # Only the turn about z: what is left when the z axes are brought together the shortest way.
    turn = _log(np.reshape(rotation_exp(*tilt), (3, 3)).T @ R_tip_target)[2]
    return np.array([0.0, 0.0, turn]), abs(float(turn))


def _tilt(z_target: FloatArray) -> FloatArray:
    """Compute the shortest rotation vector that carries the z axis onto a unit vector."""
    across = np.array([-z_target[1], z_target[0], 0.0])
    sine = float(np.linalg.norm(across))
    angle = math.atan2(sine, z_target[2])
    if sine > 1e-12:
        return across * (angle / sine)
    # Opposite axes have no shortest way; about x is as good as any.
    return np.array([angle, 0.0, 0.0])


def _log(rotation: FloatArray) -> FloatArray:
    """Compute the rotation vector of a rotation."""
    goal = np.eye(4)
    goal[:3, :3] = rotation
    return np.array(rotation_error(np.append(np.eye(3).ravel(), np.zeros(3)), goal))
