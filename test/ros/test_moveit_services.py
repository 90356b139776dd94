# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What MoveIt's services answer, case by case: as move_group does, or as it should."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
from pathlib import Path
from typing import Any

import ik_node
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from geometry_msgs.msg import Pose, PoseStamped, Transform  # noqa: E402
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

SUCCESS, TIMED_OUT, NO_IK_SOLUTION = 1, -6, -31
INVALID_GROUP_NAME, INVALID_GOAL, INVALID_ROBOT_STATE = -15, -16, -17
INVALID_LINK_NAME, FRAME_TRANSFORM_FAILURE = -18, -21
JOINTS = [f'panda_joint{i}' for i in range(1, 8)]
READY = dict(zip(JOINTS, (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785), strict=True))
NEAR = {name: value + 0.1 for name, value in READY.items()}


@pytest.fixture(scope='module')
def node(start_shared: Callable[..., Any], robots: Path, test_robots: Path) -> Any:
    node = start_shared(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
        publish_joint_states=False,
    )
    return node


@pytest.fixture(scope='module')
def environment(robots: Path, test_robots: Path) -> ik_node.Environment:
    environment = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    environment.add_srdf(test_robots / 'panda.srdf')
    return environment


@pytest.fixture
def at(environment: ik_node.Environment, messages: Any) -> Callable[..., PoseStamped]:
    """Make the pose of a link at joint positions."""

    def make(
        positions: dict[str, float] = READY, link: str = 'panda_link8', frame: str = ''
    ) -> PoseStamped:
        T = environment.link_pose(link, frame or None, positions)
        x, y, z, w = _quat(T)
        return messages.pose(tuple(T[:3, 3]), (x, y, z, w), frame)

    return make


def _quat(T: Any) -> Any:
    from ik_node.ros.transformations import quaternion_from_matrix

    return quaternion_from_matrix(T[:3, :3])


def reaches(environment: Any, values: dict[str, float], positions: Any, link: str) -> float:
    """Distance of the link from where it was to be, position and axes together."""
    T = environment.link_pose(link, None, positions)
    return float(np.abs(environment.link_pose(link, None, values) - T).max())


# --- compute_ik, as the table of move_group has it ---


@pytest.mark.parametrize('service', ['compute_ik', 'solve_ik'])
def test_the_solution(moveit: Any, node: Any, environment: Any, at: Any, service: str) -> None:
    answer = moveit.ask(node, moveit.request('panda_arm', at(), NEAR), service)
    values = moveit.values(answer)
    assert list(values) == JOINTS
    assert reaches(environment, values, READY, 'panda_link8') < 1e-5
    state = answer.solution
    assert state.is_diff
    assert state.joint_state.header.frame_id == 'world'
    assert not state.joint_state.velocity
    assert not state.joint_state.effort
    assert not state.multi_dof_joint_state.joint_names
    assert not state.attached_collision_objects
    assert max(abs(values[name] - NEAR[name]) for name in JOINTS) < 0.2
    assert answer.error_code.source == 'ik_node'
    assert answer.error_code.message == 'solved'


def test_an_unknown_group(moveit: Any, node: Any, at: Any) -> None:
    answer = moveit.ik(node, 'panda_amr', at(), READY)
    assert answer.error_code.val == INVALID_GROUP_NAME
    assert "did you mean 'panda_arm'" in answer.error_code.message
    # A solution is there on success alone.
    assert answer.solution == type(answer.solution)()


def test_a_group_that_is_no_chain(moveit: Any, node: Any, at: Any) -> None:
    answer = moveit.ik(node, 'hand', at(), READY)
    assert answer.error_code.val == INVALID_GROUP_NAME
    assert 'branches' in answer.error_code.message
    assert moveit.ik(node, '', at(), READY).error_code.val == INVALID_GROUP_NAME


@pytest.fixture
def state_of_robot(caller: Any, node: Any) -> Iterator[Callable[[dict[str, float]], None]]:
    """Let the robot say where it is."""
    publisher = caller.node.create_publisher(JointState, f'{node.namespace}/joint_states', 10)

    def say(positions: dict[str, float]) -> None:
        caller.spin_until(lambda: publisher.get_subscription_count() > 0)
        message = JointState(name=list(positions), position=list(positions.values()))
        for _ in range(6):  # while both sides find each other messages are lost
            publisher.publish(message)
            caller.spin_for(0.05)

    yield say
    caller.node.destroy_publisher(publisher)


