# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from array import array
import inspect
import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from geometry_msgs.msg import Pose  # noqa: E402
import ik_node  # noqa: E402
from ik_node import errors  # noqa: E402
from ik_node.ros import conversions  # noqa: E402
from ik_node.ros import errors as ros_errors  # noqa: E402
from ik_node.ros.settings import Settings  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces.msg import SolveOptions, Status  # noqa: E402

NAN, INF = math.nan, math.inf


@pytest.fixture(scope='module')
def environment(robots: Path) -> ik_node.Environment:
    environment = ik_node.Environment.from_urdf(robots / 'panda.urdf')
    environment.create_group('arm', base='panda_link0', tip='panda_hand_tcp')
    return environment


def pose(position: tuple[float, ...], quat_xyzw: tuple[float, ...]) -> Pose:
    message = Pose()
    message.position.x, message.position.y, message.position.z = position
    turn = message.orientation
    turn.x, turn.y, turn.z, turn.w = quat_xyzw
    return message


@pytest.mark.parametrize('scale', [1e-5, 0.5, 1.0, 1.0001, 7.0, 1e200])
def test_a_quaternion_of_any_norm_is_normalised(scale: float) -> None:
    half = math.sqrt(0.5) * scale
    matrix = conversions.matrix_from_pose(pose((1.0, 2.0, 3.0), (half, 0.0, 0.0, half)))
    np.testing.assert_allclose(
        matrix, [[1, 0, 0, 1], [0, 0, -1, 2], [0, 1, 0, 3], [0, 0, 0, 1]], atol=1e-15
    )


def test_a_rounded_quaternion_means_the_same(messages: type) -> None:
    # norm^2 = 0.999929, as reported by users who type three digits.
    matrix = conversions.matrix_from_pose(pose((0.0,) * 3, (0.145, -0.036, -0.658, 0.738)))
    np.testing.assert_allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize(
    'quat_xyzw',
    [(0.0, 0.0, 0.0, 0.0), (1e-9, 0.0, 0.0, 0.0), (NAN, 0.0, 0.0, 1.0), (0.0, INF, 0.0, 1.0)],
)
def test_a_quaternion_without_direction_is_refused(quat_xyzw: tuple[float, ...]) -> None:
    with pytest.raises(errors.InvalidTargetError, match='quaternion'):
        conversions.matrix_from_pose(pose((0.0, 0.0, 0.0), quat_xyzw))


@pytest.mark.parametrize('position', [(NAN, 0.0, 0.0), (0.0, 0.0, -INF)])
def test_a_position_that_is_not_finite_is_refused(position: tuple[float, ...]) -> None:
    with pytest.raises(errors.InvalidTargetError, match='position'):
        conversions.matrix_from_pose(pose(position, (0.0, 0.0, 0.0, 1.0)))


def test_poses_survive_the_way_there_and_back(generator: np.random.Generator) -> None:
    for _ in range(50):
        first = conversions.matrix_from_pose(
            pose(tuple(generator.normal(size=3)), tuple(generator.normal(size=4)))
        )
        again = conversions.matrix_from_pose(conversions.pose_from_matrix(first))
        np.testing.assert_allclose(again, first, atol=1e-14)


def test_doubles_are_row_major() -> None:
    matrix = np.arange(6.0).reshape(2, 3)
    assert conversions.doubles(matrix) == array('d', range(6))
    assert conversions.doubles(matrix.T) == array('d', (0, 3, 1, 4, 2, 5))
    assert conversions.doubles(np.empty((0, 7))) == array('d')


def test_joint_states_are_read_by_name(environment: ik_node.Environment) -> None:
    state = JointState(
        name=['panda_finger_joint1', 'panda_joint3', 'panda_joint1'], position=[0.01, 3.0, 1.0]
    )
    positions = conversions.positions_from(state, environment)
    assert positions == {'panda_finger_joint1': 0.01, 'panda_joint3': 3.0, 'panda_joint1': 1.0}
    assert conversions.positions_from(JointState(), environment) == {}


@pytest.mark.parametrize(
    ('name', 'position', 'error'),
    [
        (['panda_joint1'], [], errors.InvalidSeedError),
        ([], [1.0], errors.InvalidSeedError),
        (['panda_joint1', 'panda_joint1'], [1.0, 1.0], errors.InvalidSeedError),
        (['panda_joint1'], [NAN], errors.InvalidSeedError),
        (['panda_joint9'], [1.0], errors.UnknownNameError),
        (['x' * 10_000], [1.0], errors.UnknownNameError),
    ],
)
def test_joint_states_that_say_nothing_clear(
    environment: ik_node.Environment,
    name: list[str],
    position: list[float],
    error: type,
) -> None:
    with pytest.raises(error) as caught:
        conversions.positions_from(JointState(name=name, position=position), environment)
    assert len(str(caught.value)) < 1000


