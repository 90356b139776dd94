# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of reachable poses: never wrong, as narrow as a hand derives them, and of use."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from ik_node.kernels import reach
from ik_node.kernels.rotations import rotation_exp
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Dependency, Frame, Joint, JointKind, WORLD
from ik_node.model.tables import compile_tables
from ik_node.model.urdf import load_urdf
from ik_node.solvers.kinematics import forward_kinematics
import numpy as np
import pytest

TIGHT = (1e-6, 1e-5)
WIDE = (0.02, 0.1)


def configurations(tables, rng, count):
    """Draw configurations: uniform, at zero, at limits, all joints in the same way or mixed."""
    lower, upper, _, half = tables.limits[:, :4].T
    lower = np.where(np.isfinite(lower), lower, np.minimum(upper, half) - 2.0 * half)
    upper = np.where(np.isfinite(upper), upper, np.maximum(lower, -half) + 2.0 * half)
    shape = count, len(lower)
    uniform = lower + (upper - lower) * rng.random(shape)
    zero = np.broadcast_to(np.clip(0.0, lower, upper), shape)
    bound = np.where(rng.random(shape) < 0.5, lower, upper)
    kind = np.where(rng.random((count, 1)) < 0.3, rng.integers(3, size=(count, 1)), 3)
    kind = np.where(kind < 3, kind, rng.integers(3, size=shape))
    return np.clip(np.choose(kind, [uniform, zero, bound]), lower, upper)


def perturbed(poses, rng, position, orientation):
    """Move each pose by the tolerances, in random directions."""
    out = poses.copy()
    for pose in out:
        axis, shift = rng.standard_normal((2, 3))
        vector = axis / np.linalg.norm(axis) * orientation * (1.0 - 1e-6)
        pose[:3, :3] = np.reshape(rotation_exp(*vector.tolist()), (3, 3)) @ pose[:3, :3]
        pose[:3, 3] += shift / np.linalg.norm(shift) * position * (1.0 - 1e-6)
    return out


def check_soundness(tables, rng, count):
    """Call no pose of a configuration unreachable, nor one that differs by the tolerances."""
    table = tables.reach.table
    assert not np.isnan(table).any()
    for poses in forward_kinematics(tables, configurations(tables, rng, count)):
        assert reach.violated(poses, table, *TIGHT) == -1
        for tolerances in TIGHT, WIDE:
            assert reach.violated(perturbed(poses, rng, *tolerances), table, *tolerances) == -1


@pytest.mark.parametrize(
    ('robot', 'base', 'tips'),
    [
        ('panda', 'panda_link0', ['panda_hand_tcp']),
        ('panda', 'panda_hand_tcp', ['panda_link0', 'panda_leftfinger']),
        ('ur5e', 'base_link', ['tool0']),
        ('iiwa14', 'base', ['flange', 'link4']),
        ('scara', 'base_link', ['tool0']),
        ('planar_2r', 'base', ['tip']),
        ('planar_mimic', 'base', ['tip']),
        ('ur_description/urdf/ur5_robot.urdf', 'base_link', ['ee_link']),
        (
            'tiago_description/robots/tiago_no_hand.urdf',
            'base_footprint',
            ['wrist_ft_tool_link'],
        ),
        ('talos_data/robots/talos_reduced.urdf', 'arm_left_7_link', ['arm_right_7_link']),
    ],
)
def test_no_pose_of_a_robot_is_called_unreachable(
    robot, base, tips, real_robot, shipped_robot, rng
):
    mechanism = load_urdf((real_robot if '/' in robot else shipped_robot)(robot))
    tables = compile_tables(
        mechanism, mechanism.frame_index(base), [mechanism.frame_index(tip) for tip in tips]
    )
    check_soundness(tables, rng, 10_000)


ANGLES = st.sampled_from([0.0, math.pi / 2, math.pi, -math.pi / 2]) | st.floats(-3.0, 3.0)
LENGTHS = st.sampled_from([0.0, 0.3, 1.0]) | st.floats(-2.0, 2.0)


