# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A mechanism with its joint positions at one moment.

A scene never changes: an edit makes a new one, checked as a whole, and the environment takes it or
keeps the old one. So a solve in another thread sees one moment, and a refused edit loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
import math
from typing import Any

from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import into_limits
from ik_node.kernels.rotations import TWO_PI
from ik_node.model.limit_rows import is_periodic
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Frame, Joint, JointKind, Thing, WORLD
from ik_node.model.tables import Tables
from ik_node.model.walk import inverse, motion, Position
import numpy as np

WORLD_UID = -1
"""Stands for the world where an object is asked for."""
ERASED_UID = -2
"""Stands for an object that an element lacked when it was saved; no object has it."""


@dataclass(frozen=True)
class Scene:
    """A mechanism, the identity of its objects, and where its joints are."""

    mechanism: Mechanism
    uids: tuple[int, ...]
    """Identity of each object, for as long as the environment lives."""
    positions: Mapping[str, Position]
    """Of every joint that follows no other one [rad or m; rotation vector]."""

    @cached_property
    def index(self) -> Mapping[int, int]:
        """Index into the objects by identity; the world is at WORLD."""
        return {uid: i for i, uid in enumerate(self.uids)} | {WORLD_UID: WORLD}

    @cached_property
    def held(self) -> dict[str, Position]:
        """Where the passive joints are."""
        return {
            joint.name: self.positions[joint.name]
            for joint in self.mechanism.variables
            if joint.passive
        }

    def coordinates(self, tables: Tables) -> FloatArray:
        """Collect the positions of the independent joints of tables, in their order."""
        values: list[float] = []
        for name in tables.joint_names:
            at = self.positions[name]
            values += [at] if isinstance(at, float) else at
        return np.array(values)

    def placed(self, tables: Tables, q: FloatArray) -> Scene:
        """Replace the positions of the independent joints of tables by their coordinates."""
        moved: dict[str, Position] = {}
        first = 0
        for name in tables.joint_names:
            if isinstance(self.positions[name], float):
                moved[name] = float(q[first])
                first += 1
            else:
                x, y, z = q[first : first + 3].tolist()
                moved[name] = (x, y, z)
                first += 3
        return self.moved(moved)

    def position(self, name: str) -> Position:
        """Compute where a joint is, by itself or by what it follows."""
        drive = self.mechanism.drive(name)
        at = self.positions[drive.variable.name]
        return drive.position(at) if isinstance(at, float) else at

    def T_world(self, index: int, *, fixed: bool = False) -> FloatArray:
        """
        Compute the pose of an object.

        Parameters
        ----------
        index : int
            Index of the object, or WORLD.
        fixed : bool
            Of a joint the fixed frame instead of the moving one.

        Returns
        -------
        (4, 4) float64

        """
        pose = np.eye(4)
        while index != WORLD:
            thing = self.mechanism.objects[index]
            if isinstance(thing, Joint) and not fixed:
                pose = motion(thing, self.position(thing.name)) @ pose
            pose = thing.T_parent_self @ pose
            fixed = False
            index = thing.parent
        return pose

    def T_relative(self, index: int, reference: int) -> FloatArray:
        """Compute the pose of an object (a joint: its fixed frame) in a moving frame."""
        return inverse(self.T_world(reference)) @ self.T_world(index, fixed=True)

    # -- Edits. Each returns a new scene or raises and changes nothing. --

    def added(self, uid: int, thing: Thing, parent: int) -> Scene:
        """Add an object that hangs on the object with the identity `parent`."""
        entries = [*self._entries(), (uid, thing, parent)]
        return self._rebuilt(entries)

    def erased(self, uid: int) -> Scene:
        """Take an object away; what hangs on it moves up and stays where it is."""
        gone = self.mechanism.objects[self.index[uid]]
        above = self._parent_uid(uid)
        T_world_above = self.T_world(self.index[above])
        entries = []
        for other, thing, parent in self._entries():
            if other == uid:
                continue
            if parent == uid:
                T_world_thing = self.T_world(self.index[other], fixed=True)
                thing = replace(thing, T_parent_self=inverse(T_world_above) @ T_world_thing)
                parent = above
            entries.append((other, self._without_reference(thing, gone), parent))
        return self._rebuilt(entries)

    def _without_reference(self, thing: Thing, gone: Thing) -> Thing:
        if isinstance(thing, Joint) and isinstance(gone, Joint):
            if thing.dependency is not None and thing.dependency.master == gone.name:
                return replace(thing, dependency=None)
        elif isinstance(thing, Frame) and isinstance(gone, Frame) and thing.target == gone.name:
            return replace(thing, target=None)
        return thing

    def reparented(self, uid: int, parent: int, *, keep_in_place: bool) -> Scene:
        """Hang an object on another one."""
        above = parent
        while above != WORLD_UID:
            if above == uid:
                name = self.mechanism.objects[self.index[uid]].name
                raise InvalidArgumentError(
                    f'{name!r} cannot hang on itself or on what hangs on it; choose another parent'
                )
            above = self._parent_uid(above)
        entries = list(self._entries())
        at = self.index[uid]
        thing = entries[at][1]
        if keep_in_place:
            T_parent_self = self.T_relative(at, self.index[parent])
            thing = replace(thing, T_parent_self=T_parent_self)
        entries[at] = (uid, thing, parent)
        return self._rebuilt(entries)

    def changed(self, uid: int, **fields: Any) -> Scene:
        """Change fields of one object; references by name follow a new name."""
        entries = list(self._entries())
        at = self.index[uid]
        old = entries[at][1]
        new = replace(old, **fields)
        entries[at] = (uid, new, entries[at][2])
        positions = dict(self.positions)
        if new.name != old.name:
            entries = [(u, _renamed(t, old, new.name), p) for u, t, p in entries]
            if old.name in positions and isinstance(old, Joint):
                positions[new.name] = positions.pop(old.name)
        scene = self._rebuilt(entries, positions)
        return scene.clamped(new.name) if isinstance(new, Joint) else scene

    def moved(self, positions: Mapping[str, Position]) -> Scene:
        """Replace positions of independent joints."""
        return replace(self, positions={**self.positions, **positions})

    def clamped(self, name: str) -> Scene:
        """Bring one independent joint into its limits."""
        joint = self.mechanism.joint(name)
        at = self.positions.get(name)
        if not isinstance(at, float):
            return self
        lower, upper = self.mechanism.bounds(name)
        period = TWO_PI if is_periodic(self.mechanism, joint) else 0.0
        return self.moved({name: float(into_limits(at, lower, upper, period))})

    def _parent_uid(self, uid: int) -> int:
        parent = self.mechanism.objects[self.index[uid]].parent
        return WORLD_UID if parent == WORLD else self.uids[parent]

    def _entries(self) -> list[tuple[int, Thing, int]]:
        return [
            (uid, thing, WORLD_UID if thing.parent == WORLD else self.uids[thing.parent])
            for uid, thing in zip(self.uids, self.mechanism.objects, strict=True)
        ]

    def _rebuilt(
        self,
        entries: list[tuple[int, Thing, int]],
        positions: Mapping[str, Position] | None = None,
    ) -> Scene:
        uids, objects = _parents_first(entries)
        mechanism = replace(self.mechanism, objects=objects)
        known = self.positions if positions is None else positions
        laid = {}
        for joint in mechanism.variables:
            if joint.name in known:
                laid[joint.name] = known[joint.name]
            elif joint.name in self.mechanism.joint_indices:  # it followed another joint till now
                laid[joint.name] = self.position(joint.name)
            else:
                laid[joint.name] = initial_position(mechanism, joint)
        return Scene(mechanism, uids, laid)


