# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How well a Jacobian can be inverted: pure functions of its numbers.

Rows in metres and rows in radians are measured together, as they stand. A singular value that is
zero up to rounding counts as zero, so that a singular configuration is told as one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray
import numpy as np
from numpy.typing import ArrayLike


class Measures(NamedTuple):
    """Everything that the singular values of a Jacobian tell."""

    singular_values: FloatArray
    """(min(r, n),) largest first; those that are zero up to rounding are 0."""
    manipulability: float
    """See `manipulability`."""
    condition_number: float
    """See `condition_number`."""
    null_space: FloatArray
    """(n, k) see `null_space`."""


def manipulability(jacobian: ArrayLike) -> float:
    """
    Compute the manipulability w = sqrt(det(J J^T)), the product of the singular values.

    T. Yoshikawa: Manipulability of robotic mechanisms, International Journal of Robotics Research
    4(2), 1985.

    Parameters
    ----------
    jacobian : (r, n) array_like
        J.

    Returns
    -------
    float
        0 where the rows depend on each other; so always where there are more rows than columns.

    Raises
    ------
    InvalidArgumentError
        No matrix, an empty one, or a value that is not finite.

    """
    return measures(jacobian).manipulability


def condition_number(jacobian: ArrayLike) -> float:
    """
    Compute the condition number, the largest singular value over the smallest.

    Parameters
    ----------
    jacobian : (r, n) array_like
        J; it has min(r, n) singular values.

    Returns
    -------
    float
        1 or more; infinity where the rank is below min(r, n).

    Raises
    ------
    InvalidArgumentError
        No matrix, an empty one, or a value that is not finite.

    """
    return measures(jacobian).condition_number


def null_space(jacobian: ArrayLike) -> FloatArray:
    """
    Compute a basis of the motions that a Jacobian maps to zero.

    Parameters
    ----------
    jacobian : (r, n) array_like
        J.

    Returns
    -------
    (n, k) float64
        Orthonormal columns N with J N = 0, k = n - rank; (n, 0) where there are none.

    Raises
    ------
    InvalidArgumentError
        No matrix, an empty one, or a value that is not finite.

    """
    return measures(jacobian).null_space


def measures(jacobian: ArrayLike) -> Measures:
    """
    Compute all measures from one singular value decomposition.

    Parameters
    ----------
    jacobian : (r, n) array_like
        J.

    Returns
    -------
    Measures

    Raises
    ------
    InvalidArgumentError
        No matrix, an empty one, or a value that is not finite.

    """
    try:
        matrix = np.asarray(jacobian, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(f'the Jacobian is not a matrix of numbers: {error}') from error
    if matrix.ndim != 2 or matrix.size == 0:
        raise InvalidArgumentError(
            f'the Jacobian has the shape {matrix.shape}; it must be (r, n) with a row and a column'
        )
    if not np.isfinite(matrix).all():
        raise InvalidArgumentError('the Jacobian has a value that is not finite')
    r, n = matrix.shape
    _, values, rows = np.linalg.svd(matrix)
    # As the rank of numpy.linalg.matrix_rank.
    values[values <= values[0] * max(r, n) * np.finfo(np.float64).eps] = 0.0
    rank = int(np.count_nonzero(values))
    return Measures(
        values,
        float(np.prod(values)) if rank == r else 0.0,
        float(values[0] / values[-1]) if rank == len(values) else math.inf,
        np.ascontiguousarray(rows[rank:].T),
    )
