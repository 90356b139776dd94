# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Objects of an environment, as a user holds them, and the simpler of the two kinds, dummies.

An object is a handle: it reads from the present scene of its environment, and what is set on it
makes a new scene. A dummy is a plain frame: link, base, tip or target. A joint has a fixed frame
and a moving one; poses of a joint are those of its fixed frame, everything that hangs on it and
everything given relative to it is in its moving frame.
"""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from ik_node.constraints.pose import pose_target
from ik_node.environment.scene import WORLD_UID
from ik_node.errors import InvalidArgumentError, InvalidStateError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.objects import Frame, Thing, WORLD
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ik_node.environment.store import ObjectStore


class SceneObject:
    """
    What dummies and joints have in common: a name, a place, something to hang on.

    Parameters
    ----------
    environment : ObjectStore
        Where the object lives.
    uid : int
        Its identity there.

    """

    __slots__ = ('_environment', '_uid')

    def __init__(self, environment: ObjectStore, uid: int) -> None:
        self._environment = environment
        self._uid = uid

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.name!r})' if self.exists else '<erased object>'

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SceneObject)
            and other._environment is self._environment
            and other._uid == self._uid
        )

    def __hash__(self) -> int:
        return hash((id(self._environment), self._uid))

    @property
    def uid(self) -> int:
        """Identity of the object in its environment; never used again after an erase."""
        return self._uid

    @property
    def exists(self) -> bool:
        """Whether the object is still part of its environment."""
        return self._uid in self._environment.scene.index

    def belongs_to(self, environment: ObjectStore) -> bool:
        """Tell whether the object is one of an environment, and still there."""
        return self._environment is environment and self.exists

    @property
    def name(self) -> str:
        """Name; may be changed."""
        return self._record.name

    @name.setter
    def name(self, name: str) -> None:
        self._environment.check_new_name(name)
        self._change(name=name)

    @property
    def parent(self) -> SceneObject | None:
        """What the object hangs on; None for the world."""
        parent = self._record.parent
        return None if parent == WORLD else self._environment.object_at(parent)

    def set_parent(self, parent: SceneObject | str | None, *, keep_in_place: bool = True) -> None:
        """
        Hang the object on another one.

        Parameters
        ----------
        parent : SceneObject, str or None
            The new parent; None for the world.
        keep_in_place : bool
            True keeps the pose in the world, False the pose relative to the parent.

        Raises
        ------
        InvalidArgumentError
            The parent hangs on this object.

        """
        uid = self._environment.uid_of(parent)
        self._environment.edit(
            lambda scene: scene.reparented(self._uid, uid, keep_in_place=keep_in_place)
        )

    def pose(self, relative_to: SceneObject | str | None = None) -> FloatArray:
        """
        Compute the pose of the object.

        Parameters
        ----------
        relative_to : SceneObject, str or None
            The reference (a joint: its moving frame); None for the world.

        Returns
        -------
        (4, 4) float64
            Of a joint the pose of its fixed frame.

        """
        scene = self._environment.scene
        reference = scene.index[self._environment.uid_of(relative_to)]
        return scene.T_relative(self._index(), reference)

    def set_pose(self, pose: ArrayLike, relative_to: SceneObject | str | None = None) -> None:
        """
        Place the object; what hangs on it moves along.

        Parameters
        ----------
        pose : (4, 4) array_like
            The new pose; of a joint that of its fixed frame.
        relative_to : SceneObject, str or None
            The reference (a joint: its moving frame); None for the world.

        Raises
        ------
        InvalidTargetError
            The matrix is no rigid transform.
        InvalidArgumentError
            The reference is the object itself or hangs on it.

        """
        T_reference_self = pose_target(pose)
        scene = self._environment.scene
        reference = self._environment.uid_of(relative_to)
        above = reference
        while above != WORLD_UID:
            if above == self._uid:
                raise InvalidArgumentError(
                    f'{self.name!r} cannot be placed relative to itself or to what hangs on it'
                )
            parent = scene.mechanism.objects[scene.index[above]].parent
            above = WORLD_UID if parent == WORLD else scene.uids[parent]
        T_world_self = scene.T_world(scene.index[reference]) @ T_reference_self
        T_world_parent = scene.T_world(self._record.parent)
        rotation = T_world_parent[:3, :3]
        T_parent_self = T_world_self.copy()
        T_parent_self[:3, :3] = rotation.T @ T_world_self[:3, :3]
        T_parent_self[:3, 3] = rotation.T @ (T_world_self[:3, 3] - T_world_parent[:3, 3])
        self._change(T_parent_self=pose_target(T_parent_self))

    def _index(self) -> int:
        try:
            return self._environment.scene.index[self._uid]
        except KeyError:
            raise InvalidStateError('the object has been erased from its environment') from None

    @property
    def _record(self) -> Thing:
        return self._environment.scene.mechanism.objects[self._index()]

    def _change(self, **fields: Any) -> None:
        self._index()
        self._environment.edit(lambda scene: scene.changed(self._uid, **fields))


class Dummy(SceneObject):
    """A plain frame: link, base, tip or target."""

    __slots__ = ()

    @property
    def target(self) -> Dummy | None:
        """The dummy that this one is to be brought to; None detaches it."""
        record = self._record
        assert isinstance(record, Frame)
        return None if record.target is None else self._environment.dummy(record.target)

    @target.setter
    def target(self, target: Dummy | str | None) -> None:
        if target is None:
            self._change(target=None)
            return
        if isinstance(target, Dummy):
            self._environment.uid_of(target)  # refuses one of another environment
            target = target.name
        wanted = self._environment.dummy(target)
        present = self.target
        if present is not None and present != wanted:
            raise InvalidStateError(
                f'{self.name!r} has the target {present.name!r}; set it to None before another one'
            )
        if wanted == self:
            raise InvalidArgumentError(f'{self.name!r} cannot be its own target')
        self._change(target=wanted.name)
