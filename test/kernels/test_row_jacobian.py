# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows of tips against central differences: every constraint, on trees where all of it moves.

What is differentiated is computed here from poses alone: positions seen from the axes that
constrain them, and the rotation of the tip seen from its target.
"""

from __future__ import annotations

from ik_node.environment.environment import Environment
from ik_node.kernels.rotations import rotate_vector_by, rotation_error
from ik_node.kernels.tree import LOWER
from ik_node.model.tables import Aim, compile_tasks, Task
from ik_node.model.walk import inverse
from ik_node.solvers.kinematics import forward_kinematics, task_rows
import numpy as np
import pytest

POSITION, ALPHA_BETA, GAMMA, ORIENTATION = 7, 8, 16, 24


def random_pose(rng, tilt=3.0):
    """Make a pose with a rotation of up to `tilt` about a random axis."""
    vector = rng.normal(size=3)
    vector *= rng.uniform(0.0, tilt) / np.linalg.norm(vector)
    pose = np.eye(4)
    for k in range(3):
        column = np.zeros(3)
        rotated = np.zeros(3)
        rotate_vector_by(rotated, vector)
        column[k] = 1.0
        pose[:3, k] = _rotate(vector, column)
    pose[:3, 3] = rng.normal(size=3)
    return pose


def _rotate(vector, point):
    """Turn a point by a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(vector)
    axis = vector / angle
    return (
        point * np.cos(angle)
        + np.cross(axis, point) * np.sin(angle)
        + axis * (axis @ point) * (1.0 - np.cos(angle))
    )


def random_task(rng, constraints):
    """Make a tree of all kinds of joints, with tip, target and axes anywhere on it."""
    env = Environment()
    objects = [None]
    for i in range(9):
        kind = str(rng.choice(['revolute', 'revolute', 'prismatic', 'spherical']))
        parent = objects[rng.integers(max(0, len(objects) - 3), len(objects))]
        joint = env.create_joint(f'j{i}', kind, parent, random_pose(rng))
        if kind == 'revolute' and rng.random() < 0.3:
            joint.limits = (-2.0, 2.0)
            joint.screw_lead = rng.normal()
        objects.append(joint)
    scalar = [j for j in env.joints.values() if j.kind.value != 'spherical']
    if len(scalar) > 2:
        scalar[2].set_dependency(scalar[0], multiplier=rng.normal(), offset=0.1)
    if len(scalar) > 4:
        scalar[4].set_dependency(scalar[1], function=lambda q: 0.4 * np.sin(q) + 0.2 * q)
    for name in ('tip', 'goal', 'axes', 'base'):
        env.create_dummy(name, objects[rng.integers(len(objects))], random_pose(rng))
    mechanism = env.scene.mechanism
    index = {name: mechanism.frame_index(name) for name in ('tip', 'goal', 'axes', 'base')}
    task = Task(index['tip'], index['goal'], index['axes'], constraints)
    compiled = compile_tasks(mechanism, index['base'], [task], {})
    plain = compile_tasks(
        mechanism,
        index['base'],
        [Task(index[name], index['base'], index['base'], 31) for name in ('tip', 'goal', 'axes')],
        {},
    )
    return compiled, plain.tables, random_pose(rng)


def poses(plain, names, q):
    """Compute the poses of tip, goal and axes from tables of their own."""
    at = dict(zip(names, q, strict=True))
    config = np.array([at[name] for name in plain.coordinate_names])
    return forward_kinematics(plain, config[np.newaxis])[0]


def inside(tables, rng):
    """Draw a configuration inside the limits: outside of them a function may have no value."""
    q = rng.normal(scale=0.5, size=len(tables.coordinate_names))
    return np.clip(q, tables.limits[:, 0] + 0.01, tables.limits[:, 1] - 0.01)


def moved(tables, q, j, step):
    """Move one coordinate; the three of a spherical joint are turns about its moving axes."""
    q = q.copy()
    sizes = tables.limits[:, 4]
    first = j
    while sizes[first] == 0.0:
        first -= 1
    if sizes[first] == 3.0:
        turn = np.zeros(3)
        turn[j - first] = step
        rotate_vector_by(q[first : first + 3], turn)
    else:
        q[j] += step
    return q


def tip_from_goal(T_tip, T_goal):
    """Compute the rotation of the tip seen from the target."""
    return T_goal[:3, :3].T @ T_tip[:3, :3]


def log(rotation):
    """Compute a rotation vector."""
    goal = np.eye(4)
    goal[:3, :3] = rotation
    return np.array(rotation_error(np.append(np.eye(3).ravel(), np.zeros(3)), goal))


