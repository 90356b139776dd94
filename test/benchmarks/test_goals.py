# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals speak of the rows that they name, and the worst of them decides."""

from __future__ import annotations

import pytest

pytest.importorskip('pinocchio')

from benchmarks.goals import compare, Goal, GOALS  # noqa: E402 - after the skip
from benchmarks.report import Table  # noqa: E402
from benchmarks.suites import (  # noqa: E402
    accuracy,
    batch,
    branches,
    CATALOG,
    reach,
    service,
    startup,
    tips,
    tracking,
    types,
    unreachable,
)

COLUMNS = ('solver', 'success %', 'mean us')
TABLES = {
    'far': [
        Table('far: one', COLUMNS, (('ours', 100.0, 4.0), ('peer', 50.0, 90.0))),
        Table('far: two', COLUMNS, (('ours', 99.9, 8.0), ('absent', None, None))),
    ]
}


@pytest.mark.parametrize(
    ('goal', 'measured', 'at', 'met'),
    [
        (Goal('far', 'a', 'success %', 100.0, least=True, where={'solver': ('ours',)}), 99.9,
         'two', 'NO'),
        (Goal('far', 'a', 'mean us', 8.0, where={'solver': ('ours',)}), 8.0, 'two', 'yes'),
        (Goal('far', 'a', 'mean us', 8.0, where={'solver': ('ours',)}, strict=True), 8.0, 'two',
         'NO'),
        (Goal('far', 'a', 'mean us', 5.0, choose=lambda rows: rows[:1]), 8.0, 'two', 'NO'),
        (Goal('far', 'a', 'mean us', 100.0), 90.0, 'one', 'yes'),
    ],
)  # fmt: skip
def test_the_worst_row_decides(goal, measured, at, met) -> None:
    (row,) = compare(TABLES, [goal]).rows
    assert (row[2], row[3], row[5]) == (at, measured, met)


@pytest.mark.parametrize(
    'goal',
    [
        Goal('near', 'another suite', 'mean us', 1.0),
        Goal('far', 'another column', 'p99 us', 1.0),
        Goal('far', 'a solver that did not take part', 'mean us', 1.0,
             where={'solver': ('absent',)}),
    ],
)  # fmt: skip
def test_what_was_not_measured_is_left_out(goal) -> None:
    assert compare(TABLES, [goal]).rows == ()


def test_a_sentence_has_sign_bound_and_unit() -> None:
    goals = [Goal('far', 'mean', 'mean us', 1e6, 'us'), Goal('far', 'share', 'success %', 99.9,
                                                             '%', True)]  # fmt: skip
    assert [row[1] for row in compare(TABLES, goals).rows] == [
        'mean <= 1000000 us',
        'share >= 99.9 %',
    ]


def test_of_two_ways_to_list_branches_the_fast_complete_one_counts() -> None:
    columns = ('lister', 'of all %', 'mean us')
    names = ('ik_node, 64 draws', 'ik_node, 256 draws')
    goals = [goal for goal in GOALS if goal.suite == 'branches']

    def measured(*shares: float) -> list:
        rows = tuple(zip(names, shares, (50.0, 200.0), strict=True))
        table = Table('branches: ur5', columns, (*rows, ('EAIK', 100.0, 1.0)))
        return [(row[3], row[5]) for row in compare({'branches': [table]}, goals).rows]

    assert measured(99.95, 100.0) == [(99.95, 'yes'), (50.0, 'yes')]
    assert measured(99.0, 100.0) == [(100.0, 'yes'), (200.0, 'NO')]
    assert measured(98.0, 99.0) == [(99.0, 'NO'), (200.0, 'NO')]


def test_every_goal_is_about_columns_that_its_suite_has() -> None:
    columns = {
        'far': [reach.COLUMNS],
        'singular': [reach.COLUMNS],
        'unreachable': [unreachable.COLUMNS],
        'batch': [batch.COLUMNS, batch.MEMORY_COLUMNS],
        'accuracy': [accuracy.COLUMNS],
        'tracking': [tracking.COLUMNS],
        'branches': [branches.COLUMNS],
        'tips': [tips.COLUMNS],
        'types': [types.COLUMNS],
        'startup': [startup.COLUMNS, startup.MEMORY_COLUMNS],
        'service': [service.COLUMNS, service.BATCH_COLUMNS],
    }
    for goal in GOALS:
        assert goal.suite in CATALOG
        needed = {goal.column, *(goal.where or {})}
        assert any(needed <= set(known) for known in columns[goal.suite]), goal.text
