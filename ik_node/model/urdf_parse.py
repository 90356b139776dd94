# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The links and joints of a URDF, as urdf_parser_py reads them.

Only what kinematics needs is handed to urdf_parser_py, ROS's own parser: that keeps it quiet about
meshes, Gazebo and transmissions, and a humanoid loads in milliseconds.
"""

from __future__ import annotations

from typing import Any

from ik_node.errors import UrdfError
from ik_node.model.xml_source import parse_xml, Source
from lxml import etree
from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection.core import ParseError

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar')
"""The joint types of the URDF specification."""

_KINEMATIC = {
    'origin': ('xyz', 'rpy'),
    'parent': ('link',),
    'child': ('link',),
    'axis': ('xyz',),
    'limit': ('lower', 'upper', 'velocity'),
    'mimic': ('joint', 'multiplier', 'offset'),
}
"""What kinematics reads of a <joint>: elements and their attributes."""


def parse_robot(source: Source) -> Any:
    """
    Parse the kinematic part of a URDF.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A path, XML text, or XML bytes.

    Returns
    -------
    urdf_parser_py.urdf.Robot

    Raises
    ------
    UrdfError
        The text cannot be read or is not a URDF.

    """
    root = parse_xml(source)
    if root.tag != 'robot':
        raise UrdfError(f'the XML root element is <{root.tag}>, not <robot>: this is no URDF')
    return _parse_robot(_skeleton(root))


def _skeleton(root: Any) -> Any:
    """Copy only the links and joints, and of them only what kinematics reads."""
    bare = etree.Element('robot', name=root.get('name') or 'robot')
    for link in root.iterchildren('link'):
        etree.SubElement(bare, 'link', name=_name(link))
    for joint in root.iterchildren('joint'):
        copied = etree.SubElement(bare, 'joint', name=_name(joint))
        copied.set('type', _type(joint))
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


def _type(joint: Any) -> str:
    given: str | None = joint.get('type')
    if given not in JOINT_TYPES:
        raise UrdfError(
            f'joint {_name(joint)!r} has the type {given!r}; URDF has {", ".join(JOINT_TYPES)}'
        )
    return given


def _parse_robot(skeleton: Any) -> Any:
    try:
        return urdf_parser.Robot.from_xml(skeleton, urdf_parser.xmlr.core.Path('/robot'))
    except (
        ParseError,
        AssertionError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        # urdf_parser_py reports some faults by whatever its reflection happened to raise.
        raise UrdfError(f'not a valid URDF: {" ".join(str(error).split())}') from error
