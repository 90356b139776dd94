# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers by counter: uniform, independent, the same with and without a compiler."""

from __future__ import annotations

from ik_node.kernels._jit import kernel
from ik_node.kernels.counter_random import number_of, stream_key
import numpy as np


@kernel
def uniform(seed, stream, index):
    """Draw one number of one stream, in a kernel: the key is an unsigned word there."""
    return number_of(stream_key(seed, stream), index)


def splitmix_uniform(seed, stream, index):
    """Recompute a draw with unbounded Python integers, from the published constants."""
    mask = 2**64 - 1

    def mix(x):
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        return x ^ (x >> 31)

    gamma = 0x9E3779B97F4A7C15
    x = mix((seed + gamma) & mask)
    x = mix(((x ^ stream) + gamma) & mask)
    x = mix(((x ^ index) + gamma) & mask)
    return (x >> 11) * 2.0**-53


def test_draws_equal_the_published_mixer():
    for key in [(0, 0, 0), (1, 2, 3), (2**63 - 1, 99, 6), (12345, 10**6, 100)]:
        assert uniform(*key) == splitmix_uniform(*key)


def test_draws_are_uniform_and_uncorrelated():
    draws = np.array([[uniform(3, stream, i) for i in range(4)] for stream in range(20000)])
    assert draws.min() >= 0.0
    assert draws.max() < 1.0
    # Twelve standard errors of a uniform distribution.
    np.testing.assert_allclose(draws.mean(axis=0), 0.5, atol=12 * 0.2887 / np.sqrt(20000))
    np.testing.assert_allclose(draws.var(axis=0), 1.0 / 12.0, atol=0.01)
    correlation = np.corrcoef(np.hstack([draws[:-1], draws[1:]]).T)
    assert np.abs(correlation - np.eye(8)).max() < 0.05


def test_neighbouring_seeds_share_nothing():
    first = {uniform(5, stream, 0) for stream in range(1000)}
    second = {uniform(6, stream, 0) for stream in range(1000)}
    assert len(first) == len(second) == 1000
    assert not first & second
