# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Where things are: bases that move, attached bodies, the state that nobody sent."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import ik_node
from ik_node.ros.transformations import matrix_from_quaternion, quaternion_from_matrix
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from geometry_msgs.msg import Pose, Transform  # noqa: E402
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

SUCCESS, INVALID_LINK_NAME, FRAME_TRANSFORM_FAILURE = 1, -18, -21
NO_IK_SOLUTION = -31
ARM = {'lj1': 0.3, 'lj3': 0.4}


def matrix(pose: Any) -> Any:
    T, p, q = np.eye(4), pose.position, pose.orientation
    T[:3, :3] = matrix_from_quaternion(np.array([q.x, q.y, q.z, q.w]))
    T[:3, 3] = p.x, p.y, p.z
    return T


@pytest.fixture(scope='module')
def node(start_shared: Callable[..., Any], test_robots: Path) -> Any:
    """Start a robot whose torso turns below its arms, in a map."""
    srdf = (test_robots / 'two_arms.srdf').read_text()
    stand = (
        '<virtual_joint name="stand" type="planar" parent_frame="map" child_link="base"/></robot>'
    )
    return start_shared(
        robot_description_file=str(test_robots / 'two_arms.urdf'),
        robot_description_semantic=srdf.replace('</robot>', stand),
        publish_joint_states=False,
    )


@pytest.fixture(scope='module')
def robot(test_robots: Path) -> ik_node.Environment:
    return ik_node.Environment.from_urdf(test_robots / 'two_arms.urdf')


def cup(is_removed: bool = False) -> AttachedCollisionObject:
    """Make a body on the right tool, 0.1 m ahead, with a subframe 0.2 m above it."""
    body = AttachedCollisionObject(link_name='rtool')
    body.object.id, body.object.pose.position.x = 'cup', 0.1
    rim = Pose()
    rim.position.z = 0.2
    body.object.subframe_names, body.object.subframe_poses = ['rim'], [rim]
    if is_removed:
        body.object.operation = CollisionObject.REMOVE
    return body


def test_the_base_of_the_group_is_where_the_request_has_it(
    moveit: Any, node: Any, robot: Any, messages: Any
) -> None:
    """The stock plugin names the base link, and its state says where that is."""
    for turn in (0.0, 0.7, -2.0):
        state = {**ARM, 'turn': turn, 'lj2': 0.6}
        for frame in ('torso', 'base', 'rtool', 'map'):
            T = robot.link_pose('ltool', None if frame == 'map' else frame, state)
            pose = messages.pose(tuple(T[:3, 3]), tuple(quaternion_from_matrix(T[:3, :3])), frame)
            seed = {name: value + 0.1 for name, value in ARM.items()}
            request = moveit.request('left', pose, {**state, **seed})
            values = moveit.values(moveit.ask(node, request, 'solve_ik'))
            assert values == pytest.approx(ARM, abs=1e-5), (turn, frame)


def test_forward_kinematics_of_bodies_and_their_subframes(
    moveit: Any, node: Any, robot: Any
) -> None:
    request = moveit.forward.Request(fk_link_names=['cup', '/cup/rim', 'cup/handle', 'rtool'])
    state = request.robot_state
    state.joint_state.name, state.joint_state.position = ['rj1', 'turn'], [0.4, 0.3]
    state.attached_collision_objects = [cup()]
    for is_diff in (False, True):
        state.is_diff = is_diff
        for frame in ('', 'base', 'ltool', 'cup'):
            request.header.frame_id = frame
            answer = moveit.caller.call_other(
                f'{node.namespace}/compute_fk', moveit.forward, request
            )
            # The handle is nowhere; the others are answered all the same.
            assert answer.error_code.val == INVALID_LINK_NAME
            assert "'cup/handle'" in answer.error_code.message
            assert list(answer.fk_link_names) == ['cup', 'cup/rim', 'rtool']
            at = {'rj1': 0.4, 'turn': 0.3}
            T_tool = robot.link_pose('rtool', None, at)
            T_cup, T_rim = T_tool.copy(), T_tool.copy()
            T_cup[:3, 3] = (T_tool @ [0.1, 0.0, 0.0, 1.0])[:3]
            T_rim[:3, 3] = (T_tool @ [0.1, 0.0, 0.2, 1.0])[:3]
            T_frame = {'': np.eye(4), 'base': np.eye(4), 'cup': T_cup}.get(frame)
            if T_frame is None:
                T_frame = robot.link_pose(frame, None, at)
            for stamped, T in zip(answer.pose_stamped, (T_cup, T_rim, T_tool), strict=True):
                assert stamped.header.frame_id == (frame or 'map')
                assert matrix(stamped.pose) == pytest.approx(np.linalg.inv(T_frame) @ T, abs=1e-9)
    state.attached_collision_objects = [cup(is_removed=True)]
    request.header.frame_id = 'cup'
    answer = moveit.caller.call_other(f'{node.namespace}/compute_fk', moveit.forward, request)
    assert answer.error_code.val == FRAME_TRANSFORM_FAILURE
    assert list(answer.fk_link_names) == ['rtool']
    assert answer.pose_stamped[0].header.frame_id == 'map'


