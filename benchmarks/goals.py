# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What is to be reached, as data, and a table of what a run has reached."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.report import Cell, format_cell, Table

COLUMNS = ('suite', 'goal', 'at', 'measured', 'worst of', 'met')

OURS = ('ik_node',)
KERNEL = ('ik_node, kernel alone',)
ANALYTIC = ('EAIK + limits', 'ssik')
COMPLETE = 99.9
"""Share of the branches that others list [%]."""

Rows = Sequence[Mapping[str, Cell]]


@dataclass(frozen=True)
class Goal:
    """A bound on a column of the tables of a suite; the worst of the rows decides."""

    suite: str
    text: str
    """What the number is."""
    column: str
    bound: float
    unit: str = ''
    least: bool = False
    """Whether the bound is to be reached at least; otherwise at most."""
    where: Mapping[str, Container[Cell]] | None = None
    """Values of other columns, of which a row must have one each."""
    choose: Callable[[Rows], Rows] | None = None
    """Picks among the rows of one run what the goal is about."""
    strict: bool = False
    """Whether the bound itself is not enough."""


def _fastest_complete(rows: Rows) -> Rows:
    """Of the ways to list configurations the fastest that lists nearly all; else the fullest."""
    full = [row for row in rows if _number(row, 'of all %') >= COMPLETE]
    if full:
        return [min(full, key=lambda row: _number(row, 'mean us'))]
    return [max(rows, key=lambda row: _number(row, 'of all %'))]


def _quickest(rows: Rows) -> Rows:
    """Of the sizes of a batch the one with the highest rate."""
    return [max(rows, key=lambda row: _number(row, 'poses/s'))]


_BRANCHES = {'lister': ('ik_node, 64 draws', 'ik_node, 256 draws')}
_ONE_THREAD: dict[str, tuple[Cell, ...]] = {'robot': ('panda',), 'threads': (1,)}

GOALS = (
    Goal('far', 'solve, success', 'success %', 100.0, '%', True, {'solver': OURS}),
    Goal('far', 'solve, mean', 'mean us', 10.0, 'us', where={'solver': OURS}),
    Goal('far', 'solve, p99', 'p99 us', 30.0, 'us', where={'solver': OURS}),
    Goal('far', 'solve, faster than TRAC-IK', 'x ours', 40.0, 'x', True,
         {'solver': ('TRAC-IK',)}),
    Goal('far', 'solve, faster than analytic peers', 'x ours', 1.0, 'x', True,
         {'solver': ANALYTIC}, strict=True),
    Goal('far', 'kernel alone, mean', 'mean us', 4.0, 'us', where={'solver': KERNEL}),
    Goal('singular', 'solve, success', 'success %', 100.0, '%', True, {'solver': OURS}),
    Goal('unreachable', 'answer where a proof exists, mean', 'mean us', 60.0, 'us',
         where={'solver': OURS, 'targets are': ('beyond the reach', 'inside, but wrong')}),
    Goal('unreachable', 'answer without a proof, mean', 'mean us', 60.0, 'us',
         where={'solver': OURS, 'targets are': ('not found, not proven',)}),
    Goal('batch', 'rate of one thread on Panda, best', 'solves/s best', 1e6, '/s', True,
         _ONE_THREAD),
    Goal('batch', 'rate by CPU time on Panda: time of a solve', 'CPU us a solve', 1.0, 'us',
         where=_ONE_THREAD),
    Goal('batch', 'scaling on two cores, median', 'scaling median', 1.8, 'x', True,
         {'threads': (2,)}),
    Goal('batch', 'success', 'success %', 100.0, '%', True),
    Goal('batch', 'memory of a batch of a million', 'MB on top', 400.0, 'MB',
         where={'targets': (1_000_000,),
                'what': ('peak of the first batch', 'peak of five more batches')}),
    Goal('accuracy', 'false claims', 'false claims', 0.0),
    Goal('tracking', 'failures', 'failures', 0.0, where={'solver': OURS}),
    Goal('tracking', 'jumps', 'jumps', 0.0, where={'solver': OURS}),
    Goal('branches', 'of what analytic peers list', 'of all %', COMPLETE, '%', True,
         _BRANCHES, choose=_fastest_complete),
    Goal('branches', 'time for that, mean', 'mean us', 60.0, 'us',
         where=_BRANCHES, choose=_fastest_complete),
    Goal('tips', 'all tips at once, success', 'success %', 100.0, '%', True),
    Goal('tips', 'two arms at once, mean', 'mean us', 40.0, 'us', where={'tips': (2,)}),
    Goal('types', 'targets of every kind, success', 'success %', 100.0, '%', True),
    Goal('types', 'types of IKFast, worst mean', 'mean us', 15.0, 'us',
         where={'arm': ('panda',), 'of': ('types of IKFast',)}),
    Goal('startup', 'import, warm', 'median s', 0.6, 's',
         where={'what': ('import ik_node, warm',)}),
    Goal('startup', 'node ready, warm', 'median s', 2.0, 's',
         where={'what': ('node until "ready", filled cache',)}),
    Goal('startup', 'node ready, cold', 'median s', 20.0, 's',
         where={'what': ('node until "ready", empty cache',)}),
    Goal('startup', 'memory of the ready node', 'median MB', 250.0, 'MB'),
    Goal('service', 'round trip over that of an empty service', 'x empty', 1.2, 'x',
         where={'service': ('~/solve of the node',)}),
    Goal('service', 'batches over DDS', 'poses/s', 200_000.0, '/s', True, choose=_quickest),
)  # fmt: skip
"""In the order in which they are shown."""


