# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on the axes of a chain, found by hand."""

from __future__ import annotations

from ik_node.model.axis_points import choose_points
import numpy as np
import pytest


def places(origins, axes):
    """Give where the points are on each axis."""
    found = choose_points(origins, axes)
    return [
        sorted(float(np.dot(np.subtract(point, origin), axis)) for point in points)
        for origin, axis, points in zip(origins, axes, found, strict=True)
    ]


def test_points_where_axes_meet_and_of_common_normals():
    # The second axis crosses the first one 2 m up; the third passes the second at a distance of
    # 1 m, 5 m along it; the parallel fourth takes over what the third has.
    points = places(
        [(0, 0, 0), (0, 0, 2), (5, 0, 3), (5, 2, 3)],
        [(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 1, 0)],
    )
    np.testing.assert_allclose(points[0], [2.0], atol=1e-9)
    np.testing.assert_allclose([points[1][0], points[1][-1]], [0.0, 5.0], atol=1e-9)
    assert any(abs(place) < 1e-9 for place in points[2])
    assert any(abs(place + 2.0) < 1e-9 for place in points[3])


def test_parallel_axes_have_their_points_in_one_plane():
    points = choose_points([(0, 0, 0), (1, 0, 7), (3, 0, -2)], [(0, 0, 1)] * 3)
    assert [[point[2] for point in own] for own in points] == [[0.0], [0.0], [0.0]]


def test_points_of_a_short_way_over_skew_axes():
    # Feet alone would go 1 m along the middle axis; the straight way crosses it half way.
    points = places([(0, 1, 0), (0, 0, 0), (1, 0, 1)], [(0, 0, 1), (1, 0, 0), (0, 1, 0)])
    assert points[1] == pytest.approx([0.0, 0.5, 1.0])


def test_axis_next_to_a_center_and_axis_alone():
    assert choose_points([(0, 0, 0), (1, 0, 3)], [(0, 0, 1), None]) == [[(0, 0, 3)], [(1, 0, 3)]]
    assert choose_points([(1, 2, 3)], [(0, 0, 1)]) == [[(1, 2, 3)]]
    assert choose_points([], []) == []
