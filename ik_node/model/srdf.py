# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
SRDF to `SemanticDescription`, with MoveIt's meaning of its elements.

An SRDF is read against the mechanism of its URDF; a name that the robot does not have is an error
here and not, as elsewhere, a group with a joint less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import dataclasses
import graphlib
import logging
import math
from types import MappingProxyType
from typing import Any, TypeVar

from ik_node.errors import InvalidArgumentError, SrdfError, UnknownNameError
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, JointKind
from ik_node.model.quaternions import rotation_vector_from_quat
from ik_node.model.semantics import (
    Chain,
    DisabledCollision,
    EndEffector,
    GroupState,
    SemanticDescription,
    SemanticGroup,
    VirtualJoint,
)
from ik_node.model.srdf_groups import Edges, Extent, Members
from ik_node.model.walk import Position
from ik_node.model.xml_source import DocumentKind, parse_xml, shown, Source
from lxml import etree

_logger = logging.getLogger(__name__)

SRDF = DocumentKind('semantic robot description', 'SRDF', SrdfError)

MAX_GROUPS = 2000
"""Most chains, groups and mentions of groups; the largest real descriptions have 200."""

_T = TypeVar('_T')


def load_srdf(
    source: Source,
    mechanism: Mechanism,
    xacro_arguments: Mapping[str, object] | None = None,
) -> SemanticDescription:
    """
    Read the groups of a robot from an SRDF.

    Text that comes from a topic or a service is handed over as bytes: they are never taken for a
    path, and nothing in them reaches a file.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        As for `ik_node.model.urdf.load_urdf`.
    mechanism : Mechanism
        The robot, from its URDF.
    xacro_arguments : mapping of str to str, optional
        What `xacro file name:=value` would set.

    Returns
    -------
    SemanticDescription

    Raises
    ------
    SrdfError
        The text cannot be read, contradicts itself, or names what the robot does not have.

    """
    root = parse_xml(source, SRDF, xacro_arguments)
    tag = etree.QName(root)
    if tag.localname != 'robot':
        raise SrdfError(
            f'the XML root element is <{shown(tag.localname)[1:-1]}>, not <robot>: this is no SRDF'
        )
    reader = _Reader(root, f'{{{tag.namespace}}}' if tag.namespace else '', mechanism)
    return reader.description()


