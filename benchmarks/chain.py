# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A robot reduced to the serial chain between two of its links, as a URDF of its own.

Peers differ in what they accept: KDL wants no inertia at the root, an analytic solver no joint
beside the chain, a reader of meshes no `package://`. The chain has only what kinematics needs, the
numbers are the texts of the whole robot, and every solver reads the same file.
"""

from __future__ import annotations

from pathlib import Path
import re
from xml.etree import ElementTree

_KEPT = ('origin', 'axis', 'limit')


def reduce_to_chain(urdf: str, base: str, tip: str) -> str:
    """
    Reduce a robot to the chain between two links.

    Parameters
    ----------
    urdf : str
        The whole robot, XML text.
    base : str
        First link, an ancestor of `tip`.
    tip : str
        Last link.

    Returns
    -------
    str
        URDF with the links and joints of the chain alone: no masses, meshes or safety limits.

    Raises
    ------
    ValueError
        There is no such chain, or a joint of it follows one that is not part of it.

    """
    # Only the tree is wanted, and some files use prefixes that they do not declare.
    root = ElementTree.fromstring(re.sub(r'<(/?)[\w-]+:', r'<\1', urdf))
    above = {_link(joint, 'child'): joint for joint in root.findall('joint')}
    joints: list[ElementTree.Element] = []
    link = tip
    while link != base:
        if link not in above:
            raise ValueError(f'{base!r} is not above {tip!r}')
        joints.insert(0, above[link])
        link = _link(above[link], 'parent')
    chain = ElementTree.Element('robot', name=root.get('name', 'robot'))
    ElementTree.SubElement(chain, 'link', name=base)
    for joint in joints:
        if joint.find('mimic') is not None:
            raise ValueError(f'joint {joint.get("name")!r} follows another one')
        chain.append(_bare(joint))
        ElementTree.SubElement(chain, 'link', name=_link(joint, 'child'))
    ElementTree.indent(chain)
    return ElementTree.tostring(chain, encoding='unicode')


def write_chain(source: Path, base: str, tip: str, target: Path) -> Path:
    """
    Write the chain between two links of a robot to a file.

    Parameters
    ----------
    source : Path
        The whole robot.
    base, tip : str
        First and last link.
    target : Path
        File to write.

    Returns
    -------
    Path
        `target`.

    """
    chain = reduce_to_chain(source.read_text(encoding='utf-8'), base, tip)
    target.write_text(chain, encoding='utf-8')
    return target


def _link(joint: ElementTree.Element, which: str) -> str:
    element = joint.find(which)
    return '' if element is None else element.get('link', '')


def _bare(joint: ElementTree.Element) -> ElementTree.Element:
    """Copy what kinematics needs of a joint."""
    bare = ElementTree.Element(
        'joint', name=joint.get('name', ''), type=joint.get('type', 'fixed')
    )
    for which in ('parent', 'child'):
        ElementTree.SubElement(bare, which, link=_link(joint, which))
    for tag in _KEPT:
        element = joint.find(tag)
        if element is not None:
            ElementTree.SubElement(bare, tag, dict(element.attrib))
    return bare
