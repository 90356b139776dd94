# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of searches. "No solution" is one of them, with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.secondary_goals import GoalCost
from ik_node.solvers.status import SolveStatus
import numpy as np
from numpy.typing import NDArray

_AT_LIMIT = 1e-9


class SolveResult:
    """
    Outcome of one solve; it cannot be changed.

    Parameters
    ----------
    status : SolveStatus
        How the search ended.
    q : (n,) float64
        The solution; on failure the best configuration seen [rad or m].
    joint_names : tuple of str
        (n,) the order of `q`.
    elapsed : float
        Time inside the solver [s].
    message : str
        What happened, in a sentence.
    report : (REPORT_SIZE,) float64
        What the kernel wrote, see `ik_node.kernels.step`.
    limits : (n, 5) float64
        Lower and upper bounds in the first two columns [rad or m].

    """

    # Slots behind properties: a frozen dataclass takes 0.85 us to make instead of 0.2 us, as it
    # goes around its own lock for every field.
    __slots__ = ('_status', '_q', '_joint_names', '_elapsed', '_message', '_report', '_limits')

    def __init__(
        self,
        status: SolveStatus,
        q: FloatArray,
        joint_names: tuple[str, ...],
        elapsed: float,
        message: str,
        report: FloatArray,
        limits: FloatArray,
    ) -> None:
        self._status = status
        self._q = q
        self._joint_names = joint_names
        self._elapsed = elapsed
        self._message = message
        self._report = report
        self._limits = limits

    def __repr__(self) -> str:
        return (
            f'SolveResult({self.status.name}, q={self.q.tolist()}, '
            f'position_error={self.position_error:.3g}, '
            f'orientation_error={self.orientation_error:.3g}, iterations={self.iterations}, '
            f'restarts={self.restarts}, elapsed={self.elapsed:.3g}, message={self.message!r})'
        )

    @property
    def status(self) -> SolveStatus:
        """How the search ended."""
        return self._status

    @property
    def success(self) -> bool:
        """Whether `q` reaches the target within the tolerances and the limits."""
        return self._status is SolveStatus.SUCCESS

    @property
    def approximate(self) -> bool:
        """
        Whether `q`, without success, is a least-squares answer that may be used as one.

        No step of the joints inside their limits makes the weighted error smaller: it is a local
        minimum. What is left are `position_error` and `orientation_error`. Without this, and
        without success, `q` is only the best that was seen on the way.
        """
        return False

    @property
    def goals(self) -> tuple[GoalCost, ...]:
        """What became of each of the `goals` of the request, in their order."""
        return ()

    @property
    def q(self) -> FloatArray:
        """(n,) the solution; on failure the best configuration seen [rad or m]. Read-only."""
        return self._q

    @property
    def joint_names(self) -> tuple[str, ...]:
        """(n,) the order of `q`."""
        return self._joint_names

    @property
    def elapsed(self) -> float:
        """Time inside the solver [s]."""
        return self._elapsed

    @property
    def message(self) -> str:
        """What happened, in a sentence."""
        return self._message

    @property
    def report(self) -> FloatArray:
        """What the kernel wrote, see `ik_node.kernels.step`."""
        return self._report

    @property
    def limits(self) -> FloatArray:
        """(n, 5) lower and upper bounds in the first two columns [rad or m]."""
        return self._limits

    @property
    def position_error(self) -> float:
        """Distance that is left at `q` [m]."""
        return float(self._report[step.POSITION_ERROR])

    @property
    def orientation_error(self) -> float:
        """Rotation angle that is left at `q` [rad]."""
        return float(self._report[step.ORIENTATION_ERROR])

    @property
    def iterations(self) -> int:
        """Steps over all starts."""
        return int(self._report[step.ITERATIONS])

    @property
    def restarts(self) -> int:
        """Random starts after the one from the seed."""
        return int(self._report[step.STARTS]) - 1

    @property
    def limit_hits(self) -> tuple[str, ...]:
        """Names of the joints that stand at a limit in `q`."""
        at_limit = (self._q <= self._limits[:, 0] + _AT_LIMIT) | (
            self._q >= self._limits[:, 1] - _AT_LIMIT
        )
        return tuple(name for name, hit in zip(self._joint_names, at_limit, strict=True) if hit)


class RichResult(SolveResult):
    """
    A `SolveResult` with what few requests ask for: the others need not carry it.

    Parameters
    ----------
    outcome : Outcome
        What the search found.
    joint_names, elapsed, message, limits
        As for `SolveResult`.
    goals : tuple of GoalCost
        What became of the goals of the request.

    """

    __slots__ = ('_approximate', '_goals')

    def __init__(
        self,
        outcome: Outcome,
        joint_names: tuple[str, ...],
        elapsed: float,
        message: str,
        limits: FloatArray,
        goals: tuple[GoalCost, ...] = (),
    ) -> None:
        super().__init__(
            outcome.status, outcome.q, joint_names, elapsed, message, outcome.report, limits
        )
        self._approximate = outcome.approximate
        self._goals = goals

    @property
    def approximate(self) -> bool:
        return self._approximate

    @property
    def goals(self) -> tuple[GoalCost, ...]:
        return self._goals


@dataclass(frozen=True)
class ConfigSet:
    """Outcome of a search for several configurations."""

    status: SolveStatus
    configs: FloatArray
    """(s, n) configurations, nearest to the seed first [rad or m]. Read-only."""
    joint_names: tuple[str, ...]
    """(n,) the columns of `configs`."""
    trials: int
    """Random configurations drawn."""
    elapsed: float
    """Time inside the search [s]."""
    message: str
    """What happened, in a sentence."""

    @property
    def success(self) -> bool:
        """Whether at least one configuration was found."""
        return self.status is SolveStatus.SUCCESS

    @property
    def q(self) -> FloatArray | None:
        """(n,) the configuration nearest to the seed; None when there is none [rad or m]."""
        return self.configs[0] if len(self.configs) else None


@dataclass(frozen=True)
class BatchResult:
    """Outcome of a batch: arrays with a row for each of its b targets."""

    status: IntArray
    """(b,) numbers of `SolveStatus`."""
    q: FloatArray
    """(b, n) the solutions; where there is none, the best configuration seen [rad or m]."""
    joint_names: tuple[str, ...]
    """(n,) the columns of `q`."""
    position_error: FloatArray
    """(b,) distance that is left at `q` [m]; NaN where the time was over."""
    orientation_error: FloatArray
    """(b,) rotation angle that is left at `q` [rad]; NaN where the time was over."""
    iterations: IntArray
    """(b,) steps over all starts."""
    restarts: IntArray
    """(b,) random starts after the one from the seed."""
    elapsed: float
    """Time for all targets [s]."""
    message: str
    """What happened, in a sentence."""

    @property
    def success(self) -> NDArray[np.bool_]:
        """(b,) whether `q` reaches the target within the tolerances and the limits."""
        solved: NDArray[np.bool_] = self.status == SolveStatus.SUCCESS
        return solved
