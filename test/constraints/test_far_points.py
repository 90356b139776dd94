# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Lines, planes and boxes by a point that is very far away, judged in fractions.

What is asked for is what the numbers say that were given, to the last bit: at 1e16 m a rounded
direction misses the robot by a metre.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
import math

import ik_node
from ik_node import InvalidTargetError
import numpy as np
import pytest

FIVE = (3.0, 0.0, -4.0)
"""A direction whose length is exactly 5, and whose unit vector is rounded."""
NEAR = (0.5, 0.0, 0.5)
"""Within reach of the Panda."""
# As far as numbers have halves: the point of the line is exact.
HALVES = float(2**49)
READY = [0.1, -0.4, 0.2, -1.9, 0.3, 1.7, 0.4]


def exact(vector):
    return [Fraction(float(value)) for value in vector]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def root(square: Fraction) -> float:
    """Take the root of a fraction that may be beyond all floats."""
    return float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


def off_line(tip, point, direction, length=None, lower=-math.inf, upper=math.inf):
    """Distance from a line; with bounds the direction has a length that is a whole number."""
    away = [a - b for a, b in zip(exact(tip), exact(point), strict=True)]
    d = exact(direction)
    along = dot(away, d) / dot(d, d)
    if length is not None:
        least, largest = (
            bound if math.isinf(bound) else Fraction(bound) / length for bound in (lower, upper)
        )
        along = min(max(along, least), largest)
    return root(sum((a - along * b) ** 2 for a, b in zip(away, d, strict=True)))


def off_plane(tip, point, normal):
    away = [a - b for a, b in zip(exact(tip), exact(point), strict=True)]
    n = exact(normal)
    return root(dot(away, n) ** 2 / dot(n, n))


@pytest.fixture(scope='module')
def panda():
    env = ik_node.Environment.from_urdf('config/robots/panda.urdf')
    return env.create_group('arm', 'panda_link0', 'panda_hand')


def away(point, direction, times):
    return tuple(a + times * b for a, b in zip(point, direction, strict=True))


Judge = Callable[[np.ndarray], float]


def targets(times: float, near=NEAR, direction=FIVE) -> dict[str, tuple[ik_node.Target, Judge]]:
    """Make targets by a point so many directions away, each with a judge of the tip."""
    point = away(near, direction, times)
    metres = 5.0 * times
    normal = (4.0, 0.0, 3.0)
    ends = (-metres - 0.05, -metres + 0.05)
    turned = (0.0, 1.0, 0.0, 2.0)  # its z axis is (4, 0, 3) / 5, its x axis (3, 0, -4) / 5
    inf = math.inf
    return {
        'line': (ik_node.Line(point, direction), lambda p: off_line(p, point, direction)),
        'half line': (
            ik_node.Line(point, direction, upper=ends[1]),
            lambda p: off_line(p, point, direction, 5, upper=ends[1]),
        ),
        'segment': (
            ik_node.Line(point, direction, *ends),
            lambda p: off_line(p, point, direction, 5, *ends),
        ),
        'ray': (ik_node.Ray4D(point, direction), lambda p: off_line(p, point, direction)),
        'plane': (ik_node.Plane.through(point, normal), lambda p: off_plane(p, point, normal)),
        'box': (
            ik_node.PoseBox(
                point, turned, (-inf, 0, 0, -inf, -inf, -inf), (inf, 0, 0, inf, inf, inf)
            ),
            lambda p: off_line(p, point, FIVE),
        ),
        'half a box': (
            ik_node.PoseBox(point, turned, (-inf, 0, 0, *[-inf] * 3), (ends[1], 0, 0, *[inf] * 3)),
            lambda p: off_line(p, point, FIVE, 5, upper=ends[1]),
        ),
    }


NAMES = list(targets(1.0))


@pytest.mark.parametrize('times', [1.0, 1e3, 2e6, HALVES / 8, HALVES, -HALVES])
@pytest.mark.parametrize('name', NAMES)
def test_what_passes_near_the_base_is_reached_and_measured(name, times, panda):
    target, judge = targets(times)[name]
    direction = FIVE if name == 'ray' else (0, 0, 1)
    assert judge(np.array(NEAR)) == 0.0
    for near in (NEAR, (0.3, 0.4, 0.2), (-1.0, 0.0, 2.0)):
        T = np.eye(4)
        T[:3, 3] = near
        assert target.errors(T, direction)[0] == pytest.approx(judge(T[:3, 3]), abs=2e-9)
    result = panda.solve(target, READY, timeout=1.0)
    assert result.success, result.message
    assert judge(panda.forward_kinematics(result.q)[:3, 3]) <= 1e-6 + 2e-9
    # A seed on the other side, and a few more.
    for seed in np.random.default_rng(1).uniform(panda.lower, panda.upper, (5, 7)):
        result = panda.solve(target, seed, timeout=1.0)
        assert result.success, result.message
        assert judge(panda.forward_kinematics(result.q)[:3, 3]) <= 1e-6 + 2e-9