def test_a_body_goes_with_its_link_in_whatever_frame_it_is_told(
    moveit: Any, node: Any, robot: Any
) -> None:
    """At the state of the request, and from then on with the link."""
    seed = {'rj1': 0.4, 'rj2': 0.5, 'rj3': -0.2}
    goal = {'rj1': 0.3, 'rj2': 0.7, 'rj3': 0.1}
    T_tool = robot.link_pose('rtool', None, seed)
    T_tool_cup = np.eye(4)
    T_tool_cup[:3, 3] = 0.1, 0.05, 0.0
    for frame in ('rtool', '', 'base', 'map', 'r2', 'ltool'):
        T_frame = np.eye(4)
        if frame not in ('map', ''):
            T_frame = robot.link_pose(frame, None, seed)
        T = T_tool_cup if not frame else np.linalg.inv(T_frame) @ T_tool @ T_tool_cup
        body = AttachedCollisionObject(link_name='rtool')
        body.object.id, body.object.header.frame_id = 'cup', frame
        p, q = body.object.pose.position, body.object.pose.orientation
        p.x, p.y, p.z = T[:3, 3].tolist()
        q.x, q.y, q.z, q.w = map(float, quaternion_from_matrix(T[:3, :3]))
        wanted = robot.link_pose('rtool', None, goal) @ T_tool_cup
        request = moveit.request('right', None, seed, ik_link_name='cup')
        pose = request.ik_request.pose_stamped.pose
        pose.position.x, pose.position.y, pose.position.z = wanted[:3, 3].tolist()
        q = pose.orientation
        q.x, q.y, q.z, q.w = map(float, quaternion_from_matrix(wanted[:3, :3]))
        request.ik_request.robot_state.attached_collision_objects = [body]
        values = moveit.values(moveit.ask(node, request))
        assert values == pytest.approx(goal, abs=1e-5), frame
    # In a frame that is nowhere it is nowhere.
    body.object.header.frame_id = 'nowhere'
    assert moveit.ask(node, request).error_code.val == INVALID_LINK_NAME


@pytest.mark.parametrize('is_diff', [False, True])
def test_bodies_of_one_request_are_not_those_of_the_next(
    moveit: Any, node: Any, is_diff: bool
) -> None:
    """Nothing is attached to the robot of the node: what a request says holds for it alone."""
    goal = moveit.fk(node, ['rtool'], {'rj1': 0.4, 'rj2': 0.5}).pose_stamped[0]
    request = moveit.request('right', goal, {'rj1': 0.4, 'rj2': 0.5}, is_diff=is_diff)
    request.ik_request.ik_link_name = 'cup/rim'
    assert moveit.ask(node, request).error_code.val == INVALID_LINK_NAME
    request.ik_request.robot_state.attached_collision_objects = [cup()]
    # The rim is out of the plane of the arm, and the goal in it.
    assert moveit.ask(node, request).error_code.val == NO_IK_SOLUTION
    request.ik_request.pose_stamped.pose.position.z = 0.2
    assert moveit.ask(node, request).error_code.val == SUCCESS
    request.ik_request.robot_state.attached_collision_objects = []
    assert moveit.ask(node, request).error_code.val == INVALID_LINK_NAME


