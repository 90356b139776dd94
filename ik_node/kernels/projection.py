# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A step that corrects an error and goes a way as far as the rows allow; see `kernels.slide`."""

from __future__ import annotations

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.linalg import gram_and_image, solve_again, solve_damped
from ik_node.kernels.rotations import rotate_vector_by
from ik_node.kernels.step import AT_BOUND

_LOOKS = 4
"""How often in a step joints and rows may be let go."""
_SHORTEST = 0.05
"""The least share of the way that a step goes."""


@kernel
def share_of(
    limits: FloatArray, x: FloatArray, way: FloatArray, old_x: FloatArray, old_way: FloatArray
) -> float:
    """
    Choose how much of the way to go, by how the way has changed since the last step.

    Where the solutions curve away from the reference a whole step goes too far (Barzilai, Borwein:
    Two-point step size gradient methods, IMA Journal of Numerical Analysis 8, 1988). More than a
    whole one is not gone: far from a straight line that finds worse solutions.

    Parameters
    ----------
    limits : (n, 5) float64
        See `kernels.limits`.
    x, way : (n,) float64
        Configuration and way [rad or m].
    old_x, old_way : (n,) float64
        Those of the last step.

    Returns
    -------
    float
        In [0.05, 1].

    """
    moved2, change = 0.0, 0.0
    for i in range(x.shape[0]):
        if limits[i, 4] == 1.0:
            step = x[i] - old_x[i]
            moved2 += step * step
            change += step * (old_way[i] - way[i])
    if change <= 0.0:
        return 1.0
    return min(max(moved2 / change, _SHORTEST), 1.0)


@kernel
def go(limits: FloatArray, dq: FloatArray, x: FloatArray) -> None:
    """
    Add a step, up to the bounds: a full turn leads away from the reference.

    Parameters
    ----------
    limits : (n, 5) float64
        See `kernels.limits`.
    dq : (n,) float64
        Step [rad or m].
    x : (n,) float64
        Changed in place.

    """
    for i in range(x.shape[0]):
        if limits[i, 4] == 1.0:
            x[i] = min(max(x[i] + dq[i], limits[i, 0]), limits[i, 1])
        elif limits[i, 4] == 3.0:
            rotate_vector_by(x[i : i + 3], dq[i : i + 3])


@kernel
def way_to(limits: FloatArray, x: FloatArray, reference: FloatArray, way: FloatArray) -> float:
    """
    Compute the straight way to a reference, of rotation vectors about their moving axes.

    Parameters
    ----------
    limits : (n, 5) float64
        See `kernels.limits`.
    x, reference : (n,) float64
        From where, and to where [rad or m].
    way : (n,) float64
        Output.

    Returns
    -------
    float
        Its square.

    """
    way2 = 0.0
    for i in range(x.shape[0]):
        if limits[i, 4] == 1.0:
            way[i] = reference[i] - x[i]
        elif limits[i, 4] == 3.0:
            for k in range(i, i + 3):
                way[k] = -x[k]
            rotate_vector_by(way[i : i + 3], reference[i : i + 3])
    for i in range(x.shape[0]):
        way2 += way[i] * way[i]
    return way2


@kernel
def project(
    jacobian: FloatArray,
    error: FloatArray,
    rows: int,
    damping: float,
    limits: FloatArray,
    x: FloatArray,
    wish: FloatArray,
    share: float,
    active: FloatArray,
    packed: FloatArray,
    factor: FloatArray,
    y: FloatArray,
    w: FloatArray,
    correction: FloatArray,
    way: FloatArray,
    held: FloatArray,
) -> None:
    """
    Compute both parts of a step; joints that it would push through their bounds stay.

    Which joints these are depends on which others stay: looked at until nothing changes, or so
    often, and then each that was pushed out once stays. The last step's are the first guess. Rows
    that are held at a bound are let go where the way leads inside.

    Parameters
    ----------
    jacobian : (n, rows) float64
        Transposed; rows that are let go become zeros.
    error : (rows,) float64
        The same.
    rows : int
        How many there are.
    damping : float
        lambda.
    limits : (n, 5) float64
        See `kernels.limits`.
    x, wish : (n,) float64
        Configuration, and the way that is wished for [rad or m].
    share : float
        How much of the way will be gone.
    active : (n,) float64
        In and out: 1 for joints that move, 0 for those that stay.
    packed, factor : (rows (rows + 1) / 2,) float64
        Work space.
    y, w : (rows,) float64
        Output: the multipliers of the correction and of the way.
    correction, way : (n,) float64
        Output [rad or m].
    held : (rows,) float64
        In and out, see `kernels.held_rows`.

    """
    n = jacobian.shape[0]
    for attempt in range(_LOOKS + n):
        for r in range(rows):
            y[r] = error[r]
        gram_and_image(jacobian, active, wish, rows, packed, w)
        solve_damped(packed, damping, rows, factor, y)
        solve_again(rows, factor, w)
        changed = False
        for r in range(rows):
            if held[r] * w[r] > 0.0 and attempt < _LOOKS:
                changed = True
                held[r], error[r] = 0.0, 0.0
                for i in range(n):
                    jacobian[i, r] = 0.0
        for i in range(n):
            back, along = 0.0, wish[i]
            for r in range(rows):
                back += jacobian[i, r] * y[r]
                along -= jacobian[i, r] * w[r]
            going = back + share * along
            # Arithmetic, no branches: which joints stay is what no processor foresees.
            outward = ((going > 0.0) & (x[i] >= limits[i, 1] - AT_BOUND)) | (
                (going < 0.0) & (x[i] <= limits[i, 0] + AT_BOUND)
            )
            stays = outward | ((active[i] == 0.0) & (attempt >= _LOOKS))
            moves = 0.0 if stays else 1.0
            changed = changed | (moves != active[i])
            active[i], correction[i], way[i] = moves, moves * back, moves * along
        if not changed:
            break
