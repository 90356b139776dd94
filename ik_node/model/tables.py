# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A mechanism, seen from one base, as the arrays that kernels run on.

The objects are hung up at the base: on the way from the base up to a common ancestor (or to the
world) a joint is traversed backwards, its motion inverted, on the way down to a tip forwards. So
any two frames are a chain. What does not move disappears into the poses of the joints around it:
frames, joints that are passive, and joints that follow a passive one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
import math
from types import MappingProxyType

from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.space import space_rows
from ik_node.kernels.rotations import rotation_exp, TWO_PI
from ik_node.kernels.tree import PRISMATIC, REVOLUTE, SPHERICAL
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, JointKind, WORLD
from ik_node.model.reach import build_reach, Reach
import numpy as np

_FREE_DRAW_LENGTH = 1.0
"""Half width [m] of random draws around the seed for a prismatic joint without limits."""
_FREE_DRAW_TURNS = 2.0
"""The same in turns for a turning joint without limits that is not back after a full turn."""

_KINDS = {
    JointKind.REVOLUTE: REVOLUTE,
    JointKind.PRISMATIC: PRISMATIC,
    JointKind.SPHERICAL: SPHERICAL,
}


@dataclass(frozen=True)
class Tables:
    """Input of `ik_node.kernels.tree` and `ik_node.kernels.limits`; arrays are read-only."""

    joint_names: tuple[str, ...]
    """Independent joints that move something, from the base outwards."""
    coordinate_names: tuple[str, ...]
    """(n,) the order of q: joint names; `name/x`, `/y`, `/z` for a spherical joint."""
    nodes: FloatArray
    """(k, 15) joint poses, multiplier, offset, screw advance."""
    wiring: IntArray
    """(k, 3) parent node, kind, variable."""
    tips: FloatArray
    """(t, 12) poses of the tips in their nodes."""
    tip_nodes: IntArray
    """(t,) nodes of the tips, -1 for the base."""
    limits: FloatArray
    """(n, 5) lower, upper, period, half width of free draws, coordinates of the joint."""
    functions: tuple[tuple[int, Callable[[float], float]], ...]
    """Nodes whose position is a function of their variable, to be linearised at every step."""
    node_names: tuple[str, ...]
    """(k,) the joint that each node is."""

    @cached_property
    def lane_rows(self) -> int:
        """
        Rows of the work space of the kernels in lanes; 0 where they do not serve.

        They do not know spherical joints and functions, and without a compiler a lane costs as
        much as a start of its own.
        """
        if not COMPILED or self.functions or (self.wiring[:, 1] == SPHERICAL).any():
            return 0
        return space_rows(len(self.nodes), len(self.limits), len(self.tips))

    @cached_property
    def extent(self) -> float:
        """Lengths between the joints and travels of slides and screws, summed [m]."""
        span = np.diff(self.limits[:, :2], axis=1)[:, 0]
        per_unit = np.where(self.wiring[:, 1] == PRISMATIC, 1.0, self.nodes[:, 14])
        slides = np.flatnonzero(per_unit)
        travel = np.abs(per_unit * self.nodes[:, 12])[slides] @ span[self.wiring[slides, 2]]
        lengths = np.linalg.norm(self.nodes[:, 9:12], axis=1).sum()
        return float(travel + lengths + np.linalg.norm(self.tips[:, 9:12], axis=1).sum())

    @cached_property
    def reach(self) -> Reach:
        """What every reachable pose meets; made when first asked for, as poses do not need it."""
        return self._reach({node for node, _ in self.functions})

    @cached_property
    def reach_without_limits(self) -> Reach:
        """What every pose would meet if the joints had no limits."""
        return self._reach(range(len(self.nodes)))

    def _reach(self, unbounded: Collection[int]) -> Reach:
        return build_reach(
            self.nodes,
            self.wiring,
            self.node_names,
            self.tips,
            self.tip_nodes,
            self.limits,
            unbounded,
        )


Position = float | tuple[float, float, float]
"""Where a joint is: [rad or m], or the rotation vector [rad] of a spherical joint."""


