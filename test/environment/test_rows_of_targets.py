# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows and their Jacobian against targets' own definition of their errors, for targets of all kinds.

On trees of every kind of joint, with base and tip on different branches, near a target and not on
it: the norms of the rows are the errors, and the Jacobian says how these change with each joint.
Errors come from `Target.errors`, which knows neither rows nor kernels, differences from them.
"""

from __future__ import annotations

import math

import ik_node
from ik_node.environment.aiming import requested
from ik_node.kernels.rotations import rotate_vector_by
from ik_node.solvers.kinematics import task_rows
import numpy as np
import pytest

INF = math.inf
STEP = 1e-6


def turn(vector):
    """Make a rotation of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = np.asarray(vector) / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def random_pose(rng):
    T = np.eye(4)
    T[:3, :3] = turn(rng.normal(size=3))
    T[:3, 3] = rng.uniform(-0.5, 0.5, 3)
    return T


def quat(R):
    """Convert a rotation to x, y, z, w, by its largest component."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0.0, 0.0, 0.0],
            [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], 0.0, 0.0],
            [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], 0.0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
        ]
    )
    return np.linalg.eigh(K)[1][:, -1]


class Tree:
    """Two branches of all kinds of joints on a common one, with base and tip at their ends."""

    def __init__(self, rng):
        env = ik_node.Environment()
        parent = env.create_joint('trunk', 'revolute', None, random_pose(rng))
        # What is before the fork moves base and tip alike, and makes no difference.
        ends = []
        for branch, kinds in (('a', ['prismatic', 'spherical']), ('b', [
            'revolute', 'screw', 'spherical', 'prismatic', 'revolute', 'follower',
        ])):  # fmt: skip
            above = parent
            for i, kind in enumerate(rng.permutation(kinds)):
                plain = {'screw': 'revolute', 'follower': 'revolute'}.get(kind, str(kind))
                above = env.create_joint(f'{branch}{i} {kind}', plain, above, random_pose(rng))
                if kind == 'screw':
                    above.limits, above.screw_lead = (-3.0, 3.0), 0.7
                if kind == 'follower':
                    above.set_dependency('trunk', multiplier=-0.8, offset=0.3)
            ends.append(env.create_dummy(f'{branch} end', above, random_pose(rng)))
        self.group = env.create_group('tree', *ends)
        names = self.group.joint_names
        self.balls = [i for i, name in enumerate(names) if name.endswith('/x')]

    def draw(self, rng):
        return rng.uniform(-0.45, 0.45, len(self.group.joint_names))

    def moved(self, q, way):
        """Go a way, of spherical joints about their moving axes, else straight."""
        after = q + way
        for i in self.balls:
            after[i : i + 3] = q[i : i + 3]
            rotate_vector_by(after[i : i + 3], way[i : i + 3].copy())
        return after


def line(rng, e, ends):
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    away = rng.uniform(-1.0, 1.0)
    # In the coordinate of the line the point e is at `away`.
    bounds = {
        'line': (-INF, INF),
        'half line': (away - 1e-3, INF),
        'other half line': (-INF, away + 1e-3),
        'segment': (away - 5e-4, away + 5e-4),
        'point of a line': (away, away),
    }[ends]
    return ik_node.Line(e - away * n, 3.0 * n, *bounds)


def plane(rng, e):
    return ik_node.Plane.through(e + np.cross(n := rng.normal(size=3), rng.normal(size=3)), n)


def cone(rng, E, interior):
    axis, to = rng.normal(size=(2, 3))
    angle = math.acos(np.clip(E @ axis @ to / np.linalg.norm(axis) / np.linalg.norm(to), -1, 1))
    return ik_node.Cone(axis, to, angle, interior)


POSITIONS = {
    'Point': lambda rng, e: ik_node.Point(e),
    **{
        ends: lambda rng, e, ends=ends: line(rng, e, ends)
        for ends in ('line', 'half line', 'other half line', 'segment', 'point of a line')
    },
    'Plane': plane,
    'no position': lambda rng, e: None,
}
ORIENTATIONS = {
    'Rotation': lambda rng, E: ik_node.Rotation(quat(E)),
    'Parallel': lambda rng, E: ik_node.Parallel(2.0 * E[:, 2]),
    'Cone': lambda rng, E: cone(rng, E, False),
    'filled Cone': lambda rng, E: cone(rng, E, True),
    'Cone of no width': lambda rng, E: ik_node.Cone((1, 2, 3), E @ [1.0, 2.0, 3.0], 0.0),
    'no orientation': lambda rng, E: None,
}


def shapes(position, orientation):
    def make(rng, T, direction):
        effector = random_pose(rng)
        seen = T @ effector
        return ik_node.Shapes(
            POSITIONS[position](rng, seen[:3, 3]),
            ORIENTATIONS[orientation](rng, seen[:3, :3]),
            effector[:3, 3],
            quat(effector[:3, :3]),
        )

    return make


def aligned(rng, T, direction):
    """Make a line and a direction that one frame has: parallel, or at a right angle."""
    z, x = T[:3, 2], T[:3, 0]
    along = (z, x)[rng.integers(2)] * (1.0, -1.0)[rng.integers(2)]
    shape = ik_node.Line(T[:3, 3] - 0.4 * along, along, 0.399, 0.401)
    if rng.random() < 0.3:
        shape = ik_node.Plane.through(T[:3, 3], along)
    return ik_node.Shapes(shape, ik_node.Parallel(z))


def box(widths):
    def make(rng, T, direction):
        around = T @ random_pose(rng)
        seen = np.linalg.inv(around) @ T
        R = seen[:3, :3]
        at = np.array(
            [
                *seen[:3, 3],
                math.atan2(R[2, 1], R[2, 2]),
                math.asin(-R[2, 0]),
                math.atan2(R[1, 0], R[0, 0]),
            ]
        )
        low, high = at - widths, at + widths
        low[4], high[4] = np.clip((low[4], high[4]), -1.5, 1.5) if widths[4] < 9 else (-INF, INF)
        return ik_node.PoseBox.around(around, low, high)

    return make


def of_type(kind):
    def make(rng, T, direction):
        made = ik_node.IkParameterization.class_of(kind)
        if made is ik_node.TranslationLocalGlobal6D:
            local = rng.uniform(-0.5, 0.5, 3)
            return made(local, T[:3, :3] @ local + T[:3, 3])
        return made.from_pose(T, direction)

    return make


SMALL = 1e-3
MAKERS = {
    **{kind.name: of_type(kind) for kind in ik_node.IkParameterizationType.targets()},
    **{
        f'{position} + {orientation}': shapes(position, orientation)
        for position in POSITIONS
        for orientation in ORIENTATIONS
        if (position, orientation) != ('no position', 'no orientation')
    },
    'aligned': aligned,
    'box': box(np.full(6, SMALL)),
    'box of no size': box(np.zeros(6)),
    'box of x and yaw': box(np.array([0.0, INF, INF, INF, INF, SMALL])),
    'box of y, z, roll and pitch': box(np.array([INF, SMALL, 0.0, SMALL, SMALL, INF])),
}
# Rows of looking somewhere leave out, away from the target, what is of second order there.
NEAR = {'Lookat3D': 0.03}


@pytest.mark.parametrize('name', MAKERS)
def test_rows_are_the_errors_and_their_derivatives(name, rng):
    asked = np.zeros(2)
    for _ in range(12):
        tree = Tree(rng)
        group, direction = tree.group, rng.normal(size=3)
        q = tree.draw(rng)
        target = MAKERS[name](rng, group.forward_kinematics(q), direction)
        q = tree.moved(q, rng.normal(scale=0.03, size=len(q)))
        aimed, targets, _ = requested(group.prepared_for(target), target, q, direction)
        rows = task_rows(aimed.tables, targets, q)
        n = len(q)
        pieces = rows.error.reshape(-1, 2, 3), rows.jacobian.reshape(-1, 2, 3, n)
        ways = STEP * np.eye(n)

        def errors(way, tree=tree, q=q, target=target, direction=direction):
            T = tree.group.forward_kinematics(tree.moved(q, way))
            return np.array(target.errors(T, direction))

        slopes = np.array([errors(way) - errors(-way) for way in ways]).T / (2 * STEP)
        for part in range(2):
            error = pieces[0][:, part].ravel()
            size = float(np.linalg.norm(error))
            assert size == pytest.approx(errors(0.0 * q)[part], abs=1e-9)
            if size == 0.0:
                # Inside of its bounds, or free: nothing near there has an error.
                np.testing.assert_array_equal(slopes[part], 0.0)
                continue
            if size < 1000.0 * STEP:
                continue  # so near to its target an error is no straight line
            asked[part] += 1
            slope = -(error @ pieces[1][:, part].reshape(-1, n)) / size
            near = NEAR.get(name, 3e-6) * max(1.0, float(np.abs(slopes[part]).max()))
            np.testing.assert_allclose(slope, slopes[part], atol=near)
    # What a kind asks for has been off its target in most of the draws.
    wanted = np.array(MAKERS[name](rng, np.eye(4), (1, 2, 3)).errors(far()))
    assert ((asked > 2) | (wanted < 1e-9)).all(), (asked, wanted)


def far():
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn([0.7, -1.1, 0.4]), (7.0, -8.0, 9.0)
    return T
