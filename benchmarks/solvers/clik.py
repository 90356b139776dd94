# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The plain baseline: closed-loop inverse kinematics in Python on Pinocchio, with restarts."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any

import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver

_STARTS = 30
_STEPS = 100
_TOLERANCE = 1e-6
_DAMPING = 1e-6


class Clik(Solver):
    """The loop of Pinocchio's example with full steps, clamping to limits and random restarts."""

    name = 'Pinocchio CLIK in Python'
    options = f'clamped to limits, {_STEPS} steps a start, up to {_STARTS} starts'
    stride = 10
    repeats = 1

    def __init__(self, robot: Robot) -> None:
        import pinocchio

        self._pin: Any = pinocchio
        self._model = pinocchio.buildModelFromUrdf(str(robot.chain))
        self._data = self._model.createData()
        self._frame = self._model.getFrameId(robot.tip)
        self._lower, self._upper = robot.judge.lower, robot.judge.upper

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        goal = self._pin.SE3(target[:3, :3], target[:3, 3])
        return functools.partial(self._search, goal, seed)

    def answer(self, raw: FloatArray | None) -> FloatArray | None:
        return raw

    def _search(self, goal: Any, seed: FloatArray) -> FloatArray | None:
        rng = np.random.default_rng(0)
        start = seed
        for _ in range(_STARTS):
            q = self._descend(goal, start)
            if q is not None:
                return q
            start = self._lower + (self._upper - self._lower) * rng.random(len(seed))
        return None

    def _descend(self, goal: Any, q: FloatArray) -> FloatArray | None:
        pin, model, data = self._pin, self._model, self._data
        for _ in range(_STEPS):
            pin.framesForwardKinematics(model, data, q)
            jacobian = pin.computeFrameJacobian(model, data, q, self._frame)
            error_pose = data.oMf[self._frame].actInv(goal)
            error = pin.log6(error_pose).vector
            if np.linalg.norm(error) < _TOLERANCE:
                return q
            jacobian = pin.Jlog6(error_pose.inverse()) @ jacobian
            square = jacobian @ jacobian.T + _DAMPING * np.eye(6)
            q = np.clip(q + jacobian.T @ np.linalg.solve(square, error), self._lower, self._upper)
        return None
