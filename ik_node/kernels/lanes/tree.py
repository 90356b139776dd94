# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Frames of a tree of joints in lanes; see `ik_node.kernels.tree` for the tables.

Arrays of lanes have the shape (rows, LANES), see `ik_node.kernels.lanes.vector`; joint i has the
rows 12 i .. 12 i + 11 of `frames`: rotation row-major, then position.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.rotations import sin_cos
from ik_node.kernels.lanes.vector import load, splat, store
from ik_node.kernels.tree import REVOLUTE, TIP_NODE

Pose = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any]
"""Rotation row-major, then position, a register each."""


@kernel
def joint_frames(nodes: FloatArray, wiring: IntArray, q: FloatArray, frames: FloatArray) -> None:
    """
    Compute the moving frame of every joint in the base.

    Parameters
    ----------
    nodes, wiring
        See `ik_node.kernels.tree`; no spherical joints.
    q : (n, LANES) float64
        Configurations [rad or m].
    frames : (12 k, LANES) float64
        Output.

    """
    zero, one = splat(0.0), splat(1.0)
    r00, r01, r02 = one, zero, zero
    r10, r11, r12 = zero, one, zero
    r20, r21, r22 = zero, zero, one
    x, y, z = zero, zero, zero
    for i in range(nodes.shape[0]):
        parent = wiring[i, 0]
        # Along a chain the parent is the node before: its frame is still in registers.
        if parent != i - 1:
            if parent < 0:
                r00, r01, r02 = one, zero, zero
                r10, r11, r12 = zero, one, zero
                r20, r21, r22 = zero, zero, one
                x, y, z = zero, zero, zero
            else:
                f = 12 * parent
                r00, r01, r02 = load(frames, f), load(frames, f + 1), load(frames, f + 2)
                r10, r11, r12 = load(frames, f + 3), load(frames, f + 4), load(frames, f + 5)
                r20, r21, r22 = load(frames, f + 6), load(frames, f + 7), load(frames, f + 8)
                x, y, z = load(frames, f + 9), load(frames, f + 10), load(frames, f + 11)
        b = nodes[i]
        a00, a01, a02, a10, a11, a12, a20, a21, a22, x, y, z = compose(
            r00, r01, r02, r10, r11, r12, r20, r21, r22, x, y, z, b
        )
        position = b[12] * load(q, wiring[i, 2]) + b[13]
        advance = 1.0  # of a prismatic joint
        r00, r01, r10, r11, r20, r21 = a00, a01, a10, a11, a20, a21
        if wiring[i, 1] == REVOLUTE:
            advance = b[14]
            s, c = sin_cos(position)
            r00, r01 = a00 * c + a01 * s, a01 * c - a00 * s
            r10, r11 = a10 * c + a11 * s, a11 * c - a10 * s
            r20, r21 = a20 * c + a21 * s, a21 * c - a20 * s
        r02, r12, r22 = a02, a12, a22
        if advance != 0.0:
            d = advance * position
            x, y, z = x + r02 * d, y + r12 * d, z + r22 * d
        f = 12 * i
        store(frames, f, r00)
        store(frames, f + 1, r01)
        store(frames, f + 2, r02)
        store(frames, f + 3, r10)
        store(frames, f + 4, r11)
        store(frames, f + 5, r12)
        store(frames, f + 6, r20)
        store(frames, f + 7, r21)
        store(frames, f + 8, r22)
        store(frames, f + 9, x)
        store(frames, f + 10, y)
        store(frames, f + 11, z)


@kernel
def compose(
    r00: Any, r01: Any, r02: Any, r10: Any, r11: Any, r12: Any, r20: Any, r21: Any, r22: Any,
    x: Any, y: Any, z: Any, b: FloatArray,
) -> Pose:  # fmt: skip
    """
    Multiply poses in lanes by one constant pose.

    Parameters
    ----------
    r00, r01, r02, r10, r11, r12, r20, r21, r22 : lanes
        Rotations.
    x, y, z : lanes
        Positions [m].
    b : (12,) or longer float64
        The constant pose: rotation row-major, then position.

    Returns
    -------
    Pose

    """
    return (
        r00 * b[0] + r01 * b[3] + r02 * b[6],
        r00 * b[1] + r01 * b[4] + r02 * b[7],
        r00 * b[2] + r01 * b[5] + r02 * b[8],
        r10 * b[0] + r11 * b[3] + r12 * b[6],
        r10 * b[1] + r11 * b[4] + r12 * b[7],
        r10 * b[2] + r11 * b[5] + r12 * b[8],
        r20 * b[0] + r21 * b[3] + r22 * b[6],
        r20 * b[1] + r21 * b[4] + r22 * b[7],
        r20 * b[2] + r21 * b[5] + r22 * b[8],
        x + (r00 * b[9] + r01 * b[10] + r02 * b[11]),
        y + (r10 * b[9] + r11 * b[10] + r12 * b[11]),
        z + (r20 * b[9] + r21 * b[10] + r22 * b[11]),
    )


@kernel
def tip_pose(frames: FloatArray, tips: FloatArray, tip_wiring: IntArray, tip: int) -> Pose:
    """
    Compute the pose of one tip in the base.

    Parameters
    ----------
    frames : (12 k, LANES) float64
        From `joint_frames`.
    tips, tip_wiring
        See `ik_node.kernels.tree`.
    tip : int
        Which tip.

    Returns
    -------
    Pose

    """
    b = tips[tip]
    if tip_wiring[tip, TIP_NODE] < 0:
        return (
            splat(b[0]), splat(b[1]), splat(b[2]), splat(b[3]), splat(b[4]), splat(b[5]),
            splat(b[6]), splat(b[7]), splat(b[8]), splat(b[9]), splat(b[10]), splat(b[11]),
        )  # fmt: skip
    f = 12 * tip_wiring[tip, TIP_NODE]
    return compose(
        load(frames, f), load(frames, f + 1), load(frames, f + 2),
        load(frames, f + 3), load(frames, f + 4), load(frames, f + 5),
        load(frames, f + 6), load(frames, f + 7), load(frames, f + 8),
        load(frames, f + 9), load(frames, f + 10), load(frames, f + 11), b,
    )  # fmt: skip
