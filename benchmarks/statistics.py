# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of many calls in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge import FloatArray


@dataclass(frozen=True)
class Summary:
    """One row of a comparison; times in [us]."""

    count: int
    """Targets asked."""
    success: float
    """Share of the answers that the judge accepts [%]."""
    mean: float
    median: float
    p99: float
    first: float
    """Mean of the first call of each turn, right after other solvers had the core."""


def median_of_repeats(times: FloatArray) -> FloatArray:
    """
    Take one time a target: the median of its repeats, which an interruption does not move.

    Parameters
    ----------
    times : (c, r) float64
        Times of c targets, r repeats each.

    Returns
    -------
    (c,) float64

    """
    return np.asarray(np.median(times, axis=1), dtype=np.float64)


def summarize(times: FloatArray, accepted: NDArray[np.bool_]) -> Summary:
    """
    Sum up the calls of one solver.

    Parameters
    ----------
    times : (c, r) float64
        Times of c targets, r repeats each [us].
    accepted : (c, r) bool
        What the judge said.

    Returns
    -------
    Summary

    """
    if not times.size:
        raise ValueError('there is no call to sum up')
    typical = median_of_repeats(times)
    return Summary(
        count=len(times),
        success=100.0 * float(np.mean(accepted)),
        mean=float(np.mean(typical)),
        median=float(np.median(typical)),
        p99=float(np.percentile(typical, 99.0)),
        first=float(np.mean(times[:, 0])),
    )


def mean_ratio(times: FloatArray, reference: FloatArray) -> float:
    """
    Compare two solvers on the same targets.

    Parameters
    ----------
    times, reference : (c, r) float64
        Times of both; the number of repeats may differ.

    Returns
    -------
    float
        Mean of the first over mean of the second, after `median_of_repeats`.

    """
    if len(times) != len(reference):
        raise ValueError(f'{len(times)} targets cannot be compared with {len(reference)}')
    return float(np.mean(median_of_repeats(times)) / np.mean(median_of_repeats(reference)))
