# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the plugin is asked with, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from ik_node.kernels.arrays import FloatArray
from ik_node.moveit.codes import DiscretizationMethod, ErrorCode, KinematicError


@dataclass(frozen=True)
class KinematicsQueryOptions:
    """Options of one request; names and defaults are MoveIt's."""

    lock_redundant_joints: bool = False
    """Whether the redundant joints stay at the seed in a search."""
    return_approximate_solution: bool = False
    """Whether the best configuration is an answer, within the thresholds of the settings."""
    discretization_method: DiscretizationMethod = DiscretizationMethod.NO_DISCRETIZATION
    """What becomes of the redundant joints where all solutions are asked for."""


DEFAULT_OPTIONS = KinematicsQueryOptions()


@dataclass(frozen=True)
class KinematicsAnswer:
    """The answer to a request for one solution; true where there is one."""

    solution: FloatArray
    """(n,) in the order of `get_joint_names`; without a solution the seed [rad or m]."""
    error_code: int
    """SUCCESS, or a value of `ErrorCode`, or what a callback rejected the solutions with."""
    message: str
    approximate: bool = False
    """Whether `solution` misses the pose, by the errors below."""
    position_error: float = float('nan')
    """[m], NaN where it was not measured."""
    orientation_error: float = float('nan')
    """[rad], NaN where it was not measured."""

    def __bool__(self) -> bool:
        return self.error_code == ErrorCode.SUCCESS


@dataclass(frozen=True)
class KinematicsResult:
    """How a request for all solutions went."""

    kinematic_error: KinematicError
    solution_percentage: float
    """Share of the samples of the redundant joints that led to a solution, 0 to 1."""


@dataclass(frozen=True)
class KinematicsSolutions:
    """The answer to a request for all solutions; true where there is one."""

    solutions: tuple[FloatArray, ...]
    """Each (n,), inside the limits, the nearest to the seed first [rad or m]."""
    result: KinematicsResult
    message: str

    def __bool__(self) -> bool:
        return self.result.kinematic_error is KinematicError.OK