@pytest.mark.parametrize('is_diff', [False, True])
def test_an_empty_state_is_the_current_one(
    moveit: Any, node: Any, at: Any, state_of_robot: Any, is_diff: bool
) -> None:
    for turn in (0.3, -0.3):
        here = {**READY, 'panda_joint1': turn}
        state_of_robot(here)
        values = moveit.values(moveit.ik(node, 'panda_arm', at(here), {}, is_diff=is_diff))
        assert values == pytest.approx(here, abs=1e-5)


@pytest.mark.parametrize('is_diff', [False, True])
def test_a_partial_state_is_laid_over_the_current_one(
    moveit: Any, node: Any, at: Any, state_of_robot: Any, is_diff: bool
) -> None:
    state_of_robot({**READY, 'panda_joint3': 0.4})
    goal = {**READY, 'panda_joint1': 1.0, 'panda_joint3': 0.4}
    seed = {'panda_joint1': 1.0}
    values = moveit.values(moveit.ik(node, 'panda_arm', at(goal), seed, is_diff=is_diff))
    assert values == pytest.approx(goal, abs=1e-5)


def test_joints_of_another_robot_make_no_difference(moveit: Any, node: Any, at: Any) -> None:
    plain = moveit.values(moveit.ik(node, 'panda_arm', at(), NEAR))
    strange = {'elbow_joint': 1.0, **NEAR, 'wheel': math.nan, 'x' * 10_000: 0.0}
    assert moveit.values(moveit.ik(node, 'panda_arm', at(), strange)) == plain
    only = moveit.ik(node, 'panda_arm', at(), {'elbow_joint': 1.0, 'wheel': 2.0})
    assert only.error_code.val == SUCCESS


@pytest.mark.parametrize('is_diff', [False, True])
def test_an_attached_body_can_be_placed(
    moveit: Any, node: Any, environment: Any, at: Any, is_diff: bool
) -> None:
    body = AttachedCollisionObject(link_name='panda_hand')
    body.object.id = 'cup'
    body.object.pose.position.z = 0.1
    body.object.subframe_names = ['rim']
    rim = Pose()
    rim.position.x = 0.05
    body.object.subframe_poses = [rim]
    offset = np.eye(4)
    offset[:3, 3] = 0.05, 0.0, 0.1
    request = moveit.request('panda_arm', at(), NEAR, is_diff=is_diff, ik_link_name='cup/rim')
    request.ik_request.robot_state.attached_collision_objects = [body]
    values = moveit.values(moveit.ask(node, request))
    T_rim = environment.link_pose('panda_hand', None, values) @ offset
    assert np.abs(T_rim - environment.link_pose('panda_link8', None, READY)).max() < 1e-5
    body.object.operation = CollisionObject.REMOVE
    assert moveit.ask(node, request).error_code.val == INVALID_LINK_NAME


def test_one_pose_in_the_vector_counts_before_the_single_one(
    moveit: Any, node: Any, environment: Any, at: Any
) -> None:
    far = {**READY, 'panda_joint1': 1.0}
    for links in ([], ['panda_hand']):
        fields = {'pose_stamped_vector': [at(link='panda_hand')], 'ik_link_names': links}
        answer = moveit.ik(node, 'panda_arm', at(far), NEAR, **fields)
        link = links[0] if links else 'panda_link8'
        T = environment.link_pose(link, None, moveit.values(answer))
        assert np.abs(T - environment.link_pose('panda_hand', None, READY)).max() < 1e-5


def test_as_many_links_as_poses(moveit: Any, node: Any, at: Any) -> None:
    fields = {'pose_stamped_vector': [at(), at()], 'ik_link_names': ['panda_link8']}
    answer = moveit.ik(node, 'panda_arm', at(), NEAR, **fields)
    assert answer.error_code.val == INVALID_LINK_NAME
    assert '2 poses' in answer.error_code.message
    fields['ik_link_names'] = ['panda_link8', 'panda_hand']
    answer = moveit.ik(node, 'panda_arm', at(), NEAR, **fields)
    assert answer.error_code.val == INVALID_LINK_NAME
    assert 'one pose for each tip' in answer.error_code.message