@pytest.mark.parametrize('constraints', [1, 2, 4, 7, 8, 16, 24, 31, 0, 11, 20, 29])
@pytest.mark.parametrize('case', range(6))
def test_rows_equal_central_differences(case, constraints):
    rng = np.random.default_rng(100 * case + constraints)
    (tables, T_node_reference, _), plain, T_reference_target = random_task(rng, constraints)
    q = inside(tables, rng)
    targets = T_node_reference[0][np.newaxis] @ T_reference_target
    rows = task_rows(tables, targets, q)
    assert rows.jacobian.shape == (6, len(q))

    def state(config):
        T_tip, T_goal, T_axes = poses(plain, tables.coordinate_names, config)
        return T_tip, T_goal @ T_reference_target, T_axes

    def position_error(config):
        T_tip, T_goal, T_axes = state(config)
        return T_axes[:3, :3].T @ (T_goal[:3, 3] - T_tip[:3, 3])

    chosen = np.array([bool(constraints & bit) for bit in (1, 2, 4)])
    expected = np.where(chosen, position_error(q), 0.0)
    np.testing.assert_allclose(rows.error[:3], expected, atol=1e-12)
    assert rows.distances[0] == pytest.approx(np.linalg.norm(position_error(q)[chosen]))
    step = 1e-5
    for j in range(len(q)):
        there, back = moved(tables, q, j, step), moved(tables, q, j, -step)
        linear = -(position_error(there) - position_error(back)) / (2 * step)
        np.testing.assert_allclose(
            rows.jacobian[:3, j], np.where(chosen, linear, 0.0), atol=2e-8 * _size(rows)
        )
        # The turn of the tip seen from its target, in the axes of the tip.
        R_back, R_there = tip_from_goal(*state(back)[:2]), tip_from_goal(*state(there)[:2])
        angular = log(R_back.T @ R_there) / (2 * step)
        expected = np.zeros(3)
        if constraints & ALPHA_BETA:
            expected[:2] = angular[:2]
        if constraints & ORIENTATION == GAMMA:
            turns = [task_rows(tables, targets, p).error[5] for p in (there, back)]
            expected[2] = -(turns[0] - turns[1]) / (2 * step)
        elif constraints & GAMMA:
            expected[2] = angular[2]
        np.testing.assert_allclose(rows.jacobian[3:, j], expected, atol=2e-7 * _size(rows))


def _size(rows):
    return max(1.0, np.abs(rows.jacobian).max())


@pytest.mark.parametrize('case', range(5))
def test_turn_alone_is_what_is_left_after_the_shortest_way(case):
    rng = np.random.default_rng(case)
    (tables, T_node_reference, _), plain, T_reference_target = random_task(rng, GAMMA)
    q = inside(tables, rng)
    targets = T_node_reference[0][np.newaxis] @ T_reference_target
    T_tip, T_goal, _ = poses(plain, tables.coordinate_names, q)
    R = T_tip[:3, :3].T @ (T_goal @ T_reference_target)[:3, :3]
    tilt = np.cross([0.0, 0.0, 1.0], R[:, 2])
    tilt *= np.arctan2(np.linalg.norm(tilt), R[2, 2]) / np.linalg.norm(tilt)
    shortest = np.column_stack([_rotate(tilt, axis) for axis in np.eye(3)])
    left = log(shortest.T @ R)
    np.testing.assert_allclose(left[:2], 0.0, atol=1e-9)
    rows = task_rows(tables, targets, q)
    np.testing.assert_allclose(rows.error, [0, 0, 0, 0, 0, left[2]], atol=1e-9)
    assert rows.angles[0] == pytest.approx(abs(left[2]))


GOAL_AXES, LOOKAT, AZIMUTH, CONE, ANGLES, BOUNDED = 32, 64, 128, 256, 512, 1024


