# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that one request holds, and limits that it narrows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Sized
import math
from typing import NamedTuple, TypeAlias

from ik_node.constraints.vectors import vector
from ik_node.environment.request import Prepared
from ik_node.errors import InvalidOptionError, InvalidTargetError, shown, UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import into_limits
from ik_node.model.given import real
import numpy as np

LockedJoints: TypeAlias = 'Mapping[str, float | Sequence[float]] | Collection[str]'
"""
Where joints are held [rad or m], or which ones are held at the seed.

A spherical joint is held at a rotation vector (3,) [rad], or by the names of its coordinates.
"""
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
        A joint that follows another one, limits of a spherical one, a part of its coordinates, no
        number, a value outside of the limits, or limits that leave no position.

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
    own_rows, start = rows.copy(), seed.copy()
    for column, value in _held(prepared, locked_joints, rows).items():
        at = float(start[column]) if value is None else value
        lower, upper, period = rows[column, :3].tolist()
        if value is None and not stays:
            at = into_limits(at, lower, upper, period)
        # What is held is a coordinate by itself, those of a spherical joint too.
        start[column] = rows[column, 0] = rows[column, 1] = at
        rows[column, 4] = 1.0
    parts = tuple(
        part._replace(tables=part.tables.limited(rows[part.columns])) for part in prepared.parts
    )
    prepared = prepared._replace(tables=prepared.tables.limited(rows), parts=parts)
    return Narrowed(prepared, start, own_rows)


def _held(
    prepared: Prepared, locked_joints: LockedJoints | None, rows: FloatArray
) -> dict[int, float | None]:
    """Find the columns that are held, and where; None: at the seed."""
    named = () if locked_joints is None else locked_joints
    if isinstance(named, np.ndarray):
        named = named.tolist()
    sound = isinstance(named, Collection) and not isinstance(named, (str, bytes))
    if not sound or not all(isinstance(name, str) for name in named):
        raise InvalidOptionError(
            f'locked_joints is {shown(named)}; it must be a list of names, or a mapping to '
            'positions'
        )
    found: dict[int, float | None] = {}
    for name in named:
        columns = _coordinates_of(prepared, str(name), named)
        values: Sequence[float | None] = [None] * len(columns)
        if isinstance(named, Mapping):
            values = _positions(str(name), named[name], rows[columns, :2])
        if not found.keys().isdisjoint(columns):
            raise InvalidOptionError(
                f'locked_joints names {name!r} and its coordinates; name one or the others'
            )
        found.update(zip(columns, values, strict=True))
    return found


def _coordinates_of(prepared: Prepared, name: str, named: Collection[str]) -> list[int]:
    """Find the columns of a joint that is held; those of a spherical joint are held together."""
    names = prepared.tables.coordinate_names
    for first in np.flatnonzero(prepared.tables.limits[:, 4] == 3.0).tolist():
        columns = [first, first + 1, first + 2]
        own = [names[column] for column in columns]
        joint = own[0].removesuffix('/x')
        if name == joint:
            return columns
        if name in own:
            if not set(own) <= set(named):
                raise InvalidOptionError(
                    f'locked_joints names {name!r}, and a spherical joint is held as a whole; '
                    f'name {joint!r}, or all of {", ".join(own)}'
                )
            return [names.index(name)]
    return [column_of(prepared, name, 'locked_joints')]


def _positions(name: str, given: object, limits: FloatArray) -> list[float]:
    """Check where a joint is held; `limits` (k, 2) of its coordinates."""
    if len(limits) > 1:
        what = f'locked_joints holds the spherical joint {name!r} at'
        try:
            return list(vector(what, given))  # type: ignore[arg-type]
        except InvalidTargetError as error:
            raise InvalidOptionError(
                f'{what} {shown(given)}; it must be a rotation vector, three finite numbers [rad]'
            ) from error
    at, (lower, upper) = real(given), limits[0].tolist()
    if not math.isfinite(at):
        raise InvalidOptionError(
            f'locked_joints holds {name!r} at {shown(given)}; it must be a finite number '
            '[rad or m]'
        )
    if not lower - _ROUNDING <= at <= upper + _ROUNDING:
        raise InvalidOptionError(
            f'locked_joints holds {name!r} at {at:g}; its limits allow {lower:g} to {upper:g}'
        )
    return [min(max(at, lower), upper)]


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
    if isinstance(names, np.ndarray):
        return names.size > 0
    return names is not None and not (isinstance(names, Sized) and len(names) == 0)


def _items(limits: JointLimits | None, what: str) -> JointLimits:
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise InvalidOptionError(
            f'{what} is {shown(limits)}; it must be a mapping from names to (lower, upper)'
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
    raise UnknownNameError('joint', name, tables.coordinate_names, where)


def _pair(name: str, given: tuple[float, float]) -> tuple[float, float]:
    problem = (
        f'limits of {name!r} are {shown(given)}; they must be (lower, upper), numbers in order'
    )
    try:
        lower, upper = map(real, given)
    except (TypeError, ValueError) as error:
        raise InvalidOptionError(problem) from error
    if not lower <= upper:
        raise InvalidOptionError(problem)
    return lower, upper
