# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The links and joints of a URDF, as urdf_parser_py reads them.

Only what kinematics needs is handed to urdf_parser_py, ROS's own parser, and only after it was
checked here: that keeps it quiet about meshes, Gazebo and transmissions, lets an error name the
joint, and a humanoid loads in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import logging
import math
from typing import Any

from ik_node.errors import UrdfError
from ik_node.model.xml_source import DocumentKind, parse_xml, shown, Source
from lxml import etree
from urdf_parser_py import urdf as urdf_parser
from urdf_parser_py.xml_reflection.core import ParseError

_logger = logging.getLogger(__name__)

URDF = DocumentKind('robot description', 'URDF', UrdfError)

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar')
"""The joint types of the URDF specification."""

MAX_JOINTS = 5000
"""Most joints, and links, of a description; the largest humanoids have 200."""

MAX_NAME = 256
"""Longest name of a link or joint."""

_KINEMATIC = {
    'origin': {'xyz': 3, 'rpy': 3},
    'parent': {'link': 0},
    'child': {'link': 0},
    'axis': {'xyz': 3},
    'limit': {'lower': 1, 'upper': 1, 'velocity': 1},
    'mimic': {'joint': 0, 'multiplier': 1, 'offset': 1},
}
"""What kinematics reads of a <joint>: elements, attributes, and how many numbers they hold."""

_REQUIRED = {'parent', 'child'}


def parse_robot(source: Source, xacro_arguments: Mapping[str, object] | None = None) -> Any:
    """
    Parse the kinematic part of a URDF.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A path, a package:// or file:// address, XML text, or XML bytes.
    xacro_arguments : mapping of str to str, optional
        For a file whose name ends with .xacro.

    Returns
    -------
    urdf_parser_py.urdf.Robot

    Raises
    ------
    UrdfError
        The text cannot be read or is not a URDF.

    """
    root = parse_xml(source, URDF, xacro_arguments)
    # Some tools put everything into a default namespace, which readers of URDF do not look at.
    tag = etree.QName(root)
    if tag.localname != 'robot':
        raise UrdfError(
            f'the XML root element is <{shown(tag.localname)[1:-1]}>, not <robot>: this is no URDF'
        )
    return _parse_robot(_skeleton(root, f'{{{tag.namespace}}}' if tag.namespace else ''))


def _skeleton(root: Any, namespace: str) -> Any:
    """Copy only the links and joints, and of them only what kinematics reads."""
    links = list(root.iterchildren(namespace + 'link'))
    joints = list(root.iterchildren(namespace + 'joint'))
    for kind, elements in (('links', links), ('joints', joints)):
        if len(elements) > MAX_JOINTS:
            raise UrdfError(
                f'the robot has {len(elements)} {kind}; a description has {MAX_JOINTS} at the most'
            )
    name = root.get('name')
    bare = etree.Element('robot', name=_checked_name(root, 'name', name) if name else 'robot')
    for link in links:
        etree.SubElement(bare, 'link', name=_name(link))
    for joint in joints:
        copied = etree.SubElement(bare, 'joint', name=_name(joint), type=_type(joint))
        for tag, attributes in _KINEMATIC.items():
            # The first one counts, as in ROS's C++ parser.
            child = joint.find(namespace + tag)
            if child is not None:
                plain = etree.SubElement(copied, tag)
                for attribute, value in _values(joint, child, tag, attributes):
                    plain.set(attribute, value)
                if tag == 'limit':
                    _complete_limit(joint, plain)
            elif tag in _REQUIRED:
                raise UrdfError(
                    f'joint {_name(joint)!r} has no <{tag} link="..."/>: name its {tag} link'
                )
    return bare


def _values(
    joint: Any, element: Any, tag: str, attributes: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """List the attributes that kinematics reads, checked."""
    for attribute, count in attributes.items():
        value = element.get(attribute)
        if count:
            if value is not None:
                _check_numbers(joint, f'<{tag} {attribute}=', value, count)
                yield attribute, value
        elif value:
            yield attribute, _checked_name(element, attribute, value)
        else:
            raise UrdfError(f'joint {_name(joint)!r} has a <{tag}> without {attribute}="..."')


def _check_numbers(joint: Any, where: str, value: str, count: int) -> None:
    words = value.split()
    try:
        # Python reads more than others do: 1_000.
        numbers = [math.nan if '_' in word else float(word) for word in words]
    except ValueError:
        numbers = [math.nan]
    # A limit may be infinite: there is none.
    sound = all(map(math.isfinite, numbers)) or (
        where.startswith('<limit') and not any(map(math.isnan, numbers))
    )
    if len(words) == count and len(value) <= MAX_NAME and sound:
        return
    wanted = 'a number' if count == 1 else f'{count} finite numbers'
    raise UrdfError(
        f'joint {_name(joint)!r}: {where}{shown(value)}> is not {wanted}{_xacro_hint(value)}'
    )


def _complete_limit(joint: Any, limit: Any) -> None:
    """Add what urdf_parser_py demands and kinematics can do without."""
    limit.set('effort', '0')
    limit.set('velocity', limit.get('velocity', 'inf'))
    bounded = joint.get('type') in ('revolute', 'prismatic')
    if bounded and limit.get('lower') is None and limit.get('upper') is None:
        _logger.warning(
            'joint %r has a <limit> without lower and upper: both are 0 by the URDF '
            'specification, so that it cannot move; give them',
            _name(joint),
        )


def _name(element: Any) -> str:
    name = element.get('name')
    if not name:
        tag = etree.QName(element).localname
        raise UrdfError(f'line {element.sourceline}: a <{tag}> without a name')
    return _checked_name(element, 'name', name)


def _checked_name(element: Any, attribute: str, name: str) -> str:
    if len(name) > MAX_NAME or (hint := _xacro_hint(name)):
        problem = f'longer than {MAX_NAME} characters' if len(name) > MAX_NAME else hint[2:]
        raise UrdfError(f'line {element.sourceline}: {attribute}={shown(name)}: {problem}')
    return name


def _xacro_hint(text: str) -> str:
    if '${' in text or '$(' in text:
        return '; it has an expression of xacro: expand it first'
    return ''


def _type(joint: Any) -> str:
    given: str | None = joint.get('type')
    if given not in JOINT_TYPES:
        raise UrdfError(
            f'joint {_name(joint)!r} has the type {shown(given) if given else None}; URDF has '
            f'{", ".join(JOINT_TYPES)}'
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
        raise UrdfError(f'not a valid URDF: {" ".join(str(error).split())[:300]}') from error
