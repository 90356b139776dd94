# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Sentences that say how a search ended, for people."""

from __future__ import annotations

import math

from ik_node.kernels import reach, step
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.model.tables import Tables
from ik_node.solvers.configurations import Configurations
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.restarts import beyond_reach, Outcome
from ik_node.solvers.status import SolveStatus
import numpy as np

_SHOWN = 1e-6
"""Below this a length or an angle is written as zero."""


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
    best = 'least-squares answer' if outcome.approximate else 'best configuration'
    left = (
        f'the {best} misses the target by {report[step.POSITION_ERROR]:.3g} m '
        f'and {report[step.ORIENTATION_ERROR]:.3g} rad'
    )
    if outcome.fitting:
        kinds = ' or a '.join(outcome.fitting)
        left = f'what asks for less was found, a {kinds}; {left}'
    starts = int(report[step.STARTS])
    if outcome.status is SolveStatus.UNREACHABLE:
        return f'{_out_of_reach(tables, targets, options)}; {left}'
    if outcome.status is SolveStatus.BLOCKED_BY_LIMITS:
        joints = ', '.join(outcome.blocking)
        if beyond_reach(tables, targets, options):
            why = _out_of_reach(tables, targets, options)
            return f'{why}; found without the limits of {joints}; {left}'
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
        return _out_of_reach(tables, targets, options)
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


def _out_of_reach(tables: Tables, targets: FloatArray, options: SearchOptions) -> str:
    """Name what would have to be where the chain cannot bring it."""
    table, labels = tables.reach
    i = reach.violated(targets, table, *options.tolerances)
    if i < 0:
        raise ValueError('no target is out of reach')
    row, label = table[i], labels[i]
    low, high, _ = reach.measured(targets[int(row[reach.TIP])], row)
    least, most = row[reach.LEAST : reach.MOST + 1].tolist()
    needed = _distinct(low, most) if low > most else _distinct(high, least)
    if high - low > _SHOWN:
        needed = f'at {"least" if low > most else "most"} {needed}'
    allowed = _allowed(least, most)
    what = 'out of reach'
    if reach.violated(targets, tables.reach_without_limits.table, *options.tolerances) < 0:
        what += ' inside the joint limits'
    if row[reach.KIND] == reach.ANGLE:
        return (
            f'orientation {what}: {label.tip} would have to be turned by {needed} rad '
            f'from {label.base}, and the joints allow {allowed} rad'
        )
    if label.along:
        base, tip = label.base, label.tip
        if row[reach.KIND] == reach.HEIGHT_TIP:
            base, tip = tip, base
        return (
            f'{what}: along {label.along}, {tip} would have to be at {needed} m from '
            f'{base}, and the joints allow {allowed} m'
        )
    base = label.base if label.base != label.tip else 'its place in the base'
    return (
        f'{what}: {label.tip} would have to be {needed} m from {base}, '
        f'and the joints allow {allowed} m'
    )


def _number(value: float, digits: int = 4) -> str:
    return f'{0.0 if abs(value) < _SHOWN else value:.{digits}g}'


def _distinct(value: float, bound: float) -> str:
    """Write a value with so many digits that it does not look like the bound it is beyond."""
    digits = 4
    while digits < 12 and float(f'{value:.{digits}g}') == float(f'{bound:.4g}'):
        digits += 1
    return f'{value:.{digits}g}'


def _allowed(least: float, most: float) -> str:
    """Write a range in words."""
    if most - least < _SHOWN:
        return f'only {_number(most)}'
    if most == math.inf:
        return f'no less than {_number(least)}'
    if least == -math.inf:
        return f'no more than {_number(most)}'
    return f'{_number(least)} to {_number(most)}'
