# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Costs of configurations, with the derivatives that a descent needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
import math

from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.model.tables import Tables
from ik_node.solvers.inverses import truncated_inverse
from ik_node.solvers.kinematics import geometric_jacobian, task_rows
import numpy as np

_HALF_WIDTH = 1e-4
"""Of the central difference over a Jacobian [rad or m]."""
_LEAST = 1e-12
"""Singular values below this count as this: the logarithm stays finite."""


class Cost(ABC):
    """A function of a configuration (n,) that is to be small."""

    @abstractmethod
    def value(self, q: FloatArray) -> float:
        """Compute the cost at a configuration (n,)."""

    @abstractmethod
    def derivatives(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """
        Compute gradient (n,) and a Hessian (n, n), or what stands for it.

        Parameters
        ----------
        q : (n,) float64
            Configuration [rad or m].

        Returns
        -------
        gradient : (n,) float64
        hessian : (n, n) float64
            Without negative eigenvalues.

        """


class Springs(Cost):
    """
    The sum of weighted squared distances from a reference.

    Parameters
    ----------
    reference : (n,) float64
        [rad or m].
    stiffness : (n,) float64
        Weights, not negative; where they are zero the reference makes no difference.

    """

    def __init__(self, reference: FloatArray, stiffness: FloatArray) -> None:
        self._reference, self._stiffness = reference, stiffness

    def value(self, q: FloatArray) -> float:
        return float(self._stiffness @ (q - self._reference) ** 2)

    def derivatives(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        return 2.0 * self._stiffness * (q - self._reference), np.diag(2.0 * self._stiffness)


class Margins(Cost):
    """
    The sum of the squared depths in the margins at limits, in parts of the margin.

    Parameters
    ----------
    lower, upper : (n,) float64
        Where the margins begin, seen from the middle; infinite where there is none [rad or m].
    width : (n,) float64
        Of the margins [rad or m], positive.

    """

    def __init__(self, lower: FloatArray, upper: FloatArray, width: FloatArray) -> None:
        self._lower, self._upper, self._width = lower, upper, width

    def _depths(self, q: FloatArray) -> FloatArray:
        inside: FloatArray = np.clip(q, self._lower, self._upper)
        return (q - inside) / self._width

    def value(self, q: FloatArray) -> float:
        depths = self._depths(q)
        return float(depths @ depths)

    def derivatives(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        depths = self._depths(q)
        curvature = np.where(depths != 0.0, 2.0 / self._width**2, 0.0)
        return 2.0 * depths / self._width, np.diag(curvature)


class LogManipulability(Cost):
    """
    Minus the logarithm of the product of the singular values of the geometric Jacobian.

    d ln w / dq_k = tr(J^+ dJ/dq_k), with a central difference of J.

    Parameters
    ----------
    tables : Tables
        The mechanism, n variables.
    movable : (m,) int64
        The columns that count.

    """

    def __init__(self, tables: Tables, movable: IntArray) -> None:
        self._tables, self._movable = tables, movable

    def _jacobian(self, q: FloatArray) -> FloatArray:
        rows = geometric_jacobian(self._tables, q, in_tip_axes=False)
        columns: FloatArray = rows[:, self._movable]
        return columns

    def value(self, q: FloatArray) -> float:
        values = np.linalg.svd(self._jacobian(q), compute_uv=False)
        return -float(np.log(np.maximum(values, _LEAST)).sum())

    def derivatives(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        inverse = truncated_inverse(self._jacobian(q), 0.0)
        gradient = np.zeros(len(q))
        for k in self._movable.tolist():
            ahead, behind = q.copy(), q.copy()
            ahead[k] += _HALF_WIDTH
            behind[k] -= _HALF_WIDTH
            slope = (self._jacobian(ahead) - self._jacobian(behind)) / (2.0 * _HALF_WIDTH)
            gradient[k] = -float(np.einsum('ij,ji->', inverse, slope))
        return gradient, np.eye(len(q))


class Misses(Cost):
    """
    The squared distance and the squared angle between a link and where it is to be.

    Parameters
    ----------
    tables : Tables
        With a tip for each thing that is asked of the link; m variables.
    targets : (t, 4, 4) float64
        Of them.
    columns : (m,) int64
        Its variables among the n of the group.

    """

    def __init__(self, tables: Tables, targets: FloatArray, columns: IntArray) -> None:
        self._tables, self._targets, self._columns = tables, targets, columns

    def value(self, q: FloatArray) -> float:
        rows = task_rows(self._tables, self._targets, self._own(q))
        return float(rows.error @ rows.error)

    def derivatives(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        rows = task_rows(self._tables, self._targets, self._own(q))
        gradient, hessian = np.zeros(len(q)), np.zeros((len(q), len(q)))
        gradient[self._columns] = -2.0 * rows.jacobian.T @ rows.error
        hessian[np.ix_(self._columns, self._columns)] = 2.0 * rows.jacobian.T @ rows.jacobian
        return gradient, hessian

    def _own(self, q: FloatArray) -> FloatArray:
        own: FloatArray = np.ascontiguousarray(q[self._columns])
        return own


class Sum(Cost):
    """
    Costs times weights.

    Parameters
    ----------
    costs : sequence of (Cost, float)
        At least one, with its weight.

    """

    def __init__(self, costs: list[tuple[Cost, float]]) -> None:
        self._costs = costs

    def value(self, q: FloatArray) -> float:
        return math.fsum(weight * cost.value(q) for cost, weight in self._costs)

    def derivatives(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        gradient, hessian = np.zeros(len(q)), np.zeros((len(q), len(q)))
        for cost, weight in self._costs:
            slope, curvature = cost.derivatives(q)
            gradient += weight * slope
            hessian += weight * curvature
        return gradient, hessian
