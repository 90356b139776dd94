# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
URDF to `Mechanism`.

The text may come from a topic or a service, so it is parsed as untrusted: no entities, no network,
no files. Only what kinematics needs is then handed to urdf_parser_py, ROS's own parser: that keeps
it quiet about meshes, Gazebo and transmissions, and a humanoid loads in milliseconds.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from ik_node.errors import UrdfError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import matrix_from_rpy
from ik_node.model.mechanism import Joint, JointKind, Mechanism, Mimic
from lxml import etree
import numpy as np
from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection.core import ParseError

Source = str | bytes | os.PathLike[str]
"""A path, XML text, or XML bytes."""

_KINEMATIC = {
    'origin': ('xyz', 'rpy'),
    'parent': ('link',),
    'child': ('link',),
    'axis': ('xyz',),
    'limit': ('lower', 'upper', 'velocity'),
    'mimic': ('joint', 'multiplier', 'offset'),
}
"""What kinematics reads of a <joint>: elements and their attributes."""


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
    root = _parse_xml(*_read(source))
    if root.tag != 'robot':
        raise UrdfError(
            f'the XML root element is <{root.tag}>, not <robot>: this is no URDF'
            + ('; expand xacro files first' if 'xacro' in str(root.tag) else '')
        )
    robot = _parse_robot(_skeleton(root))
    joints = tuple(_joint(joint) for joint in robot.joints)
    if not any(joint.moves for joint in joints):
        raise UrdfError(
            f'the robot {robot.name!r} has no moving joint; kinematics needs at least one joint '
            'of type revolute, continuous or prismatic'
        )
    return Mechanism(robot.name, tuple(link.name for link in robot.links), joints)


def _read(source: Source) -> tuple[bytes, str]:
    """Return the XML bytes and what to call them in an error."""
    if isinstance(source, bytes):
        return source, 'the given bytes'
    if isinstance(source, str) and (not source.strip() or '<' in source):
        # Bytes, because an lxml string must not carry an encoding declaration. The declaration
        # can only be wrong for text that is already decoded, so it is made true.
        return source.lstrip('\ufeff \t\r\n').encode(), 'the given text'
    if not isinstance(source, (str, os.PathLike)):
        raise UrdfError(
            f'a robot description is a path, XML text or bytes, not {type(source).__name__}'
        )
    try:
        return Path(source).read_bytes(), f'the file {os.fspath(source)!r}'
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or str(error)
        shown = os.fspath(source)
        shown = shown if len(shown) <= 200 else shown[:197] + '...'
        raise UrdfError(
            f'cannot read the robot description file {shown!r}: {reason}; give the path of a '
            'URDF file or its XML text'
        ) from error


def _parse_xml(data: bytes, what: str) -> Any:
    decoded = what == 'the given text'
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding='utf-8' if decoded else None,
    )
    if not data.strip():
        raise UrdfError(f'{what} is empty; a robot description is XML with a <robot> element')
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UrdfError(f'{what} is not well-formed XML: {error.msg}') from error
    if root.getroottree().docinfo.doctype:
        raise UrdfError(f'{what} has a DOCTYPE; a robot description must not declare entities')
    return root


def _skeleton(root: Any) -> Any:
    """Copy only the links and joints, and of them only what kinematics reads."""
    bare = etree.Element('robot', name=root.get('name') or 'robot')
    for link in root.iterchildren('link'):
        etree.SubElement(bare, 'link', name=_name(link))
    for joint in root.iterchildren('joint'):
        copied = etree.SubElement(bare, 'joint', name=_name(joint))
        copied.set('type', _kind(joint).value)
        for tag, attributes in _KINEMATIC.items():
            for child in joint.iterchildren(tag):
                plain = etree.SubElement(copied, tag)
                for attribute in attributes:
                    if child.get(attribute) is not None:
                        plain.set(attribute, child.get(attribute))
                if tag == 'limit':
                    # urdf_parser_py demands both; kinematics can do without.
                    plain.set('effort', '0')
                    plain.set('velocity', plain.get('velocity', 'inf'))
    return bare


def _name(element: Any) -> str:
    name: str | None = element.get('name')
    if not name:
        raise UrdfError(f'line {element.sourceline}: a <{element.tag}> without a name')
    return name


def _kind(joint: Any) -> JointKind:
    given = joint.get('type')
    try:
        return JointKind(given)
    except ValueError:
        raise UrdfError(
            f'joint {_name(joint)!r} has the type {given!r}; supported: '
            + ', '.join(kind.value for kind in JointKind)
        ) from None


def _parse_robot(skeleton: Any) -> Any:
    try:
        return urdf_parser.Robot.from_xml(skeleton, urdf_parser.xmlr.core.Path('/robot'))
    except (ParseError, AssertionError, ValueError, KeyError, TypeError, AttributeError) as error:
        # urdf_parser_py reports some faults by whatever its reflection happened to raise.
        raise UrdfError(f'not a valid URDF: {" ".join(str(error).split())}') from error


def _joint(source: Any) -> Joint:
    kind = JointKind(source.type)
    lower, upper = _limits(source, kind)
    mimic = source.mimic if kind is not JointKind.FIXED else None
    return Joint(
        name=source.name,
        kind=kind,
        parent=source.parent,
        child=source.child,
        T_parent_joint=_origin(source),
        axis=_axis(source, kind),
        lower=lower,
        upper=upper,
        velocity=math.inf if source.limit is None else _number(source, source.limit.velocity),
        mimic=None
        if mimic is None
        else Mimic(
            mimic.joint,
            1.0 if mimic.multiplier is None else _number(source, mimic.multiplier),
            0.0 if mimic.offset is None else _number(source, mimic.offset),
        ),
    )


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


def _axis(source: Any, kind: JointKind) -> FloatArray:
    axis = np.array([1.0, 0.0, 0.0] if source.axis is None else source.axis, dtype=float)
    length = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
    if kind is JointKind.FIXED:
        return np.array([1.0, 0.0, 0.0])
    if not (math.isfinite(length) and length > 1e-12):
        raise UrdfError(
            f'joint {source.name!r} has the axis {axis.tolist()}; an axis is three numbers that '
            'are not all zero'
        )
    return axis / length


def _limits(source: Any, kind: JointKind) -> tuple[float, float]:
    if source.limit is None or kind in (JointKind.CONTINUOUS, JointKind.FIXED):
        return -math.inf, math.inf
    lower, upper = float(source.limit.lower), float(source.limit.upper)
    if math.isnan(lower) or math.isnan(upper):
        raise UrdfError(f'joint {source.name!r}: a limit is not a number')
    return lower, upper


def _number(source: Any, value: float) -> float:
    if math.isnan(value):
        raise UrdfError(f'joint {source.name!r} has an attribute that is not a number')
    return float(value)
