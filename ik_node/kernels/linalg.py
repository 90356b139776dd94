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
def constant(number: int) -> int:
    """
    Give a number that unrolls the loops of the kernels it is passed to.

    For LLVM it is a constant, as a literal is; but for each literal numba would compile those
    kernels anew, which takes ten times as long as to unroll them.

    Parameters
    ----------
    number : int
        A literal.

    Returns
    -------
    int

    """
    return number + 0  # of a sum numba forgets that it is a literal


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
def gram_and_image(
    jacobian: FloatArray,
    active: FloatArray,
    dq: FloatArray,
    rows: int,
    packed: FloatArray,
    image: FloatArray,
) -> None:
    """
    Compute J J^T and J dq over the active columns, of three rows or more.

    Up to six the sums are numbers of their own: a compiler that cannot know which arrays overlap
    stores a sum that stands in one after every addition.

    Parameters
    ----------
    jacobian : (n, rows) float64
        Transposed Jacobian: one joint a row.
    active : (n,) float64
        0 drops a joint, 1 takes it.
    dq : (n,) float64
        Step of the joints.
    rows : int
        Number of rows; up to six a `constant`.
    packed : (rows (rows + 1) / 2,) float64
        Output: J J^T.
    image : (rows,) float64
        Output: J dq.

    """
    if rows > 6:
        gram(jacobian, active, rows, packed)
        for r in range(rows):
            image[r] = 0.0
        for i in range(jacobian.shape[0]):
            for r in range(rows):
                image[r] += active[i] * dq[i] * jacobian[i, r]
        return
    a00 = w0 = 0.0
    a10 = a11 = w1 = 0.0
    a20 = a21 = a22 = w2 = 0.0
    a30 = a31 = a32 = a33 = w3 = 0.0
    a40 = a41 = a42 = a43 = a44 = w4 = 0.0
    a50 = a51 = a52 = a53 = a54 = a55 = w5 = 0.0
    for i in range(jacobian.shape[0]):
        move = active[i] * dq[i]
        c0 = jacobian[i, 0]
        m0 = active[i] * c0
        a00 += m0 * c0
        w0 += move * c0
        c1 = jacobian[i, 1]
        m1 = active[i] * c1
        a10 += m1 * c0
        a11 += m1 * c1
        w1 += move * c1
        c2 = jacobian[i, 2]
        m2 = active[i] * c2
        a20 += m2 * c0
        a21 += m2 * c1
        a22 += m2 * c2
        w2 += move * c2
        if rows > 3:
            c3 = jacobian[i, 3]
            m3 = active[i] * c3
            a30 += m3 * c0
            a31 += m3 * c1
            a32 += m3 * c2
            a33 += m3 * c3
            w3 += move * c3
        if rows > 4:
            c4 = jacobian[i, 4]
            m4 = active[i] * c4
            a40 += m4 * c0
            a41 += m4 * c1
            a42 += m4 * c2
            a43 += m4 * c3
            a44 += m4 * c4
            w4 += move * c4
        if rows > 5:
            c5 = jacobian[i, 5]
            m5 = active[i] * c5
            a50 += m5 * c0
            a51 += m5 * c1
            a52 += m5 * c2
            a53 += m5 * c3
            a54 += m5 * c4
            a55 += m5 * c5
            w5 += move * c5
    packed[0], packed[1], packed[2] = a00, a10, a11
    packed[3], packed[4], packed[5] = a20, a21, a22
    image[0], image[1], image[2] = w0, w1, w2
    if rows > 3:
        packed[6], packed[7], packed[8], packed[9] = a30, a31, a32, a33
        image[3] = w3
    if rows > 4:
        packed[10], packed[11], packed[12], packed[13], packed[14] = a40, a41, a42, a43, a44
        image[4] = w4
    if rows > 5:
        packed[15], packed[16], packed[17], packed[18] = a50, a51, a52, a53
        packed[19], packed[20] = a54, a55
        image[5] = w5


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
    # One by one up to six: of a loop that is as long as this LLVM would unroll nothing.
    if m > 6:
        for i in range(m):
            _eliminate(packed, damping, i, factor, y)
        for i in range(m - 1, -1, -1):
            _substitute(i, m, factor, y)
        return
    if m > 0:
        _eliminate(packed, damping, constant(0), factor, y)
    if m > 1:
        _eliminate(packed, damping, constant(1), factor, y)
    if m > 2:
        _eliminate(packed, damping, constant(2), factor, y)
    if m > 3:
        _eliminate(packed, damping, constant(3), factor, y)
    if m > 4:
        _eliminate(packed, damping, constant(4), factor, y)
    if m > 5:
        _eliminate(packed, damping, constant(5), factor, y)
    if m > 5:
        _substitute(constant(5), m, factor, y)
    if m > 4:
        _substitute(constant(4), m, factor, y)
    if m > 3:
        _substitute(constant(3), m, factor, y)
    if m > 2:
        _substitute(constant(2), m, factor, y)
    if m > 1:
        _substitute(constant(1), m, factor, y)
    if m > 0:
        _substitute(constant(0), m, factor, y)


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
