# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Operations on one number a lane, for kernels that advance several problems at once.

Arrays have the shape (rows, LANES) and are C-contiguous: row r holds quantity r of every lane.
Compiled, `load` gives a SIMD register (the type is that of `_registers`), as plain Python a NumPy
array of that length. In both, arithmetic and comparisons are those of Python, and a branch on a
value becomes a `select`. Write x = x + y, not x += y: an array would change under its other names.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray
import numpy as np

if COMPILED:
    from ik_node.kernels.lanes._registers import (
        absolute,
        any_lane,
        floor,
        join,
        LANES,
        load,
        select,
        splat,
        split,
        sqrt,
        store,
    )
else:
    LANES = 4
    absolute, any_lane, floor, select, sqrt = np.abs, np.any, np.floor, np.where, np.sqrt

    def splat(number: float) -> Any:
        """Give one number to all lanes."""
        return np.full(LANES, float(number))

    def join(a: float, b: float, c: float, d: float) -> Any:
        """Give a number of its own to each lane."""
        return np.array([a, b, c, d])

    def split(value: Any) -> Any:
        """Give the number in each lane."""
        return tuple(value.tolist())

    def load(array: FloatArray, row: int) -> Any:
        """Read a row."""
        return array[row].copy()

    def store(array: FloatArray, row: int, value: Any) -> None:
        """Write a row."""
        array[row] = value


__all__ = [
    'LANES', 'absolute', 'any_lane', 'floor', 'join', 'load', 'select', 'splat', 'split', 'sqrt',
    'store',
]  # fmt: skip
