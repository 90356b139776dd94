# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverses of a Jacobian: what turns an error into a step of the joints.

With joint weights W = diag(w) the step to an error e is the one of least dq^T W^-1 dq: a joint of
a larger weight moves more (Whitney: Resolved motion rate control of manipulators and human
prostheses, IEEE Trans. on Man-Machine Systems 10(2), 1969). All work with the r x r matrix
J W J^T, as rows are few and joints may be many.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels.arrays import FloatArray
import numpy as np

_ROUNDING = float(np.finfo(np.float64).eps)


def damped_inverse(
    jacobian: FloatArray, damping: float, weights: FloatArray | None = None
) -> FloatArray:
    """
    Invert with damping: W J^T (J W J^T + damping^2 I)^-1.

    Near a singularity the step stays bounded, at most 1 / (2 damping) of the error with unit
    weights, and misses a part of the error (Nakamura, Hanafusa: Inverse kinematic solutions with
    singularity robustness, ASME J. of Dynamic Systems 108(3), 1986; Wampler: Manipulator inverse
    kinematic solutions based on vector formulations and damped least-squares methods, IEEE T-SMC
    16(1), 1986).

    Parameters
    ----------
    jacobian : (r, n) float64
        J, rows of zeros allowed.
    damping : float
        Not negative, in the unit of the singular values of J; its square is added. 0: the
        pseudo-inverse, of the rank that rounding leaves.
    weights : (n,) float64, optional
        w, positive; None: ones.

    Returns
    -------
    (n, r) float64
        NaN where J is not finite.

    """
    weighted = jacobian.T if weights is None else weights[:, np.newaxis] * jacobian.T
    normal = jacobian @ weighted
    normal.reshape(-1)[:: len(normal) + 1] += damping * damping
    if damping > 0.0:
        try:
            # The matrix is symmetric: what is solved for is the transposed inverse.
            solution: Any = np.linalg.solve(normal, weighted.T)  # typed otherwise by old stubs
            inverse: FloatArray = solution.T
            return inverse
        except np.linalg.LinAlgError:  # damping^2 is lost in the rounding of J W J^T
            pass
    return _truncated(normal, weighted, 0.0)


def truncated_inverse(
    jacobian: FloatArray,
    cutoff: float,
    weights: FloatArray | None = None,
    *,
    relative: bool = False,
    damping: float = 0.0,
) -> FloatArray:
    """
    Invert as far as the rank goes: W J^T (J W J^T)^+ without the eigenvalues up to a cutoff.

    With unit weights and a small cutoff this is the pseudo-inverse of Moore and Penrose; the
    eigenvalues are the squares of the singular values of J.

    Parameters
    ----------
    jacobian : (r, n) float64
        J, rows of zeros allowed.
    cutoff : float
        Largest eigenvalue of J W J^T that is dropped; not negative. What is rounding is dropped
        anyway.
    weights : (n,) float64, optional
        w, positive; None: ones.
    relative : bool
        Whether the cutoff counts in parts of the largest eigenvalue.
    damping : float
        Its square is added to the eigenvalues that are left. Unlike in `damped_inverse` a damping
        near zero is safe: rows that depend on each other have no part of the step.

    Returns
    -------
    (n, r) float64
        NaN where J is not finite.

    """
    weighted = jacobian.T if weights is None else weights[:, np.newaxis] * jacobian.T
    return _truncated(jacobian @ weighted, weighted, cutoff, relative=relative, damping=damping)


def _truncated(
    normal: FloatArray,
    weighted: FloatArray,
    cutoff: float,
    *,
    relative: bool = False,
    damping: float = 0.0,
) -> FloatArray:
    if len(normal) == 0:
        return np.zeros(weighted.shape)
    try:
        values, vectors = np.linalg.eigh(normal)  # ascending
    except np.linalg.LinAlgError:  # not finite
        return np.full(weighted.shape, np.nan)
    largest = float(values[-1])
    least = cutoff * largest if relative else cutoff
    kept = values > max(least, len(values) * _ROUNDING * largest, 0.0)
    vectors = vectors[:, kept]
    inverse: FloatArray = ((weighted @ vectors) / (values[kept] + damping * damping)) @ vectors.T
    return inverse
