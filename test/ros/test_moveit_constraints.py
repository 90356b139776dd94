# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Constraints of a request: every answer keeps all of them, or there is none."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from geometry_msgs.msg import Point, Point32, Pose, PoseStamped, Vector3  # noqa: E402
from ik_node.ros.transformations import quaternion_from_matrix  # noqa: E402
from moveit_msgs.msg import (  # noqa: E402
    Constraints,
    JointConstraint,
    OrientationConstraint,
    PositionConstraint,
    VisibilityConstraint,
)
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive  # noqa: E402

SUCCESS, NO_IK_SOLUTION = 1, -31
#: Elbow up and down reach the same pose of the flange.
UP = {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}
DOWN = {'j1': 0.5, 'j2': -1.0, 'j3': 1.2}


def planar_pose(q: dict[str, float], z: float = 0.0) -> PoseStamped:
    angles = np.cumsum([q['j1'], q['j2'], q['j3']])
    pose = PoseStamped()
    point, turn = pose.pose.position, pose.pose.orientation
    point.x, point.y, point.z = float(np.cos(angles).sum()), float(np.sin(angles).sum()), z
    turn.z, turn.w = math.sin(angles[-1] / 2), math.cos(angles[-1] / 2)
    return pose


@pytest.fixture(scope='module')
def node(start_shared: Callable[..., Any], test_robots: Path) -> Any:
    return start_shared(
        robot_description_file=str(test_robots / 'planar_tool.urdf'),
        robot_description_semantic=(test_robots / 'planar_tool.srdf').read_text(),
    )


@pytest.fixture
def ask(moveit: Any, node: Any) -> Callable[..., Any]:
    """Ask for the pose that two elbows reach, from a seed with the elbow up."""

    def call(seed: dict[str, float] = UP, **constraints: list[Any]) -> Any:
        fields = {'constraints': Constraints(**constraints)}
        return moveit.ik(node, 'arm', planar_pose(UP), seed, **fields)

    return call


def joint(name: str, position: float, above: float = 0.1, below: float = 0.1) -> JointConstraint:
    return JointConstraint(
        joint_name=name,
        position=position,
        tolerance_above=above,
        tolerance_below=below,
        weight=1.0,
    )


def region(
    kind: int, size: list[float], centre: tuple[float, float, float], link: str = 'l2'
) -> PositionConstraint:
    constraint = PositionConstraint(link_name=link, weight=1.0)
    constraint.header.frame_id = 'base'
    constraint.constraint_region.primitives = [SolidPrimitive(type=kind, dimensions=size)]
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = centre
    constraint.constraint_region.primitive_poses = [pose]
    return constraint


def test_without_constraints_the_nearest(moveit: Any, ask: Any) -> None:
    assert moveit.values(ask()) == pytest.approx(UP, abs=1e-5)
    assert moveit.values(ask(DOWN)) == pytest.approx(DOWN, abs=1e-5)


def test_a_joint_constraint_narrows_the_search(moveit: Any, ask: Any) -> None:
    answer = ask(joint_constraints=[joint('j2', -1.0)])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)
    answer = ask(joint_constraints=[joint('j2', -1.0), joint('j1', -0.5)])
    assert answer.error_code.val == NO_IK_SOLUTION
    answer = ask(joint_constraints=[joint('j2', 0.9, 0.1, 0.0), joint('j2', 1.1, 0.0, 0.1)])
    assert moveit.values(answer) == pytest.approx(UP, abs=1e-5)
    answer = ask(joint_constraints=[joint('j2', 0.9), joint('j2', 1.3)])
    assert answer.error_code.val == NO_IK_SOLUTION
    assert 'nothing is left' in answer.error_code.message


def test_a_joint_target_outside_of_the_limits_is_snapped_to_them(ask: Any) -> None:
    assert ask(joint_constraints=[joint('j2', 9.0, 0.1, 2.5)]).error_code.val == SUCCESS
    assert ask(joint_constraints=[joint('j2', 9.0)]).error_code.val == NO_IK_SOLUTION


def test_a_joint_outside_of_the_group(moveit: Any, node: Any) -> None:
    for grip, code in ((0.2, SUCCESS), (0.4, NO_IK_SOLUTION)):
        answer = moveit.ik(
            node,
            'arm',
            planar_pose(UP),
            {**UP, 'grip': grip},
            constraints=Constraints(joint_constraints=[joint('grip', 0.2)]),
        )
        assert answer.error_code.val == code
    assert 'grip' in answer.error_code.message


