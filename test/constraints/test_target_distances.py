# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Distances between targets: ours, which is a metric, and IKFast's."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import ik_node
from ik_node import IkParameterization, IkParameterizationType
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

CLASSES = [IkParameterization.class_of(kind) for kind in IkParameterizationType.targets()]
each_class = pytest.mark.parametrize('cls', CLASSES, ids=lambda cls: cls.__name__)

P0, P1 = (1.0, 2.0, 3.0), (1.0, 5.0, 7.0)  # 5 m apart
Z, X = (0, 0, 1), (1, 0, 0)
Q0 = (0, 0, 0, 1)
Q1 = (math.sin(0.4), 0, 0, math.cos(0.4))  # 0.8 rad about x
RIGHT = math.pi / 2

# Pairs, our distance, and ComputeDistanceSqr of OpenRAVE by hand.
GOLDEN = [
    (ik_node.Transform6D(P0, Q0), ik_node.Transform6D(P1, Q1), math.hypot(5, 0.8), 25.064),
    (ik_node.Rotation3D(Q0), ik_node.Rotation3D(Q1), 0.8, 0.16),
    (ik_node.Rotation3D(Q0), ik_node.Rotation3D(np.negative(Q1)), 0.8, 0.16),
    (ik_node.Translation3D(P0), ik_node.Translation3D(P1), 5.0, 25.0),
    (ik_node.Direction3D(Z), ik_node.Direction3D(X), RIGHT, RIGHT**2),
    (ik_node.Direction3D(Z), ik_node.Direction3D((0, 0, -1)), math.pi, math.pi**2),
    # Nearest points of the lines to the origin: (1, 2, 0) and (0, 5, 7).
    (
        ik_node.Ray4D(P0, Z),
        ik_node.Ray4D(P1, X),
        math.sqrt(59 + RIGHT**2),
        59 + 0.4 * RIGHT**2,
    ),
    (ik_node.Ray4D(P0, Z), ik_node.Ray4D((1, 2, -9), Z), 0.0, 0.0),
    (ik_node.Lookat3D(P0), ik_node.Lookat3D(P1), 5.0, 25.0),
    (
        ik_node.TranslationDirection5D(P0, Z),
        ik_node.TranslationDirection5D(P1, X),
        math.hypot(5, RIGHT),
        25 + 0.4 * RIGHT**2,
    ),
    (ik_node.TranslationXY2D((0, 0)), ik_node.TranslationXY2D((3, 4)), 5.0, 25.0),
    # 3 and -3 rad are 2 pi - 6 apart.
    (
        ik_node.TranslationXYOrientation3D((0, 0), 3),
        ik_node.TranslationXYOrientation3D((3, 4), -3),
        math.hypot(5, 2 * math.pi - 6),
        25 + 0.4 * (2 * math.pi - 6) ** 2,
    ),
    (
        ik_node.TranslationLocalGlobal6D(P0, (0, 0, 0)),
        ik_node.TranslationLocalGlobal6D(P1, (0, 0, 12)),
        13.0,
        169.0,
    ),
]
for name in ('X', 'Y', 'Z'):
    cone = getattr(ik_node, f'Translation{name}AxisAngle4D')
    GOLDEN.append((cone(P0, 3), cone(P1, 0.5), math.hypot(5, 2.5), 31.25))
for name in ('XAxisAngleZ', 'YAxisAngleX', 'ZAxisAngleY'):
    norm = getattr(ik_node, f'Translation{name}Norm4D')
    between = 2 * math.pi - 6
    GOLDEN.append((norm(P0, 3), norm(P1, -3), math.hypot(5, between), 25 + between**2))


@pytest.mark.parametrize(('first', 'second', 'distance', 'squared'), GOLDEN)
def test_distances_by_hand(first, second, distance, squared):
    assert first.distance(second) == pytest.approx(distance, rel=1e-14, abs=1e-15)
    assert first.ikfast_distance_squared(second) == pytest.approx(squared, rel=1e-14, abs=1e-15)


def three(cls):
    """Draw three sets of values."""
    number = st.floats(-4.0, 4.0).map(lambda value: round(value, 3) + 0.0)
    size = cls.type.number_of_values
    # A first value that is not zero keeps directions and quaternions from being so.
    row = st.tuples(st.floats(0.5, 4.0), *[number] * (size - 1))
    return st.tuples(row, row, row)


@each_class
@given(data=st.data())
def test_distance_is_a_metric(cls, data):
    a, b, c = (cls.from_values(row) for row in data.draw(three(cls)))
    weight = data.draw(st.floats(0.01, 10.0))
    assert a.distance(a, weight) == 0.0
    assert a.distance(b, weight) == pytest.approx(b.distance(a, weight), rel=1e-12)
    assert a.distance(c, weight) <= a.distance(b, weight) + b.distance(c, weight) + 1e-9
    if a.distance(b, weight) == 0.0 and cls is not ik_node.Ray4D:
        np.testing.assert_allclose(np.abs(a.values), np.abs(b.values), atol=1e-7)


# Rays are documented to depend on the base, and the rest is tied to its axes.
@pytest.mark.parametrize(
    'cls',
    [
        ik_node.Transform6D,
        ik_node.Rotation3D,
        ik_node.Translation3D,
        ik_node.Direction3D,
        ik_node.Lookat3D,
        ik_node.TranslationDirection5D,
    ],
)
def test_distance_does_not_depend_on_the_base(cls, rng):
    motion = np.eye(4)
    motion[:3, :3], motion[:3, 3] = matrix_from_rpy(0.3, -2.0, 1.0), (1, 2, 3)
    a, b = (cls.from_values(rng.standard_normal(cls.type.number_of_values)) for _ in range(2))
    assert a.transformed(motion).distance(b.transformed(motion)) == pytest.approx(a.distance(b))


def test_weight_of_angles():
    a, b = ik_node.Transform6D(P0, Q0), ik_node.Transform6D(P1, Q1)
    assert a.distance(b, metres_per_radian=0.5) == pytest.approx(math.hypot(5, 0.4))
    for weight in (0.0, -1.0, math.nan):
        with pytest.raises(ik_node.InvalidArgumentError, match='metres_per_radian'):
            a.distance(b, weight)


def test_other_types_have_no_distance():
    for measure in ('distance', 'ikfast_distance_squared'):
        with pytest.raises(ik_node.InvalidArgumentError, match='same type'):
            getattr(ik_node.Translation3D(P0), measure)(ik_node.Lookat3D(P0))


def test_ikfast_leaves_out_what_is_along_the_view_of_the_other():
    eye = np.eye(4)
    seen = ik_node.Lookat3D.from_pose(eye)  # (0, 0, 1), looking along z
    assert seen.direction == (0.0, 0.0, 1.0)
    target = ik_node.Lookat3D((0.3, 0.4, 9.0))
    assert target.ikfast_distance_squared(seen) == pytest.approx(0.25)
    # Asymmetric: the target has no direction of its own.
    assert seen.ikfast_distance_squared(target) == pytest.approx(0.25 + 64.0)
    # More than a metre behind, nothing is left out.
    behind = ik_node.Lookat3D((0.3, 0.4, -1.0))
    assert behind.ikfast_distance_squared(seen) == pytest.approx(0.25 + 4.0)
    assert ik_node.Lookat3D(seen.point) == seen


def test_custom_data_is_no_distance():
    plain = ik_node.Translation3D(P0)
    marked = ik_node.Translation3D(P0, custom={'grasp': [1.0]})
    assert plain != marked
    assert plain.distance(marked) == 0.0
