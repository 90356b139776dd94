# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The geometric Jacobian of a tree; see `ik_node.kernels.tree` for the tables."""

from __future__ import annotations

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.rotations import rotation_exp
from ik_node.kernels.tree import (
    joint_frames,
    joint_positions_exact,
    PRISMATIC,
    REVOLUTE,
    TIP_NODE,
    tip_pose,
)
import numpy as np


@kernel
def tip_jacobian(
    nodes: FloatArray,
    wiring: IntArray,
    values: FloatArray,
    frames: FloatArray,
    node: int,
    x: float,
    y: float,
    z: float,
    sense: float,
    turn: float,
    jacobian: FloatArray,
    row: int,
) -> None:
    """
    Add the columns of one tip to a transposed Jacobian.

    Column of a joint with axis a through point o, tip at p: revolute (a x (p - o) + lead a, a),
    prismatic (a, 0); times the multiplier where the joint follows a variable (chain rule), summed
    where one variable moves several joints of the chain. The three columns of a spherical joint
    are rotations about the axes of its moving frame.

    Parameters
    ----------
    nodes, wiring, values, frames
        See `kernels.tree`: the tables, `joint_positions` and `joint_frames`.
    node : int
        Node that carries the tip; -1 adds nothing.
    x, y, z : float
        Position of the tip in the base [m].
    sense, turn : float
        Factors of the linear and of the angular rows: 1, or -1 to take a motion away.
    jacobian : (n, rows) float64
        Changed in place: linear rows at row..row+2, angular rows at row+3..row+5, base axes.
    row : int
        First row of this tip.

    """
    while node >= 0:
        # Elements one by one: a slice of a row would count references in the innermost loop.
        ax, ay, az = frames[node, 2], frames[node, 5], frames[node, 8]
        scale = sense * nodes[node, 12]
        angular = turn * nodes[node, 12]
        v = wiring[node, 2]
        kind = wiring[node, 1]
        if kind == REVOLUTE:
            dx, dy, dz = x - frames[node, 9], y - frames[node, 10], z - frames[node, 11]
            lead = nodes[node, 14]
            jacobian[v, row] += scale * (ay * dz - az * dy + lead * ax)
            jacobian[v, row + 1] += scale * (az * dx - ax * dz + lead * ay)
            jacobian[v, row + 2] += scale * (ax * dy - ay * dx + lead * az)
            jacobian[v, row + 3] += angular * ax
            jacobian[v, row + 4] += angular * ay
            jacobian[v, row + 5] += angular * az
        elif kind == PRISMATIC:
            jacobian[v, row] += scale * ax
            jacobian[v, row + 1] += scale * ay
            jacobian[v, row + 2] += scale * az
        else:
            dx, dy, dz = x - frames[node, 9], y - frames[node, 10], z - frames[node, 11]
            axes = spherical_axes(values[node], frames[node], nodes[node, 12] < 0.0)
            for j in range(3):
                ax, ay, az = axes[3 * j], axes[3 * j + 1], axes[3 * j + 2]
                jacobian[v + j, row] += scale * (ay * dz - az * dy)
                jacobian[v + j, row + 1] += scale * (az * dx - ax * dz)
                jacobian[v + j, row + 2] += scale * (ax * dy - ay * dx)
                jacobian[v + j, row + 3] += angular * ax
                jacobian[v + j, row + 4] += angular * ay
                jacobian[v + j, row + 5] += angular * az
        node = wiring[node, 0]


@kernel
def spherical_axes(
    value: FloatArray, frame: FloatArray, backwards: bool
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """
    Compute the axes in the base that the three coordinates of a spherical joint turn about.

    Parameters
    ----------
    value : (3,) float64
        Its rotation vector [rad].
    frame : (12,) float64
        From `kernels.tree.joint_frames`: the moving frame is the one beyond the joint; traversed
        backwards it is the one before, which the (negated) rotation vector leads back to.
    backwards : bool
        Whether it is traversed so.

    Returns
    -------
    tuple of nine float
        The three axes, one after the other.

    """
    if not backwards:
        return (
            frame[0], frame[3], frame[6], frame[1], frame[4], frame[7], frame[2], frame[5],
            frame[8],
        )  # fmt: skip
    e = rotation_exp(-value[0], -value[1], -value[2])
    return (
        frame[0] * e[0] + frame[1] * e[3] + frame[2] * e[6],
        frame[3] * e[0] + frame[4] * e[3] + frame[5] * e[6],
        frame[6] * e[0] + frame[7] * e[3] + frame[8] * e[6],
        frame[0] * e[1] + frame[1] * e[4] + frame[2] * e[7],
        frame[3] * e[1] + frame[4] * e[4] + frame[5] * e[7],
        frame[6] * e[1] + frame[7] * e[4] + frame[8] * e[7],
        frame[0] * e[2] + frame[1] * e[5] + frame[2] * e[8],
        frame[3] * e[2] + frame[4] * e[5] + frame[5] * e[8],
        frame[6] * e[2] + frame[7] * e[5] + frame[8] * e[8],
    )


@allocating
def geometric_jacobian(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    q: FloatArray,
    in_tip_axes: bool,
    jacobian: FloatArray,
) -> None:
    """
    Compute the stacked geometric Jacobian of all tips at one configuration.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See `kernels.tree`.
    q : (n,) float64
        Configuration [rad or m].
    in_tip_axes : bool
        Whether the rows of each tip are in its own axes instead of those of the base. The
        reference point is the origin of the tip in both cases.
    jacobian : (6 t, n) float64
        Output, rows x, y, z, rx, ry, rz of each tip.

    """
    k = nodes.shape[0]
    values = np.empty((k, 3))
    frames = np.empty((k, 12))
    pose = np.empty(12)
    columns = np.zeros((jacobian.shape[1], jacobian.shape[0]))
    joint_positions_exact(nodes, wiring, q, values)
    joint_frames(nodes, wiring, values, frames)
    for tip in range(tip_wiring.shape[0]):
        tip_pose(frames, tips, tip_wiring, tip, pose)
        row = 6 * tip
        tip_jacobian(
            nodes,
            wiring,
            values,
            frames,
            tip_wiring[tip, TIP_NODE],
            pose[9],
            pose[10],
            pose[11],
            1.0,
            1.0,
            columns,
            row,
        )
        for j in range(jacobian.shape[1]):
            for half in (row, row + 3):
                x, y, z = columns[j, half], columns[j, half + 1], columns[j, half + 2]
                if in_tip_axes:
                    jacobian[half, j] = pose[0] * x + pose[3] * y + pose[6] * z
                    jacobian[half + 1, j] = pose[1] * x + pose[4] * y + pose[7] * z
                    jacobian[half + 2, j] = pose[2] * x + pose[5] * y + pose[8] * z
                else:
                    jacobian[half, j] = x
                    jacobian[half + 1, j] = y
                    jacobian[half + 2, j] = z
