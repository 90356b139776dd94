# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Secondary goals: each becomes better, and the target still holds."""

from __future__ import annotations

import math

from ik_node import (
    Centre,
    Environment,
    InvalidOptionError,
    Keep,
    KeepOffLimits,
    Manipulability,
    NearSeed,
    Posture,
    StepStatus,
    Transform6D,
    Translation3D,
    UnknownNameError,
)
import numpy as np
import pytest

TIMEOUT = {'timeout': 10.0}
ELBOW = 'panda_link4'


@pytest.fixture(scope='module')
def arm():
    """Load a Panda."""
    env = Environment.from_urdf('config/robots/panda.urdf')
    return env.create_group('arm', 'panda_link0', 'panda_hand')


def requests(arm, rng, count=10):
    for _ in range(count):
        q = rng.uniform(arm.lower, arm.upper)
        yield arm.forward_kinematics(q), rng.uniform(arm.lower, arm.upper)


def angle(a, b):
    return math.atan2(np.linalg.norm(np.cross(a, b)), a @ b)


def centre(arm, q):
    return np.mean(((q - 0.5 * (arm.lower + arm.upper)) / (0.5 * (arm.upper - arm.lower))) ** 2)


def margins(arm, q):
    inside = np.minimum(q - arm.lower, arm.upper - q)
    return np.sum((np.maximum(0.0, 0.4 - inside) / 0.4) ** 2)


def elbow(arm, q):
    return arm.environment.link_pose(
        ELBOW, 'panda_link0', positions=dict(zip(arm.joint_names, q, strict=True))
    )


def place(arm, q):
    return np.sum((elbow(arm, q)[:3, 3] - [0.2, 0.2, 0.6]) ** 2)


def direction(arm, q):
    return angle(elbow(arm, q)[:3, :3] @ [1, 0, 0], np.array([0.0, 0.6, 0.8])) ** 2


GOALS = {
    'centre': (Centre(), lambda arm, q, seed: centre(arm, q)),
    'margins': (KeepOffLimits(0.4), lambda arm, q, seed: margins(arm, q)),
    'seed': (NearSeed(), lambda arm, q, seed: np.sum((q - seed) ** 2)),
    'posture': (
        Posture({'panda_joint1': 0.3, 'panda_joint7': 1.0}),
        lambda arm, q, seed: (q[0] - 0.3) ** 2 + (q[6] - 1.0) ** 2,
    ),
    'manipulability': (
        Manipulability(),
        lambda arm, q, seed: -0.5 * np.linalg.slogdet(arm.jacobian(q) @ arm.jacobian(q).T)[1],
    ),
    'place': (Keep(ELBOW, point=[0.2, 0.2, 0.6]), lambda arm, q, seed: place(arm, q)),
    'direction': (
        Keep(ELBOW, direction=[0, 3, 4], axis=[2, 0, 0]),
        lambda arm, q, seed: direction(arm, q),
    ),
    'both': (
        Keep(ELBOW, point=[0.2, 0.2, 0.6], direction=[0, 3, 4], axis=[2, 0, 0]),
        lambda arm, q, seed: place(arm, q) + direction(arm, q),
    ),
}


@pytest.mark.parametrize('name', GOALS)
def test_each_goal_becomes_better_and_the_target_holds(name, arm, rng):
    goal, cost = GOALS[name]
    better = 0
    for target, seed in requests(arm, rng):
        plain = arm.solve(target, seed, **TIMEOUT)
        result = arm.solve(target, seed, goals=[goal], **TIMEOUT)
        assert result.success
        errors = Transform6D.from_pose(target).errors(arm.forward_kinematics(result.q))
        assert errors <= (1e-6 + 1e-9, 1e-5 + 1e-8)
        assert (result.position_error, result.orientation_error) == pytest.approx(errors, abs=1e-6)
        assert (arm.lower <= result.q).all()
        assert (result.q <= arm.upper).all()
        (report,) = result.goals
        assert report.goal is goal
        assert report.before == pytest.approx(cost(arm, plain.q, seed), rel=1e-6, abs=1e-9)
        assert report.after == pytest.approx(cost(arm, result.q, seed), rel=1e-6, abs=1e-9)
        assert report.after <= report.before
        better += report.after < report.before - 1e-3 * abs(report.before)
    # Where nothing is in a margin, or at a minimum already, nothing is to be done.
    assert better >= 4


