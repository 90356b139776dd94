# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The damped solve against LAPACK."""

from __future__ import annotations

from ik_node.kernels.linalg import gram, gram_and_image, solve_again, solve_damped
import numpy as np
import pytest


@pytest.mark.parametrize('rows', [0, 1, 2, 3, 4, 5, 6, 7, 12, 18])
@pytest.mark.parametrize('joints', [1, 4, 7, 20])
@pytest.mark.parametrize('damping', [1.0, 1e-6])
def test_solution_equals_lapack(rows, joints, damping, rng):
    jacobian = rng.normal(size=(joints, rows))
    active = (rng.random(joints) < 0.8).astype(float)
    right = rng.normal(size=rows)
    packed, factor = np.empty(rows * (rows + 1) // 2), np.empty(rows * (rows + 1) // 2)
    gram(jacobian, active, rows, packed)
    dense = jacobian.T @ np.diag(active) @ jacobian
    np.testing.assert_allclose(packed, dense[np.tril_indices(rows)], atol=1e-12)

    y = right.copy()
    solve_damped(packed, damping, rows, factor, y)
    residual = (dense + damping * np.eye(rows)) @ y - right
    assert np.abs(residual).max(initial=0.0) < 1e-9 * np.abs(y).max(initial=1.0)
    again = right.copy()
    solve_again(rows, factor, again)
    np.testing.assert_allclose(again, y, rtol=1e-9)


@pytest.mark.parametrize('rows', [3, 4, 5, 6, 12])
@pytest.mark.parametrize('joints', [1, 4, 7, 20])
def test_gram_and_image_are_products_over_the_active_columns(rows, joints, rng):
    # Rows of the work space of a slide are longer than the Jacobian's.
    jacobian = rng.normal(size=(joints, 33))
    active, dq = (rng.random(joints) < 0.8).astype(float), rng.normal(size=joints)
    packed, image = np.empty(rows * (rows + 1) // 2), np.empty(rows)
    gram_and_image(jacobian, active, dq, rows, packed, image)
    moving = jacobian[:, :rows].T * active
    np.testing.assert_allclose(
        packed, (moving @ jacobian[:, :rows])[np.tril_indices(rows)], atol=1e-12
    )
    np.testing.assert_allclose(image, moving @ dq, atol=1e-12)


def test_rank_deficient_system_stays_finite():
    # Three equal columns: rank one.
    jacobian = np.ones((3, 6))
    packed, factor = np.empty(21), np.empty(21)
    gram(jacobian, np.ones(3), 6, packed)
    y = np.ones(6)
    solve_damped(packed, 1e-10, 6, factor, y)
    # J^T (J J^T)^+ e for e in the range of J: the step that reaches e, split over three joints.
    np.testing.assert_allclose(jacobian @ y, np.full(3, 1.0 / 3.0), rtol=1e-5)
