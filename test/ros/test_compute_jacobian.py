# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Jacobians of groups and chains over DDS, and the measures of all forms.

Columns come from z x (tip - joint) on planar arms that requests have made, and from the known
product of Yoshikawa.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from geometry_msgs.msg import PoseStamped  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import (  # noqa: E402
    ElementInfo,
    GroupInfo,
    JointInfo,
    ObjectInfo,
    Status,
)

Z = (0.0, 0.0, 0.0, 1.0)
XY = ElementInfo.X + ElementInfo.Y
L1, L2, L3 = 0.5, 0.4, 0.3
Q = {'j1': 0.3, 'j2': 0.8, 'j3': -0.5}


@pytest.fixture(scope='module')
def bench(caller: Any, panda: Any, messages: Any) -> Iterator[Callable[..., Any]]:
    """Call services for an environment with an arm of three joints, tip and target at Q."""

    def call(service: str, /, **fields: Any) -> Any:
        kind = getattr(srv, ''.join(part.capitalize() for part in service.split('_')))
        return caller.call(panda, service, kind.Request(**{'environment': 'planar', **fields}))

    def do(service: str, /, **fields: Any) -> None:
        answer = call(service, **fields)
        assert answer.success, answer.message

    def pose(x: float) -> Any:
        return messages.pose((x, 0.0, 0.0), Z).pose

    assert caller.call(
        panda, 'create_environment', srv.CreateEnvironment.Request(name='planar')
    ).success
    parent = ''
    for name, x in (('j1', 0.0), ('j2', L1), ('j3', L2)):
        fields = {'parent': parent, 'pose': pose(x), 'lower': -3.0, 'upper': 3.0}
        do(
            'set_joint',
            create=True,
            reference=parent,
            fields=[*fields, 'position'],
            joint=JointInfo(name=name, kind='revolute', position=Q[name], **fields),
        )
        parent = name
    for name, fields in (
        ('target', {'pose': messages.pose((0.9, 0.2, 0.0), Z).pose}),
        ('tip', {'parent': 'j3', 'target': 'target', 'pose': pose(L3)}),
        ('elbow', {'parent': 'j2', 'target': 'target'}),
        ('free', {'parent': 'j3'}),
    ):
        do(
            'set_object',
            create=True,
            reference=fields.get('parent', '') if 'pose' in fields else '',
            fields=list(fields),
            object=ObjectInfo(name=name, **fields),
        )
    for name, *elements in (
        ('plane', ElementInfo(tip='tip', constraints=XY)),
        (
            'two',
            ElementInfo(tip='elbow', constraints=ElementInfo.Y),
            ElementInfo(tip='free'),
            ElementInfo(tip='tip', enabled=False),
            ElementInfo(tip='tip', constraints=XY + ElementInfo.ORIENTATION),
        ),
        ('aimless', ElementInfo(tip='free')),
    ):
        do(
            'set_group',
            create=True,
            fields=['elements'],
            group=GroupInfo(name=name, elements=elements),
        )
    yield call
    do('erase_environment')


