# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups on the objects of an environment: create, find, handle, erase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
import math
from types import MappingProxyType
from typing import cast, TYPE_CHECKING

from ik_node.environment.calculation import Constraint
from ik_node.environment.element import ElementRecord
from ik_node.environment.element_group import default_settings
from ik_node.environment.group import Group
from ik_node.environment.handling import Callback, handle, HandleOptions, HandleResult
from ik_node.environment.lowering import Lowered
from ik_node.environment.objects import SceneObject
from ik_node.environment.positions import PositionedStore
from ik_node.errors import (
    InvalidArgumentError,
    InvalidOptionError,
    InvalidStateError,
    shown,
    UnknownNameError,
)
from ik_node.model.given import real
from ik_node.model.longest_chain import longest_chain
from ik_node.model.mechanism import Mechanism
from ik_node.model.semantics import Chain, SemanticDescription
from ik_node.model.srdf import load_srdf
from ik_node.model.xml_source import Source

if TYPE_CHECKING:
    from ik_node.environment.environment import Environment


class GroupedStore(PositionedStore):
    """
    Objects with groups on them.

    Parameters
    ----------
    mechanism : Mechanism
        What to begin with.

    """

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self._groups: dict[str, Group] = {}
        self._semantics: SemanticDescription | None = None
        self._handled: dict[tuple[str, ...], Lowered | None] = {}

    @property
    def groups(self) -> Mapping[str, Group]:
        """The groups by name, in order of creation; read-only."""
        return MappingProxyType(self._groups)

    @property
    def semantics(self) -> SemanticDescription | None:
        """What the last SRDF said; None without one."""
        return self._semantics

    def create_group(
        self,
        name: str,
        base: SceneObject | str | None = None,
        tip: SceneObject | str | None = None,
        *,
        empty: bool = False,
    ) -> Group:
        """
        Create a group, with one element that constrains the pose of a tip.

        Parameters
        ----------
        name : str
            A name that no other group has.
        base : SceneObject or str, optional
            Link whose frame targets are given in; None: the root, or the start of the longest
            chain if `tip` is None as well.
        tip : SceneObject or str, optional
            Link to bring to the target; None: the end of the longest chain.
        empty : bool
            Make a group without elements, to add them with `Group.add_element`.

        Returns
        -------
        Group

        Raises
        ------
        UnknownNameError
            A link that does not exist.
        InvalidArgumentError
            The name is taken, no joint moves between the links, or no chain is the longest.

        """
        with self._lock:
            if not isinstance(name, str) or not name or name in self._groups:
                problem = 'is taken' if isinstance(name, str) and name else 'is no name'
                raise InvalidArgumentError(
                    f'the group name {shown(name)} {problem}; choose another'
                )
            settings = default_settings(name)
            if not empty:
                if tip is None:
                    chain_base, tip = self.longest_chain()
                    base = chain_base if base is None else base
                element = ElementRecord(
                    self._end_uid(tip),
                    self._end_uid(self.root_link if base is None else base),
                    constraints=Constraint.POSE,
                )
                settings = replace(settings, elements={0: element})
            group = Group(self._as_environment, settings)
            if not empty:
                group.tables_at(self._scene)  # refuses a chain without joints
            self._groups[name] = group
        return group

    def handle_groups(
        self,
        groups: Iterable[Group | str],
        callback: Callback | None = None,
        *,
        strict: bool = False,
        timeout: float | None = None,
    ) -> HandleResult:
        """
        Move the joints towards the targets of groups, a few steps from where they are.

        Parameters
        ----------
        groups : iterable of Group or str
            In order of priority: the step of each is projected onto the null space of those
            before it. Iterations, and the flags about steps, limits and restoring, are those of
            the first one.
        callback : callable, optional
            Called for each group in each iteration with a `Step`; may answer with the step or
            the pseudo-inverse to use. It must not edit the environment.
        strict : bool
            False: the step of a group is projected by the Jacobian of the one before it alone, as
            Coppelia does, so that only the first group is protected from all others. True: each
            group is solved in what all groups before it leave free. A group that cannot be met in
            there asks for long steps: give it damped_least_squares, or let the largest steps of
            the joints count (`ignore_max_steps` of the first group).
        timeout : float, optional
            No further iteration begins after this time [s], on the steady clock; None: only
            `max_iterations` of the first group ends it.

        Returns
        -------
        HandleResult
            The state of the environment has been changed, also where the tolerance was missed,
            unless the first group restores it.

        Raises
        ------
        UnknownNameError
            No group has such a name.
        InvalidArgumentError
            No group was named, or one twice.
        InvalidOptionError
            The timeout is negative, or no number.
        InvalidStateError
            The callback edited the environment.

        """
        try:
            named = [] if isinstance(groups, str | bytes) else list(groups)
        except TypeError:
            named = []
        if not named:
            raise InvalidArgumentError(
                f'groups is {shown(groups)}; name at least one group, in a list of groups or names'
            )
        chosen = [g if isinstance(g, Group) else self.group(g) for g in named]
        if any(group.environment is not self for group in chosen):
            raise InvalidArgumentError('name groups of this environment')
        names = tuple(group.name for group in chosen)
        if len(set(names)) < len(names):
            raise InvalidArgumentError(f'the groups are {list(names)}; name each of them once')
        options = HandleOptions(callback, bool(strict), _checked_timeout(timeout))
        with self._lock:
            before = self._scene
            scene, result, self._handled[names] = handle(
                before, [g.settings for g in chosen], options, self._handled.get(names)
            )
            if self._scene is not before:
                raise InvalidStateError('the callback edited the environment; it must not')
            self._scene = scene
        for group in chosen:
            hits = result.limit_hits
            joints = group.joints if hits else ()
            group.take_limit_hits({name: by for name, by in hits.items() if name in joints})
        return result

    def handle_each_group(self) -> dict[str, HandleResult]:
        """
        Handle every group on its own, one after another in order of creation.

        Returns
        -------
        dict of str to HandleResult
            By the name of the group.

        """
        return {name: self.handle_groups([name]) for name in list(self._groups)}

    def _end_uid(self, name: SceneObject | str) -> int:
        """Find the end of a chain: a link before a joint of the same name."""
        if isinstance(name, SceneObject):
            return self.uid_of(name)
        if isinstance(name, str):
            if name in self.mechanism.frame_indices:
                return self.dummy(name).uid
            if name in self.mechanism.joint_indices or name == 'world':
                return self.uid_of(name)
        raise UnknownNameError('link', name, self.link_names)

    def group(self, name: str) -> Group:
        """
        Find a group.

        Raises
        ------
        UnknownNameError
            No group has this name.

        """
        if not isinstance(name, str) or name not in self._groups:
            raise UnknownNameError('group', name, self._groups)
        return self._groups[name]

    def erase_group(self, name: str) -> None:
        """
        Take a group away; objects stay.

        Raises
        ------
        UnknownNameError
            No group has this name.

        """
        with self._lock:
            self.group(name)
            del self._groups[name]
            self._handled.clear()

    def longest_chain(self) -> tuple[str, str]:
        """
        Find the chain with the most independent joints.

        See `ik_node.model.longest_chain`.

        Returns
        -------
        base, tip : str

        """
        return longest_chain(self.mechanism)

    def add_srdf(
        self, source: Source, xacro_arguments: Mapping[str, str] | None = None
    ) -> SemanticDescription:
        """
        Take over what an SRDF says: its groups, and its passive joints.

        A group that is a chain, or the union of subgroups that are chains, becomes a group with
        an element for each chain.

        Parameters
        ----------
        source : str, bytes or os.PathLike
            A path, XML text, or XML bytes.
        xacro_arguments : mapping of str to str, optional
            Arguments of a `.xacro` file.

        Returns
        -------
        SemanticDescription
            Everything that it says, also in `semantics`. A group that is no chain tells why; a
            group whose name is taken stays as it is.

        Raises
        ------
        SrdfError
            The text cannot be read or does not fit the robot. Nothing has been changed then.

        """
        description = load_srdf(source, self.mechanism, xacro_arguments)
        for name in description.passive_joints:
            if name in self.mechanism.joint_indices:
                self.joint(name).passive = True
        for name in description.groups:
            if name not in self._groups:
                self._create_chains(name, description.chains_of(name))
        self._semantics = description
        return description

    def _create_chains(self, name: str, chains: Sequence[Chain]) -> None:
        if not chains:
            return
        try:
            group = self.create_group(name, chains[0].base, chains[0].tip)
            for chain in chains[1:]:
                group.add_element(chain.tip, chain.base, constraints=Constraint.POSE)
        except InvalidArgumentError:
            # Nothing moves between its ends, as in a group for a fixed camera.
            self._groups.pop(name, None)

    @property
    def _as_environment(self) -> Environment:
        """Itself, as what groups hold on to; only environments are ever made."""
        return cast('Environment', self)


def _checked_timeout(timeout: float | None) -> float:
    if timeout is None:
        return math.inf
    seconds = real(timeout)
    if not seconds >= 0.0:
        raise InvalidOptionError(
            f'timeout is {shown(timeout)}; it must be a number of seconds, zero or more, or None'
        )
    return seconds
