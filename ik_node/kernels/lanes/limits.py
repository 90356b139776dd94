# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables inside their limits, in lanes; see `ik_node.kernels.limits`."""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import inlined
from ik_node.kernels.lanes.vector import floor, select, splat
from ik_node.kernels.limits import turns_endlessly
from ik_node.kernels.step import AT_BOUND
import numpy as np


@inlined
def into_limits(value: Any, lower: float, upper: float, period: float) -> Any:
    """
    Bring a variable into its range; see `ik_node.kernels.limits.into_limits`.

    Parameters
    ----------
    value : lanes
        [rad or m].
    lower, upper, period : float
        Row of the limits.

    Returns
    -------
    lanes

    """
    if period > 0.0:
        # Whole turns: the ceiling of x is -floor(-x).
        down = value + floor((upper - value) * (1.0 / period)) * period
        up = value - floor((value - lower) * (1.0 / period)) * period
        # The inner choice: by rounding, turns of a huge value may end beyond the other bound.
        high = select(down >= lower, select(down > upper, upper, down), upper)
        low = select(up <= upper, select(up < lower, lower, up), lower)
    else:
        high, low = splat(upper), splat(lower)
    return select(value > upper, high, select(value < lower, low, value))


@inlined
def pushed_outward(slope: Any, value: Any, lower: float, upper: float, period: float) -> Any:
    """
    Tell where a variable stands at a bound and the step would lead beyond it, for good.

    Parameters
    ----------
    slope : lanes
        Its column of the Jacobian times the error.
    value : lanes
        [rad or m].
    lower, upper, period : float
        Row of the limits.

    Returns
    -------
    mask

    """
    if turns_endlessly(lower, upper, period):
        lower, upper = -np.inf, np.inf
    return ((slope > 0.0) & (value >= upper - AT_BOUND)) | (
        (slope < 0.0) & (value <= lower + AT_BOUND)
    )
