# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets of any kind for the elements of a group.

A target that is a pose is held against what the element constrains; a target of another kind
brings its own constraints, and the element says only which tip and which base are meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, NamedTuple

from ik_node.constraints.goal import Goal
from ik_node.constraints.target import Target
from ik_node.environment.request import (
    own_or_refused,
    pose_of,
    Prepared,
    request_of,
    start_of,
    Targets,
    tip_names,
)
from ik_node.errors import InvalidTargetError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.tree import CONSTRAINTS
from ik_node.model.tables import Aim, Bounds, Tables
from ik_node.solvers.parts import Part, selection
import numpy as np
from numpy.typing import ArrayLike

_KEPT = 32
"""Aims of a group whose tables are kept for the next request."""


class _Wish(NamedTuple):
    """A goal of an element."""

    element: int
    goal: Goal | None
    """None: what the element constrains."""
    pose: FloatArray


def requested(
    prepared: Prepared, target: Targets | None, seed: ArrayLike | None, direction: ArrayLike
) -> tuple[Prepared, FloatArray, FloatArray]:
    """
    Check and copy what a search was asked for.

    Parameters
    ----------
    prepared : Prepared
        The elements, lowered for targets of the caller's where there are any.
    target : array_like, Target, sequence or mapping of these, or None
        As for `Group.solve`.
    seed : (n,) array_like or None
        [rad or m]; None: the state of the environment.
    direction : (3,) array_like
        Direction of the tool in the tip.

    Returns
    -------
    prepared : Prepared
        With tables that aim at what is no pose.
    T_reference_target : (t, 4, 4) float64
        One for each goal.
    seed : (n,) float64

    Raises
    ------
    InvalidTargetError, InvalidSeedError
        They mean nothing.

    """
    # The type of most targets first: asking for an abstract class takes 0.3 us.
    if type(target) is np.ndarray or not _has_kinds(target):
        # Names take 0.1 us less than a starred tuple and a call of `cast`.
        without_kinds: Any = target
        poses, start = request_of(prepared, without_kinds, seed)
        return prepared, poses, start
    aimed, targets = _aim(prepared, cast('Targets', target), direction)
    return aimed, targets, start_of(prepared, seed)


def _has_kinds(target: Targets | None) -> bool:
    """Tell whether a target, or one of several, is of another kind than a pose."""
    if isinstance(target, Target):
        return True
    if isinstance(target, Mapping):
        return any(isinstance(one, Target) for one in target.values())
    return isinstance(target, list | tuple) and any(isinstance(one, Target) for one in target)


def _aim(prepared: Prepared, target: Targets, direction: ArrayLike) -> tuple[Prepared, FloatArray]:
    """Make tables for targets of any kind, and the targets for them."""
    if prepared.plain and isinstance(target, Target):
        goals = target.goals(direction)
        goal = goals[0]
        # Most requests, after the first one of their kind: without lists they take half the time.
        aimed = prepared.aims.get(((0, *_key(goal)),))
        if (
            len(goals) == 1
            and aimed is not None
            and aimed.scene is prepared.scene
            and goal.lower is None
            and goal.priorities[0] == goal.priorities[1]
        ):
            return aimed, goal.T_base_goal[np.newaxis]
        wishes = [_Wish(0, goal, goal.T_base_goal) for goal in goals]
    else:
        wishes = _wishes(prepared, target, direction)
    key = tuple([(wish.element, *_key(wish.goal)) for wish in wishes])
    aimed = prepared.aims.get(key)
    if aimed is None or aimed.scene is not prepared.scene:
        if len(prepared.aims) >= _KEPT:
            prepared.aims.clear()
        if aimed is None:
            aimed = _aimed(prepared, wishes)
        aimed = aimed._replace(scene=prepared.scene, settings=prepared.settings)
        prepared.aims[key] = aimed
    bounds = [_bounds(wish.goal) for wish in wishes]
    if any(bound is not None for bound in bounds):
        aimed = _bounded(aimed, bounds)
    priorities = _priorities(wishes)
    if priorities is not None:
        aimed = aimed._replace(priorities=priorities)
    if len(wishes) == 1:
        return aimed, wishes[0].pose[np.newaxis]
    return aimed, np.array([wish.pose for wish in wishes])


