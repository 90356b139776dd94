# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Making groups and editing them."""

from __future__ import annotations

from dataclasses import replace

import ik_node
from ik_node.errors import InvalidOptionError, InvalidStateError
from ik_node.ros.field_conversions import unit_of
from ik_node.ros.object_conversions import (
    ELEMENT_ATTRIBUTES,
    find_reference,
    group_message,
    SWITCHES,
)

from ik_node_interfaces.msg import GroupInfo

_ENDS = ('base', 'tip')
_CALCULATION = ('method', 'damping', 'max_iterations')

_DIRECTION = 'tool_direction'

GROUP_FIELDS = (*_ENDS, 'elements', *SWITCHES, *_CALCULATION, _DIRECTION)


def check_ends(wanted: GroupInfo, fields: frozenset[str]) -> None:
    """
    Refuse ends that are to be applied and mean nothing.

    Raises
    ------
    InvalidOptionError
        An end is empty, or is given next to elements.

    """
    for end in _ENDS:
        if end in fields and 'elements' in fields:
            raise InvalidOptionError(f'fields names {end} and elements; give {end} in the element')
        if end in fields and not getattr(wanted, end):
            raise InvalidOptionError(
                f"{end} is empty; name a link, a joint or 'world', or leave {end} out of fields"
            )


def create(
    environment: ik_node.Environment, wanted: GroupInfo, fields: frozenset[str]
) -> ik_node.Group:
    """Create a group; an end that `fields` does not name is chosen by the library."""
    group = environment.create_group(
        wanted.name,
        base=wanted.base if 'base' in fields else None,
        tip=wanted.tip if 'tip' in fields else None,
        empty='elements' in fields,
    )
    try:
        _apply(group, wanted, fields)
    except Exception:
        environment.erase_group(wanted.name)
        raise
    return group


def change(
    environment: ik_node.Environment, wanted: GroupInfo, fields: frozenset[str]
) -> ik_node.Group:
    """
    Edit a group; what `fields` does not name stays.

    Parameters
    ----------
    environment : Environment
        Where the group is.
    wanted : GroupInfo
        Which group, and its new attributes.
    fields : frozenset of str
        What to apply.

    Returns
    -------
    Group

    Raises
    ------
    InvalidStateError
        An end that was erased is not replaced, or the group has not just one element.

    """
    group = environment.group(wanted.name)
    # A trial finds out what is wrong before anything has changed.
    name = max(environment.groups, key=len) + "'"
    ends = _ends(group, wanted, fields)
    trial = environment.create_group(name, **ends, empty=not ends)
    try:
        _apply(trial, wanted, fields)
    finally:
        environment.erase_group(name)
    if ends:
        base, tip = trial.ends
        ((number, record),) = group.element_records.items()
        group.set_element_record(number, replace(record, base=base, tip=tip))
    _apply(group, wanted, fields)
    return group


def usable(environment: ik_node.Environment) -> set[str]:
    """Names of the groups that can be used."""
    return {name for name, group in environment.groups.items() if not group_message(group).problem}


def _ends(group: ik_node.Group, wanted: GroupInfo, fields: frozenset[str]) -> dict[str, str]:
    """Find both new ends where one is to change."""
    if not fields & set(_ENDS):
        return {}
    if len(group.element_records) != 1:
        raise InvalidStateError(
            f'group {group.name!r} has {len(group.element_records)} elements; base and tip can '
            'be changed of a group that has one, otherwise give elements'
        )
    ends = {}
    for end in _ENDS:
        ends[end] = getattr(wanted if end in fields else group, end)
        if not ends[end]:
            raise InvalidStateError(
                f'the {end} of group {group.name!r} has been erased; name a new one in fields'
            )
    return ends


def _apply(group: ik_node.Group, wanted: GroupInfo, fields: frozenset[str]) -> None:
    for name in (*SWITCHES, *_CALCULATION):
        if name in fields:
            setattr(group, name, getattr(wanted, name))
    if _DIRECTION in fields:
        group.direction = unit_of(_DIRECTION, wanted.tool_direction)
    if 'elements' not in fields:
        return
    environment = group.environment
    for element in group.elements:
        group.erase_element(element)
    for info in wanted.elements:
        constraints_base = None
        if info.constraints_base:
            # The name also of the world: the library takes None for the base.
            constraints_base = find_reference(environment, info.constraints_base) or 'world'
        element = group.add_element(
            info.tip,
            find_reference(environment, info.base),
            constraints=info.constraints,
            constraints_base=constraints_base,
        )
        for name in ELEMENT_ATTRIBUTES:
            setattr(element, name, getattr(info, name))
