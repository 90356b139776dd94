# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals against the errors of their targets: two derivations of the same equations."""

from __future__ import annotations

import math

import ik_node
from ik_node.constraints import goal as bits
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

PI = math.pi
INF = math.inf
P = (1.0, 2.0, 3.0)
V = (0.3, -0.5, 0.7)
Q = (0.1, 0.2, -0.3, 0.9)
DIRECT = bits.POSITION | bits.ALPHA_BETA
RAY = bits.X | bits.Y | bits.GOAL_AXES
LINE_BITS = bits.X | bits.Y

IKFAST = [
    (ik_node.Transform6D(P, Q), bits.POSE),
    (ik_node.Rotation3D(Q), bits.ORIENTATION),
    (ik_node.Translation3D(P), bits.POSITION),
    (ik_node.Direction3D(V), bits.ALPHA_BETA),
    (ik_node.Ray4D(P, V), RAY | bits.ALPHA_BETA),
    (ik_node.Lookat3D(P), bits.LOOKAT),
    (ik_node.TranslationDirection5D(P, V), DIRECT),
    (ik_node.TranslationXY2D((1, 2)), bits.X | bits.Y),
    (ik_node.TranslationXYOrientation3D((1, 2), -2.5), bits.X | bits.Y | bits.AZIMUTH),
    (ik_node.TranslationLocalGlobal6D((0.1, 0.2, 0.3), P), bits.POSITION),
    (ik_node.TranslationXAxisAngle4D(P, 0.7), bits.POSITION | bits.CONE),
    (ik_node.TranslationYAxisAngle4D(P, 2.7), bits.POSITION | bits.CONE),
    (ik_node.TranslationZAxisAngle4D(P, 1.7), bits.POSITION | bits.CONE),
    (ik_node.TranslationXAxisAngle4D(P, 0.0), DIRECT),
    (ik_node.TranslationYAxisAngle4D(P, PI), DIRECT),
    (ik_node.TranslationXAxisAngleZNorm4D(P, 0.7), DIRECT),
    (ik_node.TranslationYAxisAngleXNorm4D(P, -0.7), DIRECT),
    (ik_node.TranslationZAxisAngleYNorm4D(P, 2.7), DIRECT),
]

LINE = ik_node.Line(P, V)
SEGMENT = ik_node.Line(P, V, -0.5, 0.25)
HALF_LINE = ik_node.Line(P, V, lower=0.1)
PLANE = ik_node.Plane(V, 0.4)
ACROSS = (5.0, 3.0, 0.0)
BACK = (-0.3, 0.5, -0.7)
CONE = ik_node.Cone((1, 2, 3), V, 0.5)
AT = {'point': (0.1, 0.2, 0.3), 'quat_xyzw': (0.5, 0.1, -0.2, 0.7)}