def test_the_robot_stands_where_the_virtual_joint_of_the_request_says(
    moveit: Any, node: Any, robot: Any, messages: Any
) -> None:
    state = {**ARM, 'lj2': 0.6}
    T = robot.link_pose('ltool', None, state)
    stand = Transform()
    stand.translation.x, stand.translation.y = 2.0, 1.0
    pose = messages.pose((T[0, 3] + 2.0, T[1, 3] + 1.0, 0.0), (0, 0, 0, 1), 'map')
    x, y, z, w = map(float, quaternion_from_matrix(T[:3, :3]))
    turn = pose.pose.orientation
    turn.x, turn.y, turn.z, turn.w = x, y, z, w
    for frame in ('map', ''):
        pose.header.frame_id = frame
        request = moveit.request('left', pose, state)
        several = request.ik_request.robot_state.multi_dof_joint_state
        several.joint_names, several.transforms = ['stand'], [stand]
        values = moveit.values(moveit.ask(node, request, 'solve_ik'))
        assert values == pytest.approx(ARM, abs=1e-5)
        # Without it the robot stands at the origin, and the pose is out of its reach.
        request = moveit.request('left', pose, state)
        assert moveit.ask(node, request).error_code.val == NO_IK_SOLUTION


def test_forward_kinematics_of_the_current_state(
    moveit: Any, node: Any, robot: Any, caller: Any
) -> None:
    """What the request leaves open is where the robot is, and stamps are those of the answer."""
    publisher = caller.node.create_publisher(JointState, f'{node.namespace}/joint_states', 10)
    caller.spin_until(lambda: publisher.get_subscription_count() > 0)
    try:
        for rj1 in (0.5, -0.5):
            there = robot.link_pose('rtool', 'base', {'rj1': rj1, 'rj2': 0.2})
            # Told again until it is known: while both sides find each other messages are lost.
            for _ in range(100):
                publisher.publish(JointState(name=['rj1', 'rj2'], position=[rj1, 0.2]))
                caller.spin_for(0.05)
                answer = moveit.fk(node, ['rtool'], {}, 'base')
                if np.allclose(matrix(answer.pose_stamped[0].pose), there):
                    break
            for named in ({}, {'rj2': -0.7}, {'wheel': 1.0}):
                before = caller.node.get_clock().now().nanoseconds
                answer = moveit.fk(node, ['rtool'], named, 'base')
                assert answer.error_code.val == SUCCESS
                stamped = answer.pose_stamped[0]
                at = {'rj1': rj1, 'rj2': named.get('rj2', 0.2)}
                T = robot.link_pose('rtool', 'base', at)
                assert matrix(stamped.pose) == pytest.approx(T, abs=1e-9)
                stamp = stamped.header.stamp
                assert stamp.sec * 10**9 + stamp.nanosec >= before
    finally:
        caller.node.destroy_publisher(publisher)


def test_a_solver_that_starts_from_the_seed_alone(
    moveit: Any, start_node: Callable[..., Any], robots: Path, generator: np.random.Generator
) -> None:
    """As pick_ik's mode local, by the parameters of the group; keys of the plugin are told so."""
    robot = {
        'robot_description_file': str(robots / 'ur5e.urdf'),
        'base': 'base_link',
        'tip': 'tool0',
    }
    prefix = 'robot_description_kinematics.arm'
    local = start_node(
        **robot,
        **{
            f'{prefix}.mode': 'local',
            f'{prefix}.redundant_joints': ['wrist_3_joint'],
            f'{prefix}.approximate_solution_position_threshold': 0.1,
            f'{prefix}.kinematics_solver_search_resolution': 0.01,
        },
    )
    usual = start_node(**robot)
    group = ik_node.Environment.from_urdf(robots / 'ur5e.urdf').create_group(
        'arm', 'base_link', 'tool0'
    )
    codes: list[tuple[int, int]] = []
    for _ in range(30):
        goal, seed = generator.uniform(group.lower, group.upper, (2, 6))
        named = group.named_positions(goal)
        pose = moveit.fk(usual, ['tool0'], named, 'base_link').pose_stamped[0]
        at = group.named_positions(seed)
        first, second = (moveit.ik(node, 'arm', pose, at).error_code for node in (local, usual))
        codes.append((first.val, second.val))
    assert set(codes) == {(SUCCESS, SUCCESS), (NO_IK_SOLUTION, SUCCESS)}
    assert 'redundant_joints is for the plugin in Python' in local.log
    assert 'approximate_solution_position_threshold is for the plugin in Python' in local.log
    assert 'search_resolution is' not in local.log


