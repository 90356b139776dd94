# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of distances, angles and heights along a chain."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from ik_node.kernels.bounds import bound_separations, says_more, separation, separation_across
from ik_node.kernels.rotations import frame_with_z, rotation_exp, TWO_PI
from ik_node.kernels.tree import REVOLUTE, SPHERICAL
import numpy as np
import pytest

NUMBERS = st.floats(-3.0, 3.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS).map(np.array)


def frame(axis, origin):
    """Make the frame of a joint from its axis and a point of it."""
    axis = np.asarray(axis, dtype=float)
    rotation = np.empty(9)
    frame_with_z(axis / np.linalg.norm(axis), rotation)
    return np.append(rotation, origin)


@given(VECTORS, VECTORS, VECTORS, st.floats(-7.0, 7.0), st.floats(0.0, 7.0), st.booleans())
def test_range_across_a_joint_is_the_one_that_sampling_finds(p, q, origin, low, width, directions):
    if directions:
        p, q = (v / np.linalg.norm(v) if np.linalg.norm(v) > 0.1 else np.eye(3)[0] for v in (p, q))
        origin = np.zeros(3)
    joint = frame([1.0, 2.0, -0.5], origin)
    axis = joint[[2, 5, 8]]
    travel = np.array([low, low + width, 0.0, 0.0])
    least, most = separation_across(p, q, joint, travel, TWO_PI if directions else math.inf)
    seen = []
    for angle in np.linspace(low, low + width, 400):
        R = np.reshape(rotation_exp(*(angle * axis).tolist()), (3, 3))
        seen.append(separation(p, origin + R @ (q - origin), TWO_PI if directions else math.inf))
    # 400 samples of at most 7 rad: between two of them lie 9 mrad of a lever of up to 10 m.
    assert least - 1e-9 <= min(seen) <= least + 0.1
    assert most - 0.1 <= max(seen) <= most + 1e-9


def test_range_across_a_slide():
    joint = frame([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    p, q = np.array([0.0, 0.0, 1.0]), np.array([3.0, 0.0, 0.0])
    for travel, expected in (
        ([0.0, 3.0], [3.0, math.hypot(3, 2)]),
        ([-3.0, 0.0], [math.hypot(3, 1), 5.0]),
        ([2.0, math.inf], [math.hypot(3, 1), math.inf]),
    ):
        found = separation_across(p, q, joint, np.array([0.0, 0.0, *travel]), math.inf)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_small_angles_are_exact():
    for angle in (1e-12, 1e-9, 1e-5, math.pi - 1e-9):
        turned = np.array([math.cos(angle), math.sin(angle), 0.0])
        assert separation(np.array([1.0, 0.0, 0.0]), turned, TWO_PI) == pytest.approx(
            angle, rel=1e-6, abs=1e-15
        )


def smoothed(vertices, bodies, joints, kinds, perimeter=math.inf):
    """Bound the separations of a chain whose joints turn freely."""
    free = np.tile([-np.inf, np.inf, 0.0, 0.0], (len(joints), 1))
    lower, upper = np.empty((2, len(vertices), len(vertices)))
    bound_separations(
        np.array(vertices, dtype=float),
        np.array(bodies),
        np.array(joints),
        free,
        np.array(kinds),
        perimeter,
        lower,
        upper,
    )
    np.testing.assert_array_equal(lower, lower.T)
    np.testing.assert_array_equal(upper, upper.T)
    return lower, upper


def test_polygon_of_three_links():
    # Links of 1, 5 and 1.5 m: the ends are 5 - 1 - 1.5 to 7.5 m apart.
    places = [0.0, 1.0, 6.0, 7.5]
    lower, upper = smoothed(
        [[x, 0, 0] for x in places],
        [[0, 1], [1, 2], [2, 3], [3, 3]],
        [frame([0, 0, 1], [x, 0, 0]) for x in places[:3]],
        [REVOLUTE] * 3,
    )
    np.testing.assert_allclose([lower[0, 3], upper[0, 3]], [2.5, 7.5])
    np.testing.assert_allclose([lower[0, 2], upper[0, 2]], [4.0, 6.0])


def test_polygon_of_angles_on_the_sphere():
    # Axes at 100 and 110 degrees: 10 degrees apart at least, and 360 - 210 = 150 at most.
    turns = np.radians([0.0, 100.0, 210.0])
    axes = [[math.cos(a), math.sin(a), 0.0] for a in turns]
    lower, upper = smoothed(
        axes,
        [[0, 1], [1, 2], [2, 3]],
        [frame(axis, [0, 0, 0]) for axis in axes],
        [REVOLUTE] * 3,
        perimeter=TWO_PI,
    )
    np.testing.assert_allclose(np.degrees([lower[0, 2], upper[0, 2]]), [10.0, 150.0])


def test_nothing_is_known_across_a_spherical_joint_but_its_center():
    lower, upper = smoothed(
        [[0, 0, 0], [1, 0, 0], [3, 0, 0]],
        [[0, 0], [0, 1], [1, 1]],
        [frame([0, 0, 1], [1, 0, 0])],
        [SPHERICAL],
    )
    np.testing.assert_allclose([lower[0, 2], upper[0, 2]], [1.0, 3.0])


def test_pairs_that_follow_from_others_are_left_out():
    # Points 0 and 1 of the base are 1 m apart, 2 is far away in the tip: 5 to 6 m from 0. From 1
    # it is 4 to 7 m then; that follows, anything narrower does not.
    paired = np.zeros((3, 3), dtype=np.int64)
    paired[:2, 2] = 1
    useful = np.empty_like(paired)
    for least, most, expected in ((4.0, 7.0, 0), (4.1, 7.0, 1), (4.0, 6.9, 1)):
        lower = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, least], [5.0, least, 0.0]])
        upper = np.array([[0.0, 1.0, 6.0], [1.0, 0.0, most], [6.0, most, 0.0]])
        says_more(lower, upper, paired, 1e-9, useful)
        np.testing.assert_array_equal(useful, [[0, 0, 1], [0, 0, expected], [0, 0, 0]])
    # Two points at one place: the first one is enough.
    lower = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 5.0], [5.0, 5.0, 0.0]])
    upper = np.array([[0.0, 0.0, 6.0], [0.0, 0.0, 6.0], [6.0, 6.0, 0.0]])
    says_more(lower, upper, paired, 1e-9, useful)
    np.testing.assert_array_equal(useful, [[0, 0, 1], [0, 0, 0], [0, 0, 0]])