def compile_tables(
    mechanism: Mechanism,
    base: int,
    tips: Sequence[int],
    held: Mapping[str, Position] = MappingProxyType({}),
) -> Tables:
    """
    Compile the part of a mechanism between a base and some tips.

    Parameters
    ----------
    mechanism : Mechanism
        The whole robot.
    base : int
        Object in whose frame everything is given (a joint: its fixed frame); WORLD for the world.
    tips : sequence of int
        Objects to reach or to know the pose of (a joint: its moving frame).
    held : mapping of str to Position, optional
        Where passive joints are; those not named are at zero.

    Returns
    -------
    Tables

    """
    walk = _Walk(mechanism, base, held)
    places = [walk.visit(tip) for tip in tips]
    nodes = np.array(walk.nodes, dtype=np.float64).reshape(-1, 15)
    wiring = np.array(walk.wiring, dtype=np.int64).reshape(-1, 3)
    flat_tips = np.array([_flat(pose) for _, pose in places]).reshape(-1, 12)
    tip_nodes = np.array([node for node, _ in places], dtype=np.int64)
    joints = [mechanism.joint(name) for name in walk.variables]
    limits = np.array([row for joint in joints for row in _limit_rows(mechanism, joint)])
    limits = limits.reshape(-1, 5)
    for array in (nodes, wiring, flat_tips, tip_nodes, limits):
        array.setflags(write=False)
    return Tables(
        tuple(walk.variables),
        tuple(name for joint in joints for name in coordinate_names(joint)),
        nodes,
        wiring,
        flat_tips,
        tip_nodes,
        limits,
        tuple(walk.functions),
        tuple(walk.names),
    )


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


class _Walk:
    """Collects nodes while objects are visited, and remembers where each object is."""

    def __init__(self, mechanism: Mechanism, base: int, held: Mapping[str, Position]) -> None:
        self.mechanism = mechanism
        self.held = held
        self.nodes: list[FloatArray] = []
        self.wiring: list[tuple[int, int, int]] = []
        self.names: list[str] = []
        self.variables: dict[str, int] = {}
        self.functions: list[tuple[int, Callable[[float], float]]] = []
        self._size = 0
        place: Place = (-1, np.eye(4))
        if base != WORLD and isinstance(joint := mechanism.objects[base], Joint):
            # The fixed frame of a joint is rigid to what the joint hangs on.
            place, base = (-1, inverse(joint.T_parent_self)), joint.parent
        self._places = {base: place}
        self._above = ancestors(mechanism, base)

    def visit(self, index: int) -> Place:
        """Return the place of an object, placing what lies between it and the base."""
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
        if drive.variable.passive:
            at = self.held.get(drive.variable.name, 0.0)
            moved = motion(joint, drive.position(at) if isinstance(at, float) else at)
            return node, pose @ (inverse(moved) if backwards else moved)
        if drive.variable.name not in self.variables:
            self.variables[drive.variable.name] = self._size
            self._size += drive.variable.size
        sense = -1.0 if backwards else 1.0
        advance = joint.screw_lead / TWO_PI if joint.turns else 0.0
        multiplier, offset = sense * drive.multiplier, sense * drive.offset
        index = len(self.nodes)
        self.nodes.append(np.append(_flat(pose), [multiplier, offset, advance]))
        self.names.append(joint.name)
        self.wiring.append((node, _KINDS[joint.kind], self.variables[drive.variable.name]))
        if drive.function is not None:
            function = drive.function
            self.functions.append((index, (lambda q: -function(q)) if backwards else function))
        return index, np.eye(4)


def _flat(pose: FloatArray) -> FloatArray:
    return np.append(pose[:3, :3].ravel(), pose[:3, 3])


def _limit_rows(mechanism: Mechanism, joint: Joint) -> list[tuple[float, ...]]:
    if joint.kind is JointKind.SPHERICAL:
        return [(-math.inf, math.inf, 0.0, math.pi, size) for size in (3.0, 0.0, 0.0)]
    lower, upper = mechanism.bounds(joint.name)
    periodic = is_periodic(mechanism, joint)
    half_width = _FREE_DRAW_LENGTH
    if joint.turns:
        # A screw, or a joint with a follower that does not make full turns with it, is somewhere
        # else after a turn.
        half_width = math.pi if periodic else _FREE_DRAW_TURNS * TWO_PI
    return [(lower, upper, TWO_PI if periodic else 0.0, half_width, 1.0)]


def is_periodic(mechanism: Mechanism, joint: Joint) -> bool:
    """
    Tell whether a full turn of a joint changes no pose.

    Parameters
    ----------
    mechanism : Mechanism
        Where the joint is.
    joint : Joint
        An independent one.

    Returns
    -------
    bool
        False for a screw, and where a follower does not make full turns with it.

    """
    return _turns_whole(joint) and all(
        _turns_whole(follower) and drive.function is None and drive.multiplier % 1.0 == 0.0
        for follower, drive in mechanism.followers(joint.name)
    )


def _turns_whole(joint: Joint) -> bool:
    return joint.turns and joint.screw_lead == 0.0
