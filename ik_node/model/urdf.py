# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
URDF to `Mechanism`.

A link becomes a frame. A revolute, continuous or prismatic joint becomes a joint whose z axis is
the URDF axis; a fixed joint only places the frame behind it. What has several degrees of freedom
becomes several joints (docs/readers.md has all rules):

=========  ==========================================================================
planar     `name/x` and `name/y` prismatic in the plane, `name/rotation` revolute about
           its normal (the URDF axis)
floating   `name/x`, `name/y`, `name/z` prismatic, `name/rotation` spherical
=========  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
import logging
import math
from typing import Any

from ik_node.errors import UrdfError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import frame_with_z, matrix_from_rpy
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Dependency, Frame, Joint, JointKind, Thing, WORLD
from ik_node.model.urdf_parse import parse_robot
from ik_node.model.urdf_tree import tree_order
from ik_node.model.xml_source import Source
import numpy as np

_logger = logging.getLogger(__name__)

# Rotations that turn the z axis, which every joint moves along or about, onto x and y.
_Z_TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_Z_TO_Y = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


MAX_MIMIC_CHAIN = 100
"""Most joints that follow each other in a row; following them takes time that grows steeply."""


def load_urdf(source: Source, xacro_arguments: Mapping[str, object] | None = None) -> Mechanism:
    """
    Read a robot from a URDF.

    Text that comes from a topic or a service is handed over as bytes: they are never taken for a
    path, and nothing in them reaches a file.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A string that contains '<' is XML text, another string is a path, package://<package>/<path>
        or file:///<path>; bytes are XML. A file whose name ends with .xacro is expanded by xacro,
        text never is.
    xacro_arguments : mapping of str to str, optional
        What `xacro file name:=value` would set.

    Returns
    -------
    Mechanism

    Raises
    ------
    UrdfError
        The file does not exist, cannot be expanded, is not XML, or is not a URDF.
    ModelError
        The description contradicts itself: two roots, a loop, ...

    """
    robot = parse_robot(source, xacro_arguments)
    root, joints = tree_order([link.name for link in robot.links], robot.joints)
    if not joints:
        raise UrdfError(
            f'the robot {robot.name!r} has no joints; kinematics needs at least one <joint>'
        )
    _check_mimic_chains(joints)
    moving = {joint.name for joint in joints if joint.type in _SINGLE}
    objects: list[Thing] = [Frame(root, WORLD, np.eye(4))]
    places = {root: 0}
    for joint in joints:
        objects += _objects(joint, places[joint.parent], len(objects), moving)
        places[joint.child] = len(objects) - 1
    fixed = {joint.name: joint.child for joint in joints if joint.type == 'fixed'}
    mechanism = Mechanism(robot.name, tuple(objects), fixed)
    for name in mechanism.joint_indices:
        drive = mechanism.drive(name)
        if not (math.isfinite(drive.multiplier) and math.isfinite(drive.offset)):
            raise UrdfError(
                f'joint {name!r} follows {drive.variable.name!r} by a multiplier or offset that '
                'is too large to be computed with'
            )
    return mechanism


def _check_mimic_chains(joints: Sequence[Any]) -> None:
    """Refuse chains that nobody builds; loops are found and named by the mechanism."""
    followed = {joint.name: joint.mimic.joint for joint in joints if joint.mimic is not None}
    for first in followed:
        name, seen = first, {first}
        while (name := followed.get(name, first)) not in seen:
            seen.add(name)
            if len(seen) > MAX_MIMIC_CHAIN:
                raise UrdfError(
                    f'joint {first!r} follows a chain of more than {MAX_MIMIC_CHAIN} joints; let '
                    'it mimic the last one directly'
                )


