# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows with bounds, as an active set: free inside of their bounds, or held at one of them.

`held` is 0 for a row that is free, 1 for one that is held at its lower bound and -1 at its upper
one; `own_tips` is a copy of the tips in which the bounds of held rows are where they are held.
"""

from __future__ import annotations

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.row_kinds import ANGLES, BOUNDED, CONE, ROW_BITS
from ik_node.kernels.tree import CONSTRAINTS, LOWER, UPPER


@kernel
def _is_range(tips: FloatArray, tip_wiring: IntArray, tip: int, i: int) -> bool:
    """Tell whether a row has bounds with something between them."""
    bits = BOUNDED if i < 3 else CONE | ANGLES
    return bool(
        tip_wiring[tip, CONSTRAINTS] & bits and tips[tip, LOWER + i] < tips[tip, UPPER + i]
    )


@kernel
def has_ranges(tips: FloatArray, tip_wiring: IntArray) -> bool:
    """
    Tell whether any row has bounds with something between them.

    Parameters
    ----------
    tips, tip_wiring
        See `kernels.tree`.

    Returns
    -------
    bool

    """
    for tip in range(tip_wiring.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i] and _is_range(tips, tip_wiring, tip, i):
                return True
    return False


@kernel
def hold(
    tips: FloatArray,
    tip_wiring: IntArray,
    error: FloatArray,
    own_tips: FloatArray,
    held: FloatArray,
) -> None:
    """
    Hold what is outside of its bounds at the nearest one, so that it is not lost again.

    Parameters
    ----------
    tips, tip_wiring
        See `kernels.tree`.
    error : (rows,) float64
        Of the rows that are asked for.
    own_tips : (t, 33) float64
        Changed in place.
    held : (rows,) float64
        Changed in place.

    """
    row = 0
    for tip in range(tip_wiring.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i]:
                if held[row] == 0.0 and error[row] != 0.0 and _is_range(tips, tip_wiring, tip, i):
                    bound = UPPER + i if error[row] < 0.0 else LOWER + i
                    held[row] = -1.0 if error[row] < 0.0 else 1.0
                    own_tips[tip, LOWER + i] = own_tips[tip, UPPER + i] = tips[tip, bound]
                row += 1


@kernel
def let_go(tips: FloatArray, tip_wiring: IntArray, held: FloatArray, own_tips: FloatArray) -> None:
    """
    Give back their bounds to rows that a step has let go.

    Parameters
    ----------
    tips, tip_wiring
        See `kernels.tree`.
    held : (rows,) float64
        0 for a row that is free.
    own_tips : (t, 33) float64
        Changed in place.

    """
    row = 0
    for tip in range(tips.shape[0]):
        for i in range(6):
            if tip_wiring[tip, CONSTRAINTS] & ROW_BITS[i]:
                if held[row] == 0.0:
                    own_tips[tip, LOWER + i] = tips[tip, LOWER + i]
                    own_tips[tip, UPPER + i] = tips[tip, UPPER + i]
                row += 1
