# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Registers: every operator and function against NumPy, lane by lane."""

from __future__ import annotations

from ik_node.kernels._jit import kernel
from ik_node.kernels.lanes.vector import (
    absolute,
    any_lane,
    floor,
    LANES,
    load,
    select,
    splat,
    sqrt,
    store,
)
import numpy as np


@kernel
def _arithmetic(a, b, number, out):
    x, y = load(a, 0), load(b, 0)
    store(out, 0, x + y)
    store(out, 1, x - y)
    store(out, 2, x * y)
    store(out, 3, x / y)
    store(out, 4, -x)
    store(out, 5, x + number)
    store(out, 6, number - x)
    store(out, 7, x * number)
    store(out, 8, number / y)
    store(out, 9, splat(number))
    store(out, 10, 2 * x + 1)


@kernel
def _choices(a, b, out):
    x, y = load(a, 0), load(b, 0)
    store(out, 0, select(x < y, x, y))
    store(out, 1, select(x <= y, 1.0, 0.0))
    store(out, 2, select(x > y, x, -1.0))
    store(out, 3, select(x >= 0.5, 1.0, y))
    store(out, 4, select((x < y) & (y > 0.0), 1.0, 0.0))
    store(out, 5, select((x < y) | (y > 0.0), 1.0, 0.0))
    store(out, 6, select(x == y, 1.0, 0.0))
    store(out, 7, floor(x))
    store(out, 8, sqrt(absolute(x)))


@kernel
def _any_below(a, bound):
    return any_lane(load(a, 0) < bound)


def test_arithmetic_is_that_of_numpy(rng):
    a, b = rng.standard_normal((2, 1, LANES))
    out = np.empty((11, LANES))
    _arithmetic(a, b, 1.7, out)
    x, y = a[0], b[0]
    expected = [
        x + y, x - y, x * y, x / y, -x, x + 1.7, 1.7 - x, x * 1.7, 1.7 / y, np.full(LANES, 1.7),
        2 * x + 1,
    ]  # fmt: skip
    np.testing.assert_allclose(out, expected, rtol=1e-15, atol=1e-15)


def test_choices_are_made_lane_by_lane(rng):
    a, b = rng.integers(-2, 3, (2, 1, LANES)).astype(float) + 0.25
    a[0, 0] = b[0, 0]
    out = np.empty((9, LANES))
    _choices(a, b, out)
    x, y = a[0], b[0]
    expected = [
        np.minimum(x, y), x <= y, np.where(x > y, x, -1), np.where(x >= 0.5, 1, y),
        (x < y) & (y > 0), (x < y) | (y > 0), x == y, np.floor(x), np.sqrt(np.abs(x)),
    ]  # fmt: skip
    np.testing.assert_array_equal(out, expected)


def test_comparisons_with_nan_are_false():
    a, b = np.full((1, LANES), np.nan), np.zeros((1, LANES))
    out = np.empty((9, LANES))
    _choices(a, b, out)
    np.testing.assert_array_equal(out[1], 0.0)
    np.testing.assert_array_equal(out[4:7], 0.0)


def test_one_lane_is_enough_for_any():
    a = np.ones((1, LANES))
    assert not _any_below(a, 1.0)
    for lane in range(LANES):
        a[:] = 1.0
        a[0, lane] = 0.5
        assert _any_below(a, 1.0)
