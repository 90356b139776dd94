# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment: dummies and joints, where they are, and the groups on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from types import MappingProxyType

from ik_node.environment.group import Group
from ik_node.environment.scene import Scene
from ik_node.environment.store import ObjectStore
from ik_node.errors import InvalidArgumentError, InvalidSeedError, UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.longest_chain import longest_chain
from ik_node.model.mechanism import Joint, JointKind, Mechanism, WORLD
from ik_node.model.tables import compile_tables, inverse, Position, Tables
from ik_node.model.urdf import load_urdf
from ik_node.model.xml_source import Source
from ik_node.solvers.kinematics import forward_kinematics
import numpy as np


class Environment(ObjectStore):
    """
    A robot, or several, that can be asked for poses, Jacobians and joint values.

    What there is and where it is makes a scene; an edit replaces the scene as a whole, so that a
    reader in another thread always sees a consistent one, and an edit that fails changes nothing.

    Parameters
    ----------
    mechanism : Mechanism, optional
        What to begin with; see `Environment.from_urdf`. Every joint starts at zero, or in the
        middle of its limits where those exclude zero.
    name : str, optional
        Name; by default that of the mechanism.

    """

    def __init__(self, mechanism: Mechanism | None = None, *, name: str | None = None) -> None:
        begin = Mechanism('environment', ()) if mechanism is None else mechanism
        super().__init__(begin)
        self._name = begin.name if name is None else name
        self._groups: dict[str, Group] = {}
        self._frame_tables: tuple[Mechanism, Mapping[str, Position], Tables] | None = None

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
        scene = self._scene
        return (
            f'Environment({self.name!r}, {len(scene.mechanism.frame_indices)} links, '
            f'{len(scene.mechanism.variables)} independent joints, groups {list(self._groups)})'
        )

    @property
    def name(self) -> str:
        """Name of the environment: that of its robot, unless it was given another one."""
        return self._name

    @property
    def root_link(self) -> str:
        """The first link that hangs on the world; 'world' where there is none."""
        return next(iter(self.mechanism.frame_indices), 'world')

    @property
    def link_names(self) -> tuple[str, ...]:
        """Every link of a URDF, and every dummy."""
        return tuple(self.mechanism.frame_indices)

    @property
    def moving_joint_names(self) -> tuple[str, ...]:
        """Every joint with one position, those that follow others included, parents first."""
        return tuple(j.name for j in self.mechanism.joints if j.kind is not JointKind.SPHERICAL)

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
        with self._lock:
            base_uid = self._end_uid(self.root_link if base is None else base)
            group = Group(self, name, base_uid, self._end_uid(tip))
            self._groups[name] = group
        return group

    def _end_uid(self, name: str) -> int:
        """Find the end of a chain: a link before a joint of the same name."""
        if name in self.mechanism.frame_indices:
            return self.dummy(name).uid
        if name in self.mechanism.joint_indices or name == 'world':
            return self.uid_of(name)
        raise UnknownNameError('link', str(name), self.link_names)

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

    def longest_chain(self) -> tuple[str, str]:
        """
        Find the chain with the most independent joints.

        See `ik_node.model.longest_chain`.

        Returns
        -------
        base, tip : str

        """
        return longest_chain(self.mechanism)

    @property
    def joint_positions(self) -> dict[str, float]:
        """
        Positions of all joints with one position [rad or m]; a snapshot.

        Joints that follow others are included, spherical joints are not.
        """
        return _named(self._scene)

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
            scene = self.overlaid(positions)
            for name in positions if clamp else ():
                scene = scene.clamped(name)
            self._scene = scene

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
            Positions of all joints with one position [rad or m].

        """
        return _named(self.overlaid(positions))

    def overlaid(self, positions: Mapping[str, float] | None) -> Scene:
        """
        Lay positions over the scene, without changing it.

        Parameters
        ----------
        positions : mapping of str to float, optional
            As for `set_joint_positions`; the coordinates of a spherical joint by `name/x` to
            `name/z`.

        Returns
        -------
        Scene

        """
        scene = self._scene
        if not positions:
            return scene
        changed: dict[str, Position] = {}
        for name, value in positions.items():
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = math.nan
            if not math.isfinite(number):
                raise InvalidSeedError(
                    f'joint {name!r} has the position {value!r}; it must be a finite number'
                )
            joint, coordinate = _coordinate(scene.mechanism, name)
            if coordinate is not None:
                vector = list(changed.get(joint.name, scene.positions[joint.name]))  # type: ignore
                vector[coordinate] = number
                changed[joint.name] = (vector[0], vector[1], vector[2])
            elif joint.dependency is None:
                changed[joint.name] = number
        return scene.moved(changed)

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
        scene = self.overlaid(positions)
        order = {name: i for i, name in enumerate(scene.mechanism.frame_indices)}
        frames = [*links] if reference is None else [*links, reference]
        for name in frames:
            scene.mechanism.frame_index(name)
        T_world_links = self._frame_poses(scene)[[order[name] for name in frames]]
        if reference is None:
            return T_world_links
        T_reference_links: FloatArray = inverse(T_world_links[-1]) @ T_world_links[:-1]
        return T_reference_links

    def _frame_poses(self, scene: Scene) -> FloatArray:
        """Compute the poses of all frames in the world, in their order."""
        cached = self._frame_tables
        if cached is None or cached[0] is not scene.mechanism or cached[1] != scene.held:
            frames = list(scene.mechanism.frame_indices.values())
            tables = compile_tables(scene.mechanism, WORLD, frames, scene.held)
            cached = self._frame_tables = (scene.mechanism, scene.held, tables)
        poses = forward_kinematics(cached[2], scene.coordinates(cached[2])[np.newaxis])
        T_world_frames: FloatArray = poses[0]
        return T_world_frames


def _named(scene: Scene) -> dict[str, float]:
    named = {}
    for joint in scene.mechanism.joints:
        at = scene.position(joint.name)
        if isinstance(at, float):
            named[joint.name] = at
    return named


def _coordinate(mechanism: Mechanism, name: str) -> tuple[Joint, int | None]:
    """Find a joint, or a spherical joint and which of its coordinates is meant."""
    stem, _, axis = name.rpartition('/')
    if name not in mechanism.joint_indices and axis in ('x', 'y', 'z'):
        if stem in mechanism.joint_indices:
            joint = mechanism.joint(stem)
            if joint.kind is JointKind.SPHERICAL:
                return joint, 'xyz'.index(axis)
    joint = mechanism.joint(name)
    if joint.kind is JointKind.SPHERICAL:
        raise InvalidSeedError(
            f'joint {name!r} is spherical; give its rotation vector, {name}/x, {name}/y, {name}/z'
        )
    return joint, None
