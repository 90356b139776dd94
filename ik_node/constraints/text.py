# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The text form of targets, as OpenRAVE writes and reads it.

One line of words with spaces between: the number of the type, its values in IKFast's order, and,
when the custom data bit of the number is set, how many names follow, and for each the name, how
many numbers, and the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import re

from ik_node.constraints.parameterization_type import CUSTOM_DATA_BIT, IkParameterizationType
from ik_node.errors import InvalidTargetError

# Python itself would read digits of all scripts and underscores as well, but not long counts.
_COUNT = re.compile('[0-9]{1,10}')
_NUMBER = re.compile(r'[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?')


def written(
    kind: IkParameterizationType,
    values: tuple[float, ...],
    custom: Mapping[str, tuple[float, ...]],
) -> str:
    """
    Write a type and its values.

    Parameters
    ----------
    kind : IkParameterizationType
        Type of a target or of a velocity.
    values : tuple of float
        In IKFast's order.
    custom : mapping of str to tuple of float
        Custom data.

    Returns
    -------
    str
        Every number with as many digits as it takes to read the same one back.

    """
    number = kind | CUSTOM_DATA_BIT if custom else kind
    words = [str(int(number)), *map(repr, values)]
    if custom:
        words.append(str(len(custom)))
        for name, row in custom.items():
            words += [name, str(len(row)), *map(repr, row)]
    return ' '.join(words)


def read(
    text: str,
) -> tuple[IkParameterizationType, tuple[float, ...], dict[str, tuple[float, ...]]]:
    """
    Read a type and its values.

    Parameters
    ----------
    text : str
        From `written`, or from OpenRAVE.

    Returns
    -------
    kind : IkParameterizationType
        Type of a target or of a velocity.
    values : tuple of float
        In IKFast's order.
    custom : dict of str to tuple of float
        Custom data.

    Raises
    ------
    InvalidTargetError
        The text ends too early or too late, or has a word where a number must be.
    InvalidArgumentError
        No type has that number.

    """
    if not isinstance(text, str):
        raise InvalidTargetError(f'a target is read from text, not from {type(text).__name__}')
    words = iter(text.split())
    number = _whole(words, 'the number of the type')
    kind = IkParameterizationType(number & ~CUSTOM_DATA_BIT)
    values = _row(words, kind.number_of_values, f'the values of a {kind.name}')
    custom = {}
    if number & CUSTOM_DATA_BIT:
        for _ in range(_whole(words, 'the number of names of custom data')):
            name = _word(words, 'the name of custom data')
            size = _whole(words, f'how many numbers {name[:80]!r} has')
            custom[name] = _row(words, size, f'the numbers of {name[:80]!r}')
    rest = next(words, None)
    if rest is not None:
        raise InvalidTargetError(
            f'the text of a {kind.name} goes on with {rest[:80]!r} after its end; it has '
            f'{kind.number_of_values} values, and custom data only when the type has the bit '
            f'{CUSTOM_DATA_BIT:#x}'
        )
    return kind, values, custom


def _word(words: Iterator[str], what: str) -> str:
    word = next(words, None)
    if word is None:
        raise InvalidTargetError(f'the text of a target ends where {what} should stand')
    return word


def _whole(words: Iterator[str], what: str) -> int:
    word = _word(words, what)
    if not _COUNT.fullmatch(word):
        raise InvalidTargetError(f'{word[:80]!r} stands where {what} should; it must be a count')
    return int(word)


def _row(words: Iterator[str], size: int, what: str) -> tuple[float, ...]:
    row: list[float] = []
    # A count in the text may promise more than memory holds: the words are what is counted.
    while len(row) < size:
        word = _word(words, what)
        if not _NUMBER.fullmatch(word):
            raise InvalidTargetError(
                f'{word[:80]!r} stands where {what} should; it must be a finite number'
            )
        row.append(float(word))
    return tuple(row)
