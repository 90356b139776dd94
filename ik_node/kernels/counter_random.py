# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Random numbers that are a pure function of (seed, counter).

There is no generator state to share between threads or to advance: number k of a stream is
computed from k, so a search gives the same answer in any thread, and may be cut anywhere.
The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable
pseudorandom number generators, OOPSLA 2014).
"""

from __future__ import annotations

from typing import cast

from ik_node.kernels._jit import COMPILED, kernel
import numpy as np

# numba needs typed 64-bit constants, or mixed signedness turns the arithmetic into floats; plain
# Python needs unbounded integers, or NumPy scalars warn about every intended overflow.
unsigned = cast('type[int]', np.uint64 if COMPILED else int)
_MASK = unsigned(0xFFFFFFFFFFFFFFFF)
_GAMMA = unsigned(0x9E3779B97F4A7C15)
_MIX_1 = unsigned(0xBF58476D1CE4E5B9)
_MIX_2 = unsigned(0x94D049BB133111EB)
_S30 = unsigned(30)
_S27 = unsigned(27)
_S31 = unsigned(31)
_S11 = unsigned(11)


@kernel
def _mix(x: int) -> int:
    x = ((x ^ (x >> _S30)) * _MIX_1) & _MASK
    x = ((x ^ (x >> _S27)) * _MIX_2) & _MASK
    return x ^ (x >> _S31)


@kernel
def stream_key(seed: int, stream: int) -> int:
    """
    Mix the key of one stream, for `number_of`: what all numbers of the stream have in common.

    Parameters
    ----------
    seed, stream : int
        Non-negative.

    Returns
    -------
    int
        64 random bits.

    """
    # Each word is mixed before the next one enters, so that (seed, stream) and (seed + 1,
    # stream - 1) have nothing to do with each other.
    x = _mix((unsigned(seed) + _GAMMA) & _MASK)
    return _mix(((x ^ unsigned(stream)) + _GAMMA) & _MASK)


@kernel
def number_of(key: int, index: int) -> float:
    """
    Give number `index` of a stream, uniform in [0, 1).

    Parameters
    ----------
    key : int
        From `stream_key`.
    index : int
        Non-negative.

    Returns
    -------
    float
        With 53 random bits.

    """
    x = _mix(((key ^ unsigned(index)) + _GAMMA) & _MASK)
    return float(x >> _S11) * 1.1102230246251565e-16
