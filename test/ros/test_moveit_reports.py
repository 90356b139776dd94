# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What users of MoveIt reported, over DDS: each case as it should have gone."""

from __future__ import annotations

from collections.abc import Callable
import math
import os
from pathlib import Path
from typing import Any

import ik_node
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from moveit_msgs.msg import JointConstraint  # noqa: E402

from ik_node_interfaces.srv import Solve  # noqa: E402

SUCCESS, NO_IK_SOLUTION = 1, -31
INVALID_GROUP_NAME, INVALID_ROBOT_STATE, INVALID_LINK_NAME = -15, -17, -18
INVALID_GOAL = -16
UP = {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}
DOWN = {'j1': 0.5, 'j2': -1.0, 'j3': 1.2}


@pytest.fixture(scope='module')
def planar(start_shared: Callable[..., Any], test_robots: Path) -> Any:
    return start_shared(
        robot_description_file=str(test_robots / 'planar_tool.urdf'),
        robot_description_semantic=(test_robots / 'planar_tool.srdf').read_text(),
    )


@pytest.fixture(scope='module')
def two_arms(start_shared: Callable[..., Any], test_robots: Path) -> Any:
    return start_shared(
        robot_description_file=str(test_robots / 'two_arms.urdf'),
        robot_description_semantic=(test_robots / 'two_arms.srdf').read_text(),
    )


@pytest.fixture
def pose(messages: Any) -> Callable[..., Any]:
    """Make the pose in the plane that joint angles lead to."""

    def make(q: dict[str, float], z: float = 0.0, frame: str = '', reach: float = 3.0) -> Any:
        angles = np.cumsum([q['j1'], q['j2'], q['j3']])
        lengths = np.array([1.0, 1.0, reach - 2.0])
        half = angles[-1] / 2
        return messages.pose(
            (float(lengths @ np.cos(angles)), float(lengths @ np.sin(angles)), z),
            (0.0, 0.0, math.sin(half), math.cos(half)),
            frame,
        )

    return make


def test_p01_a_reply_within_the_timeout(moveit: Any, planar: Any, pose: Any) -> None:
    for service in ('compute_ik', 'solve_ik'):
        request = moveit.request('arm', pose(UP), UP, avoid_collisions=True)
        # The wait for an answer is bounded.
        assert moveit.ask(planar, request, service).error_code.val == SUCCESS


def test_p11_the_named_link_reaches_the_pose(moveit: Any, planar: Any, pose: Any) -> None:
    for link, z in (('', 0.0), ('flange', 0.0), ('tool0', 0.2), ('/tool0', 0.2)):
        answer = moveit.ik(planar, 'arm', pose(UP, z), UP, ik_link_name=link)
        assert moveit.values(answer) == pytest.approx(UP, abs=1e-5)
    answer = moveit.ik(planar, 'arm', pose(UP), UP, ik_link_name='no_such_link')
    assert answer.error_code.val == INVALID_LINK_NAME
    assert "unknown link 'no_such_link'" in answer.error_code.message
    # A joint outside of the group stays where the seed has it.
    for grip in (0.1, 0.4):
        seed = {**UP, 'grip': grip}
        answer = moveit.ik(planar, 'arm', pose(UP, grip), seed, ik_link_name='finger')
        assert moveit.values(answer) == pytest.approx(seed, abs=1e-5)
        answer = moveit.ik(planar, 'arm', pose(UP, 0.0), seed, ik_link_name='finger')
        assert answer.error_code.val == NO_IK_SOLUTION


ABC = (
    '<robot name="r">'
    + ''.join(f'<link name="{n}"/>' for n in ('base', 'l1', 'l2', 'tip', 'thumb', 'finger'))
    + ''.join(
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" '
        f'velocity="1"/>{more}</joint>'
        for name, parent, child, x, more in (
            ('a', 'base', 'l1', 0, ''),
            ('b', 'l1', 'l2', 1, ''),
            ('c', 'l2', 'tip', 1, ''),
            ('gripper', 'tip', 'thumb', 0, ''),
            ('follower', 'tip', 'finger', 0, '<mimic joint="gripper" multiplier="-2"/>'),
        )
    )
    + '</robot>'
)


