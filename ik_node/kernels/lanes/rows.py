# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Residual rows in lanes; see `ik_node.kernels.rows` and `ik_node.kernels.row_jacobian`.

What a Jacobian needs of each tip is kept in `places`: the position of the tip, that of its target,
and then `mix`, which is written for all but whole poses.
"""

from __future__ import annotations

from typing import Any

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.lanes.orientation_rows import into_bounds, orientation_rows
from ik_node.kernels.lanes.rotations import rotation_error
from ik_node.kernels.lanes.tree import Pose, tip_pose
from ik_node.kernels.lanes.vector import load, select, splat, store
from ik_node.kernels.row_kinds import ANY_ORIENTATION, BOUNDED, GOAL_AXES, MIX_SIZE, P, POSE, V, W
from ik_node.kernels.tree import AXES, AXES_NODE, CONSTRAINTS, GOAL_NODE, LOWER, UPPER

MIX = 6
"""First row of `mix` in the places of a tip."""
PLACE_ROWS = MIX + MIX_SIZE


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
    places : (33 t, LANES) float64
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
    mix = places[p + MIX : p + PLACE_ROWS]
    for row in range(MIX_SIZE):
        store(mix, row, splat(0.0))
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = g0, g1, g2, g3, g4, g5, g6, g7, g8
    if constraints & GOAL_AXES == 0:
        a0, a1, a2, a3, a4, a5, a6, a7, a8 = _axes(frames, tips, tip_wiring, tip)
    ex = _position_row(constraints, 0, tips[tip], a0, a3, a6, dx, dy, dz, mix)
    ey = _position_row(constraints, 1, tips[tip], a1, a4, a7, dx, dy, dz, mix)
    ez = _position_row(constraints, 2, tips[tip], a2, a5, a8, dx, dy, dz, mix)
    rx, ry, rz = orientation_rows(
        r0, r1, r2, r3, r4, r5, r6, r7, r8, g0, g1, g2, g3, g4, g5, g6, g7, g8, dx, dy, dz,
        constraints & ANY_ORIENTATION, tips[tip], mix,
    )  # fmt: skip
    return ex, ey, ez, rx, ry, rz


@kernel
def _axes(frames: FloatArray, tips: FloatArray, tip_wiring: IntArray, tip: int) -> Any:
    """Compute the axes of a position in the base, nine lanes row-major."""
    a = tips[tip, AXES:LOWER]
    node = tip_wiring[tip, AXES_NODE]
    if node < 0:
        return (
            splat(a[0]), splat(a[1]), splat(a[2]), splat(a[3]), splat(a[4]), splat(a[5]),
            splat(a[6]), splat(a[7]), splat(a[8]),
        )  # fmt: skip
    f = 12 * node
    r0, r1, r2 = load(frames, f), load(frames, f + 1), load(frames, f + 2)
    r3, r4, r5 = load(frames, f + 3), load(frames, f + 4), load(frames, f + 5)
    r6, r7, r8 = load(frames, f + 6), load(frames, f + 7), load(frames, f + 8)
    return (
        r0 * a[0] + r1 * a[3] + r2 * a[6],
        r0 * a[1] + r1 * a[4] + r2 * a[7],
        r0 * a[2] + r1 * a[5] + r2 * a[8],
        r3 * a[0] + r4 * a[3] + r5 * a[6],
        r3 * a[1] + r4 * a[4] + r5 * a[7],
        r3 * a[2] + r4 * a[5] + r5 * a[8],
        r6 * a[0] + r7 * a[3] + r8 * a[6],
        r6 * a[1] + r7 * a[4] + r8 * a[7],
        r6 * a[2] + r7 * a[5] + r8 * a[8],
    )


@kernel
def _position_row(
    constraints: int,
    i: int,
    bounds: FloatArray,
    ax: Any,
    ay: Any,
    az: Any,
    dx: Any,
    dy: Any,
    dz: Any,
    mix: FloatArray,
) -> Any:
    """Compute one row of a position along an axis, and write its part of `mix`."""
    o = splat(0.0)
    if constraints & (1 << i) == 0:
        return o
    left = ax * dx + ay * dy + az * dz
    if constraints & BOUNDED:
        lower, upper = bounds[LOWER + i], bounds[UPPER + i]
        left = into_bounds(-left, lower, upper)
        if lower < upper:
            free = left == 0.0
            ax, ay, az = select(free, o, ax), select(free, o, ay), select(free, o, az)
    store(mix, P + 3 * i, ax)
    store(mix, P + 3 * i + 1, ay)
    store(mix, P + 3 * i + 2, az)
    return left


@kernel
def constrain(tip: int, places: FloatArray, ratio: float, rows: int, jacobian: FloatArray) -> None:
    """
    Make the rows of a tip from the velocities of its joints.

    Parameters
    ----------
    tip : int
        Which tip.
    places : (33 t, LANES) float64
        From `tip_error`.
    ratio : float
        Weight of angular rows by that of linear ones: the columns are weighted already.
    rows : int
        6 t.
    jacobian : (6 t n, LANES) float64
        Changed in place, joint by joint its column.

    """
    mix = places[PLACE_ROWS * tip + MIX : PLACE_ROWS * (tip + 1)]
    for c in range(6 * tip, jacobian.shape[0], rows):
        vx, vy, vz = load(jacobian, c), load(jacobian, c + 1), load(jacobian, c + 2)
        wx, wy, wz = load(jacobian, c + 3), load(jacobian, c + 4), load(jacobian, c + 5)
        for i in range(3):
            m = 3 * i
            store(
                jacobian, c + i,
                load(mix, P + m) * vx + load(mix, P + m + 1) * vy + load(mix, P + m + 2) * vz,
            )  # fmt: skip
            store(
                jacobian, c + 3 + i,
                ratio
                * (load(mix, V + m) * vx + load(mix, V + m + 1) * vy + load(mix, V + m + 2) * vz)
                + (load(mix, W + m) * wx + load(mix, W + m + 1) * wy + load(mix, W + m + 2) * wz),
            )  # fmt: skip
