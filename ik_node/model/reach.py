# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What every reachable pose of a tip has in common, for proofs that a pose is not reachable.

A target places the body of the tip, so what the base and that body see of each other is known:
distances of landmarks, angles of directions, heights above planes. `ik_node.kernels.bounds` and
`ik_node.kernels.heights` bound these over all configurations inside the joint limits, and
`ik_node.kernels.reach` tests a target against the bounds.

The joints at the two ends add one thing: the body behind the first joint goes around its axis, so
a point of it is known to be on a circle, and a direction of it on a cone; likewise at the tip.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
import math
from typing import NamedTuple

from ik_node.kernels import reach
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.bounds import bound_separations, says_more
from ik_node.kernels.heights import bound_heights
from ik_node.kernels.rotations import TWO_PI
from ik_node.kernels.row_kinds import BOUNDED, ORIENTATION, POSE, POSITION
from ik_node.kernels.tree import AXES, PRISMATIC
from ik_node.model.landmarks import Chain, chain_to, directions_of, points_of
import numpy as np
from numpy.typing import NDArray

_ROUNDING = 1e-9
"""Added to the bounds of angles [rad], and relative to the size of the chain to lengths [-]."""


class Label(NamedTuple):
    """What a row measures, for people."""

    base: str
    """What it measures from."""
    tip: str
    """What it measures to."""
    along: str = ''
    """Along what, where it does not measure straight."""


class Reach(NamedTuple):
    """Conditions that every reachable pose meets, r of them."""

    table: FloatArray
    """(r, ROW_SIZE) see `ik_node.kernels.reach`. Read-only."""
    labels: tuple[Label, ...]
    """(r,) what each row measures."""


def build_reach(
    nodes: FloatArray,
    wiring: IntArray,
    names: Sequence[str],
    tips: FloatArray,
    tip_wiring: IntArray,
    limits: FloatArray,
    unbounded: Collection[int],
) -> Reach:
    """
    Find conditions that every reachable pose meets.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `ik_node.kernels.tree`.
    names : sequence of str
        (k,) the joint that is each node.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.
    unbounded : collection of int
        Nodes that the limits of their variable do not bound.

    Returns
    -------
    Reach

    """
    rows = _Rows()
    with np.errstate(over='ignore', invalid='ignore'):
        for tip, (node, goal_node, _, constraints) in enumerate(tip_wiring.tolist()):
            if goal_node >= 0:
                continue  # where the target is depends on the joints
            chain = chain_to(nodes, wiring, names, limits, unbounded, tips[tip, :AXES], node)
            first = len(rows.table)
            _Conditions(chain, tip, rows).append_all()
            rows.keep_known(first, constraints)
    table: FloatArray = np.array(rows.table, dtype=np.float64).reshape(-1, reach.ROW_SIZE)
    # Lengths whose squares overflow leave bounds that mean nothing.
    sound = (table[:, reach.LEAST] < math.inf) & (table[:, reach.MOST] > -math.inf)
    sound &= np.isfinite(table[:, reach.MOST + 1 :]).all(axis=1)
    table = table[sound]
    table.setflags(write=False)
    labels = [label for label, keep in zip(rows.labels, sound, strict=True) if keep]
    return Reach(table, tuple(labels))


class _Rows:
    """Rows of the table and their labels."""

    def __init__(self) -> None:
        self.table: list[FloatArray] = []
        self.labels: list[Label] = []

    def add(self, kind: int, tip: int, least: float, most: float, label: Label) -> FloatArray:
        """Append a row and return it, to be completed."""
        row = np.zeros(reach.ROW_SIZE)
        row[: reach.MOST + 1] = kind, tip, least, most
        self.table.append(row)
        self.labels.append(label)
        return row

    def keep_known(self, first: int, constraints: int) -> None:
        """Drop those rows from a first one on that measure what a target leaves open."""
        kept = [i for i in range(first, len(self.table)) if _is_known(self.table[i], constraints)]
        self.table[first:] = [self.table[i] for i in kept]
        self.labels[first:] = [self.labels[i] for i in kept]


def _is_known(row: FloatArray, constraints: int) -> bool:
    """Tell whether what a row measures is known where only a part of the pose is constrained."""
    if constraints == POSE:
        return True
    if constraints & BOUNDED:
        return False
    if row[reach.KIND] == reach.ANGLE:
        return constraints & ORIENTATION == ORIENTATION
    # Of the body of the tip the position of the tip itself is all that is known.
    in_base = row[reach.KIND] in (reach.DISTANCE_BASE, reach.HEIGHT_BASE)
    to_point = row[reach.KIND] == reach.DISTANCE_TIP and row[reach.SINE] == 0.0
    at_tip = (in_base or to_point) and float(np.abs(row[_TIP_POINT]).max()) < _ROUNDING
    return constraints & POSITION == POSITION and at_tip