def test_p13_seeds_are_read_by_name(moveit: Any, start_node: Any) -> None:
    """Shuffled, partial, empty, without positions, twice, and with what follows another joint."""
    node = start_node(
        robot_description=ABC,
        robot_description_semantic='<robot name="r"><group name="arm"><chain base_link="base" '
        'tip_link="tip"/></group></robot>',
    )
    goal = {'a': -0.5, 'b': 1.0, 'c': 0.2}
    pose = moveit.fk(node, ['tip'], goal).pose_stamped[0]
    for seed, others in (
        ({'gripper': 0.3, 'c': 0.1, 'a': -0.4, 'b': 0.9}, {'gripper': 0.3}),
        ({'b': 0.4}, {}),
        ({}, {}),
        ({'gripper': 0.7, 'b': 0.9, 'follower': 2.5}, {'gripper': 0.7, 'follower': -1.4}),
        ({'follower': 2.5, 'b': 0.9}, {'follower': 0.0}),
        ({'b': 0.9, 'wheel': 3.0}, {}),
    ):
        answer = moveit.ik(node, 'arm', pose, seed)
        values = moveit.values(answer)
        assert list(values) == ['a', 'b', 'c', *others]
        assert {name: values[name] for name in others} == others
        assert {name: values[name] for name in goal} == pytest.approx(goal, abs=1e-5)
        request = moveit.request('arm', pose, seed)
        assert list(moveit.values(moveit.ask(node, request, 'solve_ik'))) == ['a', 'b', 'c']
    assert 'ERROR' not in node.log
    request = moveit.request('arm', pose, goal)
    joints = request.ik_request.robot_state.joint_state
    joints.position = []
    for service in ('compute_ik', 'solve_ik'):
        assert moveit.ask(node, request, service).error_code.val == INVALID_ROBOT_STATE
    joints.name, joints.position = ['a', 'a'], [0.1, 0.2]
    answer = moveit.ask(node, request)
    assert answer.error_code.val == INVALID_ROBOT_STATE
    assert "'a' at 0.1 and at 0.2" in answer.error_code.message
    joints.position = [0.1, 0.1]
    assert moveit.ask(node, request).error_code.val == SUCCESS


def test_p13_a_mimic_joint_is_named_and_recomputed(
    moveit: Any, start_node: Any, test_robots: Path
) -> None:
    file = test_robots / 'planar_mimic.urdf'
    node = start_node(robot_description_file=str(file))
    robot = ik_node.Environment.from_urdf(file)
    group = robot.create_group('arm')
    (drive,) = group.joint_names
    (follower,) = set(robot.moving_joint_names) - {drive}
    fk = moveit.fk(node, [group.tip], {drive: 0.4})
    answer = moveit.ik(node, 'arm', fk.pose_stamped[0], {drive: 0.2, follower: 3.0})
    values = moveit.values(answer)
    assert values == pytest.approx(group.named_positions([0.4]), abs=1e-5)
    assert set(values) == {drive, follower}


def test_p32_positions_are_measured_in_the_named_frame(
    caller: Any, moveit: Any, messages: Any, start_node: Any
) -> None:
    """Only x and y are wanted, seen from a world that is 0.36 m behind the arm."""
    links = ''.join(f'<link name="{name}"/>' for name in ('world', 'arm_base', 'l1', 'l2', 'tip'))
    joints = ''.join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>'
        for name, kind, parent, child, x in (
            ('stand', 'fixed', 'world', 'arm_base', 0.36),
            ('j1', 'continuous', 'arm_base', 'l1', 0),
            ('j2', 'continuous', 'l1', 'l2', 0.5),
            ('end', 'fixed', 'l2', 'tip', 0.5),
        )
    )
    node = start_node(
        **{
            'robot_description': f'<robot name="r">{links}{joints}</robot>',
            'base': 'arm_base',
            'tip': 'tip',
            'robot_description_kinematics.arm.target_type': 'TranslationXY2D',
        }
    )
    goal = messages.pose((1.0, 0.5, 99.0), frame='world')
    answer = moveit.ik(node, 'arm', goal, {'j2': 1.0})
    tip = moveit.fk(node, ['tip'], moveit.values(answer), 'world').pose_stamped[0].pose.position
    assert (tip.x, tip.y, tip.z) == pytest.approx((1.0, 0.5, 0.0), abs=1e-5)
    seen = moveit.fk(node, ['tip'], moveit.values(answer), 'arm_base').pose_stamped[0].pose
    assert (seen.position.x, seen.position.y) == pytest.approx((0.64, 0.5), abs=1e-5)
    assert 'group arm: looked for robot_description_kinematics.arm' in node.log


