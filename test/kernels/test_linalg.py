# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The damped solve against LAPACK."""

from __future__ import annotations

from ik_node.kernels.linalg import gram, solve_damped
import numpy as np
import pytest


@pytest.mark.parametrize('rows', [1, 2, 3, 6, 12, 18])
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
    assert np.abs(residual).max() < 1e-9 * max(1.0, np.abs(y).max())


def test_rank_deficient_system_stays_finite():
    # Three equal columns: rank one.
    jacobian = np.ones((3, 6))
    packed, factor = np.empty(21), np.empty(21)
    gram(jacobian, np.ones(3), 6, packed)
    y = np.ones(6)
    solve_damped(packed, 1e-10, 6, factor, y)
    # J^T (J J^T)^+ e for e in the range of J: the step that reaches e, split over three joints.
    np.testing.assert_allclose(jacobian @ y, np.full(3, 1.0 / 3.0), rtol=1e-5)
