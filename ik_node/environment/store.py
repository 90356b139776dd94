# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects by name: create, find, edit, erase."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
import itertools
import threading
from types import MappingProxyType
from typing import Any

from ik_node.constraints.pose import pose_target
from ik_node.environment.joint import Joint, JOINT_ATTRIBUTES
from ik_node.environment.objects import Dummy, SceneObject
from ik_node.environment.scene import initial_scene, Scene, WORLD_UID
from ik_node.errors import InvalidArgumentError, InvalidStateError, shown, UnknownNameError
from ik_node.model.joint_defaults import joint_defaults
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Frame, JointKind, WORLD
from ik_node.model.objects import Joint as JointRecord
import numpy as np
from numpy.typing import ArrayLike


class ObjectStore:
    """
    Dummies and joints in one scene, which an edit replaces as a whole.

    A reader in another thread always sees a consistent scene, and an edit that fails changes
    nothing.

    Parameters
    ----------
    mechanism : Mechanism
        What to begin with.

    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._uids = itertools.count()
        self._lock = threading.RLock()
        self._scene = initial_scene(mechanism, self._uids.__next__)

    def _adopt(self, other: ObjectStore) -> None:
        """Take over the scene of another store, with the same identities."""
        self._scene = other._scene
        # Identities that the other one gave to objects that it has erased must not come again.
        self._uids = itertools.count(next(other._uids))

    @property
    def lock(self) -> threading.RLock:
        """What edits are made under; hold it to make several library calls one."""
        return self._lock

    @property
    def scene(self) -> Scene:
        """What there is and where it is, at this moment."""
        return self._scene

    @property
    def mechanism(self) -> Mechanism:
        """The objects as immutable data."""
        return self._scene.mechanism

    @property
    def objects(self) -> tuple[SceneObject, ...]:
        """All objects, parents before children."""
        return tuple(self.object_at(i) for i in range(len(self._scene.uids)))

    @property
    def joints(self) -> Mapping[str, Joint]:
        """The joints by name; a snapshot."""
        return MappingProxyType({name: self.joint(name) for name in self.mechanism.joint_indices})

    @property
    def dummies(self) -> Mapping[str, Dummy]:
        """The dummies by name; a snapshot."""
        return MappingProxyType({name: self.dummy(name) for name in self.mechanism.frame_indices})

    def __contains__(self, name: object) -> bool:
        return name in self.mechanism.joint_indices or name in self.mechanism.frame_indices

    def __getitem__(self, name: str) -> SceneObject:
        """
        Find an object by name.

        Raises
        ------
        UnknownNameError
            No object has this name.
        InvalidArgumentError
            A link and a joint have it, as a URDF may say.

        """
        mechanism = self.mechanism
        if not isinstance(name, str):
            raise UnknownNameError('object', name, [o.name for o in mechanism.objects])
        if name in mechanism.joint_indices and name in mechanism.frame_indices:
            raise InvalidArgumentError(
                f'{name!r} is a link and a joint; ask for dummy({name!r}) or joint({name!r})'
            )
        if name in mechanism.joint_indices:
            return self.joint(name)
        if name in mechanism.frame_indices:
            return self.dummy(name)
        raise UnknownNameError('object', name, [o.name for o in mechanism.objects])

    def joint(self, name: str) -> Joint:
        """
        Find a joint.

        Raises
        ------
        UnknownNameError
            No joint has this name.

        """
        scene = self._scene
        scene.mechanism.joint(name)
        return Joint(self, scene.uids[scene.mechanism.joint_indices[name]])

    def dummy(self, name: str) -> Dummy:
        """
        Find a dummy.

        Raises
        ------
        UnknownNameError
            No dummy has this name.

        """
        scene = self._scene
        return Dummy(self, scene.uids[scene.mechanism.frame_index(name)])

    def object_at(self, index: int) -> SceneObject:
        """
        Give the object at a place of the list of objects.

        Returns
        -------
        SceneObject

        """
        scene = self._scene
        kind = Joint if isinstance(scene.mechanism.objects[index], JointRecord) else Dummy
        return kind(self, scene.uids[index])

    def uid_of(self, thing: SceneObject | str | None) -> int:
        """
        Identify an object of this environment.

        Parameters
        ----------
        thing : SceneObject, str or None
            An object, its name, or None (or 'world') for the world.

        Returns
        -------
        int

        """
        if thing is None or (isinstance(thing, str) and thing == 'world' and 'world' not in self):
            return WORLD_UID
        if isinstance(thing, str):
            return self[thing].uid
        if not isinstance(thing, SceneObject) or not thing.belongs_to(self):
            raise InvalidArgumentError(f'{shown(thing)} is no object of this environment')
        return thing.uid

    def object_of(self, uid: int) -> SceneObject | None:
        """
        Give the object with an identity.

        Returns
        -------
        SceneObject or None
            None for the world.

        Raises
        ------
        InvalidStateError
            It has been erased.

        """
        if uid == WORLD_UID:
            return None
        scene = self._scene
        if uid not in scene.index:
            raise InvalidStateError('the object has been erased from its environment')
        return self.object_at(scene.index[uid])

    def create_dummy(
        self,
        name: str | None = None,
        parent: SceneObject | str | None = None,
        pose: ArrayLike | None = None,
    ) -> Dummy:
        """
        Create a plain frame.

        Parameters
        ----------
        name : str, optional
            A name that no object has; None: 'dummy0', 'dummy1', ...
        parent : SceneObject, str or None
            What it hangs on; None for the world.
        pose : (4, 4) array_like, optional
            Pose relative to the parent (a joint: its moving frame); None: the same frame.

        Returns
        -------
        Dummy

        """
        T_parent_self = np.eye(4) if pose is None else pose_target(pose).copy()
        with self._lock:
            name = self._free_name('dummy') if name is None else name
            self.check_new_name(name)
            uid = next(self._uids)
            parent_uid = self.uid_of(parent)
            self.edit(
                lambda scene: scene.added(uid, Frame(name, WORLD, T_parent_self), parent_uid)
            )
        return Dummy(self, uid)

    def create_joint(
        self,
        name: str | None = None,
        kind: JointKind | str = JointKind.REVOLUTE,
        parent: SceneObject | str | None = None,
        pose: ArrayLike | None = None,
        **attributes: Any,
    ) -> Joint:
        """
        Create a joint.

        Parameters
        ----------
        name : str, optional
            A name that no object has; None: 'joint0', 'joint1', ...
        kind : JointKind or str
            'revolute', 'prismatic' or 'spherical'.
        parent : SceneObject, str or None
            What it hangs on; None for the world.
        pose : (4, 4) array_like, optional
            Pose of the fixed frame relative to the parent (a joint: its moving frame).
        **attributes
            Attributes of `Joint` to set: limits, interval, cyclic, screw_lead, passive, weight,
            max_step, limit_margin, velocity, position, orientation. Without them a revolute joint
            is cyclic and a prismatic one moves from -0.5 to 0.5 m.

        Returns
        -------
        Joint

        Raises
        ------
        InvalidArgumentError, InvalidStateError, UnknownNameError
            A name that is taken, an unknown kind or attribute, a value out of its range, one that
            such a joint does not have. Nothing has been created then.

        """
        try:
            kind = JointKind(kind)
        except ValueError:
            kinds = ', '.join(repr(one.value) for one in JointKind)
            raise InvalidArgumentError(
                f'kind is {shown(kind)}; it must be one of {kinds}'
            ) from None
        for attribute in attributes:
            if attribute not in JOINT_ATTRIBUTES:
                raise UnknownNameError('joint attribute', attribute, JOINT_ATTRIBUTES)
        T_parent_self = np.eye(4) if pose is None else pose_target(pose).copy()
        with self._lock:
            name = self._free_name('joint') if name is None else name
            self.check_new_name(name)
            uid = next(self._uids)
            parent_uid = self.uid_of(parent)
            record = JointRecord(name, WORLD, T_parent_self, kind=kind, **joint_defaults(kind))
            # On a draft, so that nobody sees the joint before it has its attributes.
            with self.transaction() as draft:
                draft.edit(lambda scene: scene.added(uid, record, parent_uid))
                joint = Joint(draft, uid)
                for attribute in (a for a in JOINT_ATTRIBUTES if a in attributes):
                    setattr(joint, attribute, attributes[attribute])
        return Joint(self, uid)

    def erase(self, thing: SceneObject | str) -> None:
        """
        Take an object away; what hangs on it moves up and stays where it is.

        References to it (targets, dependencies) are cleared. A group whose base or tip it was
        stays, and says so when it is used.
        """
        uid = self.uid_of(thing)
        self.edit(lambda scene: scene.erased(uid))

    def check_new_name(self, name: str) -> None:
        """
        Refuse a name that no new object can have.

        Raises
        ------
        InvalidArgumentError
            It is empty, stands for the world, or an object has it.

        """
        if not isinstance(name, str) or not name or name == 'world':
            raise InvalidArgumentError(
                f"{shown(name)} is no name for an object; it must be text, and 'world' is the "
                'world'
            )
        if name in self:
            raise InvalidArgumentError(f'an object is named {name!r}; choose another name')

    def edit(self, change: Callable[[Scene], Scene]) -> None:
        """
        Replace the scene by a changed one; when that fails it stays as it is.

        Parameters
        ----------
        change : callable
            Makes a new scene from the present one, or raises.

        """
        with self._lock:
            self._scene = change(self._scene)

    @contextmanager
    def transaction(self) -> Iterator[ObjectStore]:
        """
        Make several edits one: all of them are done at the end, or none if one of them fails.

        Yields
        ------
        ObjectStore
            A draft with the same objects. What is edited on it, and on objects that are asked of
            it, becomes the environment's when the block ends, and is lost when the block raises.
            The draft means nothing afterwards. Other threads wait with their edits, and see the
            environment as it was until then.

        """
        with self._lock:
            draft = ObjectStore(self.mechanism)
            # The same counter: an identity that is given in the draft must not come again.
            before = draft._scene = self._scene
            draft._uids = self._uids
            yield draft
            if self._scene is not before:
                raise InvalidStateError(
                    'the environment itself was edited inside of a transaction; edit the draft'
                )
            self._scene = draft._scene

    def _free_name(self, stem: str) -> str:
        return next(name for i in itertools.count() if (name := f'{stem}{i}') not in self)
