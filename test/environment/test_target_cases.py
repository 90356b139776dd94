# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of all kinds on small mechanisms with answers by hand, and at their limits."""

from __future__ import annotations

import math

import ik_node
from ik_node import InvalidTargetError, SolveStatus
import numpy as np
import pytest

PI = math.pi


def pose(rotation=None, position=(0.0, 0.0, 0.0)):
    """Make a pose of a rotation matrix and a position."""
    result = np.eye(4)
    if rotation is not None:
        result[:3, :3] = rotation
    result[:3, 3] = position
    return result


def turned(axis, angle):
    """Make the rotation about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[i, i] = rotation[j, j] = math.cos(angle)
    rotation[j, i], rotation[i, j] = math.sin(angle), -math.sin(angle)
    return rotation


# The z axis of a joint along x, y and z of its parent.
ALONG = {'x': turned(1, PI / 2), 'y': turned(0, -PI / 2), 'z': np.eye(3)}


def serial(*joints, tip=(0.0, 0.0, 0.0), limits=(-PI, PI), kind='revolute'):
    """
    Make an arm of joints that are parallel to axes of the base in its zero configuration.

    Each joint is the name of its axis and its position in the base; the tip has the axes of the
    base, and its position in the base is given too.
    """
    env = ik_node.Environment()
    parent, T_base_parent = None, np.eye(4)
    for i, (axis, position) in enumerate(joints):
        T_base_joint = pose(ALONG[axis], position)
        env.create_joint(
            f'j{i}', kind, parent, np.linalg.inv(T_base_parent) @ T_base_joint, limits=limits
        )
        parent, T_base_parent = f'j{i}', T_base_joint
    env.create_dummy('tip', parent, np.linalg.inv(T_base_parent) @ pose(position=tip))
    return env.create_group('arm', None, 'tip')


@pytest.fixture
def head():
    """Make a pan-tilt head at (0, 0, 1) that gazes along x; tilting down is positive."""
    return serial(('z', (0, 0, 1)), ('y', (0, 0, 1)), tip=(0, 0, 1), limits=(-PI, PI))


@pytest.fixture
def five():
    """Make an arm of five joints, the last of which rolls about the tool, along x."""
    joints = [('z', (0, 0, 0)), ('y', (0, 0, 0.3)), ('y', (0.4, 0, 0.3)), ('y', (0.7, 0, 0.3)),
              ('x', (0.7, 0, 0.3))]  # fmt: skip
    return serial(*joints, tip=(0.8, 0, 0.3), limits=(-3.0, 3.0))


GAZE = (1, 0, 0)


class TestReportsOfUsers:
    def test_p22_cones_are_about_axes_of_the_base(self, five, rng):
        # moveit/moveit#548: the tool along the base's x axis.
        T = five.forward_kinematics(np.zeros(5))
        assert ik_node.TranslationZAxisAngle4D.from_pose(T, GAZE).angle == pytest.approx(PI / 2)
        assert ik_node.TranslationXAxisAngle4D.from_pose(T, GAZE).angle == pytest.approx(0.0)
        target = ik_node.TranslationZAxisAngle4D((0.5, 0.2, 0.3), PI / 2)
        for _ in range(10):
            result = five.solve(target, rng.uniform(-3.0, 3.0, 5), direction=GAZE, timeout=1.0)
            assert result.success
            tool = five.forward_kinematics(result.q)[:3, 0]
            assert math.acos(tool[2]) == pytest.approx(PI / 2, abs=2e-5)

    @pytest.mark.parametrize(
        ('kind', 'first', 'second'),
        [
            (ik_node.TranslationXAxisAngleZNorm4D, 0, 1),
            (ik_node.TranslationYAxisAngleXNorm4D, 1, 2),
            (ik_node.TranslationZAxisAngleYNorm4D, 2, 0),
        ],
    )
    @pytest.mark.parametrize('angle', [0.4, -0.4, 2.8])
    def test_p22_signs_of_the_types_with_a_norm(self, kind, first, second, angle, shipped_robot):
        # rdiankov/openrave#910: atan2(D.y, D.x), atan2(D.z, D.y) and atan2(D.x, D.z).
        env = ik_node.Environment.from_urdf(shipped_robot('ur5e'))
        group = env.create_group('arm', 'base_link', 'tool0')
        result = group.solve(kind((0.3, 0.2, 0.3), angle), timeout=1.0)
        assert result.success
        tool = group.forward_kinematics(result.q)[:3, 2]
        assert math.atan2(tool[second], tool[first]) == pytest.approx(angle, abs=1e-5)
        assert tool[3 - first - second] == pytest.approx(0.0, abs=1e-5)

    def test_p23_the_offset_of_a_tool_turns_with_the_arm(self):
        # moveit/moveit_task_constructor#526: planar 2R of 1 m and 1 m, and a tool of 0.2 m.
        arm = serial(('z', (0, 0, 0)), ('z', (1, 0, 0)), tip=(2.2, 0, 0))
        goal, seed = (1.5, 1.0, 0.0), [0.1, 0.4]
        result = arm.solve(ik_node.Translation3D(goal), seed)
        assert result.success
        a, ab = result.q[0], result.q.sum()
        at = np.array([math.cos(a) + 1.2 * math.cos(ab), math.sin(a) + 1.2 * math.sin(ab), 0.0])
        np.testing.assert_allclose(at, goal, atol=1e-6)
        # The same by a pose of which the position counts; its orientation cannot be reached.
        arm.elements[0].constraints = ik_node.Constraint.POSITION
        answers = {
            arm.solve(pose(turned(axis, angle), goal), seed).q.tobytes()
            for axis in range(3)
            for angle in (0.0, 1.0, -2.5)
        }
        assert len(answers) == 1

    def test_p31_pan_and_tilt(self, head):
        # kevinzakka/mink#156.
        result = head.solve(ik_node.Lookat3D((2, 2, 1)), [0.0, 0.0], direction=GAZE)
        assert result.success
        np.testing.assert_allclose(result.q, [PI / 4, 0.0], atol=1e-5)
        behind = ik_node.Lookat3D((-2, 0, 1))
        assert behind.errors(head.forward_kinematics([0.0, 0.0]), GAZE)[1] == pytest.approx(PI)
        result = head.solve(behind, [0.0, 0.0], direction=GAZE)
        assert result.success
        gaze = head.forward_kinematics(result.q)[:3, 0]
        np.testing.assert_allclose(gaze, [-1.0, 0.0, 0.0], atol=1e-5)
        eye = head.solve(ik_node.Lookat3D((0, 0, 1)), [0.0, 0.0], direction=GAZE, timeout=0.01)
        assert not eye.success
        assert eye.orientation_error == pytest.approx(PI)

    def test_p31_directions_of_any_length(self, head):
        ones = [
            head.solve(ik_node.Direction3D(direction), [0.2, 0.1], direction=gaze)
            for direction, gaze in (((0, 0, 5), GAZE), ((0, 0, 1), (7, 0, 0)))
        ]
        assert ones[0].success
        assert ones[0].q.tobytes() == ones[1].q.tobytes()
        assert ones[0].q[1] == pytest.approx(-PI / 2, abs=1e-5)

    def test_p32_a_base_away_from_the_world(self):
        # moveit/moveit#2333: 0.36 m between world and arm.
        arm = serial(('z', (0.36, 0, 0)), ('z', (0.86, 0, 0)), tip=(1.36, 0, 0))
        result = arm.solve(ik_node.TranslationXY2D((1.0, 0.5)), [0.3, 0.3])
        assert result.success
        np.testing.assert_allclose(arm.forward_kinematics(result.q)[:2, 3], [1.0, 0.5], atol=1e-6)
        base = arm.environment.create_dummy('arm_base', None, pose(position=(0.36, 0, 0)))
        seen = arm.environment.create_group('seen', base, 'tip')
        other = seen.solve(ik_node.TranslationXY2D((0.64, 0.5)), [0.3, 0.3])
        np.testing.assert_allclose(other.q, result.q, atol=1e-5)
        # z = 99 means nothing.
        arm.elements[0].constraints = ik_node.Constraint.X | ik_node.Constraint.Y
        answers = [
            arm.solve(pose(position=(1.0, 0.5, z)), [0.3, 0.3]).q.tobytes() for z in (0.0, 99.0)
        ]
        assert answers[0] == answers[1]

    def test_p32_an_angle_about_the_z_axis_of_the_base(self):
        joints = [('z', (0.36, 0, 0)), ('z', (0.86, 0, 0)), ('z', (1.36, 0, 0))]
        arm = serial(*joints, tip=(1.46, 0, 0))
        result = arm.solve(
            ik_node.TranslationXYOrientation3D((0.9, 0.5), 2.0), [0.3, 0.3, 0.3], direction=GAZE
        )
        assert result.success
        T = arm.forward_kinematics(result.q)
        np.testing.assert_allclose(T[:2, 3], [0.9, 0.5], atol=1e-6)
        assert math.atan2(T[1, 0], T[0, 0]) == pytest.approx(2.0, abs=1e-5)

    def test_p51_a_pose_on_a_gantry(self):
        # NVlabs/curobo#493.
        axes = [('x', (0, 0, 0)), ('y', (0, 0, 0)), ('z', (0, 0, 0))]
        gantry = serial(*axes, limits=(0.0, 2.0), kind='prismatic')
        goal, seed = (0.5, 0.7, 0.9), [1.0, 1.0, 1.0]
        result = gantry.solve(ik_node.Transform6D(goal, (0, 0, 0, 1)), seed)
        assert result.success
        np.testing.assert_allclose(result.q, goal, atol=1e-6)
        tilted = ik_node.Transform6D(goal, (math.sin(0.05), 0, 0, math.cos(0.05)))
        result = gantry.solve(tilted, seed)
        assert result.status is SolveStatus.UNREACHABLE
        assert result.orientation_error == pytest.approx(0.1, abs=1e-6)
        assert 'orientation' in result.message
        assert 'Translation3D' in result.message

    def test_p52_the_roll_of_a_tool_stays_that_of_the_seed(self, five, rng):
        # moveit/moveit#977.
        for _ in range(20):
            q = rng.uniform(-2.0, 2.0, 5)
            target = ik_node.TranslationDirection5D.from_pose(five.forward_kinematics(q), GAZE)
            seed = np.append(q[:4] + rng.normal(scale=0.3, size=4), 0.7)
            result = five.solve(target, seed, direction=GAZE)
            assert result.success
            if result.restarts == 0:
                assert result.q[4] == pytest.approx(0.7, abs=1e-9)
        whole = five.forward_kinematics(q) @ pose(turned(0, 0.7))
        assert five.solve(ik_node.TranslationDirection5D.from_pose(whole, GAZE), direction=GAZE)


@pytest.fixture
def panda(shipped_robot):
    """Give a group of the Panda."""
    env = ik_node.Environment.from_urdf(shipped_robot('panda'))
    return env.create_group('arm', 'panda_link0', 'panda_hand')


READY = [0.1, -0.4, 0.2, -1.9, 0.3, 1.7, 0.4]


class TestWhereNothingIsDefined:
    def test_opposite_directions_are_turned_around(self, panda):
        T = panda.forward_kinematics(READY)
        for target in (
            ik_node.Direction3D(-T[:3, 2]),
            ik_node.Shapes(orientation=ik_node.Parallel(-T[:3, 2])),
            ik_node.Lookat3D(T[:3, 3] - 0.5 * T[:3, 2]),
            ik_node.TranslationDirection5D((0.4, 0.1, 0.3), -T[:3, 2]),
        ):
            assert target.errors(T)[1] == pytest.approx(PI, abs=1e-6)
            result = panda.solve(target, READY, timeout=1.0)
            assert result.success
            assert target.errors(panda.forward_kinematics(result.q))[1] <= 1.001e-5

    def test_on_the_eye_and_just_in_front_of_it(self, panda):
        T = panda.forward_kinematics(READY)
        for away in (0.0, 1e-12, 1e-7, 1e-3):
            target = ik_node.Lookat3D(T[:3, 3] + away * T[:3, 2])
            result = panda.solve(target, READY, timeout=1.0)
            assert result.success
            assert target.errors(panda.forward_kinematics(result.q))[1] <= 1.1e-5

    def test_very_far_to_look_at(self, panda):
        for far in (1e6, 1e150):
            target = ik_node.Lookat3D((0.3 * far, -0.2 * far, 0.5 * far))
            result = panda.solve(target, READY, timeout=1.0)
            assert result.success
            way = np.array([0.3, -0.2, 0.5]) / math.sqrt(0.38)
            tool = panda.forward_kinematics(result.q)[:3, 2]
            assert np.linalg.norm(tool - way) <= 1.2e-5 + 3.0 / far

    def test_an_azimuth_from_a_tool_along_the_axis(self, panda, rng):
        # The seed has the tool along z: its azimuth is undefined, and so is the way out.
        upright = panda.solve(ik_node.Direction3D((0, 0, -1)), READY).q
        for angle in (-PI, -1.0, 0.0, 2.0, PI):
            target = ik_node.TranslationXYOrientation3D((0.4, 0.1), angle)
            result = panda.solve(target, upright, timeout=1.0)
            assert result.success
            tool = panda.forward_kinematics(result.q)[:3, 2]
            away = math.remainder(math.atan2(tool[1], tool[0]) - angle, 2.0 * PI)
            assert abs(away) <= 1.001e-5

    @pytest.mark.parametrize('angle', [0.0, 1e-12, 1e-7, 1e-4, PI - 1e-7, PI])
    @pytest.mark.parametrize('interior', [False, True])
    def test_cones_that_are_nearly_lines(self, angle, interior, panda):
        for orientation in (
            ik_node.Cone((0, 0, 1), (0.2, 0.1, -1), angle, interior),
            ik_node.Cone((1, 2, 3), (0, 0, 1), angle, interior),
        ):
            target = ik_node.Shapes(ik_node.Point((0.4, 0.1, 0.4)), orientation)
            result = panda.solve(target, READY, timeout=1.0)
            assert result.success, result.message
            errors = target.errors(panda.forward_kinematics(result.q))
            assert errors[0] <= 1.001e-6
            assert errors[1] <= 1.001e-5

    @pytest.mark.parametrize('angle', [0.0, PI])
    def test_cones_of_the_base_that_are_lines(self, angle, panda):
        for kind, axis in (
            (ik_node.TranslationXAxisAngle4D, 0),
            (ik_node.TranslationYAxisAngle4D, 1),
            (ik_node.TranslationZAxisAngle4D, 2),
        ):
            if (axis, angle) == (2, 0.0):
                continue  # the hand cannot point upwards there
            result = panda.solve(kind((0.3, 0.2, 0.5), angle), READY, timeout=1.0)
            assert result.success
            tool = panda.forward_kinematics(result.q)[:3, 2]
            assert tool[axis] == pytest.approx(math.cos(angle), abs=1e-9)

    def test_what_has_no_length(self, panda):
        for make in (
            lambda: ik_node.Direction3D((0, 0, 0)),
            lambda: ik_node.Ray4D((0, 0, 0), (0, 0, 0)),
            lambda: ik_node.Line((0, 0, 0), (0, 0, 0)),
            lambda: ik_node.Plane((0, 0, 0), 1.0),
            lambda: ik_node.Parallel((0, 0, 0)),
            lambda: ik_node.Cone((0, 0, 0), (0, 0, 1), 1.0),
            lambda: ik_node.Rotation((0, 0, 0, 0)),
            lambda: ik_node.Lookat3D((math.inf, 0, 0)),
            lambda: ik_node.Translation3D((math.nan, 0, 0)),
            lambda: panda.solve(ik_node.Direction3D((0, 0, 1)), direction=(0, 0, 0)),
            lambda: panda.solve(ik_node.Translation3D((0, 0, 1)), direction=(0, math.inf, 0)),
        ):
            with pytest.raises(InvalidTargetError):
                make()

    def test_lines_that_end_where_they_begin(self, panda):
        line = ik_node.Line((0.4, 0.1, 0.2), (0, 0, 3), 0.2, 0.2)
        result = panda.solve(ik_node.Shapes(line), READY)
        assert result.success
        np.testing.assert_allclose(
            panda.forward_kinematics(result.q)[:3, 3], [0.4, 0.1, 0.4], atol=1e-6
        )

    def test_nothing_asked_is_the_seed(self, panda):
        for target in (
            ik_node.Shapes(),
            ik_node.Shapes(ik_node.Point((9, 9, 9)), position_priority=0.0),
            ik_node.Shapes(orientation=ik_node.Cone((0, 0, 1), (1, 0, 0), PI, interior=True)),
            ik_node.PoseBox((9, 9, 9), (0, 0, 0, 1)),
        ):
            result = panda.solve(target, READY)
            assert result.success
            np.testing.assert_array_equal(result.q, READY)


class TestDirectionOfTheGroup:
    @pytest.fixture
    def camera(self, shipped_robot):
        env = ik_node.Environment.from_urdf(shipped_robot('panda'))
        group = env.create_group('camera', 'panda_link0', 'panda_hand')
        assert group.direction == (0.0, 0.0, 1.0)
        group.direction = (3, 0, 4)
        assert group.direction == (0.6, 0.0, 0.8)
        return group

    def test_counts_in_requests_that_give_none(self, camera):
        target, given = ik_node.Direction3D((0.2, 0.1, -1)), {'direction': (0.6, 0.0, 0.8)}
        wanted = np.array(target.direction)

        def tool(q, axis):
            return camera.forward_kinematics(q)[:3, :3] @ axis

        result = camera.solve(target, READY)
        np.testing.assert_allclose(tool(result.q, (0.6, 0.0, 0.8)), wanted, atol=1.1e-5)
        for way in ({}, {'method': 'dls', 'timeout': 0.5}, {'goals': [ik_node.NearSeed()]}):
            one, two = (
                camera.solve(target, READY, **way),
                camera.solve(target, READY, **way, **given),
            )
            assert one.success
            assert one.q.tobytes() == two.q.tobytes()
        step = {'linear_step': 0.1, 'angular_step': 0.1}
        velocity = ik_node.IkParameterizationVelocity('Direction3D', (0.1, -0.2, 0.0))
        for one, two in (
            (camera.step(target, READY, **step).q, camera.step(target, READY, **step, **given).q),
            (camera.find_config(target, READY).q, camera.find_config(target, READY, **given).q),
            (
                camera.joint_velocities(velocity, READY).dq,
                camera.joint_velocities(velocity, READY, **given).dq,
            ),
        ):
            assert one.tobytes() == two.tobytes()
        # A request has the last word.
        result = camera.solve(target, READY, direction=(0, 0, 1))
        np.testing.assert_allclose(tool(result.q, (0.0, 0.0, 1.0)), wanted, atol=1.1e-5)

    def test_is_copied_with_the_environment_and_refused_without_length(self, camera):
        assert camera.environment.duplicate().group('camera').direction == (0.6, 0.0, 0.8)
        for wrong in ((0, 0, 0), (math.nan, 0, 1), (1, 0), None):
            with pytest.raises(InvalidTargetError, match='direction is'):
                camera.direction = wrong
        assert camera.direction == (0.6, 0.0, 0.8)


class TestWhatIsNotUsed:
    @pytest.mark.parametrize(
        'target',
        [
            ik_node.Transform6D((0.4, 0.1, 0.4), (1, 0, 0, 0)),
            ik_node.Rotation3D((1, 0, 0, 0)),
            ik_node.Translation3D((0.4, 0.1, 0.4)),
            ik_node.TranslationXY2D((0.4, 0.1)),
            ik_node.TranslationLocalGlobal6D((0.1, 0, 0), (0.4, 0.1, 0.4)),
            ik_node.Shapes(ik_node.Plane((0, 0, 1), -0.4), ik_node.Parallel((0, 0, -1))),
            ik_node.PoseBox((0.4, 0.1, 0.4), (1, 0, 0, 0), (-0.1,) * 6, (0.1,) * 6),
        ],
    )
    def test_a_direction(self, target, panda):
        answers = {
            panda.solve(target, READY, direction=direction).q.tobytes()
            for direction in ((0, 0, 1), (0, 0, -3), (1, 2, 3))
        }
        assert len(answers) == 1

    def test_custom_data_and_the_point_of_a_ray(self, panda):
        plain = ik_node.Ray4D((0.4, 0.1, 0.4), (0, 0, -1))
        moved = ik_node.Ray4D((0.4, 0.1, -7.6), (0, 0, -2), custom={'point': (1, 2, 3)})
        one, two = panda.solve(plain, READY), panda.solve(moved, READY)
        np.testing.assert_allclose(one.q, two.q, atol=1e-6)

    def test_priorities_without_weight_count_as_none(self, panda):
        point, axis = ik_node.Point((0.4, 0.1, 0.4)), ik_node.Parallel((0, 0, 1))
        one = panda.solve(ik_node.Shapes(point, axis, orientation_priority=-1.0), READY)
        two = panda.solve(ik_node.Shapes(point), READY)
        assert one.q.tobytes() == two.q.tobytes()


class TestSlides:
    def test_a_joint_without_influence_stays(self, panda):
        result = panda.solve(ik_node.Translation3D((0.4, 0.2, 0.3)), READY)
        assert result.success
        assert result.q[6] == READY[6]

    def test_bounds_are_met_at_their_end(self, panda):
        # From below the nearest point of a half line is where it begins.
        T = panda.forward_kinematics(READY)
        line = ik_node.Line(T[:3, 3] + [0, 0, 0.1], (0, 0, 1), lower=0.0)
        result = panda.solve(ik_node.Shapes(line), READY)
        assert result.success
        at = panda.forward_kinematics(result.q)[:3, 3] - T[:3, 3]
        np.testing.assert_allclose(at, [0.0, 0.0, 0.1], atol=1e-5)

    def test_inside_of_bounds_nothing_moves(self, panda):
        T = panda.forward_kinematics(READY)
        box = ik_node.PoseBox.around(T, (-0.1,) * 6, (0.1,) * 6)
        result = panda.solve(box, READY)
        assert result.success
        np.testing.assert_array_equal(result.q, READY)

    def test_nearest_is_at_least_as_near_as_the_first(self, panda, rng):
        for _ in range(30):
            q, seed = rng.uniform(panda.lower, panda.upper, (2, 7))
            target = ik_node.Translation3D.from_pose(panda.forward_kinematics(q))
            first = panda.solve(target, seed, timeout=1.0)
            nearest = panda.solve(target, seed, prefer='nearest', timeout=1.0)
            aparts = [np.linalg.norm(result.q - seed) for result in (nearest, first)]
            assert aparts[0] <= aparts[1] * (1.0 if first.restarts == 0 else 1.05)


@pytest.mark.parametrize('turned', [0, 1])
def test_axes_are_those_of_the_own_base_where_tips_share_no_joint(turned):
    env = ik_node.Environment()
    base = env.create_dummy('base', None, [[0, 0, 1, 3], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    group = env.create_group('both', empty=True)
    for i in range(2):
        parent = base if i == turned else None
        for axis in range(3):
            pose = np.eye(4)
            pose[:3, :3] = np.roll(np.eye(3), 1, axis=0)
            name = f'slide {i} {axis}'
            parent = env.create_joint(name, 'prismatic', parent, pose, limits=(-1.0, 1.0))
        group.add_element(env.create_dummy(f'tip {i}', parent), base if i == turned else None)
    q = np.array([0.1, -0.3, 0.2, 0.4, -0.2, 0.5])
    targets = [ik_node.TranslationXY2D(T[:2, 3]) for T in group.forward_kinematics(q)]
    result = group.solve(targets, np.zeros(6))
    assert result.success, result.message
    for target, T in zip(targets, group.forward_kinematics(result.q), strict=True):
        assert max(target.errors(T)) < 1e-5
    # Nothing more than what the targets ask for: each is reached by two slides.
    assert np.count_nonzero(np.abs(result.q) > 1e-9) == 4


@pytest.mark.parametrize('pitch', [PI / 2, -PI / 2])
def test_boxes_at_a_right_angle_of_pitch_ask_for_yaw_without_roll(pitch, rng):
    group = serial(('z', (0, 0, 0)), ('y', (0, 0, 0)), ('x', (0, 0, 0)))
    for _ in range(200):
        yaw, roll = rng.uniform(-3.0, 3.0, 2)
        q = np.array([yaw, pitch, roll])
        middle = rng.uniform(-3.0, 3.0, 2)
        lower = [-math.inf] * 3 + [middle[0] - 0.5, pitch, middle[1] - 0.5]
        upper = [math.inf] * 3 + [middle[0] + 0.5, pitch, middle[1] + 0.5]
        box = ik_node.PoseBox((0, 0, 0), (0, 0, 0, 1), lower, upper)
        before = group.step(box, q, linear_step=1e-9, angular_step=1e-9)
        error = box.errors(group.forward_kinematics(q))[1]
        assert before.orientation_error_before == pytest.approx(error, abs=1e-6)
        for starts in (1, 16):
            result = group.solve(box, q, max_starts=starts)
            error = box.errors(group.forward_kinematics(result.q))[1]
            assert result.orientation_error == pytest.approx(error, abs=1e-6)
            assert not result.success or error <= 1.01e-5