class _Reader:
    """The parts of one SRDF, read in the order in which they refer to each other."""

    def __init__(self, root: Any, namespace: str, mechanism: Mechanism) -> None:
        self._root = root
        self._namespace = namespace
        self._mechanism = mechanism
        self._virtual = self._by_name('virtual_joint', self._virtual_joint)
        self._edges = Edges(mechanism, tuple(self._virtual))
        self._passive = tuple(
            name
            for element in self._elements('passive_joint')
            for name in self._moving(self._edges.of_joint(_get(element, 'name'), ' (passive)'))
        )
        self._edges = dataclasses.replace(self._edges, passive=frozenset(self._passive))
        self._groups = self._read_groups()

    def description(self) -> SemanticDescription:
        name = self._root.get('name') or self._mechanism.name
        if name != self._mechanism.name:
            _logger.warning(
                'the SRDF is for the robot %s, the URDF for %s',
                shown(name),
                shown(self._mechanism.name),
            )
        return SemanticDescription(
            name,
            MappingProxyType(self._groups),
            MappingProxyType(self._by_name('end_effector', self._end_effector)),
            self._group_states(),
            MappingProxyType(self._virtual),
            self._passive,
            tuple(map(self._disabled_collision, self._elements('disable_collisions'))),
        )

    def _elements(self, tag: str, parent: Any = None) -> list[Any]:
        parent = self._root if parent is None else parent
        return list(parent.iterchildren(self._namespace + tag))

    def _by_name(self, tag: str, read: Callable[[Any], _T]) -> dict[str, _T]:
        found: dict[str, _T] = {}
        for element in self._elements(tag):
            name = _get(element, 'name')
            if name in found:
                raise SrdfError(f'two <{tag}> are named {shown(name)}; names must be unique')
            found[name] = read(element)
        return found

    def _moving(self, edges: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self._mechanism.objects[i].name for i in edges if self._edges.moves(i))

    def _virtual_joint(self, element: Any) -> VirtualJoint:
        name, kind = _get(element, 'name'), _get(element, 'type')
        if kind not in ('fixed', 'floating', 'planar'):
            raise SrdfError(
                f'the virtual joint {shown(name)} has the type {shown(kind)}; it is fixed, '
                'floating or planar'
            )
        link = _get(element, 'child_link')
        Edges(self._mechanism).link(link, f' in the virtual joint {shown(name)}')
        return VirtualJoint(name, kind, _get(element, 'parent_frame'), link)

    def _read_groups(self) -> dict[str, SemanticGroup]:
        tags = (self._namespace + 'group', self._namespace + 'chain')
        if sum(1 for _ in self._root.iter(*tags)) > MAX_GROUPS:
            raise SrdfError(f'the SRDF has more than {MAX_GROUPS} groups and chains')
        written = self._by_name('group', self._members)
        for name, members in written.items():
            for subgroup in members.subgroups:
                self._known_group(subgroup, written, f' in the group {name!r}')
        order = graphlib.TopologicalSorter({n: m.subgroups for n, m in written.items()})
        extents: dict[str, Extent] = {}
        try:
            for name in order.static_order():
                extents[name] = self._edges.extent(name, written[name], extents)
        except graphlib.CycleError as error:
            cycle = ' -> '.join(error.args[1][:12])
            raise SrdfError(f'groups contain each other: {cycle}; take one of them out') from error
        return {name: self._group(name, written[name], extents[name]) for name in written}

    def _members(self, element: Any) -> Members:
        return Members(
            tuple(
                Chain(_get(chain, 'base_link'), _get(chain, 'tip_link'))
                for chain in self._elements('chain', element)
            ),
            *(
                tuple(_get(member, 'name') for member in self._elements(tag, element))
                for tag in ('joint', 'link', 'group')
            ),
        )

    def _group(self, name: str, members: Members, extent: Extent) -> SemanticGroup:
        joints = self._moving(extent.edges)
        passive = frozenset(self._passive)
        active = tuple(
            joint
            for joint in joints
            if self._mechanism.joint(joint).dependency is None and joint not in passive
        )
        links = self._edges.links_behind(extent.edges)
        return SemanticGroup(
            name, joints, active, links, members.subgroups, extent.chain, extent.reason
        )

    def _end_effector(self, element: Any) -> EndEffector:
        name, group = _get(element, 'name'), _get(element, 'group')
        where = f' in the end effector {shown(name)}'
        self._known_group(group, self._groups, where)
        link = _get(element, 'parent_link')
        self._edges.link(link, where)
        parent_group = element.get('parent_group')
        if parent_group:
            self._known_group(parent_group, self._groups, where)
        if parent_group == group:
            raise SrdfError(
                f'the end effector {shown(name)} has its own group {group!r} as parent_group; '
                'name the group that carries it'
            )
        carriers = [g for g in self._groups.values() if g.name != group and link in g.links]
        if parent_group and parent_group not in [carrier.name for carrier in carriers]:
            _logger.warning(
                'the parent group %r of the end effector %s does not contain its parent link %r',
                parent_group,
                shown(name),
                link,
            )
            parent_group = None
        if not parent_group and carriers:
            parent_group = min(carriers, key=lambda g: (len(g.links), g.name)).name
        return EndEffector(name, group, link, parent_group or None)

    def _group_states(self) -> tuple[GroupState, ...]:
        states: dict[tuple[str, str], GroupState] = {}
        for element in self._elements('group_state'):
            name, group = _get(element, 'name'), _get(element, 'group')
            where = f' in the group state {shown(name)}'
            self._known_group(group, self._groups, where)
            if (name, group) in states:
                raise SrdfError(f'two states of the group {group!r} are named {shown(name)}')
            positions: dict[str, Position] = {}
            for joint in self._elements('joint', element):
                edges = self._edges.of_joint(_get(joint, 'name'), where)
                positions |= self._positions(joint, edges, where)
            states[name, group] = GroupState(name, group, MappingProxyType(positions))
        return tuple(states.values())

    def _positions(self, element: Any, edges: tuple[int, ...], where: str) -> dict[str, Position]:
        joints = [thing for i in edges if isinstance(thing := self._mechanism.objects[i], Joint)]
        if not joints:
            return {}  # fixed, or how the robot stands in the world
        spherical = joints[-1].kind is JointKind.SPHERICAL
        size = len(joints) + 3 * spherical
        try:
            values = [float(word) for word in _get(element, 'value').split()]
        except ValueError:
            values = []
        if len(values) != size or not all(map(math.isfinite, values)):
            raise SrdfError(
                f'joint {_get(element, "name")!r}{where} has the value '
                f'{shown(element.get("value"))}; it has {size} finite number(s)'
            )
        positions: list[Position] = list(values)
        if spherical:
            try:
                positions[3:] = [rotation_vector_from_quat(values[3:])]
            except InvalidArgumentError as error:
                raise SrdfError(f'joint {_get(element, "name")!r}{where}: {error}') from error
        pairs = zip(joints, positions, strict=True)
        return {joint.name: at for joint, at in pairs if joint.dependency is None}

    def _disabled_collision(self, element: Any) -> DisabledCollision:
        links = _get(element, 'link1'), _get(element, 'link2')
        for link in links:
            self._edges.link(link, ' in <disable_collisions>')
        return DisabledCollision(*links, (element.get('reason') or '')[:200])

    def _known_group(self, name: str, groups: Mapping[str, Any], where: str) -> None:
        if name not in groups:
            raise SrdfError(str(UnknownNameError('group', name, groups, where)))


def _get(element: Any, attribute: str) -> str:
    value: str | None = element.get(attribute)
    if not value:
        tag = etree.QName(element).localname
        raise SrdfError(f'line {element.sourceline}: a <{tag}> without {attribute}="..."')
    if len(value) > 256:
        raise SrdfError(
            f'line {element.sourceline}: {attribute}={shown(value)} is longer than 256 characters'
        )
    return value
