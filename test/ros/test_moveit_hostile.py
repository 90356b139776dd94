# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests that no honest client sends: each is answered, with the code that fits."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import ik_node
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from geometry_msgs.msg import Pose, Transform  # noqa: E402
from moveit_msgs.msg import (  # noqa: E402
    AttachedCollisionObject,
    Constraints,
    JointConstraint,
    OrientationConstraint,
    PositionConstraint,
    VisibilityConstraint,
)
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive  # noqa: E402

SUCCESS, INVALID_GOAL, INVALID_ROBOT_STATE, INVALID_LINK_NAME = 1, -16, -17, -18
NO_IK_SOLUTION = -31
JOINTS = [f'panda_joint{i}' for i in range(1, 8)]
READY = dict(zip(JOINTS, (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785), strict=True))
HUGE = 1.7e308


@pytest.fixture(scope='module')
def node(start_shared: Callable[..., Any], robots: Path, test_robots: Path) -> Any:
    """Let a Panda turn without end in its first joint, so that nothing bounds a number."""
    text = (robots / 'panda.urdf').read_text()
    before, name, after = text.partition('name="panda_joint1" type="revolute"')
    assert name
    return start_shared(
        robot_description=f'{before}name="panda_joint1" type="continuous"{after}',
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
        max_timeout=2.0,
    )


@pytest.fixture
def request_for(moveit: Any, node: Any) -> Callable[..., Any]:
    """Make a request that is right, to be spoilt."""
    goal = moveit.fk(node, ['panda_link8'], READY).pose_stamped[0]

    def make(seed: dict[str, float] = READY, **fields: Any) -> Any:
        return moveit.request('panda_arm', goal, seed, **fields)

    return make


@pytest.mark.parametrize('part', ['position', 'orientation'])
@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none(
    moveit: Any, node: Any, request_for: Any, part: str, value: float
) -> None:
    for axis in ('x', 'y', 'z', 'w')[: 4 if part == 'orientation' else 3]:
        request = request_for()
        setattr(getattr(request.ik_request.pose_stamped.pose, part), axis, value)
        answer = moveit.ask(node, request)
        assert answer.error_code.val == INVALID_GOAL
        assert answer.error_code.message


@pytest.mark.parametrize('size', [HUGE, 1e200, 1e20])
def test_numbers_that_are_too_large(moveit: Any, node: Any, request_for: Any, size: float) -> None:
    """They are finite: out of reach, or a joint that was turned very often."""
    request = request_for()
    request.ik_request.pose_stamped.pose.position.x = size
    assert moveit.ask(node, request).error_code.val == NO_IK_SOLUTION
    answer = moveit.ask(node, request_for({**READY, 'panda_joint1': size}))
    assert answer.error_code.val in (SUCCESS, NO_IK_SOLUTION)
    assert all(map(math.isfinite, answer.solution.joint_state.position))
    turned = JointConstraint(joint_name='panda_joint1', position=size, tolerance_above=0.1)
    answer = moveit.ask(node, request_for(constraints=Constraints(joint_constraints=[turned])))
    assert answer.error_code.val in (SUCCESS, NO_IK_SOLUTION)
    assert moveit.fk(node, ['panda_hand'], {'panda_joint2': size}).error_code.val == SUCCESS


def test_names_without_positions_and_the_other_way_round(
    moveit: Any, node: Any, request_for: Any
) -> None:
    for names, positions in ((JOINTS, []), ([], [0.0] * 7), (JOINTS, [0.0] * 6), (['x'], [])):
        request = request_for()
        state = request.ik_request.robot_state.joint_state
        state.name, state.position = names, positions
        assert moveit.ask(node, request).error_code.val == INVALID_ROBOT_STATE
        forward = moveit.forward.Request(fk_link_names=['panda_hand'])
        forward.robot_state.joint_state = state
        answer = moveit.caller.call_other(f'{node.namespace}/compute_fk', moveit.forward, forward)
        assert answer.error_code.val == INVALID_ROBOT_STATE


def test_velocities_of_any_length_do_not_matter(moveit: Any, node: Any, request_for: Any) -> None:
    request = request_for()
    state = request.ik_request.robot_state.joint_state
    state.velocity, state.effort = [math.nan] * 3, [math.inf] * 9
    assert moveit.ask(node, request).error_code.val == SUCCESS


