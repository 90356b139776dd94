# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What regions contain, by points whose place is plain; and angles by hand."""

from __future__ import annotations

from itertools import product
import math

from ik_node import InvalidArgumentError
from ik_node.moveit.constraints import intrinsic_xyz, rotation_vector
from ik_node.moveit.limits import joint_limits_from, window
from ik_node.moveit.regions import BOX, CONE, CYLINDER, Mesh, PRISM, solid, SPHERE
import numpy as np
import pytest

HERE = np.eye(4)
SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]


@pytest.mark.parametrize(
    ('kind', 'size', 'inside', 'outside'),
    [
        (BOX, (2, 4, 6), [(1, 2, 3), (0, 0, 0), (-0.9, 1.9, -2.9)], [(1.1, 0, 0), (0, 0, 3.1)]),
        (SPHERE, (1,), [(0.6, 0.6, 0.5), (1, 0, 0)], [(0.6, 0.6, 0.6), (0, -1.1, 0)]),
        (CYLINDER, (2, 1), [(0.7, 0.7, 1), (0, 0, -1)], [(0.8, 0.8, 0), (0, 0, 1.1)]),
        (CONE, (2, 1), [(0.9, 0, -1), (0.4, 0, 0), (0, 0, 1)], [(0.6, 0, 0), (0.1, 0, 0.9)]),
        (PRISM, (2,), [(0.5, 0.5, 0.9), (0.1, 0.9, -1)], [(1.5, 0.5, 0), (0.5, 0.5, 1.1)]),
    ],
)
def test_primitives(kind: int, size: tuple[float, ...], inside: list, outside: list) -> None:
    polygon = SQUARE if kind == PRISM else ()
    moved = np.eye(4)
    moved[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    moved[:3, 3] = 1.0, 2.0, 3.0
    for T in (HERE, moved):
        shape = solid(kind, size, T, polygon)
        for points, truth in ((inside, True), (outside, False)):
            for point in points:
                assert shape.contains((T @ [*point, 1.0])[:3]) is truth, point


@pytest.mark.parametrize(
    ('kind', 'size'),
    [(0, [1]), (6, [1]), (BOX, [1, 1]), (SPHERE, [-1]), (SPHERE, [math.nan]), (CONE, [0, 1])],
)
def test_what_is_no_primitive(kind: int, size: list[float]) -> None:
    with pytest.raises(InvalidArgumentError):
        solid(kind, size, HERE)


def test_a_mesh_that_is_not_convex() -> None:
    """Two cubes that touch along a face, one of them with a corner cut out of the middle."""
    vertices = np.array(list(product((0.0, 1.0), repeat=3)))
    faces = np.array(
        [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
        + [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    )
    cube = Mesh(vertices, faces, HERE)
    assert cube.contains(np.array([0.5, 0.5, 0.5]))
    assert cube.contains(np.array([0.01, 0.99, 0.5]))
    assert not cube.contains(np.array([1.01, 0.5, 0.5]))
    # A hole: a smaller cube inside, turned inside out.
    hole = Mesh(
        np.vstack([vertices, 0.5 * vertices + 0.25]),
        np.vstack([faces, faces[:, ::-1] + 8]),
        HERE,
    )
    assert hole.contains(np.array([0.1, 0.1, 0.1]))
    assert not hole.contains(np.array([0.5, 0.5, 0.5]))


def test_angles() -> None:
    def turn(axis: int, angle: float) -> np.ndarray:
        c, s = math.cos(angle), math.sin(angle)
        matrix = np.eye(3)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        matrix[i, i] = matrix[j, j] = c
        matrix[i, j], matrix[j, i] = -s, s
        return matrix

    rotation = turn(0, 0.3) @ turn(1, -0.4) @ turn(2, 1.2)
    assert intrinsic_xyz(rotation) == pytest.approx((0.3, -0.4, 1.2))
    steep = intrinsic_xyz(turn(0, 0.3) @ turn(1, math.pi / 2))
    assert steep == pytest.approx((0.3, math.pi / 2, 0.0))
    assert rotation_vector(turn(1, -2.0)) == pytest.approx([0.0, -2.0, 0.0])
    assert rotation_vector(np.eye(3)) == pytest.approx([0.0, 0.0, 0.0])


def test_windows() -> None:
    assert window(-1.0, 1.0, 0.5, (0.2, 0.9), 0.0) == pytest.approx((0.3, 1.0))
    endless = (-math.inf, math.inf)
    assert window(*endless, 0.1, (0.2, 0.3), 6.2) == pytest.approx(
        (0.1 + 2 * math.pi - 0.2, 0.1 + 2 * math.pi + 0.3)
    )
    assert window(*endless, 0.1, (4.0, 4.0), 0.0) is None
    assert window(-1.0, math.inf, 0.0, (9.0, 2.0), 0.0) == (-1.0, 2.0)


def test_joint_limits() -> None:
    assert joint_limits_from({}) == {}
    rows = {
        'a': {'has_position_limits': True, 'min_position': -1, 'max_position': 2.5},
        'b': {'has_position_limits': True, 'max_position': 1.0},
        'c': {'has_position_limits': False, 'max_position': 1.0},
        'd': {'max_velocity': 1.0},
    }
    found = {'a': (-1.0, 2.5), 'b': (-math.inf, 1.0)}
    assert joint_limits_from({'joint_limits': rows}) == joint_limits_from(rows) == found
    for row in (
        {'min_position': 'low'},
        {'min_position': math.nan},
        {'min_position': 1.0, 'max_position': 0.0},
    ):
        with pytest.raises(InvalidArgumentError, match='joint_limits: a'):
            joint_limits_from({'a': {'has_position_limits': True, **row}})
