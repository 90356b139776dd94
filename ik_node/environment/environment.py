# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""An environment: dummies and joints, where they are, and the groups on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
from pathlib import Path
import threading

from ik_node.environment import persistence
from ik_node.environment.calculation import Constraint
from ik_node.environment.group import Group
from ik_node.environment.grouped import GroupedStore
from ik_node.environment.joint import Joint
from ik_node.environment.objects import SceneObject
from ik_node.errors import LoadError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.mechanism import Mechanism
from ik_node.model.urdf import load_urdf
from ik_node.model.xml_source import Source
from numpy.typing import ArrayLike


class Environment(GroupedStore):
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

        Raises
        ------
        OSError
            The file cannot be written.

        """
        scene = self._scene
        groups = [group.settings for group in self._groups.values()]
        target = Path(path)
        draft = target.with_name(f'.{target.name}.{os.getpid()}.{threading.get_ident()}')
        try:
            draft.write_text(persistence.dump(self._name, scene, groups), encoding='utf-8')
            draft.replace(target)
        except OSError as error:
            # With the name that was given, not that of the draft.
            raise OSError(error.errno, error.strerror, str(target)) from error
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
            # Compiled elements are immutable, and whoever takes them sees whether they fit: so the
            # copies that are made for one handling each do not compile them anew.
            copy._handled = dict(self._handled)
            copy._semantics = self._semantics
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
            base.name if isinstance(base, SceneObject) else base,
            constraints=constraints,
            constraints_base=frame,
        )
        return group.stacked_jacobian()
