# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A copy and its original share what was compiled, and nothing that can be seen."""

from __future__ import annotations

from ik_node import Environment
import numpy as np
import pytest


def at(x: float) -> np.ndarray:
    """Make a pose along x [m]."""
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def arm(length: float = 1.0) -> Environment:
    """Make a planar arm of two joints, slightly bent, with a group for its tip."""
    env = Environment()
    env.create_joint('j1', position=0.2)
    env.create_joint('j2', parent='j1', pose=at(length), position=0.9)
    add_tip(env)
    env.create_group('g', empty=True).add_element('tip', constraints=3)
    return env


def add_tip(env: Environment) -> None:
    """Add a tip and its target."""
    env.create_dummy('tip', 'j2', at(1.0))
    env.create_dummy('target', pose=at(1.2))
    env.dummy('tip').target = env.dummy('target')


@pytest.mark.parametrize('first', ['original', 'copy'])
def test_both_are_handled_as_what_they_are(first: str) -> None:
    original = arm()
    original.handle_groups(['g'])  # compiles
    original.set_joint_positions({'j1': 0.2, 'j2': 0.9})
    copy = original.duplicate()
    copy.joint('j2').set_pose(at(0.7), 'j1')
    # From here on both give the same identities to different objects.
    original.create_dummy('one', 'j1', at(0.3))
    copy.create_dummy('other', 'j2', at(0.4))
    for env, name in ((original, 'one'), (copy, 'other')):
        env.dummy(name).target = env.dummy('target')
        env.create_group('h', empty=True).add_element(name, constraints=3)
    expected = {}
    for key, length, name, parent, x in (
        ('original', 1.0, 'one', 'j1', 0.3),
        ('copy', 0.7, 'other', 'j2', 0.4),
    ):
        env = arm(length)
        env.create_dummy(name, parent, at(x)).target = env.dummy('target')
        env.create_group('h', empty=True).add_element(name, constraints=3)
        for group in ('g', 'h', 'g'):
            env.handle_groups([group])
        expected[key] = env.joint_positions
    pair = {'original': original, 'copy': copy}
    order = [first, *(key for key in pair if key != first)]
    for group in ('g', 'h', 'g'):
        for key in order:
            pair[key].handle_groups([group])
    for key, env in pair.items():
        assert env.joint_positions == pytest.approx(expected[key], abs=1e-12), key


def test_to_erase_a_group_of_one_leaves_that_of_the_other() -> None:
    original = arm()
    copy = original.duplicate()
    copy.handle_groups(['g'])
    copy.erase_group('g')
    assert original.handle_groups(['g']).elements
