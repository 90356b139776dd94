# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a search runs on: elements that were checked for it, targets and a seed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ik_node.constraints.pose import pose_target
from ik_node.constraints.target import Target
from ik_node.environment.chain import configuration_of
from ik_node.environment.lowering import columns_of, lower, Lowered, own_targets
from ik_node.environment.scene import Scene
from ik_node.environment.stack import Settings
from ik_node.errors import (
    InvalidArgumentError,
    InvalidSeedError,
    InvalidStateError,
    InvalidTargetError,
)
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.poses import first_defect, is_exact_request
from ik_node.kernels.slide_request import Packed
from ik_node.model.tables import Tables
from ik_node.solvers.parts import independent_tips, Part, selection
import numpy as np
from numpy.typing import ArrayLike

# A copy takes 0.06 us less with the type itself than with the class that names it.
_FLOAT64 = np.dtype(np.float64)

Poses: TypeAlias = 'ArrayLike | Mapping[str, ArrayLike]'
"""A pose (4, 4), poses (t, 4, 4) in the order of the elements, or poses by the name of the tip."""
OneTarget: TypeAlias = 'Target | ArrayLike'
Targets: TypeAlias = 'OneTarget | Sequence[OneTarget] | Mapping[str, OneTarget]'
"""The same with targets of other kinds than poses among them."""


class Prepared(NamedTuple):
    """What searches run on, and what it was checked for."""

    scene: Scene
    settings: Settings
    tables: Tables
    shape: tuple[int]
    """(n,) of a configuration."""
    lowered: Lowered
    plain: bool
    """Whether there is one tip whose target is given in the frame of its base."""
    T_node_reference: FloatArray
    """(t, 4, 4) from the frame that a target is given in to the node that kernels want it in."""
    parts: tuple[Part, ...]
    """Sets of tips that have no variable in common; empty where it is one."""
    aims: dict[object, Any]
    """Kept by `ik_node.environment.aiming`."""
    slides: dict[int, Packed]
    """Packed tables of goals that slides serve, by their constraints; kept there too."""
    priorities: FloatArray | None = None
    """(t, 2) factors of the squared errors of each target; None: ones."""


def prepare(
    scene: Scene, settings: Settings, lowered: Lowered, given: Collection[int] = ()
) -> Prepared:
    """
    Check the elements of a group for a search.

    Parameters
    ----------
    scene : Scene
        What they were lowered from.
    settings : Settings
        Of the group.
    lowered : Lowered
        Its enabled elements.
    given : collection of int, optional
        Which of them were lowered for a target of the caller's.

    Returns
    -------
    Prepared

    Raises
    ------
    InvalidStateError
        No element is enabled.

    """
    if not any(record.enabled for record in lowered.records):
        raise InvalidStateError(
            f'no element of group {settings.name!r} is enabled, so there is nothing to reach; '
            'enable one'
        )
    tables = lowered.tables
    plain = len(lowered.records) == 1 and not lowered.follows[0]
    return Prepared(
        scene,
        settings,
        tables,
        (len(tables.coordinate_names),),
        lowered,
        plain,
        lowered.T_node_reference,
        () if len(lowered.records) == 1 else _parts(scene, lowered, given),
        {},
        {},
    )


def _parts(scene: Scene, lowered: Lowered, given: Collection[int]) -> tuple[Part, ...]:
    own_joints = [columns_of(scene, record) for record in lowered.records]
    sets = independent_tips(lowered.tables, own_joints)
    if len(sets) == 1:
        return ()
    names = lowered.tables.coordinate_names
    parts = []
    for tips in sets:
        records = [lowered.records[tip] for tip in tips]
        own = lower(scene, records, [i for i, tip in enumerate(tips) if tip in given])
        columns = [names.index(name) for name in own.tables.coordinate_names]
        T_node_reference = own.T_node_reference
        same = np.array_equal(T_node_reference, np.broadcast_to(np.eye(4), T_node_reference.shape))
        parts.append(
            Part(
                own.tables,
                None if same else T_node_reference,
                selection(tips),
                selection(columns),
            )
        )
    return tuple(parts)