def _objects(source: Any, parent: int, index: int, moving: set[str]) -> Iterator[Thing]:
    """Make the objects of one joint, the first of which gets `index`, and the frame behind it."""
    T_parent_joint = _origin(source)
    if source.type == 'fixed':
        yield Frame(source.child, parent, T_parent_joint)
        return
    if source.type == 'floating':
        rotations = [_Z_TO_X, _Z_TO_Y, np.eye(3), np.eye(3)]
        axis = np.eye(3)
    else:
        rotations = [_Z_TO_X, _Z_TO_Y, np.eye(3)] if source.type == 'planar' else [np.eye(3)]
        axis = np.empty((3, 3))
        frame_with_z(_axis(source), axis.reshape(9))
    before = T_parent_joint @ _rotation(axis)
    for offset, rotation in enumerate(rotations):
        kind, suffix = _PARTS[source.type][offset]
        yield Joint(
            source.name + suffix,
            parent if offset == 0 else index + offset - 1,
            before @ _rotation(rotation),
            kind=kind,
            **_motion(source, moving),
        )
        before = _rotation(rotation.T)
    yield Frame(source.child, index + len(rotations) - 1, before @ _rotation(axis.T))


_PARTS = {
    'revolute': [(JointKind.REVOLUTE, '')],
    'continuous': [(JointKind.REVOLUTE, '')],
    'prismatic': [(JointKind.PRISMATIC, '')],
    'planar': [
        (JointKind.PRISMATIC, '/x'),
        (JointKind.PRISMATIC, '/y'),
        (JointKind.REVOLUTE, '/rotation'),
    ],
    'floating': [
        (JointKind.PRISMATIC, '/x'),
        (JointKind.PRISMATIC, '/y'),
        (JointKind.PRISMATIC, '/z'),
        (JointKind.SPHERICAL, '/rotation'),
    ],
}


_SINGLE = ('revolute', 'continuous', 'prismatic')
"""The types that have one position, which others can follow."""


def _motion(source: Any, moving: set[str]) -> dict[str, Any]:
    """Read limits and mimic; those of a joint with several degrees of freedom mean nothing."""
    if source.type not in _SINGLE:
        return {}
    # A revolute joint without limits turns freely, as exporters mean it.
    motion: dict[str, Any] = {
        'cyclic': source.type == 'continuous'
        or (source.type == 'revolute' and source.limit is None)
    }
    if source.limit is not None:
        motion['velocity'] = _speed(source.limit.velocity)
        if source.type != 'continuous':
            motion['lower'], motion['upper'] = _bounds(source)
    mimic = source.mimic
    if mimic is not None and mimic.joint not in moving:
        # Such files exist, and the rest of the robot is as good as without the element.
        _logger.warning(
            'joint %r mimics %r, which is no joint with one position; it is read as independent',
            source.name,
            mimic.joint,
        )
    elif mimic is not None:
        motion['dependency'] = Dependency(
            mimic.joint,
            1.0 if mimic.multiplier is None else float(mimic.multiplier),
            0.0 if mimic.offset is None else float(mimic.offset),
        )
    return motion


def _speed(limit: float) -> float:
    """Read a velocity limit as MoveIt does: exporters write 0 where they know none."""
    return abs(float(limit)) or math.inf


def _bounds(source: Any) -> tuple[float, float]:
    lower, upper = float(source.limit.lower), float(source.limit.upper)
    if lower > upper or lower == math.inf or upper == -math.inf:
        raise UrdfError(
            f'joint {source.name!r}: lower limit {lower:g} is above upper limit {upper:g}; a '
            'joint needs a position between its limits'
        )
    return lower, upper


def _rotation(rotation: FloatArray) -> FloatArray:
    pose = np.eye(4)
    pose[:3, :3] = rotation
    return pose


def _origin(source: Any) -> FloatArray:
    T_parent_joint = np.eye(4)
    if source.origin is not None:
        T_parent_joint[:3, :3] = matrix_from_rpy(*map(float, source.origin.rpy))
        T_parent_joint[:3, 3] = source.origin.xyz
    return T_parent_joint


def _axis(source: Any) -> FloatArray:
    axis = np.array([1.0, 0.0, 0.0] if source.axis is None else source.axis, dtype=float)
    largest = float(np.max(np.abs(axis)))
    if largest <= 1e-12:
        raise UrdfError(
            f'joint {source.name!r} has the axis {axis.tolist()}; an axis is three numbers that '
            'are not all zero'
        )
    axis /= largest  # squares of what is left cannot overflow
    unit: FloatArray = axis / np.linalg.norm(axis)
    return unit
