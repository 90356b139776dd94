# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mechanisms that exist twice: in an environment, and in a few lines of NumPy to judge it by.

Nothing of the library's kinematics is used by the second one: its rotations are Rodrigues'
formula, its Jacobians are differences of its own poses.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from types import SimpleNamespace

from ik_node import Answer, Constraint, Environment, JointKind
import numpy as np
import pytest


def skew(v):
    """Make the matrix of a cross product."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turn(*vector):
    """Make a rotation matrix from a rotation vector, by Rodrigues' formula."""
    w = np.array(vector, dtype=float)
    angle = float(np.linalg.norm(w))
    if angle < 1e-9:
        return np.eye(3) + skew(w)
    k = skew(w / angle)
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def log(R):
    """Compute the rotation vector of a rotation, not near half a turn."""
    v = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(v))
    angle = math.atan2(sine, 0.5 * (np.trace(R) - 1.0))
    return v if sine < 1e-9 else v * (angle / sine)


def pose(x=0.0, y=0.0, z=0.0, vector=(0.0, 0.0, 0.0)):
    """Make a pose from a position and a rotation vector."""
    T = np.eye(4)
    T[:3, :3] = turn(*vector)
    T[:3, 3] = x, y, z
    return T


def quaternion(R):
    """Make x, y, z, w of a rotation, not near half a turn."""
    vector = log(R)
    half = 0.5 * float(np.linalg.norm(vector))
    scale = 0.5 if half < 1e-9 else 0.5 * math.sin(half) / half
    return np.append(scale * vector, math.cos(half))


def matrix(quat):
    """Make the rotation of x, y, z, w."""
    x, y, z, w = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


class Twin:
    """
    A mechanism in an environment and in plain NumPy.

    A state q gives a number for each scalar joint that follows no other, and a rotation matrix
    for each spherical one.
    """

    def __init__(self):
        self.env = Environment()
        self.parts = {}
        self.masters = {}

    def joint(self, name, kind='revolute', parent=None, T=None, **attributes):
        """Add a joint to both."""
        T = np.eye(4) if T is None else np.asarray(T)
        lead = attributes.get('screw_lead', 0.0)
        self.parts[name] = (kind, parent, T, lead)
        return self.env.create_joint(name, kind, parent, T, **attributes)

    def dummy(self, name, parent=None, T=None, target=None):
        """Add a dummy to both."""
        T = np.eye(4) if T is None else np.asarray(T)
        self.parts[name] = (None, parent, T, 0.0)
        dummy = self.env.create_dummy(name, parent, T)
        if target is not None:
            dummy.target = target
        return dummy

    def follow(self, name, master, multiplier=1.0, offset=0.0, function=None):
        """Let a joint follow another one in both."""
        self.masters[name] = (master, function or (lambda at: multiplier * at + offset))
        self.env.joint(name).set_dependency(
            master, multiplier=multiplier, offset=offset, function=function
        )

    def put(self, name, T):
        """Place a dummy that hangs on the world in both."""
        assert self.parts[name][1] is None
        self.parts[name] = (None, None, np.asarray(T), 0.0)
        self.env[name].set_pose(T)

    @property
    def state(self):
        """Where the joints of the environment are."""
        q = {}
        for name, joint in self.env.joints.items():
            if joint.kind is JointKind.SPHERICAL:
                q[name] = matrix(joint.orientation)
            elif name not in self.masters:
                q[name] = joint.position
        return q

    @state.setter
    def state(self, q):
        for name, value in q.items():
            if isinstance(value, np.ndarray):
                self.env.joint(name).orientation = quaternion(value)
            else:
                self.env.set_joint_positions({name: value})

    def position(self, name, q):
        """Give the position of a joint in a state."""
        if name in self.masters:
            master, function = self.masters[name]
            return function(self.position(master, q))
        return q[name]

    def world(self, name, q=None, fixed=False):
        """Give the pose of an object: of a joint its moving frame, unless `fixed`."""
        if name is None:
            return np.eye(4)
        q = self.state if q is None else q
        kind, parent, T, lead = self.parts[name]
        T = self.world(parent, q) @ T
        if kind is None or fixed:
            return T
        at = self.position(name, q)
        motion = np.eye(4)
        if kind == 'spherical':
            motion[:3, :3] = at
        elif kind == 'prismatic':
            motion[2, 3] = at
        else:
            motion = pose(z=lead * at / (2.0 * math.pi), vector=(0.0, 0.0, at))
        return T @ motion

    def seen(self, name, base, q=None):
        """Give the pose of an object seen from a base (a joint: its fixed frame)."""
        return np.linalg.inv(self.world(base, q, fixed=True)) @ self.world(name, q)

    def moved(self, q, names, dq):
        """Move a state by a step over coordinates: a rotation about moving axes for balls."""
        new = dict(q)
        for name, step in zip(names, dq, strict=True):
            if '/' not in name:
                new[name] = q[name] + step
        for ball in dict.fromkeys(n.rpartition('/')[0] for n in names if '/' in n):
            step = [dq[list(names).index(f'{ball}/{axis}')] for axis in 'xyz']
            new[ball] = q[ball] @ turn(*step)
        return new

    def rates(self, names, tip, target, base=None, q=None):
        """
        Differentiate what is between tip and target, (6, n).

        Rows x, y, z: tip minus target, both seen from the base of the constraints. The other
        rows: the rotation of the tip relative to the target, in the axes of the tip.
        """
        q = self.state if q is None else q

        def difference(k, h):
            ends = []
            for sign in (1.0, -1.0):
                moved = self.moved(q, names, sign * h * np.eye(len(names))[k])
                apart = self.seen(tip, base, moved) - self.seen(target, base, moved)
                rotation = self.world(target, moved)[:3, :3].T @ self.world(tip, moved)[:3, :3]
                ends.append((apart[:3, 3], rotation))
            (p, R), (p_before, R_before) = ends
            return np.append(p - p_before, log(R_before.T @ R)) / (2.0 * h)

        columns = [
            (4.0 * difference(k, 1e-3) - difference(k, 2e-3)) / 3.0 for k in range(len(names))
        ]
        return np.array(columns).reshape(len(names), 6).T

    def error(self, constraints, tip, target, base=None, q=None):
        """Compute the error of an element, its distance and its angle, from the definitions."""
        R_base = self.world(base, q, fixed=True)[:3, :3]
        T_tip, T_target = self.world(tip, q), self.world(target, q)
        linear = R_base.T @ (T_target[:3, 3] - T_tip[:3, 3])
        R = T_tip[:3, :3].T @ T_target[:3, :3]
        across = np.cross([0.0, 0.0, 1.0], R[:, 2])
        angle = math.atan2(float(np.linalg.norm(across)), R[2, 2])
        tilt = across / max(float(np.linalg.norm(across)), 1e-300) * angle
        if constraints & 24 == 24:
            angular = log(R)
        elif constraints & 8:
            angular = tilt
        else:
            angular = log(turn(*tilt).T @ R)
        keep = kept(constraints)
        error = np.append(linear, angular)
        return (
            error[keep],
            float(np.linalg.norm(error[:3][keep[:3]])),
            float(np.linalg.norm(error[3:][keep[3:]])),
        )


