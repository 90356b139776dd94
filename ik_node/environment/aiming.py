# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets of any kind for the elements of a group.

A target that is a pose is held against what the element constrains; a target of another kind
brings its own constraints, and the element says only which tip and which base are meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

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
from ik_node.errors import InvalidTargetError, shown
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.goals import GOAL_SIZE, place_goal, SMALLEST_GOAL, TOOL
from ik_node.kernels.tree import CONSTRAINTS, TIP_SIZE
from ik_node.model.tables import Aim, Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.sliding import slide_to_goal
import numpy as np
from numpy.typing import ArrayLike

_FLOAT64 = np.dtype(np.float64)
_NO_SEED = np.zeros(0)

_KEPT = 32
"""Aims of a group whose tables are kept for the next request."""


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
    goal = goal_of_one(prepared, target, direction)
    if goal is not None:
        return aimed_at(prepared, goal, seed)
    if type(target) is np.ndarray or not _has_kinds(target):
        # Names take 0.1 us less than a starred tuple and a call of `cast`.
        without_kinds: Any = target
        poses, start = request_of(prepared, without_kinds, seed)
        return prepared, poses, start
    aimed, targets = _of_several(prepared, cast('Targets', target), direction)
    return aimed, targets, start_of(prepared, seed)


def _has_kinds(target: Targets | None) -> bool:
    """Tell whether a target, or one of several, is of another kind than a pose."""
    if isinstance(target, Target):
        return True
    if isinstance(target, Mapping):
        return any(isinstance(one, Target) for one in target.values())
    return isinstance(target, list | tuple) and any(isinstance(one, Target) for one in target)


def goal_of_one(prepared: Prepared, target: Targets | None, direction: ArrayLike) -> Goal | None:
    """
    Lower what most requests ask for.

    Parameters
    ----------
    prepared, target, direction
        As for `requested`.

    Returns
    -------
    Goal or None
        None where it is no target for the only tip, or a pose.

    Raises
    ------
    InvalidTargetError
        The direction means nothing.

    """
    # The type of most targets first: asking for an abstract class takes 0.3 us.
    if type(target) is np.ndarray or not prepared.plain or Target not in type(target).__mro__:
        return None
    one: Any = target
    goal: Goal = one.goal(direction)
    return goal


def slid(
    prepared: Prepared, goal: Goal, seed: ArrayLike | None, options: SearchOptions
) -> tuple[bool, FloatArray, FloatArray] | None:
    """
    Answer a request for the only tip by a slide, past all that other requests need.

    Parameters
    ----------
    prepared, seed
        As for `requested`.
    goal : Goal
        From `goal_of_one`.
    options : SearchOptions
        Checked.

    Returns
    -------
    success, q, report
        See `ik_node.solvers.sliding.slide_to_goal`; None where that is not for such a request, or
        what it needs is not there yet.

    """
    packed = prepared.slides.get(goal.constraints)
    if packed is None or options.nearest or not _is_plain(seed, prepared):
        return None
    plain: Any = seed
    return slide_to_goal(packed, goal.numbers, plain, options)


def _is_plain(seed: ArrayLike | None, prepared: Prepared) -> bool:
    """Tell whether a seed has the type and the shape of most of them."""
    return type(seed) is np.ndarray and seed.dtype is _FLOAT64 and seed.shape == prepared.shape


def aimed_at(
    prepared: Prepared, goal: Goal, seed: ArrayLike | None
) -> tuple[Prepared, FloatArray, FloatArray]:
    """
    Do what `requested` does for a goal of the only tip: most requests, so without lists.

    Parameters
    ----------
    prepared, seed
        As for `requested`.
    goal : Goal
        From `goal_of_one`.

    Returns
    -------
    prepared, T_reference_target, seed
        As from `requested`.

    Raises
    ------
    InvalidSeedError
        It means nothing.

    """
    constraints = goal.constraints
    aimed = prepared.aims.get(constraints)
    if aimed is None or aimed.scene is not prepared.scene:
        aimed = _kept(prepared, constraints, (constraints,))
    tables = aimed.tables
    targets, tips = np.empty((1, 4, 4)), np.empty((1, TIP_SIZE))
    if _is_plain(seed, prepared):
        plain: Any = seed
        start = plain.copy()
    else:
        start = start_of(prepared, seed)
    if not place_goal(_numbers_of(goal), tables.tips, 0, targets, tips, start):
        start = start_of(prepared, seed)  # for its error
    if len(goal.numbers) > TOOL:
        # Making the tuple anew takes a third of the time of `_replace`.
        aimed = Prepared._make((*aimed[:2], tables.pointed(tips), *aimed[3:]))
    if goal.priorities[0] != goal.priorities[1]:
        aimed = aimed._replace(priorities=np.array([goal.priorities]))
    return aimed, targets, start


