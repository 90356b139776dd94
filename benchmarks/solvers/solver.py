# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the harness asks of a solver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot


class UnsupportedRobotError(Exception):
    """A solver cannot take a robot, and why."""


class Solver(ABC):
    """
    A solver for one robot; its constructor takes the robot and may take its time.

    Raises
    ------
    ImportError
        Its package is not installed.
    UnsupportedRobotError
        It does not solve this kind of robot.

    """

    name: ClassVar[str]
    """Row of the tables."""
    options: ClassVar[str]
    """What it was asked for, for the notes."""
    stride: ClassVar[int] = 1
    """Every how manieth target it is asked: more than 1 for the slow ones."""
    repeats: ClassVar[int] = 3
    """Calls in a row for each target."""

    @abstractmethod
    def __init__(self, robot: Robot) -> None: ...

    @abstractmethod
    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        """
        Convert a question into the form of this solver, outside of the time.

        Parameters
        ----------
        target : (4, 4) float64
            T_base_tip [m].
        seed : (n,) float64
            Where to start [rad or m].

        Returns
        -------
        callable
            The one call that is timed.

        """

    @abstractmethod
    def answer(self, raw: Any) -> FloatArray | None:
        """
        Read what the call returned, outside of the time.

        Returns
        -------
        (n,) float64 or None
            What it claims to be a solution [rad or m]; None: it says that there is none.

        """
