# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
When a search looks around, and when it gives up.

When many starts have all stayed far away from the target, the next ones will too. Of 80 000
reachable targets with joints at limits and at zero, on four arms of 6 to 8 joints, none was
farther away than a half of the first bound after so many starts, nor than a hundredth of the
second. A mechanism of many metres takes longer, so that the rule is for compact ones alone. It is
for one tip alone too: of targets for both hands and a foot of a humanoid at once, reachable with
all joints at limits, one in three was farther away.
"""

from __future__ import annotations

from ik_node.kernels._jit import kernel

FIRST_LOOK = 64
"""64 starts in lanes take below 0.1 ms."""
_LARGEST_SLICE = 512

ALMOST = 1e-5
"""
Below this energy the best of some starts is worth patience: a solution at a limit or at a
singularity is approached slowly, and every start is given up before it is there.
"""

COMPACT = 10.0
"""The rule holds for mechanisms whose lengths and travels sum up to no more than this [m]."""

# Starts, and half the squared weighted error that is hopeless after them.
_FEW, _FAR = 128, 0.02
_MANY, _NEARER = 512, 1e-6


@kernel
def next_look(starts: int) -> int:
    """
    Tell after which start to look around next.

    Parameters
    ----------
    starts : int
        Starts so far.

    Returns
    -------
    int
        A larger number.

    """
    for look in (FIRST_LOOK, _FEW, _MANY):
        if starts < look:
            return look
    return starts + _LARGEST_SLICE


@kernel
def is_hopeless(starts: int, energy: float) -> bool:
    """
    Tell whether there is no use in more starts.

    Parameters
    ----------
    starts : int
        Starts so far.
    energy : float
        Half the squared weighted error of the best of them.

    Returns
    -------
    bool

    """
    return (starts >= _FEW and energy > _FAR) or (starts >= _MANY and energy > _NEARER)