@pytest.mark.parametrize('frame', ['world', 'panda_link0', 'panda_link3', 'panda_leftfinger'])
def test_frames_are_where_the_state_of_the_request_has_them(
    moveit: Any, node: Any, environment: Any, at: Any, messages: Any, frame: str
) -> None:
    seed = {**NEAR, 'panda_finger_joint1': 0.03}
    T_world_frame = np.eye(4)
    if frame != 'world':
        T_world_frame = environment.link_pose(frame, None, seed)
    T = np.linalg.inv(T_world_frame) @ environment.link_pose('panda_link8', None, READY)
    pose = messages.pose(tuple(T[:3, 3]), tuple(_quat(T)), frame)
    pose.header.stamp.sec = 1_700_000_000  # the latest state counts, whatever the stamp
    values = moveit.values(moveit.ik(node, 'panda_arm', pose, seed))
    assert reaches(environment, values, READY, 'panda_link8') < 1e-5


@pytest.mark.parametrize('frame', ['nowhere', '/panda_link0', 'panda_link0 ', 'x' * 10_000])
def test_an_unknown_frame(moveit: Any, node: Any, messages: Any, frame: str) -> None:
    answer = moveit.ik(node, 'panda_arm', messages.pose(frame=frame), NEAR)
    assert answer.error_code.val == FRAME_TRANSFORM_FAILURE
    assert len(answer.error_code.message) < 1000


def test_a_link_that_does_not_hang_on_the_tip(moveit: Any, node: Any, at: Any) -> None:
    answer = moveit.ik(node, 'panda_arm', at(), NEAR, ik_link_name='panda_link5')
    assert answer.error_code.val == INVALID_LINK_NAME
    assert 'panda_joint6, panda_joint7' in answer.error_code.message


def test_out_of_reach_is_told_why(moveit: Any, node: Any, messages: Any) -> None:
    answer = moveit.ik(node, 'panda_arm', messages.pose((3.0, 0.0, 0.5)), NEAR, timeout=0.1)
    assert answer.error_code.val == NO_IK_SOLUTION
    assert 'out of reach' in answer.error_code.message
    assert answer.solution == type(answer.solution)()


def test_the_timeout_counts_to_the_nanosecond(
    moveit: Any, messages: Any, start_node: Any, test_robots: Path
) -> None:
    """Two arms on one torso that cannot both point where they are to point."""
    node = start_node(
        robot_description_file=str(test_robots / 'two_arms.urdf'),
        robot_description_semantic=(test_robots / 'two_arms.srdf').read_text(),
        max_timeout=1.0,
    )
    robot = ik_node.Environment.from_urdf(test_robots / 'two_arms.urdf')
    poses = []
    for link, turn in (('ltool', 0.0), ('rtool', 1.2)):
        T = robot.link_pose(link, None, {'turn': turn})
        poses.append(messages.pose(tuple(T[:3, 3]), tuple(_quat(T))))
    fields = {'pose_stamped_vector': poses, 'ik_link_names': ['ltool', 'rtool']}

    def starts(timeout: float, code: int) -> int:
        """Count what the message says that the time sufficed for."""
        answer = moveit.ik(node, 'whole', None, {}, timeout=timeout, **fields)
        assert answer.error_code.val == code
        return int(answer.error_code.message.partition('(')[2].split()[0])

    least, usual = starts(1e-9, TIMED_OUT), starts(0.0, NO_IK_SOLUTION)
    # 0 is the default of 50 ms, and its end is no news to who gave no time.
    assert least < usual < starts(0.9, TIMED_OUT)


def test_a_timeout_that_is_negative_or_too_long(moveit: Any, node: Any, at: Any) -> None:
    request = moveit.request('panda_arm', at(), NEAR)
    request.ik_request.timeout.sec = -1
    answer = moveit.ask(node, request)
    assert answer.error_code.val == SUCCESS
    assert 'negative' in answer.error_code.message
    answer = moveit.ik(node, 'panda_arm', at(), NEAR, timeout=1e6)
    assert answer.error_code.val == SUCCESS
    assert 'shortened to max_timeout' in answer.error_code.message


def test_collisions_are_said_not_to_be_avoided(moveit: Any, node: Any, at: Any) -> None:
    plain = moveit.ik(node, 'panda_arm', at(), NEAR)
    answer = moveit.ik(node, 'panda_arm', at(), NEAR, avoid_collisions=True)
    assert moveit.values(answer) == moveit.values(plain)
    assert 'no collision model' in answer.error_code.message


# --- what cannot mean anything ---