def request_of(
    prepared: Prepared, target: Poses | None, seed: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """
    Check and copy what a search was asked for.

    Parameters
    ----------
    prepared : Prepared
        The elements.
    target : (4, 4) or (t, 4, 4) array_like, mapping of str to (4, 4) array_like, or None
        T_base_tip [m] of each element; what is not given is the pose of the dummy that is the
        target of the tip.
    seed : (n,) array_like or None
        [rad or m]; None: the state of the environment.

    Returns
    -------
    T_reference_target : (t, 4, 4) float64
        In the frames that `Lowered` names, C-contiguous.
    seed : (n,) float64
        C-contiguous.

    Raises
    ------
    InvalidTargetError, InvalidSeedError
        They mean nothing.

    """
    if target is not None and seed is not None and prepared.plain:
        # Most calls pass one kernel that looks at both: 0.4 us less than one after the other. What
        # does not pass is looked at again, for its own correction or error.
        try:
            pose = np.array(target, _FLOAT64, order='C')
            start = np.array(seed, _FLOAT64, order='C')
        except (TypeError, ValueError, OverflowError):
            pass
        else:
            if (
                pose.shape == (4, 4)
                and start.shape == prepared.shape
                and is_exact_request(pose, start)
            ):
                return pose[np.newaxis], start
    return _targets(prepared, target), start_of(prepared, seed)


def start_of(prepared: Prepared, seed: ArrayLike | None) -> FloatArray:
    """
    Check and copy a seed.

    Parameters
    ----------
    prepared : Prepared
        The elements.
    seed : (n,) array_like or None
        [rad or m]; None: the state of the environment.

    Returns
    -------
    (n,) float64

    Raises
    ------
    InvalidSeedError
        Another length, or a value that is not finite.

    """
    if seed is None:
        return prepared.scene.coordinates(prepared.tables)
    try:
        return configuration_of(prepared.tables, seed, 'the seed')
    except InvalidArgumentError as error:
        raise InvalidSeedError(str(error)) from error


def _targets(prepared: Prepared, target: Poses | None) -> FloatArray:
    """Check the targets that were given, and add those that were not."""
    lowered = prepared.lowered
    if len(lowered.records) > 1 and target is not None and not isinstance(target, Mapping):
        poses = _stacked(prepared, target)
        if first_defect(poses, 0) < 0:
            return poses
        return np.array([pose_of(pose, _tip_name(prepared, i)) for i, pose in enumerate(poses)])
    given = _given(prepared, target)
    if all(pose is not None for pose in given):
        own = given
    else:
        own = own_targets(prepared.scene, lowered)
    every = []
    for i, (pose, default) in enumerate(zip(given, own, strict=True)):
        if pose is None and default is None:
            raise _without_target(prepared, i)
        every.append(default if pose is None else pose)
    return np.array(every)


def own_or_refused(prepared: Prepared, tip: int) -> FloatArray:
    """
    Compute the target that a tip has by itself.

    Returns
    -------
    (4, 4) float64
        T_reference_target.

    Raises
    ------
    InvalidTargetError
        It has none.

    """
    pose = own_targets(prepared.scene, prepared.lowered)[tip]
    if pose is None:
        raise _without_target(prepared, tip)
    return pose


def _without_target(prepared: Prepared, tip: int) -> InvalidTargetError:
    return InvalidTargetError(
        f'no target was given and the tip {_tip_name(prepared, tip)!r} has none; give a '
        '(4, 4) pose, or set the target of that dummy'
    )


def _given(prepared: Prepared, target: Poses | None) -> list[FloatArray | None]:
    """Check the targets that were given, one for each element or None."""
    count = len(prepared.lowered.records)
    given: list[FloatArray | None] = [None] * count
    if target is None:
        return given
    if isinstance(target, Mapping):
        names = tip_names(prepared)
        for name, pose in target.items():
            if names.count(name) != 1:
                problem = 'is the tip of several elements' if name in names else 'is no tip'
                raise InvalidTargetError(
                    f'{name!r} {problem} of group {prepared.settings.name!r}; its tips are '
                    f'{", ".join(names)}'
                )
            given[names.index(name)] = pose_of(pose, name)
        return given
    return [pose_target(target)]


def _stacked(prepared: Prepared, target: ArrayLike) -> FloatArray:
    """Copy the targets of several elements, in their order."""
    count, name = len(prepared.lowered.records), prepared.settings.name
    try:
        poses = np.array(target, _FLOAT64, order='C')
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidTargetError(f'the targets are not an array of numbers: {error}') from error
    if poses.shape != (count, 4, 4):
        raise InvalidTargetError(
            f'the targets have the shape {poses.shape}; group {name!r} has {count} elements, so '
            f'it must be ({count}, 4, 4), or a mapping from tips to poses'
        )
    return poses


def pose_of(pose: ArrayLike, name: str) -> FloatArray:
    """
    Check a pose that is a target.

    Parameters
    ----------
    pose : (4, 4) array_like
        What a caller gave.
    name : str
        Of the tip, for an error.

    Returns
    -------
    (4, 4) float64

    Raises
    ------
    InvalidTargetError
        It is none; the error names the tip.

    """
    try:
        return pose_target(pose)
    except InvalidTargetError as error:
        raise InvalidTargetError(f'target of {name!r}: {error}') from error


def given_tips(prepared: Prepared, target: Targets | None) -> frozenset[int]:
    """
    Tell for which tips a caller gives a target where the tip has one that moves by itself.

    Parameters
    ----------
    prepared : Prepared
        The elements.
    target : array_like, mapping or None
        As for `request_of`, not checked.

    Returns
    -------
    frozenset of int

    """
    follows = prepared.lowered.follows
    if target is None:
        return frozenset()
    if isinstance(target, Mapping):
        return frozenset(
            i for i, follow in enumerate(follows) if follow and _tip_name(prepared, i) in target
        )
    return frozenset(i for i, follow in enumerate(follows) if follow)


def _tip_name(prepared: Prepared, tip: int) -> str:
    scene = prepared.scene
    return scene.mechanism.objects[scene.index[prepared.lowered.records[tip].tip]].name


def tip_names(prepared: Prepared) -> list[str]:
    """
    Name the tips.

    Returns
    -------
    list of str
        In the order of the elements.

    """
    return [_tip_name(prepared, i) for i in range(len(prepared.lowered.records))]