SHAPES = [
    (ik_node.Point(P), bits.POSITION),
    (LINE, LINE_BITS),
    (SEGMENT, LINE_BITS | bits.Z | bits.BOUNDED),
    (HALF_LINE, LINE_BITS | bits.Z | bits.BOUNDED),
    (ik_node.Line(P, V, 0.3, 0.3), bits.POSITION),
    (PLANE, bits.Z),
    (ik_node.Rotation(Q), bits.ORIENTATION),
    (ik_node.Parallel(V), bits.ALPHA_BETA),
    (CONE, bits.CONE),
    (ik_node.Cone(V, P, 0.5, interior=True), bits.CONE),
    (ik_node.Cone(V, P, 0.0), bits.ALPHA_BETA),
    (ik_node.Cone(V, P, 0.0, interior=True), bits.ALPHA_BETA),
    (ik_node.Cone(V, P, PI), bits.ALPHA_BETA),
    (ik_node.Cone(V, P, PI, interior=True), 0),
    (ik_node.Shapes(), 0),
    (ik_node.Shapes(ik_node.Point(P), **AT), bits.POSITION),
    (ik_node.Shapes(None, ik_node.Parallel(V), **AT), bits.ALPHA_BETA),
    (ik_node.Shapes(ik_node.Point(P), ik_node.Rotation(Q), **AT), bits.POSE),
    (ik_node.Shapes(ik_node.Point(P), ik_node.Parallel(V), **AT), DIRECT),
    (ik_node.Shapes(ik_node.Point(P), CONE, **AT), bits.POSITION | bits.CONE),
    (ik_node.Shapes(LINE, ik_node.Rotation(Q), **AT), LINE_BITS | bits.ORIENTATION),
    (ik_node.Shapes(LINE, ik_node.Parallel(V), **AT), LINE_BITS | bits.ALPHA_BETA),
    (ik_node.Shapes(LINE, ik_node.Parallel(BACK), **AT), LINE_BITS | bits.ALPHA_BETA),
    (
        ik_node.Shapes(SEGMENT, ik_node.Parallel(BACK), **AT),
        LINE_BITS | bits.Z | bits.BOUNDED | bits.ALPHA_BETA,
    ),
    (
        ik_node.Shapes(LINE, ik_node.Parallel(ACROSS), **AT),
        LINE_BITS | bits.ALPHA_BETA,
    ),
    (
        ik_node.Shapes(HALF_LINE, ik_node.Parallel(ACROSS), **AT),
        bits.POSITION | bits.BOUNDED | bits.ALPHA_BETA,
    ),
    (
        ik_node.Shapes(SEGMENT, CONE, **AT),
        bits.POSITION | bits.BOUNDED | bits.CONE,
    ),
    (
        ik_node.Shapes(PLANE, ik_node.Cone(V, BACK, PI), **AT),
        bits.Z | bits.ALPHA_BETA,
    ),
    (
        ik_node.Shapes(PLANE, ik_node.Parallel(ACROSS), **AT),
        bits.Z | bits.ALPHA_BETA,
    ),
    (
        ik_node.Shapes(PLANE, ik_node.Cone(V, P, PI, interior=True), **AT),
        bits.Z,
    ),
]

BOUNDED = bits.GOAL_AXES | bits.BOUNDED
BOXES = [
    (ik_node.PoseBox(P, Q), 0),
    (ik_node.PoseBox(P, Q, np.zeros(6), np.zeros(6)), bits.POSE),
    (
        ik_node.PoseBox(P, Q, -np.full(6, 0.1), np.full(6, 0.2)),
        bits.POSITION | BOUNDED | bits.ANGLES,
    ),
    (
        ik_node.PoseBox(P, Q, (0, 0, 0, -INF, -INF, -INF), (0, 0, 0, INF, INF, INF)),
        bits.POSITION,
    ),
    (
        ik_node.PoseBox(P, Q, (0, -INF, 0, 0, 0, -INF), (0, INF, 0, 0, 0, INF)),
        bits.X | bits.Z | bits.GOAL_AXES | bits.ALPHA_BETA,
    ),
    (
        ik_node.PoseBox(P, Q, (0.1, -INF, 0, 0, 0, 0), (0.2, INF, 0, 0, 0, 0)),
        bits.X | bits.Z | BOUNDED | bits.ORIENTATION,
    ),
    (
        ik_node.PoseBox(P, Q, (0, 0, 0, -0.1, -INF, 3.0), (0, 0, 0, 0.1, INF, 3.5)),
        bits.POSITION | bits.ANGLES,
    ),
    (
        ik_node.PoseBox(P, Q, (-INF, -INF, -0.1, -4, 0.1, -INF), (INF, INF, INF, 4, 0.2, INF)),
        bits.Z | BOUNDED | bits.ANGLES,
    ),
]

TARGETS = IKFAST + SHAPES + BOXES
each_target = pytest.mark.parametrize(('target', 'constraints'), TARGETS)


def angle_of(a, b):
    return math.atan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))


