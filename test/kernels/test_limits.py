# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables inside their limits."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from ik_node.kernels.limits import draw, into_limits, nearest_turn
from ik_node.kernels.rotations import TWO_PI
import numpy as np
import pytest


@pytest.mark.parametrize(
    ('value', 'lower', 'upper', 'period', 'expected'),
    [
        (0.5, -1.0, 1.0, TWO_PI, 0.5),
        (3.5, -3.0, 3.0, TWO_PI, 3.5 - TWO_PI),  # a full turn back lands inside
        (-3.5, -3.0, 3.0, TWO_PI, TWO_PI - 3.5),
        (3.1, -3.0, 3.0, TWO_PI, 3.0),  # -3.183 is outside too: the bound
        (2.0, -1.0, 1.0, TWO_PI, 1.0),
        (3.5, -3.0, 3.0, 0.0, 3.0),  # a prismatic joint has no turns
        (99.0, -math.inf, math.inf, TWO_PI, 99.0),
    ],
)
def test_into_limits(value, lower, upper, period, expected):
    assert into_limits(value, lower, upper, period) == pytest.approx(expected, abs=1e-15)


def test_continuous_joint_answers_with_the_turn_of_the_seed():
    # The seed stands at 3.1, the solution at -3.1: that is 3.183185, 0.083 away.
    assert nearest_turn(-3.1, 3.1, -math.inf, math.inf, TWO_PI) == pytest.approx(
        3.183185, abs=1e-6
    )


@given(st.floats(-6.0, 6.0), st.floats(-50.0, 50.0), st.floats(0.0, 20.0), st.floats(0.0, 20.0))
def test_nearest_turn_is_the_best_inside_the_limits(value, reference, below, above):
    lower, upper = value - below, value + above
    nearest = nearest_turn(value, reference, lower, upper, TWO_PI)
    candidates = [value + k * TWO_PI for k in range(-20, 21)]
    inside = [c for c in candidates if lower <= c <= upper]
    assert lower <= nearest <= upper
    best = min(abs(c - reference) for c in inside)
    assert abs(nearest - reference) == pytest.approx(best, abs=1e-12)


def test_nearest_turn_keeps_a_value_at_its_bound_exactly():
    assert nearest_turn(-1.0, -100.0, -1.0, 1.0, TWO_PI) == -1.0
    assert nearest_turn(1.0, 100.0, -1.0, 1.0, TWO_PI) == 1.0


def test_draws_fill_the_limits_and_stay_finite_without_them():
    inf = math.inf
    limits = np.array(
        [
            [-2.0, 1.0, TWO_PI, math.pi, 1.0],
            [-inf, inf, TWO_PI, math.pi, 1.0],
            [0.0, inf, 0.0, 1.0, 1.0],
            [-inf, 5.0, 0.0, 1.0, 1.0],
        ]
    )
    center = np.array([0.0, 10.0, 0.5, 4.5])
    draws = np.empty((2000, 4))
    for stream in range(2000):
        draw(limits, center, 7, stream, draws[stream])
    assert np.isfinite(draws).all()
    low, high = [-2.0, 10.0 - math.pi, 0.0, 3.5], [1.0, 10.0 + math.pi, 1.5, 5.0]
    assert (draws >= low).all()
    assert (draws <= high).all()
    np.testing.assert_allclose(draws.min(axis=0), low, atol=0.02)
    np.testing.assert_allclose(draws.max(axis=0), high, atol=0.02)


def test_a_seed_of_any_size_takes_no_longer():
    # Counting turns one by one would never end.
    assert nearest_turn(0.5, 1e20, -1.0, 1.0, TWO_PI) == 0.5
    assert nearest_turn(0.5, 1e20, -10.0, 10.0, TWO_PI) == pytest.approx(0.5 + TWO_PI)
    assert nearest_turn(0.5, -1e20, -10.0, 10.0, TWO_PI) == pytest.approx(0.5 - TWO_PI)


def test_several_turns_bring_a_value_inside():
    assert into_limits(1.0 + 5 * TWO_PI, -3.0, 3.0, TWO_PI) == pytest.approx(1.0)
    assert into_limits(1.0 - 5 * TWO_PI, -3.0, 3.0, TWO_PI) == pytest.approx(1.0)


@pytest.mark.parametrize('center', [-1e3, 0.0, 1e3])
def test_draws_stay_inside_of_a_limit_on_one_side(center):
    limits = np.array([[2.0, math.inf, 0.0, 1.0, 0.0], [-math.inf, -2.0, 0.0, 1.0, 0.0]])
    q = np.empty(2)
    for stream in range(100):
        draw(limits, np.array([center, center]), 7, stream, q)
        assert q[0] >= 2.0
        assert q[1] <= -2.0
