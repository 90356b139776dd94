# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Random mechanisms and elements: claims are true, what is reachable is found, edits are followed.

Trees with slides, passive joints and followers; tips, bases and axes anywhere, any constraints,
targets of the caller or dummies anywhere. The reference are poses of objects in the scene, that no
kernel of a search has computed.
"""

from __future__ import annotations

import contextlib

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

    def edit(self, group, rng):
        """Change one thing at random; what is refused changes nothing."""
        env = self.env
        joint, dummy = (env[str(rng.choice(names))] for names in (self.joints, self.dummies))
        element = group.elements[rng.integers(len(group.elements))]
        other, keep = self.anywhere(rng), bool(rng.random() < 0.5)
        leader = None if joint.dependency else str(rng.choice(self.joints))
        width = float(rng.uniform(0.1, 2.0))
        edits = (
            lambda: self.move([joint.name], rng),
            lambda: dummy.set_pose(random_pose(rng, 0.3)),
            lambda: dummy.set_parent(other, keep_in_place=keep),
            lambda: setattr(dummy, 'target', None),
            lambda: setattr(dummy, 'target', str(rng.choice(self.dummies))),
            lambda: joint.set_pose(random_pose(rng, 0.3)),
            lambda: joint.set_parent(other, keep_in_place=keep),
            lambda: setattr(joint, 'passive', not joint.passive),
            lambda: setattr(joint, 'limits', (-width, width)),
            lambda: joint.set_dependency(leader, multiplier=0.5),
            lambda: setattr(element, 'constraints', int(rng.integers(32))),
            lambda: setattr(element, 'base', other),
            lambda: setattr(element, 'constraints_base', other),
            lambda: setattr(element, 'enabled', not element.enabled),
        )
        with contextlib.suppress(ik_node.IkNodeError):
            edits[rng.integers(len(edits))]()


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


def outcome(group, target):
    """Solve, and put all that matters into something that can be compared."""
    try:
        result = group.solve(target, max_starts=70, timeout=10.0)
    except ik_node.IkNodeError as error:
        return type(error), str(error)
    return result.status, result.joint_names, result.q.tolist(), result.message


def made_anew(group):
    """Make the same group in a copy of its environment, where nothing was compiled before."""
    env = group.environment.duplicate()
    env.erase_group(group.name)
    same = env.create_group(group.name, empty=True)
    for element in group.elements:
        new = same.add_element(element.tip.name, element.base and element.base.name)
        new.constraints, new.enabled = element.constraints, element.enabled
        axes = element.constraints_base
        new.constraints_base = axes and axes.name
    return same


@pytest.mark.parametrize('block', range(4))
def test_edits_are_followed(block):
    solved = 0
    for trial in range(20 * block, 20 * block + 20):
        rng = np.random.default_rng(trial)
        robot = Robot(rng)
        group = robot.group(rng)
        for name in tuple(robot.dummies):
            place = robot.anywhere(rng)
            target = robot.env.create_dummy(f'{name} target', place, random_pose(rng, 0.4))
            robot.env.dummy(name).target = target
            robot.dummies.append(target.name)
        for _ in range(12):
            robot.edit(group, rng)
            tip = group.elements[0].tip.name
            target = {tip: random_pose(rng, 0.4)} if rng.random() < 0.3 else None
            after = outcome(group, target)
            assert after == outcome(made_anew(group), target), trial
            solved += after[0] == ik_node.SolveStatus.SUCCESS
    assert solved > 0
