# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets as a least-squares problem inside the limits, for what is to come as near as possible.

The energy is half the sum of the squared weighted rows. A step solves (J J^T + lambda I) y = e and
goes J^T y (Levenberg-Marquardt, with the damping of `ik_node.kernels.step`); joints that would
leave their limits stop there, and the others make the rest of the step. It is taken only if it
lowers the energy enough (Armijo: Minimization of functions having Lipschitz continuous first
partial derivatives, Pacific J. of Mathematics 16(1), 1966); otherwise the damping grows, so that
what repeats steps comes to an end.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple

from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import move
from ik_node.kernels.step import AT_BOUND, DAMPING, MINIMUM_DAMPING
from ik_node.kernels.tree import PRISMATIC
from ik_node.model.tables import Tables
from ik_node.solvers.kinematics import task_rows
import numpy as np
from numpy.typing import NDArray

VANISHED = 1e-10
"""
Part of the energy that a step has to promise. Where the rows are independent it is the squared
cosine between the error and what the joints can do about it.
"""
_DECREASE = 1e-4
_GROWTH = 10.0
_DAMPINGS = 20
_LONGEST = 0.5
"""No joint turns farther than this in a step [rad]: beyond, the rows are no straight lines."""

Mask = NDArray[np.bool_]


class Place(NamedTuple):
    """The problem at one configuration."""

    q: FloatArray
    """(n,) [rad or m]"""
    jacobian: FloatArray
    """(6 t, n) weighted."""
    error: FloatArray
    """(6 t,) target minus tip, weighted."""
    energy: float
    """Half the squared weighted error."""
    distances: FloatArray
    """(t,) constrained distance of each tip [m]."""
    angles: FloatArray
    """(t,) constrained angle of each tip [rad]."""

    @property
    def gradient(self) -> FloatArray:
        """(n,) in which sense each joint lowers the energy, and how much: J^T e."""
        gradient: FloatArray = self.jacobian.T @ self.error
        return gradient


