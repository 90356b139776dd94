# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The damped step of a single pose in lanes, its six rows written out.

This is `ik_node.kernels.lanes.step.step` for one tip where every variable moves one joint, by far
the most frequent case: the columns and the matrix of 21 numbers stay in registers from the first
product to the last division, which takes half the time of the loops over memory.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.limits import into_limits, pushed_outward
from ik_node.kernels.lanes.vector import load, select, splat, store
from ik_node.kernels.step import ORIENTATION_WEIGHT, POSITION_WEIGHT
from ik_node.kernels.tree import REVOLUTE


@kernel
def step_of_pose(
    nodes: FloatArray,
    wiring: IntArray,
    frames: FloatArray,
    places: FloatArray,
    error: FloatArray,
    damping: Any,
    held: Any,
    settings: FloatArray,
    limits: FloatArray,
    jacobian: FloatArray,
    q: FloatArray,
) -> None:
    """
    Take one damped step of one pose in place, inside the limits.

    Parameters
    ----------
    nodes, wiring
        See `ik_node.kernels.tree`: one tip, and as many nodes as variables.
    frames, places, error
        From `ik_node.kernels.lanes.step.evaluate`.
    damping : lanes
        lambda.
    held : mask
        Lanes that do not move.
    settings : (SETTINGS_SIZE,) float64
        Weights, see `ik_node.kernels.step`.
    limits : (n, 5) float64
        See `ik_node.kernels.limits`.
    jacobian : (6 n, LANES) float64
        Work space.
    q : (n, LANES) float64
        Changed in place.

    """
    x, y, z = load(places, 0), load(places, 1), load(places, 2)
    o = splat(0.0)
    # The lower triangle of J J^T + lambda I.
    a00, a11, a22, a33, a44, a55 = damping, damping, damping, damping, damping, damping
    a10, a20, a30, a40, a50 = o, o, o, o, o
    a21, a31, a41, a51 = o, o, o, o
    a32, a42, a52 = o, o, o
    a43, a53 = o, o
    a54 = o
    b0, b1, b2 = load(error, 0), load(error, 1), load(error, 2)
    b3, b4, b5 = load(error, 3), load(error, 4), load(error, 5)
    for node in range(nodes.shape[0]):
        i = wiring[node, 2]
        f = 12 * node
        # The column, as in `ik_node.kernels.jacobian.tip_jacobian`.
        ax, ay, az = load(frames, f + 2), load(frames, f + 5), load(frames, f + 8)
        along = settings[POSITION_WEIGHT] * nodes[node, 12]
        if wiring[node, 1] == REVOLUTE:
            dx = x - load(frames, f + 9)
            dy = y - load(frames, f + 10)
            dz = z - load(frames, f + 11)
            j0 = along * (ay * dz - az * dy)
            j1 = along * (az * dx - ax * dz)
            j2 = along * (ax * dy - ay * dx)
            turn = settings[ORIENTATION_WEIGHT] * nodes[node, 12]
            j3, j4, j5 = turn * ax, turn * ay, turn * az
            lead = nodes[node, 14]
            if lead != 0.0:
                advance = along * lead
                j0, j1, j2 = j0 + advance * ax, j1 + advance * ay, j2 + advance * az
        else:
            j0, j1, j2 = along * ax, along * ay, along * az
            j3, j4, j5 = o, o, o
        slope = (j0 * b0 + j1 * b1 + j2 * b2) + (j3 * b3 + j4 * b4 + j5 * b5)
        outward = pushed_outward(slope, load(q, i), limits[i, 0], limits[i, 1], limits[i, 2])
        j0, j1, j2 = select(outward, o, j0), select(outward, o, j1), select(outward, o, j2)
        j3, j4, j5 = select(outward, o, j3), select(outward, o, j4), select(outward, o, j5)
        c = 6 * i
        store(jacobian, c, j0)
        store(jacobian, c + 1, j1)
        store(jacobian, c + 2, j2)
        store(jacobian, c + 3, j3)
        store(jacobian, c + 4, j4)
        store(jacobian, c + 5, j5)
        a00 = a00 + j0 * j0
        a10, a11 = a10 + j1 * j0, a11 + j1 * j1
        a20, a21, a22 = a20 + j2 * j0, a21 + j2 * j1, a22 + j2 * j2
        a30, a31, a32, a33 = a30 + j3 * j0, a31 + j3 * j1, a32 + j3 * j2, a33 + j3 * j3
        a40, a41, a42 = a40 + j4 * j0, a41 + j4 * j1, a42 + j4 * j2
        a43, a44 = a43 + j4 * j3, a44 + j4 * j4
        a50, a51, a52 = a50 + j5 * j0, a51 + j5 * j1, a52 + j5 * j2
        a53, a54, a55 = a53 + j5 * j3, a54 + j5 * j4, a55 + j5 * j5
    # LDL^T column by column, the right-hand side along with it. Column k of L is lk, and below the
    # diagonal it then takes the place of what was left of A.
    d0 = 1.0 / a00
    l1, l2, l3, l4, l5 = a10 * d0, a20 * d0, a30 * d0, a40 * d0, a50 * d0
    a11, a21, a31 = a11 - l1 * a10, a21 - l2 * a10, a31 - l3 * a10
    a41, a51 = a41 - l4 * a10, a51 - l5 * a10
    a22, a32, a42, a52 = a22 - l2 * a20, a32 - l3 * a20, a42 - l4 * a20, a52 - l5 * a20
    a33, a43, a53 = a33 - l3 * a30, a43 - l4 * a30, a53 - l5 * a30
    a44, a54 = a44 - l4 * a40, a54 - l5 * a40
    a55 = a55 - l5 * a50
    b1, b2, b3, b4, b5 = b1 - l1 * b0, b2 - l2 * b0, b3 - l3 * b0, b4 - l4 * b0, b5 - l5 * b0
    a10, a20, a30, a40, a50 = l1, l2, l3, l4, l5
    d1 = 1.0 / a11
    l2, l3, l4, l5 = a21 * d1, a31 * d1, a41 * d1, a51 * d1
    a22, a32, a42, a52 = a22 - l2 * a21, a32 - l3 * a21, a42 - l4 * a21, a52 - l5 * a21
    a33, a43, a53 = a33 - l3 * a31, a43 - l4 * a31, a53 - l5 * a31
    a44, a54 = a44 - l4 * a41, a54 - l5 * a41
    a55 = a55 - l5 * a51
    b2, b3, b4, b5 = b2 - l2 * b1, b3 - l3 * b1, b4 - l4 * b1, b5 - l5 * b1
    a21, a31, a41, a51 = l2, l3, l4, l5
    d2 = 1.0 / a22
    l3, l4, l5 = a32 * d2, a42 * d2, a52 * d2
    a33, a43, a53 = a33 - l3 * a32, a43 - l4 * a32, a53 - l5 * a32
    a44, a54 = a44 - l4 * a42, a54 - l5 * a42
    a55 = a55 - l5 * a52
    b3, b4, b5 = b3 - l3 * b2, b4 - l4 * b2, b5 - l5 * b2
    a32, a42, a52 = l3, l4, l5
    d3 = 1.0 / a33
    l4, l5 = a43 * d3, a53 * d3
    a44, a54 = a44 - l4 * a43, a54 - l5 * a43
    a55 = a55 - l5 * a53
    b4, b5 = b4 - l4 * b3, b5 - l5 * b3
    a43, a53 = l4, l5
    d4 = 1.0 / a44
    l5 = a54 * d4
    a55 = a55 - l5 * a54
    b5 = b5 - l5 * b4
    y5 = b5 / a55
    y4 = b4 * d4 - l5 * y5
    y3 = b3 * d3 - a43 * y4 - a53 * y5
    y2 = b2 * d2 - a32 * y3 - a42 * y4 - a52 * y5
    y1 = b1 * d1 - a21 * y2 - a31 * y3 - a41 * y4 - a51 * y5
    y0 = b0 * d0 - a10 * y1 - a20 * y2 - a30 * y3 - a40 * y4 - a50 * y5
    for i in range(q.shape[0]):
        c = 6 * i
        linear = load(jacobian, c) * y0 + load(jacobian, c + 1) * y1 + load(jacobian, c + 2) * y2
        angular = (
            load(jacobian, c + 3) * y3 + load(jacobian, c + 4) * y4 + load(jacobian, c + 5) * y5
        )
        value = load(q, i)
        dq = linear + angular
        moved = into_limits(value + dq, limits[i, 0], limits[i, 1], limits[i, 2])
        store(q, i, select(held, value, moved))
