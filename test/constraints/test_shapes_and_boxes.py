# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What shapes and boxes accept, refuse and make of it."""

from __future__ import annotations

import math
import pickle

import ik_node
from ik_node import InvalidTargetError
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

INF = math.inf
P, V, Q = (1.0, 2.0, 3.0), (0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0)


def tip(position=(0, 0, 0), rpy=(0, 0, 0)):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = matrix_from_rpy(*rpy), position
    return pose


@pytest.mark.parametrize(
    'target',
    [
        ik_node.Point(P),
        ik_node.Line(P, V, -1.0, 2.0),
        ik_node.Plane(V, 2.0),
        ik_node.Rotation(Q),
        ik_node.Parallel(V),
        ik_node.Cone(V, P, 0.3, True),
        ik_node.Shapes(ik_node.Point(P), ik_node.Parallel(V), P, Q, 2.0, 0.5),
        ik_node.PoseBox(P, Q, [-1] * 6, [1] * 6),
    ],
    ids=lambda target: type(target).__name__,
)
def test_shapes_are_values(target):
    assert eval(repr(target), vars(ik_node)) == target
    assert pickle.loads(pickle.dumps(target)) == target
    assert hash(eval(repr(target), vars(ik_node))) == hash(target)
    with pytest.raises(AttributeError):
        target.anything = 1


def test_directions_and_equations_are_normalised():
    assert ik_node.Line(P, V).direction == (0.0, 0.0, 1.0)
    assert ik_node.Parallel(V).direction == (0.0, 0.0, 1.0)
    assert ik_node.Plane(V, 3.0) == ik_node.Plane((0, 0, 1), 1.5)
    assert ik_node.Plane.through((7, 8, 1.5), V).d == -1.5


@pytest.mark.parametrize(
    'make',
    [
        lambda: ik_node.Point((1, 2)),
        lambda: ik_node.Line(P, (0, 0, 0)),
        lambda: ik_node.Line(P, V, 1.0, 0.5),
        lambda: ik_node.Line(P, V, INF, INF),
        lambda: ik_node.Line(P, V, -INF, -INF),
        lambda: ik_node.Line(P, V, math.nan),
        lambda: ik_node.Plane((0, 0, 0), 1.0),
        lambda: ik_node.Plane(V, INF),
        lambda: ik_node.Plane((0, 0, 1e-300), 1e300),
        lambda: ik_node.Rotation((0, 0, 0, 0)),
        lambda: ik_node.Parallel((0, 0, math.nan)),
        lambda: ik_node.Cone(V, V, -0.1),
        lambda: ik_node.Cone(V, V, 3.2),
        lambda: ik_node.Cone((0, 0, 0), V, 0.1),
        lambda: ik_node.Shapes(ik_node.Parallel(V)),
        lambda: ik_node.Shapes(None, ik_node.Point(P)),
        lambda: ik_node.Shapes(ik_node.Point(P), point=(1, 2)),
        lambda: ik_node.Shapes(ik_node.Point(P), position_priority=math.nan),
        lambda: ik_node.PoseBox(P, Q, [0] * 5, [0] * 6),
        lambda: ik_node.PoseBox(P, Q, [1] * 6, [0] * 6),
        lambda: ik_node.PoseBox(P, Q, [math.nan] * 6, [0] * 6),
        lambda: ik_node.PoseBox(P, Q, [0, 0, 0, 0, -1.6, 0], [0] * 6),
        lambda: ik_node.PoseBox(P, Q, [INF] * 6, [INF] * 6),
        lambda: ik_node.PoseBox(P, (0, 0, 0, 0), [0] * 6, [0] * 6),
    ],
)
def test_what_means_nothing_is_refused(make):
    with pytest.raises(InvalidTargetError, match='must|may have|give a'):
        make()


def test_position_of_a_box_is_bounded_in_its_own_axes():
    # The x axis of the target is the base's y axis.
    box = ik_node.PoseBox.around(
        tip((1, 1, 1), (0, 0, math.pi / 2)),
        (-0.1, -INF, 0, -INF, -INF, -INF),
        (0.5, INF, 0, INF, INF, INF),
    )
    assert box.errors(tip((-7, 1.4, 1))) == pytest.approx((0, 0), abs=1e-15)
    assert box.errors(tip((-7, 1.8, 1.4))) == pytest.approx((0.5, 0))
    assert box.errors(tip((-7, 0.6, 1))) == pytest.approx((0.3, 0))


def test_orientation_of_a_box():
    free = [-INF] * 3
    box = ik_node.PoseBox(P, Q, [*free, -0.1, -0.2, -0.3], np.negative([*free, -0.1, -0.2, -0.3]))
    assert box.errors(tip(rpy=(0.1, -0.2, 0.3)))[1] == pytest.approx(0.0, abs=1e-15)
    assert box.errors(tip(rpy=(0.4, 0, -0.7)))[1] == pytest.approx(0.5)
    assert box.errors(tip(rpy=(0, 0.5, 0)))[1] == pytest.approx(0.3)
    # Beyond a right angle of pitch, roll and yaw are half turns away.
    assert box.errors(tip(rpy=(0, 2.0, 0)))[1] > 4.0


def test_angles_of_a_box_may_lie_anywhere_on_the_circle():
    box = ik_node.PoseBox(P, Q, [-INF] * 5 + [3.0], [INF] * 5 + [3.5])
    assert box.errors(tip(rpy=(0, 0, -3.0)))[1] == pytest.approx(0.0, abs=1e-15)
    assert box.errors(tip(rpy=(0, 0, 2.9)))[1] == pytest.approx(0.1)
    turn = ik_node.PoseBox(P, Q, [-INF] * 5 + [3.0 + 2 * math.pi], [INF] * 5 + [3.5 + 2 * math.pi])
    assert turn.lower == pytest.approx(box.lower)
    assert turn.upper == pytest.approx(box.upper)


def test_a_full_turn_is_free():
    box = ik_node.PoseBox(P, Q, [0, 0, 0, -4, -math.pi / 2, 0], [0, 0, 0, 4, math.pi / 2, INF])
    assert box.lower[3:] == (-INF,) * 3
    assert box.errors(tip(P, (1, 2, 3))) == (0.0, 0.0)


def test_a_box_of_no_size_is_the_pose():
    box = ik_node.PoseBox(P, Q, [0] * 6, [0] * 6)
    pose = ik_node.Transform6D(P, Q)
    there = tip((1, 2, 4), (0.3, 0.4, 0.5))
    assert box.errors(there) == pytest.approx(pose.errors(there))


def test_a_right_angle_of_pitch_has_no_roll():
    box = ik_node.PoseBox(P, Q, [-INF] * 3 + [-0.1, -INF, -0.1], [INF] * 3 + [0.1, INF, 0.1])
    for pitch in (-math.pi / 2, math.pi / 2):
        assert box.errors(tip(rpy=(0, pitch, 0.05)))[1] == pytest.approx(0.0, abs=1e-15)
        assert box.errors(tip(rpy=(0, pitch, 0.3)))[1] == pytest.approx(0.2)
