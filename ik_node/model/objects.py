# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What a mechanism consists of: frames and joints.

A `Frame` is rigid to what it hangs on, a `Joint` moves what hangs on it. A joint has two frames,
the fixed one before its motion and the moving one after it; its axis is their z axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import enum
import math

from ik_node.kernels.arrays import FloatArray

WORLD = -1
"""Parent index of what hangs on nothing."""


class JointKind(enum.Enum):
    """How a joint moves."""

    REVOLUTE = 'revolute'
    """About its z axis; with a screw lead also along it."""
    PRISMATIC = 'prismatic'
    """Along its z axis."""
    SPHERICAL = 'spherical'
    """About any axis: three coordinates, the rotation vector of its rotation."""


@dataclass(frozen=True)
class Dependency:
    """A joint that follows another one: multiplier * master + offset, or function(master)."""

    master: str
    """Name of the joint that is followed."""
    multiplier: float = 1.0
    """[-], or [m/rad] and the like where the kinds differ."""
    offset: float = 0.0
    """[rad] or [m]."""
    function: Callable[[float], float] | None = None
    """Position as a function of the master's; multiplier and offset then mean nothing."""

    def position(self, master_position: float) -> float:
        """
        Compute the position that follows.

        Parameters
        ----------
        master_position : float
            [rad] or [m].

        Returns
        -------
        float

        """
        if self.function is not None:
            return float(self.function(master_position))
        return self.multiplier * master_position + self.offset


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame that is rigid to its parent: a link, a tip, a target."""

    name: str
    parent: int
    """Index of the object that it hangs on, WORLD for none."""
    T_parent_self: FloatArray
    """(4, 4) pose in the (moving) frame of the parent. Read-only."""
    target: str | None = None
    """Name of the frame that this one is to be brought to."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between what it hangs on and what hangs on it."""

    name: str
    parent: int
    """Index of the object that it hangs on, WORLD for none."""
    T_parent_self: FloatArray
    """(4, 4) pose of the fixed frame, whose z axis is the joint axis. Read-only."""
    kind: JointKind = JointKind.REVOLUTE
    lower: float = -math.inf
    """Lower position limit [rad or m], -inf where there is none."""
    upper: float = math.inf
    """Upper position limit [rad or m], inf where there is none."""
    cyclic: bool = False
    """Whether a revolute joint turns without limits; lower and upper then mean nothing."""
    velocity: float = math.inf
    """Largest speed [rad/s or m/s]."""
    screw_lead: float = 0.0
    """Advance along the axis for one turn of a revolute joint [m], signed."""
    passive: bool = False
    """Whether solvers leave it where it is."""
    dependency: Dependency | None = None
    weight: float = 1.0
    """The larger, the more of the motion this joint does [-]."""
    max_step: float = math.inf
    """Largest motion in one iteration [rad or m]."""
    limit_margin: float = 0.0
    """Distance from a limit at which limit avoidance begins [rad or m]."""

    @property
    def turns(self) -> bool:
        """Whether the joint rotates about one axis."""
        return self.kind is JointKind.REVOLUTE

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return 3 if self.kind is JointKind.SPHERICAL else 1

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper position limit [rad or m], infinite where there is none."""
        if self.cyclic or self.kind is JointKind.SPHERICAL:
            return -math.inf, math.inf
        return self.lower, self.upper


Thing = Frame | Joint
"""What a mechanism consists of."""
