# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Goals as a row of numbers, and what tables and targets become by one.

A target of a request is a handful of numbers: a point, a direction, a quaternion. Frames are made
of them here, where that takes nanoseconds. The row may end early: what is missing is its default.
"""

from __future__ import annotations

import math

from ik_node.kernels._jit import kernel
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import frame_with_z, matrix_of_quat
from ik_node.kernels.tree import AXES, LOWER, TIP_SIZE, UPPER

# Layout of a goal, and defaults.
ORIGIN = 0
"""Three numbers: origin of the goal in the base [m]; zeros."""
FRAME = 3
"""
Four numbers: axes of the goal in the base, a unit quaternion x, y, z, w; no turn. Or its z axis
and `IS_AXIS`, for goals to which the other two axes make no difference.
"""
TOOL = 7
"""Three numbers: axis of the effector that is directed, a unit vector; its z axis."""
OPENING = 10
"""Two numbers: least and largest angle of a cone [rad]; zeros."""
POINT = 12
"""Three numbers: the effector point in the tip [m]; its origin."""
EFFECTOR = 15
"""Four numbers: axes of the effector in the tip, a unit quaternion x, y, z, w; no turn."""
AXIS = 19
"""
Three numbers: direction in the base that is the z axis of the rows of the position, a unit vector;
zeros: the axes of the base.
"""
SPAN = 22
"""Two numbers: least and largest position along that axis [m]; zeros."""
BOX = 24
"""Twelve numbers: least, then largest values of all six rows [m, rad]; else those before."""
GOAL_SIZE = 36
SMALLEST_GOAL = 3

IS_AXIS = 2.0
"""In place of the w of a quaternion, where no unit quaternion has it."""


@kernel
def _turned(first: FloatArray, second: FloatArray, out: FloatArray) -> None:
    """Multiply two rotations; `out` is neither of them."""
    for row in range(3):
        for column in range(3):
            out[3 * row + column] = (
                first[3 * row] * second[column]
                + first[3 * row + 1] * second[3 + column]
                + first[3 * row + 2] * second[6 + column]
            )


@kernel
def place_goal(
    goal: FloatArray,
    tips: FloatArray,
    tip: int,
    targets: FloatArray,
    placed: FloatArray,
    seed: FloatArray,
) -> bool:
    """
    Make a target, and what becomes of the tip, of a goal.

    Parameters
    ----------
    goal : (m,) float64
        See the layout above, SMALLEST_GOAL <= m <= GOAL_SIZE.
    tips : (t, TIP_SIZE) float64
        See `kernels.tree`: the tips themselves, with the axes of the base that goals are given in.
    tip : int
        Which of them.
    targets : (t, 4, 4) float64
        Output at `tip`: pose of the goal in its base.
    placed : (t, TIP_SIZE) float64
        Output at `tip`: its row with the effector of the goal, its axes and its bounds. Where the
        goal ends at TOOL or before, the row as it was.
    seed : (n,) float64
        What is looked at in the same call.

    Returns
    -------
    bool
        Whether the seed is finite.

    """
    is_finite = True
    for i in range(seed.shape[0]):
        is_finite = is_finite and math.isfinite(seed[i])
    target, own, row = targets[tip], tips[tip], placed[tip]
    # Parts of the row that are written last are work space until then.
    point, axes, bounds = row[:AXES], row[AXES:LOWER], row[LOWER:]
    size = goal.shape[0]
    if size <= FRAME:
        for i in range(9):
            axes[i] = 1.0 if i % 4 == 0 else 0.0
    elif goal[FRAME + 3] == IS_AXIS:
        frame_with_z(goal[FRAME:], axes)
    else:
        matrix_of_quat(goal[FRAME:], axes)
    for i in range(3):
        for j in range(3):
            target[i, j] = axes[3 * i + j]
        target[i, 3] = goal[ORIGIN + i]
        target[3, i] = 0.0
    target[3, 3] = 1.0
    if size <= TOOL:
        for i in range(TIP_SIZE):
            row[i] = own[i]
        return is_finite
    frame_with_z(goal[TOOL:], axes)
    if size > EFFECTOR:
        matrix_of_quat(goal[EFFECTOR:], bounds)
        _turned(bounds, axes, point)
        for i in range(9):
            axes[i] = point[i]
    _turned(own, axes, point)
    for i in range(9, TIP_SIZE):
        row[i] = own[i]
    if size > POINT:
        for i in range(3):
            point[9 + i] += (
                own[3 * i] * goal[POINT]
                + own[3 * i + 1] * goal[POINT + 1]
                + own[3 * i + 2] * goal[POINT + 2]
            )
    if size > AXIS and (goal[AXIS] != 0.0 or goal[AXIS + 1] != 0.0 or goal[AXIS + 2] != 0.0):
        frame_with_z(goal[AXIS:], bounds)
        _turned(own[AXES:], bounds, axes)
        for i in range(9):
            bounds[i] = own[LOWER + i]
    if size > OPENING:
        row[LOWER + 3], row[UPPER + 3] = goal[OPENING], goal[OPENING + 1]
    if size > SPAN:
        row[LOWER + 2], row[UPPER + 2] = goal[SPAN], goal[SPAN + 1]
    if size > BOX:
        for i in range(12):
            bounds[i] = goal[BOX + i]
    return is_finite
