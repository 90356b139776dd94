# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment: dummies and joints, where they are, and the groups on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
import os
from pathlib import Path
import threading
from types import MappingProxyType

from ik_node.environment import persistence
from ik_node.environment.calculation import Constraint
from ik_node.environment.element import ElementRecord
from ik_node.environment.element_group import default_settings
from ik_node.environment.group import Group
from ik_node.environment.handling import Callback, handle, HandleResult
from ik_node.environment.joint import Joint
from ik_node.environment.objects import SceneObject
from ik_node.environment.positions import PositionedStore
from ik_node.errors import InvalidArgumentError, LoadError, UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.longest_chain import longest_chain
from ik_node.model.mechanism import Mechanism
from ik_node.model.urdf import load_urdf
from ik_node.model.xml_source import Source
from numpy.typing import ArrayLike


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
    def from_urdf(
        cls, source: Source, xacro_arguments: Mapping[str, str] | None = None
    ) -> Environment:
        """
        Build an environment from a URDF.

        Parameters
        ----------
        source : str, bytes or os.PathLike
            A path (also `package://` and `file://`, and of a `.xacro` file), XML text, or bytes.
        xacro_arguments : mapping of str to str, optional
            Arguments of a `.xacro` file.

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
        return cls(load_urdf(source, xacro_arguments))

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
        # A new environment numbers its objects from 0: identities are the indices of the file.
        for settings in groups:
            environment._groups[settings.name] = Group(environment, settings)
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
        groups = [group.settings for group in self._groups.values()]
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
                copy._groups[name] = Group(copy, group.settings)
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

    def create_group(
        self,
        name: str,
        base: str | None = None,
        tip: str | None = None,
        *,
        empty: bool = False,
    ) -> Group:
        """
        Create a group, with one element that constrains the pose of a tip.

        Parameters
        ----------
        name : str
            A name that no other group has.
        base : str, optional
            Link whose frame targets are given in; None: the root, or the start of the longest
            chain if `tip` is None as well.
        tip : str, optional
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
        if not name or name in self._groups:
            problem = 'is taken' if name else 'is empty'
            raise InvalidArgumentError(f'the group name {name!r} {problem}; choose another one')
        if empty:
            with self._lock:
                self._groups[name] = Group(self, default_settings(name))
            return self._groups[name]
        if tip is None:
            chain_base, tip = self.longest_chain()
            base = chain_base if base is None else base
        with self._lock:
            element = ElementRecord(
                self._end_uid(tip),
                self._end_uid(self.root_link if base is None else base),
                constraints=Constraint.POSE,
            )
            settings = replace(default_settings(name), elements={0: element})
            group = Group(self, settings)
            group.tables_at(self._scene)  # refuses a chain without joints
            self._groups[name] = group
        return group

    def handle_groups(
        self, groups: Iterable[Group | str], callback: Callback | None = None
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
            the pseudo-inverse to use.

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
            No group was named.

        """
        chosen = [g if isinstance(g, Group) else self.group(g) for g in groups]
        if not chosen or any(group.environment is not self for group in chosen):
            raise InvalidArgumentError('name at least one group, and groups of this environment')
        with self._lock:
            self._scene, result = handle(self._scene, [g.settings for g in chosen], callback)
        for group in chosen:
            hits = result.limit_hits.items()
            group.take_limit_hits({name: by for name, by in hits if name in group.joints})
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

    def jacobian(
        self,
        base: SceneObject | str | None,
        last_joint: Joint | str,
        constraints: Constraint | int,
        tip_pose: ArrayLike,
        target_pose: ArrayLike | None = None,
        constraints_base_pose: ArrayLike | None = None,
    ) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
        """
        Compute Jacobian and error of a chain without a group.

        Parameters
        ----------
        base : SceneObject, str or None
            Where the chain begins; None for the world.
        last_joint : Joint or str
            Where it ends: the tip rides on the moving frame of this joint.
        constraints : Constraint
            Which rows.
        tip_pose : (4, 4) array_like
            Pose of the tip in the world.
        target_pose : (4, 4) array_like, optional
            Pose of the target in the world; None: that of the tip, so that the error is zero.
        constraints_base_pose : (4, 4) array_like, optional
            Pose of the constraints base in the world; None: the base.

        Returns
        -------
        jacobian : (r, n) float64
        error : (r,) float64
        coordinates : tuple of str

        """
        trial = self.duplicate()
        joint = trial.joint(last_joint if isinstance(last_joint, str) else last_joint.name)
        tip, target = trial.create_dummy(parent=joint), trial.create_dummy()
        tip.set_pose(tip_pose)
        target.set_pose(tip_pose if target_pose is None else target_pose)
        tip.target = target
        frame = None
        if constraints_base_pose is not None:
            frame = trial.create_dummy(pose=constraints_base_pose)
        name = next(n for n in map(str, range(len(trial.groups) + 1)) if n not in trial.groups)
        group = trial.create_group(name, empty=True)
        group.add_element(
            tip,
            None if base is None else trial[base if isinstance(base, str) else base.name],
            constraints=constraints,
            constraints_base=frame,
        )
        return group.stacked_jacobian()

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