@st.composite
def placements(draw):
    """Draw poses: special and general ones."""
    T = np.eye(4)
    T[:3, :3] = np.reshape(rotation_exp(*draw(st.tuples(ANGLES, ANGLES, ANGLES))), (3, 3))
    if draw(st.booleans()):
        T[:3, :3] = np.eye(3)
    T[:3, 3] = draw(st.tuples(LENGTHS, LENGTHS, LENGTHS))
    return T


@st.composite
def mechanisms(draw):
    """Draw trees of all kinds of joints, some with limits, some followers, each with a frame."""
    objects = []
    masters = []
    for i in range(draw(st.integers(0, 7))):
        parent = draw(st.integers(max(WORLD, len(objects) - 4), len(objects) - 1))
        kind = draw(st.sampled_from(['turn', 'turn', 'turn', 'slide', 'screw', 'ball', 'follow']))
        settings_ = {}
        if kind != 'ball' and draw(st.booleans()):
            ends = draw(st.tuples(st.floats(-7.0, 7.0), st.floats(0.0, 7.0)))
            settings_ = {'lower': ends[0], 'upper': ends[0] + ends[1]}
        if kind == 'follow' and masters:
            how = draw(
                st.sampled_from(
                    [
                        Dependency(masters[-1], -0.5, 0.3),
                        Dependency(masters[0], 0.0, 0.7),
                        Dependency(masters[-1], function=lambda q: 0.4 * math.sin(q)),
                    ]
                )
            )
            settings_ = {'dependency': how}
        elif kind != 'ball':
            masters.append(f'j{i}')
        if kind == 'screw':
            settings_['screw_lead'] = draw(st.floats(-0.5, 0.5))
        joint_kind = {'slide': JointKind.PRISMATIC, 'ball': JointKind.SPHERICAL}.get(
            kind, JointKind.REVOLUTE
        )
        objects.append(Joint(f'j{i}', parent, draw(placements()), joint_kind, **settings_))
        objects.append(Frame(f'f{i}', len(objects) - 1, draw(placements())))
    objects.append(Frame('world_frame', WORLD, draw(placements())))
    objects.append(Frame('tip', draw(st.integers(WORLD, len(objects) - 1)), draw(placements())))
    return Mechanism('drawn', tuple(objects))


@settings(max_examples=300)
@given(mechanisms(), st.data())
def test_no_pose_of_any_mechanism_is_called_unreachable(mechanism, data):
    ends = st.integers(WORLD, len(mechanism.objects) - 1)
    base, *tips = data.draw(st.tuples(ends, ends, ends))
    tables = compile_tables(mechanism, base, [tip for tip in tips if tip != WORLD])
    check_soundness(tables, np.random.default_rng(len(mechanism.objects)), 30)


def planar(elbow=(-math.inf, math.inf), last=0.5):
    """Make links of 1 m and `last` in the plane z = 0."""
    forward = np.eye(4)
    forward[0, 3] = 1.0
    end = np.eye(4)
    end[0, 3] = last
    objects = (
        Joint('shoulder', WORLD, np.eye(4)),
        Joint('elbow', 0, forward, lower=elbow[0], upper=elbow[1]),
        Frame('tip', 1, end),
    )
    return compile_tables(Mechanism('planar', objects), WORLD, [2])


def ranges(tables, base, tip, kinds=(reach.DISTANCE_BASE, reach.DISTANCE_TIP), along=''):
    """Find the bounds between two landmarks, of joints by their names; of no points outside."""
    found = set()
    for row, label in zip(*tables.reach, strict=True):
        if 'a point' in label.base + label.tip:
            continue
        if row[reach.KIND] in kinds and base in label.base and tip in label.tip:
            if along in label.along:
                found.add(tuple(np.round(row[[reach.LEAST, reach.MOST]], 7).tolist()))
    return found


