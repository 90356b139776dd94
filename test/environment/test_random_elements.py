# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Random mechanisms and random elements: what `solve` claims is true, and what is reachable is found.

Trees with slides, passive joints and followers; tips, bases and axes anywhere, any constraints,
targets of the caller or dummies anywhere. The reference are poses of objects in the scene, that no
kernel of a search has computed.
"""

from __future__ import annotations

import ik_node
from ik_node import Environment
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest


def random_pose(rng, size):
    """Draw a pose."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rpy(*rng.uniform(-np.pi, np.pi, 3).tolist())
    T[:3, 3] = rng.uniform(-size, size, 3)
    return T


class Robot:
    """A random tree of joints j0, j1, ... with dummies d0 to d7 somewhere on it."""

    def __init__(self, rng):
        self.env = Environment()
        self.joints = [f'j{i}' for i in range(rng.integers(4, 14))]
        for i, name in enumerate(self.joints):
            near = max(0, i - 3)
            parent = None if i == 0 or rng.random() < 0.12 else f'j{rng.integers(near, i)}'
            kind = 'prismatic' if rng.random() < 0.15 else 'revolute'
            limits = {}
            if kind == 'prismatic':
                limits['limits'] = (-0.3, 0.3)
            elif rng.random() < 0.7:
                limits['limits'] = (-2.5, 2.5)
            self.env.create_joint(name, kind, parent, random_pose(rng, 0.3), **limits)
            self.env.joint(name).passive = bool(rng.random() < 0.1)
        self.dummies = [f'd{i}' for i in range(8)]
        for name in self.dummies:
            self.env.create_dummy(name, self.anywhere(rng), random_pose(rng, 0.2))
        if rng.random() < 0.4:
            follower, leader = rng.choice(self.joints, 2, replace=False).tolist()
            self.env.joint(follower).passive = self.env.joint(leader).passive = False
            self.env.joint(follower).set_dependency(
                leader, multiplier=rng.choice([-1.0, 0.5, 1.0])
            )
        self.move(self.joints, rng)

    def anywhere(self, rng):
        """Choose a joint, or the world."""
        return None if rng.random() < 0.15 else str(rng.choice(self.joints))

    def move(self, joints, rng):
        """Move joints to random places inside of their limits."""
        for name in joints:
            joint = self.env.joint(name)
            if joint.dependency is None:
                joint.position = rng.uniform(*np.clip(joint.limits, -3.0, 3.0))

    def group(self, rng):
        """Make a group of up to four elements."""
        group = self.env.create_group('group', empty=True)
        for _ in range(rng.integers(1, 5)):
            tip, base, axes = (str(rng.choice(self.dummies)) for _ in range(3))
            base = rng.choice([base, self.anywhere(rng) or base])
            element = group.add_element(tip, None if base == tip or rng.random() < 0.5 else base)
            element.constraints = int(rng.integers(0, 32))
            if rng.random() < 0.3:
                element.constraints_base = rng.choice([axes, self.anywhere(rng) or axes])
        return group

    def give_targets(self, group, rng):
        """Put targets where the tips are; returns those that a caller gives."""
        given = {}
        tips = [element.tip.name for element in group.elements]
        for element in group.elements:
            tip = element.tip
            if rng.random() < 0.4 and tips.count(tip.name) == 1:
                given[tip.name] = self.pose(tip, element.base)
            elif tip.target is None:
                target = self.env.create_dummy(f'{tip.name} target', self.anywhere(rng))
                target.set_pose(tip.pose())
                tip.target = target
        return given

    def pose(self, thing, base):
        """Compute T_base_thing; of a joint as base its fixed frame."""
        T_world_base = np.eye(4) if base is None else base.pose()
        return np.linalg.inv(T_world_base) @ thing.pose()


@pytest.mark.parametrize('block', range(8))
def test_random_elements(block, misses):
    solved = parts = 0
    for trial in range(100 * block, 100 * block + 100):
        rng = np.random.default_rng(trial)
        robot = Robot(rng)
        group = robot.group(rng)
        try:
            columns = group.joint_names
        except ik_node.InvalidArgumentError:
            continue  # no joint between a base and its tip
        robot.move(columns, rng)
        given = robot.give_targets(group, rng)
        robot.move(columns, rng)
        options = {'prefer': 'nearest'} if trial % 3 == 0 else {}
        result = group.solve(given or None, timeout=10.0, **options)
        assert result.success, (trial, result)
        parts += bool(group.prepared().parts)
        solved += 1
        robot.env.set_joint_positions(dict(zip(columns, result.q.tolist(), strict=True)))
        worst = np.zeros(2)
        for element in group.elements:
            tip, base, axes = element.tip, element.base, element.constraints_base
            own = tip.target if tip.name not in given else None
            target = given[tip.name] if own is None else robot.pose(own, base)
            R = None if axes is None else robot.pose(axes, base)[:3, :3]
            reached = misses(robot.pose(tip, base), target, int(element.constraints), R)
            worst = np.maximum(worst, reached)
        assert worst[0] <= 1.1e-6, trial
        assert worst[1] <= 1.1e-5, trial
        assert result.position_error == pytest.approx(worst[0], abs=1e-8), trial
        assert result.orientation_error == pytest.approx(worst[1], abs=1e-7), trial
    assert solved > 30
    assert parts > 0
