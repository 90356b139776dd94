# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of redundant joints that a search goes through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import itertools
import math

from ik_node.kernels.arrays import FloatArray
import numpy as np

MOST_SAMPLES = 1000
"""Most combinations of values that are looked at."""


def sampled_range(lower: float, upper: float, seed: float) -> tuple[float, float]:
    """
    Bound a range that has no ends: half a turn, or half a metre of travel, to each side.

    Returns
    -------
    lower, upper : float

    """
    return (
        lower if math.isfinite(lower) else min(seed, upper) - math.pi,
        upper if math.isfinite(upper) else max(seed, lower) + math.pi,
    )


def sweep(lower: float, upper: float, seed: float, step: float) -> Iterator[float]:
    """
    Go through a range from the seed to both sides in turn, as IKFast's plugin does.

    Parameters
    ----------
    lower, upper : float
        The range [rad or m].
    seed : float
        Where to begin; it comes first.
    step : float
        Positive.

    Yields
    ------
    float

    """
    lower, upper = sampled_range(lower, upper, seed)
    yield seed
    for count in itertools.count(1):
        values = seed + count * step, seed - count * step
        inside = [value for value in values if lower <= value <= upper]
        if not inside:
            return
        yield from inside


def grid(lower: float, upper: float, seed: float, step: float) -> list[float]:
    """
    List the seed, then a uniform grid over the range with both ends.

    Parameters
    ----------
    lower, upper, seed, step
        As for `sweep`.

    Returns
    -------
    list of float

    """
    lower, upper = sampled_range(lower, upper, seed)
    count = max(1, math.ceil((upper - lower) / step))
    values = [lower + i * step for i in range(count)] + [upper]
    return [seed, *(value for value in values if abs(value - seed) > 1e-9)]


def draws(
    lower: float, upper: float, seed: float, step: float, generator: np.random.Generator
) -> list[float]:
    """
    List the seed, then as many random values as a grid of this step has.

    Parameters
    ----------
    lower, upper, seed, step
        As for `sweep`.
    generator : numpy.random.Generator
        Where the values come from.

    Returns
    -------
    list of float

    """
    lower, upper = sampled_range(lower, upper, seed)
    count = max(1, math.ceil((upper - lower) / step))
    return [seed, *generator.uniform(lower, upper, count).tolist()]


def combinations(values: Sequence[Sequence[float]]) -> Iterator[tuple[float, ...]]:
    """
    Combine the values of several joints, at most `MOST_SAMPLES` of them.

    Yields
    ------
    tuple of float

    """
    yield from itertools.islice(itertools.product(*values), MOST_SAMPLES)


def distinct(configs: Sequence[FloatArray], seed: FloatArray, same: float) -> list[FloatArray]:
    """
    Sort configurations by their distance from the seed, and leave out what comes twice.

    Parameters
    ----------
    configs : sequence of (n,) float64
        Any.
    seed : (n,) float64
        What to be near to.
    same : float
        Largest joint difference of two that are one [rad or m].

    Returns
    -------
    list of (n,) float64

    """
    kept: list[FloatArray] = []
    for config in sorted(configs, key=lambda config: float(np.linalg.norm(config - seed))):
        if all(np.abs(config - other).max() > same for other in kept):
            kept.append(config)
    return kept
