# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What all targets have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

from ik_node.constraints.goal import Goal
from ik_node.constraints.vectors import Z_AXIS
from numpy.typing import ArrayLike

AnyTarget = TypeVar('AnyTarget', bound='Target')


class Target(ABC):
    """
    What is wanted of one tip, seen from its base.

    Targets are values: they cannot be changed, and equal ones are interchangeable. `direction` is
    the direction of the tool in the axes of the tip; it is normalised, and its default is the
    tip's z axis.
    """

    @abstractmethod
    def goal(self, direction: ArrayLike = Z_AXIS) -> Goal:
        """
        Lower the target to the form that rows are made from.

        Parameters
        ----------
        direction : (3,) array_like
            Direction of the tool in the tip.

        Returns
        -------
        Goal

        Raises
        ------
        InvalidTargetError
            The direction is zero or not finite.

        """

    @abstractmethod
    def errors(self, T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS) -> tuple[float, float]:
        """
        Measure how far a pose is from the target.

        Computed from the definition of the target, by other formulas than those that searches
        use: what a search claims can be checked with it.

        Parameters
        ----------
        T_base_tip : (4, 4) array_like
            A rigid pose, such as one of forward kinematics; that it is rigid is not checked.
        direction : (3,) array_like
            Direction of the tool in the tip.

        Returns
        -------
        position_error : float
            [m].
        orientation_error : float
            [rad], in [0, pi]; both are zero where the target is met, and nowhere else.

        Raises
        ------
        InvalidArgumentError
            The pose has another shape, or the direction is zero or not finite.

        """

    @abstractmethod
    def transformed(self: AnyTarget, T_new_base: ArrayLike) -> AnyTarget:
        """
        Give the same target seen from another base.

        `target.transformed(T).errors(T @ T_base_tip)` is `target.errors(T_base_tip)`.

        Parameters
        ----------
        T_new_base : (4, 4) array_like
            Pose of the base in the new one.

        Returns
        -------
        Target
            Of the same type.

        Raises
        ------
        InvalidTargetError
            No rigid pose, or the type is tied to axes of the base that the pose would tilt.

        """
