# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of searches. "No solution" is one of them, with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers.status import SolveStatus

_AT_LIMIT = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SolveResult:
    """Outcome of one solve."""

    status: SolveStatus
    q: FloatArray
    """(n,) the solution; on failure the best configuration seen [rad or m]. Read-only."""
    joint_names: tuple[str, ...]
    """(n,) the order of `q`."""
    elapsed: float
    """Time inside the solver [s]."""
    message: str
    """What happened, in a sentence."""
    report: FloatArray
    """What the kernel wrote, see `ik_node.kernels.step`: most calls never ask for all of it."""
    limits: FloatArray
    """(n, 5) lower and upper bounds in the first two columns [rad or m]."""

    def __repr__(self) -> str:
        return (
            f'SolveResult({self.status.name}, q={self.q.tolist()}, '
            f'position_error={self.position_error:.3g}, '
            f'orientation_error={self.orientation_error:.3g}, iterations={self.iterations}, '
            f'restarts={self.restarts}, elapsed={self.elapsed:.3g}, message={self.message!r})'
        )

    @property
    def success(self) -> bool:
        """Whether `q` reaches the target within the tolerances and the limits."""
        return self.status is SolveStatus.SUCCESS

    @property
    def position_error(self) -> float:
        """Distance that is left at `q` [m]."""
        return float(self.report[step.POSITION_ERROR])

    @property
    def orientation_error(self) -> float:
        """Rotation angle that is left at `q` [rad]."""
        return float(self.report[step.ORIENTATION_ERROR])

    @property
    def iterations(self) -> int:
        """Steps over all starts."""
        return int(self.report[step.ITERATIONS])

    @property
    def restarts(self) -> int:
        """Random starts after the one from the seed."""
        return int(self.report[step.STARTS]) - 1

    @property
    def limit_hits(self) -> tuple[str, ...]:
        """Names of the joints that stand at a limit in `q`."""
        at_limit = (self.q <= self.limits[:, 0] + _AT_LIMIT) | (
            self.q >= self.limits[:, 1] - _AT_LIMIT
        )
        return tuple(name for name, hit in zip(self.joint_names, at_limit, strict=True) if hit)


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
