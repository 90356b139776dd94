# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""EAIK (Ostermeier et al., 2024): analytic solutions by subproblems; knows no limits itself."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any

import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver, UnsupportedRobotError
from benchmarks.targets import far

_LOCKS = 32
_TURN = 2.0 * np.pi
_CLOSE = 1e-6


class Eaik(Solver):
    """
    `IK`, then the first solution within the limits.

    A joint of a 7R arm is locked on a grid over its range, beginning with the value nearest to the
    seed's, until a solution passes. Which joint: the one that does best on a few targets.
    Solutions that EAIK marks as least squares only are taken last, if its own forward kinematics
    confirms them: at singular poses they are often exact.
    """

    name = 'EAIK + limits'
    options = f'first solution within the limits; 7R: one joint locked at up to {_LOCKS} values'

    def __init__(self, robot: Robot) -> None:
        from eaik.IK_URDF import UrdfRobot

        self._lower, self._upper = robot.judge.lower - 1e-9, robot.judge.upper + 1e-9
        n = len(self._lower)
        if n not in (6, 7):
            raise UnsupportedRobotError(
                f'it has {n} joints; 6, or 7 with one locked, are possible'
            )
        choices: list[tuple[int, list[tuple[float, Any]]]] = []
        for joint in range(n) if n == 7 else [-1]:
            values = np.linspace(self._lower[joint], self._upper[joint], _LOCKS + 2)[1:-1]
            fixed = [[(joint, float(value))] for value in values] if n == 7 else [[]]
            robots = [UrdfRobot(str(robot.chain), lock) for lock in fixed]
            if robots[0].hasKnownDecomposition():
                choices.append((joint, list(zip(values.tolist(), robots, strict=False))))
        if not choices:
            raise UnsupportedRobotError(robots[0].getKinematicFamily())
        # It knows the last joint's origin and axes at zero alone: the tip is a constant away.
        joint, robots = choices[0]
        q = 0.3 * robot.judge.lower + 0.7 * robot.judge.upper
        if joint >= 0:
            q[joint] = robots[0][0]
        self._T_tip_end = np.linalg.inv(robot.judge.pose(q)) @ robots[0][1].fwdKin(q)
        self._joint, self._robots = max(choices, key=lambda choice: self._score(robot, *choice))

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        return functools.partial(self._first, target @ self._T_tip_end, seed)

    def answer(self, raw: FloatArray | None) -> FloatArray | None:
        return raw

    def _first(self, target: FloatArray, seed: FloatArray) -> FloatArray | None:
        spare: list[tuple[Any, FloatArray]] = []
        for _, robot in self._ordered(seed):
            found = robot.IK(target)
            if not found.num_solutions():
                continue
            configs = found.Q
            configs = configs - _TURN * (configs > self._upper) + _TURN * (configs < self._lower)
            inside = ((configs >= self._lower) & (configs <= self._upper)).all(axis=1)
            approximate = np.asarray(found.is_LS, dtype=bool)
            good = inside & ~approximate
            if good.any():
                return np.asarray(configs[good.argmax()])
            spare += [(robot, q) for q in configs[inside & approximate]]
        for robot, q in spare:
            if np.abs(robot.fwdKin(q) - target).max() < _CLOSE:
                return np.asarray(q)
        return None

    def _ordered(self, seed: FloatArray) -> list[tuple[float, Any]]:
        """Begin with the locked value that is nearest to the seed's."""
        if self._joint < 0:
            return self._robots
        at = seed[self._joint]
        return sorted(self._robots, key=lambda lock: abs(lock[0] - at))

    def _score(self, robot: Robot, joint: int, robots: list[tuple[float, Any]]) -> float:
        self._joint, self._robots = joint, robots
        cases = far(robot.judge, 60, np.random.default_rng(1))
        pairs = zip(cases.targets, cases.seeds, strict=True)
        answers = [(self.prepare(target, seed)(), target) for target, seed in pairs]
        return float(np.mean([robot.judge.accepts(q, target) for q, target in answers]))


class EaikNearest(Eaik):
    """The solution nearest to the seed, of those with the locked joint nearest to the seed's."""

    name = 'EAIK nearest + limits'
    options = (
        'of the solutions within the limits that nearest to the seed; 7R: of those of the first '
        f'of {_LOCKS} locked values, nearest first, that has any'
    )

    def _first(self, target: FloatArray, seed: FloatArray) -> FloatArray | None:
        for _, robot in self._ordered(seed):
            found = robot.IK(target)
            if not found.num_solutions():
                continue
            configs = np.asarray(found.Q)
            near = configs + _TURN * np.round((seed - configs) / _TURN)
            near -= _TURN * (near > self._upper)
            near += _TURN * (near < self._lower)
            near = near[((near >= self._lower) & (near <= self._upper)).all(axis=1)]
            for i in np.argsort(np.abs(near - seed).max(axis=1, initial=0.0)):
                if np.abs(robot.fwdKin(near[i]) - target).max() < _CLOSE:
                    return np.asarray(near[i])
        return None
