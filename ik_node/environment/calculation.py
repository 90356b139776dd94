# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Words of a calculation: constraints, methods, flags of groups and of results.

The numbers are those of the Coppelia Kinematics Routines, so that files, messages and people who
know them agree.
"""

from __future__ import annotations

import enum


class Constraint(enum.IntFlag):
    """What an element constrains."""

    X = 1
    """Position along x of the constraints base."""
    Y = 2
    """Position along y."""
    Z = 4
    """Position along z."""
    ALPHA_BETA = 8
    """The direction of the z axis; alone it leaves the turn about z free."""
    GAMMA = 16
    """The turn about the z axis."""
    POSITION = X | Y | Z
    ORIENTATION = ALPHA_BETA | GAMMA
    POSE = POSITION | ORIENTATION


class Method(enum.IntEnum):
    """How a step is made from the Jacobian J, the error e and the joint weights W."""

    PSEUDO_INVERSE = 0
    """W J^T (J W J^T + 1e-12 I)^-1 e."""
    DAMPED_LEAST_SQUARES = 1
    """W J^T (J W J^T + damping^2 I)^-1 e."""
    JACOBIAN_TRANSPOSE = 2
    """J^T e; weights mean nothing."""
    UNDAMPED_PSEUDO_INVERSE = 3
    """W J^T (J W J^T)^+ e."""


class GroupFlag(enum.IntFlag):
    """Switches of a group."""

    ENABLED = 1
    """The group takes part."""
    IGNORE_MAX_STEPS = 2
    """Steps are not shortened to the largest steps of the joints."""
    RESTORE_ON_BAD_LINEAR_TOLERANCE = 4
    """Joints go back to where they were when a position stays out of tolerance."""
    RESTORE_ON_BAD_ANGULAR_TOLERANCE = 8
    """The same for an orientation."""
    STOP_ON_LIMIT_HIT = 16
    """The step that goes beyond a limit is the last one."""
    AVOID_LIMITS = 64
    """Joints within their margin of a limit are pushed away from it."""


class CalculationFlag(enum.IntFlag):
    """What happened in a calculation; none of them: converged."""

    NOT_PERFORMED = 1
    """Nothing was done: no enabled group, or a group without an element that can be used."""
    CANNOT_INVERT = 2
    """There was nothing to invert: no target, or no constraints."""
    NOT_WITHIN_TOLERANCE = 16
    """Some element is out of its precision in the end."""
    STEPS_TOO_BIG = 32
    """Some step exceeded the largest step of a joint; for information."""
    LIMIT_HIT = 64
    """Some step would have left the limits of a joint; for information."""
    INVALID_CALLBACK_DATA = 128
    """The callback gave something that is no step and no pseudo-inverse."""
