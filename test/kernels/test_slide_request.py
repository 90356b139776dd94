# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A request in one call: what it unpacks and places, the tables and the targets are elsewhere."""

from __future__ import annotations

import ik_node
from ik_node import Cone, Direction3D, Line, Lookat3D, Parallel, Point, Rotation, Shapes
from ik_node.environment.aiming import aimed_at
from ik_node.kernels.slide_request import slide_to_goal
from ik_node.kernels.slide_starts import slide_from_starts
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import energy_at, evaluate, ITERATIONS, REPORT_SIZE
from ik_node.solvers.options import search_options
from ik_node.solvers.sliding import SLIDES
from ik_node.solvers.starts import BLANK
import numpy as np
import pytest

QUAT = (0.1, 0.7, -0.3, 0.6)
OPTIONS = search_options()
TARGETS = {
    'three rows': Direction3D((1.0, 2.0, -1.0)),
    'eye': Lookat3D((0.6, -0.3, 0.8)),
    'five rows': Shapes(Point((0.4, 0.2, 0.4)), Parallel((0.0, 0.1, -1.0)), (0.0, 0.0, 0.1)),
    'bounds': Shapes(
        Line((0.4, 0.1, 0.5), (1.0, 0.2, 0.0), -0.1, 0.2),
        Cone((0.0, 1.0, 0.3), (0.0, 0.0, 1.0), 0.8, interior=True),
        (0.05, -0.08, 0.1),
        QUAT,
    ),
    'six rows': Shapes(Point((0.4, 0.2, 0.4)), Rotation(QUAT), (0.0, 0.1, 0.0), QUAT),
}


@pytest.fixture(params=TARGETS)
def case(request, shipped_robot):
    """Give tables of a kind of target, packed and placed, and the numbers of its goal."""
    group = ik_node.Environment.from_urdf(shipped_robot('panda')).create_group('arm')
    prepared, goal = group.prepared(), TARGETS[request.param].goal((0.0, 0.3, 1.0))
    placed, targets, _ = aimed_at(prepared, goal, None)
    return prepared.aims[goal.constraints].tables.packed, placed.tables, targets, goal.numbers


def requested(packed, numbers, q, last):
    """Ask for a slide from `q`; give the code, the report, and `q`, which has changed."""
    tables, wires, space = packed
    work, report = np.full(space, np.nan), np.full(REPORT_SIZE, np.nan)
    work[0, : len(numbers)] = numbers
    code = slide_to_goal(
        tables, wires, OPTIONS.settings, 7, last, SLIDES, len(numbers), q, report, work
    )
    return code, report


@pytest.mark.parametrize('last', [1, 2, 5])
def test_packed_and_unpacked_give_the_same_bytes(case, last, rng):
    packed, tables, targets, numbers = case
    found = 0
    for _ in range(10):
        seed = rng.uniform(tables.limits[:, 0], tables.limits[:, 1])
        q, other, other_report = seed.copy(), seed.copy(), BLANK.copy()
        code, report = requested(packed, numbers, q, last)
        other_code = slide_from_starts(
            tables.nodes, tables.wiring, tables.tips.copy(), tables.tip_wiring, tables.limits,
            targets, seed, OPTIONS.settings, 7, last, SLIDES, other, other_report,
            np.full(tables.slide_space, np.nan),
        )  # fmt: skip
        assert code == other_code
        assert q.tobytes() == other.tobytes()
        assert report.tobytes() == other_report.tobytes()
        found += code == SUCCESS
    assert found >= 2


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_a_seed_that_is_not_finite_is_left_to_the_caller(case, bad):
    packed, tables, _, numbers = case
    q = np.zeros(len(tables.limits))
    q[3] = bad
    code, report = requested(packed, numbers, q, 5)
    assert code == NOT_FOUND
    assert report[ITERATIONS] == 0.0
    np.testing.assert_equal(q[3], bad)


def test_packed_tables_are_read_only(case):
    (numbers, wires, _), *_ = case
    assert not numbers.flags.writeable
    assert not wires.flags.writeable


def test_energy_alone_is_that_of_the_evaluation(case, rng):
    _, tables, targets, _ = case
    k, n = len(tables.nodes), len(tables.limits)
    for _ in range(20):
        q = rng.uniform(tables.limits[:, 0], tables.limits[:, 1])
        arrays = (
            tables.nodes, tables.wiring, tables.tips, tables.tip_wiring, targets, q,
            OPTIONS.settings,
        )  # fmt: skip
        energy, _ = evaluate(
            *arrays, np.empty((k, 3)), np.empty((k, 12)), np.empty(12), np.empty((4, 4)),
            np.empty(9), np.empty(27), np.empty(6), np.empty((n, 6)), np.empty(6),
        )  # fmt: skip
        alone = energy_at(*arrays, np.full(tables.slide_space, np.nan))
        assert alone == pytest.approx(energy, rel=1e-12)
