# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Landmarks of a chain: points and directions that more than one of its bodies keeps in place.

A point on the axis of a revolute joint, the center of a spherical one and the axis itself are
fixed in both bodies of the joint. What two bodies see of each other they see through these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
import math

from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.tree import compose, PRISMATIC, REVOLUTE, SPHERICAL
from ik_node.model.axis_points import choose_points, Vector
import numpy as np

# Distance of the points outside of the chain, relative to its size: nearer and farther ones prove
# less, several distances cost more than they add.
_OUTPOST = 2.0
TIP = 'the tip'
"""Label of what is no joint."""


@dataclass(frozen=True)
class Chain:
    """
    The joints from the base to one tip, with what each can do; m joints.

    The layout is the chain with all joints at position 0, seen from the base.
    """

    joints: FloatArray
    """(m, 12) frame of each joint in the layout: rotation row-major, position; z is the axis."""
    travel: FloatArray
    """(m, 4) how far it turns [rad] and slides [m]: lower, upper, lower, upper."""
    kinds: IntArray
    """(m,) see `ik_node.kernels.tree`."""
    names: tuple[str, ...]
    """(m,) names of the joints."""
    T_base_tip: FloatArray
    """(12,) pose of the tip in the layout."""

    @property
    def size(self) -> int:
        """Number of joints, and of the last body; the base is body 0."""
        return len(self.kinds)

    def axis(self, joint: int) -> FloatArray:
        """Give the axis of a joint in the layout, (3,)."""
        axis: FloatArray = self.joints[joint, [2, 5, 8]]
        return axis

    def pivots(self, joint: int) -> bool:
        """Tell whether a joint turns about its axis and does not slide along it."""
        return bool(self.kinds[joint] == REVOLUTE and not self.travel[joint, 2:].any())

    def parallel(self, joint: int, other: int) -> bool:
        """Tell whether two axes are parallel in the layout."""
        return bool(np.linalg.norm(np.cross(self.axis(joint), self.axis(other))) < 1e-9)

    def reversed(self) -> Chain:
        """Give the same chain from the tip to the base, in the same layout."""
        return Chain(
            self.joints[::-1].copy(),
            np.ascontiguousarray(-self.travel[::-1][:, [1, 0, 3, 2]]),
            self.kinds[::-1].copy(),
            self.names[::-1],
            self.T_base_tip,
        )


def chain_to(
    nodes: FloatArray,
    wiring: IntArray,
    names: Sequence[str],
    limits: FloatArray,
    unbounded: Collection[int],
    tip: FloatArray,
    node: int,
) -> Chain:
    """
    Collect the joints that move a tip.

    Parameters
    ----------
    nodes, wiring
        See `ik_node.kernels.tree`.
    names : sequence of str
        (k,) the joint that is each node.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.
    unbounded : collection of int
        Nodes that the limits of their variable do not bound.
    tip : (12,) float64
        Pose of the tip in its node.
    node : int
        Node of the tip, -1 for the base.

    Returns
    -------
    Chain

    """
    path: list[int] = []
    while node >= 0:
        path.insert(0, node)
        node = int(wiring[node, 0])
    joints = np.empty((len(path), 12))
    travel = np.zeros((len(path), 4))
    before = np.append(np.eye(3).ravel(), np.zeros(3))
    for i, node in enumerate(path):
        compose(before, nodes[node], joints[i])
        before = joints[i]
        multiplier, offset, advance = nodes[node, 12:15].tolist()
        low, high = -math.inf, math.inf
        if multiplier == 0.0:
            low, high = offset, offset
        elif node not in unbounded:
            ends = limits[wiring[node, 2], :2].tolist()
            low, high = sorted(multiplier * end + offset for end in ends)
        if wiring[node, 1] == PRISMATIC:
            travel[i, 2:] = low, high
        elif wiring[node, 1] == REVOLUTE:
            travel[i, :2] = low, high
            if advance != 0.0:
                travel[i, 2:] = sorted((advance * low, advance * high))
    T_base_tip = np.empty(12)
    compose(before, tip, T_base_tip)
    kinds = np.array([wiring[i, 1] for i in path], dtype=np.int64)
    return Chain(joints, travel, kinds, tuple(names[i] for i in path), T_base_tip)


class Landmarks:
    """Points or directions of a chain in its layout."""

    def __init__(self) -> None:
        self._at: list[Sequence[float]] = []
        self._bodies: list[tuple[int, int]] = []
        self.labels: list[str] = []
        """What each is a landmark of, for people."""
        self.outposts = 0
        """How many of the last ones lie outside of the chain."""

    def add(self, at: Sequence[float], first: int, last: int, label: str) -> int:
        """
        Add one.

        Parameters
        ----------
        at : sequence of float
            Position [m] or unit vector in the layout.
        first, last : int
            The bodies that it is fixed in.
        label : str
            For people.

        Returns
        -------
        int
            Its index.

        """
        self._at.append(at)
        self._bodies.append((first, last))
        self.labels.append(label)
        return len(self._at) - 1

    def arrays(self) -> tuple[FloatArray, IntArray]:
        """
        Give all of them.

        Returns
        -------
        at : (v, 3) float64
            Positions [m] or unit vectors in the layout.
        bodies : (v, 2) int64
            First and last body that each is fixed in.

        """
        at = np.array(self._at, dtype=np.float64).reshape(-1, 3)
        return at, np.array(self._bodies, dtype=np.int64).reshape(-1, 2)