def _numbers_of(goal: Goal) -> FloatArray:
    """Give the numbers of a goal, which may be that of a target of the caller's making."""
    try:
        numbers = np.array(goal.numbers, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTargetError(
            f'the goal of the target has {shown(goal.numbers)}; they must be numbers'
        ) from error
    if numbers.ndim != 1 or not SMALLEST_GOAL <= len(numbers) <= GOAL_SIZE:
        raise InvalidTargetError(
            f'the goal of the target has numbers of shape {numbers.shape}; there must be '
            f'{SMALLEST_GOAL} to {GOAL_SIZE}, see ik_node.kernels.goals'
        )
    return numbers


def _of_several(
    prepared: Prepared, target: Targets, direction: ArrayLike
) -> tuple[Prepared, FloatArray]:
    """Make tables for targets of any kind, and the targets for them."""
    wishes = _wishes(prepared, target, direction)
    key = tuple([wish.constraints if isinstance(wish, Goal) else None for wish in wishes])
    aimed = prepared.aims.get(key)
    if aimed is None or aimed.scene is not prepared.scene:
        aimed = _kept(prepared, key, key)
    targets = np.empty((len(wishes), 4, 4))
    tables, is_new = _pointed(aimed.tables, range(len(wishes)), wishes, targets)
    if is_new:
        parts = []
        for part in aimed.parts:
            own = np.arange(len(wishes))[part.tips].tolist()
            its_tables, _ = _pointed(part.tables, own, wishes, np.empty((len(own), 4, 4)))
            parts.append(part._replace(tables=its_tables))
        aimed = aimed._replace(tables=tables, parts=tuple(parts))
    pairs = [wish.priorities if isinstance(wish, Goal) else (1.0, 1.0) for wish in wishes]
    if any(pair != (pairs[0][0], pairs[0][0]) for pair in pairs):
        aimed = aimed._replace(priorities=np.array(pairs))
    return aimed, targets


def _pointed(
    tables: Tables,
    which: Sequence[int],
    wishes: Sequence[Goal | FloatArray],
    targets: FloatArray,
) -> tuple[Tables, bool]:
    """Write the targets of some tips; give tables for them, and whether these are other ones."""
    tips, is_new = tables.tips.copy(), False
    for tip, wish in enumerate(wishes[number] for number in which):
        if isinstance(wish, Goal):
            place_goal(_numbers_of(wish), tables.tips, tip, targets, tips, _NO_SEED)
            is_new = is_new or len(wish.numbers) > TOOL
        else:
            targets[tip] = wish
    return (tables.pointed(tips) if is_new else tables), is_new


def _wishes(prepared: Prepared, target: Targets, direction: ArrayLike) -> list[Goal | FloatArray]:
    """Give the goal of each tip, or a pose where the element says what of it counts."""
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
    wishes: list[Goal | FloatArray] = []
    for i, (name, one) in enumerate(zip(names, given, strict=True)):
        if isinstance(one, Target):
            wishes.append(one.goal(direction))
        else:
            wishes.append(own_or_refused(prepared, i) if one is None else pose_of(one, name))
    return wishes


def _kept(prepared: Prepared, key: object, constraints: Sequence[int | None]) -> Prepared:
    """Make what aims at goals of some kinds, or take what was made for an earlier scene."""
    aimed = prepared.aims.get(key)
    if aimed is None:
        if len(prepared.aims) >= _KEPT:
            prepared.aims.clear()
            prepared.slides.clear()
        aimed = _aimed(prepared, constraints)
    aimed = aimed._replace(scene=prepared.scene, settings=prepared.settings)
    prepared.aims[key] = aimed
    if isinstance(key, int) and aimed.tables.can_slide:
        prepared.slides[key] = aimed.tables.packed
    return aimed


def _aimed(prepared: Prepared, constraints: Sequence[int | None]) -> Prepared:
    parts = []
    for part in prepared.parts:
        own = np.arange(len(constraints))[part.tips].tolist()
        # A part has a base of its own: axes of the whole mean other directions there.
        reference = part.T_node_reference
        nodes = np.broadcast_to(np.eye(4), (len(own), 4, 4)) if reference is None else reference
        aims = [
            _aim_of(part.tables, tip, constraints[number], nodes[tip])
            for tip, number in enumerate(own)
        ]
        parts.append(part._replace(tables=part.tables.aimed(aims)))
    aims = [
        _aim_of(prepared.tables, tip, bits, prepared.T_node_reference[tip])
        for tip, bits in enumerate(constraints)
    ]
    return prepared._replace(
        tables=prepared.tables.aimed(aims), parts=tuple(parts), aims={}, slides={}
    )


def _aim_of(
    tables: Tables, tip: int, constraints: int | None, T_node_reference: FloatArray
) -> Aim:
    """Give what a tip of some tables shall do; its targets are seen from `T_node_reference`."""
    if constraints is None:
        return Aim(tip, int(tables.tip_wiring[tip, CONSTRAINTS]))
    return Aim(tip, constraints, R_node_axes=T_node_reference[:3, :3])
