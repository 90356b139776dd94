# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What users of MoveIt reported, over DDS: each case as it should have gone."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
import time
from typing import Any

import ik_node
import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from moveit_msgs.msg import Constraints, JointConstraint  # noqa: E402

from ik_node_interfaces.srv import Solve  # noqa: E402

SUCCESS, NO_IK_SOLUTION = 1, -31
INVALID_GROUP_NAME, INVALID_ROBOT_STATE, INVALID_LINK_NAME = -15, -17, -18
UP = {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}
DOWN = {'j1': 0.5, 'j2': -1.0, 'j3': 1.2}
CONTINUOUS = (
    '<robot name="c">'
    + ''.join(f'<link name="{n}"/>' for n in 'abcd')
    + ''.join(
        f'<joint name="{n}" type="continuous"><parent link="{p}"/><child link="{c}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>'
        for n, p, c, x in (('j1', 'a', 'b', 0), ('j2', 'b', 'c', 1), ('j3', 'c', 'd', 1))
    )
    + '</robot>'
)


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
        began = time.monotonic()
        assert moveit.ask(planar, request, service).error_code.val == SUCCESS
        assert time.monotonic() - began < 20.0


def test_p11_the_named_link_reaches_the_pose(moveit: Any, planar: Any, pose: Any) -> None:
    for link, z in (('', 0.0), ('flange', 0.0), ('tool0', 0.2)):
        answer = moveit.ik(planar, 'arm', pose(UP, z), UP, ik_link_name=link)
        assert moveit.values(answer) == pytest.approx(UP, abs=1e-5)
    answer = moveit.ik(planar, 'arm', pose(UP), UP, ik_link_name='no_such_link')
    assert answer.error_code.val == INVALID_LINK_NAME
    assert "unknown link 'no_such_link'" in answer.error_code.message
    # A joint outside of the group stays where the seed has it.
    for grip in (0.1, 0.4):
        seed = {**UP, 'grip': grip}
        answer = moveit.ik(planar, 'arm', pose(UP, grip), seed, ik_link_name='finger')
        assert moveit.values(answer) == pytest.approx(UP, abs=1e-5)
        answer = moveit.ik(planar, 'arm', pose(UP, 0.0), seed, ik_link_name='finger')
        assert answer.error_code.val == NO_IK_SOLUTION


def test_p13_seeds_are_read_by_name(moveit: Any, planar: Any, pose: Any) -> None:
    seeds: list[dict[str, float]] = [
        {'grip': 0.3, 'j3': 0.2, 'j1': -0.5, 'j2': 1.0},
        {'j2': 0.4},
        {},
    ]
    for seed in seeds:
        values = moveit.values(moveit.ik(planar, 'arm', pose(UP), seed))
        # The group's joints and no others: what is not listed stays as it is.
        assert list(values) == ['j1', 'j2', 'j3']
        assert values == pytest.approx(UP, abs=1e-5)
    request = moveit.request('arm', pose(UP), UP)
    joints = request.ik_request.robot_state.joint_state
    joints.position = []
    assert moveit.ask(planar, request).error_code.val == INVALID_ROBOT_STATE
    joints.name, joints.position = ['j1', 'j1'], [0.1, 0.2]
    answer = moveit.ask(planar, request)
    assert answer.error_code.val == INVALID_ROBOT_STATE
    assert "'j1' at 0.1 and at 0.2" in answer.error_code.message
    joints.position = [0.1, 0.1]
    assert moveit.ask(planar, request).error_code.val == SUCCESS


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
    answer = moveit.ik(node, 'arm', messages.pose((1.0, 0.5, 99.0), frame='world'), {'j2': 1.0})
    tip = moveit.fk(node, ['tip'], moveit.values(answer), 'world').pose_stamped[0].pose.position
    assert (tip.x, tip.y, tip.z) == pytest.approx((1.0, 0.5, 0.0), abs=1e-5)
    seen = moveit.fk(node, ['tip'], moveit.values(answer), 'arm_base').pose_stamped[0].pose
    assert (seen.position.x, seen.position.y) == pytest.approx((0.64, 0.5), abs=1e-5)
    assert 'group arm: looked for robot_description_kinematics.arm' in node.log


def test_p36_a_rejected_solution_is_not_the_end(moveit: Any, planar: Any, pose: Any) -> None:
    """Elbow up is nearest and not allowed: the answer is elbow down."""
    down = JointConstraint(joint_name='j2', position=-1.5, tolerance_above=1.4)
    down.tolerance_below = 1.4
    constraints = Constraints(joint_constraints=[down])
    answer = moveit.ik(planar, 'arm', pose(UP), UP, constraints=constraints)
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)


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