def points(q: dict[str, float]) -> NDArray[np.float64]:
    """Origins of the joints and of the tip, (4, 2)."""
    angles = np.cumsum(list(q.values()))
    links = np.array([L1, L2, L3])[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([np.zeros(2), np.cumsum(links, axis=0)])


def plane(q: dict[str, float], end: int = 3) -> NDArray[np.float64]:
    """Rows x and y: z x (end - joint), nothing from joints behind the end."""
    at = points(q)
    arms = at[end] - at[:3]
    columns = np.array([-arms[:, 1], arms[:, 0]])
    columns[:, end:] = 0.0
    return columns


def matrix(answer: Any) -> NDArray[np.float64]:
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    found: NDArray[np.float64] = np.reshape(answer.jacobian, (answer.rows, answer.columns))
    return found


def check_measures(answer: Any) -> None:
    """Compare the measures with their definitions."""
    jacobian = matrix(answer)
    values = np.sqrt(np.maximum(0.0, np.linalg.eigvalsh(jacobian @ jacobian.T)))[::-1]
    values = values[: min(jacobian.shape)]
    np.testing.assert_allclose(answer.singular_values, values, atol=1e-7)
    determinant = np.linalg.det(jacobian @ jacobian.T)
    assert answer.manipulability == pytest.approx(math.sqrt(max(0.0, determinant)), abs=1e-8)
    basis = np.reshape(answer.null_space, (answer.columns, answer.nullity))
    assert answer.nullity == answer.columns - np.linalg.matrix_rank(jacobian)
    np.testing.assert_allclose(jacobian @ basis, 0.0, atol=1e-12)
    np.testing.assert_allclose(basis.T @ basis, np.eye(answer.nullity), atol=1e-12)


def refused(answer: Any, status: int, *parts: str) -> None:
    assert (answer.success, answer.status) == (False, status), answer.message
    assert 15 < len(answer.message) < 1000
    for part in parts:
        assert part in answer.message


def test_a_group_in_the_plane(bench: Any) -> None:
    answer = bench('compute_jacobian', form='group', group='plane')
    np.testing.assert_allclose(matrix(answer), plane(Q), atol=1e-12)
    np.testing.assert_allclose(answer.error, (0.9, 0.2) - points(Q)[3], atol=1e-12)
    assert list(answer.row_names) == ['x', 'y']
    assert list(answer.joint_names) == ['j1', 'j2', 'j3']
    assert list(answer.row_tips) == ['tip', 'tip']
    assert list(answer.row_elements) == [0, 0]
    assert (answer.frame_id, answer.reference_point) == ('', '')
    check_measures(answer)
    assert (answer.nullity, len(answer.null_space)) == (1, 3)


def test_a_group_at_another_state(bench: Any, messages: Any) -> None:
    q = {'j1': -0.4, 'j2': 1.1, 'j3': Q['j3']}
    state = messages.joints({'j2': 1.1, 'j1': -0.4})
    answer = bench('compute_jacobian', form='group', group='plane', joint_state=state)
    np.testing.assert_allclose(matrix(answer), plane(q), atol=1e-12)
    np.testing.assert_allclose(answer.error, (0.9, 0.2) - points(q)[3], atol=1e-12)
    # The state is as it was.
    answer = bench('compute_jacobian', form='group', group='plane')
    np.testing.assert_allclose(matrix(answer), plane(Q), atol=1e-12)


def test_several_elements_are_stacked(bench: Any) -> None:
    answer = bench('compute_jacobian', form='group', group='two')
    # Rows of the tip about its own axes: in the plane only gamma, to which all joints add 1. One
    # that has no target and one that is not enabled have no rows.
    ones = np.zeros((3, 3))
    ones[2] = 1.0
    expected = np.vstack([plane(Q, 1)[1:], plane(Q), ones])
    np.testing.assert_allclose(matrix(answer), expected, atol=1e-12)
    assert list(answer.row_names) == ['y', 'x', 'y', 'alpha', 'beta', 'gamma']
    assert list(answer.row_tips) == ['elbow'] + ['tip'] * 5
    assert list(answer.row_elements) == [0] + [3] * 5
    at = points(Q)
    error = [0.2 - at[1][1], *((0.9, 0.2) - at[3]), 0.0, 0.0, -sum(Q.values())]
    np.testing.assert_allclose(answer.error, error, atol=1e-12)
    check_measures(answer)
    assert (answer.manipulability, answer.nullity) == (0.0, 0)  # more rows than columns


def test_rows_of_limits(bench: Any, messages: Any) -> None:
    def switch(on: bool) -> None:
        wanted = GroupInfo(name='plane', avoid_limits=on)
        assert bench('set_group', fields=['avoid_limits'], group=wanted).success

    switch(True)
    # 0.01 rad from the upper limit of 3 rad; the margin is 5 degrees.
    state = messages.joints({'j2': 2.99})
    answer = bench('compute_jacobian', form='group', group='plane', joint_state=state)
    switch(False)
    assert list(answer.row_names) == ['x', 'y', 'limit']
    assert (list(answer.row_tips)[2], list(answer.row_elements)[2]) == ('', -1)
    np.testing.assert_allclose(matrix(answer)[2], [0.0, -1.0, 0.0])
    assert answer.error[2] == pytest.approx(math.radians(5.0) - 0.01)


@pytest.mark.parametrize('elbow', [0.0, 0.3, -1.2, math.pi / 2])
def test_manipulability_of_two_links(bench: Any, messages: Any, elbow: float) -> None:
    # Yoshikawa 1985: l1 l2 |sin q2|, for the end of the second link.
    at = points({'j1': 0.3, 'j2': elbow, 'j3': 0.0})[2]
    answer = bench(
        'compute_jacobian',
        form='chain',
        last_joint='j2',
        constraints=XY,
        tip_pose=[messages.pose((*at, 0.0), Z)],
        joint_state=messages.joints({'j2': elbow}),
    )
    check_measures(answer)
    assert answer.manipulability == pytest.approx(L1 * L2 * abs(math.sin(elbow)), abs=1e-12)
    if elbow == 0.0:
        assert (answer.condition_number, answer.nullity) == (math.inf, 1)
        assert answer.singular_values[1] == 0.0


def test_a_chain_with_everything(bench: Any, messages: Any) -> None:
    # The tip rides on j2, 0.1 m beside its axis; the axes of x and y are turned by a quarter.
    at = points(Q)
    quarter = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))
    answer = bench(
        'compute_jacobian',
        form='chain',
        last_joint='j2',
        constraints=XY + ElementInfo.GAMMA,
        tip_pose=[messages.pose((*(at[1] + (0.1, 0.0)), 0.0), Z)],
        target_pose=[messages.pose((0.0, 0.0, 0.0), quarter, 'target')],
        constraints_base_pose=[messages.pose((7.0, 0.0, 0.0), quarter)],
    )
    arms = np.array([at[1] + (0.1, 0.0), (0.1, 0.0)])
    columns = np.array([-arms[:, 1], arms[:, 0]])
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])  # into axes that are turned by a quarter
    np.testing.assert_allclose(matrix(answer)[:2], turn @ columns, atol=1e-12)
    np.testing.assert_allclose(matrix(answer)[2], [1.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(
        answer.error[:2], turn @ ((0.9, 0.2) - at[1] - (0.1, 0.0)), atol=1e-12
    )
    assert answer.error[2] == pytest.approx(math.pi / 2)
    assert list(answer.row_names) == ['x', 'y', 'gamma']
    assert list(answer.joint_names) == ['j1', 'j2']
    assert (list(answer.row_tips), list(answer.row_elements)) == ([], [])


def test_a_chain_with_nothing_said(bench: Any) -> None:
    answer = bench('compute_jacobian', form='chain', last_joint='j3', base='j2')
    # The moving frame of the last joint, all six rows, no error.
    assert list(answer.row_names) == ['x', 'y', 'z', 'alpha', 'beta', 'gamma']
    np.testing.assert_allclose(answer.error, np.zeros(6), atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(matrix(answer)[:3, 0]), L2, atol=1e-12)
    check_measures(answer)
    assert answer.manipulability == 0.0  # more rows than columns


def test_a_tip_has_its_measures_too(bench: Any) -> None:
    answer = bench('compute_jacobian', group='plane')
    np.testing.assert_allclose(matrix(answer)[:2], plane(Q), atol=1e-12)
    assert list(answer.row_names) == ['x', 'y', 'z', 'rx', 'ry', 'rz']
    assert list(answer.error) == []
    assert len(answer.singular_values) == 3
    assert answer.condition_number < 50.0
    assert (answer.manipulability, answer.nullity) == (0.0, 0)


def test_a_tip_of_a_group_of_several(bench: Any) -> None:
    answer = bench('compute_jacobian', group='two')
    assert (answer.rows, answer.columns) == (18, 3)
    assert list(answer.joint_names) == ['j1', 'j2', 'j3']
    assert list(answer.row_names) == ['x', 'y', 'z', 'rx', 'ry', 'rz'] * 3
    assert list(answer.row_tips) == ['elbow'] * 6 + ['free'] * 6 + ['tip'] * 6
    assert list(answer.row_elements) == [0] * 6 + [1] * 6 + [3] * 6
    assert (answer.frame_id, answer.reference_point) == ('world', 'elbow')
    for i, end in enumerate((1, 2, 3)):
        np.testing.assert_allclose(matrix(answer)[6 * i : 6 * i + 2], plane(Q, end), atol=1e-12)


def test_poses_of_a_group_of_several(bench: Any) -> None:
    answer = bench('forward_kinematics', group='two')
    assert answer.success, answer.message
    assert list(answer.links) == ['elbow', 'free', 'tip']
    for pose, at in zip(answer.poses, points(Q)[1:], strict=True):
        assert pose.header.frame_id == 'world'
        point = pose.pose.position
        np.testing.assert_allclose((point.x, point.y), at, atol=1e-12)
    answer = bench('forward_kinematics', group='two', reference='target')
    point = answer.poses[2].pose.position
    np.testing.assert_allclose((point.x, point.y), points(Q)[3] - (0.9, 0.2), atol=1e-12)


def test_an_arm_of_seven_joints(caller: Any, panda: Any, messages: Any) -> None:
    state = messages.joints({'panda_joint2': 0.4, 'panda_joint4': -1.8, 'panda_joint6': 1.5})
    answer = caller.call(panda, 'compute_jacobian', srv.ComputeJacobian.Request(joint_state=state))
    check_measures(answer)
    assert (answer.nullity, len(answer.singular_values)) == (1, 6)
    assert answer.condition_number == pytest.approx(
        answer.singular_values[0] / answer.singular_values[5]
    )


def test_bad_requests(bench: Any, messages: Any) -> None:
    bad_pose = [messages.pose((math.nan, 0.0, 0.0))]
    here: list[PoseStamped] = [messages.pose()]
    chain = {'form': 'chain', 'last_joint': 'j3'}
    for fields, status, *parts in (
        ({'form': 'magic'}, Status.INVALID_OPTIONS, 'magic'),
        ({'form': 'group', 'frame': 'tip'}, Status.INVALID_OPTIONS, 'frame'),
        ({'form': 'group', 'group': 'leg'}, Status.UNKNOWN_GROUP, 'leg'),
        ({'form': 'group', 'group': 'aimless'}, Status.INVALID_STATE, 'target'),
        ({'last_joint': 'j3'}, Status.INVALID_OPTIONS, 'last_joint'),
        ({'target_pose': here}, Status.INVALID_OPTIONS, 'target_pose'),
        ({**chain, 'group': 'plane'}, Status.INVALID_OPTIONS, 'group'),
        ({'form': 'chain'}, Status.UNKNOWN_JOINT),
        ({'form': 'chain', 'last_joint': 'tip'}, Status.UNKNOWN_JOINT, 'tip'),
        ({**chain, 'base': 'ghost'}, Status.UNKNOWN_OBJECT, 'ghost'),
        ({**chain, 'base': 'tip', 'last_joint': 'j3'}, Status.INVALID_STATE),
        ({**chain, 'constraints': 32}, Status.INVALID_OPTIONS, '32'),
        ({**chain, 'tip_pose': bad_pose}, Status.INVALID_TARGET, 'tip_pose'),
        ({**chain, 'target_pose': bad_pose}, Status.INVALID_TARGET, 'target_pose'),
        ({**chain, 'constraints_base_pose': bad_pose}, Status.INVALID_TARGET),
        (
            {**chain, 'tip_pose': [messages.pose(frame='nowhere')]},
            Status.INVALID_TARGET,
            'nowhere',
        ),
        ({**chain, 'joint_state': messages.joints({'j9': 0.0})}, Status.UNKNOWN_JOINT, 'j9'),
    ):
        refused(bench('compute_jacobian', **fields), status, *parts)
    assert bench('compute_jacobian', form='group', group='plane').success
