# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Which joints a group of an SRDF has, and between which links it is a chain.

A robot is seen as links and the edges between them: an edge is a moving joint or a frame that is
rigid to another one (a fixed joint), told by its index among the objects of the mechanism. So
parents have smaller indices than children, and unions of groups are unions of sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
import functools

from ik_node.errors import SrdfError, UnknownNameError
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, WORLD
from ik_node.model.semantics import Chain
from ik_node.model.walk import ancestors

PARTS = ('/x', '/y', '/z', '/rotation')
"""What the URDF reader appends to the names of planar and floating joints."""

VIRTUAL_ROOT = 'root_joint'
"""Pinocchio's name for how the robot stands in the world; its SRDFs use it undeclared."""


@dataclass(frozen=True)
class Members:
    """What a group is written to contain."""

    chains: tuple[Chain, ...] = ()
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extent:
    """What a group contains."""

    edges: tuple[int, ...]
    """In the order of the group."""
    chain: Chain | None
    reason: str = ''


@dataclass(frozen=True)
class Edges:
    """The edges of a mechanism by the names that an SRDF uses."""

    mechanism: Mechanism
    virtual_joints: Collection[str] = field(default=())
    """Names of joints that an SRDF adds between world and robot; they have no edge here."""
    passive: Collection[str] = field(default=())
    """Joints that solvers leave where they are; a chain may have them inside, unnamed."""

    def of_joint(self, name: str, where: str) -> tuple[int, ...]:
        """
        Find a joint; one with several degrees of freedom has several edges.

        Raises
        ------
        SrdfError
            No joint has this name.

        """
        mechanism = self.mechanism
        if name in mechanism.joint_indices:
            return (mechanism.joint_indices[name],)
        if name in mechanism.fixed_joints:
            return (mechanism.frame_indices[mechanism.fixed_joints[name]],)
        if name + PARTS[-1] in mechanism.joint_indices:
            parts = [name + part for part in PARTS]
            return tuple(mechanism.joint_indices[p] for p in parts if p in mechanism.joint_indices)
        if name in self.virtual_joints or name == VIRTUAL_ROOT:
            return ()
        known = [*mechanism.joint_indices, *mechanism.fixed_joints, *self.virtual_joints]
        raise SrdfError(str(UnknownNameError('joint', name, known, where)))

    def link(self, name: str, where: str) -> int:
        """
        Find a link.

        Raises
        ------
        SrdfError
            No link has this name.

        """
        if name not in self.mechanism.frame_indices:
            known = self.mechanism.frame_indices
            raise SrdfError(str(UnknownNameError('link', name, known, where)))
        return self.mechanism.frame_indices[name]

    def above(self, link: int) -> tuple[int, ...]:
        """List the edges between a link and its parent link: its parent joint."""
        edges: list[int] = []
        at = link
        while (parent := self.mechanism.objects[at].parent) != WORLD:
            if not isinstance(self.mechanism.objects[parent], Joint):
                return tuple(edges) or (link,)
            edges.insert(0, parent)
            at = parent
        return tuple(edges)

    def between(self, base: int, tip: int) -> tuple[int, ...]:
        """List the edges on the way from one link to another."""
        up, down = ancestors(self.mechanism, base), ancestors(self.mechanism, tip)
        shared = set(up) & set(down)
        way = [i for i in up if i not in shared] + [i for i in reversed(down) if i not in shared]
        return tuple(i for i in way if self._is_edge(i))

    def _is_edge(self, index: int) -> bool:
        thing = self.mechanism.objects[index]
        if isinstance(thing, Joint):
            return True
        return thing.parent != WORLD and not self.moves(thing.parent)

    def moves(self, edge: int) -> bool:
        """Tell a moving joint from a fixed one."""
        return isinstance(self.mechanism.objects[edge], Joint)

    @functools.cached_property
    def _frames_below(self) -> dict[int, list[int]]:
        below: dict[int, list[int]] = {}
        for index in self.mechanism.frame_indices.values():
            below.setdefault(self.mechanism.objects[index].parent, []).append(index)
        return below

    def links_behind(self, edges: Iterable[int]) -> tuple[str, ...]:
        """Name the links that edges lead to."""
        found: list[int] = []
        for edge in edges:
            found += self._frames_below.get(edge, []) if self.moves(edge) else [edge]
        return tuple(self.mechanism.objects[index].name for index in found)

    def extent(self, name: str, members: Members, subgroups: dict[str, Extent]) -> Extent:
        """
        Unite the members of a group.

        Parameters
        ----------
        name : str
            The group, for errors.
        members : Members
            What it is written to contain.
        subgroups : dict of str to Extent
            The groups that were resolved before.

        Returns
        -------
        Extent

        Raises
        ------
        SrdfError
            A joint or link that does not exist.

        """
        where = f' in the group {name!r}'
        edges: list[int] = []
        for chain in members.chains:
            edges += self.between(self.link(chain.base, where), self.link(chain.tip, where))
        for joint in members.joints:
            edges += self.of_joint(joint, where)
        for link in members.links:
            edges += self.above(self.link(link, where))
        for subgroup in members.subgroups:
            edges += subgroups[subgroup].edges
        others = bool(members.joints or members.links)
        if len(members.chains) == 1 and not (others or members.subgroups):
            if any(map(self.moves, edges)):
                return Extent(tuple(edges), members.chains[0])
            return Extent(tuple(edges), None, 'no joint moves between the two links')
        if len(members.subgroups) == 1 and not (others or members.chains):
            return subgroups[members.subgroups[0]]
        ordered = tuple(sorted(set(edges)))
        return self._inferred(ordered)

    def _inferred(self, edges: tuple[int, ...]) -> Extent:
        """Find the chain that edges are, fixed ones being no obstacle."""
        objects = self.mechanism.objects
        joints = [edge for edge in edges if self.moves(edge)]
        if not joints:
            return Extent(edges, None, 'it has no joint that moves')
        for upper, lower in zip(joints, joints[1:], strict=False):
            if reason := self._gap(upper, lower):
                return Extent(edges, None, reason)
        base, tips = objects[joints[0]].parent, self._frames_below.get(joints[-1], [])
        if base == WORLD or self.moves(base):
            reason = f'there is no link that its first joint {objects[joints[0]].name!r} hangs on'
            return Extent(edges, None, reason)
        members = frozenset(edges)
        while base in members:
            base = objects[base].parent
        tip = joints[-1]
        while tips:
            if len(tips) > 1:
                names = ', '.join(repr(objects[i].name) for i in tips)
                return Extent(edges, None, f'it ends at several links: {names}')
            tip = tips[0]
            tips = [index for index in self._frames_below.get(tip, []) if index in members]
        if self.moves(tip):
            return Extent(edges, None, f'no link is behind its last joint {objects[tip].name!r}')
        return Extent(edges, Chain(objects[base].name, objects[tip].name))

    def _is_still(self, edge: int) -> bool:
        return not self.moves(edge) or self.mechanism.objects[edge].name in self.passive

    def _gap(self, upper: int, lower: int) -> str:
        """Say why one joint is not the next one above another, '' where it is."""
        objects = self.mechanism.objects
        between = objects[lower].parent
        while between not in (WORLD, upper) and self._is_still(between):
            between = objects[between].parent
        if between == upper:
            return ''
        names = f'{objects[upper].name!r} and {objects[lower].name!r}'
        if upper not in ancestors(self.mechanism, lower):
            return f'{names} are on different branches'
        return f'{objects[between].name!r} between {names} is not in it'
