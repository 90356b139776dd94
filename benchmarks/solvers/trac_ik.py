# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""TRAC-IK (Beeson and Ames, Humanoids 2015): KDL with restarts beside SQP, in two threads."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any

import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver


class TracIk(Solver):
    """The compiled call of pytracik; its wrapper's conversion to a quaternion is not timed."""

    name = 'TRAC-IK'
    options = 'pytracik, Speed, 5 ms, eps 1e-6'

    def __init__(self, robot: Robot) -> None:
        import pinocchio
        import pytracik

        self._quaternion: Any = pinocchio.Quaternion
        self._ik: Any = pytracik.ik
        self._solver = pytracik.TRAC_IK(
            robot.base, robot.tip, robot.chain.read_text(), 0.005, 1e-6, pytracik.SolveType.Speed
        )

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        quat_xyzw = self._quaternion(target[:3, :3]).coeffs()
        numbers = [float(value) for value in (*target[:3, 3], *quat_xyzw)]
        return functools.partial(self._ik, self._solver, seed, *numbers)

    def answer(self, raw: FloatArray) -> FloatArray | None:
        return np.array(raw[1:]) if raw[0] >= 0 else None
