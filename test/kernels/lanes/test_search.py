# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches and batches in lanes: what they claim holds, and nothing else changes it."""

from __future__ import annotations

import math

from ik_node.kernels.lanes.batch import solve_targets
from ik_node.kernels.lanes.collect import collect, COUNTS_SIZE, FOUND
from ik_node.kernels.lanes.collect import STARTS as MADE
from ik_node.kernels.lanes.search import solve_starts
from ik_node.kernels.lanes.vector import LANES
from ik_node.kernels.limits import draw
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.step import (
    ENERGY,
    ITERATIONS,
    KEEP_NEAREST,
    SOLUTIONS,
    STARTS,
)
from ik_node.solvers.kinematics import forward_kinematics
from ik_node.solvers.options import search_options
from ik_node.solvers.starts import BLANK, work_space
import numpy as np


def draws(tables, count, seed):
    """Draw configurations inside the limits."""
    q = np.empty((count, len(tables.limits)))
    for stream in range(count):
        draw(tables.limits, np.zeros(q.shape[1]), seed, stream, q[stream])
    return q


def search(tables, targets, seed, first=0, last=2000, **changes):
    """Search once: code, q, report."""
    settings = search_options().settings.copy()
    for index, value in changes.items():
        settings[{'keep_nearest': KEEP_NEAREST}[index]] = value
    settings.setflags(write=False)
    q, report = seed.copy(), BLANK.copy()
    code = solve_starts(
        tables.nodes, tables.wiring, tables.tips, tables.tip_wiring, tables.limits, targets, seed,
        seed, settings, 0, first, last, q, report, work_space(tables),
    )  # fmt: skip
    return code, q, report


def assert_solved(tables, q, targets):
    np.testing.assert_allclose(forward_kinematics(tables, q[np.newaxis])[0], targets, atol=2e-5)
    assert (q >= tables.limits[:, 0]).all()
    assert (q <= tables.limits[:, 1]).all()


def test_reachable_targets_are_reached(tables):
    targets = forward_kinematics(tables, draws(tables, 50, 1))
    for target, seed in zip(targets, draws(tables, 50, 2), strict=True):
        code, q, report = search(tables, target, seed)
        assert code == SUCCESS
        assert_solved(tables, q, target)
        assert report[STARTS] >= 1.0


def test_a_near_seed_is_followed_alone(tables):
    solutions = draws(tables, 30, 3)
    inside = np.clip(solutions + 0.01, tables.limits[:, 0], tables.limits[:, 1])
    for target, seed in zip(forward_kinematics(tables, solutions), inside, strict=True):
        code, q, report = search(tables, target, seed)
        assert code == SUCCESS
        assert report[STARTS] == 1.0
        assert np.abs(q - seed).max() < 0.2


def test_the_search_counts_what_it_does(tables):
    target = forward_kinematics(tables, draws(tables, 1, 4))[0]
    target[:, :3, 3] += 50.0
    code, _, report = search(tables, target, draws(tables, 1, 5)[0], last=30)
    assert code == NOT_FOUND
    assert report[STARTS] == 30.0
    assert report[ITERATIONS] >= 30.0
    assert math.isfinite(report[ENERGY])


def test_of_all_starts_the_nearest_solution_is_kept(tables):
    targets = forward_kinematics(tables, draws(tables, 10, 6))
    for target, seed in zip(targets, draws(tables, 10, 7), strict=True):
        code, q, report = search(tables, target, seed, last=200, keep_nearest=1.0)
        assert code == SUCCESS
        assert_solved(tables, q, target)
        assert report[SOLUTIONS] >= 1.0
        assert report[STARTS] == 200.0
        _, any_q, _ = search(tables, target, seed)
        assert np.linalg.norm(q - seed) <= np.linalg.norm(any_q - seed) + 1e-6


def test_a_target_that_is_not_a_number_ends(tables):
    target = forward_kinematics(tables, draws(tables, 1, 8))[0]
    target[0, 0, 3] = math.nan
    code, _, report = search(tables, target, draws(tables, 1, 9)[0], last=20)
    assert code == NOT_FOUND
    assert report[STARTS] == 20.0


def batch(tables, targets, seeds, max_starts=512, give_up=True):
    """Solve a batch: status, q, reports."""
    q, reports = seeds.copy(), np.tile(BLANK, (len(seeds), 1))
    status = np.zeros(len(seeds), np.int64)
    options = search_options()
    solve_targets(
        tables.nodes, tables.wiring, tables.tips, tables.tip_wiring, tables.limits,
        tables.reach.table, targets, seeds, options.settings, options.patient, 0, max_starts,
        give_up, q, reports, work_space(tables), work_space(tables),
        np.empty((3, LANES), np.int64), np.empty(len(tables.limits)), status,
    )  # fmt: skip
    return status, q, reports


def test_a_batch_solves_every_reachable_target(chain):
    solutions, seeds = draws(chain, 300, 10), draws(chain, 300, 11)
    targets = np.ascontiguousarray(forward_kinematics(chain, solutions)[:, 0])
    status, q, reports = batch(chain, targets, seeds)
    assert (status == SUCCESS).all()
    for i in range(300):
        assert_solved(chain, q[i], targets[i : i + 1])
    assert (reports[:, STARTS] >= 1.0).all()


def test_an_answer_does_not_depend_on_its_neighbours(chain):
    solutions, seeds = draws(chain, 40, 12), draws(chain, 40, 13)
    targets = np.ascontiguousarray(forward_kinematics(chain, solutions)[:, 0])
    targets[::7, :3, 3] += 30.0
    status, q, reports = batch(chain, targets, seeds)
    order = np.random.default_rng(0).permutation(40)
    for part in (order, order[:5], order[:1]):
        again = batch(chain, targets[part], seeds[part])
        np.testing.assert_array_equal(again[0], status[part])
        np.testing.assert_array_equal(again[1], q[part])
        np.testing.assert_array_equal(again[2], reports[part])


def test_few_starts_are_few(chain):
    targets = np.ascontiguousarray(forward_kinematics(chain, draws(chain, 20, 14))[:, 0])
    for most in (1, 3, 16, 40):
        _, _, reports = batch(chain, targets, draws(chain, 20, 15), max_starts=most)
        assert reports[:, STARTS].max() <= most


def test_an_empty_batch_is_one(chain):
    status, _, _ = batch(chain, np.empty((0, 4, 4)), np.empty((0, len(chain.limits))))
    assert status.shape == (0,)


def test_collected_solutions_differ_and_hold(chain):
    target = forward_kinematics(chain, draws(chain, 1, 16))[0]
    found, counts = np.empty((40, len(chain.limits))), np.zeros(COUNTS_SIZE, np.int64)
    arguments = (search_options().settings, 0, 500, 1e-3, found, counts, work_space(chain))
    mechanism = (chain.nodes, chain.wiring, chain.tips, chain.tip_wiring, chain.limits)
    collect(*mechanism, target, draws(chain, 1, 17)[0], *arguments)
    assert 1 <= counts[FOUND] <= 40
    assert counts[FOUND] <= counts[MADE] <= 500
    period = chain.limits[:, 2]
    turn = np.where(period > 0.0, period, np.inf)
    for i, q in enumerate(found[: counts[FOUND]]):
        assert_solved(chain, q, target)
        for other in found[:i]:
            difference = q - other - np.round((q - other) / turn) * period
            assert np.abs(difference).max() >= 1e-3