@pytest.mark.parametrize(
    ('change', 'code'),
    [
        (lambda r: setattr(r.pose_stamped.pose.position, 'x', math.nan), INVALID_GOAL),
        (lambda r: setattr(r.pose_stamped.pose.orientation, 'z', math.inf), INVALID_GOAL),
        (lambda r: setattr(r.pose_stamped.pose, 'orientation', _zero()), INVALID_GOAL),
        (lambda r: r.robot_state.joint_state.position.pop(), INVALID_ROBOT_STATE),
        (lambda r: r.robot_state.joint_state.position.append(0.0), INVALID_ROBOT_STATE),
        (
            lambda r: r.robot_state.joint_state.position.__setitem__(0, math.nan),
            INVALID_ROBOT_STATE,
        ),
        (
            lambda r: setattr(r.robot_state.multi_dof_joint_state, 'joint_names', ['world_joint']),
            INVALID_ROBOT_STATE,
        ),
        (lambda r: setattr(r, 'ik_link_name', 'no_such_link'), INVALID_LINK_NAME),
        (lambda r: setattr(r, 'ik_link_name', 'world'), INVALID_LINK_NAME),
    ],
)
def test_a_request_that_means_nothing(
    moveit: Any, node: Any, at: Any, change: Callable[[Any], None], code: int
) -> None:
    request = moveit.request('panda_arm', at(), NEAR)
    change(request.ik_request)
    answer = moveit.ask(node, request)
    assert answer.error_code.val == code
    assert answer.error_code.message
    assert answer.solution == type(answer.solution)()


def _zero() -> Any:
    quaternion = Pose().orientation
    quaternion.w = 0.0
    return quaternion


def test_a_rounded_quaternion_is_normalised(moveit: Any, node: Any, environment: Any) -> None:
    pose = PoseStamped()
    pose.pose.position.x, pose.pose.position.z = 0.45, 0.5
    turn = pose.pose.orientation
    turn.x, turn.y, turn.z, turn.w = 0.705, 0.0, 0.705, 0.0
    assert moveit.ik(node, 'panda_arm', pose, NEAR).error_code.val == SUCCESS


def test_a_fixed_virtual_joint_in_the_state(moveit: Any, node: Any, at: Any) -> None:
    """The stock plugin sends every joint with several degrees of freedom."""
    request = moveit.request('panda_arm', at(), NEAR)
    several = request.ik_request.robot_state.multi_dof_joint_state
    several.joint_names, several.transforms = ['world_joint', 'odom'], [Transform(), Transform()]
    assert moveit.ask(node, request).error_code.val == SUCCESS


# --- compute_fk ---


def test_forward_kinematics(moveit: Any, node: Any, environment: Any) -> None:
    links = ['panda_hand', 'panda_leftfinger', 'panda_link0']
    state = {**NEAR, 'panda_finger_joint1': 0.02}
    # The second finger follows the first, whatever is said about it.
    seed = {**state, 'panda_finger_joint2': 0.9, 'wheel': 1.0}
    for frame in ('', 'world', 'panda_link4'):
        answer = moveit.fk(node, links, seed, frame)
        assert answer.error_code.val == SUCCESS
        assert list(answer.fk_link_names) == links
        for link, pose in zip(links, answer.pose_stamped, strict=True):
            reference = frame if frame.startswith('panda') else None
            T = environment.link_pose(link, reference, state)
            assert pose.header.frame_id == (frame or 'world')
            assert pose.header.stamp.sec > 0
            point = pose.pose.position
            assert [point.x, point.y, point.z] == pytest.approx(T[:3, 3], abs=1e-9)


def test_known_links_are_answered_beside_unknown_ones(moveit: Any, node: Any) -> None:
    answer = moveit.fk(node, ['nobody', '/panda_hand'], NEAR)
    assert answer.error_code.val == INVALID_LINK_NAME
    assert "'nobody'" in answer.error_code.message
    assert list(answer.fk_link_names) == ['panda_hand']
    assert len(answer.pose_stamped) == 1
    answer = moveit.fk(node, [], NEAR)
    assert answer.error_code.val == INVALID_LINK_NAME
    assert not answer.pose_stamped


def test_an_unknown_frame_leaves_the_poses_in_the_model_frame(moveit: Any, node: Any) -> None:
    plain = moveit.fk(node, ['panda_hand'], NEAR)
    answer = moveit.fk(node, ['panda_hand'], NEAR, 'nowhere')
    assert answer.error_code.val == FRAME_TRANSFORM_FAILURE
    assert answer.pose_stamped[0].header.frame_id == 'world'
    assert answer.pose_stamped[0].pose == plain.pose_stamped[0].pose


def test_a_state_that_means_nothing_has_no_poses(moveit: Any, node: Any) -> None:
    answer = moveit.fk(node, ['panda_hand'], {'panda_joint1': math.nan})
    assert answer.error_code.val == INVALID_ROBOT_STATE
    assert not answer.pose_stamped
