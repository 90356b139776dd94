# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kinematics of a tree of joints: frames of every joint, poses of every tip.

The tables (built by `ik_node.model.tables`), k nodes, t tips, n independent variables:

nodes : (k, 15) float64
    Per moving joint the pose of its frame in the moving frame of its parent node, with the joint
    axis on +z (rotation row-major in 0..8, position in 9..11), then the multiplier and the offset
    that turn the variable into the joint's own position, and the advance of a screw [m/rad].
wiring : (k, 3) int64
    Per moving joint its parent node (-1: the base), its kind (REVOLUTE, PRISMATIC or SPHERICAL)
    and the index of its variable. A parent stands before its children. Joints that follow another
    one share its variable. A spherical joint has three variables, its rotation vector; its
    multiplier is 1, or -1 where it is traversed backwards.
tips : (t, 33) float64
    Pose of each tip in the moving frame of its node, then (AXES, nine numbers row-major) the axes
    in which its position is constrained, in the moving frame of the node that carries these, then
    (LOWER and UPPER, six numbers each) the bounds of its rows where it has any.
tip_wiring : (t, 4) int64
    Per tip three nodes, -1 for what is rigid to the base: TIP_NODE carries the tip, GOAL_NODE the
    frame that its target is given in, AXES_NODE the axes. Then what of the pose is constrained,
    a sum of the bits of `kernels.row_kinds`.

Fixed joints are folded into the poses, so that a robot with fixed joints costs nothing more.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import allocating, kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.rotations import sin_cos
from ik_node.kernels.lanes.vector import join, LANES, split
from ik_node.kernels.rotations import rotation_exp
import numpy as np

REVOLUTE = 0
PRISMATIC = 1
SPHERICAL = 2

# Columns of `tip_wiring`.
TIP_NODE = 0
GOAL_NODE = 1
AXES_NODE = 2
CONSTRAINTS = 3
TIP_WIRING_SIZE = 4

# Columns of `tips`.
AXES = 12
LOWER = 21
UPPER = 27
TIP_SIZE = 33

_SIN_COS_EXACT = 1e4
"""Up to here `sin_cos` is as exact as the C library, and ten times as fast [rad]."""


