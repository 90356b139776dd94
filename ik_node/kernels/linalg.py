# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Small dense linear algebra for a damped step: Gram matrix and LDL^T.

A symmetric matrix is kept as its lower triangle, packed by rows: element (i, j), j <= i, stands at
i (i + 1) / 2 + j. The sizes are those of a task (6 rows a tip), where the overhead of LAPACK would
cost more than the arithmetic.
"""

from __future__ import annotations

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray


@kernel
def gram(jacobian: FloatArray, active: FloatArray, rows: int, out: FloatArray) -> None:
    """
    Compute J J^T over the active columns.

    Parameters
    ----------
    jacobian : (n, rows) float64
        Transposed Jacobian: one joint a row.
    active : (n,) float64
        0 drops a joint.
    rows : int
        Number of rows.
    out : (rows (rows + 1) / 2,) float64
        Output, packed.

    """
    for i in range(rows * (rows + 1) // 2):
        out[i] = 0.0
    for joint in range(jacobian.shape[0]):
        at = 0
        for i in range(rows):
            c = active[joint] * jacobian[joint, i]
            for j in range(i + 1):
                out[at + j] += c * jacobian[joint, j]
            at += i + 1


@kernel
def solve_damped(
    packed: FloatArray, damping: float, m: int, factor: FloatArray, y: FloatArray
) -> None:
    """
    Solve (A + damping I) y = y in place by LDL^T.

    Parameters
    ----------
    packed : (m (m + 1) / 2,) float64
        A, positive semi-definite.
    damping : float
        Positive, so that every pivot is.
    m : int
        Number of rows.
    factor : (m (m + 1) / 2,) float64
        Work space: L below the diagonal, 1 / D on it.
    y : (m,) float64
        Right-hand side, then the solution.

    """
    if m > 6:
        for i in range(m):
            _eliminate(packed, damping, i, factor, y)
        for i in range(m - 1, -1, -1):
            _substitute(i, m, factor, y)
        return
    _eliminate(packed, damping, 0, factor, y)
    if m > 1:
        _eliminate(packed, damping, 1, factor, y)
    if m > 2:
        _eliminate(packed, damping, 2, factor, y)
    if m > 3:
        _eliminate(packed, damping, 3, factor, y)
    if m > 4:
        _eliminate(packed, damping, 4, factor, y)
    if m > 5:
        _eliminate(packed, damping, 5, factor, y)
    if m > 5:
        _substitute(5, m, factor, y)
    if m > 4:
        _substitute(4, m, factor, y)
    if m > 3:
        _substitute(3, m, factor, y)
    if m > 2:
        _substitute(2, m, factor, y)
    if m > 1:
        _substitute(1, m, factor, y)
    _substitute(0, m, factor, y)


@kernel
def _eliminate(
    packed: FloatArray, damping: float, i: int, factor: FloatArray, y: FloatArray
) -> None:
    row = i * (i + 1) // 2
    # factor[row + j] holds L_ij D_j until the diagonal of this row is known.
    pivot = packed[row + i] + damping
    for j in range(i):
        value = packed[row + j]
        column = j * (j + 1) // 2
        for k in range(j):
            value -= factor[row + k] * factor[column + k]
        factor[row + j] = value
    value_y = y[i]
    for j in range(i):
        scaled = factor[row + j] * factor[j * (j + 3) // 2]
        pivot -= scaled * factor[row + j]
        factor[row + j] = scaled
        value_y -= scaled * y[j]
    factor[row + i] = 1.0 / pivot
    y[i] = value_y


@kernel
def _substitute(i: int, m: int, factor: FloatArray, y: FloatArray) -> None:
    value = y[i] * factor[i * (i + 3) // 2]
    for j in range(i + 1, m):
        value -= factor[j * (j + 1) // 2 + i] * y[j]
    y[i] = value


@kernel
def solve_again(m: int, factor: FloatArray, y: FloatArray) -> None:
    """
    Solve with another right-hand side in place.

    Parameters
    ----------
    m : int
        Number of rows.
    factor : (m (m + 1) / 2,) float64
        From `solve_damped`.
    y : (m,) float64
        Right-hand side, then the solution.

    """
    row = 0
    for i in range(m):
        for j in range(i):
            y[i] -= factor[row + j] * y[j]
        row += i + 1
    for i in range(m - 1, -1, -1):
        row -= i + 1
        y[i] *= factor[row + i]
        below = row + i + 1
        for j in range(i + 1, m):
            y[i] -= factor[below + i] * y[j]
            below += j + 1