@pytest.mark.parametrize(
    ('kind', 'size'),
    [
        (SolidPrimitive.BOX, [0.4, 0.4, 0.4]),
        (SolidPrimitive.SPHERE, [0.2]),
        (SolidPrimitive.CYLINDER, [0.4, 0.2]),
        (SolidPrimitive.CONE, [0.4, 0.2]),
    ],
)
def test_a_position_constraint_on_the_elbow(
    moveit: Any, ask: Any, kind: int, size: list[float]
) -> None:
    """The elbow is at (cos j1, sin j1): above the x axis only where it points down."""
    inside = (math.cos(0.5), math.sin(0.5), 0.0)
    answer = ask(position_constraints=[region(kind, size, inside)])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)
    answer = ask(position_constraints=[region(kind, size, (0.0, 0.0, 2.0))])
    assert answer.error_code.val == NO_IK_SOLUTION
    assert "'l2' is outside" in answer.error_code.message


def test_any_of_several_regions_and_a_point_of_the_link(moveit: Any, ask: Any) -> None:
    constraint = region(SolidPrimitive.SPHERE, [0.01], (0.0, 0.0, 5.0))
    second = region(SolidPrimitive.SPHERE, [0.01], (math.cos(0.5), math.sin(0.5), 0.3))
    volume = constraint.constraint_region
    volume.primitives = [*volume.primitives, *second.constraint_region.primitives]
    volume.primitive_poses = [*volume.primitive_poses, *second.constraint_region.primitive_poses]
    constraint.target_point_offset = Vector3(z=0.3)
    answer = ask(position_constraints=[constraint])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)


def test_a_mesh_is_a_region(moveit: Any, ask: Any) -> None:
    corners = [(0.0, 0.0, 1.0), (0.5, 0.0, -0.5), (-0.5, 0.4, -0.5), (-0.5, -0.4, -0.5)]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]
    mesh = Mesh(
        vertices=[Point(x=x, y=y, z=z) for x, y, z in corners],
        triangles=[MeshTriangle(vertex_indices=face) for face in faces],
    )
    constraint = PositionConstraint(link_name='l2')
    constraint.header.frame_id = 'base'
    constraint.constraint_region.meshes = [mesh]
    pose = Pose()
    pose.position.x, pose.position.y = math.cos(0.5), math.sin(0.5)
    constraint.constraint_region.mesh_poses = [pose]
    answer = ask(position_constraints=[constraint])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)


@pytest.mark.parametrize('parameterization', [0, 1])
def test_an_orientation_constraint_on_the_forearm(
    moveit: Any, ask: Any, parameterization: int
) -> None:
    """The forearm is turned by j1 + j2: +0.5 with the elbow up, -0.5 with it down."""
    constraint = OrientationConstraint(link_name='l2', parameterization=parameterization)
    constraint.header.frame_id = 'base'
    turn = constraint.orientation
    turn.z, turn.w = math.sin(-0.2), math.cos(-0.2)
    constraint.absolute_x_axis_tolerance = constraint.absolute_y_axis_tolerance = 0.01
    constraint.absolute_z_axis_tolerance = -0.15  # its sign does not count
    answer = ask(orientation_constraints=[constraint])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)
    constraint.absolute_z_axis_tolerance = 0.05
    answer = ask(orientation_constraints=[constraint])
    assert answer.error_code.val == NO_IK_SOLUTION
    # One that is far from normalised counts as the identity, from which both are 0.5 away.
    turn.z, turn.w = 0.3, 0.0
    for tolerance, code in ((0.51, SUCCESS), (0.49, NO_IK_SOLUTION)):
        constraint.absolute_z_axis_tolerance = tolerance
        assert ask(orientation_constraints=[constraint]).error_code.val == code
    # One that is rounded counts as what it is.
    turn.z, turn.w = 1.0005 * math.sin(-0.2), 1.0005 * math.cos(-0.2)
    constraint.absolute_z_axis_tolerance = 0.15
    assert moveit.values(ask(orientation_constraints=[constraint])) == pytest.approx(
        DOWN, abs=1e-5
    )