def test_p32_an_angle_about_the_z_axis_of_the_named_frame(
    moveit: Any, messages: Any, start_node: Any, test_robots: Path
) -> None:
    """x, y and where the tool points, in a frame that is turned; a tilted one has none."""
    node = start_node(
        **{
            'robot_description': (test_robots / 'planar_tool.urdf')
            .read_text()
            .replace(
                '<link name="base"/>',
                '<link name="world"/><link name="base"/>'
                '<link name="wall"/>'
                '<joint name="stand" type="fixed"><parent link="world"/><child link="base"/>'
                '<origin xyz="0.36 0 0" rpy="0 0 0.4"/></joint>'
                '<joint name="hung" type="fixed"><parent link="world"/><child link="wall"/>'
                '<origin xyz="0 0 0" rpy="1.2 0 0"/></joint>',
            ),
            'base': 'base',
            'tip': 'flange',
            'robot_description_kinematics.arm.iktype': 'TranslationXYOrientation3D',
            'robot_description_kinematics.arm.direction': [1.0, 0.0, 0.0],
        }
    )
    half = 0.45
    goal = messages.pose((1.36, 1.5, 99.0), (0, 0, math.sin(half), math.cos(half)), 'world')
    values = moveit.values(moveit.ik(node, 'arm', goal, {'j1': 0.3, 'j2': 1.0}))
    reached = moveit.fk(node, ['flange'], values, 'world').pose_stamped[0].pose
    assert (reached.position.x, reached.position.y) == pytest.approx((1.36, 1.5), abs=1e-5)
    assert reached.position.z == pytest.approx(0.0, abs=1e-9)
    assert 2.0 * math.atan2(reached.orientation.z, reached.orientation.w) == pytest.approx(
        2.0 * half, abs=1e-5
    )
    goal.header.frame_id = 'wall'
    answer = moveit.ik(node, 'arm', goal, {'j2': 1.0})
    assert answer.error_code.val == INVALID_GOAL
    assert 'axis' in answer.error_code.message


def test_p38_limits_of_the_config_package_win(
    moveit: Any, start_node: Any, test_robots: Path, pose: Any
) -> None:
    prefix = 'robot_description_planning.joint_limits.j2'
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'planar_tool.urdf'),
            'base': 'base',
            'tip': 'flange',
            f'{prefix}.has_position_limits': True,
            f'{prefix}.max_position': 1.0,
            f'{prefix}.max_velocity': 3.0,
            'robot_description_planning.joint_limits.nobody.has_position_limits': True,
        }
    )
    goal = {'j1': -1.0, 'j2': 2.0, 'j3': 0.3}
    values = moveit.values(moveit.ik(node, 'arm', pose(goal), goal))
    assert values['j2'] == pytest.approx(-2.0, abs=1e-5)  # the other branch
    blocked = {'j1': -2.9, 'j2': 2.0, 'j3': 2.9}
    request = moveit.request('arm', pose(blocked), blocked)
    below = JointConstraint(joint_name='j2', position=2.0, tolerance_above=0.5)
    request.ik_request.constraints.joint_constraints = [below]
    answer = moveit.ask(node, request)
    assert answer.error_code.val == NO_IK_SOLUTION


def test_p39_what_was_looked_for_is_told(
    moveit: Any, start_node: Any, test_robots: Path, pose: Any
) -> None:
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'planar_tool.urdf'),
            'base': 'base',
            'tip': 'flange',
            'robot_description_kinematics.amr.kinematics_solver_timeout': 0.1,
        }
    )
    assert moveit.ik(node, 'arm', pose(UP), UP).error_code.val == SUCCESS
    node.wait_for_log("did you mean 'amr'?", seconds=20.0)
    assert 'looked for robot_description_kinematics.arm and arm, found amr' in node.log


def test_p40_the_tip_is_the_end_of_the_chain(moveit: Any, start_node: Any, robots: Path) -> None:
    """Not the parent link of the end effector, which is one link before it."""
    text = (robots / 'ur5e.urdf').read_text()
    # A tool that is not where the wrist is, so that the two cannot be taken for each other.
    before, _, after = text.partition('name="wrist_3_tool0_joint"')
    assert '<origin xyz="0 0 0" rpy="0 0 0"/>' in after
    after = after.replace('xyz="0 0 0" rpy="0 0 0"', 'xyz="0 0.1 0.2" rpy="0.3 0 0"')
    text = f'{before}name="wrist_3_tool0_joint"{after}'
    node = start_node(
        robot_description=text,
        robot_description_semantic='<robot name="ur5e"><group name="arm">'
        '<chain base_link="base_link" tip_link="tool0"/></group>'
        '<group name="hand"><link name="tool0"/></group><end_effector name="ee" group="hand" '
        'parent_link="wrist_3_link"/></robot>',
    )
    seed = {'shoulder_lift_joint': -1.2, 'elbow_joint': 1.5, 'wrist_1_joint': -0.4}
    links = ['tool0', 'wrist_3_link']
    goal, wrist = moveit.fk(node, links, seed, 'base_link').pose_stamped
    assert goal.pose.position != wrist.pose.position
    for link in ('', 'tool0'):
        values = moveit.values(moveit.ik(node, 'arm', goal, seed, ik_link_name=link))
        reached = moveit.fk(node, ['tool0'], values, 'base_link').pose_stamped[0].pose
        assert _numbers(reached) == pytest.approx(_numbers(goal.pose), abs=1e-5)


def _numbers(pose: Any) -> list[float]:
    p, q = pose.position, pose.orientation
    sign = 1.0 if q.w >= 0.0 else -1.0
    return [p.x, p.y, p.z, *(sign * value for value in (q.x, q.y, q.z, q.w))]