@pytest.mark.parametrize('times', [1e8, 1e12, 1e16, 1e30, 1e150, 1e307])
@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_success_is_never_claimed_where_the_numbers_say_no(name, times, sign, panda):
    # With the thirds these points are rounded: most of what they say misses the robot.
    target, judge = targets(sign * times / 3.0)[name]
    result = panda.solve(target, READY, timeout=0.05)
    distance = judge(panda.forward_kinematics(result.q)[:3, 3])
    if result.success:
        assert distance <= 1e-6 + 2e-9
    else:
        assert distance > 1e-6
        if distance < 1e150:  # what has no square is not measured
            assert result.position_error == pytest.approx(distance, rel=1e-6)
        assert 'not' in result.message or 'out of reach' in result.message


@pytest.mark.parametrize('far', [1e7, 1e16, -1e100, 1.7e308])
def test_along_an_axis_nothing_is_lost(far, panda):
    inf = math.inf
    for target in (
        ik_node.Line((0.4, 0.1, far), (0, 0, 3)),
        ik_node.Ray4D((0.4, 0.1, far), (0, 0, -2)),
        ik_node.PoseBox(
            (0.4, 0.1, far), (0, 0, 0, 1), (0, 0, -inf, *[-inf] * 3), (0, 0, inf, *[inf] * 3)
        ),
    ):
        result = panda.solve(target, READY, timeout=1.0)
        assert result.success, result.message
        at = panda.forward_kinematics(result.q)[:3, 3]
        np.testing.assert_allclose(at[:2], [0.4, 0.1], atol=1e-6)
    plane = ik_node.Plane.through((far, -far, 0.3), (0, 0, 7))
    assert plane.d == -0.3
    result = panda.solve(plane, READY)
    assert result.success
    assert panda.forward_kinematics(result.q)[2, 3] == pytest.approx(0.3, abs=1e-6)


def test_near_points_stay_as_they_were_given():
    for point in ((1e6, -1e6, 0.1), (0.1, 0.2, 0.3)):
        assert ik_node.Line(point, FIVE, -1.0, 2.0).point == point
        assert ik_node.Ray4D(point, FIVE).position == point
        box = ik_node.PoseBox(point, (0, 1, 0, 2), [-math.inf] * 6, [0.1] * 3 + [0.0] * 3)
        assert box.position == point


def test_far_points_become_the_nearest_of_the_line():
    line = ik_node.Line(away(NEAR, FIVE, HALVES), FIVE, lower=-5.0 * HALVES - 1.0)
    np.testing.assert_allclose(line.point, (0.56, 0.0, 0.42), atol=1e-15)
    # It begins 1 m before the near point, which is 0.1 m before the foot.
    assert line.lower == pytest.approx(-1.1)
    ray = ik_node.Ray4D(away(NEAR, FIVE, HALVES), FIVE)
    np.testing.assert_allclose(ray.position, (0.56, 0.0, 0.42), atol=1e-15)
    # It is a value as any other: around through its values, its text and another base.
    assert ik_node.Ray4D.from_values(ray.values) == ray
    assert ik_node.Ray4D.from_text(ray.to_text()) == ray
    again = ray.transformed(np.diag([1.0, -1.0, -1.0, 1.0]))
    np.testing.assert_allclose(again.position, (0.56, 0.0, -0.42), atol=1e-15)


@pytest.mark.parametrize('bounds', [(1e308, 1.7e308), (-1.7e308, 0.0), (-math.inf, -1.7e308)])
def test_bounds_stay_finite_where_they_were(bounds):
    line = ik_node.Line((1.7e308, 1.7e308, -1.7e308), (1, 1, -1), *bounds)
    assert math.isinf(line.lower) == math.isinf(bounds[0])
    assert math.isfinite(line.upper)
    assert line.lower <= line.upper


@pytest.mark.parametrize('size', [1.1e9, 1e16, 1e308])
@pytest.mark.parametrize(
    'make',
    [
        lambda point: ik_node.TranslationLocalGlobal6D(point, (0.4, 0.1, 0.4)),
        lambda point: ik_node.Shapes(ik_node.Point((0.4, 0.1, 0.4)), point=point),
        lambda point: ik_node.Shapes(orientation=ik_node.Parallel((0, 0, 1)), point=point),
    ],
)
def test_levers_that_no_joint_turns_finely_enough_are_refused(make, size):
    with pytest.raises(InvalidTargetError, match=r'm from the tip, where numbers are .* m apart'):
        make((0.0, -size, 1.0))
    assert make((0.0, 1e9, 0.0)) is not None