def test_a_frame_is_any_link(environment: ik_node.Environment, messages: type) -> None:
    group = environment.groups['arm']
    T_base_tip = group.forward_kinematics(np.array((0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7)))
    T_base_frame = environment.link_pose(
        'panda_link3', reference='panda_link0', positions={'panda_joint2': 0.5}
    )
    target = messages.pose(frame='panda_link3')
    target.pose = conversions.pose_from_matrix(np.linalg.inv(T_base_frame) @ T_base_tip)
    found = conversions.target_in_base(target, group, {'panda_joint2': 0.5})
    np.testing.assert_allclose(found, T_base_tip, atol=1e-13)
    target.header.frame_id = 'world'
    target.pose = conversions.pose_from_matrix(
        environment.link_pose('panda_link0', None) @ T_base_tip
    )
    found = conversions.target_in_base(target, group, {'panda_joint2': 0.5})
    np.testing.assert_allclose(found, T_base_tip, atol=1e-13)
    target.header.frame_id = 'map'
    with pytest.raises(errors.InvalidTargetError, match="'map'"):
        conversions.target_in_base(target, group, {})


@pytest.mark.parametrize(
    ('error', 'status'),
    [
        (errors.UnknownNameError('group', 'x', ()), Status.UNKNOWN_GROUP),
        (errors.UnknownNameError('link', 'x', ()), Status.UNKNOWN_LINK),
        (errors.UnknownNameError('joint', 'x', ()), Status.UNKNOWN_JOINT),
        (errors.InvalidTargetError(), Status.INVALID_TARGET),
        (errors.InvalidSeedError(), Status.INVALID_SEED),
        (errors.InvalidOptionError(), Status.INVALID_OPTIONS),
        (errors.InvalidArgumentError(), Status.INVALID_OPTIONS),
        (errors.UrdfError(), Status.INVALID_MODEL),
        (errors.ModelError(), Status.INVALID_MODEL),
        (errors.InvalidStateError(), Status.INVALID_STATE),
        (errors.LoadError(), Status.INVALID_FILE),
        (errors.UnknownNameError('object', 'x', ()), Status.UNKNOWN_OBJECT),
        (errors.UnknownNameError('environment', 'x', ()), Status.UNKNOWN_ENVIRONMENT),
        (ros_errors.NoEnvironmentError(), Status.NO_MODEL),
        (ros_errors.InvalidNameError(), Status.INVALID_NAME),
        (ros_errors.StorageError(), Status.INVALID_FILE),
        (errors.IkNodeError(), Status.INTERNAL_ERROR),
    ],
)
def test_every_error_has_its_status(error: errors.IkNodeError, status: int) -> None:
    assert conversions.status_of(error) == status


def test_solver_and_message_count_alike() -> None:
    for status in ik_node.SolveStatus:
        assert getattr(Status, status.name, None) in (status.value, None)
    assert ik_node.SolveStatus.SUCCESS == Status.SUCCESS
    assert ik_node.SolveStatus.UNREACHABLE == Status.UNREACHABLE


def test_zero_means_the_default() -> None:
    settings = Settings(timeout=0.02, random_seed=5)
    options = conversions.search_options(SolveOptions(), settings)
    assert options == (0.02, 1e-6, 1e-5, 2.0, 5, 'fast', '')
    options = conversions.search_options(SolveOptions(timeout=1.0, random_seed=9), settings)
    assert (options.timeout, options.random_seed, options.note) == (1.0, 9, '')


@pytest.mark.parametrize('timeout', [11.0, 1e300, INF])
def test_a_long_timeout_is_shortened_and_told(timeout: float) -> None:
    options = conversions.search_options(SolveOptions(timeout=timeout), Settings())
    assert options.timeout == 10.0
    assert 'max_timeout' in options.note


@pytest.mark.parametrize(
    'name', ['timeout', 'position_tolerance', 'orientation_tolerance', 'position_weight']
)
@pytest.mark.parametrize('value', [-1.0, -1e-300, NAN, -INF])
def test_options_below_zero_are_refused(name: str, value: float) -> None:
    with pytest.raises(errors.InvalidOptionError, match=name):
        conversions.search_options(SolveOptions(**{name: value}), Settings())


def test_a_single_attempt_is_one_start() -> None:
    assert conversions.max_starts(SolveOptions(single_attempt=True, max_starts=9)) == 1
    assert conversions.max_starts(SolveOptions(max_starts=9)) == 9
    assert conversions.max_starts(SolveOptions()) is None


def test_an_empty_metric_is_the_library_s() -> None:
    library = inspect.signature(ik_node.Group.find_configs).parameters['metric'].default
    assert conversions.metric([]) == tuple(library)
    assert conversions.metric(array('d', (1.0, 2.0))) == (1.0, 2.0)
    weight = inspect.signature(ik_node.Group.solve).parameters['position_weight'].default
    assert weight == conversions.POSITION_WEIGHT
    prefer = inspect.signature(ik_node.Group.solve).parameters['prefer'].default
    assert prefer == conversions.PREFERENCES[0]
