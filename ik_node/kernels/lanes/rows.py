# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Residual rows in lanes; see `ik_node.kernels.rows` and `ik_node.kernels.row_jacobian`.

What a Jacobian needs of each tip is kept in `places`, 8 rows a tip: the position of the tip, the
position of its target, and where the turn about z alone is constrained how it changes with turns
about x and y.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.rotations import angle_of, rotation_error
from ik_node.kernels.lanes.tree import Pose, tip_pose
from ik_node.kernels.lanes.vector import load, select, splat, sqrt, store
from ik_node.kernels.rows import ALPHA_BETA, GAMMA, ORIENTATION, POLE, POSE, X, Y, Z
from ik_node.kernels.tree import AXES, AXES_NODE, CONSTRAINTS, GOAL_NODE

PLACE_ROWS = 8


@kernel
def goal_pose(frames: FloatArray, tip_wiring: IntArray, targets: FloatArray, tip: int) -> Pose:
    """
    Compute the pose of the target of one tip in the base.

    Parameters
    ----------
    frames : (12 k, LANES) float64
        From `ik_node.kernels.lanes.tree.joint_frames`.
    tip_wiring
        See `ik_node.kernels.tree`.
    targets : (12 t, LANES) float64
        Pose of each target in the moving frame of its node.
    tip : int
        Which tip.

    Returns
    -------
    Pose

    """
    t = 12 * tip
    b0, b1, b2 = load(targets, t), load(targets, t + 1), load(targets, t + 2)
    b3, b4, b5 = load(targets, t + 3), load(targets, t + 4), load(targets, t + 5)
    b6, b7, b8 = load(targets, t + 6), load(targets, t + 7), load(targets, t + 8)
    x, y, z = load(targets, t + 9), load(targets, t + 10), load(targets, t + 11)
    node = tip_wiring[tip, GOAL_NODE]
    if node >= 0:
        f = 12 * node
        r0, r1, r2 = load(frames, f), load(frames, f + 1), load(frames, f + 2)
        r3, r4, r5 = load(frames, f + 3), load(frames, f + 4), load(frames, f + 5)
        r6, r7, r8 = load(frames, f + 6), load(frames, f + 7), load(frames, f + 8)
        x, y, z = (
            load(frames, f + 9) + (r0 * x + r1 * y + r2 * z),
            load(frames, f + 10) + (r3 * x + r4 * y + r5 * z),
            load(frames, f + 11) + (r6 * x + r7 * y + r8 * z),
        )
        b0, b3, b6 = (
            r0 * b0 + r1 * b3 + r2 * b6, r3 * b0 + r4 * b3 + r5 * b6, r6 * b0 + r7 * b3 + r8 * b6,
        )  # fmt: skip
        b1, b4, b7 = (
            r0 * b1 + r1 * b4 + r2 * b7, r3 * b1 + r4 * b4 + r5 * b7, r6 * b1 + r7 * b4 + r8 * b7,
        )  # fmt: skip
        b2, b5, b8 = (
            r0 * b2 + r1 * b5 + r2 * b8, r3 * b2 + r4 * b5 + r5 * b8, r6 * b2 + r7 * b5 + r8 * b8,
        )  # fmt: skip
    return b0, b1, b2, b3, b4, b5, b6, b7, b8, x, y, z


@kernel
def along_axes(
    frames: FloatArray, tips: FloatArray, tip_wiring: IntArray, tip: int, x: Any, y: Any, z: Any
) -> tuple[Any, Any, Any]:
    """
    Turn a vector of the base into the axes of a position; what is not constrained becomes zero.

    Parameters
    ----------
    frames, tip_wiring, tip
        As for `goal_pose`.
    tips
        See `ik_node.kernels.tree`.
    x, y, z : lanes
        The vector.

    Returns
    -------
    x, y, z : lanes

    """
    constraints = tip_wiring[tip, CONSTRAINTS]
    node = tip_wiring[tip, AXES_NODE]
    if node >= 0:
        f = 12 * node
        x, y, z = (
            load(frames, f) * x + load(frames, f + 3) * y + load(frames, f + 6) * z,
            load(frames, f + 1) * x + load(frames, f + 4) * y + load(frames, f + 7) * z,
            load(frames, f + 2) * x + load(frames, f + 5) * y + load(frames, f + 8) * z,
        )
    a = tips[tip, AXES:]
    o = splat(0.0)
    return (
        a[0] * x + a[3] * y + a[6] * z if constraints & X else o,
        a[1] * x + a[4] * y + a[7] * z if constraints & Y else o,
        a[2] * x + a[5] * y + a[8] * z if constraints & Z else o,
    )