class LeastSquares:
    """
    Targets of some tips, with the weights of what they ask for.

    Parameters
    ----------
    tables : Tables
        The mechanism, t tips, n variables.
    targets : (t, 4, 4) float64
        Pose of each target in the node that the tables have for it.
    position_weight : float
        Weight of a metre against a radian [rad/m].
    tolerances : pair of float
        Of position [m] and orientation [rad].
    priorities : (t, 2) float64, optional
        Factors of the squared errors of position and orientation of each tip; None: ones.

    """

    def __init__(
        self,
        tables: Tables,
        targets: FloatArray,
        position_weight: float,
        tolerances: tuple[float, float],
        priorities: FloatArray | None = None,
    ) -> None:
        self.tables, self.targets = tables, targets
        self.tolerances = tolerances
        factors = np.ones((len(targets), 2)) if priorities is None else np.sqrt(priorities)
        self._scales: FloatArray = np.repeat(factors * (position_weight, 1.0), 3)
        # A bound is a wall here: what turns past it is somewhere else on the way.
        self.limits: FloatArray = tables.limits.copy()
        self.limits[:, 2] = 0.0
        self.limits.setflags(write=False)  # as in tables: another array type is another kernel
        self._longest = _longest(tables)

    def at(self, q: FloatArray) -> Place:
        """Compute the problem at a configuration (n,)."""
        rows = task_rows(self.tables, self.targets, q, own_axes=False)
        error = self._scales * rows.error
        jacobian = self._scales[:, np.newaxis] * rows.jacobian
        return Place(q, jacobian, error, 0.5 * float(error @ error), rows.distances, rows.angles)

    def reached(self, place: Place) -> bool:
        """Tell whether every tip is within both tolerances, as far as it is constrained."""
        position, orientation = self.tolerances
        return bool((place.distances <= position).all() and (place.angles <= orientation).all())

    def blocked(self, place: Place) -> Mask:
        """Tell which joints (n,) stand at a limit that they would leave to come nearer."""
        pull, q = place.gradient, place.q
        lower, upper = self.limits[:, 0], self.limits[:, 1]
        at_upper, at_lower = q >= upper - AT_BOUND, q <= lower + AT_BOUND
        blocked: Mask = (at_upper & (pull > 0.0)) | (at_lower & (pull < 0.0))
        return blocked | (at_upper & at_lower)

    def promise(self, place: Place, free: Mask | None = None) -> float:
        """
        Tell which part of the energy a step of some joints (n,) promises to remove.

        Returns
        -------
        float
            0 to 1. Below VANISHED nothing that these joints do is of use, to first order.

        """
        if place.energy == 0.0:
            return 0.0
        jacobian = place.jacobian if free is None else place.jacobian[:, free]
        y = _damped(jacobian, place.error, _damping(place))
        return float(place.error @ (jacobian @ (jacobian.T @ y))) / (2.0 * place.energy)

    def step(
        self, place: Place, capped: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    ) -> Place | None:
        """
        Take a step that lowers the energy.

        Parameters
        ----------
        place : Place
            Where to begin, inside of the limits.
        capped : callable, optional
            Gives of a configuration (n,) and a step (n,) the part of the step to be taken (n,).

        Returns
        -------
        Place or None
            None where no step lowers it.

        """
        damping = _damping(place)
        typical = float(np.einsum('ij,ij->', place.jacobian, place.jacobian)) / len(place.error)
        free = ~self.blocked(place)
        for _ in range(_DAMPINGS):
            dq = self._inside(place, free, damping)
            largest = float((np.abs(dq) / self._longest).max())
            if largest > 1.0:
                dq /= largest
            if capped is not None:
                dq = capped(place.q, dq)
            slope = float(place.gradient @ dq)
            if slope > 0.0:
                after = self.at(self.moved(place.q, dq))
                if after.energy < place.energy and (
                    after.energy <= place.energy - _DECREASE * slope
                ):
                    return after
            damping = max(_GROWTH * damping, 1e-3 * typical)
        return None

    def moved(self, q: FloatArray, dq: FloatArray) -> FloatArray:
        """Add a step (n,) to a configuration (n,), inside of the limits."""
        after: FloatArray = q.copy()
        move(self.limits, dq, after)
        return after

    def _inside(self, place: Place, free: Mask, damping: float) -> FloatArray:
        """Compute a step; joints that would leave their limits go as far as these allow."""
        q, jacobian = place.q, place.jacobian
        room = self.limits[:, :2] - q[:, np.newaxis]
        room[self.limits[:, 4] != 1.0] = (-math.inf, math.inf)
        dq, free = np.zeros(len(q)), free.copy()
        while True:
            columns = jacobian[:, free]
            rest = place.error - jacobian[:, ~free] @ dq[~free]
            dq[free] = columns.T @ _damped(columns, rest, damping)
            inside = np.clip(dq, room[:, 0], room[:, 1])
            leaving = free & (dq != inside)
            dq = inside
            if not leaving.any():
                return dq
            free &= ~leaving


def settle(problem: LeastSquares, q: FloatArray, steps: int) -> tuple[Place, int]:
    """
    Repeat steps until they bring nothing more, or the targets are met.

    Parameters
    ----------
    problem : LeastSquares
        Targets.
    q : (n,) float64
        Where to begin, inside of the limits [rad or m].
    steps : int
        At most so many.

    Returns
    -------
    place : Place
        A local minimum of the energy, where the steps were enough.
    count : int
        Steps taken.

    """
    place = problem.at(q)
    for count in range(steps):
        if problem.reached(place) or (problem.promise(place, ~problem.blocked(place)) < VANISHED):
            return place, count
        after = problem.step(place)
        if after is None:
            return place, count
        place = after
    return place, steps


def _damping(place: Place) -> float:
    return DAMPING * place.energy + MINIMUM_DAMPING


def _damped(jacobian: FloatArray, error: FloatArray, damping: float) -> FloatArray:
    normal = jacobian @ jacobian.T
    normal.reshape(-1)[:: len(normal) + 1] += damping
    y: FloatArray = np.linalg.solve(normal, error)
    return y


def _longest(tables: Tables) -> FloatArray:
    """Give the largest step (n,) of each variable; what only slides has none."""
    longest = np.full(len(tables.limits), math.inf)
    for node, (_, kind, variable) in zip(tables.nodes, tables.wiring.tolist(), strict=True):
        if kind != PRISMATIC and node[12] != 0.0:
            # Variables of a spherical joint: its node has the first of three.
            size = int(tables.limits[variable, 4])
            own = longest[variable : variable + size]
            own[:] = np.minimum(own, _LONGEST / max(1.0, abs(node[12])))
    return longest
