# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets of all kinds while the environment changes, on trees of all joints, for several tips."""

from __future__ import annotations

from fractions import Fraction
import math

import ik_node
from ik_node import Constraint, IKOptions, InvalidTargetError
from ik_node.constraints.goal import Goal, POSITION
import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.equations import misses  # noqa: E402 - after the skip
from benchmarks.kinds import maker_of, MORE_PAIRS, PAIRS, TYPES  # noqa: E402

SIDEWAYS = np.array([0.3, -0.5, 0.6])
KINDS = [name for name in (*TYPES, *PAIRS, *MORE_PAIRS, 'PoseBox') if 'Norm' not in name]


def seen(env, tip, base, positions):
    """Compute the pose of a tip in a base, after the joints have moved."""
    env.set_joint_positions(positions)
    T_world_base, T_world_tip = (env[name].pose() for name in (base, tip))
    return np.linalg.inv(T_world_base) @ T_world_tip


@pytest.fixture
def panda(shipped_robot):
    """Give the environment of the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda'))


def draw(group, rng):
    """Draw a configuration inside the limits."""
    return rng.uniform(group.lower, group.upper)


def check(group, target, tip, base, rng, **options):
    """Solve from a random seed and hold the answer to the equations."""
    env = group.environment
    result = group.solve(target, draw(group, rng), direction=SIDEWAYS, timeout=5.0, **options)
    assert result.success, (target, result.message)
    before = env.joint_positions
    T = seen(env, tip, base, group.named_positions(result.q))
    env.set_joint_positions(before)
    distance, angle = misses(target, T, SIDEWAYS)
    assert distance <= 1.001e-6
    assert angle <= 1.001e-5
    return result


class TestEdits:
    @pytest.mark.parametrize('name', KINDS)
    def test_held_joints_move_and_tools_turn(self, name, panda, rng):
        panda.joint('panda_joint4').passive = True
        tool = panda.create_dummy('tool', 'panda_hand')
        group = panda.create_group('g', 'panda_link1', tool)
        make = maker_of(name)
        for at in (-1.0, -2.0, -2.0, -1.5):
            panda.set_joint_positions({'panda_joint4': at})
            T = np.eye(4)
            T[:3, 3] = rng.uniform(-0.1, 0.1, 3)
            panda['tool'].set_pose(T, relative_to='panda_hand')
            q = group.named_positions(draw(group, rng))
            before = panda.joint_positions
            target = make(seen(panda, 'tool', 'panda_link1', q), rng, SIDEWAYS)
            panda.set_joint_positions(before)
            check(group, target, 'tool', 'panda_link1', rng)

    def test_limits_and_bases_change(self, panda, rng):
        base = panda.create_dummy('base')
        group = panda.create_group('g', base, 'panda_hand')
        make = maker_of('TranslationZAxisAngle4D')
        for lower in (-2.0, -0.5, -0.1):
            T = np.eye(4)
            T[:3, 3] = rng.uniform(-1.0, 1.0, 3)
            panda['base'].set_pose(T)
            panda.joint('panda_joint1').limits = (lower, 0.5)
            q = group.named_positions(draw(group, rng))
            target = make(seen(panda, 'panda_hand', 'base', q), rng, SIDEWAYS)
            result = check(group, target, 'panda_hand', 'base', rng)
            assert lower <= result.q[0] <= 0.5

    def test_constraints_and_axes_of_the_element_do_not_matter(self, panda, rng):
        group = panda.create_group('g', empty=True)
        element = group.add_element('panda_hand', 'panda_link0', constraints=0)
        target = ik_node.TranslationXY2D((0.4, 0.2))
        seed = draw(group, rng)
        answers = [group.solve(target, seed).q.tobytes()]
        element.constraints = Constraint.POSE
        answers.append(group.solve(target, seed).q.tobytes())
        axes = panda.create_dummy('axes', 'panda_link5', np.eye(4))
        element.constraints_base = axes
        answers.append(group.solve(target, seed).q.tobytes())
        assert len(set(answers)) == 1


class TestSeveralTips:
    def test_kinds_and_poses_for_tips_that_share_joints(self, panda, rng):
        group = panda.create_group('g', empty=True)
        group.add_element('panda_hand', 'panda_link0', constraints=Constraint.POSITION)
        group.add_element('panda_link5', 'panda_link0', constraints=0)
        group.add_element('panda_link7', 'panda_link2', constraints=0)
        for name in ('Lookat3D', 'Plane + Cone', 'half line + filled Cone', 'PoseBox'):
            q = draw(group, rng)
            named = group.named_positions(q)
            hand = seen(panda, 'panda_hand', 'panda_link0', named)
            elbow = seen(panda, 'panda_link5', 'panda_link0', named)
            wrist = seen(panda, 'panda_link7', 'panda_link2', named)
            kind = maker_of(name)(wrist, rng, SIDEWAYS)
            height = ik_node.Shapes(ik_node.Plane.through(elbow[:3, 3], (0, 0, 1)))
            seed = np.clip(q + rng.normal(scale=0.3, size=len(q)), group.lower, group.upper)
            result = group.solve([hand, height, kind], seed, direction=SIDEWAYS, timeout=5.0)
            assert result.success, result.message
            named = group.named_positions(result.q)
            at = seen(panda, 'panda_hand', 'panda_link0', named)[:3, 3]
            assert np.linalg.norm(at - hand[:3, 3]) <= 1.001e-6
            assert misses(height, seen(panda, 'panda_link5', 'panda_link0', named))[0] <= 1.001e-6
            distance, angle = misses(
                kind, seen(panda, 'panda_link7', 'panda_link2', named), SIDEWAYS
            )
            assert distance <= 1.001e-6
            assert angle <= 1.001e-5
            by_name = {'panda_link7': kind, 'panda_hand': hand, 'panda_link5': height}
            again = group.solve(by_name, seed, direction=SIDEWAYS, timeout=5.0)
            assert again.q.tobytes() == result.q.tobytes()

    def test_tips_that_share_no_joint(self, real_robot, rng):
        env = ik_node.Environment.from_urdf(real_robot('baxter_description/urdf/baxter.urdf'))
        group = env.create_group('both', empty=True)
        for side in ('left', 'right'):
            group.add_element(f'{side}_hand_link', 'torso', constraints=Constraint.POSE)
        for names in (('Ray4D', 'Line + Cone'), ('segment + Parallel', 'Translation3D')):
            named = group.named_positions(draw(group, rng))
            tips = [seen(env, f'{side}_hand_link', 'torso', named) for side in ('left', 'right')]
            targets = [
                maker_of(name)(T, rng, SIDEWAYS) for name, T in zip(names, tips, strict=True)
            ]
            result = group.solve(targets, draw(group, rng), direction=SIDEWAYS, timeout=5.0)
            assert result.success, result.message
            named = group.named_positions(result.q)
            for side, target in zip(('left', 'right'), targets, strict=True):
                errors = misses(target, seen(env, f'{side}_hand_link', 'torso', named), SIDEWAYS)
                assert errors[0] <= 1.001e-6
                assert errors[1] <= 1.001e-5

    def test_axes_that_no_frame_has_both(self, panda, rng):
        group = panda.create_group('g', 'panda_link0', 'panda_hand')
        target = ik_node.Shapes(
            ik_node.Line((0.4, 0.1, 0.4), (1, 2, 3)), ik_node.Cone((0, 0, 1), (3, -1, 1), 2.0)
        )
        check(group, target, 'panda_hand', 'panda_link0', rng)
        with pytest.raises(InvalidTargetError):
            group.solve([target, target])


class TestOtherSearches:
    @pytest.mark.parametrize(
        'name', ['Lookat3D', 'Ray4D', 'Plane + Cone', 'Line + Cone', 'PoseBox']
    )
    def test_configurations(self, name, panda, rng):
        group = panda.create_group('g', 'panda_link0', 'panda_hand')
        named = group.named_positions(draw(group, rng))
        T = seen(panda, 'panda_hand', 'panda_link0', named)
        target = maker_of(name)(T, rng, SIDEWAYS)
        for threshold in (math.inf, 3.0):
            found = group.find_configs(
                target, max_configs=8, timeout=5.0, threshold=threshold, direction=SIDEWAYS
            )
            assert len(found.configs) == 8
            for q in found.configs:
                T = seen(panda, 'panda_hand', 'panda_link0', group.named_positions(q))
                errors = misses(target, T, SIDEWAYS)
                assert errors[0] <= 1.001e-6
                assert errors[1] <= 1.001e-5

    @pytest.mark.parametrize('name', ['Translation3D', 'Direction3D', 'Plane + Cone', 'PoseBox'])
    @pytest.mark.parametrize('method', ['dls', 'svd', 'transpose'])
    def test_plain_iterations(self, name, method, panda, rng):
        group = panda.create_group('g', 'panda_link0', 'panda_hand')
        solved = 0
        for _ in range(5):
            named = group.named_positions(draw(group, rng))
            T = seen(panda, 'panda_hand', 'panda_link0', named)
            target = maker_of(name)(T, rng, SIDEWAYS)
            options = IKOptions(inverse_method=method, timeout=2.0)
            result = group.solve(target, draw(group, rng), direction=SIDEWAYS, options=options)
            T = seen(panda, 'panda_hand', 'panda_link0', group.named_positions(result.q))
            distance, angle = misses(target, T, SIDEWAYS)
            assert result.position_error == pytest.approx(distance, abs=1e-8)
            assert result.orientation_error == pytest.approx(angle, abs=1e-6)
            solved += result.success
        assert solved >= 1 or method == 'transpose'


class TestTrees:
    @pytest.mark.parametrize('case', range(12))
    def test_all_joints_and_dependencies(self, case, build):
        rng = np.random.default_rng(case)
        twin = build.random_tree(rng, dependencies=case % 2 == 1)
        base = twin.way[int(rng.integers(len(twin.way)))]
        group = twin.env.create_group('g', empty=True)
        group.add_element('tip', base, constraints=0)
        T = twin.seen('tip', base)
        seed = group.environment.scene.coordinates(group.tables_at(twin.env.scene))
        for name in KINDS:
            target = maker_of(name)(T, rng, SIDEWAYS)
            begin = np.clip(
                seed + rng.normal(scale=0.05, size=len(seed)), group.lower, group.upper
            )
            result = group.solve(target, begin, direction=SIDEWAYS, timeout=5.0)
            assert result.success, (target, result.message)
            moved = place(twin, result, base)
            distance, angle = misses(target, moved, SIDEWAYS)
            assert distance <= 1.01e-6
            assert angle <= 1.01e-5


def place(twin, result, base):
    """Compute the pose of the tip of a twin for an answer."""
    state = dict(twin.state)
    named = dict(zip(result.joint_names, result.q.tolist(), strict=True))
    for name in state:
        if name in named:
            state[name] = named[name]
        elif f'{name}/x' in named:
            rows = [named[f'{name}/{axis}'] for axis in 'xyz']
            angle = float(np.linalg.norm(rows))
            state[name] = _turn(np.array(rows) / angle, angle) if angle else np.eye(3)
    return twin.seen('tip', base, state)


def _turn(axis, angle):
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


def test_a_ball_joint_stays_near_its_seed(build):
    # A ball of 0.5 m and a slide: the ball is to be turned the shortest way, about no third axis.
    twin = build.Twin()
    twin.joint('ball', 'spherical')
    twin.dummy('tip', 'ball', build.pose(0.5, 0.0, 0.0))
    group = twin.env.create_group('g', empty=True)
    group.add_element('tip', None, constraints=0)
    for seed in ([0.0, 0.0, 0.0], [0.3, -0.4, 0.9], [2.0, 1.0, -1.5]):
        before = build.turn(*seed)
        for goal in ([0.0, 0.5, 0.0], [0.3, 0.0, -0.4], [-0.1, -0.3, math.sqrt(0.15)]):
            result = group.solve(ik_node.Translation3D(goal), seed)
            assert result.success
            after = build.turn(*result.q)
            np.testing.assert_allclose(0.5 * after[:, 0], goal, atol=1e-6)
            cosine = before[:, 0] @ np.array(goal) / 0.5
            assert np.linalg.norm(build.log(before.T @ after)) == pytest.approx(
                math.acos(np.clip(cosine, -1.0, 1.0)), rel=0.01
            )


class TestGoalsOfOthers:
    """Targets that someone else has written lower to numbers that nobody has checked."""

    class Own(ik_node.Target):
        def __init__(self, numbers):
            self.numbers = numbers

        def goal(self, direction=None):
            return Goal(POSITION, self.numbers)

        def errors(self, T_base_tip, direction=None):
            return float(np.linalg.norm(T_base_tip[:3, 3] - self.numbers[:3])), 0.0

        def transformed(self, T_new_base):
            raise InvalidTargetError('it stays where it is')

    @pytest.mark.parametrize(
        'numbers',
        [(), (0.4, 0.2), (0.0,) * 37, ('x', 0, 0), (1j, 0, 0), (10**400, 0, 0), ((0, 0, 0),) * 3],
    )
    def test_what_is_no_goal_is_refused_whatever_came_before(self, numbers, panda):
        group, seed = panda.create_group('g', 'panda_link0', 'panda_hand'), np.zeros(7)
        for _ in range(2):
            with pytest.raises(InvalidTargetError, match='goal of the target has'):
                group.solve(self.Own(numbers), seed)
            assert group.solve(ik_node.Translation3D((0.4, 0.2, 0.5)), seed).success

    @pytest.mark.parametrize('kind', [float, np.float32, int, Fraction])
    def test_numbers_of_any_kind_are_numbers(self, kind, panda):
        group, seed = panda.create_group('g', 'panda_link0', 'panda_hand'), np.zeros(7)
        numbers = tuple(kind(value) for value in (0.0, 0.0, 1.0))
        answers = [group.solve(self.Own(numbers), seed) for _ in range(2)]
        assert answers[0].success
        assert answers[0].q.tobytes() == answers[1].q.tobytes()


def test_what_is_counted_does_not_depend_on_the_type_of_the_seed(shipped_robot, rng):
    group = ik_node.Environment.from_urdf(shipped_robot('ur5e')).create_group('arm')
    for _ in range(60):
        T = group.forward_kinematics(draw(group, rng))
        target, seed = ik_node.TranslationDirection5D(T[:3, 3], T[:3, 2]), draw(group, rng)
        # A list takes the long way, an array the short one, from the second request on.
        one, other = (group.solve(target, s, max_starts=8) for s in (seed.tolist(), seed))
        assert one.q.tobytes() == other.q.tobytes()
        assert (one.iterations, one.restarts) == (other.iterations, other.restarts)
