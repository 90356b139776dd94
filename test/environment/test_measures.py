# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import ik_node
from ik_node.environment.measures import condition_number, manipulability, measures, null_space
from ik_node.errors import InvalidArgumentError
import numpy as np
from numpy.typing import NDArray
import pytest


def planar(lengths: list[float], q: list[float]) -> NDArray[np.float64]:
    """Rows x and y of a planar arm, from its closed form."""
    angles = np.cumsum(q)
    x, y = lengths * np.cos(angles), lengths * np.sin(angles)
    # A joint moves all links behind it.
    return np.array([-np.cumsum(y[::-1])[::-1], np.cumsum(x[::-1])[::-1]])


@pytest.mark.parametrize('elbow', [0.3, -1.2, math.pi / 2, 3.0])
def test_manipulability_of_two_links_is_that_of_yoshikawa(elbow: float) -> None:
    # l1 l2 |sin q2|, wherever the shoulder is.
    for shoulder in (0.0, 0.7, -2.0):
        jacobian = planar([0.5, 0.4], [shoulder, elbow])
        assert manipulability(jacobian) == pytest.approx(0.2 * abs(math.sin(elbow)), rel=1e-12)


def test_condition_of_two_links_by_hand() -> None:
    # sqrt(2) and 1 at q2 = 135 degrees: columns (0, 0, sqrt 2 / 2) turned, both of equal length
    # at right angles, so that every direction is equally easy.
    jacobian = planar([math.sqrt(2.0), 1.0], [0.0, 0.75 * math.pi])
    assert condition_number(jacobian) == pytest.approx(1.0, abs=1e-12)
    # Of a diagonal matrix it is the quotient of its entries.
    assert condition_number(np.diag([-6.0, 1.5])) == pytest.approx(4.0)


@pytest.mark.parametrize('elbow', [0.0, math.pi])
def test_a_stretched_and_a_folded_arm_are_singular(elbow: float) -> None:
    jacobian = planar([0.5, 0.4], [0.2, elbow])
    told = measures(jacobian)
    assert told.manipulability == 0.0
    assert told.condition_number == math.inf
    assert told.singular_values[1] == 0.0
    assert told.null_space.shape == (2, 1)
    np.testing.assert_allclose(jacobian @ told.null_space, 0.0, atol=1e-15)


def test_three_links_can_move_without_their_tip() -> None:
    jacobian = planar([0.5, 0.4, 0.3], [0.3, 0.8, -0.5])
    basis = null_space(jacobian)
    assert basis.shape == (3, 1)
    np.testing.assert_allclose(jacobian @ basis, 0.0, atol=1e-15)
    np.testing.assert_allclose(basis.T @ basis, 1.0, atol=1e-14)
    # Of two rows the null space is along their cross product, and the length of that is
    # sqrt(det(J J^T)) (Lagrange's identity).
    cross = np.cross(*jacobian)
    assert abs(basis[:, 0] @ cross) == pytest.approx(np.linalg.norm(cross), rel=1e-12)
    assert manipulability(jacobian) == pytest.approx(np.linalg.norm(cross), rel=1e-12)


def test_more_rows_than_columns() -> None:
    jacobian = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    told = measures(jacobian)
    assert told.manipulability == 0.0  # not every direction of the task can be reached
    assert told.condition_number == pytest.approx(3.0)
    assert told.null_space.shape == (2, 0)


def test_nothing_moves() -> None:
    told = measures(np.zeros((2, 3)))
    assert (told.manipulability, told.condition_number) == (0.0, math.inf)
    np.testing.assert_allclose(told.null_space.T @ told.null_space, np.eye(3), atol=1e-15)


@pytest.mark.parametrize(
    'wrong', [[1.0, 2.0], np.zeros((0, 3)), np.zeros((3, 0)), [[math.nan]], [['x']], [[1.0], 2]]
)
def test_what_is_no_jacobian_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError):
        measures(wrong)  # type: ignore[arg-type]


def test_measures_of_a_group_are_those_of_its_constrained_rows() -> None:
    env = ik_node.Environment()
    env.create_joint('shoulder', 'revolute')
    elbow = env.create_joint('elbow', 'revolute', 'shoulder', translation(0.5))
    env.create_dummy('tip', elbow, translation(0.4))
    env.create_dummy('goal')
    env.dummy('tip').target = 'goal'
    group = env.create_group('arm', empty=True)
    group.add_element('tip', constraints=ik_node.Constraint.X | ik_node.Constraint.Y)
    assert group.manipulability([0.3, 0.7]) == pytest.approx(0.2 * math.sin(0.7))
    assert group.condition_number([0.3, 0.7]) == pytest.approx(
        condition_number(planar([0.5, 0.4], [0.3, 0.7]))
    )
    assert group.null_space([0.3, 0.7]).shape == (2, 0)
    group.element(0).constraints = ik_node.Constraint.X
    free = group.null_space([0.3, 0.7])
    np.testing.assert_allclose(planar([0.5, 0.4], [0.3, 0.7])[:1] @ free, 0.0, atol=1e-12)
    assert free.shape == (2, 1)


def translation(x: float) -> NDArray[np.float64]:
    """Make a pose along x."""
    pose = np.eye(4)
    pose[0, 3] = x
    return pose