def test_annulus_of_two_links():
    # |1 - 0.5| to 1 + 0.5; the elbow itself is on a circle of 1 m.
    assert ranges(planar(), 'shoulder', 'tip') == {(0.5, 1.5)}
    assert ranges(planar(), 'shoulder', 'elbow') == {(1.0, 1.0)}
    # Parallel axes: no tilt, no height.
    assert ranges(planar(), 'shoulder', 'elbow', (reach.ANGLE,)) == {(0.0, 0.0)}
    assert ranges(planar(), 'shoulder', 'tip', (reach.HEIGHT_BASE,)) == {(0.0, 0.0)}


@pytest.mark.parametrize(
    ('lower', 'upper', 'sharpest', 'straightest'),
    [
        (0.5, 2.0, 2.0, 0.5),
        (-2.0, -0.5, 2.0, 0.5),
        (-0.5, 2.0, 2.0, 0.0),
        (2.5, 4.0, math.pi, 4.0),
        (2 * math.pi + 0.5, 2 * math.pi + 2.0, 2.0, 0.5),
        (0.5, 2 * math.pi - 0.5, math.pi, 0.5),
        (-3.0, 4.0, math.pi, 0.0),
    ],
)
def test_annulus_with_limits_of_the_elbow(lower, upper, sharpest, straightest):
    # Law of cosines: d^2 = 1 + 0.25 + 2 * 1 * 0.5 * cos(elbow).
    expected = [math.sqrt(1.25 + math.cos(angle)) for angle in (sharpest, straightest)]
    (found,) = ranges(planar((lower, upper)), 'shoulder', 'tip')
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_range_of_a_hinge():
    # A hinge within half a radian: the angle of the tip is proof enough.
    objects = (
        Joint('shoulder', WORLD, np.eye(4), lower=-0.5, upper=0.5),
        Frame('tip', 0, np.eye(4)),
    )
    tables = compile_tables(Mechanism('hinge', objects), WORLD, [1])
    for angle, inside in ((0.49, True), (-0.49, True), (0.51, False), (3.0, False)):
        target = np.eye(4)[np.newaxis].copy()
        target[0, :3, :3] = np.reshape(rotation_exp(0.0, 0.0, angle), (3, 3))
        assert (reach.violated(target, tables.reach.table, *TIGHT) == -1) is inside
        assert reach.violated(target, tables.reach_without_limits.table, *TIGHT) == -1


def test_wrist_of_an_arm_with_an_offset(shipped_robot):
    # UR5e: upper arm 0.425 m, forearm 0.3922 m, the wrist 0.1333 m aside of their plane. The
    # axes of wrist 1 and 2 meet in a point that keeps that distance from the plane.
    mechanism = load_urdf(shipped_robot('ur5e'))
    tables = compile_tables(
        mechanism, mechanism.frame_index('base_link'), [mechanism.frame_index('tool0')]
    )
    folded = math.hypot(0.425 - 0.3922, 0.1333)
    stretched = math.hypot(0.425 + 0.3922, 0.1333)
    expected = (round(folded, 7), round(stretched, 7))
    assert expected in ranges(tables, 'shoulder_pan', 'wrist_2', (reach.DISTANCE_TIP,))
    along = ranges(tables, 'shoulder_pan', 'wrist_3', (reach.HEIGHT_BASE,), 'shoulder_lift_joint')
    assert len(along) == 1
    np.testing.assert_allclose(np.abs(along.pop()), 0.1333, atol=1e-7)


def test_scara_keeps_its_quill_upright_and_in_its_stroke(shipped_robot):
    mechanism = load_urdf(shipped_robot('scara'))
    tables = compile_tables(
        mechanism, mechanism.frame_index('base_link'), [mechanism.frame_index('tool0')]
    )
    assert ranges(tables, "axis of joint 'joint1'", 'joint4', (reach.ANGLE,)) >= {(0.0, 0.0)}
    # The maker: "every reachable z lies in -0.150 to 0 m".
    heights = ranges(tables, 'joint1', 'the tip', (reach.HEIGHT_BASE,), 'joint1')
    assert heights == {(-0.15, 0.0)}


