# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint velocities over DDS: a small time later the tip is where the target has moved to."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from geometry_msgs.msg import Twist, Vector3  # noqa: E402
from ik_node import (  # noqa: E402
    IkParameterization,
    IkParameterizationType,
    IkParameterizationVelocity,
)
from ik_node.ros.demo_kinematics import Robot  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import SolveOptions, Status, Target, TargetVelocity  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
START = dict(zip(ARM, (0.1, -0.3, 0.2, -1.9, 0.1, 1.7, 0.6), strict=True))
NAN = math.nan
#: [s]
LATER = 1e-4
TYPES = [kind.name for kind in IkParameterizationType.targets()]
#: Tied to axes of the base that those of a link that turns about z are not parallel to.
TIED = (
    'TranslationXAxisAngle4D',
    'TranslationYAxisAngle4D',
    'TranslationYAxisAngleXNorm4D',
    'TranslationZAxisAngleYNorm4D',
)
Request = srv.JointVelocities.Request


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def velocities(caller: Any, panda: Any, messages: Any) -> Callable[..., Any]:
    """Ask for a single velocity; what is none of its fields is one of the request."""
    known = TargetVelocity.get_fields_and_field_types()

    def ask(**fields: Any) -> Any:
        fields.setdefault('joint_state', messages.joints(START))
        if 'velocities' not in fields:
            one = {name: value for name, value in fields.items() if name in known}
            fields = {name: value for name, value in fields.items() if name not in known}
            fields['velocities'] = [TargetVelocity(**one)]
        return caller.call(panda, 'joint_velocities', Request(**fields))

    return ask


def later(answer: Any, start: dict[str, float]) -> dict[str, float]:
    """Tell where the joints are a small time later."""
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    assert list(answer.joint_names) == ARM
    pairs = zip(ARM, answer.velocities, strict=True)
    return {name: start[name] + LATER * speed for name, speed in pairs}


@pytest.mark.parametrize('frame', ['', 'panda_link1'])
@pytest.mark.parametrize('name', TYPES)
def test_the_tip_follows_a_target_of_every_type(
    velocities: Any,
    caller: Any,
    panda: Any,
    messages: Any,
    robot: Robot,
    generator: np.random.Generator,
    name: str,
    frame: str,
) -> None:
    kind, header = IkParameterizationType.from_name(name), Header(frame_id=frame)
    T_base_frame = robot.pose(BASE, frame or BASE, START)
    T_frame_tip = np.linalg.inv(T_base_frame) @ robot.pose(BASE, TIP, START)
    met = IkParameterization.class_of(kind).from_pose(T_frame_tip)
    rates = (0.1 * generator.normal(size=kind.number_of_values)).tolist()
    if frame and name in TIED:
        answer = velocities(type=name, values=rates, header=header)
        assert (answer.success, answer.status) == (False, Status.INVALID_TARGET)
        assert 'axis of the base' in answer.message
        return
    # Where the tip meets it: of some types no tip that is slanted does.
    solved = caller.call(
        panda,
        'solve',
        srv.Solve.Request(
            targets=[Target(type=name, values=met.values.tolist(), header=header)],
            seed=messages.joints(START),
            options=SolveOptions(
                timeout=0.5,
                position_tolerance=1e-10,
                orientation_tolerance=1e-10,
                locked_joints=['panda_joint1'],
            ),
        ),
    )
    assert solved.success, solved.message
    start = dict(zip(solved.solution.name, solved.solution.position, strict=True))
    moved = type(met).from_values(met.values + LATER * np.array(rates))
    at = Target(type=name, values=met.values.tolist())
    for how in ({'type': name}, {'type': f'IKP_{name}Velocity'}, {'id': int(kind)}):
        # How far away the point is that is looked at, and which point of the tip is meant, a
        # pose does not tell.
        alone = [] if name in ('Lookat3D', 'TranslationLocalGlobal6D') else [{}]
        for where in (*alone, {'at': [at]}):
            answer = velocities(
                joint_state=messages.joints({joint: start[joint] for joint in ARM}),
                values=rates,
                header=header,
                **how,
                **where,
            )
            T = np.linalg.inv(T_base_frame) @ robot.pose(BASE, TIP, later(answer, start))
            assert max(moved.errors(T)) < 1e-3 * LATER
            assert np.linalg.norm(answer.velocities) > 0.01
            assert max(answer.linear_residual, answer.angular_residual) < 1e-6


