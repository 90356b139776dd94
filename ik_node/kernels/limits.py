# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Variables inside their limits.

limits : (n, 5) float64
    Per variable lower and upper bound (infinite where there is none), the period (2 pi where a
    full turn changes no pose, else 0), the half width of random draws around the seed where a
    bound is missing, and how many coordinates of one joint begin here: 1, or 3 at the first and 0
    at the others of a rotation vector.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.counter_random import number_of, stream_key
from ik_node.kernels.rotations import rotate_vector_by
import numpy as np


@kernel
def into_limits(value: float, lower: float, upper: float, period: float) -> float:
    """
    Bring a variable into its range: by full turns where they land inside, else to the bound.

    Parameters
    ----------
    value, lower, upper, period : float
        See the module.

    Returns
    -------
    float

    """
    if value > upper:
        turned = value - np.ceil((value - upper) / period) * period if period > 0.0 else upper
        return min(turned, upper) if turned >= lower else upper
    if value < lower:
        turned = value + np.ceil((lower - value) / period) * period if period > 0.0 else lower
        return max(turned, lower) if turned <= upper else lower
    return value


@kernel
def turns_endlessly(lower: float, upper: float, period: float) -> bool:
    """
    Tell whether a step beyond a bound always lands inside by a full turn.

    Parameters
    ----------
    lower, upper, period : float
        See the module.

    Returns
    -------
    bool

    """
    return period > 0.0 and upper - lower >= period


@kernel
def nearest_turn(
    value: float,
    reference: float,
    lower: float,
    upper: float,
    period: float,
) -> float:
    """
    Choose among the equivalent values of a periodic variable the one nearest to a reference.

    Parameters
    ----------
    value, reference, lower, upper, period : float
        See the module; `value` is inside its limits.

    Returns
    -------
    float
        value + i * period for an integer i, inside the limits.

    """
    # In a range of less than a turn there is no other value.
    if period == 0.0 or upper - lower < period or abs(reference - value) < 0.5 * period:
        return value
    # In floats: a reference may be any finite number of turns away.
    turns: float = np.floor((reference - value) / period + 0.5)
    if turns > 0.0:
        turns = min(turns, np.floor((upper - value) / period))
    elif turns < 0.0:
        turns = max(turns, -np.floor((value - lower) / period))
    # By rounding a full turn may end beyond the bound that it leads to.
    return min(max(value + turns * period, lower), upper)


@kernel
def move(limits: FloatArray, dq: FloatArray, q: FloatArray) -> None:
    """
    Add a step to a configuration, inside the limits.

    Parameters
    ----------
    limits : (n, 5) float64
        See the module.
    dq : (n,) float64
        Step [rad or m]; of a rotation vector the rotation about the moving axes.
    q : (n,) float64
        Changed in place.

    """
    for i in range(q.shape[0]):
        if limits[i, 4] == 1.0:
            q[i] = into_limits(q[i] + dq[i], limits[i, 0], limits[i, 1], limits[i, 2])
        elif limits[i, 4] == 3.0:
            rotate_vector_by(q[i : i + 3], dq[i : i + 3])


@kernel
def draw(
    limits: FloatArray,
    center: FloatArray,
    random_seed: int,
    stream: int,
    q: FloatArray,
) -> None:
    """
    Draw a configuration, uniform over the limits.

    Parameters
    ----------
    limits : (n, 5) float64
        See the module.
    center : (n,) float64
        Middle of the draws of a variable without bounds.
    random_seed, stream : int
        Key of the draw.
    q : (n,) float64
        Output.

    """
    key = stream_key(random_seed, stream)
    for i in range(q.shape[0]):
        lower, upper = limits[i, 0], limits[i, 1]
        if lower == -math.inf or upper == math.inf:
            middle = min(max(center[i], lower), upper)
            lower = max(lower, middle - limits[i, 3])
            upper = min(upper, middle + limits[i, 3])
        q[i] = lower + (upper - lower) * number_of(key, i)


@kernel
def draw_start(
    limits: FloatArray,
    center: FloatArray,
    best: FloatArray,
    random_seed: int,
    start: int,
    q: FloatArray,
) -> None:
    """
    Draw the beginning of a start: anywhere, or, when many have failed, half of it near the best.

    Where eight starts did not find a solution it lies in a small corner, most often with joints
    at their limits. Then every other start takes about half of its joints from the best
    configuration so far (measured on targets at limits: the worst of them need half as many).

    Parameters
    ----------
    limits, center
        As for `draw`.
    best : (n,) float64
        The best configuration so far; read from the ninth start on.
    random_seed, start : int
        Key of the draw.
    q : (n,) float64
        Output.

    """
    draw(limits, center, random_seed, start, q)
    if start > 8 and start % 2 == 1:
        n = q.shape[0]
        key = stream_key(random_seed, start)
        for i in range(n):
            if number_of(key, n + i) < 0.5:
                q[i] = best[i]