def test_p40_the_tip_is_the_end_of_the_chain(
    moveit: Any, start_node: Any, robots: Path, test_robots: Path
) -> None:
    """Not the parent link of the end effector, which is one link before it."""
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
    )
    robot = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    robot.add_srdf(test_robots / 'panda.srdf')
    assert robot.semantics is not None
    assert robot.semantics.end_effectors['gripper'].parent_link == 'panda_link7'
    seed = {'panda_joint4': -1.5, 'panda_joint6': 1.2}
    goal = moveit.fk(node, ['panda_link8'], seed, 'panda_link0').pose_stamped[0]
    values = moveit.values(moveit.ik(node, 'panda_arm', goal, seed))
    reached = moveit.fk(node, ['panda_link8'], values, 'panda_link0').pose_stamped[0].pose
    assert reached.position.z == pytest.approx(goal.pose.position.z, abs=1e-5)


def test_p41_groups_that_are_no_chain(moveit: Any, two_arms: Any) -> None:
    seed = {'lj1': 0.3, 'lj3': 0.4, 'rj1': -0.2, 'rj2': 0.5, 'rj3': 0.1, 'lj2': 0.6, 'turn': 0.1}
    tips = ['ltool', 'rtool']
    poses = moveit.fk(two_arms, tips, seed).pose_stamped
    # The passive joint in the left arm stays where the seed has it.
    for group in ('left', 'gap'):
        answer = moveit.ik(two_arms, group, poses[0], seed, ik_link_name='ltool')
        values = moveit.values(answer)
        assert values == pytest.approx({n: seed[n] for n in ('lj1', 'lj3')}, abs=1e-5)
    fields = {'pose_stamped_vector': poses, 'ik_link_names': tips}
    start = {**seed, 'lj1': 0.0, 'rj2': 0.3}
    values = moveit.values(moveit.ik(two_arms, 'both', None, start, **fields))
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


def test_p61_how_far_a_joint_may_go(moveit: Any, start_node: Any, pose: Any) -> None:
    """3.1 to -3.1 is 0.083185 by way of a half turn: allowed, and told on the side of the seed."""
    node = start_node(robot_description=CONTINUOUS)
    goal = {'j1': -3.1, 'j2': 0.5, 'j3': 0.3}
    seed = {**goal, 'j1': 3.1}
    for tolerance, code in ((0.2, SUCCESS), (0.05, NO_IK_SOLUTION)):
        near = JointConstraint(joint_name='j1', position=3.1, tolerance_above=tolerance)
        near.tolerance_below = tolerance
        constraints = Constraints(joint_constraints=[near])
        answer = moveit.ik(node, 'arm', pose(goal, reach=2.0), seed, constraints=constraints)
        assert answer.error_code.val == code
        if code == SUCCESS:
            assert moveit.values(answer)['j1'] == pytest.approx(3.183185, abs=1e-5)


def test_p62_a_joint_that_is_held(moveit: Any, start_node: Any, robots: Path) -> None:
    """A redundant joint stays exactly where it is to stay, also with the elbow nearly straight."""
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'), base='panda_link0', tip='panda_link8'
    )
    names = [f'panda_joint{i}' for i in range(1, 8)]
    straight = dict(zip(names, (0.3, 0.2, 0.4, -0.12, 0.1, 1.8, 0.2), strict=True))
    goal = moveit.fk(node, ['panda_link8'], straight).pose_stamped[0]
    seed = {**straight, 'panda_joint1': 0.6, 'panda_joint4': -0.5}
    fixed = JointConstraint(joint_name='panda_joint3', position=0.4)
    constraints = Constraints(joint_constraints=[fixed])
    answer = moveit.ik(node, 'arm', goal, seed, constraints=constraints)
    assert moveit.values(answer)['panda_joint3'] == pytest.approx(0.4, abs=1e-9)


def test_p68_two_tips_are_two_groups(moveit: Any, start_node: Any, robots: Path) -> None:
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


def test_p74_a_value_that_no_parameter_has(
    moveit: Any, start_node: Any, test_robots: Path, pose: Any
) -> None:
    """The sentence has the values that there are, and the node lives."""
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'planar_tool.urdf'),
            'robot_description_semantic': (test_robots / 'planar_tool.srdf').read_text(),
            'robot_description_kinematics.arm.target_type': 'foo',
        }
    )
    answer = moveit.ik(node, 'arm', pose(UP), UP)
    assert answer.error_code.val not in (0, SUCCESS)
    assert 'Transform6D' in answer.error_code.message
    assert node.alive
    node = start_node(
        **{
            'robot_description_file': str(test_robots / 'planar_tool.urdf'),
            'robot_description_semantic': (test_robots / 'planar_tool.srdf').read_text(),
            'robot_description_kinematics.arm.target_type': ' transform6d ',
        }
    )
    assert moveit.ik(node, 'arm', pose(UP), UP).error_code.val == SUCCESS
