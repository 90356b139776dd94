# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverses against their formulas, written with other routines of NumPy."""

from __future__ import annotations

from ik_node.solvers.inverses import damped_inverse, truncated_inverse
import numpy as np
import pytest

WEIGHTS = np.array([1.0, 0.5, 2.0, 4.0, 0.25, 1.0, 3.0])


def weighted_pinv(jacobian, weights, rcond=1e-13):
    """Compute W^1/2 (J W^1/2)^+: the least sum of dq^2 / w."""
    roots = np.sqrt(weights)
    return roots[:, np.newaxis] * np.linalg.pinv(jacobian * roots, rcond=rcond)


@pytest.mark.parametrize('shape', [(3, 7), (6, 7), (6, 6), (6, 2), (12, 7), (1, 1)])
def test_damped_inverse_is_that_of_the_normal_equations(rng, shape):
    # The push-through identity: J^T (J J^T + d^2 I)^-1 = (J^T J + d^2 I)^-1 J^T.
    jacobian = rng.normal(size=shape)
    expected = np.linalg.inv(jacobian.T @ jacobian + 0.09 * np.eye(shape[1])) @ jacobian.T
    np.testing.assert_allclose(damped_inverse(jacobian, 0.3), expected, atol=1e-12)


def test_damping_is_squared():
    # J = 3: 3 / (9 + 4^2).
    assert damped_inverse(np.array([[3.0]]), 4.0)[0, 0] == pytest.approx(0.12, abs=1e-15)


def test_damped_step_is_bounded_at_a_singularity(rng):
    # s / (s^2 + d^2) is largest at s = d.
    for size in (1e-6, 0.1, 1e3):
        inverse = damped_inverse(size * rng.normal(size=(6, 4)), 0.1)
        assert np.linalg.norm(inverse, 2) <= 1 / 0.2 + 1e-9


@pytest.mark.parametrize('damping', [0.0, 1e-9, 0.2])
def test_weights_of_the_damped_inverse(rng, damping):
    jacobian = rng.normal(size=(6, 7))
    roots = np.sqrt(WEIGHTS)
    expected = roots[:, np.newaxis] * damped_inverse(jacobian * roots, damping)
    np.testing.assert_allclose(damped_inverse(jacobian, damping, WEIGHTS), expected, atol=1e-9)


def test_rows_of_zeros_ask_for_nothing(rng):
    jacobian = rng.normal(size=(6, 7))
    jacobian[[1, 4]] = 0.0
    for inverse in (
        damped_inverse(jacobian, 0.1),
        damped_inverse(jacobian, 0.0),
        truncated_inverse(jacobian, 1e-12),
    ):
        np.testing.assert_allclose(inverse[:, [1, 4]], 0.0, atol=1e-15)
        assert np.abs(inverse).max() > 0.01


@pytest.mark.parametrize('shape', [(3, 7), (6, 7), (6, 6), (6, 2), (12, 7), (1, 1)])
def test_truncated_inverse_is_the_pseudo_inverse(rng, shape):
    jacobian = rng.normal(size=shape)
    np.testing.assert_allclose(
        truncated_inverse(jacobian, 1e-12), np.linalg.pinv(jacobian), atol=1e-9
    )


@pytest.mark.parametrize('scale', [1e-3, 1.0, 1e3])
def test_rounding_is_no_rank(rng, scale):
    jacobian = scale * rng.normal(size=(6, 3)) @ rng.normal(size=(3, 7))
    expected = np.linalg.pinv(jacobian, rcond=1e-10)
    tolerance = 1e-6 / scale
    np.testing.assert_allclose(truncated_inverse(jacobian, 0.0), expected, atol=tolerance)
    np.testing.assert_allclose(damped_inverse(jacobian, 0.0), expected, atol=tolerance)


def test_cutoff_is_in_eigenvalues():
    # Singular values 2 and 0.1: eigenvalues 4 and 0.01; the cutoff itself is dropped.
    jacobian = np.diag([2.0, 0.1])
    np.testing.assert_allclose(truncated_inverse(jacobian, 0.0099), np.diag([0.5, 10.0]))
    np.testing.assert_allclose(truncated_inverse(jacobian, 0.0101), np.diag([0.5, 0.0]))
    np.testing.assert_allclose(truncated_inverse(jacobian, 4.0), np.zeros((2, 2)))


def test_cutoff_in_parts_of_the_largest_eigenvalue():
    jacobian = np.diag([2.0, 0.1])
    for cutoff, last in ((0.0024, 10.0), (0.0026, 0.0)):
        inverse = truncated_inverse(jacobian, cutoff, relative=True)
        np.testing.assert_allclose(inverse, np.diag([0.5, last]))


def test_weights_of_the_truncated_inverse(rng):
    jacobian = rng.normal(size=(6, 7))
    jacobian[5] = jacobian[0] + jacobian[1]
    np.testing.assert_allclose(
        truncated_inverse(jacobian, 1e-12, WEIGHTS), weighted_pinv(jacobian, WEIGHTS), atol=1e-7
    )


def test_weights_choose_the_joint_that_moves():
    # Two joints that do the same share a step in proportion to their weights.
    jacobian, weights = np.ones((1, 2)), np.array([3.0, 1.0])
    for inverse in (
        damped_inverse(jacobian, 0.0, weights),
        truncated_inverse(jacobian, 1e-12, weights),
    ):
        np.testing.assert_allclose(inverse[:, 0], [0.75, 0.25])


def test_damping_that_rounding_swallows():
    # 1e6 ^ 2 + 1e-9 ^ 2 is 1e12 in doubles: two equal rows are singular in spite of the damping.
    jacobian = np.array([[1e6, 0.0], [1e6, 0.0]])
    inverse = damped_inverse(jacobian, 1e-9)
    np.testing.assert_allclose(inverse, [[5e-7, 5e-7], [0.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize('damping', [0.0, 0.1])
def test_no_rows(damping):
    assert damped_inverse(np.zeros((0, 7)), damping).shape == (7, 0)
    assert truncated_inverse(np.zeros((0, 7)), 1e-12).shape == (7, 0)


def test_nothing_can_move():
    for inverse in (damped_inverse, truncated_inverse):
        np.testing.assert_array_equal(inverse(np.zeros((6, 7)), 0.0), np.zeros((7, 6)))


def test_what_is_not_finite_is_nan_and_no_exception():
    jacobian = np.full((6, 7), np.nan)
    for inverse in (damped_inverse, truncated_inverse):
        assert np.isnan(inverse(jacobian, 0.0)).any()
    assert np.isnan(damped_inverse(jacobian, 0.1)).any()