def fields_of(velocity: IkParameterizationVelocity, at: IkParameterization) -> dict[str, Any]:
    """Give the derivatives of a type by the names of the fields of the message."""
    fields: dict[str, Any] = {}
    for name, content in velocity.fields.items():
        if name == 'quat_xyzw':
            name, content = 'angular_velocity', velocity.angular(at)  # type: ignore[arg-type]
        if isinstance(content, tuple):
            x, y, z = (*content, 0.0)[:3]
            content = Vector3(x=x, y=y, z=z)
        fields[name] = content
    return fields


@pytest.mark.parametrize('frame', ['', 'panda_link1'])
@pytest.mark.parametrize('name', TYPES)
def test_fields_mean_the_same_as_values(
    velocities: Any, robot: Robot, generator: np.random.Generator, name: str, frame: str
) -> None:
    if frame and name in TIED:
        frame = BASE
    kind = IkParameterizationType.from_name(name)
    T_base_frame = robot.pose(BASE, frame or BASE, START)
    at = IkParameterization.class_of(kind).from_pose(
        np.linalg.inv(T_base_frame) @ robot.pose(BASE, TIP, START)
    )
    made = at.from_values(at.values + 0.1 * generator.normal(size=kind.number_of_values))
    # A way of unit vectors and unit quaternions from one to the other.
    velocity = IkParameterizationVelocity(kind, made.values - at.values)
    header, where = Header(frame_id=frame), [Target(type=name, values=at.values.tolist())]
    given = fields_of(velocity, at)
    by_fields = velocities(id=int(kind), header=header, at=where, **given)
    by_values = velocities(type=name, header=header, at=where, values=velocity.values.tolist())
    assert by_fields.success, by_fields.message
    assert np.linalg.norm(by_fields.velocities) > 0.01
    np.testing.assert_allclose(by_fields.velocities, by_values.velocities, atol=1e-6)
    # Nothing that the type does not have is passed over.
    for other in ('angular_velocity', 'position', 'direction', 'point', 'local_point'):
        if other not in given:
            answer = velocities(type=name, **{**given, other: Vector3(x=1.0)})
            assert answer.status == Status.INVALID_TARGET
            assert f'velocities[0]: {other} has a value, but a {name} reads' in answer.message
    answer = velocities(type=name, values=velocity.values.tolist(), **given)
    assert answer.status == Status.INVALID_TARGET
    assert 'reads the values that are given' in answer.message


def test_of_x_and_y_alone_z_means_nothing(velocities: Any) -> None:
    answers = [
        velocities(type='TranslationXY2D', position=Vector3(x=0.1, y=0.2, z=z)) for z in (0.0, 9.0)
    ]
    assert answers[0].success, answers[0].message
    assert list(answers[0].velocities) == list(answers[1].velocities)


def test_a_twist_is_the_velocity_of_the_jacobian(
    velocities: Any, caller: Any, panda: Any, messages: Any, robot: Robot
) -> None:
    asked = srv.ComputeJacobian.Request(joint_state=messages.joints(START))
    jacobian = np.reshape(caller.call(panda, 'compute_jacobian', asked).jacobian, (6, 7))
    twist = Twist(linear=Vector3(x=0.1, y=-0.05, z=0.02), angular=Vector3(x=0.2, z=-0.3))
    wanted = np.array([0.1, -0.05, 0.02, 0.2, 0.0, -0.3])
    answer = velocities(twist=twist)
    np.testing.assert_allclose(answer.velocities, np.linalg.pinv(jacobian) @ wanted, atol=1e-6)
    assert answer.linear_residual < 1e-6
    # In the axes of the hand.
    R = robot.pose(BASE, TIP, START)[:3, :3]
    turned = np.concatenate((R @ wanted[:3], R @ wanted[3:]))
    answer = velocities(twist=twist, header=Header(frame_id=TIP))
    np.testing.assert_allclose(answer.velocities, np.linalg.pinv(jacobian) @ turned, atol=1e-6)
    # With a damping it is slower, and tells what is missing.
    damped = velocities(twist=twist, damping=0.5)
    assert np.linalg.norm(damped.velocities) < np.linalg.norm(answer.velocities)
    missing = wanted - jacobian @ damped.velocities
    assert damped.linear_residual == pytest.approx(np.linalg.norm(missing[:3]), abs=1e-6)
    assert damped.angular_residual == pytest.approx(np.linalg.norm(missing[3:]), abs=1e-6)
    # Nothing is asked, nothing moves.
    assert not np.any(velocities().velocities)