@pytest.mark.parametrize('name', GOALS)
def test_configurations_cost_less_and_the_cheapest_comes_first(name, arm, rng):
    goal, cost = GOALS[name]
    better = 0
    for target, seed in requests(arm, rng, 4):
        search = {'max_configs': 6, 'max_draws': 60, 'timeout': 10.0}
        plain = arm.find_configs(target, seed, **search)
        found = arm.find_configs(target, seed, goals=[goal], **search)
        assert found.success
        assert 1 <= len(found.configs) <= len(plain.configs)
        costs = [cost(arm, q, seed) for q in found.configs]
        assert costs == pytest.approx(sorted(costs), rel=1e-9, abs=1e-9)
        least = min(cost(arm, q, seed) for q in plain.configs)
        assert costs[0] <= least + 1e-9
        better += costs[0] < least - 1e-3 * abs(least)
        for i, q in enumerate(found.configs):
            errors = Transform6D.from_pose(target).errors(arm.forward_kinematics(q))
            assert errors <= (1e-6 + 1e-9, 1e-5 + 1e-8)
            assert (arm.lower <= q).all()
            assert (q <= arm.upper).all()
            for other in found.configs[:i]:
                assert np.abs(q - other).max() > 1e-3
        # One that is rejected after the way stays where it was found.
        mine = arm.find_configs(
            target, seed, goals=[goal], validation=lambda q: q[0] > 0.0, **search
        )
        assert (mine.configs[:, 0] > 0.0).all()
    assert better >= 1


@pytest.mark.parametrize('name', [name for name in GOALS if name != 'seed'])
def test_steps_at_the_target_go_on_to_less_cost(name, arm, rng):
    goal, cost = GOALS[name]
    better = 0
    for target, seed in requests(arm, rng, 6):
        q = arm.solve(target, seed, **TIMEOUT).q
        first = last = cost(arm, q, seed)
        for _ in range(60):
            before = arm.forward_kinematics(q)
            bounds = {'linear_step': 2e-6, 'angular_step': 2e-5}
            result = arm.step(target, q, goals=[goal], **bounds)
            assert result.status is StepStatus.SUCCESS
            # The tip stays where it is to the tolerance, which is less than the bounds.
            errors = Transform6D.from_pose(target).errors(arm.forward_kinematics(result.q))
            assert errors <= (1e-6 + 1e-9, 1e-5 + 1e-8)
            moved = Transform6D.from_pose(before).errors(arm.forward_kinematics(result.q))
            assert moved <= (2e-6 + 1e-9, 2e-5 + 1e-9)
            now = cost(arm, result.q, seed)
            if np.array_equal(result.q, q):
                break
            assert now < last
            q, last = result.q, now
        end = cost(arm, arm.solve(target, q, goals=[goal], **TIMEOUT).q, q)
        assert last <= end + 2e-2 * max(1.0, abs(end))
        better += last < first - 1e-3 * abs(first)
    assert better >= 2


def test_steps_to_the_target_do_not_look_at_goals(arm, rng):
    for target, seed in requests(arm, rng):
        step = {'linear_step': 0.05, 'angular_step': 0.2}
        with_goals = arm.step(target, seed, goals=[Centre()], **step)
        plain = arm.step(target, seed, **step)
        assert plain.status is not StepStatus.SUCCESS
        assert with_goals.q.tobytes() == plain.q.tobytes()


@pytest.mark.parametrize('name', ['centre', 'posture', 'manipulability', 'place', 'direction'])
def test_the_end_is_a_minimum_along_the_null_space(name, arm, rng):
    goal, cost = GOALS[name]
    ends = 0
    for target, seed in requests(arm, rng, 40):
        q = arm.solve(target, seed, goals=[goal], **TIMEOUT).q
        if np.minimum(q - arm.lower, arm.upper - q).min() < 0.02:
            continue  # at a limit the slope need not be zero
        if np.linalg.svd(arm.jacobian(q), compute_uv=False)[-1] < 0.02:
            continue  # the null space turns too fast for a slope
        ends += 1
        slide = np.linalg.svd(arm.jacobian(q))[2][6]
        ahead, behind = (cost(arm, q + way * slide, seed) for way in (1e-4, -1e-4))
        assert abs(ahead - behind) / 2e-4 < 0.01 * (1.0 + abs(cost(arm, q, seed)))
    assert ends >= 3


def test_a_free_joint_goes_all_the_way(build):
    # Three joints of 1 m and a position in the plane: one joint is free.
    arm = build.planar([1.0, 1.0, 1.0]).env.create_group('arm', 'world', 'tip')
    target = Translation3D([1.5, 0.5, 0.0])
    result = arm.solve(target, [0.3, 0.4, 0.5], goals=[Posture({'j1': 0.6})], **TIMEOUT)
    assert result.success
    assert result.q[0] == pytest.approx(0.6, abs=1e-3)
    assert result.goals[0].after < 1e-6


def test_weights_decide_between_goals(build):
    arm = build.planar([1.0, 1.0, 1.0]).env.create_group('arm', 'world', 'tip')
    target = Translation3D([1.5, 0.5, 0.0])
    ends = []
    for weight in (0.01, 1.0, 100.0):
        goals = [Posture({'j1': 0.2}), Posture({'j1': 0.8}, weight)]
        ends.append(arm.solve(target, [0.3, 0.4, 0.5], goals=goals, **TIMEOUT).q[0])
    # The weighted means of 0.2 and 0.8.
    expected = [(0.2 + weight * 0.8) / (1.0 + weight) for weight in (0.01, 1.0, 100.0)]
    np.testing.assert_allclose(ends, expected, atol=2e-3)


