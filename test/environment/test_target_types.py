# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The sixteen types of IKFast on arms of seven, six and five joints.

Answers are held to the equations of `benchmarks.equations`, at the poses that Pinocchio computes.
"""

from __future__ import annotations

import ik_node
from ik_node.environment.aiming import requested
from ik_node.solvers.kinematics import task_rows
import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.equations import misses  # noqa: E402 - after the skip
from benchmarks.judge import Judge  # noqa: E402
from benchmarks.kinds import MORE_PAIRS, PAIRS, reachable, TYPES, Z_AXIS  # noqa: E402
from benchmarks.targets import uniform  # noqa: E402

ARMS = {
    'panda': ('panda_link0', 'panda_hand'),
    'ur5e': ('base_link', 'tool0'),
    'so101': ('base_link', 'gripper_link'),
}
SIDEWAYS = (0.3, -0.5, 0.6)


@pytest.fixture(params=ARMS)
def arm(request, shipped_robot, real_robot):
    """Give a group and Pinocchio's view of it."""
    name = request.param
    if name == 'so101':
        path = real_robot('so_arm_description/urdf/so101.urdf')
    else:
        path = shipped_robot(name)
    base, tip = ARMS[name]
    env = ik_node.Environment.from_urdf(path)
    return env.create_group('arm', base, tip), Judge(path, base, tip)


@pytest.mark.parametrize('direction', [Z_AXIS, SIDEWAYS])
@pytest.mark.parametrize('name', [*TYPES, *PAIRS, *MORE_PAIRS, 'PoseBox'])
def test_reachable_targets_are_reached_from_afar(name, direction, arm, rng):
    group, judge = arm
    targets = reachable(name, judge, 60, rng, direction)
    seeds = uniform(judge, len(targets), rng)
    for target, seed in zip(targets, seeds, strict=True):
        result = group.solve(target, seed, timeout=5.0, direction=direction)
        assert result.success, (target, result.message)
        assert judge.inside(result.q[np.newaxis], 0.0)[0]
        T = judge.pose(result.q)
        distance, angle = misses(target, T, direction)
        assert distance <= 1e-6 + 1e-10
        assert angle <= 1e-5 + 1e-8
        assert target.errors(T, direction) == pytest.approx((distance, angle), abs=1e-12)
        assert result.position_error == pytest.approx(distance, abs=1e-9)
        assert result.orientation_error == pytest.approx(angle, abs=1e-7)


@pytest.mark.parametrize('name', [*TYPES, *PAIRS, 'segment + filled Cone', 'PoseBox'])
def test_the_same_request_has_the_same_answer(name, arm, rng):
    group, judge = arm
    targets = reachable(name, judge, 10, rng)
    seeds = uniform(judge, 10, rng)
    requests = list(zip(targets, seeds, strict=True))
    first = [group.solve(*request, timeout=5.0) for request in requests]
    # In another order, so that what is kept from one request is another one's.
    again = [group.solve(*request, timeout=5.0) for request in requests[::-1]][::-1]
    for one, two in zip(first, again, strict=True):
        assert one.q.tobytes() == two.q.tobytes()
        assert one.message == two.message


@pytest.mark.parametrize('name', [*TYPES, *PAIRS, *MORE_PAIRS, 'PoseBox'])
def test_rows_at_an_answer_are_the_derivative_of_their_error(name, arm, rng):
    group, judge = arm
    for target in reachable(name, judge, 3, rng, SIDEWAYS):
        q = group.solve(target, uniform(judge, 1, rng)[0], direction=SIDEWAYS, timeout=5.0).q
        aimed, targets, _ = requested(group.prepared_for(target), target, q, SIDEWAYS)
        rows = task_rows(aimed.tables, targets, q)
        np.testing.assert_allclose(rows.error, 0.0, atol=1.1e-5)
        size = max(1.0, float(np.abs(rows.jacobian).max())) ** 3
        # Inside of its bounds a row is zero, and at a bound it has a slope on one side alone.
        sloped = np.abs(rows.jacobian).max(axis=1) > 0.0
        for j, step in enumerate(1e-4 * np.eye(len(q))):
            there, back = (task_rows(aimed.tables, targets, q + way) for way in (step, -step))
            slope = -(there.error - back.error) / 2e-4
            asked = sloped & ~((there.error == 0.0) ^ (back.error == 0.0))
            np.testing.assert_allclose(rows.jacobian[asked, j], slope[asked], atol=2e-5 * size)


WHOLE = ('Transform6D', 'Point + Rotation')


@pytest.mark.parametrize('name', [*TYPES, *PAIRS, *MORE_PAIRS, 'PoseBox'])
def test_none_is_nearer_to_the_seed_around_the_answer(name, arm, rng):
    group, judge = arm
    if len(group.joint_names) <= rows_of(name):
        return  # there are single solutions
    # A whole pose, that leaves one joint of seven free, is to be asked for the nearest.
    prefer = 'nearest' if name in WHOLE else 'fast'
    targets = reachable(name, judge, 25, rng)
    nearer = 0
    for target, seed in zip(targets, uniform(judge, 25, rng), strict=True):
        q = group.solve(target, seed, timeout=5.0, prefer=prefer).q
        apart = float(np.linalg.norm(q - seed))
        best = apart
        for _ in range(12):
            # Towards the seed and to all sides, and back to the target the shortest way.
            step = rng.uniform(0.0, 0.05) * (seed - q) + rng.normal(scale=0.03, size=len(q))
            begin = np.clip(q + step, group.lower, group.upper)
            other = group.solve(target, begin, max_starts=1, prefer=prefer)
            if other.success and float(np.abs(other.q - q).max()) < 0.5:
                best = min(best, float(np.linalg.norm(other.q - seed)))
        nearer += best < 0.99 * apart - 1e-4
    # Where the half plane of tools with an azimuth ends, at the pole, it has no tangent.
    assert nearer <= (10 if name == 'TranslationXYOrientation3D' else 3)


def rows_of(name):
    """Count what a target of a kind asks for."""
    if name in TYPES:
        # Norms ask for a direction in full.
        dof = {'TranslationLocalGlobal6D': 3}.get(name, int(name[-2]))
        return 5 if 'Norm' in name else 2 if name in ('Direction3D', 'Lookat3D') else dof
    if name == 'PoseBox':
        return 0
    position, orientation = name.split(' + ')
    return {'Point': 3, 'Line': 2, 'Plane': 1, 'segment': 2, 'half line': 2}[position] + {
        'Rotation': 3, 'Parallel': 2, 'Cone': 1, 'filled Cone': 0
    }[orientation]  # fmt: skip
