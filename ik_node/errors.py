# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Every exception that ik_node raises, and how they quote what was given.

::

    IkNodeError
    |-- ModelError                    the robot cannot be used
    |   |-- UrdfError                 its description is missing, malformed or contradictory
    |   `-- SrdfError                 its groups are malformed or name what it does not have
    |-- UnknownNameError              no link, joint, group or element has that name
    |-- InvalidArgumentError          a value that a function does not accept
    |   |-- InvalidTargetError        NaN, not a rigid transform, zero quaternion
    |   |-- InvalidSeedError          wrong length, NaN
    |   `-- InvalidOptionError        negative timeout, a weight that is no number
    |-- InvalidStateError             a valid call at the wrong time
    `-- LoadError                     a saved environment cannot be read

"No solution" is not among them: a search that finds nothing is a result with a reason
(`SolveResult.status`, `SolveResult.message`).
"""

from __future__ import annotations

from collections.abc import Iterable
import difflib
import math
from numbers import Integral
import reprlib
from typing import Any

_BRIEF = reprlib.Repr()
_BRIEF.maxlist = _BRIEF.maxtuple = 10
_BRIEF.maxdict = 4
_BRIEF.maxstring = _BRIEF.maxlong = _BRIEF.maxother = 80


def shown(value: object) -> str:
    """
    Quote what was given: a bounded piece of it, because it can be a stranger's.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str

    """
    if isinstance(value, Integral) and abs(int(value)) >= 10**40:
        # Python refuses to write integers of more than 4300 digits.
        digits = int(int(value).bit_length() * math.log10(2.0))
        return f'an integer of about {digits} digits'
    return _BRIEF.repr(value)


class IkNodeError(Exception):
    """Base of every exception raised by ik_node."""


class ModelError(IkNodeError, ValueError):
    """The mechanism is malformed: a loop, two roots, contradictory limits."""


class UrdfError(ModelError):
    """A robot description cannot be read."""


class SrdfError(ModelError):
    """A semantic robot description cannot be read, or does not fit the robot."""


class UnknownNameError(IkNodeError, LookupError):
    """
    A name that nothing has.

    Attributes
    ----------
    kind : str
        What was looked for: 'link', 'joint', 'group', ...
    name : object
        What was given in the place of a name.
    allowed : tuple of str
        The names that exist.

    """

    def __init__(self, kind: str, name: Any, allowed: Iterable[str], where: str = '') -> None:
        self.kind = kind
        self.name = name
        self.allowed = tuple(allowed)
        super().__init__(self._sentence(where))

    def _sentence(self, where: str) -> str:
        # A name can come from a stranger's request: quote a bounded piece of it.
        if not isinstance(self.name, str):
            text, close = f'{shown(self.name)} is no name of a {self.kind}{where}', []
        else:
            given = self.name if len(self.name) <= 80 else self.name[:77] + '...'
            text = f'unknown {self.kind} {given!r}{where}'
            close = difflib.get_close_matches(given, self.allowed, n=1)
        if close:
            text += f'; did you mean {close[0]!r}?'
        if not self.allowed:
            return f'{text}; there is no {self.kind} at all'
        listed = ', '.join(self.allowed[:12])
        more = len(self.allowed) - 12
        return f'{text}; known: {listed}' + (f' and {more} more' if more > 0 else '')


class InvalidArgumentError(IkNodeError, ValueError):
    """A value that a function does not accept."""


class InvalidTargetError(InvalidArgumentError):
    """A target that no configuration could ever mean: NaN, a zero quaternion, a skewed matrix."""


class InvalidSeedError(InvalidArgumentError):
    """A seed of the wrong length or with values that are not finite."""


class InvalidOptionError(InvalidArgumentError):
    """An option out of its range."""


class InvalidStateError(IkNodeError, RuntimeError):
    """A valid call at the wrong time."""


class LoadError(IkNodeError, ValueError):
    """A saved environment is no such file, of another version, or damaged."""