def beyond(value, lower, upper):
    return max(lower - value, value - upper, 0.0)


def axes_of(goal):
    """Give the axes of the rows of the position."""
    own = goal.constraints & bits.GOAL_AXES
    return goal.T_base_goal[:3, :3] if own else goal.R_base_axes


def residual(goal, T_base_tip):
    """Measure a goal by what its bits are documented to mean."""
    tool = T_base_tip @ goal.T_tip_point
    lower, upper = goal.lower, goal.upper
    at = tool[:3, 3] - goal.T_base_goal[:3, 3]
    at = axes_of(goal).T @ at
    bounded = bool(goal.constraints & bits.BOUNDED)
    rows = [
        beyond(at[i], lower[i] * bounded, upper[i] * bounded) if bounded else abs(at[i])
        for i in range(3)
        if goal.constraints & (bits.X, bits.Y, bits.Z)[i]
    ]
    seen = goal.T_base_goal[:3, :3].T @ tool[:3, :3]
    z = seen[:, 2]
    angles = []
    if goal.constraints & bits.ORIENTATION == bits.ORIENTATION:
        skew = [seen[2, 1] - seen[1, 2], seen[0, 2] - seen[2, 0], seen[1, 0] - seen[0, 1]]
        angles.append(math.atan2(np.linalg.norm(skew), np.trace(seen) - 1.0))
    elif goal.constraints & bits.ALPHA_BETA:
        angles.append(angle_of(z, (0, 0, 1)))
    if goal.constraints & bits.LOOKAT:
        angles.append(angle_of(tool[:3, 2], goal.T_base_goal[:3, 3] - tool[:3, 3]))
    if goal.constraints & bits.AZIMUTH:
        angles.append(abs(math.atan2(z[1], z[0])))
    if goal.constraints & bits.CONE:
        angles.append(beyond(angle_of(z, (0, 0, 1)), lower[3], upper[3]))
    if goal.constraints & bits.ANGLES:
        rpy = (
            math.atan2(seen[2, 1], seen[2, 2]),
            math.asin(-seen[2, 0]),
            math.atan2(seen[1, 0], seen[0, 0]),
        )
        for i in range(3):
            if math.isinf(lower[3 + i]):
                continue
            middle = 0.5 * (lower[3 + i] + upper[3 + i])
            turned = math.remainder(rpy[i] - middle, 2 * PI) + middle
            angles.append(beyond(turned, lower[3 + i], upper[3 + i]))
    return np.linalg.norm(rows), np.linalg.norm(angles)


def within(rng, lower, upper):
    lower, upper = max(lower, -3.0), min(upper, 3.5)
    return rng.uniform(lower, upper) if lower < upper else lower


def turned(axis, angle):
    angles = np.zeros(3)
    angles[axis] = angle
    return matrix_from_rpy(*angles)


def met(goal, rng):
    """Construct a pose of the tip that meets a goal, everything free at random."""
    lower, upper = goal.lower, goal.upper
    rotation = goal.T_base_goal[:3, :3]
    at = rng.uniform(-2.0, 2.0, 3)
    for i, bit in enumerate((bits.X, bits.Y, bits.Z)):
        if goal.constraints & bit:
            bounded = goal.constraints & bits.BOUNDED
            at[i] = within(rng, lower[i], upper[i]) if bounded else 0.0
    at = axes_of(goal) @ at
    spin, yaw, tilt = rng.uniform(-3.0, 3.0, 3)
    if goal.constraints & bits.ORIENTATION == bits.ORIENTATION:
        seen = np.eye(3)
    elif goal.constraints & bits.ALPHA_BETA:
        seen = turned(2, spin)
    elif goal.constraints & bits.LOOKAT:
        z = -at / np.linalg.norm(at)
        seen = rotation.T @ turned(2, math.atan2(z[1], z[0])) @ turned(1, math.acos(z[2]))
        seen = seen @ turned(2, spin)
    elif goal.constraints & bits.AZIMUTH:
        seen = turned(1, abs(tilt)) @ turned(2, spin)
    elif goal.constraints & bits.CONE:
        seen = turned(2, yaw) @ turned(1, within(rng, lower[3], upper[3])) @ turned(2, spin)
    elif goal.constraints & bits.ANGLES:
        roll, pitch, yaw = (within(rng, lower[i], upper[i]) for i in (3, 4, 5))
        if math.isinf(lower[4]):
            pitch = 0.5 * tilt
        seen = matrix_from_rpy(roll, pitch, yaw)
    else:
        seen = matrix_from_rpy(spin, tilt, yaw)
    tool = np.eye(4)
    tool[:3, :3] = rotation @ seen
    tool[:3, 3] = goal.T_base_goal[:3, 3] + at
    return tool @ np.linalg.inv(goal.T_tip_point)