class _Conditions:
    """Finds the rows of one tip."""

    def __init__(self, chain: Chain, tip: int, rows: _Rows) -> None:
        self.chain = chain
        self.tip = tip
        self.rows = rows
        points, self.slides = points_of(chain)
        directions, self.axes = directions_of(chain)
        self.point_labels, self.direction_labels = points.labels, directions.labels
        self.points, self.point_bodies = points.arrays()
        self.outposts = len(self.points) - points.outposts
        self.directions, self.direction_bodies = directions.arrays()
        self.R_base_tip = chain.T_base_tip[:9].reshape(3, 3)
        self.rounding = _ROUNDING * (1.0 + float(np.abs(self.points).max()))

    def append_all(self) -> None:
        """Append all rows; those with the plainest reason first."""
        angles = self._separations(self.directions, self.direction_bodies, TWO_PI)
        self._append_angles(*angles)
        self._append_distances(*self._separations(self.points, self.point_bodies, math.inf))
        self._append_heights(*angles, backwards=False)
        self._append_heights(*angles, backwards=True)

    def _separations(
        self, at: FloatArray, bodies: IntArray, perimeter: float
    ) -> tuple[FloatArray, FloatArray]:
        chain = self.chain
        lower, upper = np.empty((2, len(at), len(at)))
        bound_separations(
            at, bodies, chain.joints, chain.travel, chain.kinds, perimeter, lower, upper
        )
        return lower, upper

    def _append_angles(self, lower: FloatArray, upper: FloatArray) -> None:
        for a in np.flatnonzero(self.direction_bodies[:, 0] == 0).tolist():
            for b in np.flatnonzero(self.direction_bodies[:, 1] == self.chain.size).tolist():
                if lower[a, b] <= _ROUNDING and upper[a, b] >= math.pi - _ROUNDING:
                    continue
                label = Label(self.direction_labels[a], self.direction_labels[b])
                row = self.rows.add(
                    reach.ANGLE,
                    self.tip,
                    lower[a, b] - _ROUNDING,
                    upper[a, b] + _ROUNDING,
                    label,
                )
                row[_BASE_DIRECTION] = self.directions[a]
                row[_TIP_DIRECTION] = self._in_tip(self.directions[b])

    def _append_distances(self, lower: FloatArray, upper: FloatArray) -> None:
        first, last = self.point_bodies.T
        size = self.chain.size
        base, tip = first == 0, last == size
        paired = np.logical_and.outer(base, tip)
        behind = before = np.zeros_like(base)
        if size >= 2 and self.chain.pivots(0):
            behind = (first == 1) & self._beside(0)
            paired |= np.logical_and.outer(behind, tip)
        if size >= 2 and self.chain.pivots(size - 1):
            before = (last == size - 1) & self._beside(size - 1)
            paired |= np.logical_and.outer(base, before)
        # Both ends seen from outside say little more, in many rows.
        paired[self.outposts :, self.outposts :] = False
        useful = np.empty(paired.shape, dtype=np.int64)
        says_more(lower, upper, paired.astype(np.int64), self.rounding, useful)
        # Of the chain's own points all are kept: their sentences are plainer.
        own = slice(None, self.outposts)
        useful[own, own] = paired[own, own]
        useful[(lower <= self.rounding) & (upper == math.inf)] = 0
        # In the order of how plain they are: points, circles, points outside of the chain.
        outside = np.arange(len(self.points)) >= self.outposts
        circles = np.logical_or.outer(behind, before)
        order = 2 * np.logical_or.outer(outside, outside) + circles
        pairs = np.argwhere(useful)
        pairs = pairs[np.argsort(order[tuple(pairs.T)], kind='stable')]
        for a, b in pairs.tolist():
            kind, joint = reach.DISTANCE_TIP, None
            if behind[a]:
                kind, joint = reach.DISTANCE_BASE, 0
            elif before[b] and not tip[b]:
                joint = size - 1
            self._append_distance(kind, a, b, joint, lower[a, b], upper[a, b])

    def _beside(self, joint: int) -> NDArray[np.bool_]:
        """Tell which points are not on an axis; of those on it some are fixed at both ends."""
        offsets = self.points - self.chain.joints[joint, 9:]
        distances = np.linalg.norm(np.cross(offsets, self.chain.axis(joint)), axis=1)
        beside: NDArray[np.bool_] = distances > self.rounding
        return beside

    def _append_distance(
        self, kind: int, a: int, b: int, joint: int | None, least: float, most: float
    ) -> None:
        """Append a distance, with the circle on which a joint carries one of the points."""
        base, tip, radius = self.points[a], self.points[b], 0.0
        axis: FloatArray = np.zeros(3)
        if joint is not None:
            axis, origin = self.chain.axis(joint), self.chain.joints[joint, 9:]
            moving = tip if kind == reach.DISTANCE_TIP else base
            center = origin + ((moving - origin) @ axis) * axis
            radius = float(np.linalg.norm(moving - center))
            if kind == reach.DISTANCE_TIP:
                tip = center
            else:
                base = center
        label = Label(self.point_labels[a], self.point_labels[b])
        row = self.rows.add(kind, self.tip, least - self.rounding, most + self.rounding, label)
        row[reach.SINE] = radius
        self._place(row, base, tip)
        if kind == reach.DISTANCE_TIP:
            row[reach.LEVER] += radius
            row[_TIP_DIRECTION] = self._in_tip(axis)
        else:
            row[_BASE_DIRECTION] = axis

    def _append_heights(
        self, least_angle: FloatArray, most_angle: FloatArray, *, backwards: bool
    ) -> None:
        """Append the heights above planes of the base; backwards: above planes of the tip."""
        chain, axes = self.chain, self.axes
        points = self.points[: self.outposts]
        point_bodies, direction_bodies = self.point_bodies[: self.outposts], self.direction_bodies
        slides = np.column_stack([self.slides, self.axes])
        if backwards:
            chain, axes = chain.reversed(), axes[::-1]
            point_bodies = np.ascontiguousarray(chain.size - point_bodies[:, ::-1])
            direction_bodies = np.ascontiguousarray(chain.size - direction_bodies[:, ::-1])
            slides = np.ascontiguousarray(slides[::-1][:, [1, 0, 2]])
        start = int(np.flatnonzero(point_bodies[:, 0] == 0)[0])
        ends = np.flatnonzero(point_bodies[:, 1] == chain.size).tolist()
        heights = np.empty((len(point_bodies), 2))
        for normal, body, pole in _normals(chain, axes.tolist()):
            bound_heights(
                points,
                point_bodies,
                slides,
                self.directions,
                direction_bodies,
                chain.joints,
                chain.travel,
                chain.kinds,
                least_angle[normal],
                most_angle[normal],
                normal,
                body,
                points[start],
                np.empty(3),
                heights,
            )
            for end in ends:
                self._append_height(start, end, normal, pole, heights[end], backwards)

    def _append_height(
        self,
        start: int,
        end: int,
        normal: int,
        pole: int,
        heights: FloatArray,
        backwards: bool,
    ) -> None:
        if not np.isfinite(heights).any():
            return
        least, most = (heights + [-self.rounding, self.rounding]).tolist()
        a, b = (end, start) if backwards else (start, end)
        label = Label(self.point_labels[a], self.point_labels[b], self.direction_labels[normal])
        kind = reach.HEIGHT_TIP if backwards else reach.HEIGHT_BASE
        row = self.rows.add(kind, self.tip, least, most, label)
        axis = self.directions[pole]
        row[reach.COSINE] = axis @ self.directions[normal]
        row[reach.SINE] = np.linalg.norm(np.cross(axis, self.directions[normal]))
        self._place(row, self.points[a], self.points[b])
        if backwards:
            row[_TIP_DIRECTION] = self._in_tip(axis)
        else:
            row[_BASE_DIRECTION] = axis

    def _place(self, row: FloatArray, base: FloatArray, tip: FloatArray) -> None:
        """Write the points of a row, and how far from the tip the one in the tip is."""
        row[_BASE_POINT] = base
        row[_TIP_POINT] = self._in_tip(tip - self.chain.T_base_tip[9:])
        row[reach.LEVER] = np.linalg.norm(row[_TIP_POINT])

    def _in_tip(self, vector: FloatArray) -> FloatArray:
        """Turn a vector from the layout to the tip."""
        turned: FloatArray = vector @ self.R_base_tip
        return turned


_BASE_POINT = slice(reach.BASE_POINT, reach.BASE_POINT + 3)
_BASE_DIRECTION = slice(reach.BASE_DIRECTION, reach.BASE_DIRECTION + 3)
_TIP_POINT = slice(reach.TIP_POINT, reach.TIP_POINT + 3)
_TIP_DIRECTION = slice(reach.TIP_DIRECTION, reach.TIP_DIRECTION + 3)


def _normals(chain: Chain, axes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """
    List the normals of planes whose heights are known at the first end of a chain.

    Yields
    ------
    normal, body, pole : int
        Direction of the normal, the body of the plane, and the direction that the normal goes
        around: itself where the plane is fixed.

    """
    for i, axis in enumerate(axes):
        if axis < 0:
            return
        yield axis, 0, axis
        if chain.kinds[i] != PRISMATIC:
            cone = i == 0 and chain.pivots(0) and chain.size > 1 and axes[1] >= 0
            if cone and not chain.parallel(0, 1):
                yield axes[1], 1, axis
            return