def points_of(chain: Chain) -> tuple[Landmarks, IntArray]:
    """
    Choose the points of a chain, in every body at least one.

    Returns
    -------
    points : Landmarks
        [m].
    slides : (m, 2) int64
        Of a joint that slides the points before and behind it, which coincide in the layout;
        -1 of others.

    """
    points = Landmarks()
    slides = np.full((chain.size, 2), -1, dtype=np.int64)
    stations = [i for i in range(chain.size) if chain.kinds[i] == SPHERICAL or chain.pivots(i)]
    origins: list[Vector] = [tuple(chain.joints[i, 9:].tolist()) for i in stations]
    axes: list[Vector | None] = [
        tuple(chain.axis(i).tolist()) if chain.pivots(i) else None for i in stations
    ]
    for i, chosen in zip(stations, choose_points(origins, axes), strict=True):
        for at in chosen:
            points.add(at, i, i + 1, _joint(chain, i))
    for i in range(chain.size):
        if i not in stations:
            at = tuple(chain.joints[i, 9:].tolist())
            slides[i, 0] = points.add(at, i, i, _joint(chain, i))
            slides[i, 1] = points.add(at, i + 1, i + 1, _joint(chain, i))
    points.add(chain.T_base_tip[9:].tolist(), chain.size, chain.size, TIP)
    _add_outposts(chain, points)
    return points, slides


def _add_outposts(chain: Chain, points: Landmarks) -> None:
    """
    Add points of the base and of the tip that lie outside of the chain.

    Seen from them the limits of the joints near the ends show: those of the second joint on the
    axis of the first one, those of the first joint beside its axis.
    """
    at, bodies = points.arrays()
    size = float(np.linalg.norm(at - at.mean(axis=0), axis=1).max(initial=0.0))
    if not 0.0 < size < math.inf:
        return
    turning = [i for i in range(chain.size) if chain.kinds[i] == REVOLUTE]
    if not turning:
        return
    ends = ((0, turning[0], 0, 'base'), (chain.size - 1, turning[-1], chain.size, 'tip'))
    for end, joint, body, where in ends:
        center = at[np.flatnonzero((bodies[:, 0] <= body) & (body <= bodies[:, 1]))[0]]
        low, high = chain.travel[joint, :2].tolist()
        label = f'a point of the {where} {_OUTPOST * size:.3g} m from {_joint(chain, end)}'
        on_axis = joint == end and chain.pivots(joint)
        for column in range(3):
            along = chain.joints[joint, [column, 3 + column, 6 + column]]
            if column < 2 and not high - low < 2.0 * math.pi:
                continue  # a full turn looks the same from all around
            bodies_of = (end, end + 1) if on_axis and column == 2 else (body, body)
            for offset in (-_OUTPOST * size, _OUTPOST * size):
                points.add((center + offset * along).tolist(), *bodies_of, label)
                points.outposts += 1


def directions_of(chain: Chain) -> tuple[Landmarks, IntArray]:
    """
    Choose the directions of a chain.

    Besides the axes these are, for each joint with limits, one direction across its axis in the
    body before and one in the body behind it. They coincide in the middle of the range, so the
    angle between them is bounded most narrowly; along parallel axes the next pair begins where
    this one ends, so that the angles add up.

    Returns
    -------
    directions : Landmarks
        Unit vectors.
    axes : (m,) int64
        Which one is the axis of each joint; -1 for a spherical one.

    """
    directions = Landmarks()
    axes = np.full(chain.size, -1, dtype=np.int64)
    if chain.size == 0:
        for column in range(3):
            directions.add(chain.T_base_tip[[column, 3 + column, 6 + column]].tolist(), 0, 0, TIP)
    across: FloatArray | None = None
    for i in range(chain.size):
        if chain.kinds[i] == SPHERICAL:
            across = None
            continue
        axis, label = chain.axis(i), f'the axis of {_joint(chain, i)}'
        axes[i] = directions.add(axis.tolist(), i, i + 1, label)
        low, high = chain.travel[i, :2].tolist()
        if not high - low < 2.0 * math.pi:
            across = None
            continue
        before = _made_perpendicular(across, axis)
        if before is None:
            before = chain.joints[i, [0, 3, 6]]
        middle = 0.5 * (low + high)
        # Turned back, because the layout has the joint at 0 and not at its middle.
        across = math.cos(middle) * before - math.sin(middle) * np.cross(axis, before)
        label = f'a direction across {label}'
        directions.add(before.tolist(), i, i, label)
        directions.add(across.tolist(), i + 1, i + 1, label)
    return directions, axes


def _made_perpendicular(vector: FloatArray | None, axis: FloatArray) -> FloatArray | None:
    """Project a unit vector on the plane across an axis; None where little is left of it."""
    if vector is None:
        return None
    across: FloatArray = vector - (vector @ axis) * axis
    length = float(np.linalg.norm(across))
    return across / length if length > 0.1 else None


def _joint(chain: Chain, joint: int) -> str:
    return f'joint {chain.names[joint]!r}'
