# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Constraints of `moveit_msgs` as the library has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ik_node.errors import IkNodeError, InvalidArgumentError
from ik_node.moveit.constraints import (
    Constraint,
    JointConstraint,
    OrientationConstraint,
    PositionConstraint,
    VisibilityConstraint,
)
from ik_node.moveit.regions import Mesh, Region, solid
from ik_node.ros.conversions import matrix_from_pose
from ik_node.ros.transformations import matrix_from_quaternion
import numpy as np
from numpy.typing import NDArray

#: MoveIt's rule for a quaternion that was never filled in, or not normalised.
_NORM_SLACK = 1e-3


def constraints_from(message: Any) -> tuple[list[Constraint], list[str]]:
    """
    Read a `moveit_msgs/msg/Constraints`.

    Parameters
    ----------
    message : Constraints
        Any.

    Returns
    -------
    constraints : list of Constraint
    notes : list of str
        A sentence for each part of it that is malformed, and so, as in MoveIt, asks for nothing.

    """
    found: list[Constraint] = []
    notes: list[str] = []
    for make, rows in (
        (_joint, message.joint_constraints),
        (_position, message.position_constraints),
        (_orientation, message.orientation_constraints),
        (_visibility, message.visibility_constraints),
    ):
        for row in rows:
            try:
                found.append(make(row))
            except IkNodeError as error:
                notes.append(f'a constraint was not used: {error}')
    return found, notes


def _joint(row: Any) -> Constraint:
    return JointConstraint(row.joint_name, row.position, row.tolerance_above, row.tolerance_below)


def _position(row: Any) -> Constraint:
    offset = row.target_point_offset
    return PositionConstraint(
        row.link_name,
        row.header.frame_id,
        (offset.x, offset.y, offset.z),
        tuple(_regions(row.constraint_region)),
    )


def _regions(volume: Any) -> Iterator[Region]:
    for kind, shapes, poses in (
        ('primitive', volume.primitives, volume.primitive_poses),
        ('mesh', volume.meshes, volume.mesh_poses),
    ):
        if len(shapes) > len(poses):
            raise InvalidArgumentError(
                f'a region has {len(shapes)} shapes of the kind {kind} and {len(poses)} poses; '
                'give a pose for each'
            )
    for shape, pose in zip(volume.primitives, volume.primitive_poses, strict=False):
        polygon = getattr(shape, 'polygon', None)
        corners = [(p.x, p.y) for p in polygon.points] if polygon is not None else []
        yield solid(shape.type, shape.dimensions, matrix_from_pose(pose, 'region'), corners)
    for mesh, pose in zip(volume.meshes, volume.mesh_poses, strict=False):
        yield _mesh(mesh, matrix_from_pose(pose, 'region'))


def _mesh(mesh: Any, T_frame_mesh: NDArray[np.float64]) -> Mesh:
    vertices = np.array([(p.x, p.y, p.z) for p in mesh.vertices], dtype=float).reshape(-1, 3)
    triangles = np.array([t.vertex_indices for t in mesh.triangles], dtype=int).reshape(-1, 3)
    if not len(triangles) or triangles.max() >= len(vertices) or not np.isfinite(vertices).all():
        raise InvalidArgumentError(
            f'a mesh of {len(vertices)} vertices and {len(triangles)} triangles bounds no region'
        )
    return Mesh(vertices, triangles, T_frame_mesh)


def _orientation(row: Any) -> Constraint:
    turn = row.orientation
    quat_xyzw = np.array([turn.x, turn.y, turn.z, turn.w])
    rotation = np.eye(3)
    norm = float(np.linalg.norm(quat_xyzw))
    if abs(norm - 1.0) <= _NORM_SLACK:
        rotation = np.asarray(matrix_from_quaternion(quat_xyzw / norm))
    return OrientationConstraint(
        row.link_name,
        row.header.frame_id,
        rotation,
        (
            row.absolute_x_axis_tolerance,
            row.absolute_y_axis_tolerance,
            row.absolute_z_axis_tolerance,
        ),
        row.parameterization,
    )


def _visibility(row: Any) -> Constraint:
    return VisibilityConstraint(
        row.target_pose.header.frame_id,
        matrix_from_pose(row.target_pose.pose, 'target of a visibility constraint'),
        row.sensor_pose.header.frame_id,
        matrix_from_pose(row.sensor_pose.pose, 'sensor of a visibility constraint'),
        row.target_radius,
        row.max_view_angle,
        row.max_range_angle,
        row.sensor_view_direction,
    )
