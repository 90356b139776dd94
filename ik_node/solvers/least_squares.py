# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets as a least-squares problem inside the limits, for what is to come as near as possible.

The energy is half the sum of the squared weighted rows. A step solves (J J^T + lambda I) y = e and
goes J^T y (Levenberg-Marquardt, with the damping of `ik_node.kernels.step`); joints that would
leave their limits stop there, and the others make the rest of the step. It is taken only if it
lowers the energy enough (Armijo: Minimization of functions having Lipschitz continuous first
partial derivatives, Pacific J. of Mathematics 16(1), 1966); otherwise the damping grows, so that
what repeats steps comes to an end. Where the error stays large, a step of Newton's comes there in
a tenth of the steps.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any, NamedTuple, TypeAlias

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
_FAR = 1.0
"""The damping grows up to this energy: far from what is out of reach steps would crawl."""
_DECREASE = 1e-4
_GROWTH = 10.0
_DAMPINGS = 20
_LONGEST = 0.5
"""No joint turns farther than this in a step [rad]: beyond, the rows are no straight lines."""

_SLOW = 0.5
"""A step that leaves more than this part of the energy is compared with one of Newton's."""
_HALF_WIDTH = 1e-6
"""Of the differences of a gradient [rad or m]."""
_FLAT = 1e-8
_HALVINGS = 4

Mask: TypeAlias = 'NDArray[np.bool_]'
Cap: TypeAlias = 'Callable[[FloatArray, FloatArray], FloatArray]'
"""Gives of a configuration (n,) and a step (n,) the part of the step to be taken (n,)."""


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
        self._unlimited: FloatArray = self.limits.copy()
        self._unlimited[:, :2] = (-math.inf, math.inf)
        self._unlimited.setflags(write=False)
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

    def step(self, place: Place, capped: Cap | None = None) -> Place | None:
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
        free = ~self.blocked(place)
        damping, after, shortened = _damping(place), None, False
        for _ in range(_DAMPINGS):
            dq = self._inside(place, free, _solution(place, damping))
            dq, shortened = self._shortened(place.q, dq, capped)
            after = self._lower(place, dq)
            if after is not None:
                break
            damping *= _GROWTH
        if shortened or (after is not None and after.energy < _SLOW * place.energy):
            return after
        better = self._newton_step(place, free, capped)
        if after is None or (better is not None and better.energy < after.energy):
            return better
        return after

    def _newton_step(self, place: Place, free: Mask, capped: Cap | None) -> Place | None:
        """
        Take a step with all second derivatives, which count where the error stays large.

        Eigenvalues of the Hessian by their sizes: it goes down also at a saddle (Dauphin et al.:
        Identifying and attacking the saddle point problem in high-dimensional non-convex
        optimization, NeurIPS 2014).
        """
        n, gradient = len(place.q), place.gradient
        hessian: FloatArray = np.empty((n, n))
        for i in range(n):
            ahead: FloatArray = place.q.copy()
            move(self._unlimited, _HALF_WIDTH * np.eye(n)[i], ahead)
            hessian[i] = (gradient - self.at(ahead).gradient) / _HALF_WIDTH
        hessian = 0.5 * (hessian + hessian.T)

        def solved(columns: Mask, rest: FloatArray) -> FloatArray:
            values, vectors = np.linalg.eigh(hessian[np.ix_(columns, columns)])
            sizes = np.abs(values)
            sizes = np.maximum(sizes, max(_FLAT * float(sizes.max(initial=0.0)), _FLAT))
            pull = place.jacobian[:, columns].T @ rest
            step: FloatArray = vectors @ ((vectors.T @ pull) / sizes)
            return step

        dq, _ = self._shortened(place.q, self._inside(place, free, solved), capped)
        for _ in range(_HALVINGS):
            after = self._lower(place, dq)
            if after is not None:
                return after
            dq = 0.25 * dq
        return None

    def _shortened(
        self, q: FloatArray, dq: FloatArray, capped: Cap | None
    ) -> tuple[FloatArray, bool]:
        """Shorten a step to what is allowed; tell whether that made much of a difference."""
        largest = float((np.abs(dq) / self._longest).max())
        allowed = dq / largest if largest > 1.0 else dq
        if capped is not None:
            allowed = capped(q, allowed)
        return allowed, float(np.abs(allowed).max()) < 0.9 * float(np.abs(dq).max())

    def _lower(self, place: Place, dq: FloatArray) -> Place | None:
        """Make a step (n,), if the energy is lower after it by enough."""
        slope = float(place.gradient @ dq)
        if not slope > 0.0:
            return None
        after = self.at(self.moved(place.q, dq))
        enough = after.energy <= place.energy - _DECREASE * slope
        return after if enough and after.energy < place.energy else None

    def moved(self, q: FloatArray, dq: FloatArray) -> FloatArray:
        """Add a step (n,) to a configuration (n,), inside of the limits."""
        after: FloatArray = q.copy()
        move(self.limits, dq, after)
        return after

    def _inside(
        self,
        place: Place,
        free: Mask,
        solved: Callable[[Mask, FloatArray], FloatArray],
    ) -> FloatArray:
        """
        Compute a step; joints that would leave their limits go as far as these allow.

        `solved` gives the step of some joints (n,) to the error that the others leave.
        """
        q, jacobian = place.q, place.jacobian
        room = self.limits[:, :2] - q[:, np.newaxis]
        room[self.limits[:, 4] != 1.0] = (-math.inf, math.inf)
        dq: FloatArray = np.zeros(len(q))
        free = free.copy()
        while True:
            dq[free] = solved(free, place.error - jacobian[:, ~free] @ dq[~free])
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
    return DAMPING * min(place.energy, _FAR) + MINIMUM_DAMPING


def _damped(jacobian: FloatArray, error: FloatArray, damping: float) -> FloatArray:
    normal = jacobian @ jacobian.T
    normal.reshape(-1)[:: len(normal) + 1] += damping
    try:
        solution: Any = np.linalg.solve(normal, error)  # typed otherwise by old stubs
    except np.linalg.LinAlgError:
        # Rows so large that the damping is rounded away: they have no other inverse.
        solution = np.linalg.pinv(normal, hermitian=True) @ error
    y: FloatArray = solution
    return y


def _solution(place: Place, damping: float) -> Callable[[Mask, FloatArray], FloatArray]:
    """Give the damped step of some joints (n,) to an error."""

    def solved(columns: Mask, rest: FloatArray) -> FloatArray:
        jacobian = place.jacobian[:, columns]
        step: FloatArray = jacobian.T @ _damped(jacobian, rest, damping)
        return step

    return solved


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
