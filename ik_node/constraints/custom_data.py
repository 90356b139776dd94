# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Named numbers that a target carries along, as OpenRAVE's custom data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
import re
from typing import TypeAlias

from ik_node.constraints.rigid import quat_from_matrix, quat_product, Rigid
from ik_node.constraints.vectors import number, numbers
from ik_node.errors import InvalidTargetError, shown
from numpy.typing import ArrayLike

CustomValues: TypeAlias = Mapping[str, ArrayLike]

_TAG = re.compile('_transform=([^_]*)')


class CustomData(Mapping[str, tuple[float, ...]]):
    """
    Names and their numbers; it cannot be changed.

    Parameters
    ----------
    values : mapping of str to float or (n,) array_like, optional
        Names without spaces and control characters. A tag in a name says how the numbers follow
        when a target is seen from another base: `_transform=direction_` (three, turned),
        `_transform=point_` (three, turned and moved), `_transform=quat_` (four, w first, turned),
        `_transform=ikparam_` (the number of a type and its values). Others stay as they are.

    Raises
    ------
    InvalidTargetError
        A name that cannot be written as text, or numbers that are not finite.

    """

    __slots__ = ('_values',)

    def __init__(self, values: CustomValues | None = None) -> None:
        self._values: dict[str, tuple[float, ...]] = {}
        if not isinstance(values, (Mapping, type(None))):
            raise InvalidTargetError(
                f'custom data is {shown(values)}; it must be a mapping from names to numbers'
            )
        for name, row in ({} if values is None else values).items():
            if not isinstance(name, str) or not name or any(ord(letter) < 33 for letter in name):
                raise InvalidTargetError(
                    f'{shown(name)} is no name of custom data; it must be text without spaces, '
                    'tabs and line breaks, of at least one letter'
                )
            what = f'custom data {name!r}'
            self._values[name] = (
                numbers(what, row, len(row)) if isinstance(row, Sized) else (number(what, row),)
            )

    def __getitem__(self, name: str) -> tuple[float, ...]:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)

    def tags(self) -> dict[str, str]:
        """
        List what follows a change of the base.

        Returns
        -------
        dict of str to str
            Names, and the tags in them: 'direction', 'point', 'quat', 'ikparam'.

        """
        found = {name: _TAG.search(name) for name in self._values}
        return {name: match[1] for name, match in found.items() if match}


NO_DATA = CustomData()


def data_of(values: CustomValues | None) -> CustomData:
    """
    Check custom data.

    Parameters
    ----------
    values : mapping of str to float or (n,) array_like, or None
        See `CustomData`.

    Returns
    -------
    CustomData
        `NO_DATA` where there are none.

    Raises
    ------
    InvalidTargetError
        See `CustomData`.

    """
    return NO_DATA if values is None or values is NO_DATA else CustomData(values)


def moved_numbers(tag: str, row: tuple[float, ...], motion: Rigid) -> tuple[float, ...] | None:
    """
    See tagged numbers from another base.

    Parameters
    ----------
    tag : str
        'direction', 'point' or 'quat'.
    row : tuple of float
        What beyond the numbers of the tag follows, stays.
    motion : Rigid
        T_new_base.

    Returns
    -------
    tuple of float or None
        None when the tag is none of these, or there are too few numbers for it.

    """
    if tag == 'direction' and len(row) >= 3:
        return motion.turned((row[0], row[1], row[2])) + row[3:]
    if tag == 'point' and len(row) >= 3:
        return motion.moved((row[0], row[1], row[2])) + row[3:]
    if tag == 'quat' and len(row) >= 4:
        w, x, y, z = row[:4]
        x, y, z, w = quat_product(quat_from_matrix(motion.rotation), (x, y, z, w))
        return (w, x, y, z, *row[4:])
    return None