def test_gantry_is_a_box():
    turns = [np.eye(4), np.eye(4), np.eye(4)]
    turns[0][:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]  # z of the joint along x of its parent
    turns[1][:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    turns[2][:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    objects = tuple(
        Joint(f'j{i}', i - 1, T, JointKind.PRISMATIC, 0.0, 1.0 + i) for i, T in enumerate(turns)
    )
    tables = compile_tables(Mechanism('gantry', objects), WORLD, [2])
    lengths = [ranges(tables, 'j0', 'the tip', (reach.HEIGHT_BASE,), f'j{i}') for i in range(3)]
    assert lengths == [{(0.0, 1.0)}, {(0.0, 2.0)}, {(0.0, 3.0)}]
    target = np.eye(4)[np.newaxis]
    inside, outside = target.copy(), target.copy()
    # Joint 0 moves along x, joint 1 along the x of its frame, which is y, joint 2 along z.
    inside[0, :3, 3] = 0.9, 1.9, 2.9
    outside[0, :3, 3] = 0.1, 2.1, 0.1
    assert reach.violated(inside, tables.reach.table, *TIGHT) == -1
    assert reach.violated(outside, tables.reach.table, *TIGHT) >= 0


@pytest.mark.parametrize('size', [1e-9, 1e9, 1e155, 1e200, 1e308])
def test_absurd_sizes_prove_nothing_that_is_false(size):
    forward = np.eye(4)
    forward[:3, 3] = size, 0.5 * size, -size
    objects = (
        Joint('j0', WORLD, forward, JointKind.PRISMATIC, -size, size),
        Joint('j1', 0, forward, lower=-1.0, upper=1.0),
        Joint('j2', 1, forward, screw_lead=1e-3),
        Joint('j3', 2, forward, JointKind.PRISMATIC),
        Frame('tip', 3, np.eye(4)),
    )
    tables = compile_tables(Mechanism('absurd', objects), WORLD, [4])
    assert not np.isnan(tables.reach.table).any()
    for poses in forward_kinematics(tables, np.zeros((1, 4))):
        # Rounding alone is more than a tolerance where numbers are large.
        tolerance = max(1e-6, 1e-12 * size), 1e-5
        assert reach.violated(poses, tables.reach.table, *tolerance) == -1


def test_tip_that_nothing_moves():
    at = np.eye(4)
    at[:3, 3] = 0.1, 0.2, 0.3
    tables = compile_tables(Mechanism('rigid', (Frame('tip', WORLD, at),)), WORLD, [0])
    turned = at.copy()
    turned[:2, :2] = [[0, -1], [1, 0]]
    assert reach.violated(at[np.newaxis], tables.reach.table, *TIGHT) == -1
    assert reach.violated(turned[np.newaxis], tables.reach.table, *TIGHT) >= 0
    assert reach.violated(np.eye(4)[np.newaxis], tables.reach.table, *TIGHT) >= 0


def test_ball_reaches_every_orientation_at_one_place(rng):
    tables = compile_tables(
        Mechanism('ball', (Joint('j', WORLD, np.eye(4), JointKind.SPHERICAL),)), WORLD, [0]
    )
    check_soundness(tables, rng, 100)
    away = np.eye(4)[np.newaxis].copy()
    away[0, 0, 3] = 1e-3
    assert reach.violated(away, tables.reach.table, *TIGHT) >= 0


@pytest.mark.parametrize('robot', ['panda', 'ur5', 'iiwa14', 'tiago'])
@pytest.mark.parametrize('kind', ['beyond', 'inside_but_wrong'])
def test_impossible_targets_of_the_benchmark_are_proven(robot, kind, real_robot, rng, tmp_path):
    pytest.importorskip('pinocchio')
    from benchmarks import targets
    from benchmarks.robots import load_robot

    loaded = load_robot(robot, tmp_path)
    mechanism = load_urdf(loaded.path)
    tables = compile_tables(
        mechanism, mechanism.frame_index(loaded.base), [mechanism.frame_index(loaded.tip)]
    )
    cases = getattr(targets, kind)(loaded.judge, 300, rng)
    for target in cases.targets:
        assert reach.violated(target[np.newaxis], tables.reach.table, *TIGHT) >= 0
