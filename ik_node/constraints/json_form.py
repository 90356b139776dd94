# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets as objects of JSON, with OpenRAVE's keys.

'type' is the name of the type. A Transform6D has its seven values under 'transform'; other types
have 'quaternion' (w, x, y, z), 'translate', 'direction', 'localTranslate' and 'angle', those that
they are made of. Custom data stand under 'customData', by their names. Lengths are in [m], angles
in [rad].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
from typing import Any

from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.parts import FieldValue, joined, Kind, Part, part_values
from ik_node.constraints.vectors import number, numbers
from ik_node.errors import InvalidTargetError

CUSTOM = 'customData'
WHOLE = 'transform'


def written(
    kind: IkParameterizationType,
    parts: Sequence[Part],
    fields: Mapping[str, Any],
    custom: Mapping[str, tuple[float, ...]],
) -> dict[str, Any]:
    """
    Make the object of a target.

    Parameters
    ----------
    kind : IkParameterizationType
        Its type.
    parts : sequence of Part
        What it is made of.
    fields : mapping of str to float or tuple of float
        By the names of the parts.
    custom : mapping of str to tuple of float
        Custom data.

    Returns
    -------
    dict
        Of strings, floats, lists and objects: `json.dumps` takes it as it is.

    """
    members: dict[str, Any] = {'type': kind.name}
    if kind is IkParameterizationType.Transform6D:
        members[WHOLE] = list(joined(parts, fields))
    else:
        for name, part in parts:
            field: FieldValue = fields[name]
            members[part.key] = (
                list(part_values(part, field)) if isinstance(field, tuple) else field
            )
    if custom:
        members[CUSTOM] = {name: list(row) for name, row in custom.items()}
    return members


def parsed(data: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    """
    Read an object that has a type.

    Parameters
    ----------
    data : str or bytes or mapping
        The object, or its text.

    Returns
    -------
    mapping

    Raises
    ------
    InvalidTargetError
        No JSON, no object, or one without the name of a type.

    """
    if isinstance(data, (str, bytes)):
        try:
            data = json.loads(data)
        # Text may nest deeper than the parser does.
        except (ValueError, RecursionError) as error:
            raise InvalidTargetError(f'the target is no JSON: {error}') from error
    if not isinstance(data, Mapping) or not isinstance(data.get('type'), str):
        raise InvalidTargetError(
            "a target is an object with the name of its type: {'type': 'Translation3D', ...}"
        )
    return data


def values(
    kind: IkParameterizationType, parts: Sequence[Part], members: Mapping[str, Any]
) -> tuple[tuple[float, ...], dict[str, Any]]:
    """
    Read the values of a target from its object.

    Parameters
    ----------
    kind : IkParameterizationType
        Its type.
    parts : sequence of Part
        What it is made of.
    members : mapping
        From `parsed`.

    Returns
    -------
    values : tuple of float
        In IKFast's order.
    custom : dict
        Custom data, not yet checked.

    Raises
    ------
    InvalidTargetError
        A key is missing or unknown, or its value has another shape.

    """
    sizes = (
        {WHOLE: kind.number_of_values}
        if kind is IkParameterizationType.Transform6D
        else {part.key: part.size for _, part in parts}
    )
    custom = members.get(CUSTOM, {})
    given = set(members) - {'type', CUSTOM}
    if given != set(sizes) or not isinstance(custom, Mapping):
        raise InvalidTargetError(
            f'a {kind.name} has the keys {", ".join(sizes)}, and {CUSTOM!r} (an object) if any; '
            f'these are {", ".join(sorted(map(str, given)))[:200] or "none"}'
        )
    row: tuple[float, ...] = ()
    for key, size in sizes.items():
        what = f'{key!r} of a {kind.name}'
        if key == Kind.ANGLE.key:
            row += (number(what, members[key]),)
        else:
            row += numbers(what, members[key], size)
    return row, dict(custom)
