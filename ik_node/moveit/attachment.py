# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Which links hang on a tip, and where."""

from __future__ import annotations

from collections.abc import Mapping
import functools

from ik_node.environment.environment import Environment
from ik_node.environment.group import Group
from ik_node.errors import InvalidArgumentError, UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint
from ik_node.model.walk import ancestors
from ik_node.moveit.frames import coordinate_names


def moving_between(mechanism: Mechanism, first: str, second: str) -> tuple[str, ...]:
    """
    Name the independent joints that move one link against another.

    Parameters
    ----------
    mechanism : Mechanism
        The robot.
    first, second : str
        Links; 'world' for the world.

    Returns
    -------
    tuple of str
        Of a joint that follows another one the joint that it follows.

    """
    ways = [set(_way(mechanism, link)) for link in (first, second)]
    names: dict[str, None] = {}
    for index in sorted(ways[0] ^ ways[1]):
        thing = mechanism.objects[index] if index >= 0 else None
        if isinstance(thing, Joint):
            names[mechanism.drive(thing.name).variable.name] = None
    return tuple(names)


def _way(mechanism: Mechanism, link: str) -> list[int]:
    if link == 'world' and link not in mechanism.frame_indices:
        return []
    return ancestors(mechanism, mechanism.frame_index(link))


def carrying_tip(group: Group, link: str) -> str:
    """
    Find the tip of a group that carries a link.

    Joints between the two are allowed as long as the group does not move them.

    Parameters
    ----------
    group : Group
        The group.
    link : str
        The link that is to reach a pose.

    Returns
    -------
    str
        Name of the tip: the link itself where it is one.

    Raises
    ------
    UnknownNameError
        No link has the name.
    InvalidArgumentError
        The link hangs on no tip of the group.

    """
    environment = group.environment
    if link not in environment.link_names:
        raise UnknownNameError('link', link, environment.link_names)
    tips = tips_of(group)
    if link in tips:
        return link
    moved: tuple[str, ...] = ()
    own = frozenset(group.tables.joint_names)
    for tip in tips:
        between = moving_between(environment.mechanism, tip, link)
        moved = tuple(name for name in between if name in own)
        if not moved:
            return tip
    raise InvalidArgumentError(
        f'link {link!r} hangs on no tip of group {group.name!r}: {", ".join(moved[:12])} of the '
        f'group would move between {tips[-1]!r} and it; ask for a pose of '
        f'{" or ".join(map(repr, tips))}, or of a link that hangs on it'
    )


def group_joint_names(group: Group) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Name the joints of a group as MoveIt counts them: those that follow others included.

    Parameters
    ----------
    group : Group
        The group.

    Returns
    -------
    single : tuple of str
        Joints with one position, those of the SRDF's group and those between base and tips.
    several : tuple of str
        Planar and floating joints, which became several joints of the group.

    """
    environment = group.environment
    ends = tuple(
        ('world' if element.base is None else element.base.name, element.tip.name)
        for element in group.elements
    )
    semantics = environment.semantics
    extra: tuple[str, ...] = ()
    if semantics is not None and group.name in semantics.groups:
        extra = semantics.groups[group.name].joints
    return _named_joints(environment.mechanism, ends, group.tables.joint_names, extra)


# A mechanism is immutable and compared by identity; it is seen again with every request.
@functools.lru_cache(maxsize=64)
def _named_joints(
    mechanism: Mechanism,
    ends: tuple[tuple[str, str], ...],
    columns: tuple[str, ...],
    extra: tuple[str, ...],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    own = frozenset(columns)
    members = set(extra)
    for base, tip in ends:
        members |= {
            thing.name
            for index in set(_way(mechanism, base)) ^ set(_way(mechanism, tip))
            if index >= 0 and isinstance(thing := mechanism.objects[index], Joint)
        }
    several = {
        name.removesuffix('/rotation'): None
        for name in columns
        if name.endswith('/rotation') and name.removesuffix('/rotation') + '/x' in own
    }
    single = [
        name
        for joint in mechanism.joints
        for name in coordinate_names(joint)
        if joint.name in members
        and mechanism.drive(joint.name).variable.name in own
        and joint.name.rpartition('/')[0] not in several
    ]
    return tuple(single), tuple(several)


def tips_of(group: Group) -> list[str]:
    """
    Name the tips of the enabled elements of a group.

    Returns
    -------
    list of str

    """
    return [element.tip.name for element in group.elements if element.enabled]


def pose_in(
    environment: Environment, link: str, reference: str, positions: Mapping[str, float]
) -> FloatArray:
    """
    Compute the pose of a link, also relative to the world.

    Parameters
    ----------
    environment : Environment
        The robot.
    link, reference : str
        Links, or 'world'.
    positions : mapping of str to float
        Laid over the state of the environment [rad or m].

    Returns
    -------
    (4, 4) float64
        T_reference_link [m].

    """
    names = environment.link_names
    base = None if reference == 'world' and reference not in names else reference
    return environment.link_pose(link, base, positions)
