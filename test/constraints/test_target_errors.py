# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of poses from targets, by hand, with what users of other libraries stumbled over."""

from __future__ import annotations

import math

import ik_node
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

PI = math.pi
P = (1.0, 2.0, 3.0)


def pose(position=P, rpy=(0.0, 0.0, 0.0)):
    result = np.eye(4)
    result[:3, :3] = matrix_from_rpy(*rpy)
    result[:3, 3] = position
    return result


def near(position, orientation):
    return pytest.approx((position, orientation), abs=1e-14)


def test_full_pose():
    target = ik_node.Transform6D((1, 2, 7), (0, 0, 0, -2))
    assert target.errors(pose(rpy=(0.3, 0, 0))) == near(4.0, 0.3)
    assert target.errors(pose(rpy=(0, PI, 0))) == near(4.0, PI)
    assert ik_node.Rotation3D((0, 0, 0, 1)).errors(pose(rpy=(0, 0, -0.2))) == near(0.0, 0.2)


def test_small_angles_are_not_lost_in_a_cosine():
    target = ik_node.Rotation3D((0, 0, 0, 1))
    assert target.errors(pose(rpy=(1e-9, 0, 0)))[1] == pytest.approx(1e-9, rel=1e-6)
    target = ik_node.Direction3D((0, 0, 1))
    assert target.errors(pose(rpy=(1e-9, 0, 0)))[1] == pytest.approx(1e-9, rel=1e-6)


def test_opposite_directions_are_an_error_of_a_half_turn():
    behind = pose(rpy=(PI, 0, 0))
    assert ik_node.Direction3D((0, 0, 1)).errors(behind) == near(0.0, PI)
    assert ik_node.Ray4D(P, (0, 0, 1)).errors(behind) == near(0.0, PI)
    assert ik_node.TranslationDirection5D(P, (0, 0, 1)).errors(behind) == near(0.0, PI)
    assert ik_node.Parallel((0, 0, 1)).errors(behind) == near(0.0, PI)


def test_ray_is_free_along_its_line_alone():
    ray = ik_node.Ray4D((1, 2, -5), (0, 0, 9))
    assert ray.errors(pose()) == near(0.0, 0.0)
    assert ray.errors(pose((1.3, 2.4, 3.0), (0, 0, 1.0))) == near(0.5, 0.0)


def test_lookat_of_a_pan_tilt_head():
    # kevinzakka/mink#156: eye at (0, 0, 1), gaze along x of the camera.
    eye, gaze = (0.0, 0.0, 1.0), (1, 0, 0)
    target = ik_node.Lookat3D((2, 2, 1))
    assert target.errors(pose(eye, (0, 0, PI / 4)), gaze) == near(0.0, 0.0)
    assert target.errors(pose(eye, (0.7, 0, PI / 4)), gaze) == near(0.0, 0.0)
    assert target.errors(pose(eye), gaze) == near(0.0, PI / 4)
    assert ik_node.Lookat3D((-2, 0, 1)).errors(pose(eye), gaze) == near(0.0, PI)
    assert ik_node.Lookat3D(eye).errors(pose(eye), gaze) == near(0.0, PI)
    assert ik_node.Lookat3D((1e-10, 0, 1)).errors(pose(eye), gaze) == near(0.0, PI)


def test_lookat_counts_what_is_in_front_of_the_tip():
    # Between the last link's origin and the tip: in front for IKFast, behind in truth.
    assert ik_node.Lookat3D((0, 0, 0.9)).errors(pose((0, 0, 1))) == near(0.0, PI)


def test_planar_position_ignores_z_and_orientation():
    # moveit/moveit#2333.
    target = ik_node.TranslationXY2D((1.0, 0.5))
    assert target.errors(pose((1.0, 0.5, 99.0), (1, 1, 1))) == near(0.0, 0.0)
    assert target.errors(pose((1.3, 0.9, -4.0))) == near(0.5, 0.0)


def test_planar_orientation_is_about_the_z_axis_of_the_base():
    target = ik_node.TranslationXYOrientation3D((1, 2), PI / 2)
    x = (1, 0, 0)
    assert target.errors(pose(rpy=(0, 0, PI / 2)), x) == near(0.0, 0.0)
    assert target.errors(pose(rpy=(0, -1.2, PI / 2)), x) == near(0.0, 0.0)
    assert target.errors(pose(rpy=(0, 0, -PI / 4)), x) == near(0.0, 0.75 * PI)
    across = ik_node.TranslationXYOrientation3D((1, 2), 3.0)
    assert across.errors(pose(rpy=(0, 0, -3.0)), x) == near(0.0, 2 * PI - 6.0)
    # A tool along z has no such angle.
    assert target.errors(pose()) == near(0.0, PI)


def test_point_on_the_tool_turns_with_the_arm():
    # moveit/moveit_task_constructor#526: a tool point 0.2 m along x of the tip.
    target = ik_node.TranslationLocalGlobal6D((0.2, 0, 0), (1, 2.2, 3))
    assert target.errors(pose(rpy=(0, 0, PI / 2))) == near(0.0, 0.0)
    assert target.errors(pose(rpy=(0, 0, 0))) == near(math.hypot(0.2, 0.2), 0.0)
    shape = ik_node.Shapes(ik_node.Point((1, 2.2, 3)), point=(0.2, 0, 0))
    assert shape.errors(pose(rpy=(0, 0, PI / 2))) == near(0.0, 0.0)


