# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What callers give in the place of a number."""

from __future__ import annotations

import math
from numbers import Real


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
