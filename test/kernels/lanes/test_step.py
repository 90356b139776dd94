# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames, errors and steps in lanes against the scalar kernels, which know nothing of lanes."""

from __future__ import annotations

from ik_node.kernels import step as scalar
from ik_node.kernels._jit import kernel
from ik_node.kernels.lanes import step as lanes
from ik_node.kernels.lanes.lane import set_targets
from ik_node.kernels.lanes.vector import LANES, load, select, store
from ik_node.kernels.limits import draw
from ik_node.kernels.row_kinds import MIX_SIZE, ROW_BITS
from ik_node.kernels.tree import CONSTRAINTS
from ik_node.solvers.kinematics import forward_kinematics
from ik_node.solvers.options import search_options
import numpy as np
import pytest


@kernel
def _evaluate(nodes, wiring, tips, tip_wiring, targets, q, settings, frames, places, error,
              misses, out):  # fmt: skip
    energy = lanes.evaluate(
        nodes, wiring, tips, tip_wiring, targets, q, settings, frames, places, error, misses
    )
    store(out, 0, energy)
    store(out, 1, select(lanes.within(misses, settings), 1.0, 0.0))


@kernel
def _step(nodes, wiring, tips, tip_wiring, targets, q, settings, frames, places, error, misses,
          limits, jacobian, system):  # fmt: skip
    energy = lanes.evaluate(
        nodes, wiring, tips, tip_wiring, targets, q, settings, frames, places, error, misses
    )
    damping = scalar.DAMPING * energy + scalar.MINIMUM_DAMPING
    held = load(targets, 0) > 2.0  # none: no element of a rotation is that large
    lanes.step(
        nodes, wiring, tip_wiring, frames, places, error, damping, held, settings, limits,
        jacobian, system, q,
    )  # fmt: skip


class Lanes:
    """Work space and problems of one mechanism, a problem a lane."""

    def __init__(self, tables, rng, at_limits=0.0):
        self.tables = tables
        self.n, self.t, self.k = len(tables.limits), len(tables.tips), len(tables.nodes)
        self.settings = search_options(position_weight=1.7).settings
        draws = np.empty((2 * LANES, self.n))
        for stream, q in enumerate(draws):
            draw(tables.limits, np.zeros(self.n), int(rng.integers(1000)), stream, q)
        side = rng.random(draws.shape)
        lower, upper = (np.where(np.isfinite(b), b, draws) for b in tables.limits[:, :2].T)
        draws = np.where(side < 0.5 * at_limits, lower, draws)
        draws = np.where((side >= 0.5 * at_limits) & (side < at_limits), upper, draws)
        self.q = draws[:LANES].copy()
        self.targets = forward_kinematics(tables, draws[LANES:])
        self.lane_targets = np.empty((12 * self.t, LANES))
        for lane in range(LANES):
            set_targets(self.targets[lane], lane, self.lane_targets)
        rows = 6 * self.t
        self.frames = np.empty((12 * self.k, LANES))
        self.places = np.empty((33 * self.t, LANES))
        self.error = np.empty((rows, LANES))
        self.misses = np.empty((2, LANES))
        self.jacobian = np.empty((rows * self.n, LANES))
        self.system = np.empty((rows * (rows + 1) // 2 + rows, LANES))

    @property
    def mechanism(self):
        t = self.tables
        return t.nodes, t.wiring, t.tips, t.tip_wiring

    def evaluate(self):
        out = np.empty((2, LANES))
        q = np.array(self.q.T, order='C')
        work = (self.frames, self.places, self.error, self.misses)
        _evaluate(*self.mechanism, self.lane_targets, q, self.settings, *work, out)
        return out

    def step(self):
        q = np.array(self.q.T, order='C')
        work = (self.frames, self.places, self.error, self.misses)
        _step(*self.mechanism, self.lane_targets, q, self.settings, *work, self.tables.limits,
              self.jacobian, self.system)  # fmt: skip
        return q.T

    def scalar(self, lane, *, step):
        """
        Do the same with the scalar kernels: energy, inside, error, q after the step.

        They write only the rows that are asked for.
        """
        rows = self.tables.row_count
        q = self.q[lane].copy()
        values, frames = np.empty((self.k, 3)), np.empty((self.k, 12))
        spot = np.empty(12), np.empty((4, 4)), np.empty(9), np.empty(MIX_SIZE), np.empty(6)
        jacobian, error, y = np.empty((self.n, rows)), np.empty(rows), np.empty(rows)
        energy, inside = scalar.evaluate(
            *self.mechanism, self.targets[lane], q, self.settings, values, frames, *spot,
            jacobian, error,
        )  # fmt: skip
        if step:
            triangle = rows * (rows + 1) // 2
            scalar.step(
                jacobian, error, scalar.DAMPING * energy + scalar.MINIMUM_DAMPING,
                self.tables.limits, np.empty(self.n), np.empty(triangle), np.empty(triangle), y, q,
            )  # fmt: skip
        constraints = self.tables.tip_wiring[:, CONSTRAINTS]
        asked = [bits & row != 0 for bits in constraints for row in ROW_BITS]
        all_rows = np.zeros(6 * self.t)
        all_rows[asked] = error
        return energy, inside, all_rows, q


def test_errors_agree_with_the_scalar_kernel(any_tables, rng):
    for _ in range(20):
        work = Lanes(any_tables, rng)
        energy, inside = work.evaluate()
        for lane in range(LANES):
            expected, expected_inside, error, _ = work.scalar(lane, step=False)
            assert energy[lane] == pytest.approx(expected, rel=1e-6)
            assert (inside[lane] == 1.0) == expected_inside
            np.testing.assert_allclose(work.error[:, lane], error, atol=1e-7)


def test_frames_agree_to_1e_12(any_tables, rng):
    work = Lanes(any_tables, rng)
    work.evaluate()
    poses = forward_kinematics(any_tables, work.q)
    for lane in range(LANES):
        places = work.places[:, lane].reshape(-1, 33)[:, :3]
        np.testing.assert_allclose(places, poses[lane, :, :3, 3], atol=1e-12)


@pytest.mark.parametrize('at_limits', [0.0, 0.5])
def test_steps_agree_with_the_scalar_kernel(any_tables, rng, at_limits):
    for _ in range(20):
        work = Lanes(any_tables, rng, at_limits)
        after = work.step()
        for lane in range(LANES):
            *_, expected = work.scalar(lane, step=True)
            np.testing.assert_allclose(after[lane], expected, atol=1e-5)
            lower, upper = any_tables.limits[:, 0], any_tables.limits[:, 1]
            assert ((after[lane] >= lower) & (after[lane] <= upper)).all()


def test_a_lane_knows_nothing_of_its_neighbours(any_tables, rng):
    work = Lanes(any_tables, rng)
    alone = work.step()[0].copy()
    work.q[1:] = np.nan
    np.testing.assert_array_equal(work.step()[0], alone)


def test_an_error_that_is_not_a_number_is_never_inside(any_tables, rng):
    work = Lanes(any_tables, rng)
    work.q[:] = np.nan
    _, inside = work.evaluate()
    assert not inside.any()
    assert np.isnan(work.misses).all()