def test_cones_are_about_axes_of_the_base():
    # moveit/moveit_ikfast#68: the tool along the base's x axis is at pi/2 to its z axis.
    along_x = pose(rpy=(0, PI / 2, 0))
    assert ik_node.TranslationZAxisAngle4D(P, PI / 2).errors(along_x) == near(0.0, 0.0)
    assert ik_node.TranslationZAxisAngle4D.from_pose(along_x).angle == pytest.approx(PI / 2)
    assert ik_node.TranslationXAxisAngle4D(P, 0).errors(along_x) == near(0.0, 0.0)
    assert ik_node.TranslationXAxisAngle4D(P, PI).errors(along_x) == near(0.0, PI)
    assert ik_node.TranslationYAxisAngle4D(P, 0.2).errors(along_x) == near(0.0, PI / 2 - 0.2)
    # Neither the way around the cone nor the turn about the tool counts.
    for yaw in (0.0, 1.0, -2.0):
        tip = pose(rpy=(0, 0.4, yaw))
        assert ik_node.TranslationZAxisAngle4D(P, 0.4).errors(tip) == near(0.0, 0.0)


def test_signs_of_angles_with_a_norm():
    # rdiankov/openrave#910: towards the next axis is positive.
    x, y, z = np.eye(3)
    for cls, start, end in (
        (ik_node.TranslationXAxisAngleZNorm4D, x, y),
        (ik_node.TranslationYAxisAngleXNorm4D, y, z),
        (ik_node.TranslationZAxisAngleYNorm4D, z, x),
    ):
        for angle in (0.0, 0.3, -2.0, PI):
            tool = math.cos(angle) * start + math.sin(angle) * end
            target = cls(P, angle)
            np.testing.assert_allclose(target.direction, tool, atol=1e-15)
            # The direction of the tool in a tip that is not turned is the one in the base.
            assert target.errors(pose(), tool) == near(0.0, 0.0)
            assert cls.from_pose(pose(), tool).angle == pytest.approx(angle, abs=1e-14)


def test_a_tool_out_of_its_plane_is_an_error():
    tilted = (math.cos(0.3), 0.0, math.sin(0.3))
    target = ik_node.TranslationXAxisAngleZNorm4D(P, 0.0)
    assert target.errors(pose(), tilted) == near(0.0, 0.3)


def test_shapes_of_positions():
    tip = pose((3, 4, 0))
    assert ik_node.Point((0, 0, 0)).errors(tip) == near(5.0, 0.0)
    assert ik_node.Line((0, 0, 7), (0, 0, 2)).errors(tip) == near(5.0, 0.0)
    assert ik_node.Line((0, 0, 7), (0, 0, 2), lower=-3).errors(tip) == near(math.sqrt(41), 0.0)
    assert ik_node.Line((0, 0, 7), (0, 0, 2), -8, -6).errors(tip) == near(5.0, 0.0)
    assert ik_node.Plane((1, 0, 0), -1).errors(tip) == near(2.0, 0.0)
    assert ik_node.Plane((2, 0, 0), -2).errors(tip) == near(2.0, 0.0)
    assert ik_node.Plane.through((1, 5, 5), (2, 0, 0)) == ik_node.Plane((1, 0, 0), -1)


def test_shapes_of_orientations():
    tip = pose(rpy=(0, 0.4, 0.3))
    assert ik_node.Rotation((0, 0, 0, 1)).errors(pose(rpy=(0, 0, 0.3))) == near(0.0, 0.3)
    assert ik_node.Parallel((0, 0, 1)).errors(tip) == near(0.0, 0.4)
    z = (0, 0, 3)
    assert ik_node.Cone(z, z, 0.5).errors(tip) == near(0.0, 0.1)
    assert ik_node.Cone(z, z, 0.5, interior=True).errors(tip) == near(0.0, 0.0)
    assert ik_node.Cone(z, z, 0.3, interior=True).errors(tip) == near(0.0, 0.1)


def test_effector_that_is_turned_in_the_tip():
    # The effector's z axis is the tip's x axis: a quarter turn about y.
    half = math.sqrt(0.5)
    shapes = ik_node.Shapes(orientation=ik_node.Parallel((1, 0, 0)), quat_xyzw=(0, half, 0, half))
    assert shapes.errors(pose()) == near(0.0, 0.0)
    assert shapes.errors(pose(rpy=(0, 0, 0.3))) == near(0.0, 0.3)


def test_what_has_no_weight_has_no_error():
    both = {'position': ik_node.Point((0, 0, 0)), 'orientation': ik_node.Parallel((1, 0, 0))}
    tip = pose((3, 4, 0))
    assert ik_node.Shapes(**both).errors(tip) == near(5.0, PI / 2)
    assert ik_node.Shapes(**both, position_priority=-1).errors(tip) == near(0.0, PI / 2)
    assert ik_node.Shapes(**both, orientation_priority=0).errors(tip) == near(5.0, 0.0)
    assert ik_node.Shapes(**both, position_priority=-1).position_priority == 0.0
