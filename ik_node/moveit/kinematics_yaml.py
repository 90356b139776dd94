# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Find the parameters of a group where MoveIt keeps them."""

from __future__ import annotations

from collections.abc import Mapping
import difflib
import os
from pathlib import Path
from typing import Any

from ik_node.errors import InvalidArgumentError, LoadError

PREFIX = 'robot_description_kinematics'

Parameters = Mapping[str, Any]


def load_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """
    Read a parameter file of MoveIt, such as kinematics.yaml or joint_limits.yaml.

    Parameters
    ----------
    path : str or os.PathLike
        The file.

    Returns
    -------
    dict

    Raises
    ------
    LoadError
        It cannot be read, or holds no mapping.

    """
    import yaml

    try:
        content = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise LoadError(f'cannot read {os.fspath(path)!r}: {error}') from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise LoadError(f'{os.fspath(path)!r} holds no mapping; the names of groups are its keys')
    return content


def parameters_of(content: Parameters, group: str) -> tuple[dict[str, Any], list[str]]:
    """
    Find what is said about a group.

    Parameters
    ----------
    content : mapping
        A kinematics.yaml; or the parameters of a node that has it, as a tree or with dots in
        their names.
    group : str
        The group.

    Returns
    -------
    parameters : dict
        Those of the group, from the first of the places that has it.
    looked_for : list of str
        The places, for a message.

    Raises
    ------
    InvalidArgumentError
        No place has it; the sentence names all of them and what is there instead.

    """
    tree = _tree(content)
    tree = _tree(tree.get('/**', tree))
    tree = _tree(tree.get('ros__parameters', tree))
    inside = tree.get(PREFIX)
    places = {f'{PREFIX}.{group}': inside, group: tree}
    for parent in places.values():
        if isinstance(parent, Mapping) and isinstance(parent.get(group), Mapping):
            return dict(parent[group]), list(places)
    present = [*inside] if isinstance(inside, Mapping) else [*tree]
    near = difflib.get_close_matches(group, present, n=1)
    raise InvalidArgumentError(
        f'no kinematics parameters for group {group[:80]!r}: looked for {" and ".join(places)}, '
        f'found {", ".join(map(str, present[:12])) or "nothing"}'
        + (f'; did you mean {near[0]!r}?' if near else '')
    )


def _tree(content: Any) -> dict[str, Any]:
    """Turn dots in names into a tree."""
    tree: dict[str, Any] = {}
    for name, value in content.items() if isinstance(content, Mapping) else ():
        stem, _, rest = str(name).partition('.')
        if not rest:
            if isinstance(value, Mapping) and isinstance(tree.get(stem), dict):
                tree[stem] = {**tree[stem], **value}
            else:
                tree[stem] = value
            continue
        branch = tree.get(stem)
        grown = _merged(dict(branch) if isinstance(branch, Mapping) else {}, rest, value)
        tree[stem] = grown
    return tree


def _merged(tree: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    stem, _, rest = name.partition('.')
    if not rest:
        tree[stem] = value
    else:
        branch = tree.get(stem)
        tree[stem] = _merged(dict(branch) if isinstance(branch, Mapping) else {}, rest, value)
    return tree
