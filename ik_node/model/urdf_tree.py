# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The links of a URDF as one tree: who hangs on whom, and in which order to build them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ik_node.errors import ModelError


def tree_order(link_names: Sequence[str], joints: Iterable[Any]) -> tuple[str, list[Any]]:
    """
    Order the joints of a URDF from the root outwards, whatever their order in the file.

    Parameters
    ----------
    link_names : sequence of str
        All links.
    joints : iterable
        Joints with the attributes name, parent and child.

    Returns
    -------
    root : str
        The link that is no child.
    joints : list
        Parents before children; siblings in the order of the file.

    Raises
    ------
    ModelError
        A name used twice, a link that does not exist, two roots, a loop.

    """
    joints = list(joints)
    _check_unique('link', link_names)
    _check_unique('joint', [joint.name for joint in joints])
    above = _parent_joints(link_names, joints)
    root = _find_root(link_names, above)
    children: dict[str, list[Any]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    ordered: list[Any] = []
    stack = list(reversed(children.get(root, [])))
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children.get(joint.child, [])))
    return root, ordered


def _check_unique(kind: str, names: Sequence[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ModelError(f'two {kind}s are named {name!r}; names must be unique')
        seen.add(name)


def _parent_joints(link_names: Sequence[str], joints: Sequence[Any]) -> dict[str, Any]:
    links = set(link_names)
    above: dict[str, Any] = {}
    for joint in joints:
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in links:
                raise ModelError(
                    f'joint {joint.name!r} has the {role} link {link!r}, which does not exist; '
                    f'add <link name="{link}"/> or correct the name'
                )
        if joint.child in above:
            raise ModelError(
                f'link {joint.child!r} has two parent joints, {above[joint.child].name!r} and '
                f'{joint.name!r}; a URDF is a tree, cut the loop at one of them'
            )
        above[joint.child] = joint
    return above


def _find_root(link_names: Sequence[str], above: dict[str, Any]) -> str:
    if not link_names:
        raise ModelError('the robot has no links; it needs at least one <link> element')
    roots = [link for link in link_names if link not in above]
    if len(roots) > 1:
        raise ModelError(
            f'{len(roots)} root links: {", ".join(map(repr, roots[:6]))}; connect them by joints, '
            'a robot has one root'
        )
    for link in link_names if not roots else ():
        _raise_loop(link, above)
    # Every link but the root has a parent joint; one that never arrives at the root is on or
    # below a loop.
    sound = {roots[0]}
    for link in link_names:
        path: set[str] = set()
        while link not in sound:
            if link in path:
                _raise_loop(link, above)
            path.add(link)
            link = above[link].parent
        sound.update(path)
    return roots[0]


def _raise_loop(link: str, above: dict[str, Any]) -> None:
    path = {link: 0}
    while (parent := above[link].parent) not in path:
        path[parent] = len(path)
        link = parent
    loop = [parent, *reversed(list(path)[path[parent] :])]
    shown = loop if len(loop) <= 12 else [*loop[:11], '...', parent]
    raise ModelError(
        f'links in a loop: {" -> ".join(shown)}; a URDF is a tree, remove one of these joints'
    )
