# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What people mean by the parts of a robot: groups, end effectors, named configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ik_node.model.walk import Position


@dataclass(frozen=True)
class Chain:
    """The links that a chain lies between."""

    base: str
    tip: str


@dataclass(frozen=True)
class SemanticGroup:
    """Joints that belong together."""

    name: str
    joints: tuple[str, ...]
    """
    The joints that move, those that follow others and passive ones included: from base to tip
    where the group is written as one chain, parents before children otherwise.
    """
    active_joints: tuple[str, ...]
    """Those of `joints` that follow no other joint and are not passive."""
    links: tuple[str, ...]
    """The links behind the joints of the group, fixed joints included."""
    subgroups: tuple[str, ...]
    """The groups that it is written to contain."""
    chain: Chain | None
    """The chain that the group is, None for a group that is none."""
    reason: str = ''
    """Why the group is no chain."""


@dataclass(frozen=True)
class EndEffector:
    """A group that is mounted on a link."""

    name: str
    group: str
    """The group that it consists of."""
    parent_link: str
    """The link that it is mounted on."""
    parent_group: str | None
    """The group that carries it, None where none contains the parent link."""


@dataclass(frozen=True)
class GroupState:
    """A named configuration of a group."""

    name: str
    group: str
    positions: Mapping[str, Position]
    """Of the joints that follow no other one [rad or m]; read-only, not necessarily all."""


@dataclass(frozen=True)
class VirtualJoint:
    """How the robot stands in the world."""

    name: str
    kind: str
    """'fixed', 'floating' or 'planar'."""
    parent_frame: str
    child_link: str


@dataclass(frozen=True)
class DisabledCollision:
    """Two links that are not checked for collision with each other."""

    link1: str
    link2: str
    reason: str


@dataclass(frozen=True)
class SemanticDescription:
    """An SRDF, resolved against a mechanism; mappings are read-only."""

    name: str
    groups: Mapping[str, SemanticGroup]
    end_effectors: Mapping[str, EndEffector]
    group_states: tuple[GroupState, ...]
    virtual_joints: Mapping[str, VirtualJoint]
    passive_joints: tuple[str, ...]
    disabled_collisions: tuple[DisabledCollision, ...]

    def chains_of(self, group: str) -> tuple[Chain, ...]:
        """
        Divide a group into the chains that it is made of.

        Parameters
        ----------
        group : str
            A name of `groups`.

        Returns
        -------
        tuple of Chain
            One for a chain; those of its subgroups where it is nothing else but them; none for
            a group of another shape, of which `SemanticGroup.reason` tells why it is no chain.

        """
        whole = self.groups[group]
        if whole.chain is not None:
            return (whole.chain,)
        chains: dict[Chain, None] = {}
        joints: set[str] = set()
        for name in whole.subgroups:
            parts = self.chains_of(name)
            if not parts:
                return ()
            chains |= dict.fromkeys(parts)
            joints |= set(self.groups[name].joints)
        return tuple(chains) if joints == set(whole.joints) else ()