def test_names_twice_and_names_that_are_empty(moveit: Any, node: Any, request_for: Any) -> None:
    request = request_for()
    state = request.ik_request.robot_state.joint_state
    state.name, state.position = (
        [*JOINTS, '', '', *JOINTS],
        [*READY.values(), 1.0, 2.0, *[0.1] * 7],
    )
    answer = moveit.ask(node, request)
    assert answer.error_code.val == INVALID_ROBOT_STATE
    assert "joint 'panda_joint1' at 0.0 and at 0.1" in answer.error_code.message
    state.position = [*READY.values(), 1.0, 2.0, *READY.values()]
    assert list(moveit.values(moveit.ask(node, request))) == JOINTS


def test_ten_thousand_joints_of_others(moveit: Any, node: Any, request_for: Any) -> None:
    plain = moveit.values(moveit.ask(node, request_for()))
    many = {f'joint_of_another_robot_{number}': math.nan for number in range(10_000)}
    for service in ('compute_ik', 'solve_ik'):
        answer = moveit.ask(node, request_for({**many, **READY}), service)
        assert moveit.values(answer) == plain
    answer = moveit.fk(node, ['panda_hand'], {**many, **READY})
    assert answer.error_code.val == SUCCESS


@pytest.mark.parametrize(
    ('seconds', 'nanoseconds', 'said'),
    [
        (2**31 - 1, 2**32 - 1, 'shortened to max_timeout, 2 s'),
        (-(2**31), 0, 'is negative'),
        (-1, 999_999_999, 'is negative'),
        (0, 1, 'solved'),
    ],
)
def test_times_of_any_length(
    moveit: Any, node: Any, request_for: Any, seconds: int, nanoseconds: int, said: str
) -> None:
    request = request_for()
    request.ik_request.timeout.sec, request.ik_request.timeout.nanosec = seconds, nanoseconds
    answer = moveit.ask(node, request)
    assert answer.error_code.val == SUCCESS
    assert said in answer.error_code.message


def test_links_of_no_pose(moveit: Any, node: Any, request_for: Any) -> None:
    """As move_group reads it: names without poses in the vector do not count."""
    plain = moveit.values(moveit.ask(node, request_for()))
    for links in (['nobody', 'panda_hand'], [''], ['panda_hand']):
        answer = moveit.ask(node, request_for(ik_link_names=links))
        assert moveit.values(answer) == plain
    # One pose and an empty link is the tip; a second name without a pose does not count.
    pose = request_for().ik_request.pose_stamped
    for links in ([''], ['', 'nobody']):
        fields = {'pose_stamped_vector': [pose], 'ik_link_names': links}
        assert moveit.values(moveit.ask(node, request_for(**fields))) == plain
    fields = {'pose_stamped_vector': [pose], 'ik_link_names': ['nobody']}
    assert moveit.ask(node, request_for(**fields)).error_code.val == INVALID_LINK_NAME
    fields = {'pose_stamped_vector': [pose, pose], 'ik_link_names': ['', '']}
    assert moveit.ask(node, request_for(**fields)).error_code.val == INVALID_LINK_NAME


def _region(**fields: Any) -> PositionConstraint:
    row = PositionConstraint(link_name='panda_link4', **fields)
    row.header.frame_id = 'panda_link0'
    row.constraint_region.primitives = [SolidPrimitive(type=2, dimensions=[9.0])]
    row.constraint_region.primitive_poses = [Pose()]
    return row