def _priorities(wishes: Sequence[_Wish]) -> FloatArray | None:
    """Collect the factors of squared errors; None where all are the same."""
    pairs = [(1.0, 1.0) if wish.goal is None else wish.goal.priorities for wish in wishes]
    first = pairs[0][0]
    if all(pair == (first, first) for pair in pairs):
        return None
    return np.array(pairs)


def _bounded(aimed: Prepared, bounds: list[Bounds | None]) -> Prepared:
    """Set the bounds of one request."""
    if not aimed.parts:
        return aimed._replace(tables=aimed.tables.bounded(bounds))
    parts = []
    for part in aimed.parts:
        own = np.arange(len(bounds))[part.tips].tolist()
        parts.append(part._replace(tables=part.tables.bounded([bounds[i] for i in own])))
    return aimed._replace(tables=aimed.tables.bounded(bounds), parts=tuple(parts))


def _key(goal: Goal | None) -> tuple[object, ...]:
    return () if goal is None else (goal.constraints, goal.T_tip_point.tobytes())


def _bounds(goal: Goal | None) -> Bounds | None:
    if goal is None or goal.lower is None or goal.upper is None:
        return None
    return goal.lower, goal.upper


def _wishes(prepared: Prepared, target: Targets, direction: ArrayLike) -> list[_Wish]:
    names = tip_names(prepared)
    given: Sequence[Target | ArrayLike | None]
    if isinstance(target, Mapping):
        for name in target:
            if names.count(name) != 1:
                problem = 'is the tip of several elements' if name in names else 'is no tip'
                raise InvalidTargetError(
                    f'{name!r} {problem} of group {prepared.settings.name!r}; its tips are '
                    f'{", ".join(names)}'
                )
        given = [target.get(name) for name in names]
    else:
        given = [target] if isinstance(target, Target) else list(np.asarray(target, object))
        if len(given) != len(names):
            raise InvalidTargetError(
                f'{len(given)} targets were given; group {prepared.settings.name!r} has '
                f'{len(names)} elements, so it must be as many, or a mapping from tips to targets'
            )
    wishes = []
    for i, (name, one) in enumerate(zip(names, given, strict=True)):
        if isinstance(one, Target):
            wishes += [_Wish(i, goal, goal.T_base_goal) for goal in one.goals(direction)]
        else:
            pose = own_or_refused(prepared, i) if one is None else pose_of(one, name)
            wishes.append(_Wish(i, None, pose))
    return wishes


def _aimed(prepared: Prepared, wishes: Sequence[_Wish]) -> Prepared:
    T_node_reference = prepared.T_node_reference
    elements = [wish.element for wish in wishes]
    aims = [
        _aim_of(prepared.tables, wish, wish.element, T_node_reference[wish.element])
        for wish in wishes
    ]
    parts = []
    for part in prepared.parts:
        own = np.arange(len(T_node_reference))[part.tips].tolist()
        members = [i for i, wish in enumerate(wishes) if wish.element in own]
        tips = [own.index(wishes[i].element) for i in members]
        # A part has a base of its own: axes of the whole mean other directions there.
        reference = part.T_node_reference
        nodes = np.broadcast_to(np.eye(4), (len(own), 4, 4)) if reference is None else reference
        tables = part.tables.aimed(
            [
                _aim_of(part.tables, wishes[i], tip, nodes[tip])
                for i, tip in zip(members, tips, strict=True)
            ]
        )
        reference = None if reference is None else reference[tips]
        parts.append(Part(tables, reference, selection(members), part.columns))
    return prepared._replace(
        tables=prepared.tables.aimed(aims),
        T_node_reference=T_node_reference[elements],
        parts=tuple(parts),
        elements=tuple(elements),
        aims={},
    )


def _aim_of(tables: Tables, wish: _Wish, tip: int, T_node_reference: FloatArray) -> Aim:
    """Give what a tip of some tables shall do; its targets are seen from `T_node_reference`."""
    goal = wish.goal
    if goal is None:
        return Aim(tip, int(tables.tip_wiring[tip, CONSTRAINTS]))
    return Aim(tip, goal.constraints, goal.T_tip_point, T_node_reference[:3, :3])
