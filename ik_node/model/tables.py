# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A mechanism, seen from one base, as the arrays that kernels run on.

`compile_tables` is for the poses of some tips, `compile_tasks` for what elements constrain: there
a target may ride on the mechanism, and so may the axes of a position.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.space import space_rows
from ik_node.kernels.patience import COMPACT
from ik_node.kernels.row_kinds import ANGLES, AZIMUTH, BOUNDED, CONE, POSE, ROW_BITS
from ik_node.kernels.slide import slide_space
from ik_node.kernels.slide_request import pack, Packed
from ik_node.kernels.tree import (
    AXES,
    AXES_NODE,
    CONSTRAINTS,
    GOAL_NODE,
    LOWER,
    PRISMATIC,
    SPHERICAL,
    TIP_SIZE,
)
from ik_node.model.limit_rows import limit_rows
from ik_node.model.mechanism import Mechanism
from ik_node.model.reach import build_reach, Reach
from ik_node.model.walk import coordinate_names, flat, Place, Position, Walk
import numpy as np


class Aim(NamedTuple):
    """What a tip shall do, instead of what is in the tables."""

    tip: int
    """Which tip."""
    constraints: int
    """Sum of the bits of `ik_node.kernels.row_kinds`."""
    T_tip_point: FloatArray | None = None
    """(4, 4) what of the tip is placed and directed; None: the tip itself."""
    R_node_axes: FloatArray | None = None
    """(3, 3) axes of the position in the node of the target; None: those of the tables."""