@pytest.mark.parametrize('parameterization', [0, 1])
def test_what_the_errors_of_an_orientation_are(
    ask: Any, generator: np.random.Generator, parameterization: int
) -> None:
    """Turns about x, then y, then z of the goal; or a rotation vector in the frame."""
    about_z = float(sum(UP.values()))  # of the flange, whichever way the elbow points
    R_link = rotation('z', about_z)
    for _ in range(5):
        x, y, z = generator.uniform(-1.2, 1.2, 3)
        if parameterization == 0:
            # R_goal^T R_link = Rx Ry Rz.
            R_goal = R_link @ (rotation('x', x) @ rotation('y', y) @ rotation('z', z)).T
            errors = np.abs([x, y, z])
        else:
            # The link is the goal turned by the vector in the frame: R_link = exp(v) R_goal.
            angle = float(np.linalg.norm([x, y, z]))
            k = np.array([x, y, z]) / angle
            K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
            R_goal = (np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K).T @ R_link
            errors = np.abs([x, y, z])
        constraint = OrientationConstraint(link_name='flange', parameterization=parameterization)
        constraint.header.frame_id = 'base'
        quaternion = quaternion_from_matrix(R_goal)
        turn = constraint.orientation
        turn.x, turn.y, turn.z, turn.w = map(float, quaternion)
        for axis in range(3):
            for change, code in ((1e-4, SUCCESS), (-1e-4, NO_IK_SOLUTION)):
                tolerances = errors + 1e-4
                tolerances[axis] = errors[axis] + change
                (
                    constraint.absolute_x_axis_tolerance,
                    constraint.absolute_y_axis_tolerance,
                    constraint.absolute_z_axis_tolerance,
                ) = map(float, tolerances)
                answer = ask(orientation_constraints=[constraint])
                assert answer.error_code.val == code, answer.error_code


