# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A mechanism: a tree of links and joints as immutable data.

This is what every reader produces and what `ik_node.model.tables` compiles for the kernels. It is
checked once, when it is made: afterwards there is one root, no loop, every name is unique and
every mimic joint leads to an independent one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
import enum
from functools import cached_property
import math

from ik_node.errors import ModelError, UnknownNameError
from ik_node.kernels.arrays import FloatArray


class JointKind(enum.Enum):
    """How a joint moves; the values are URDF's words."""

    REVOLUTE = 'revolute'
    CONTINUOUS = 'continuous'
    PRISMATIC = 'prismatic'
    FIXED = 'fixed'


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another one: position = multiplier * master + offset."""

    master: str
    """Name of the joint that is followed."""
    multiplier: float = 1.0
    """[-], or [m/rad] and the like where the kinds differ."""
    offset: float = 0.0
    """[rad] or [m]."""


@dataclass(frozen=True)
class Joint:
    """One joint between two links."""

    name: str
    kind: JointKind
    parent: str
    """Name of the parent link."""
    child: str
    """Name of the child link."""
    T_parent_joint: FloatArray
    """(4, 4) pose of the joint frame in the parent link, at position zero."""
    axis: FloatArray
    """(3,) unit vector in the joint frame."""
    lower: float = -math.inf
    """Lower position limit [rad or m], -inf where there is none."""
    upper: float = math.inf
    """Upper position limit [rad or m], inf where there is none."""
    velocity: float = math.inf
    """Largest speed [rad/s or m/s]."""
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint has a position at all."""
        return self.kind is not JointKind.FIXED

    @property
    def turns(self) -> bool:
        """Whether the joint rotates."""
        return self.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS)


