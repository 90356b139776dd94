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
from ik_node.solvers import options
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
    options = 'the compiled search, up to 512 starts; no checks, no result object, no deadline'

    _STARTS = 512

    def __init__(self, robot: Robot) -> None:
        environment = ik_node.Environment.from_urdf(robot.path)
        self._tables = environment.create_group('arm', robot.base, robot.tip).tables
        self._settings = options.search_options().settings

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        tables, start = self._tables, np.ascontiguousarray(seed)
        arrays = (tables.nodes, tables.wiring, tables.tips, tables.tip_nodes, tables.limits)
        q, report = np.empty_like(start), np.zeros(step.REPORT_SIZE)
        report[step.ENERGY] = math.inf
        targets, settings = target[np.newaxis], self._settings

        def call() -> tuple[int, FloatArray]:
            return kernel.solve_starts(
                *arrays, targets, start, start, settings, 0, 0, self._STARTS, q, report
            ), q

        return call

    def answer(self, raw: tuple[int, FloatArray]) -> FloatArray | None:
        return raw[1] if raw[0] == SUCCESS else None
