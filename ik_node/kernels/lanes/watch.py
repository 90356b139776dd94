# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What goes on in the lanes: which starts have reached their target, and which have halted.

A start halts when its energy has not become smaller by a certain ratio within a certain number of
steps, or when it has taken all its steps; see the settings of `ik_node.kernels.step`.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.lanes.vector import any_lane, load, select, store
from ik_node.kernels.step import STALL_RATIO, STALL_WINDOW, STEPS_PER_START
import numpy as np

# Rows of `watch`.
_REFERENCE = 0  # energy at the last look
_SINCE_LOOK = 1  # steps since then
_AGE = 2  # steps of this start
_LIVE = 3  # 1: the lane works, 0: it idles
_FRESH = 4  # 1: the start has just begun, and a step of the one before is not for it
WATCH_ROWS = 5

# Rows of `verdict`.
LANE_ENERGY = 0
CONVERGED = 1
HALTED = 2
VERDICT_ROWS = 3


@kernel
def begin(watch: FloatArray, lane: int) -> None:
    """Watch a new start in a lane."""
    watch[_REFERENCE, lane] = np.inf
    watch[_SINCE_LOOK, lane] = np.inf
    watch[_AGE, lane] = 0.0
    watch[_LIVE, lane] = 1.0
    watch[_FRESH, lane] = 1.0


@kernel
def fresh(watch: FloatArray) -> Any:
    """Tell in which lanes a start has begun since this was asked last."""
    begun = load(watch, _FRESH) > 0.0
    store(watch, _FRESH, 0.0)
    return begun


@kernel
def idle(watch: FloatArray, lane: int) -> None:
    """Watch a lane no longer."""
    watch[_LIVE, lane] = 0.0


@kernel
def steps_of(watch: FloatArray, lane: int) -> float:
    """Count the steps of the start in a lane, when `look` has just told its end."""
    return float(watch[_AGE, lane]) - 1.0


@kernel
def look(
    energy: Any, inside: Any, settings: FloatArray, watch: FloatArray, verdict: FloatArray
) -> bool:
    """
    Look which lanes have converged and which have halted.

    Parameters
    ----------
    energy : lanes
        Half the squared weighted error.
    inside : mask
        Where it is within the tolerances.
    settings : (SETTINGS_SIZE,) float64
        Patience, see `ik_node.kernels.step`.
    watch : (WATCH_ROWS, LANES) float64
        In and out.
    verdict : (VERDICT_ROWS, LANES) float64
        Output where the answer is True: the energy, and 1 in the rows CONVERGED and HALTED.

    Returns
    -------
    bool
        Whether some lane has done either.

    """
    reference = load(watch, _REFERENCE)
    since = load(watch, _SINCE_LOOK)
    age = load(watch, _AGE)
    live = load(watch, _LIVE) > 0.0
    due = since >= settings[STALL_WINDOW]
    halted = live & (
        (due & (energy > settings[STALL_RATIO] * reference)) | (age >= settings[STEPS_PER_START])
    )
    converged = live & inside
    store(watch, _REFERENCE, select(due, energy, reference))
    store(watch, _SINCE_LOOK, select(due, 1.0, since + 1.0))
    store(watch, _AGE, age + 1.0)
    if not any_lane(halted | converged):
        return False
    store(verdict, LANE_ENERGY, energy)
    store(verdict, CONVERGED, select(converged, 1.0, 0.0))
    store(verdict, HALTED, select(halted, 1.0, 0.0))
    return True