@dataclass(frozen=True)
class Mechanism:
    """
    A checked tree of links and joints.

    Raises
    ------
    ModelError
        A name used twice, a link that no joint or link element names, two roots, a loop, a mimic
        joint that follows nothing, itself or a fixed joint, limits that exclude every position.

    """

    name: str
    link_names: tuple[str, ...]
    joints: tuple[Joint, ...]
    """In the order of the file."""
    parent_joints: dict[str, Joint] = field(init=False, repr=False)
    """The joint above each link, by link name; the root has none."""
    root: str = field(init=False)
    """Name of the root link."""

    def __post_init__(self) -> None:
        _check_unique('link', self.link_names)
        _check_unique('joint', [joint.name for joint in self.joints])
        object.__setattr__(self, 'parent_joints', _parent_joints(self.link_names, self.joints))
        object.__setattr__(self, 'root', _find_root(self.link_names, self.parent_joints))
        for joint in self.joints:
            joint.T_parent_joint.setflags(write=False)
            joint.axis.setflags(write=False)
            self.source(joint.name)
        for variable in self.variables:
            self.bounds(variable.name)

    @cached_property
    def _by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def _links(self) -> frozenset[str]:
        return frozenset(self.link_names)

    @cached_property
    def tree_order(self) -> tuple[Joint, ...]:
        """All joints, parents before children, whatever the order of the file."""
        children: dict[str, list[Joint]] = {}
        for joint in self.joints:
            children.setdefault(joint.parent, []).append(joint)
        ordered: list[Joint] = []
        stack = list(reversed(children.get(self.root, [])))
        while stack:
            joint = stack.pop()
            ordered.append(joint)
            stack.extend(reversed(children.get(joint.child, [])))
        return tuple(ordered)

    @cached_property
    def moving_joints(self) -> tuple[Joint, ...]:
        """Every joint but the fixed ones, mimic joints included, in tree order."""
        return tuple(joint for joint in self.tree_order if joint.moves)

    @cached_property
    def variables(self) -> tuple[Joint, ...]:
        """The independent joints, in tree order."""
        return tuple(joint for joint in self.moving_joints if joint.mimic is None)

    @cached_property
    def _sources(self) -> dict[str, tuple[Joint, float, float]]:
        return {}

    def joint(self, name: str) -> Joint:
        """
        Find a joint.

        Raises
        ------
        UnknownNameError
            No joint has this name.

        """
        try:
            return self._by_name[name]
        except (KeyError, TypeError):
            raise UnknownNameError('joint', str(name), self._by_name) from None

    def check_link(self, name: str) -> str:
        """
        Return the name of a link that exists.

        Raises
        ------
        UnknownNameError
            No link has this name.

        """
        if name not in self._links:
            raise UnknownNameError('link', str(name), self.link_names)
        return name

    def source(self, name: str) -> tuple[Joint, float, float]:
        """
        Follow mimic joints to the independent joint that moves them.

        Parameters
        ----------
        name : str
            A moving joint.

        Returns
        -------
        variable : Joint
            The independent joint; the joint itself where it mimics nothing.
        multiplier, offset : float
            position = multiplier * (position of the variable) + offset.

        """
        if name in self._sources:
            return self._sources[name]
        chain = [self.joint(name)]
        multiplier, offset = 1.0, 0.0
        while (mimic := chain[-1].mimic) is not None:
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            if mimic.master not in self._by_name:
                raise ModelError(
                    f'joint {chain[-1].name!r} mimics {mimic.master!r}, which does not exist; '
                    'name an existing joint in its <mimic> element'
                )
            master = self._by_name[mimic.master]
            if master in chain:
                loop = ' -> '.join(joint.name for joint in [*chain, master])
                raise ModelError(f'mimic joints in a loop: {loop}; one of them must be free')
            if not master.moves:
                raise ModelError(
                    f'joint {chain[-1].name!r} mimics the fixed joint {master.name!r}, '
                    'which has no position; mimic a moving joint'
                )
            chain.append(master)
        self._sources[name] = (chain[-1], multiplier, offset)
        return self._sources[name]

    def followers(self, name: str) -> tuple[tuple[Joint, float, float], ...]:
        """
        List the mimic joints that an independent joint moves.

        Returns
        -------
        tuple of (Joint, float, float)
            Joint, multiplier, offset; in tree order.

        """
        found = []
        for joint in self.moving_joints:
            variable, multiplier, offset = self.source(joint.name)
            if variable.name == name and joint.name != name:
                found.append((joint, multiplier, offset))
        return tuple(found)

    def bounds(self, name: str) -> tuple[float, float]:
        """
        Intersect the limits of an independent joint with those of the joints that follow it.

        Returns
        -------
        lower, upper : float
            Of the independent joint [rad or m], infinite where nothing bounds it.

        Raises
        ------
        ModelError
            No position satisfies all the limits.

        """
        joint = self.joint(name)
        lower, upper = joint.lower, joint.upper
        if lower > upper:
            raise ModelError(
                f'joint {name!r}: lower limit {lower:g} is above upper limit {upper:g}'
            )
        for follower, multiplier, offset in self.followers(name):
            if multiplier == 0.0:
                continue
            ends = sorted(
                [(follower.lower - offset) / multiplier, (follower.upper - offset) / multiplier]
            )
            if max(lower, ends[0]) > min(upper, ends[1]):
                raise ModelError(
                    f'joint {follower.name!r} mimics {name!r} and their limits leave no position: '
                    f'{name!r} may be in [{lower:g}, {upper:g}], {follower.name!r} demands '
                    f'[{ends[0]:g}, {ends[1]:g}] of it'
                )
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        return lower, upper


def _check_unique(kind: str, names: Sequence[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ModelError(f'two {kind}s are named {name!r}; names must be unique')
        seen.add(name)


def _parent_joints(link_names: Sequence[str], joints: Sequence[Joint]) -> dict[str, Joint]:
    links = set(link_names)
    above: dict[str, Joint] = {}
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


def _find_root(link_names: Sequence[str], above: dict[str, Joint]) -> str:
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
        path: list[str] = []
        while link not in sound:
            if link in path:
                _raise_loop(link, above)
            path.append(link)
            link = above[link].parent
        sound.update(path)
    return roots[0]


def _raise_loop(link: str, above: dict[str, Joint]) -> None:
    loop = [link]
    while (parent := above[loop[-1]].parent) not in loop:
        loop.append(parent)
    names = ' -> '.join(reversed([*loop[loop.index(parent) :], parent]))
    raise ModelError(f'links in a loop: {names}; a URDF is a tree, remove one of these joints')