_KEPT = 32
"""Conditions are kept for so many poses of the tips in their nodes."""


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
    """(t, 33) poses of the tips in their nodes, axes of their positions, bounds of their rows."""
    tip_wiring: IntArray
    """(t, 4) nodes of the tips, of their targets and of the axes, and what is constrained."""
    limits: FloatArray
    """(n, 5) lower, upper, period, half width of free draws, coordinates of the joint."""
    functions: tuple[tuple[int, Callable[[float], float]], ...]
    """Nodes whose position is a function of their variable, to be linearised at every step."""
    node_names: tuple[str, ...]
    """(k,) the joint that each node is."""
    is_passing: bool = False
    """Whether they serve few searches: what takes long to make is made only if it is needed."""
    _made: dict[tuple[str, bytes], Reach] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Conditions of reachable poses, as far as they were asked for."""

    def aimed(self, aims: Sequence[Aim]) -> Tables:
        """
        Give the same mechanism with something else to be done by its tips.

        Parameters
        ----------
        aims : sequence of Aim
            (t',) what they shall do; a tip may have several.

        Returns
        -------
        Tables
            With a tip for each aim.

        """
        which = [aim.tip for aim in aims]
        tips, tip_wiring = self.tips[which], self.tip_wiring[which]
        for row, wiring, aim in zip(tips, tip_wiring, aims, strict=True):
            wiring[CONSTRAINTS] = aim.constraints
            if aim.R_node_axes is not None:
                wiring[AXES_NODE] = wiring[GOAL_NODE]
                row[AXES:LOWER] = aim.R_node_axes.ravel()
            if aim.T_tip_point is not None:
                R_node_tip = row[:9].reshape(3, 3).copy()
                row[9:12] += R_node_tip @ aim.T_tip_point[:3, 3]
                row[:9] = (R_node_tip @ aim.T_tip_point[:3, :3]).ravel()
        for array in (tips, tip_wiring):
            array.setflags(write=False)
        return replace(self, tips=tips, tip_wiring=tip_wiring, is_passing=True)

    def pointed(self, tips: FloatArray) -> Tables:
        """
        Give the same with other points, axes and bounds of the tips.

        Parameters
        ----------
        tips : (t, 33) float64
            Instead of those of the tables; it becomes read-only.

        Returns
        -------
        Tables
            For few searches.

        """
        tips.setflags(write=False)
        tables = object.__new__(Tables)
        tables.__dict__.update(self._without_tips, tips=tips)
        return tables

    @cached_property
    def _without_tips(self) -> dict[str, Any]:
        """What does not depend on the points, axes and bounds of the tips."""
        # Every search asks for these: made here, not by each copy.
        _ = self.is_partial, self.can_slide, self.lane_rows, self.slide_space
        own = vars(self).copy()
        for name in ('tips', 'packed', 'extent', 'gives_up', 'reach', 'reach_without_limits'):
            own.pop(name, None)
        own['is_passing'] = True
        return own

    def limited(self, limits: FloatArray) -> Tables:
        """
        Give the same with other limits.

        Parameters
        ----------
        limits : (n, 5) float64
            Instead of those of the tables.

        Returns
        -------
        Tables
            For few searches; what does not depend on limits is shared.

        """
        own = limits.copy()
        own.setflags(write=False)
        tables = self._sharing(limits=own, is_passing=True)
        for name in ('packed', 'extent', 'gives_up', 'reach', '_without_tips'):
            vars(tables).pop(name, None)
        vars(tables)['_made'] = {}
        return tables

    def _sharing(self, **changed: FloatArray | bool) -> Tables:
        """Change fields, and keep what was made from the others."""
        _ = self.is_partial, self.lane_rows  # every search asks: made here, not by each copy
        tables = object.__new__(Tables)
        vars(tables).update(vars(self), **changed)
        return tables

    @cached_property
    def row_count(self) -> int:
        """Number of rows that constrain something, of all tips."""
        return sum(_row_count(bits) for bits in self.tip_wiring[:, CONSTRAINTS].tolist())

    @cached_property
    def is_partial(self) -> bool:
        """Whether a part of some pose is free, and joints with it."""
        return self.is_loose and bool((self.tip_wiring[:, CONSTRAINTS] != POSE).any())

    @cached_property
    def can_slide(self) -> bool:
        """Whether `ik_node.kernels.slide` serves: it does not know functions between joints."""
        return self.is_partial and not self.functions

    @cached_property
    def is_loose(self) -> bool:
        """Whether joints may be free: fewer rows than joints, or rows that are ranges."""
        ranges = bool((self.tip_wiring[:, CONSTRAINTS] & (BOUNDED | CONE | ANGLES)).any())
        return ranges or self.row_count < len(self.limits)

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
    def slide_space(self) -> tuple[int, int]:
        """Shape of the work space of `ik_node.kernels.slide`."""
        return slide_space(len(self.nodes), len(self.limits), len(self.tips), self.row_count)

    @cached_property
    def packed(self) -> Packed:
        """Tables of one tip for `ik_node.kernels.slide_request`."""
        return pack(self.nodes, self.wiring, self.tips, self.tip_wiring, self.limits)

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
    def gives_up(self) -> bool:
        """Whether `ik_node.kernels.patience` may end a search: measured on compact arms."""
        # Not for an azimuth: its row has no slope at the pole, where many starts end.
        azimuth = bool(self.tip_wiring[0, CONSTRAINTS] & AZIMUTH)
        return len(self.tips) == 1 and self.extent <= COMPACT and not azimuth

    @cached_property
    def reach(self) -> Reach:
        """What every reachable pose meets; made when first asked for, as poses do not need it."""
        return self._reach('with limits', {node for node, _ in self.functions})

    @cached_property
    def reach_without_limits(self) -> Reach:
        """What every pose would meet if the joints had no limits."""
        return self._reach('without', range(len(self.nodes)))

    def _reach(self, which: str, unbounded: Collection[int]) -> Reach:
        # Of the tips their poses alone make a difference, neither axes nor bounds of their rows.
        key = which, self.tips[:, :AXES].tobytes()
        made = self._made.get(key)
        if made is None:
            # Other threads share these: what is kept may be gone when it is looked for again.
            if len(self._made) >= _KEPT:
                self._made.clear()
            made = self._made[key] = self._new_reach(unbounded)
        return made

    def _new_reach(self, unbounded: Collection[int]) -> Reach:
        return build_reach(
            self.nodes,
            self.wiring,
            self.node_names,
            self.tips,
            self.tip_wiring,
            self.limits,
            unbounded,
        )


class Task(NamedTuple):
    """What an element constrains; objects by their index, WORLD for the world."""

    tip: int
    """Object that shall reach the target (a joint: its moving frame)."""
    reference: int
    """Object in whose frame the target is given (a joint: its fixed frame)."""
    axes: int
    """Object in whose axes the position is constrained (a joint: its fixed frame)."""
    constraints: int
    """Sum of the bits of `ik_node.kernels.row_kinds`."""


class CompiledTasks(NamedTuple):
    """Tables of some tasks, and how to give them their targets."""

    tables: Tables
    T_node_reference: FloatArray
    """(t, 4, 4) from the frame that a target is given in to the node that kernels want it in."""
    crossed: dict[str, Position]
    """Joints that do not move and that the tables depend on, with where they are."""


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
        Independent joints that do not move, and where they are; passive ones that are not named
        are at zero.

    Returns
    -------
    Tables

    """
    walk = Walk(mechanism, base, held)
    rigid = (-1, np.eye(4))
    return _tables(walk, [(walk.visit(tip), rigid, rigid, POSE) for tip in tips])


def compile_tasks(
    mechanism: Mechanism,
    base: int,
    tasks: Sequence[Task],
    held: Mapping[str, Position],
    columns: Sequence[str] = (),
) -> CompiledTasks:
    """
    Compile what tasks need: the joints before their tips, their targets and their axes.

    Parameters
    ----------
    mechanism : Mechanism
        The whole robot.
    base : int
        Object in whose frame everything is computed (a joint: its fixed frame), or WORLD.
    tasks : sequence of Task
        In order: after `columns` the variables of the first come first.
    held : mapping of str to Position
        Independent joints that do not move, and where they are.
    columns : sequence of str, optional
        Independent joints that are the first variables, whether they move anything or not.

    Returns
    -------
    CompiledTasks

    """
    walk = Walk(mechanism, base, held, columns)
    tips = [walk.visit(task.tip) for task in tasks]
    references = [walk.visit_fixed(task.reference) for task in tasks]
    axes = [walk.visit_fixed(task.axes) for task in tasks]
    constraints = [task.constraints for task in tasks]
    tables = _tables(walk, list(zip(tips, references, axes, constraints, strict=True)))
    T_node_reference = np.array([pose for _, pose in references]).reshape(-1, 4, 4)
    return CompiledTasks(tables, T_node_reference, walk.crossed)


def _tables(walk: Walk, tips: Sequence[tuple[Place, Place, Place, int]]) -> Tables:
    """Collect what a walk has found: places of tips, references and axes, and constraints."""
    mechanism = walk.mechanism
    nodes = np.array(walk.nodes, dtype=np.float64).reshape(-1, 15)
    wiring = np.array(walk.wiring, dtype=np.int64).reshape(-1, 3)
    flat_tips, tip_wiring = np.zeros((len(tips), TIP_SIZE)), np.empty((len(tips), 4), np.int64)
    for i, (tip, reference, axes, constraints) in enumerate(tips):
        flat_tips[i, :AXES] = flat(tip[1])
        flat_tips[i, AXES:LOWER] = axes[1][:3, :3].ravel()
        tip_wiring[i] = tip[0], reference[0], axes[0], constraints
    joints = [mechanism.joint(name) for name in walk.variables]
    limits = np.array([row for joint in joints for row in limit_rows(mechanism, joint)])
    limits = limits.reshape(-1, 5)
    for array in (nodes, wiring, flat_tips, tip_wiring, limits):
        array.setflags(write=False)
    return Tables(
        tuple(walk.variables),
        tuple(name for joint in joints for name in coordinate_names(joint)),
        nodes,
        wiring,
        flat_tips,
        tip_wiring,
        limits,
        tuple(walk.functions),
        tuple(walk.names),
    )


def _row_count(constraints: int) -> int:
    return sum(1 for bits in ROW_BITS if constraints & bits)