def compare(suites: Mapping[str, Sequence[Table]], goals: Iterable[Goal] = GOALS) -> Table:
    """
    Compare what was measured with the goals.

    Parameters
    ----------
    suites : mapping of str to sequence of Table
        Results by name of the suite.
    goals : iterable of Goal
        Those of suites that did not run, or not with what they are about, are left out.

    Returns
    -------
    Table
        With a row for each goal that was measured.

    """
    rows: list[tuple[Cell, ...]] = []
    for goal in goals:
        found = [
            (_number(row, goal.column), table.title)
            for table in suites.get(goal.suite, ())
            for row in _about(goal, table)
        ]
        if not found:
            continue
        worst, title = (min if goal.least else max)(found)
        text = f'{goal.text} {_sign(goal)} {_text(goal.bound)} {goal.unit}'.rstrip()
        met = 'yes' if _met(goal, worst) else 'NO'
        place = title.partition(': ')[2] or '-'
        rows.append((goal.suite, text, place, worst, len(found), met))
    notes = (
        'The worst of the rows that a goal is about decides; "at" is where it stands. Times are '
        'those of this machine and of whatever else ran on it.',
    )
    return Table('goals', COLUMNS, tuple(rows), notes)


def _about(goal: Goal, table: Table) -> Rows:
    """Return the rows that a goal speaks of and that have a number."""
    wanted = goal.where or {}
    if not {goal.column, *wanted} <= set(table.columns):
        return []
    every = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    rows: Rows = [
        row
        for row in every
        if row[goal.column] is not None and all(row[key] in wanted[key] for key in wanted)
    ]
    return goal.choose(rows) if goal.choose and rows else rows


def _number(row: Mapping[str, Cell], column: str) -> float:
    return float(row[column] or 0.0)


def _met(goal: Goal, value: float) -> bool:
    if value == goal.bound:
        return not goal.strict
    return value > goal.bound if goal.least else value < goal.bound


def _sign(goal: Goal) -> str:
    if goal.least:
        return '>' if goal.strict else '>='
    return '<' if goal.strict else '<='


def _text(bound: float) -> str:
    return f'{bound:.0f}' if bound == int(bound) else format_cell(bound)