def random_pose(rng):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_rpy(*rng.uniform(-3.0, 3.0, 3))
    pose[:3, 3] = rng.uniform(-2.0, 4.0, 3)
    return pose


@each_target
def test_bits_say_what_is_constrained(target, constraints):
    goal = target.goal()
    assert goal.constraints == constraints
    has_bounds = bool(constraints & (bits.BOUNDED | bits.CONE | bits.ANGLES))
    assert bool(np.any(goal.lower) or np.any(goal.upper)) == has_bounds


@each_target
def test_a_pose_that_meets_the_goal_has_no_error(target, constraints, rng):
    for _ in range(20):
        direction = rng.standard_normal(3)
        goal = target.goal(direction)
        pose = met(goal, rng)
        np.testing.assert_allclose(residual(goal, pose), 0.0, atol=1e-7)
        np.testing.assert_allclose(target.errors(pose, direction), 0.0, atol=1e-7)


@each_target
def test_errors_are_what_is_left_of_the_goal(target, constraints, rng):
    for _ in range(50):
        direction, pose = rng.standard_normal(3), random_pose(rng)
        np.testing.assert_allclose(
            residual(target.goal(direction), pose), target.errors(pose, direction), atol=1e-7
        )


@each_target
def test_arrays_of_goals_are_what_kernels_take(target, constraints):
    goals = (target.goal(), target.goal())
    for name in ('T_base_goal', 'T_tip_point'):
        array = getattr(goals[0], name)
        assert array.shape == (4, 4)
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert not np.shares_memory(array, getattr(goals[1], name))
        rotation = array[:3, :3]
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(rotation) > 0.0
    for bound in (goals[0].lower, goals[0].upper):
        assert bound.shape == (6,)
        assert bound.dtype == np.float64


@pytest.mark.parametrize('position', [LINE, SEGMENT, PLANE])
@pytest.mark.parametrize('orientation', [ik_node.Parallel((0, 0, 1)), ik_node.Cone(P, P, 0.4)])
def test_axes_that_no_frame_has_both_stand_in_one_goal(position, orientation, rng):
    shapes = ik_node.Shapes(position, orientation, **AT)
    goal = shapes.goal()
    for _ in range(50):
        pose = random_pose(rng)
        np.testing.assert_allclose(residual(goal, pose), shapes.errors(pose), atol=1e-12)


@pytest.mark.parametrize('target', [target for target, _ in SHAPES + BOXES])
def test_seen_from_another_base_errors_are_the_same(target, rng):
    for _ in range(20):
        motion, pose = random_pose(rng), random_pose(rng)
        moved = target.transformed(motion)
        assert type(moved) is type(target)
        np.testing.assert_allclose(moved.errors(motion @ pose), target.errors(pose), atol=1e-7)


def test_direction_of_the_tool_means_nothing_to_shapes(rng):
    for target, _ in SHAPES + BOXES:
        goals = target.goal(), target.goal((1, 2, 3))
        np.testing.assert_array_equal(goals[0].T_tip_point, goals[1].T_tip_point)
