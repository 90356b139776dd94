# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
URDF to `Mechanism`.

A link becomes a frame. A revolute, continuous or prismatic joint becomes a joint whose z axis is
the URDF axis; a fixed joint only places the frame behind it. What has several degrees of freedom
becomes several joints:

=========  ==========================================================================
planar     `name/x` and `name/y` prismatic in the plane, `name/rotation` revolute about
           its normal (the URDF axis)
floating   `name/x`, `name/y`, `name/z` prismatic, `name/rotation` spherical
=========  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
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


def load_urdf(source: Source) -> Mechanism:
    """
    Read a robot from a URDF.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A string that contains '<' is XML text, another string is a path; bytes are XML.

    Returns
    -------
    Mechanism

    Raises
    ------
    UrdfError
        The file does not exist, is not XML, or is not a URDF.
    ModelError
        The description contradicts itself: two roots, a loop, ...

    """
    robot = parse_robot(source)
    root, joints = tree_order([link.name for link in robot.links], robot.joints)
    if not joints:
        raise UrdfError(
            f'the robot {robot.name!r} has no joints; kinematics needs at least one <joint>'
        )
    moving = {joint.name for joint in joints if joint.type != 'fixed'}
    objects: list[Thing] = [Frame(root, WORLD, np.eye(4))]
    places = {root: 0}
    for joint in joints:
        objects += _objects(joint, places[joint.parent], len(objects), moving)
        places[joint.child] = len(objects) - 1
    fixed = {joint.name: joint.child for joint in joints if joint.type == 'fixed'}
    return Mechanism(robot.name, tuple(objects), fixed)


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
        axis = frame_with_z(_axis(source))
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


def _motion(source: Any, moving: set[str]) -> dict[str, Any]:
    """Read limits and mimic; those of a joint with several degrees of freedom mean nothing."""
    if source.type in ('planar', 'floating'):
        return {}
    # A revolute joint without limits turns freely, as exporters mean it.
    motion: dict[str, Any] = {
        'cyclic': source.type == 'continuous'
        or (source.type == 'revolute' and source.limit is None)
    }
    if source.limit is not None:
        motion['velocity'] = _number(source, 'velocity limit', source.limit.velocity)
        if source.type != 'continuous':
            motion['lower'] = _number(source, 'lower limit', source.limit.lower)
            motion['upper'] = _number(source, 'upper limit', source.limit.upper)
    mimic = source.mimic
    if mimic is not None and mimic.joint not in moving:
        # Such files exist, and the rest of the robot is as good as without the element.
        _logger.warning(
            'joint %r mimics %r, which is no moving joint; it is read as independent',
            source.name,
            mimic.joint,
        )
    elif mimic is not None:
        motion['dependency'] = Dependency(
            mimic.joint,
            1.0 if mimic.multiplier is None else _number(source, 'multiplier', mimic.multiplier),
            0.0 if mimic.offset is None else _number(source, 'offset', mimic.offset),
        )
    return motion


def _rotation(rotation: FloatArray) -> FloatArray:
    pose = np.eye(4)
    pose[:3, :3] = rotation
    return pose


def _origin(source: Any) -> FloatArray:
    T_parent_joint = np.eye(4)
    if source.origin is not None:
        xyz = source.origin.xyz or [0.0, 0.0, 0.0]
        rpy = source.origin.rpy or [0.0, 0.0, 0.0]
        T_parent_joint[:3, :3] = matrix_from_rpy(*map(float, rpy))
        T_parent_joint[:3, 3] = xyz
    if not np.isfinite(T_parent_joint).all():
        raise UrdfError(f'joint {source.name!r}: its origin has a number that is not finite')
    return T_parent_joint


def _axis(source: Any) -> FloatArray:
    axis = np.array([1.0, 0.0, 0.0] if source.axis is None else source.axis, dtype=float)
    length = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
    if not (math.isfinite(length) and length > 1e-12):
        raise UrdfError(
            f'joint {source.name!r} has the axis {axis.tolist()}; an axis is three numbers that '
            'are not all zero'
        )
    unit: FloatArray = axis / length
    return unit


def _number(source: Any, what: str, value: float) -> float:
    if math.isnan(value):
        raise UrdfError(f'joint {source.name!r}: its {what} is not a number')
    return float(value)