def initial_scene(mechanism: Mechanism, new_uid: Callable[[], int]) -> Scene:
    """
    Place every joint of a mechanism where it starts.

    Parameters
    ----------
    mechanism : Mechanism
        Any.
    new_uid : callable
        Gives the identity of the next object.

    Returns
    -------
    Scene

    """
    positions = {joint.name: initial_position(mechanism, joint) for joint in mechanism.variables}
    return Scene(mechanism, tuple(new_uid() for _ in mechanism.objects), positions)


def initial_position(mechanism: Mechanism, joint: Joint) -> Position:
    """
    Choose where a joint starts: at zero, or in the middle of limits that exclude it.

    Returns
    -------
    float or tuple of float

    """
    if joint.kind is JointKind.SPHERICAL:
        return (0.0, 0.0, 0.0)
    lower, upper = mechanism.bounds(joint.name)
    if lower <= 0.0 <= upper:
        return 0.0
    middle = 0.5 * (lower + upper)
    return middle if math.isfinite(middle) else (lower if math.isfinite(lower) else upper)


def _renamed(thing: Thing, old: Thing, name: str) -> Thing:
    """Let references to an object follow its new name."""
    if isinstance(thing, Joint) and isinstance(old, Joint):
        dependency = thing.dependency
        if dependency is not None and dependency.master == old.name:
            return replace(thing, dependency=replace(dependency, master=name))
    elif isinstance(thing, Frame) and isinstance(old, Frame) and thing.target == old.name:
        return replace(thing, target=name)
    return thing


def _parents_first(
    entries: list[tuple[int, Thing, int]],
) -> tuple[tuple[int, ...], tuple[Thing, ...]]:
    """Order objects so that parents stand before children, otherwise as they are."""
    children: dict[int, list[tuple[int, Thing]]] = {}
    placed = {WORLD_UID: WORLD}
    uids: list[int] = []
    objects: list[Thing] = []

    def place(uid: int, thing: Thing, parent: int) -> None:
        placed[uid] = len(uids)
        uids.append(uid)
        # An object that keeps its place keeps its identity: what was compiled from it stays.
        index = placed[parent]
        objects.append(thing if thing.parent == index else replace(thing, parent=index))

    for uid, thing, parent in entries:
        if parent not in placed:
            children.setdefault(parent, []).append((uid, thing))
            continue
        stack = [(uid, thing, parent)]
        while stack:
            uid, thing, parent = stack.pop()
            place(uid, thing, parent)
            waiting = children.pop(uid, [])
            stack.extend((child, other, uid) for child, other in reversed(waiting))
    return tuple(uids), tuple(objects)