def test_p41_groups_that_are_no_chain(moveit: Any, two_arms: Any) -> None:
    seed = {'lj1': 0.3, 'lj3': 0.4, 'rj1': -0.2, 'rj2': 0.5, 'rj3': 0.1, 'lj2': 0.6, 'turn': 0.1}
    tips = ['ltool', 'rtool']
    poses = moveit.fk(two_arms, tips, seed).pose_stamped
    # The passive joint in the left arm stays where the seed has it.
    for group in ('left', 'gap'):
        request = moveit.request(group, poses[0], seed, ik_link_name='ltool')
        values = moveit.values(moveit.ask(two_arms, request, 'solve_ik'))
        assert values == pytest.approx({n: seed[n] for n in ('lj1', 'lj3')}, abs=1e-5)
        # To others than the plugin the passive joint is told as well, as it was named.
        values = moveit.values(moveit.ask(two_arms, request, 'compute_ik'))
        assert values == pytest.approx(seed, abs=1e-5)
        assert values['lj2'] == 0.6
    fields = {'pose_stamped_vector': poses, 'ik_link_names': tips}
    start = {**seed, 'lj1': 0.0, 'rj2': 0.3}
    request = moveit.request('both', None, start, **fields)
    values = moveit.values(moveit.ask(two_arms, request, 'solve_ik'))
    assert values == pytest.approx(
        {name: seed[name] for name in ('lj1', 'lj3', 'rj1', 'rj2', 'rj3')}, abs=1e-4
    )
    # A tip without a pose stays where the state has it.
    answer = moveit.ik(two_arms, 'both', poses[1], start, ik_link_name='rtool')
    values = moveit.values(answer)
    assert values['lj1'] == pytest.approx(0.0, abs=1e-5)
    assert values['rj2'] == pytest.approx(0.5, abs=1e-4)
    answer = moveit.ik(two_arms, 'hand', poses[0], seed)
    assert answer.error_code.val == INVALID_GROUP_NAME
    assert "'fj1' and 'fj2' are on different branches" in answer.error_code.message


def test_p59_one_answer_by_every_way(
    caller: Any, moveit: Any, planar: Any, test_robots: Path, pose: Any
) -> None:
    seed = {'j1': 0.2, 'j2': 0.9, 'j3': -0.4}
    found = [
        moveit.values(
            moveit.ask(
                planar,
                moveit.request('arm', pose(UP, frame='base'), seed, avoid_collisions=avoid),
                service,
            )
        )
        for service in ('compute_ik', 'solve_ik')
        for avoid in (False, True)
    ]
    request = Solve.Request(group='arm', target=pose(UP, frame='base'))
    request.seed.name, request.seed.position = list(seed), list(seed.values())
    request.options.prefer = 'nearest'
    own = caller.call(planar, 'solve', request)
    assert own.success
    found.append(dict(zip(own.solution.name, own.solution.position, strict=True)))
    from ik_node.moveit import KinematicsPlugin

    plugin = KinematicsPlugin()
    assert plugin.initialize(test_robots / 'planar_tool.urdf', 'arm', 'base', 'flange')
    T = plugin.get_position_fk(['flange'], list(UP.values()))[0]
    answer = plugin.search_position_ik(T, list(seed.values()))
    found.append(dict(zip(plugin.get_joint_names(), answer.solution.tolist(), strict=True)))
    for other in found[1:]:
        assert other == pytest.approx(found[0], abs=1e-9)


def test_p68_two_tips_are_two_groups(
    moveit: Any, start_node: Any, robots: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one folder of compiled kernels, which holds nothing of a robot; without a home."""
    caches = os.environ.get('XDG_CACHE_HOME', str(Path.home() / '.cache'))
    monkeypatch.setenv(
        'IK_NODE_CACHE_DIR', os.environ.get('IK_NODE_CACHE_DIR') or f'{caches}/ik_node'
    )
    monkeypatch.setenv('HOME', '/dev/null/home')
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path))
    node = start_node(
        **{
            'robot_description_file': str(robots / 'panda.urdf'),
            'groups': ['flange', 'tool'],
            'group.flange.tip': 'panda_link8',
            'group.tool.tip': 'panda_hand_tcp',
        }
    )
    seed = {'panda_joint4': -1.5, 'panda_joint6': 1.2}
    for group, tip in (('flange', 'panda_link8'), ('tool', 'panda_hand_tcp')) * 2:
        goal = moveit.fk(node, [tip], seed, 'panda_link0').pose_stamped[0]
        values = moveit.values(moveit.ik(node, group, goal, seed))
        reached = moveit.fk(node, [tip], values, 'panda_link0').pose_stamped[0].pose
        assert reached.position.x == pytest.approx(goal.pose.position.x, abs=1e-5)
