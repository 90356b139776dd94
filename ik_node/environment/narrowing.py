# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that one request holds, and limits that it narrows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sized
import math
from numbers import Real
from typing import NamedTuple, TypeAlias

from ik_node.environment.request import Prepared
from ik_node.errors import InvalidOptionError, UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import into_limits

LockedJoints: TypeAlias = 'Mapping[str, float] | Collection[str]'
"""Where joints are held [rad or m], or which ones are held at the seed."""
JointLimits: TypeAlias = 'Mapping[str, tuple[float, float]]'
"""Lower and upper limits [rad or m] by the names of joints."""

_ROUNDING = 1e-9
"""A value this far outside of a limit is a rounded one [rad or m]."""


class Narrowed(NamedTuple):
    """What a request runs on."""

    prepared: Prepared
    seed: FloatArray
    """(n,) with the values of held joints [rad or m]."""
    limits: FloatArray
    """(n, 5) narrowed; those of held joints are their own, where they do not stand by force."""


def narrowed(
    prepared: Prepared,
    seed: FloatArray,
    locked_joints: LockedJoints | None,
    limits: JointLimits | None,
    *,
    stays: bool = False,
) -> Narrowed:
    """
    Hold joints and narrow limits for one request.

    Parameters
    ----------
    prepared : Prepared
        Elements, n coordinates.
    seed : (n,) float64
        Checked [rad or m].
    locked_joints : mapping of str to float, or collection of str, or None
        Where joints are held, or which are held at the seed.
    limits : mapping of str to pair of float, or None
        Narrower limits; what is wider than the joint's own makes no difference.
    stays : bool
        Whether a joint that is held outside of its limits stays there, instead of being brought
        inside.

    Returns
    -------
    Narrowed

    Raises
    ------
    UnknownNameError
        No joint of the group has that name.
    InvalidOptionError
        A joint that follows another one or is spherical, no number, a value outside of the
        limits, or limits that leave no position.

    """
    if not is_given(locked_joints) and not is_given(limits):
        return Narrowed(prepared, seed, prepared.tables.limits)
    rows: FloatArray = prepared.tables.limits.copy()
    for name, given in _items(limits, 'limits').items():
        column = column_of(prepared, name, 'limits')
        lower, upper = _pair(name, given)
        own = (float(rows[column, 0]), float(rows[column, 1]))
        rows[column, :2] = max(lower, own[0]), min(upper, own[1])
        if rows[column, 0] > rows[column, 1]:
            raise InvalidOptionError(
                f'limits of {name!r} are {lower:g} to {upper:g}, and its own are {own[0]:g} to '
                f'{own[1]:g}; they leave no position, give some that overlap'
            )
    shown, start = rows.copy(), seed.copy()
    held = () if locked_joints is None else locked_joints
    sound = isinstance(held, Collection) and not isinstance(held, (str, bytes))
    if not sound or not all(isinstance(name, str) for name in held):
        raise InvalidOptionError(
            f'locked_joints is {held!r}; it must be a list of names, or a mapping to positions'
        )
    for name in held:
        column = column_of(prepared, name, 'locked_joints')
        lower, upper, period = rows[column, :3].tolist()
        if isinstance(held, Mapping):
            value = _number(f'locked_joints holds {name!r} at', held[name])
            if not lower - _ROUNDING <= value <= upper + _ROUNDING:
                raise InvalidOptionError(
                    f'locked_joints holds {name!r} at {value:g}; its limits allow {lower:g} to '
                    f'{upper:g}'
                )
            value = min(max(value, lower), upper)
        else:
            value = float(start[column])
            if not stays:
                value = into_limits(value, lower, upper, period)
        start[column] = rows[column, 0] = rows[column, 1] = value
    parts = tuple(
        part._replace(tables=part.tables.limited(rows[part.columns])) for part in prepared.parts
    )
    prepared = prepared._replace(tables=prepared.tables.limited(rows), parts=parts)
    return Narrowed(prepared, start, shown)


def is_given(names: object) -> bool:
    """
    Tell whether a caller names joints, be it in a wrong way.

    Parameters
    ----------
    names : object
        Joints to hold, or limits.

    Returns
    -------
    bool
        False of None and of what is empty; arrays of names have no truth value of their own.

    """
    return names is not None and not (isinstance(names, Sized) and len(names) == 0)


def _items(limits: JointLimits | None, what: str) -> JointLimits:
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise InvalidOptionError(
            f'{what} is {limits!r}; it must be a mapping from names to (lower, upper)'
        )
    return limits


def column_of(prepared: Prepared, name: str, what: str) -> int:
    """
    Find the coordinate of a joint that is named in a request.

    Parameters
    ----------
    prepared : Prepared
        Elements, n coordinates.
    name : str
        What a caller gave.
    what : str
        Where it was given, for an error.

    Returns
    -------
    int

    Raises
    ------
    UnknownNameError
        No joint of the group has that name.
    InvalidOptionError
        A joint that follows another one or is spherical.

    """
    tables, mechanism = prepared.tables, prepared.scene.mechanism
    if name in tables.coordinate_names:
        column = tables.coordinate_names.index(name)
        if tables.limits[column, 4] == 1.0:
            return column
    if name in tables.joint_names or name in tables.coordinate_names:
        raise InvalidOptionError(
            f'{what} names {name!r}, a spherical joint, which has no single position; name a '
            'joint of one coordinate'
        )
    if name in mechanism.joint_indices:
        master = mechanism.drive(name).variable.name
        if master != name:
            raise InvalidOptionError(
                f'{what} names {name!r}, which follows {master!r}; name {master!r}'
            )
    where = f' in {what} of group {prepared.settings.name!r}'
    raise UnknownNameError('joint', str(name), tables.coordinate_names, where)


def _pair(name: str, given: tuple[float, float]) -> tuple[float, float]:
    problem = f'limits of {name!r} are {given!r}; they must be (lower, upper), numbers in order'
    try:
        lower, upper = (float(value) for value in given)
    except (TypeError, ValueError) as error:
        raise InvalidOptionError(problem) from error
    if not lower <= upper:
        raise InvalidOptionError(problem)
    return lower, upper


def _number(what: str, value: float) -> float:
    if not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidOptionError(f'{what} {value!r}; it must be a finite number [rad or m]')
    return float(value)
