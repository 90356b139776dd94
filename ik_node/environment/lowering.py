# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
From elements on a scene to the tables that kernels run on.

The columns are the joints between base and tip of every element, those of the first element first
and each joint once. All other joints are held where they are, also those that move a target or the
axes of a position. Whatever the columns move counts: a target that hangs on them, axes, a base.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ik_node.environment.calculation import Constraint
from ik_node.environment.element import ElementRecord
from ik_node.environment.scene import Scene
from ik_node.kernels.arrays import FloatArray
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Frame, Joint, Thing, WORLD
from ik_node.model.tables import compile_tasks, Tables, Task
from ik_node.model.walk import ancestors, inverse, Position, Walk
import numpy as np


@dataclass(frozen=True)
class Lowered:
    """Elements as tables, a tip for each, and what they were made from."""

    tables: Tables
    T_node_reference: FloatArray
    """(t, 4, 4) from the frame that a target is given in to the node that kernels want it in."""
    follows: tuple[bool, ...]
    """(t,) whether a target is given in the frame of the tip's target dummy, not of the base."""
    records: tuple[ElementRecord, ...]
    mechanism: Mechanism
    things: tuple[Thing, ...]
    crossed: dict[str, Position]

    def fitted(self, scene: Scene, records: Sequence[ElementRecord]) -> Lowered | None:
        """Give the same for some elements on a scene; None where they have other tables."""
        if self.records != tuple(records):
            return None
        if any(scene.positions.get(name) != at for name, at in self.crossed.items()):
            return None
        if self.mechanism is scene.mechanism:
            return self
        gone = any(uid not in scene.index for record in records for uid in record.named())
        if gone or self.things != _things(scene, records, self.tables.joint_names):
            return None
        return replace(self, mechanism=scene.mechanism)


def columns_of(scene: Scene, record: ElementRecord) -> tuple[str, ...]:
    """
    List the independent joints that move the tip of an element seen from its base.

    Returns
    -------
    tuple of str
        From the base to the tip. Empty where the element cannot be used: it refers to something
        that is gone, or no joint between base and tip can move.

    """
    index = scene.index
    if any(uid not in index for uid in record.named()):
        return ()
    walk = Walk(scene.mechanism, index[record.base], scene.held)
    walk.visit(index[record.tip])
    return tuple(walk.variables)


def target_of(scene: Scene, record: ElementRecord) -> int | None:
    """
    Find the dummy that is the target of the tip of an element.

    Returns
    -------
    int or None
        Its index; None where the tip has none.

    """
    tip = scene.mechanism.objects[scene.index[record.tip]]
    if not isinstance(tip, Frame) or tip.target is None:
        return None
    return scene.mechanism.frame_index(tip.target)


def lower(scene: Scene, records: Sequence[ElementRecord], given: Collection[int] = ()) -> Lowered:
    """
    Compile elements that can be used.

    Parameters
    ----------
    scene : Scene
        Objects and positions.
    records : sequence of ElementRecord
        At least one; each with columns, see `columns_of`.
    given : collection of int, optional
        Which of them have a target of the caller's, in the frame of the base.

    Returns
    -------
    Lowered

    """
    index = scene.index
    columns = dict.fromkeys(name for record in records for name in columns_of(scene, record))
    held = {name: at for name, at in scene.positions.items() if name not in columns}
    tasks, follows = [], []
    for i, record in enumerate(records):
        base = index[record.base]
        target = None if i in given else target_of(scene, record)
        follow = target is not None and _moves(scene.mechanism, base, target, columns)
        axes = record.base if record.constraints_base is None else record.constraints_base
        tasks.append(
            Task(
                index[record.tip],
                target if follow and target is not None else base,
                index[axes],
                int(record.constraints),
            )
        )
        follows.append(follow)
    root = index[records[0].base]
    compiled = compile_tasks(scene.mechanism, root, tasks, held, tuple(columns))
    return Lowered(
        compiled.tables,
        compiled.T_node_reference,
        tuple(follows),
        tuple(records),
        scene.mechanism,
        _things(scene, records, columns),
        compiled.crossed,
    )


def own_targets(scene: Scene, lowered: Lowered) -> list[FloatArray | None]:
    """
    Compute the targets that tips have by themselves, in the frames that the tables want.

    Returns
    -------
    list of (4, 4) float64 or None
        T_reference_target of each tip; None where it has no target.

    """
    targets: list[FloatArray | None] = []
    for record, follows in zip(lowered.records, lowered.follows, strict=True):
        target = target_of(scene, record)
        if target is None:
            targets.append(None)
        elif follows:
            targets.append(np.eye(4))
        else:
            T_world_base = scene.T_world(scene.index[record.base], fixed=True)
            targets.append(inverse(T_world_base) @ scene.T_world(target))
    return targets


def _path(mechanism: Mechanism, a: int, b: int) -> list[Thing]:
    """List the objects whose motion or place makes a difference between two of them."""
    between = set(ancestors(mechanism, a)) ^ set(ancestors(mechanism, b)) | {a, b}
    return [mechanism.objects[i] for i in sorted(between) if i != WORLD]


def _moves(mechanism: Mechanism, base: int, target: int, columns: Collection[str]) -> bool:
    """Tell whether some column moves a target seen from a base."""
    if base != WORLD and isinstance(joint := mechanism.objects[base], Joint):
        base = joint.parent  # to which the fixed frame of a joint is rigid
    between = set(ancestors(mechanism, base)) ^ set(ancestors(mechanism, target))
    return any(
        isinstance(thing, Joint) and mechanism.drive(thing.name).variable.name in columns
        for thing in (mechanism.objects[i] for i in between)
    )


def _things(
    scene: Scene, records: Sequence[ElementRecord], columns: Collection[str]
) -> tuple[Thing, ...]:
    """List everything that the tables depend on: objects between the frames, and drives."""
    mechanism, index = scene.mechanism, scene.index
    root = index[records[0].base]
    listed: list[Thing] = []
    for record in records:
        base = index[record.base]
        axes = base if record.constraints_base is None else index[record.constraints_base]
        places = {root, index[record.tip], base, axes}
        target = target_of(scene, record)
        if target is not None:
            if _moves(mechanism, base, target, columns):
                places.add(target)
            else:
                # Its pose is no part of the tables, but what would move it is.
                path = _path(mechanism, base, target)
                listed.extend(thing for thing in path if isinstance(thing, Joint))
        for place in sorted(places):
            listed.extend(_path(mechanism, root, place))
    joints = [thing for thing in listed if isinstance(thing, Joint)]
    for name in dict.fromkeys(mechanism.drive(joint.name).variable.name for joint in joints):
        listed.append(mechanism.joint(name))
        listed.extend(follower for follower, _ in mechanism.followers(name))
    return tuple(listed)


def chains(scene: Scene, lowered: Lowered) -> tuple[Tables, ...]:
    """
    Compile each tip seen from its own base, with the columns of all.

    Parameters
    ----------
    scene : Scene
        What the elements were lowered from.
    lowered : Lowered
        The elements.

    Returns
    -------
    tuple of Tables
        With one tip each.

    """
    if len(lowered.records) == 1:
        return (lowered.tables,)
    index, columns = scene.index, lowered.tables.joint_names
    held = {name: at for name, at in scene.positions.items() if name not in columns}
    tables = []
    for record in lowered.records:
        base = index[record.base]
        task = Task(index[record.tip], base, base, int(Constraint.POSE))
        tables.append(compile_tasks(scene.mechanism, base, [task], held, columns).tables)
    return tuple(tables)
