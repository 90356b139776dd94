# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Robotics Toolbox for Python (Corke and Haviland): Levenberg-Marquardt in C++ with restarts."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any
import warnings

import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver


class RoboticsToolbox(Solver):
    """`ETS.ik_LM`; its tolerance is on half the squared error, so that 1e-6 is 5e-13."""

    name = 'roboticstoolbox ik_LM'
    options = 'its defaults (30 steps, 100 searches, Chan, k = 1, limits) with tol = 5e-13'

    def __init__(self, robot: Robot) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            import roboticstoolbox
            from roboticstoolbox.models.URDF.URDFRobot import URDF_file

            links, name = URDF_file(str(robot.chain))[:2]
            chain = roboticstoolbox.Robot(links, name=name).ets(start=robot.base, end=robot.tip)
        self._solve: Any = functools.partial(chain.ik_LM, tol=5e-13)

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        return functools.partial(self._solve, target, q0=seed)

    def answer(self, raw: Any) -> FloatArray | None:
        return np.asarray(raw.q) if raw.success else None
