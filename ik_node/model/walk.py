# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The way from one object of a mechanism to others, as nodes of a tree of moving joints.

The objects are hung up at the base: on the way from the base up to a common ancestor (or to the
world) a joint is traversed backwards, its motion inverted, on the way down to a tip forwards. So
any two frames are a chain. What does not move disappears into the poses of the joints around it:
frames, joints that are held, and joints that follow a held one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math

from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import rotation_exp, TWO_PI
from ik_node.kernels.tree import PRISMATIC, REVOLUTE, SPHERICAL
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, JointKind, WORLD
import numpy as np

_KINDS = {
    JointKind.REVOLUTE: REVOLUTE,
    JointKind.PRISMATIC: PRISMATIC,
    JointKind.SPHERICAL: SPHERICAL,
}

Position = float | tuple[float, float, float]
"""Where a joint is: [rad or m], or the rotation vector [rad] of a spherical joint."""


def coordinate_names(joint: Joint) -> tuple[str, ...]:
    """
    Name the coordinates of a joint.

    Parameters
    ----------
    joint : Joint
        Of any kind.

    Returns
    -------
    tuple of str
        Its name, or `name/x`, `name/y`, `name/z` for the rotation vector of a spherical joint.

    """
    if joint.kind is JointKind.SPHERICAL:
        return tuple(f'{joint.name}/{axis}' for axis in 'xyz')
    return (joint.name,)


def ancestors(mechanism: Mechanism, index: int) -> list[int]:
    """
    List an object and everything that it hangs on.

    Returns
    -------
    list of int
        From the object to WORLD.

    """
    path = [index]
    while path[-1] != WORLD:
        path.append(mechanism.objects[path[-1]].parent)
    return path


def inverse(pose: FloatArray) -> FloatArray:
    """
    Invert a rigid transform.

    Parameters
    ----------
    pose : (4, 4) float64
        T_a_b.

    Returns
    -------
    (4, 4) float64
        T_b_a.

    """
    inverted = np.eye(4)
    inverted[:3, :3] = pose[:3, :3].T
    inverted[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverted


def motion(joint: Joint, position: Position) -> FloatArray:
    """
    Compute the pose of the moving frame of a joint in its fixed frame.

    Parameters
    ----------
    joint : Joint
        Of any kind.
    position : float or tuple of float
        [rad or m]; of a spherical joint its rotation vector [rad].

    Returns
    -------
    (4, 4) float64

    """
    pose = np.eye(4)
    values = np.broadcast_to(np.asarray(position, dtype=float), (joint.size,))
    if joint.kind is JointKind.SPHERICAL:
        pose[:3, :3] = np.reshape(rotation_exp(*values.tolist()), (3, 3))
    elif joint.kind is JointKind.PRISMATIC:
        pose[2, 3] = values[0]
    else:
        sine, cosine = math.sin(values[0]), math.cos(values[0])
        pose[:2, :2] = [[cosine, -sine], [sine, cosine]]
        pose[2, 3] = joint.screw_lead / TWO_PI * values[0]
    return pose


Place = tuple[int, FloatArray]
"""A node and a pose in its moving frame; node -1 is the base."""


class Walk:
    """
    Collects nodes while objects are visited, and remembers where each object is.

    Parameters
    ----------
    mechanism : Mechanism
        The whole robot.
    base : int
        Object in whose frame everything is placed (a joint: its fixed frame), or WORLD.
    held : mapping of str to Position
        Independent joints that do not move, and where they are. Passive ones that are not named
        are held at zero.
    columns : sequence of str
        Independent joints that are the first variables, whether they move anything or not.

    """

    def __init__(
        self,
        mechanism: Mechanism,
        base: int,
        held: Mapping[str, Position],
        columns: Sequence[str] = (),
    ) -> None:
        self.mechanism = mechanism
        self.held = held
        self.crossed: dict[str, Position] = {}
        """Held joints that something placed so far depends on."""
        self.nodes: list[FloatArray] = []
        self.wiring: list[tuple[int, int, int]] = []
        self.names: list[str] = []
        self.variables: dict[str, int] = {}
        self.functions: list[tuple[int, Callable[[float], float]]] = []
        self._size = 0
        for name in columns:
            self._add_variable(mechanism.joint(name))
        place: Place = (-1, np.eye(4))
        if base != WORLD and isinstance(joint := mechanism.objects[base], Joint):
            # The fixed frame of a joint is rigid to what the joint hangs on.
            place, base = (-1, inverse(joint.T_parent_self)), joint.parent
        self._places = {base: place}
        self._above = ancestors(mechanism, base)

    def visit_fixed(self, index: int) -> Place:
        """Return the place of an object; of a joint that of its fixed frame."""
        if index != WORLD and isinstance(joint := self.mechanism.objects[index], Joint):
            node, pose = self.visit(joint.parent)
            return node, pose @ joint.T_parent_self
        return self.visit(index)

    def visit(self, index: int) -> Place:
        """Return the place of an object; of a joint that of its moving frame."""
        objects = self.mechanism.objects
        down = []
        while index not in self._places and index not in self._above:
            down.append(index)
            index = objects[index].parent
        place = self._climb_to(index)
        for index in reversed(down):
            thing = objects[index]
            place = (place[0], place[1] @ thing.T_parent_self)
            if isinstance(thing, Joint):
                place = self._move(thing, place, backwards=False)
            self._places[index] = place
        return place

    def _climb_to(self, index: int) -> Place:
        """Place what the base hangs on, no farther than needed: joints above move nothing."""
        for below in self._above:
            if index in self._places:
                break
            thing = self.mechanism.objects[below]
            if thing.parent not in self._places:
                place = self._places[below]
                if isinstance(thing, Joint):
                    place = self._move(thing, place, backwards=True)
                self._places[thing.parent] = (
                    place[0],
                    place[1] @ inverse(thing.T_parent_self),
                )
        return self._places[index]

    def _move(self, joint: Joint, place: Place, *, backwards: bool) -> Place:
        """Cross the motion of a joint."""
        drive = self.mechanism.drive(joint.name)
        node, pose = place
        name = drive.variable.name
        if drive.variable.passive or name in self.held:
            at = self.crossed[name] = self.held.get(name, 0.0)
            moved = motion(joint, drive.position(at) if isinstance(at, float) else at)
            return node, pose @ (inverse(moved) if backwards else moved)
        if name not in self.variables:
            self._add_variable(drive.variable)
        sense = -1.0 if backwards else 1.0
        advance = joint.screw_lead / TWO_PI if joint.turns else 0.0
        multiplier, offset = sense * drive.multiplier, sense * drive.offset
        index = len(self.nodes)
        self.nodes.append(np.append(flat(pose), [multiplier, offset, advance]))
        self.names.append(joint.name)
        self.wiring.append((node, _KINDS[joint.kind], self.variables[name]))
        if drive.function is not None:
            function = drive.function
            self.functions.append((index, (lambda q: -function(q)) if backwards else function))
        return index, np.eye(4)

    def _add_variable(self, joint: Joint) -> None:
        self.variables[joint.name] = self._size
        self._size += joint.size


def flat(pose: FloatArray) -> FloatArray:
    """
    Lay a pose out as kernels read it.

    Parameters
    ----------
    pose : (4, 4) float64
        Any.

    Returns
    -------
    (12,) float64
        Rotation row-major, then position.

    """
    return np.append(pose[:3, :3].ravel(), pose[:3, 3])