def kept(constraints):
    """Tell which of the rows x, y, z, alpha, beta, gamma there are."""
    bits = (1, 2, 4, 8, 8, 16)
    return np.array([bool(constraints & bit) for bit in bits])


def planar(lengths, passive=(), target=None):
    """Make a planar arm of joints j1, j2, ... and links with a tip and a target."""
    twin = Twin()
    parent, before = None, 0.0
    for i, length in enumerate(lengths):
        name = f'j{i + 1}'
        twin.joint(name, parent=parent, T=pose(x=before), passive=name in passive)
        parent, before = name, length
    twin.dummy('target', T=np.eye(4) if target is None else target)
    twin.dummy('tip', parent, pose(x=before), target='target')
    return twin


def gantry(axes='xyz', **attributes):
    """Make slides along axes, one on the other, with a tip and a target."""
    twin = Twin()
    vectors = {
        'x': (0.0, math.pi / 2, 0.0),
        'y': (-math.pi / 2, 0.0, 0.0),
        'z': (0.0, 0.0, 0.0),
    }
    parent, before = None, np.eye(4)
    for axis in axes:
        along = pose(vector=vectors[axis])
        twin.joint(
            axis,
            'prismatic',
            parent,
            np.linalg.inv(before) @ along,
            **{'limits': (-100.0, 100.0), **attributes},
        )
        parent, before = axis, along
    twin.dummy('target')
    twin.dummy('tip', parent, np.linalg.inv(before), target='target')
    return twin


def group(twin, constraints=Constraint.POSITION, name='g', tip='tip', **attributes):
    """Make a group with one element."""
    made = twin.env.create_group(name, empty=True)
    made.add_element(tip, constraints=constraints)
    for attribute, value in attributes.items():
        setattr(made, attribute, value)
    return made