def test_constraints_on_nothing_are_told(moveit: Any, node: Any, request_for: Any) -> None:
    """Frames and links that are not there, numbers that are none: no constraint, and a word."""
    lost, nowhere, moved, flat = _region(), _region(), _region(), _region()
    nowhere.header.frame_id = '/panda_link0'
    lost.link_name = 'x' * 10_000
    moved.target_point_offset.x = math.nan
    flat.constraint_region.primitive_poses[0].orientation.w = 0.0
    mesh = _region()
    mesh.constraint_region.meshes = [
        Mesh(triangles=[MeshTriangle(vertex_indices=[2**32 - 1, 0, 1])])
    ]
    mesh.constraint_region.mesh_poses = [Pose()]
    sight = VisibilityConstraint(target_radius=math.nan)
    rows: list[Constraints] = [
        *(Constraints(position_constraints=[row]) for row in (lost, nowhere, moved, flat, mesh)),
        Constraints(orientation_constraints=[OrientationConstraint(link_name='panda_link4')]),
        Constraints(visibility_constraints=[sight]),
        Constraints(joint_constraints=[JointConstraint(joint_name='panda_joint1 ')]),
        Constraints(
            joint_constraints=[JointConstraint(joint_name=JOINTS[0], tolerance_above=math.nan)]
        ),
    ]
    turned = rows[5].orientation_constraints[0]
    turned.header.frame_id, turned.absolute_x_axis_tolerance = 'nowhere', 1.0
    for constraints in rows:
        answer = moveit.ask(node, request_for(constraints=constraints))
        assert answer.error_code.val == SUCCESS, constraints
        assert 'a constraint was not used' in answer.error_code.message
        assert len(answer.error_code.message) < 1000
    # Thousands of them are no longer told one by one.
    many = Constraints(joint_constraints=[JointConstraint(joint_name='nobody')] * 5000)
    answer = moveit.ask(node, request_for(constraints=many))
    assert answer.error_code.val == SUCCESS
    assert 'sentences more' in answer.error_code.message
    assert len(answer.error_code.message) < 3000


def test_states_of_other_things(moveit: Any, node: Any, request_for: Any) -> None:
    request = request_for()
    several = request.ik_request.robot_state.multi_dof_joint_state
    several.joint_names, several.transforms = ['world_joint'], [Transform()]
    several.transforms[0].rotation.w = 0.0
    assert moveit.ask(node, request).error_code.val == INVALID_ROBOT_STATE
    request = request_for()
    body = AttachedCollisionObject(link_name='panda_hand')
    body.object.id, body.object.pose.position.x = 'cup', math.inf
    request.ik_request.robot_state.attached_collision_objects = [body]
    assert moveit.ask(node, request).error_code.val == INVALID_ROBOT_STATE
    # What is attached to no link of this robot is nowhere.
    body.link_name, body.object.pose.position.x = 'wheel', 0.0
    assert moveit.ask(node, request).error_code.val == SUCCESS
    request.ik_request.ik_link_name = 'cup'
    assert moveit.ask(node, request).error_code.val == INVALID_LINK_NAME


def test_questions_of_every_kind_at_once(
    moveit: Any, node: Any, robots: Path, generator: np.random.Generator
) -> None:
    """Right ones between wrong ones, eight under way: no answer is lost or exchanged."""
    robot = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    group = robot.create_group('arm', 'panda_link0', 'panda_link8')
    wide = JointConstraint(joint_name='panda_joint2', tolerance_above=9.0, tolerance_below=9.0)
    client = moveit.caller.client(f'{node.namespace}/compute_ik', moveit.inverse)
    from ik_node.ros.transformations import quaternion_from_matrix

    asked = []
    for number in range(60):
        T = group.forward_kinematics(generator.uniform(group.lower, group.upper))
        request = moveit.request('panda_arm', None, READY)
        pose = request.ik_request.pose_stamped.pose
        turn = pose.orientation
        pose.position.x, pose.position.y, pose.position.z = T[:3, 3].tolist()
        turn.x, turn.y, turn.z, turn.w = map(float, quaternion_from_matrix(T[:3, :3]))
        if number % 3 == 1:
            request.ik_request.constraints.joint_constraints = [wide]
        code = SUCCESS
        if number % 3 == 2:
            pose.position.x, code = ((math.nan, INVALID_GOAL), (9.0, NO_IK_SOLUTION))[number % 2]
        asked.append((T, code, client.call_async(request)))
        # Ten answers are kept for a client that does not look; more would be lost on its side.
        moveit.caller.spin_until(lambda: sum(not f.done() for _, _, f in asked) < 8, 60.0)
    moveit.caller.spin_until(lambda: all(future.done() for _, _, future in asked), 60.0)
    for T, code, future in asked:
        answer = future.result()
        assert answer.error_code.val == code, answer.error_code
        if code == SUCCESS:
            values = moveit.values(answer)
            assert np.abs(robot.link_pose('panda_link8', None, values) - T).max() < 2e-5