@kernel
def tip_error(
    frames: FloatArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    targets: FloatArray,
    tip: int,
    places: FloatArray,
) -> tuple[Any, Any, Any, Any, Any, Any]:
    """
    Compute the six rows of the error of one tip.

    Parameters
    ----------
    frames, tips, tip_wiring, targets, tip
        As for `goal_pose`.
    places : (8 t, LANES) float64
        Output, see the module.

    Returns
    -------
    x, y, z, alpha, beta, gamma : lanes
        Not weighted. Of a whole pose in the axes of the base.

    """
    r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z = tip_pose(frames, tips, tip_wiring, tip)
    g0, g1, g2, g3, g4, g5, g6, g7, g8, gx, gy, gz = goal_pose(frames, tip_wiring, targets, tip)
    p = PLACE_ROWS * tip
    store(places, p, x)
    store(places, p + 1, y)
    store(places, p + 2, z)
    store(places, p + 3, gx)
    store(places, p + 4, gy)
    store(places, p + 5, gz)
    dx, dy, dz = gx - x, gy - y, gz - z
    constraints = tip_wiring[tip, CONSTRAINTS]
    if constraints == POSE:
        rx, ry, rz = rotation_error(
            r0, r1, r2, r3, r4, r5, r6, r7, r8, g0, g1, g2, g3, g4, g5, g6, g7, g8
        )
        return dx, dy, dz, rx, ry, rz
    dx, dy, dz = along_axes(frames, tips, tip_wiring, tip, dx, dy, dz)
    o = splat(0.0)
    rx, ry, rz = o, o, o
    orientation = constraints & ORIENTATION
    # The z axis of the target in the axes of the tip.
    ux, uy, uz = (
        r0 * g2 + r3 * g5 + r6 * g8,
        r1 * g2 + r4 * g5 + r7 * g8,
        r2 * g2 + r5 * g5 + r8 * g8,
    )
    if orientation == ORIENTATION:
        wx, wy, wz = rotation_error(
            r0, r1, r2, r3, r4, r5, r6, r7, r8, g0, g1, g2, g3, g4, g5, g6, g7, g8
        )
        rx = r0 * wx + r3 * wy + r6 * wz
        ry = r1 * wx + r4 * wy + r7 * wz
        rz = r2 * wx + r5 * wy + r8 * wz
    elif orientation == ALPHA_BETA:
        sine = sqrt(ux * ux + uy * uy)
        angle = angle_of(sine, uz)
        clear = sine > 1e-12
        scale = angle / select(clear, sine, 1.0)
        rx, ry = select(clear, -uy * scale, angle), select(clear, ux * scale, o)
    elif orientation == GAMMA:
        sine = (r1 * g0 + r4 * g3 + r7 * g6) - (r0 * g1 + r3 * g4 + r6 * g7)
        cosine = (r0 * g0 + r3 * g3 + r6 * g6) + (r1 * g1 + r4 * g4 + r7 * g7)
        rz = angle_of(sine, cosine)
        clear = 1.0 + uz > POLE
        scale = select(clear, 1.0 / select(clear, 1.0 + uz, 1.0), 0.0)
        store(places, p + 6, ux * scale)
        store(places, p + 7, uy * scale)
    return dx, dy, dz, rx, ry, rz


@kernel
def constrain(
    frames: FloatArray,
    tips: FloatArray,
    tip_wiring: IntArray,
    tip: int,
    places: FloatArray,
    rows: int,
    jacobian: FloatArray,
) -> None:
    """
    Turn the rows of a tip into its own axes and leave what is constrained.

    Parameters
    ----------
    frames, tips, tip_wiring, tip
        As for `goal_pose`.
    places : (8 t, LANES) float64
        From `tip_error`.
    rows : int
        6 t.
    jacobian : (6 t n, LANES) float64
        Changed in place, joint by joint its column.

    """
    constraints = tip_wiring[tip, CONSTRAINTS]
    r0, r1, r2, r3, r4, r5, r6, r7, r8, _, _, _ = tip_pose(frames, tips, tip_wiring, tip)
    o = splat(0.0)
    for c in range(6 * tip, jacobian.shape[0], rows):
        x, y, z = along_axes(
            frames, tips, tip_wiring, tip,
            load(jacobian, c), load(jacobian, c + 1), load(jacobian, c + 2),
        )  # fmt: skip
        store(jacobian, c, x)
        store(jacobian, c + 1, y)
        store(jacobian, c + 2, z)
        wx, wy, wz = load(jacobian, c + 3), load(jacobian, c + 4), load(jacobian, c + 5)
        x = r0 * wx + r3 * wy + r6 * wz
        y = r1 * wx + r4 * wy + r7 * wz
        z = r2 * wx + r5 * wy + r8 * wz
        if constraints & ORIENTATION == GAMMA:
            z = z + load(places, PLACE_ROWS * tip + 6) * x + load(places, PLACE_ROWS * tip + 7) * y
        store(jacobian, c + 3, x if constraints & ALPHA_BETA else o)
        store(jacobian, c + 4, y if constraints & ALPHA_BETA else o)
        store(jacobian, c + 5, z if constraints & GAMMA else o)
