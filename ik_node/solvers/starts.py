# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The kernels that work through starts, for every mechanism.

Most mechanisms go through starts in lanes, several at once. A single start, and mechanisms with
spherical joints, go through the scalar kernel. A kernel cannot call the Python function by which a
joint may follow another one: mechanisms with such joints take the same steps with the same kernels
one at a time, with the function replaced by its tangent at each configuration.
"""

from __future__ import annotations

from functools import lru_cache

from ik_node.kernels import solve as scalar
from ik_node.kernels import step
from ik_node.kernels._jit import COMPILED
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.lanes import search as lanes
from ik_node.kernels.lanes.space import space_rows
from ik_node.kernels.lanes.vector import LANES
from ik_node.kernels.limits import draw, draw_start, into_limits, nearest_turn
from ik_node.kernels.patience import is_hopeless, next_look
from ik_node.kernels.reach import ROW_SIZE
from ik_node.kernels.row_kinds import MIX_SIZE, POSE
from ik_node.kernels.status import NOT_FOUND, SUCCESS
from ik_node.kernels.tree import TIP_SIZE
from ik_node.model.tables import Tables
from ik_node.solvers.kinematics import linearised
import numpy as np

BLANK: FloatArray = np.zeros(step.REPORT_SIZE)
"""The report of a search before its first start, to be copied."""
BLANK[step.ENERGY] = np.inf
BLANK[[step.POSITION_ERROR, step.ORIENTATION_ERROR]] = np.nan
BLANK.setflags(write=False)


def solve_starts(
    tables: Tables,
    limits: FloatArray,
    targets: FloatArray,
    begin: FloatArray,
    seed: FloatArray,
    settings: FloatArray,
    random_seed: int,
    first: int,
    last: int,
    q: FloatArray,
    report: FloatArray,
) -> int:
    """
    Search from starts first..last-1; see `ik_node.kernels.solve.solve_starts`.

    Returns
    -------
    int
        SUCCESS or NOT_FOUND.

    """
    if tables.functions:
        search = _Stepwise(tables, limits, targets, seed, settings)
        for start in range(first, last):
            x = np.empty_like(seed)
            if start == 0:
                for i, (lower, upper, period) in enumerate(limits[:, :3]):
                    x[i] = into_limits(begin[i], lower, upper, period)
            else:
                draw_start(limits, seed, q, random_seed, start, x)
            if search.from_(x, q, report):
                return SUCCESS
        search.reached(q, report)
        return NOT_FOUND
    arguments = (
        tables.nodes,
        tables.wiring,
        tables.tips,
        tables.tip_wiring,
        limits,
        targets,
        begin,
        seed,
        settings,
        random_seed,
        first,
        last,
        q,
        report,
    )
    if last - first > 1 and in_lanes(tables):
        return lanes.solve_starts(*arguments, work_space(tables))
    return scalar.solve_starts(*arguments)


@lru_cache(maxsize=1)
def load_kernels() -> None:
    """
    Compile, or load from the cache, what a search calls.

    Once in a process, before any time is measured: the deadline of a search is shorter than that.
    """
    if not COMPILED:
        return
    limits, nodes = np.zeros((1, 5)), np.zeros((1, 15))
    wiring, tips = np.zeros((1, 3), np.int64), np.zeros((1, TIP_SIZE))
    tip_wiring = np.array([[0, -1, -1, POSE]])
    settings = np.zeros(step.SETTINGS_SIZE)
    for array in (limits, nodes, wiring, tips, tip_wiring, settings):
        array.setflags(write=False)  # as in tables and options: another type is another kernel
    targets, seed, report = np.zeros((1, 4, 4)), np.zeros(1), BLANK.copy()
    arguments = (nodes, wiring, tips, tip_wiring, limits, targets, seed, seed, settings, 0, 1, 1)
    work = np.empty((space_rows(1, 1, 1), LANES))
    bounds = np.zeros((0, ROW_SIZE))
    bounds.setflags(write=False)
    lanes.prove_or_solve(*arguments[:5], bounds, targets, seed, settings, 0, 1, seed, report, work)
    lanes.solve_starts(*arguments, seed, report, work)
    scalar.solve_starts(*arguments, seed, report)
    is_hopeless(next_look(0), 0.0)


def in_lanes(tables: Tables) -> bool:
    """
    Tell whether the kernels in lanes serve a mechanism.

    Returns
    -------
    bool

    """
    return tables.lane_rows > 0


def work_space(tables: Tables) -> FloatArray:
    """
    Make the work space of one call of a kernel in lanes.

    Returns
    -------
    (rows, LANES) float64

    """
    return np.empty((tables.lane_rows, LANES))


def draw_near(
    tables: Tables,
    targets: FloatArray,
    center: FloatArray,
    metric: FloatArray,
    threshold: float,
    random_seed: int,
    first: int,
    last: int,
    q: FloatArray,
) -> int:
    """
    Draw until the tips are close to their targets; see `ik_node.kernels.solve.draw_near`.

    Returns
    -------
    int
        Number of the draw that came close, or -1.

    """
    if tables.functions:
        k = len(tables.nodes)
        work = np.empty((k, 3)), np.empty((k, 12)), np.empty(12), np.empty((4, 4)), np.empty(9)
        for stream in range(first, last):
            draw(tables.limits, center, random_seed, stream, q)
            distance = scalar.total_distance(
                linearised(tables, q, slopes=False),
                tables.wiring,
                tables.tips,
                tables.tip_wiring,
                targets,
                q,
                metric,
                *work,
            )
            if distance <= threshold:
                return stream
        return -1
    return scalar.draw_near(
        tables.nodes,
        tables.wiring,
        tables.tips,
        tables.tip_wiring,
        tables.limits,
        targets,
        center,
        metric,
        threshold,
        random_seed,
        first,
        last,
        q,
    )


class _Stepwise:
    """The loop of `kernels.solve.solve_starts`, one step of it a call."""

    def __init__(
        self,
        tables: Tables,
        limits: FloatArray,
        targets: FloatArray,
        seed: FloatArray,
        settings: FloatArray,
    ) -> None:
        self.tables = tables
        self.limits = limits
        self.targets = targets
        self.seed = seed
        self.settings = settings
        n, rows = seed.shape[0], tables.row_count
        self.work = (np.empty((len(tables.nodes), 3)), np.empty((len(tables.nodes), 12)))
        self.spot = (
            np.empty(12),
            np.empty((4, 4)),
            np.empty(9),
            np.empty(MIX_SIZE),
            np.empty(6),
        )
        self.jacobian, self.error, self.y = np.empty((n, rows)), np.empty(rows), np.empty(rows)
        triangle = rows * (rows + 1) // 2
        self.packed, self.factor, self.active = np.empty(triangle), np.empty(triangle), np.empty(n)

    def from_(self, x: FloatArray, q: FloatArray, report: FloatArray) -> bool:
        """Go from one start; `q` and `report` keep the best."""
        report[step.STARTS] += 1.0
        reference = np.inf
        steps = int(self.settings[step.STEPS_PER_START])
        for count in range(steps + 1):
            energy, inside = self._evaluate(x)
            if inside:
                answer = np.array(
                    [
                        nearest_turn(value, near, lower, upper, period)
                        for value, near, (lower, upper, period) in zip(
                            x, self.seed, self.limits[:, :3], strict=True
                        )
                    ]
                )
                if self.reached(answer, report):
                    q[:] = answer
                    report[step.ENERGY] = energy
                    return True
            if energy < report[step.ENERGY]:
                report[step.ENERGY] = energy
                q[:] = x
            if count == steps:
                break
            if count % int(self.settings[step.STALL_WINDOW]) == 0:
                if energy > self.settings[step.STALL_RATIO] * reference:
                    break
                reference = energy
            damping = step.DAMPING * energy + step.MINIMUM_DAMPING
            step.step(
                self.jacobian,
                self.error,
                damping,
                self.limits,
                self.active,
                self.packed,
                self.factor,
                self.y,
                x,
            )
            report[step.ITERATIONS] += 1.0
        return False

    def _evaluate(self, x: FloatArray) -> tuple[float, bool]:
        tables = self.tables
        return step.evaluate(
            linearised(tables, x),
            tables.wiring,
            tables.tips,
            tables.tip_wiring,
            self.targets,
            x,
            self.settings,
            *self.work,
            *self.spot,
            self.jacobian,
            self.error,
        )

    def reached(self, q: FloatArray, report: FloatArray) -> bool:
        """Check an answer exactly; writes its errors into the report."""
        tables = self.tables
        return step.reached(
            linearised(tables, q),
            tables.wiring,
            tables.tips,
            tables.tip_wiring,
            self.targets,
            q,
            self.settings,
            *self.work,
            *self.spot,
            report,
        )
