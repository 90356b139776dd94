# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What callers give in the place of a number or a word, and how an error quotes it."""

from __future__ import annotations

import math
from numbers import Integral, Real
import reprlib

_BRIEF = reprlib.Repr()
_BRIEF.maxlist = _BRIEF.maxtuple = 10
_BRIEF.maxdict = 4
_BRIEF.maxstring = _BRIEF.maxlong = _BRIEF.maxother = 80


def real(value: object) -> float:
    """
    Read a number.

    Parameters
    ----------
    value : object
        What was given.

    Returns
    -------
    float
        NaN for what is no number, a string that reads as one included; an infinity for a number
        that no float is near to, such as 10**400.

    """
    if not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


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