def test_nothing_is_free(build):
    arm = build.planar([1.0, 1.0]).env.create_group('arm', 'world', 'tip')
    target = Translation3D([1.2, 0.5, 0.0])
    plain = arm.solve(target, [0.3, 0.4])
    result = arm.solve(target, [0.3, 0.4], goals=[Posture({'j1': 2.0})])
    np.testing.assert_array_equal(result.q, plain.q)
    assert result.goals[0].before == result.goals[0].after


def test_held_joints_and_narrowed_limits_are_kept(arm, rng):
    for target, seed in requests(arm, rng, 5):
        plain = arm.solve(target, seed, **TIMEOUT)
        bounds = (plain.q[0] - 0.05, plain.q[0] + 0.05)
        options = {'limits': {'panda_joint1': bounds}}
        result = arm.solve(target, plain.q, goals=[Centre()], **options, **TIMEOUT)
        assert result.success
        assert bounds[0] <= result.q[0] <= bounds[1]
        held = arm.solve(
            target, plain.q, goals=[Manipulability()], locked_joints=['panda_joint2'], **TIMEOUT
        )
        assert held.success
        assert held.q[1] == plain.q[1]


def test_the_time_is_kept_and_what_was_found_too(arm, rng):
    for target, seed in requests(arm, rng, 5):
        result = arm.solve(target, seed, timeout=0.0, goals=[Centre()], max_starts=64)
        plain = arm.solve(target, seed, timeout=0.0, max_starts=64)
        if plain.success:
            np.testing.assert_array_equal(result.q, plain.q)
            assert result.goals[0].after == result.goals[0].before


def test_without_a_solution_goals_cost_nothing(arm):
    target = np.eye(4)
    target[0, 3] = 5.0
    result = arm.solve(target, goals=[Centre()])
    assert not result.success
    assert result.goals == ()


def test_spherical_joints_cost_nothing(build):
    twin = build.Twin()
    twin.joint('slide', 'prismatic', limits=(-1.0, 1.0))
    twin.joint('turn', parent='slide', T=build.pose(x=0.3))
    twin.joint('ball', 'spherical', 'turn', build.pose(x=1.0))
    twin.dummy('tip', 'ball', build.pose(x=1.0))
    arm = twin.env.create_group('arm', 'world', 'tip')
    target = Translation3D([1.2, 0.5, 0.3])
    for goal in (
        NearSeed(),
        Centre(),
        KeepOffLimits(0.5),
        Manipulability(),
        Keep('ball', [1, 0, 0]),
    ):
        result = arm.solve(target, [0.8, 0.1, 0.2, 0.3, 0.4], goals=[goal], **TIMEOUT)
        assert result.success
        np.testing.assert_allclose(
            arm.forward_kinematics(result.q)[:3, 3], target.position, atol=1e-6
        )
        assert result.goals[0].after <= result.goals[0].before


class TestErrors:
    @pytest.mark.parametrize(
        ('make', 'words'),
        [
            (lambda: Centre(0.0), 'weight of a Centre is 0.0; it must be a positive number'),
            (lambda: NearSeed(-1.0), 'weight of a NearSeed'),
            (lambda: KeepOffLimits(math.nan), 'margin of a KeepOffLimits'),
            (lambda: Posture({}), 'give a mapping'),
            (lambda: Posture({'j1': 'up'}), "position of 'j1' in a Posture is 'up'"),
            (lambda: Manipulability('much'), 'weight of a Manipulability'),
            (lambda: Keep('link'), 'neither point nor direction'),
            (lambda: Keep('link', [1, 2]), r"Keep\('link'\): point"),
            (lambda: Keep('link', direction=[0, 0, 0]), r"Keep\('link'\): direction"),
        ],
    )
    def test_of_goals(self, make, words):
        with pytest.raises(InvalidOptionError, match=words):
            make()

    @pytest.mark.parametrize(
        ('goals', 'error', 'words'),
        [
            (Centre(), InvalidOptionError, 'must be a list of goals'),
            (['centre'], InvalidOptionError, 'must be one of NearSeed, Centre'),
            ([Posture({'elbow': 1.0})], UnknownNameError, "'elbow' in a Posture of group 'arm'"),
            ([Keep('elbow', [0, 0, 0])], UnknownNameError, "unknown link 'elbow'"),
            ([Keep('panda_link0', [0, 0, 0])], InvalidOptionError, 'which no joint of group'),
        ],
    )
    def test_of_requests(self, goals, error, words, arm):
        with pytest.raises(error, match=words):
            arm.solve(np.eye(4), goals=goals)