def test_how_far_away_the_point_is_makes_a_difference(velocities: Any, robot: Robot) -> None:
    T = robot.pose(BASE, TIP, START)
    speeds = []
    for distance in (0.5, 2.0):
        point = T[:3, 3] + distance * T[:3, 2]
        at = Target(type='Lookat3D', values=point.tolist())
        answer = velocities(type='Lookat3D', values=[0.0, 0.1, 0.0], at=[at])
        speeds.append(np.linalg.norm(answer.velocities))
    assert speeds[0] > 2.0 * speeds[1]


@pytest.mark.parametrize(
    ('fields', 'status', 'sentence'),
    [
        ({'environment': 'nowhere'}, Status.UNKNOWN_ENVIRONMENT, 'nowhere'),
        ({'group': 'leg'}, Status.UNKNOWN_GROUP, 'leg'),
        ({'values': [1.0]}, Status.INVALID_TARGET, 'without a type'),
        ({'type': 'Lookat'}, Status.INVALID_TARGET, "no type 'Lookat'"),
        ({'type': 'x' * 9999}, Status.INVALID_TARGET, 'no type'),
        ({'id': 5}, Status.INVALID_TARGET, 'no id 0x5'),
        ({'type': 'none'}, Status.INVALID_TARGET, 'nothing moves'),
        ({'type': 'Ray4D', 'id': 0x33000003}, Status.INVALID_TARGET, 'which is Translation3D'),
        ({'type': 'Ray4D', 'values': [1.0]}, Status.INVALID_TARGET, 'Ray4D'),
        ({'type': 'Translation3D', 'values': [NAN] * 3}, Status.INVALID_TARGET, 'finite'),
        (
            {'type': 'Translation3D', 'values': [1.0] * 3, 'twist': Twist(linear=Vector3(x=1.0))},
            Status.INVALID_TARGET,
            'twist and a type',
        ),
        ({'twist': Twist(linear=Vector3(x=NAN))}, Status.INVALID_TARGET, 'linear'),
        ({'header': Header(frame_id='moon')}, Status.INVALID_TARGET, "'moon'"),
        ({'tool_direction': Vector3(x=NAN)}, Status.INVALID_TARGET, 'tool_direction'),
        ({'damping': -1.0}, Status.INVALID_OPTIONS, 'damping is -1.0'),
        ({'damping': NAN}, Status.INVALID_OPTIONS, 'damping is nan'),
        (
            {
                'type': 'Translation3D',
                'values': [1.0] * 3,
                'at': [Target(type='Direction3D', values=[0.0, 0.0, 1.0])],
            },
            Status.INVALID_TARGET,
            'it must be a Translation3D',
        ),
        ({'angle': 1.0}, Status.INVALID_TARGET, 'angle is given without a type'),
        ({'angular_velocity': Vector3(x=NAN)}, Status.INVALID_TARGET, 'without a type'),
        (
            {'type': 'Rotation3D', 'angular_velocity': Vector3(x=NAN)},
            Status.INVALID_TARGET,
            'angular_velocity is',
        ),
        ({'type': 'Direction3D', 'angle': NAN}, Status.INVALID_TARGET, 'angle has a value'),
        ({'velocities': []}, Status.INVALID_TARGET, 'velocities has 0 velocities'),
        ({'velocities': [TargetVelocity()] * 2}, Status.INVALID_TARGET, 'the group has 1'),
        ({'tip': 'panda_link3'}, Status.INVALID_TARGET, "'panda_link3' is no tip of the group"),
        ({'at': [Target(tip=TIP)]}, Status.INVALID_TARGET, 'at has a tip'),
        ({'at': [Target(type='Lookat')]}, Status.INVALID_TARGET, "no type 'Lookat'"),
    ],
)
def test_what_means_nothing_is_refused_and_the_node_lives_on(
    velocities: Any, fields: dict[str, Any], status: int, sentence: str
) -> None:
    answer = velocities(**fields)
    assert (answer.success, answer.status) == (False, status), answer.message
    assert sentence in answer.message
    assert len(answer.message) < 1200
    assert velocities(twist=Twist(linear=Vector3(x=0.1))).success