@pytest.mark.parametrize(
    'constraints',
    [
        3 | GOAL_AXES,
        4 | GOAL_AXES,
        7 | GOAL_AXES | BOUNDED,
        5 | BOUNDED,
        AZIMUTH,
        3 | AZIMUTH,
        CONE,
        ANGLES,
        7 | GOAL_AXES | BOUNDED | ANGLES,
    ],
)
@pytest.mark.parametrize('case', range(6))
def test_rows_are_the_derivative_of_their_error(case, constraints):
    rng = np.random.default_rng(1000 * case + constraints)
    compiled, plain, T_reference_target = random_task(rng, constraints)
    bounds = np.zeros(12)
    if case % 2:
        bounds[[0, 1, 2, 4]] = rng.uniform(-0.5, 0.0, 4)
        bounds[[6, 7, 8, 10]] = rng.uniform(0.0, 0.5, 4)
        bounds[[3, 5, 9, 11]] = 0.3, -0.2, 0.6, 0.9
    else:
        bounds[[3, 9]] = 0.7
    aimed = compiled.tables.aimed([Aim(0, constraints, random_pose(rng))])
    tips = aimed.tips.copy()
    tips[0, LOWER:] = bounds
    tables = aimed.pointed(tips)
    q = inside(tables, rng)
    targets = compiled.T_node_reference[0][np.newaxis] @ T_reference_target
    rows = task_rows(tables, targets, q)
    step = 1e-5
    for j in range(len(q)):
        errors = [
            task_rows(tables, targets, moved(tables, q, j, sign * step)).error
            for sign in (1.0, -1.0)
        ]
        derivative = -(errors[0] - errors[1]) / (2 * step)
        np.testing.assert_allclose(rows.jacobian[:, j], derivative, atol=1e-6 * _size(rows))


@pytest.mark.parametrize('case', range(6))
def test_rows_of_looking_at_a_point_are_the_derivative_where_it_is_looked_at(case):
    rng = np.random.default_rng(case)
    (tables, T_node_reference, _), plain, _ = random_task(rng, LOOKAT)
    q = inside(tables, rng)
    T_tip, T_goal, _ = poses(plain, tables.coordinate_names, q)
    T_base_target = T_tip.copy()
    T_base_target[:3, 3] += 0.8 * T_tip[:3, 2]
    targets = (T_node_reference[0] @ inverse(T_goal) @ T_base_target)[np.newaxis]
    rows = task_rows(tables, targets, q)
    np.testing.assert_allclose(rows.error, 0.0, atol=1e-7)
    step = 1e-5
    for j in range(len(q)):
        errors = [
            task_rows(tables, targets, moved(tables, q, j, sign * step)).error
            for sign in (1.0, -1.0)
        ]
        derivative = -(errors[0] - errors[1]) / (2 * step)
        np.testing.assert_allclose(rows.jacobian[:, j], derivative, atol=1e-6 * _size(rows))
    assert np.abs(rows.jacobian[:3]).max() == 0.0
    behind = targets.copy()
    T_base_target[:3, 3] -= 2.0 * T_tip[:3, 2]
    behind[0] = T_node_reference[0] @ inverse(T_goal) @ T_base_target
    assert task_rows(tables, behind, q).angles[0] == pytest.approx(np.pi, abs=1e-6)
    behind[0] = T_node_reference[0] @ inverse(T_goal) @ T_tip
    assert task_rows(tables, behind, q).angles[0] == pytest.approx(np.pi)


def test_opposite_axes_have_a_defined_error():
    env = Environment()
    env.create_joint('j', 'revolute')
    env.create_dummy('tip', 'j')
    tip = env.scene.mechanism.frame_index('tip')
    upside_down = np.diag([1.0, -1.0, -1.0, 1.0])[np.newaxis]
    for constraints, expected in ((ALPHA_BETA, np.pi), (GAMMA, 0.0)):
        tables = compile_tasks(
            env.scene.mechanism, -1, [Task(tip, -1, -1, constraints)], {}
        ).tables
        rows = task_rows(tables, upside_down, np.zeros(1))
        assert np.linalg.norm(rows.error) == pytest.approx(expected)
        assert np.isfinite(rows.jacobian).all()


def test_place_of_a_target_in_a_moving_frame(shipped_robot):
    env = Environment.from_urdf(shipped_robot('panda'))
    mechanism = env.scene.mechanism
    hand, link = mechanism.frame_index('panda_hand'), mechanism.frame_index('panda_link3')
    compiled = compile_tasks(mechanism, -1, [Task(hand, link, -1, 31)], {})
    q = np.array([0.1, -0.4, 0.2, -1.9, 0.3, 1.7, 0.4])
    T_world = forward_kinematics(
        compile_tasks(mechanism, -1, [Task(i, -1, -1, 31) for i in (hand, link)], {}).tables,
        q[np.newaxis],
    )[0]
    T_link_hand = inverse(T_world[1]) @ T_world[0]
    rows = task_rows(compiled.tables, compiled.T_node_reference @ T_link_hand, q)
    np.testing.assert_allclose(rows.error, 0.0, atol=1e-9)
    # Joints before the link move both.
    np.testing.assert_allclose(rows.jacobian[:, :3], 0.0, atol=1e-12)
    assert np.abs(rows.jacobian[:, 3:]).max() > 0.1