def rotation(axis: str, angle: float) -> Any:
    c, s = math.cos(angle), math.sin(angle)
    rows = {
        'x': [[1, 0, 0], [0, c, -s], [0, s, c]],
        'y': [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        'z': [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return np.array(rows[axis])


def test_a_region_may_move_with_the_robot(moveit: Any, ask: Any) -> None:
    """Seen from the upper arm the hand is left or right of it, as the elbow points."""
    constraint = region(SolidPrimitive.SPHERE, [0.3], (0.0, 0.0, 0.0), 'l3')
    constraint.header.frame_id = 'l1'
    point = constraint.constraint_region.primitive_poses[0].position
    # The wrist is at (1, 0) and then 1 m on, turned by j2.
    point.x, point.y = 1.0 + math.cos(1.0), -math.sin(1.0)
    assert moveit.values(ask(position_constraints=[constraint])) == pytest.approx(DOWN, abs=1e-5)
    point.y = math.sin(1.0)
    assert moveit.values(ask(position_constraints=[constraint])) == pytest.approx(UP, abs=1e-5)
    constraint.header.frame_id = 'base'
    assert ask(position_constraints=[constraint]).error_code.val == NO_IK_SOLUTION


def test_a_prism_is_a_region(moveit: Any, ask: Any) -> None:
    constraint = region(SolidPrimitive.PRISM, [0.4], (math.cos(0.5), math.sin(0.5), 0.0))
    corners = [(-0.2, -0.2), (0.2, -0.2), (0.0, 0.3)]
    polygon = constraint.constraint_region.primitives[0].polygon
    polygon.points = [Point32(x=x, y=y) for x, y in corners]
    assert moveit.values(ask(position_constraints=[constraint])) == pytest.approx(DOWN, abs=1e-5)
    polygon.points = [Point32(x=x + 1.0, y=y) for x, y in corners]
    assert ask(position_constraints=[constraint]).error_code.val == NO_IK_SOLUTION


def test_all_of_several_constraints_have_to_hold(moveit: Any, ask: Any) -> None:
    """Each allows something, the two together do not."""
    below = region(SolidPrimitive.SPHERE, [0.2], (math.cos(0.5), -math.sin(0.5), 0.0))
    above = region(SolidPrimitive.SPHERE, [0.2], (math.cos(0.5), math.sin(0.5), 0.0))
    up, down = joint('j2', 1.0), joint('j2', -1.0)
    for row, elbow, fits in ((below, up, UP), (above, down, DOWN)):
        answer = ask(position_constraints=[row], joint_constraints=[elbow])
        assert moveit.values(answer) == pytest.approx(fits, abs=1e-5)
    for row, elbow in ((below, down), (above, up)):
        answer = ask(position_constraints=[row], joint_constraints=[elbow])
        assert answer.error_code.val == NO_IK_SOLUTION
    assert ask(position_constraints=[below, above]).error_code.val == NO_IK_SOLUTION


@pytest.mark.parametrize('weight', [0.0, -1.0, 1e-300, math.nan])
def test_a_weight_makes_no_difference(moveit: Any, ask: Any, weight: float) -> None:
    row = joint('j2', -1.0)
    row.weight = weight
    assert moveit.values(ask(joint_constraints=[row])) == pytest.approx(DOWN, abs=1e-5)


def test_a_visibility_constraint_as_far_as_there_are_no_shapes(moveit: Any, ask: Any) -> None:
    """A sensor on the forearm looks along its x axis, at (0.87, -0.5) or at (0.87, 0.5)."""
    constraint = VisibilityConstraint(target_radius=0.1, sensor_view_direction=2)
    constraint.sensor_pose.header.frame_id = 'l2'
    constraint.target_pose.header.frame_id = 'base'
    target = constraint.target_pose.pose
    target.position.x, target.position.y = 10.0 * math.cos(0.5), -10.0 * math.sin(0.5)
    constraint.max_range_angle = 0.4
    answer = ask(visibility_constraints=[constraint])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)
    assert 'nothing blocks the view was not checked' in answer.error_code.message
    # The same along the other axes of the sensor, once it is turned so.
    sensor = constraint.sensor_pose.pose.orientation
    half = math.sqrt(0.5)
    for direction, (x, y, z) in ((0, (0.0, half, 0.0)), (1, (0.0, 0.0, -half))):
        sensor.x, sensor.y, sensor.z, sensor.w = x, y, z, half
        constraint.sensor_view_direction = direction
        assert moveit.values(ask(visibility_constraints=[constraint])) == pytest.approx(
            DOWN, abs=1e-5
        )
        wrong = VisibilityConstraint(
            target_radius=0.1,
            sensor_view_direction=2,
            max_range_angle=0.4,
            sensor_pose=constraint.sensor_pose,
            target_pose=constraint.target_pose,
        )
        assert ask(visibility_constraints=[wrong]).error_code.val == NO_IK_SOLUTION
    sensor.x, sensor.y, sensor.z, sensor.w = 0.0, 0.0, 0.0, 1.0
    constraint.sensor_view_direction = 2
    # 0 asks for nothing: the nearest solution looks elsewhere.
    constraint.max_range_angle = 0.0
    assert moveit.values(ask(visibility_constraints=[constraint])) == pytest.approx(UP, abs=1e-5)
    constraint.max_range_angle = 0.4
    # The disc looks up: it is seen from the side.
    constraint.max_view_angle = 0.3
    assert ask(visibility_constraints=[constraint]).error_code.val == NO_IK_SOLUTION
    target.orientation.y, target.orientation.w = -math.sin(math.pi / 4), math.cos(math.pi / 4)
    constraint.max_view_angle = 1.0
    answer = ask(visibility_constraints=[constraint])
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)


def test_a_constraint_that_means_nothing_is_none_and_is_told(moveit: Any, ask: Any) -> None:
    nowhere = region(SolidPrimitive.SPHERE, [0.1], (0.0, 0.0, 2.0))
    nowhere.header.frame_id = ''
    bad = region(7, [1.0], (0.0, 0.0, 2.0))
    poses = region(SolidPrimitive.SPHERE, [0.1], (0.0, 0.0, 2.0))
    poses.constraint_region.primitive_poses = []
    empty = PositionConstraint(link_name='l2')
    empty.header.frame_id = 'base'
    for constraints in (
        {'joint_constraints': [joint('wheel', 0.0)]},
        {'joint_constraints': [joint('j2', -1.0, -0.1)]},
        {'joint_constraints': [joint('j2', math.nan)]},
        {'position_constraints': [nowhere]},
        {'position_constraints': [bad]},
        {'position_constraints': [poses]},
        {'position_constraints': [empty]},
        {'orientation_constraints': [OrientationConstraint(link_name='nobody')]},
        {'orientation_constraints': [OrientationConstraint(link_name='l2', parameterization=9)]},
        {'visibility_constraints': [VisibilityConstraint()]},
    ):
        answer = ask(**constraints)
        assert moveit.values(answer) == pytest.approx(UP, abs=1e-5), constraints
        assert 'was not used' in answer.error_code.message
