# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the table of conditions, measured by hand."""

from __future__ import annotations

import math

from ik_node.kernels import reach
import numpy as np
import pytest


def row(kind, least, most, **places):
    """Make a row from its kind, range and the named places."""
    out = np.zeros(reach.ROW_SIZE)
    out[reach.KIND], out[reach.LEAST], out[reach.MOST] = kind, least, most
    for name, value in places.items():
        at = getattr(reach, name.upper())
        if np.ndim(value):
            out[at : at + len(value)] = value
        else:
            out[at] = value
    return out


@pytest.fixture
def target():
    """Give a tip at (3, 0, 4) whose z axis points along x of the base, and x along y."""
    T = np.eye(4)
    T[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    T[:3, 3] = 3, 0, 4
    return T


@pytest.mark.parametrize(
    ('condition', 'expected'),
    [
        (row(reach.DISTANCE_TIP, 0, 0), (5, 5, 0)),
        (row(reach.DISTANCE_BASE, 0, 0, base_point=(3, 0, 0), lever=0.5), (4, 4, 0.5)),
        # 1 m along z of the tip: (4, 0, 4).
        (row(reach.DISTANCE_TIP, 0, 0, tip_point=(0, 0, 1), base_point=(4, 3, 0)), (5, 5, 0)),
        # A circle of 1 m about z of the base: 2 to 4 m across, 4 m up.
        (
            row(reach.DISTANCE_BASE, 0, 0, base_direction=(0, 0, 1), sine=1),
            (math.hypot(2, 4), math.hypot(4, 4), 0),
        ),
        # A circle of 1 m in the tip about its z, which is x: 3 m along, 3 to 5 m across.
        (
            row(reach.DISTANCE_TIP, 0, 0, tip_direction=(0, 0, 1), sine=1),
            (math.hypot(3, 3), math.hypot(3, 5), 0),
        ),
        (
            row(reach.ANGLE, 0, 0, base_direction=(0, 0, 1), tip_direction=(0, 0, 1)),
            (math.pi / 2, math.pi / 2, 1),
        ),
        (
            row(reach.ANGLE, 0, 0, base_direction=(1, 0, 0), tip_direction=(0, 0, -1)),
            (math.pi, math.pi, 1),
        ),
        (
            row(reach.HEIGHT_BASE, 0, 0, base_direction=(0, 0, 1), cosine=1, base_point=(0, 0, 1)),
            (3, 3, 0),
        ),
        # A normal that goes around z at a right angle sees all of the 3 m.
        (row(reach.HEIGHT_BASE, 0, 0, base_direction=(0, 0, 1), sine=1), (-3, 3, 0)),
        # The base is 3 m behind the tip, as its z points along x; it is 5 m away.
        (
            row(reach.HEIGHT_TIP, 0, 0, tip_direction=(0, 0, 1), cosine=1, lever=0.5),
            (-3, -3, 5.5),
        ),
    ],
)
def test_measures_by_hand(condition, expected, target):
    np.testing.assert_allclose(reach.measured(target, condition), expected, atol=1e-12)


def test_tolerances_widen_the_range(target):
    rows = np.array([row(reach.DISTANCE_BASE, 0.0, 4.9, lever=0.5)])
    targets = target[np.newaxis]
    assert reach.violated(targets, rows, 1e-6, 1e-5) == 0
    assert reach.violated(targets, rows, 0.1 + 1e-6, 1e-5) == -1
    assert reach.violated(targets, rows, 0.05, 0.1 - 1e-3) == 0
    assert reach.violated(targets, rows, 0.05, 0.1 + 1e-3) == -1
    rows[0, reach.LEAST : reach.MOST + 1] = 5.1, 9.0
    assert reach.violated(targets, rows, 1e-6, 1e-5) == 0
    assert reach.violated(targets, rows, 0.1 + 1e-6, 1e-5) == -1


def test_each_row_looks_at_its_own_tip(target):
    near = np.eye(4)
    rows = np.array([row(reach.DISTANCE_BASE, 0.0, 1.0), row(reach.DISTANCE_BASE, 0.0, 1.0)])
    rows[1, reach.TIP] = 1
    assert reach.violated(np.array([near, near]), rows, 1e-6, 1e-5) == -1
    assert reach.violated(np.array([near, target]), rows, 1e-6, 1e-5) == 1
    assert reach.violated(np.array([target, near]), rows, 1e-6, 1e-5) == 0


def test_nothing_is_proven_of_what_is_no_number(target):
    target[0, 3] = np.nan
    rows = np.array([row(reach.DISTANCE_BASE, 0.0, 1.0)])
    assert reach.violated(target[np.newaxis], rows, 1e-6, 1e-5) == -1
