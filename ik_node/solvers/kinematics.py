# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses and Jacobians of compiled tables, functions between joints included."""

from __future__ import annotations

from typing import NamedTuple

from ik_node.kernels import jacobian as jacobian_kernel
from ik_node.kernels import row_jacobian, tree
from ik_node.kernels.arrays import FloatArray
from ik_node.model.tables import Tables
import numpy as np

_STEP = 1e-6
"""Half width of the central difference over a function between joints [rad or m]."""


def linearised(tables: Tables, q: FloatArray, *, slopes: bool = True) -> FloatArray:
    """
    Put the functions between joints into the node table as their tangents at a configuration.

    Parameters
    ----------
    tables : Tables
        A mechanism.
    q : (n,) float64
        Configuration [rad or m].
    slopes : bool
        False: only the value at `q`, which is all that poses need.

    Returns
    -------
    (k, 15) float64
        Nodes; exact at `q`, with the right columns of a Jacobian there.

    """
    if not tables.functions:
        return tables.nodes
    nodes: FloatArray = tables.nodes.copy()
    for node, function in tables.functions:
        variable = tables.wiring[node, 2]
        at = float(q[variable])
        slope = 0.0
        if slopes:
            # Never outside of the limits, where a function may have no value.
            lower, upper = tables.limits[variable, :2]
            below, above = max(at - _STEP, min(lower, at)), min(at + _STEP, max(upper, at))
            slope = (function(above) - function(below)) / (above - below) if above > below else 0.0
        nodes[node, 12] = slope
        nodes[node, 13] = function(at) - slope * at
    return nodes


def forward_kinematics(tables: Tables, q: FloatArray) -> FloatArray:
    """
    Compute the poses of all tips.

    Parameters
    ----------
    tables : Tables
        A mechanism.
    q : (b, n) float64
        Configurations [rad or m].

    Returns
    -------
    (b, t, 4, 4) float64
        T_base_tip.

    """
    poses = np.empty((q.shape[0], tables.tip_wiring.shape[0], 4, 4))
    if not tables.functions:
        tree.forward_kinematics(
            tables.nodes, tables.wiring, tables.tips, tables.tip_wiring, q, poses
        )
    for i in range(q.shape[0]) if tables.functions else ():
        nodes = linearised(tables, q[i], slopes=False)
        tree.forward_kinematics(
            nodes, tables.wiring, tables.tips, tables.tip_wiring, q[i : i + 1], poses[i : i + 1]
        )
    return poses


def geometric_jacobian(tables: Tables, q: FloatArray, *, in_tip_axes: bool) -> FloatArray:
    """
    Compute the stacked Jacobian of all tips.

    Parameters
    ----------
    tables : Tables
        A mechanism.
    q : (n,) float64
        Configuration [rad or m].
    in_tip_axes : bool
        Whether the rows of each tip are in its own axes instead of those of the base.

    Returns
    -------
    (6 t, n) float64
        See `ik_node.kernels.jacobian.geometric_jacobian`.

    """
    jacobian = np.empty((6 * tables.tip_wiring.shape[0], q.shape[0]))
    jacobian_kernel.geometric_jacobian(
        linearised(tables, q),
        tables.wiring,
        tables.tips,
        tables.tip_wiring,
        q,
        in_tip_axes,
        jacobian,
    )
    return jacobian


class TaskRows(NamedTuple):
    """What all tips ask for at one configuration; six rows x, y, z, alpha, beta, gamma each."""

    jacobian: FloatArray
    """(6 t, n) motion of the tips seen from their targets; zero where nothing is constrained."""
    error: FloatArray
    """(6 t,) target minus tip [m, rad], not weighted."""
    distances: FloatArray
    """(t,) constrained distance of each tip [m]."""
    angles: FloatArray
    """(t,) constrained angle of each tip [rad]."""


def task_rows(
    tables: Tables, targets: FloatArray, q: FloatArray, *, own_axes: bool = True
) -> TaskRows:
    """
    Compute Jacobian and error of all tips.

    Parameters
    ----------
    tables : Tables
        The mechanism.
    targets : (t, 4, 4) float64
        Pose of each target in the frame that the tables have for it.
    q : (n,) float64
        Configuration [rad or m].
    own_axes : bool
        Rows of a whole pose in its own axes, as other rows are, or in those of the base.

    Returns
    -------
    TaskRows

    """
    count = tables.tip_wiring.shape[0]
    jacobian = np.empty((q.shape[0], 6 * count))
    error, misses = np.empty(6 * count), np.empty((count, 2))
    row_jacobian.task_rows(
        linearised(tables, q),
        tables.wiring,
        tables.tips,
        tables.tip_wiring,
        targets,
        q,
        own_axes,
        jacobian,
        error,
        misses,
    )
    return TaskRows(jacobian.T, error, misses[:, 0], misses[:, 1])
