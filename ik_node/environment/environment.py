# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment: a mechanism, the state of its joints, and the groups on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
import threading
from types import MappingProxyType

from ik_node.environment.group import Group
from ik_node.errors import InvalidArgumentError, InvalidSeedError, UnknownNameError
from ik_node.kernels import tree
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import into_limits
from ik_node.model.mechanism import Mechanism
from ik_node.model.tables import compile_tables, inverse, longest_chain
from ik_node.model.urdf import load_urdf, Source
import numpy as np


class Environment:
    """
    A robot that can be asked for poses, Jacobians and joint values.

    The mechanism never changes; the state (one position per independent joint) is replaced as a
    whole, so that a reader in another thread always sees a consistent one. It starts with every
    joint at zero, or in the middle of its limits where those exclude zero.

    Parameters
    ----------
    mechanism : Mechanism
        See `Environment.from_urdf`.

    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._tree = compile_tables(mechanism, mechanism.root, mechanism.link_names)
        self._link_index = {name: i for i, name in enumerate(mechanism.link_names)}
        self._variable_index = {name: i for i, name in enumerate(self._tree.variable_names)}
        self._sources = {
            joint.name: mechanism.source(joint.name) for joint in mechanism.moving_joints
        }
        self._groups: dict[str, Group] = {}
        self._lock = threading.Lock()
        lower, upper = self._tree.limits[:, 0], self._tree.limits[:, 1]
        outside = (lower > 0.0) | (upper < 0.0)
        self._state = np.zeros(len(self._variable_index))
        self._state[outside] = 0.5 * (lower[outside] + upper[outside])

    @classmethod
    def from_urdf(cls, source: Source) -> Environment:
        """
        Build an environment from a URDF.

        Parameters
        ----------
        source : str, bytes or os.PathLike
            A path, XML text, or XML bytes.

        Returns
        -------
        Environment

        Raises
        ------
        UrdfError
            The description cannot be read.
        ModelError
            It contradicts itself.

        """
        return cls(load_urdf(source))

    def __repr__(self) -> str:
        return (
            f'Environment({self.name!r}, {len(self.link_names)} links, '
            f'{len(self._variable_index)} independent joints, groups {list(self._groups)})'
        )

    @property
    def mechanism(self) -> Mechanism:
        """The links and joints."""
        return self._mechanism

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._mechanism.name

    @property
    def root_link(self) -> str:
        """The link that everything hangs on."""
        return self._mechanism.root

    @property
    def link_names(self) -> tuple[str, ...]:
        """Every link."""
        return self._mechanism.link_names

    @property
    def moving_joint_names(self) -> tuple[str, ...]:
        """Every joint but the fixed ones, mimic joints included, parents before children."""
        return tuple(self._sources)

    @property
    def groups(self) -> Mapping[str, Group]:
        """The groups by name, in order of creation; read-only."""
        return MappingProxyType(self._groups)

    def create_group(self, name: str, base: str | None = None, tip: str | None = None) -> Group:
        """
        Create a group over the chain between two links.

        Parameters
        ----------
        name : str
            A name that no other group has.
        base : str, optional
            Link whose frame targets are given in; None: the root, or the start of the longest
            chain if `tip` is None as well.
        tip : str, optional
            Link to bring to the target; None: the end of the longest chain.

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
        if not name or name in self._groups:
            problem = 'is taken' if name else 'is empty'
            raise InvalidArgumentError(f'the group name {name!r} {problem}; choose another one')
        if tip is None:
            chain_base, tip = self.longest_chain()
            base = chain_base if base is None else base
        group = Group(self, name, self.root_link if base is None else base, tip)
        with self._lock:
            self._groups[name] = group
        return group

    def group(self, name: str) -> Group:
        """
        Find a group.

        Raises
        ------
        UnknownNameError
            No group has this name.

        """
        try:
            return self._groups[name]
        except KeyError:
            raise UnknownNameError('group', name, self._groups) from None

    def longest_chain(self) -> tuple[str, str]:
        """
        Find the chain with the most independent joints; see `ik_node.model.tables.longest_chain`.

        Returns
        -------
        base, tip : str

        """
        return longest_chain(self._mechanism)

    @property
    def joint_positions(self) -> dict[str, float]:
        """Positions of all moving joints [rad or m], mimic joints included; a snapshot."""
        return self._named(self._state)

    def set_joint_positions(self, positions: Mapping[str, float], *, clamp: bool = False) -> None:
        """
        Replace the positions of some joints.

        Parameters
        ----------
        positions : mapping of str to float
            Positions [rad or m]. A mimic joint is recomputed from the joint that it follows,
            whatever value is given.
        clamp : bool
            Bring values into the limits; without it a state beyond its limits, such as a real
            robot can report, is kept.

        Raises
        ------
        UnknownNameError
            A name that no moving joint has.
        InvalidSeedError
            A value that is not finite. Nothing is changed then.

        """
        with self._lock:
            state = self._overlaid(positions)
            if clamp:
                for i, (lower, upper, period, _) in enumerate(self._tree.limits):
                    state[i] = into_limits(state[i], lower, upper, period)
            self._state = state

    def overlay(self, positions: Mapping[str, float] | None) -> dict[str, float]:
        """
        Lay positions over the state, without changing it.

        Parameters
        ----------
        positions : mapping of str to float, optional
            As for `set_joint_positions`.

        Returns
        -------
        dict of str to float
            Positions of all moving joints [rad or m].

        """
        return self._named(self._overlaid(positions) if positions else self._state)

    def link_pose(
        self, link: str, reference: str | None = None, positions: Mapping[str, float] | None = None
    ) -> FloatArray:
        """
        Compute the pose of one link; see `link_poses`.

        Returns
        -------
        (4, 4) float64
            T_reference_link [m].

        """
        pose: FloatArray = self.link_poses([link], reference, positions)[0]
        return pose

    def link_poses(
        self,
        links: Iterable[str],
        reference: str | None = None,
        positions: Mapping[str, float] | None = None,
    ) -> FloatArray:
        """
        Compute the poses of links.

        Parameters
        ----------
        links : iterable of str
            Link names.
        reference : str, optional
            Link whose frame the poses are given in; None: the root.
        positions : mapping of str to float, optional
            Joint positions [rad or m], laid over the state.

        Returns
        -------
        (k, 4, 4) float64
            T_reference_link of each link [m].

        Raises
        ------
        UnknownNameError
            A link or joint that does not exist.

        """
        tables = self._tree
        chosen = [self._link_index[self._mechanism.check_link(link)] for link in links]
        state = self._overlaid(positions) if positions else self._state
        poses = np.empty((1, len(self.link_names), 4, 4))
        tree.forward_kinematics(
            tables.nodes, tables.wiring, tables.tips, tables.tip_nodes, state[np.newaxis], poses
        )
        T_root_links: FloatArray = poses[0, chosen]
        if reference is None or reference == self.root_link:
            return T_root_links
        T_root_reference = poses[0, self._link_index[self._mechanism.check_link(reference)]]
        T_reference_links: FloatArray = inverse(T_root_reference) @ T_root_links
        return T_reference_links

    def _overlaid(self, positions: Mapping[str, float] | None) -> FloatArray:
        state: FloatArray = self._state.copy()
        for name, value in (positions or {}).items():
            if name not in self._sources:
                raise UnknownNameError('joint', name, self._sources)
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = math.nan
            if not math.isfinite(number):
                raise InvalidSeedError(
                    f'joint {name!r} has the position {value!r}; it must be a finite number'
                )
            if name in self._variable_index:
                state[self._variable_index[name]] = number
        return state

    def _named(self, state: FloatArray) -> dict[str, float]:
        values = state.tolist()
        return {
            name: multiplier * values[self._variable_index[variable.name]] + offset
            for name, (variable, multiplier, offset) in self._sources.items()
        }