@kernel
def compose(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """
    Multiply two poses: out = a b.

    Parameters
    ----------
    a, b, out : (12,) or longer float64
        Rotation row-major, then position; `out` must not be `a` or `b`.

    """
    for row in range(3):
        i = 3 * row
        for column in range(3):
            out[i + column] = (
                a[i] * b[column] + a[i + 1] * b[3 + column] + a[i + 2] * b[6 + column]
            )
        out[9 + row] = a[i] * b[9] + a[i + 1] * b[10] + a[i + 2] * b[11] + a[9 + row]


@kernel
def joint_positions(
    nodes: FloatArray,
    wiring: IntArray,
    q: FloatArray,
    values: FloatArray,
) -> None:
    """
    Compute the position of every joint from the independent variables.

    Parameters
    ----------
    nodes, wiring
        See the module.
    q : (n,) float64
        Independent variables [rad or m].
    values : (k, 3) float64
        Output: position, its sine, its cosine; of a spherical joint the rotation vector.

    """
    last = nodes.shape[0] - 1
    for i in range(last + 1):
        values[i, 0] = nodes[i, 12] * q[wiring[i, 2]] + nodes[i, 13]
    # Four at once take little longer than one: also where a joint needs none, or the last ones
    # are taken twice.
    for i in range(0, last + 1, LANES):
        j, k, m = min(i + 1, last), min(i + 2, last), min(i + 3, last)
        sine, cosine = sin_cos(join(values[i, 0], values[j, 0], values[k, 0], values[m, 0]))
        values[i, 1], values[j, 1], values[k, 1], values[m, 1] = split(sine)
        values[i, 2], values[j, 2], values[k, 2], values[m, 2] = split(cosine)
    for i in range(last + 1):
        if wiring[i, 1] == SPHERICAL:
            v = wiring[i, 2]
            values[i, 1] = nodes[i, 12] * q[v + 1]
            values[i, 2] = nodes[i, 12] * q[v + 2]


@kernel
def joint_positions_exact(
    nodes: FloatArray,
    wiring: IntArray,
    q: FloatArray,
    values: FloatArray,
) -> None:
    """
    Compute `joint_positions`, right for angles of any size.

    What goes into an answer is checked with these.
    """
    joint_positions(nodes, wiring, q, values)
    for i in range(nodes.shape[0]):
        position = values[i, 0]
        if wiring[i, 1] == REVOLUTE and abs(position) >= _SIN_COS_EXACT:
            values[i, 1] = math.sin(position)
            values[i, 2] = math.cos(position)


@kernel
def joint_frames(
    nodes: FloatArray,
    wiring: IntArray,
    values: FloatArray,
    frames: FloatArray,
) -> None:
    """
    Compute the moving frame of every joint in the base.

    Parameters
    ----------
    nodes, wiring
        See the module.
    values : (k, 3) float64
        From `joint_positions`.
    frames : (k, 12) float64
        Output. The z axis of a moving frame is the joint axis, and its origin lies on the axis, so
        that the Jacobian needs nothing else.

    """
    r00, r01, r02 = 1.0, 0.0, 0.0
    r10, r11, r12 = 0.0, 1.0, 0.0
    r20, r21, r22 = 0.0, 0.0, 1.0
    x, y, z = 0.0, 0.0, 0.0
    for i in range(nodes.shape[0]):
        parent = wiring[i, 0]
        # Along a chain the parent is the node before: its frame is still in registers.
        if parent != i - 1:
            if parent < 0:
                r00, r01, r02 = 1.0, 0.0, 0.0
                r10, r11, r12 = 0.0, 1.0, 0.0
                r20, r21, r22 = 0.0, 0.0, 1.0
                x, y, z = 0.0, 0.0, 0.0
            else:
                f = frames[parent]
                r00, r01, r02 = f[0], f[1], f[2]
                r10, r11, r12 = f[3], f[4], f[5]
                r20, r21, r22 = f[6], f[7], f[8]
                x, y, z = f[9], f[10], f[11]
        b = nodes[i]
        x += r00 * b[9] + r01 * b[10] + r02 * b[11]
        y += r10 * b[9] + r11 * b[10] + r12 * b[11]
        z += r20 * b[9] + r21 * b[10] + r22 * b[11]
        a00 = r00 * b[0] + r01 * b[3] + r02 * b[6]
        a01 = r00 * b[1] + r01 * b[4] + r02 * b[7]
        a10 = r10 * b[0] + r11 * b[3] + r12 * b[6]
        a11 = r10 * b[1] + r11 * b[4] + r12 * b[7]
        a20 = r20 * b[0] + r21 * b[3] + r22 * b[6]
        a21 = r20 * b[1] + r21 * b[4] + r22 * b[7]
        a02 = r00 * b[2] + r01 * b[5] + r02 * b[8]
        a12 = r10 * b[2] + r11 * b[5] + r12 * b[8]
        a22 = r20 * b[2] + r21 * b[5] + r22 * b[8]
        if wiring[i, 1] == REVOLUTE:
            s = values[i, 1]
            c = values[i, 2]
            r00, r01 = a00 * c + a01 * s, a01 * c - a00 * s
            r10, r11 = a10 * c + a11 * s, a11 * c - a10 * s
            r20, r21 = a20 * c + a21 * s, a21 * c - a20 * s
            r02, r12, r22 = a02, a12, a22
            d = b[14] * values[i, 0]
            x += a02 * d
            y += a12 * d
            z += a22 * d
        elif wiring[i, 1] == PRISMATIC:
            d = values[i, 0]
            x += a02 * d
            y += a12 * d
            z += a22 * d
            r00, r01, r02 = a00, a01, a02
            r10, r11, r12 = a10, a11, a12
            r20, r21, r22 = a20, a21, a22
        else:
            e = rotation_exp(values[i, 0], values[i, 1], values[i, 2])
            r00 = a00 * e[0] + a01 * e[3] + a02 * e[6]
            r01 = a00 * e[1] + a01 * e[4] + a02 * e[7]
            r02 = a00 * e[2] + a01 * e[5] + a02 * e[8]
            r10 = a10 * e[0] + a11 * e[3] + a12 * e[6]
            r11 = a10 * e[1] + a11 * e[4] + a12 * e[7]
            r12 = a10 * e[2] + a11 * e[5] + a12 * e[8]
            r20 = a20 * e[0] + a21 * e[3] + a22 * e[6]
            r21 = a20 * e[1] + a21 * e[4] + a22 * e[7]
            r22 = a20 * e[2] + a21 * e[5] + a22 * e[8]
        out = frames[i]
        out[0], out[1], out[2] = r00, r01, r02
        out[3], out[4], out[5] = r10, r11, r12
        out[6], out[7], out[8] = r20, r21, r22
        out[9], out[10], out[11] = x, y, z


@kernel
def tip_pose(
    frames: FloatArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    tip: int,
    out: FloatArray,
) -> None:
    """
    Compute the pose of one tip in the base.

    Parameters
    ----------
    frames : (k, 12) float64
        From `joint_frames`.
    tips, tip_wiring
        See the module.
    tip : int
        Which tip.
    out : (12,) float64
        Output.

    """
    node = tip_wiring[tip, TIP_NODE]
    if node < 0:
        for j in range(12):
            out[j] = tips[tip, j]
    else:
        compose(frames[node], tips[tip], out)


@allocating
def forward_kinematics(
    nodes: FloatArray,
    wiring: IntArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    q: FloatArray,
    poses: FloatArray,
) -> None:
    """
    Compute the poses of all tips for many configurations.

    Parameters
    ----------
    nodes, wiring, tips, tip_wiring
        See the module.
    q : (b, n) float64
        Configurations [rad or m].
    poses : (b, t, 4, 4) float64
        Output: T_base_tip.

    """
    k = nodes.shape[0]
    values = np.empty((k, 3))
    frames = np.empty((k, 12))
    pose = np.empty(12)
    for b in range(q.shape[0]):
        joint_positions_exact(nodes, wiring, q[b], values)
        joint_frames(nodes, wiring, values, frames)
        for tip in range(tip_wiring.shape[0]):
            tip_pose(frames, tips, tip_wiring, tip, pose)
            out = poses[b, tip]
            for row in range(3):
                for column in range(3):
                    out[row, column] = pose[3 * row + column]
                out[row, 3] = pose[9 + row]
                out[3, row] = 0.0
            out[3, 3] = 1.0
