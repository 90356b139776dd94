# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of the comparison, times on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import format_cell, Table

_COLUMNS = ('median us', 'mean us', 'p99 us', 'success %', 'solver')


def plot_comparison(suites: Mapping[str, Sequence[Table]], file: Path) -> bool:
    """
    Draw a line from median to p99 and a dot at the mean: a column a suite, a row a robot.

    Parameters
    ----------
    suites : mapping of str to sequence of Table
        Results; tables without the columns of a comparison are left out.
    file : Path
        A PNG, or whatever the ending says.

    Returns
    -------
    bool
        False when there was nothing to draw.

    """
    columns = [
        [table for table in tables if set(_COLUMNS) <= set(table.columns)]
        for tables in suites.values()
    ]
    columns = [tables for tables in columns if tables]
    if not columns:
        return False
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot

    rows = max(len(tables) for tables in columns)
    figure, axes = pyplot.subplots(
        rows, len(columns), figsize=(7.5 * len(columns), 3.0 * rows), sharex=True, squeeze=False
    )
    for i, tables in enumerate(columns):
        for axis, table in zip(axes[:, i], tables, strict=False):
            _draw(axis, table)
        for axis in axes[len(tables) :, i]:
            axis.set_visible(False)
    figure.supxlabel(
        'time of one call [us]: line from median to 99th percentile, dot at the mean; right: '
        'accepted answers',
        fontsize=9,
    )
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    pyplot.close(figure)
    return True


def _draw(axis: Any, table: Table) -> None:
    """Draw one table, its first row on top."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in reversed(table.rows)]
    rows = [row for row in rows if row['mean us'] is not None]
    for y, row in enumerate(rows):
        color = 'tab:orange' if str(row['solver']).startswith('ik_node') else 'tab:blue'
        axis.plot([row['median us'], row['p99 us']], [y, y], color=color, linewidth=3)
        axis.plot([row['mean us']], [y], 'o', color=color)
        axis.annotate(
            f'{format_cell(row["success %"])} %', (1.01, y), xycoords=('axes fraction', 'data'),
            va='center', fontsize=8,
        )  # fmt: skip
    axis.set_yticks(range(len(rows)), [str(row['solver']) for row in rows], fontsize=8)
    axis.set_ylim(-0.6, len(rows) - 0.4)
    axis.set_xscale('log')
    axis.set_title(table.title, fontsize=10, loc='left')
    axis.grid(True, axis='x', which='both', alpha=0.3)
