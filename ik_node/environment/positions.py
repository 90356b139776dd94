# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint positions by name, and where that puts the links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math

from ik_node.environment.scene import Scene
from ik_node.environment.store import ObjectStore
from ik_node.errors import InvalidSeedError, shown, UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Frame, Joint, JointKind, WORLD
from ik_node.model.tables import compile_tables, Tables
from ik_node.model.walk import inverse, Position
from ik_node.solvers.kinematics import forward_kinematics
import numpy as np


class PositionedStore(ObjectStore):
    """
    Objects whose joints have positions.

    Parameters
    ----------
    mechanism : Mechanism
        What to begin with.

    """

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self._frame_tables: tuple[Mechanism, Mapping[str, Position], Tables] | None = None

    @property
    def root_link(self) -> str:
        """The first link that hangs on the world; 'world' where there is none."""
        objects = self.mechanism.objects
        on_world = (o.name for o in objects if isinstance(o, Frame) and o.parent == WORLD)
        return next(on_world, 'world')

    @property
    def link_names(self) -> tuple[str, ...]:
        """Every link of a URDF, and every dummy."""
        return tuple(self.mechanism.frame_indices)

    @property
    def moving_joint_names(self) -> tuple[str, ...]:
        """Every joint with one position, those that follow others included, parents first."""
        return tuple(j.name for j in self.mechanism.joints if j.kind is not JointKind.SPHERICAL)

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
                scene = scene.clamped(_coordinate(scene.mechanism, name)[0].name)
            self._scene = scene

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
        if positions is None:
            return scene
        if not isinstance(positions, Mapping):
            raise InvalidSeedError(
                f'positions are {shown(positions)}; they must be a mapping from names of joints '
                'to numbers'
            )
        changed: dict[str, Position] = {}
        for name, value in positions.items():
            try:
                number = float(value)
            except (TypeError, ValueError, OverflowError):
                number = math.nan
            if not math.isfinite(number):
                raise InvalidSeedError(
                    f'joint {name!r} has the position {shown(value)}; it must be a finite number'
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
            Link whose frame the poses are given in; None: the world, where the root of a URDF is.
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
    if not isinstance(name, str):
        raise UnknownNameError('joint', name, mechanism.joint_indices)
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
