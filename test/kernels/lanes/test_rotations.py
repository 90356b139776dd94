# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotations in lanes against the C library and against the exact scalar logarithm."""

from __future__ import annotations

import math

from ik_node.kernels import rotations as scalar
from ik_node.kernels._jit import kernel
from ik_node.kernels.lanes import rotations
from ik_node.kernels.lanes.vector import LANES, load, store
import numpy as np
import pytest


@kernel
def _sin_cos(x, out):
    for row in range(x.shape[0]):
        sine, cosine = rotations.sin_cos(load(x, row))
        store(out, 2 * row, sine)
        store(out, 2 * row + 1, cosine)


@kernel
def _rotation_error(r, t, out):
    x, y, z = rotations.rotation_error(
        load(r, 0), load(r, 1), load(r, 2), load(r, 3), load(r, 4), load(r, 5), load(r, 6),
        load(r, 7), load(r, 8), load(t, 0), load(t, 1), load(t, 2), load(t, 3), load(t, 4),
        load(t, 5), load(t, 6), load(t, 7), load(t, 8),
    )  # fmt: skip
    store(out, 0, x)
    store(out, 1, y)
    store(out, 2, z)


def error_between(present, target):
    """Give the rotation vectors (LANES, 3) between rotations (LANES, 3, 3)."""
    out = np.empty((3, LANES))
    flat = [np.ascontiguousarray(r.reshape(LANES, 9).T) for r in (present, target)]
    _rotation_error(*flat, out)
    return out.T


def rotations_about(axes, angles):
    """Give rotations (LANES, 3, 3) of unit axes and angles."""
    vectors = axes * np.reshape(angles, (-1, 1))
    return np.array([np.reshape(scalar.rotation_exp(*w), (3, 3)) for w in vectors])


def unit_vectors(rng):
    vectors = rng.standard_normal((LANES, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_sine_and_cosine_agree_with_the_c_library(rng):
    x = np.concatenate([
        rng.uniform(-1e4, 1e4, (2000, LANES)),
        rng.uniform(-4, 4, (2000, LANES)),
        np.outer(np.arange(-20, 21), np.full(LANES, math.pi / 4)),
    ])  # fmt: skip
    out = np.empty((2 * len(x), LANES))
    _sin_cos(x, out)
    assert np.abs(out[0::2] - np.sin(x)).max() <= 3e-16
    assert np.abs(out[1::2] - np.cos(x)).max() <= 3e-16


def test_error_is_the_logarithm(rng):
    for _ in range(200):
        present = rotations_about(unit_vectors(rng), rng.uniform(0, math.pi, LANES))
        axes, angles = unit_vectors(rng), rng.uniform(0, 3.1, LANES)
        target = rotations_about(axes, angles) @ present
        np.testing.assert_allclose(
            error_between(present, target), axes * angles[:, np.newaxis], atol=1e-7
        )


@pytest.mark.parametrize('angle', [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_small_errors_are_exact_relative_to_their_size(rng, angle):
    axes = unit_vectors(rng)
    error = error_between(
        np.broadcast_to(np.eye(3), (LANES, 3, 3)), rotations_about(axes, np.full(LANES, angle))
    )
    np.testing.assert_allclose(error, axes * angle, rtol=0, atol=1e-7 * angle + 2e-16)


@pytest.mark.parametrize('short_of_half_turn', [1e-2, 1e-3, 1e-5, 1e-8, 0.0])
def test_half_turns_keep_their_axis(rng, short_of_half_turn):
    angle = math.pi - short_of_half_turn
    for axes in (unit_vectors(rng), np.resize(np.eye(3), (LANES, 3))):
        present = rotations_about(unit_vectors(rng), rng.uniform(0, 3, LANES))
        target = rotations_about(axes, np.full(LANES, angle)) @ present
        error = error_between(present, target)
        np.testing.assert_allclose(np.linalg.norm(error, axis=1), angle, atol=2e-8)
        # Of an exact half turn both axes are right.
        cosine = np.sum(error * axes, axis=1) / angle
        if short_of_half_turn < 1e-7:
            cosine = np.abs(cosine)
        np.testing.assert_allclose(cosine, 1.0, atol=1e-7)


def test_no_rotation_is_no_error():
    eye = np.broadcast_to(np.eye(3), (LANES, 3, 3))
    np.testing.assert_array_equal(error_between(eye, eye), 0.0)