def test_where_a_group_says_nothing_the_node_does(
    moveit: Any, start_node: Callable[..., Any], test_robots: Path, messages: Any
) -> None:
    """A pose 5 mm out of the plane is near enough for the node; not for a group that says so."""
    prefix = 'robot_description_kinematics'
    srdf = (test_robots / 'planar_tool.srdf').read_text()
    more = ''.join(f'<group name="{name}"><group name="arm"/></group>' for name in ('b', 'c'))
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'planar_tool.urdf'),
            'robot_description_semantic': srdf.replace('</robot>', f'{more}</robot>'),
            'position_tolerance': 0.01,
            f'{prefix}.arm.position_tolerance': 1e-4,
            f'{prefix}.b.prefer': 'fast',
        }
    )
    pose = moveit.fk(node, ['flange'], {'j1': -0.5, 'j2': 1.0}).pose_stamped[0]
    pose.pose.position.z = 0.005
    for group, code in (('arm', NO_IK_SOLUTION), ('b', SUCCESS), ('c', SUCCESS)):
        answer = moveit.ik(node, group, pose, {'j1': -0.4, 'j2': 0.9})
        assert answer.error_code.val == code, group
    node.wait_for_log('no kinematics parameters for group', seconds=20.0)


def test_no_group_has_more_time_than_the_node(
    moveit: Any, start_node: Callable[..., Any], test_robots: Path, robot: Any, messages: Any
) -> None:
    """Two arms on one torso cannot both have these poses, and a minute would be spent on it."""
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'two_arms.urdf'),
            'robot_description_semantic': (test_robots / 'two_arms.srdf').read_text(),
            'max_timeout': 0.2,
            'robot_description_kinematics.whole.kinematics_solver_timeout': 60.0,
        }
    )
    poses = []
    for link, turn in (('ltool', 0.0), ('rtool', 1.2)):
        T = robot.link_pose(link, None, {'turn': turn})
        poses.append(messages.pose(tuple(T[:3, 3]), tuple(quaternion_from_matrix(T[:3, :3]))))
    fields = {'pose_stamped_vector': poses, 'ik_link_names': ['ltool', 'rtool']}
    # The wait for an answer ends after 20 s.
    answer = moveit.ik(node, 'whole', None, {}, **fields)
    assert answer.error_code.val == NO_IK_SOLUTION


def test_the_answer_is_inside_the_limits_and_nearest(
    moveit: Any, start_node: Callable[..., Any], robots: Path, generator: np.random.Generator
) -> None:
    """An arm whose joints turn twice: the turn of the seed is kept, as far as the limits go."""
    node = start_node(
        robot_description_file=str(robots / 'ur5e.urdf'), base='base_link', tip='tool0'
    )
    robot = ik_node.Environment.from_urdf(robots / 'ur5e.urdf')
    group = robot.create_group('arm', 'base_link', 'tool0')
    for _ in range(20):
        q = generator.uniform(-1.2, 1.2, 6)
        q[2] = 1.0 + abs(q[2])
        turns = generator.integers(-1, 2, 6) * 2.0 * math.pi
        turns[2] = 0.0  # the elbow has no second turn
        goal = q + turns
        outside = (goal < group.lower) | (goal > group.upper)
        goal[outside] = q[outside]
        named = dict(zip(group.joint_names, goal.tolist(), strict=True))
        pose = moveit.fk(node, ['tool0'], named, 'base_link').pose_stamped[0]
        seed = {name: value + 0.01 for name, value in named.items()}
        values = moveit.values(moveit.ik(node, 'arm', pose, seed))
        found = np.array([values[name] for name in group.joint_names])
        assert (group.lower <= found).all()
        assert (found <= group.upper).all()
        assert found == pytest.approx(goal, abs=1e-4)
