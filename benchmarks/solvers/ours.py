# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""ik_node: the library call with its full result, and the bare kernel below it."""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import Any

import ik_node
from ik_node.kernels import step
from ik_node.kernels.lanes import search as kernel
from ik_node.kernels.status import SUCCESS
from ik_node.solvers import options, starts
import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver


class Library(Solver):
    """`Group.solve` on the whole robot."""

    name = 'ik_node'
    options = 'Group.solve with its defaults: whole robot, 1e-6 m, 1e-5 rad, 5 ms'

    def __init__(self, robot: Robot) -> None:
        environment = ik_node.Environment.from_urdf(robot.path)
        self._group = environment.create_group('arm', robot.base, robot.tip)
        if self._group.joint_names != robot.judge.joint_names:
            raise RuntimeError(f'the judge orders the joints of {robot.name} differently')

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        return functools.partial(self._group.solve, target, seed)

    def answer(self, raw: ik_node.SolveResult) -> FloatArray | None:
        return raw.q if raw.success else None


class Kernel(Solver):
    """The compiled search alone, with arrays made beforehand: what a C++ caller would see."""

    name = 'ik_node, kernel alone'
    options = 'the compiled proof and search, up to 512 starts; no checks, no result, no deadline'

    _STARTS = 512

    def __init__(self, robot: Robot) -> None:
        environment = ik_node.Environment.from_urdf(robot.path)
        self._tables = environment.create_group('arm', robot.base, robot.tip).tables
        self._settings = options.search_options().settings
        # What it raises now is told; in the run an exception is an answer like "no".
        q = 0.4 * robot.judge.finite_lower + 0.6 * robot.judge.finite_upper
        if self.answer(self.prepare(robot.judge.pose(q), q)()) is None:
            raise RuntimeError('the kernel does not find a target at its seed')

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        tables, start = self._tables, np.ascontiguousarray(seed)
        arrays = (
            tables.nodes, tables.wiring, tables.tips, tables.tip_wiring, tables.limits,
            tables.reach.table, target[np.newaxis], start,
        )  # fmt: skip
        q, report, work = np.empty_like(start), starts.BLANK.copy(), starts.work_space(tables)
        settings = self._settings

        def call() -> tuple[int, FloatArray]:
            report[step.ENERGY] = math.inf
            q[:] = start
            return kernel.prove_or_solve(*arrays, settings, 0, self._STARTS, q, report, work), q

        return call

    def answer(self, raw: tuple[int, FloatArray]) -> FloatArray | None:
        return raw[1].copy() if raw[0] == SUCCESS else None
