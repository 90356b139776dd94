# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Why a search found nothing: short searches for less, without limits or without orientations.

What they find is a hint and no proof, as a search at random never is one.
"""

from __future__ import annotations

import math
import time

from ik_node.kernels import step
from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import nearest_turn
from ik_node.kernels.reach import violated
from ik_node.kernels.row_kinds import ALPHA_BETA, ORIENTATION, POSE, POSITION
from ik_node.kernels.tree import CONSTRAINTS
from ik_node.model.tables import Aim, Tables
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import Outcome, run
from ik_node.solvers.starts import BLANK
from ik_node.solvers.status import SolveStatus
import numpy as np

_STARTS = 32 if COMPILED else 2
_STARTS_AFTER_PROOF = 8 if COMPILED else 2
_TIMEOUT = 0.002 if COMPILED else 1.0
# Starts that a search must have made for its end to mean anything.
_TELLING_STARTS = 8 if COMPILED else 1

_LESS = (('TranslationDirection5D', POSITION | ALPHA_BETA), ('Translation3D', POSITION))
"""Types of targets that ask for a part of a pose, the one that asks for more first."""


def diagnose(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    outcome: Outcome,
) -> Outcome:
    """
    Look into the end of a search.

    Parameters
    ----------
    tables, targets, seed, options
        Of the search, see `ik_node.solvers.restarts.search`.
    outcome : Outcome
        Its end, which is no success.

    Returns
    -------
    Outcome
        The same, or with a reason; or a solution that turned up on the way.

    """
    diagnosed = _diagnosed(tables, targets, seed, options, outcome)
    # A whole pose for less than six joints: what else could have been asked for?
    short = tables.tip_wiring[:, CONSTRAINTS].tolist() == [POSE] and len(seed) < 6
    proven = diagnosed.status is SolveStatus.UNREACHABLE
    fitting: tuple[str, ...] = ()
    if short and (proven or diagnosed.position_found):
        fitting = tuple(
            kind for kind, bits in _LESS if _is_found(tables, bits, targets, seed, options)
        )
    if diagnosed.position_found and not fitting:
        fitting = ('Translation3D',)
    return diagnosed._replace(fitting=fitting) if fitting else diagnosed


def _is_found(
    tables: Tables, constraints: int, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> bool:
    """Search for a part of a pose."""
    less = tables.aimed([Aim(0, constraints)])
    starts = _STARTS_AFTER_PROOF
    return _found_briefly(less, less.limits, targets, seed, seed, options, starts, seed.copy())


def _diagnosed(
    tables: Tables,
    targets: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    outcome: Outcome,
) -> Outcome:
    if outcome.status is SolveStatus.UNREACHABLE:
        bounds = tables.reach_without_limits.table
        if violated(targets, bounds, *options.tolerances) >= 0:
            return outcome
    elif outcome.report[step.STARTS] < _TELLING_STARTS:
        return outcome
    proven = outcome.status is SolveStatus.UNREACHABLE
    starts = _STARTS_AFTER_PROOF if proven else _STARTS
    free = _without_limits(tables, targets, outcome.q, seed, options, starts)
    if free is None:
        if proven:
            return outcome
        if not _has_both(tables):
            return outcome
        found = _without_orientation(tables, targets, seed, options)
        return outcome._replace(position_found=found)
    blocking = _outside(tables, free)
    if blocking:
        return outcome._replace(status=SolveStatus.BLOCKED_BY_LIMITS, blocking=blocking)
    # It was inside of the limits all along.
    q, report = free.copy(), BLANK.copy()
    alone = options._replace(max_starts=1)
    status = run(tables, tables.limits, targets, free, seed, alone, math.inf, q, report)
    if status is not SolveStatus.SUCCESS:
        return outcome
    report[[step.STARTS, step.ITERATIONS]] += outcome.report[[step.STARTS, step.ITERATIONS]]
    return Outcome(status, q, report)


def _without_limits(
    tables: Tables,
    targets: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    starts: int,
) -> FloatArray | None:
    """Search without limits, first where they ended; turns as near to the limits as they go."""
    if not np.isfinite(tables.limits[:, :2]).any():
        return None
    free = tables.limits.copy()
    free[:, 0], free[:, 1] = -math.inf, math.inf
    free.setflags(write=False)  # as the limits of tables: another array type is another kernel
    q: FloatArray = begin.copy()
    if not _found_briefly(tables, free, targets, begin, seed, options, starts, q):
        return None
    for i, (lower, upper, period) in enumerate(tables.limits[:, :3]):
        ends = [bound for bound in (lower, upper) if math.isfinite(bound)]
        middle = sum(ends) / len(ends) if ends else 0.0
        q[i] = nearest_turn(q[i], middle, -math.inf, math.inf, period)
    return q


def _has_both(tables: Tables) -> bool:
    """Tell whether a position and an orientation are constrained, be it of different tips."""
    constraints = int(np.bitwise_or.reduce(tables.tip_wiring[:, CONSTRAINTS]))
    return bool(constraints & POSITION and constraints & ORIENTATION)


def _without_orientation(
    tables: Tables, targets: FloatArray, seed: FloatArray, options: SearchOptions
) -> bool:
    """Search for the positions alone."""
    settings = options.settings.copy()
    settings[step.ORIENTATION_WEIGHT] = 0.0
    settings[step.ORIENTATION_TOLERANCE] = math.inf
    settings.setflags(write=False)
    freed = options._replace(settings=settings)
    limits = tables.limits
    return _found_briefly(tables, limits, targets, seed, seed, freed, _STARTS, seed.copy())


def _found_briefly(
    tables: Tables,
    limits: FloatArray,
    targets: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    options: SearchOptions,
    starts: int,
    q: FloatArray,
) -> bool:
    """Make a few starts; tells whether `q` is a solution then."""
    few = options._replace(max_starts=starts)
    deadline = time.monotonic() + min(options.timeout, _TIMEOUT)
    status = run(tables, limits, targets, begin, seed, few, deadline, q, BLANK.copy())
    return status is SolveStatus.SUCCESS


def _outside(tables: Tables, q: FloatArray) -> tuple[str, ...]:
    """Name the coordinates that are outside of their limits."""
    outside = (q < tables.limits[:, 0]) | (q > tables.limits[:, 1])
    return tuple(n for n, out in zip(tables.coordinate_names, outside, strict=True) if out)
