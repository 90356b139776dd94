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
from ik_node import IkParameterization, IkParameterizationType  # noqa: E402
from ik_node.ros.demo_kinematics import Robot  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import Status, Target  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
ARM = [f'panda_joint{index}' for index in range(1, 8)]
START = dict(zip(ARM, (0.1, -0.3, 0.2, -1.9, 0.1, 1.7, 0.6), strict=True))
NAN = math.nan
#: [s]
LATER = 1e-4
TYPES = [kind.name for kind in IkParameterizationType.targets()]
Request = srv.JointVelocities.Request


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def velocities(caller: Any, panda: Any, messages: Any) -> Callable[..., Any]:
    def ask(**fields: Any) -> Any:
        fields.setdefault('joint_state', messages.joints(START))
        return caller.call(panda, 'joint_velocities', Request(**fields))

    return ask


def later(answer: Any, seconds: float = LATER) -> dict[str, float]:
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    assert list(answer.joint_names) == ARM
    return {
        name: START[name] + seconds * speed
        for name, speed in zip(ARM, answer.velocities, strict=True)
    }


@pytest.mark.parametrize('frame', ['', 'panda_link1'])
@pytest.mark.parametrize('name', TYPES)
def test_the_tip_follows_a_target_of_every_type(
    velocities: Any, robot: Robot, generator: np.random.Generator, name: str, frame: str
) -> None:
    base = frame or BASE
    kind = IkParameterizationType.from_name(name)
    met = IkParameterization.class_of(kind).from_pose(robot.pose(base, TIP, START))
    rates = 0.1 * generator.normal(size=kind.number_of_values)
    if base != BASE and 'Angle' in name + 'Angle' * ('Orientation' in name):
        # Tied to axes of the base, and those of this frame are turned about z.
        answer = velocities(type=name, values=rates.tolist(), header=Header(frame_id=frame))
        if not answer.success:
            assert answer.status == Status.INVALID_TARGET
            assert 'axis of the base' in answer.message
            return
    at = Target(type=name, values=met.values.tolist())
    for how in ({'type': name}, {'type': f'{name}Velocity'}, {'id': int(kind)}):
        for where in ({}, {'at': [at]}):
            answer = velocities(
                values=rates.tolist(), header=Header(frame_id=frame), **how, **where
            )
            moved = type(met).from_values(met.values + LATER * rates)
            # What the frame is fixed to does not move with the joints: its pose is that at START.
            T_base_frame = robot.pose(BASE, base, START)
            q = later(answer)
            T = np.linalg.inv(T_base_frame) @ robot.pose(BASE, TIP, q)
            if 'Norm' in name or name in ('Transform6D', 'Rotation3D'):
                assert answer.linear_residual < 1e-6
            missed = max(moved.errors(T))
            assert missed < 1e-3 * LATER + LATER * (
                answer.linear_residual + answer.angular_residual
            )


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
