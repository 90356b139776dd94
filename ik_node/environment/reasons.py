# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Sentences that say how a search ended, for people."""

from __future__ import annotations

import math

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.model.tables import Tables
from ik_node.solvers.configurations import Configurations
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.status import SolveStatus
import numpy as np


def of_solve(outcome: Outcome, tables: Tables, targets: FloatArray, options: SearchOptions) -> str:
    """
    Say why a solve ended as it did.

    Returns
    -------
    str
        One sentence.

    """
    report = outcome.report
    if outcome.status is SolveStatus.SUCCESS:
        return 'solved'
    left = (
        f'the best configuration misses the target by {report[step.POSITION_ERROR]:.3g} m '
        f'and {report[step.ORIENTATION_ERROR]:.3g} rad'
    )
    starts = int(report[step.STARTS])
    if outcome.status is SolveStatus.UNREACHABLE:
        return f'{_too_far(tables, targets)}; {left}'
    if outcome.status is SolveStatus.BLOCKED_BY_LIMITS:
        joints = ', '.join(outcome.blocking)
        return f'not found inside the joint limits, only without those of {joints}; {left}'
    without = {
        None: '',
        True: ', but the position alone was: with another orientation',
        False: ', nor was the position alone',
    }[outcome.position_found]
    if outcome.status is SolveStatus.TIMED_OUT:
        return f'not found in {options.timeout:g} s ({starts} starts){without}; {left}'
    return f'not found from {starts} start{"s" if starts > 1 else ""}{without}; {left}'


def of_configurations(
    found: Configurations, tables: Tables, targets: FloatArray, options: SearchOptions
) -> str:
    """
    Say why a search for configurations ended as it did.

    Returns
    -------
    str
        One sentence.

    """
    if found.status is SolveStatus.SUCCESS:
        count = len(found.configs)
        return f'{count} configuration{"s" if count > 1 else ""} found in {found.trials} draws'
    if found.status is SolveStatus.UNREACHABLE:
        return _too_far(tables, targets)
    if found.status is SolveStatus.TIMED_OUT:
        return f'no configuration found in {options.timeout:g} s ({found.trials} draws)'
    return f'no configuration found in {found.trials} draws'


def of_batch(status: IntArray) -> str:
    """
    Say how a batch ended.

    Parameters
    ----------
    status : (b,) int64
        Numbers of `SolveStatus`.

    Returns
    -------
    str
        One sentence.

    """
    words = {
        SolveStatus.UNREACHABLE: 'out of reach',
        SolveStatus.NOT_FOUND: 'not found',
        SolveStatus.TIMED_OUT: 'not tried before the time was over',
    }
    counts = {kind: int(np.count_nonzero(status == kind)) for kind in words}
    solved = np.count_nonzero(status == SolveStatus.SUCCESS)
    failed = [f'{count} {words[kind]}' for kind, count in counts.items() if count]
    return ', '.join([f'{solved} of {len(status)} solved', *failed])


def _too_far(tables: Tables, targets: FloatArray) -> str:
    rows = zip(targets, tables.reach.tolist(), strict=True)
    for target, (x, y, z, radius) in rows:
        distance = math.dist((target[0, 3], target[1, 3], target[2, 3]), (x, y, z))
        if distance > radius:
            return (
                f'out of reach: the target is {distance:.4g} m from the first joint '
                f'and the chain is {radius:.4g} m long'
            )
    raise ValueError('no target is out of reach')
