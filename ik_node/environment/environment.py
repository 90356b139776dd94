# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment: dummies and joints, where they are, and the groups on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
from pathlib import Path
import threading
from types import MappingProxyType

from ik_node.environment import persistence
from ik_node.environment.group import Group
from ik_node.environment.positions import PositionedStore
from ik_node.environment.scene import WORLD_UID
from ik_node.errors import InvalidArgumentError, LoadError, UnknownNameError
from ik_node.model.longest_chain import longest_chain
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import WORLD
from ik_node.model.urdf import load_urdf
from ik_node.model.xml_source import Source


class Environment(PositionedStore):
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

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        functions: Mapping[str, Callable[[float], float]] | None = None,
    ) -> Environment:
        """
        Read an environment that `save` wrote.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        functions : mapping of str to callable, optional
            By joint name, the functions by which joints follow others; a file cannot hold them.

        Returns
        -------
        Environment

        Raises
        ------
        LoadError
            The file cannot be read, is of another version, damaged, or a function is missing.

        """
        try:
            text = Path(path).read_text(encoding='utf-8')
        except (OSError, UnicodeDecodeError) as error:
            raise LoadError(f'cannot read {os.fspath(path)!r}: {error}') from error
        name, mechanism, positions, groups = persistence.parse(text, functions or {})
        environment = cls(mechanism, name=name)
        environment.edit(lambda scene: scene.moved(positions))
        uids = environment.scene.uids
        for group, base, tip in groups:
            ends = [WORLD_UID if end == WORLD else uids[end] for end in (base, tip)]
            environment._groups[group] = Group(environment, group, *ends)
        return environment

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the environment to a file: objects, positions and groups in full precision.

        Parameters
        ----------
        path : str or os.PathLike
            The file; it is replaced as a whole, never left half written.

        """
        scene = self._scene
        groups = []
        for name, group in self._groups.items():
            base, tip = group.ends
            if base in scene.index and tip in scene.index:
                groups.append((name, scene.index[base], scene.index[tip]))
        target = Path(path)
        draft = target.with_name(f'.{target.name}.{os.getpid()}.{threading.get_ident()}')
        try:
            draft.write_text(persistence.dump(self._name, scene, groups), encoding='utf-8')
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)

    def duplicate(self) -> Environment:
        """
        Copy the environment; afterwards the two have nothing in common.

        Returns
        -------
        Environment
            With the same names, identities, positions and groups.

        """
        copy = Environment(name=self._name)
        with self._lock:
            copy._adopt(self)
            for name, group in self._groups.items():
                copy._groups[name] = Group(copy, name, *group.ends)
        return copy

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