def measure(made):
    """Handle without moving anything: what it says of the present state."""
    before = made.max_iterations
    made.max_iterations = 1
    result = made.handle(lambda step: Answer(dq=np.zeros(len(step.coordinates))))
    made.max_iterations = before
    return result


def values(twin):
    """List the positions of the scalar joints, in order."""
    return np.array(list(twin.env.joint_positions.values()))


def random_tree(rng, joints=7, dependencies=True):
    """
    Make a random tree of all kinds of joints.

    Its names: joints n0, n1, ...; tip with target; frame, which is anywhere; base, on the way to
    the tip. Functions, multipliers, a slave of a slave, and masters outside of the chain occur.
    """
    twin = Twin()

    def anywhere():
        return pose(*rng.normal(size=3), vector=rng.uniform(-1.2, 1.2, size=3))

    def near_the_end():
        return objects[int(rng.integers(max(0, len(objects) - 2), len(objects)))]

    objects = [None]
    scalar = []
    for i in range(joints):
        kind = str(rng.choice(['revolute', 'revolute', 'prismatic', 'screw', 'spherical']))
        name, parent = f'n{i}', near_the_end()
        if kind == 'spherical':
            twin.joint(name, kind, parent, anywhere())
            twin.state = {name: turn(*rng.uniform(-1.2, 1.2, size=3))}
        else:
            limits = {'limits': (-50.0, 50.0)}
            if kind == 'screw':
                limits['screw_lead'] = float(rng.uniform(-2.0, 2.0))
            kind = 'revolute' if kind == 'screw' else kind
            twin.joint(name, kind, parent, anywhere(), **limits)
            twin.state = {name: float(rng.uniform(-1.0, 1.0))}
            scalar.append(name)
        objects.append(name)
    if dependencies and len(scalar) > 3:
        twin.follow(scalar[2], scalar[0], float(rng.normal()), 0.1)
        bend = float(rng.uniform(0.2, 0.8))
        twin.follow(scalar[3], scalar[2], function=lambda at: math.sin(bend * at) + 0.2)
    twin.dummy('target', objects[int(rng.integers(len(objects)))], anywhere())
    twin.dummy('tip', objects[-1], anywhere(), target='target')
    twin.dummy('frame', objects[int(rng.integers(len(objects)))], anywhere())
    way = [None]
    above = twin.parts['tip'][1]
    while above is not None:
        way.append(above)
        above = twin.parts[above][1]
    twin.way = way
    return twin


@pytest.fixture(scope='session')
def build():
    """Give the functions of this module."""
    return SimpleNamespace(
        Twin=Twin,
        gantry=gantry,
        group=group,
        kept=kept,
        log=log,
        matrix=matrix,
        measure=measure,
        planar=planar,
        pose=pose,
        random_tree=random_tree,
        turn=turn,
        values=values,
    )


def angle_of(R):
    """Compute the angle of a rotation matrix."""
    sines = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    return math.atan2(np.linalg.norm(sines), np.trace(R) - 1.0)


def turn_left(R):
    """Compute the turn about z after the shortest way from z to the third column of R."""
    way = np.array([-R[1, 2], R[0, 2], 0.0])
    sine = np.linalg.norm(way)
    if sine < 1e-12:
        return math.atan2(R[1, 0], R[0, 0])
    x, y, _ = way / sine
    cross = np.array([[0.0, 0.0, y], [0.0, 0.0, -x], [-y, x, 0.0]])
    shortest = np.eye(3) + sine * cross + (1.0 - R[2, 2]) * cross @ cross
    left = shortest.T @ R
    return math.atan2(left[1, 0], left[0, 0])


def constrained_misses(T_base_tip, T_base_target, constraints, R_base_axes=None):
    """Measure the constrained distance [m] and angle [rad] between a tip and its target."""
    axes = np.eye(3) if R_base_axes is None else R_base_axes
    away = axes.T @ (T_base_target[:3, 3] - T_base_tip[:3, 3])
    distance = float(np.linalg.norm(away[[bool(constraints & bit) for bit in (1, 2, 4)]]))
    R = T_base_tip[:3, :3].T @ T_base_target[:3, :3]
    direction, turn = constraints & 8, constraints & 16
    if direction and turn:
        return distance, angle_of(R)
    if direction:
        return distance, math.atan2(math.hypot(R[0, 2], R[1, 2]), R[2, 2])
    return distance, abs(turn_left(R)) if turn else 0.0


@pytest.fixture(scope='session')
def misses() -> Callable[..., tuple[float, float]]:
    """Give `constrained_misses`."""
    return constrained_misses
