# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms: order, dependencies, limits."""

from __future__ import annotations

import math

from ik_node.errors import ModelError, UnknownNameError
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Dependency, Frame, Joint, JointKind, WORLD
import numpy as np
import pytest


def joint(name, **more):
    """Make a revolute joint on the world."""
    return Joint(name, WORLD, np.eye(4), **more)


def mechanism(*things):
    """Make a mechanism of things that hang on the world."""
    return Mechanism('robot', things)


def test_chain_of_dependencies_in_any_order():
    # c = 2 b + 1, b = -3 a + 0.5: c = -6 a + 2.
    things = {
        'a': joint('a'),
        'b': joint('b', dependency=Dependency('a', -3.0, 0.5)),
        'c': joint('c', dependency=Dependency('b', 2.0, 1.0)),
    }
    for order in ('abc', 'cba', 'bca'):
        robot = mechanism(*(things[name] for name in order))
        drive = robot.drive('c')
        assert (drive.variable.name, drive.multiplier, drive.offset) == ('a', -6.0, 2.0)
        assert [j.name for j in robot.variables] == ['a']
        assert {j.name for j, _ in robot.followers('a')} == {'b', 'c'}


def test_function_in_a_chain_of_dependencies():
    robot = mechanism(
        joint('a'),
        joint('b', dependency=Dependency('a', function=math.sin)),
        joint('c', dependency=Dependency('b', 2.0, 1.0)),
    )
    assert robot.drive('c').position(0.5) == pytest.approx(2.0 * math.sin(0.5) + 1.0)


def test_loop_of_dependencies_is_named():
    with pytest.raises(ModelError, match=r'in a loop: a -> b -> a'):
        mechanism(joint('a', dependency=Dependency('b')), joint('b', dependency=Dependency('a')))


def test_dependency_on_nothing():
    with pytest.raises(ModelError, match="'b' follows 'a', which does not exist"):
        mechanism(joint('b', dependency=Dependency('a')))


def test_spherical_joints_depend_on_nothing():
    ball = joint('ball', kind=JointKind.SPHERICAL)
    with pytest.raises(ModelError, match='no single position'):
        mechanism(ball, joint('b', dependency=Dependency('ball')))
    with pytest.raises(ModelError, match='no single position'):
        mechanism(
            joint('a'),
            joint('ball', kind=JointKind.SPHERICAL, dependency=Dependency('a')),
        )


def test_limits_of_a_follower_narrow_those_of_its_master():
    robot = mechanism(
        joint('master', lower=-1.0, upper=1.0),
        joint('follower', lower=-0.5, upper=0.5, dependency=Dependency('master', -1.0, 0.1)),
        joint('free', dependency=Dependency('master')),
    )
    assert robot.bounds('master') == pytest.approx((-0.4, 0.6))


def test_limits_that_leave_nothing_name_both_joints():
    with pytest.raises(ModelError) as caught:
        mechanism(
            joint('master', lower=-1.0, upper=1.0),
            joint('follower', lower=5.0, upper=6.0, dependency=Dependency('master')),
        )
    assert "'master'" in str(caught.value)
    assert "'follower'" in str(caught.value)


def test_cyclic_master_takes_the_limits_of_its_follower():
    robot = mechanism(
        joint('master', cyclic=True, lower=-1.0, upper=1.0),
        joint('follower', lower=-math.pi, upper=1.0, dependency=Dependency('master', 0.5)),
    )
    assert robot.bounds('master') == (-2.0 * math.pi, 2.0)


def test_names_are_unique_among_joints_and_among_frames():
    frame = Frame('x', WORLD, np.eye(4))
    # Real URDFs name a link and a joint alike.
    assert mechanism(joint('x'), frame).joint('x').name == 'x'
    with pytest.raises(ModelError, match="two joints are named 'x'"):
        mechanism(joint('x'), joint('x'))
    with pytest.raises(ModelError, match="two frames are named 'x'"):
        mechanism(frame, frame)


def test_parents_stand_before_children():
    with pytest.raises(ModelError, match="'b' stands before"):
        mechanism(Frame('b', 1, np.eye(4)), Frame('a', WORLD, np.eye(4)))


def test_target_that_does_not_exist():
    with pytest.raises(ModelError, match="target 'goal' of 'tip' does not exist"):
        mechanism(Frame('tip', WORLD, np.eye(4), target='goal'))


def test_unknown_names_say_what_there_is():
    robot = mechanism(joint('shoulder'), Frame('tool', WORLD, np.eye(4)))
    with pytest.raises(UnknownNameError, match="did you mean 'shoulder'"):
        robot.joint('shouldr')
    with pytest.raises(UnknownNameError, match='known: tool'):
        robot.frame_index('tool0')


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match='read-only'):
        mechanism(joint('a')).joints[0].T_parent_self[0, 0] = 2.0
