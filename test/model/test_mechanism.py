# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Trees of links and joints: order, mimic joints, limits."""

from __future__ import annotations

import itertools
import math

from ik_node.errors import ModelError, UnknownNameError
from ik_node.model.mechanism import Joint, JointKind, Mechanism, Mimic
import numpy as np
import pytest


def joint(name, parent, child, kind=JointKind.REVOLUTE, **more):
    """Make a joint about x at the origin."""
    return Joint(name, kind, parent, child, np.eye(4), np.array([1.0, 0.0, 0.0]), **more)


def chain(*joints):
    """Make a mechanism whose links are those that the joints name."""
    links = dict.fromkeys(link for j in joints for link in (j.parent, j.child))
    return Mechanism('robot', tuple(links), joints)


def test_order_of_the_file_makes_no_difference():
    joints = [
        joint('f0', 'a', 'b', JointKind.FIXED),
        joint('j1', 'b', 'c'),
        joint('f1', 'c', 'd', JointKind.FIXED),
        joint('j2', 'd', 'e'),
        joint('f2', 'e', 'f', JointKind.FIXED),
    ]
    for order in itertools.permutations(joints):
        mechanism = chain(*order)
        assert mechanism.root == 'a'
        assert [j.name for j in mechanism.tree_order] == ['f0', 'j1', 'f1', 'j2', 'f2']
        assert [j.name for j in mechanism.moving_joints] == ['j1', 'j2']


def test_mimic_chain_in_any_order():
    # c = 2 b + 1, b = -3 a + 0.5: c = -6 a + 2.
    joints = [
        joint('a', '0', '1'),
        joint('b', '1', '2', mimic=Mimic('a', -3.0, 0.5)),
        joint('c', '2', '3', mimic=Mimic('b', 2.0, 1.0)),
    ]
    for order in itertools.permutations(joints):
        mechanism = chain(*order)
        variable, multiplier, offset = mechanism.source('c')
        assert (variable.name, multiplier, offset) == ('a', -6.0, 2.0)
        assert [j.name for j in mechanism.variables] == ['a']
        assert [f[0].name for f in mechanism.followers('a')] == ['b', 'c']


def test_mimic_loop_is_named():
    with pytest.raises(ModelError, match=r'mimic joints in a loop: a -> b -> a'):
        chain(joint('a', '0', '1', mimic=Mimic('b')), joint('b', '1', '2', mimic=Mimic('a')))


def test_mimic_of_a_fixed_joint_is_refused():
    with pytest.raises(ModelError, match="'b' mimics the fixed joint 'a'"):
        chain(joint('a', '0', '1', JointKind.FIXED), joint('b', '1', '2', mimic=Mimic('a')))


def test_limits_of_a_follower_narrow_those_of_its_master():
    mechanism = chain(
        joint('master', '0', '1', lower=-1.0, upper=1.0),
        joint('follower', '1', '2', lower=-0.5, upper=0.5, mimic=Mimic('master', -1.0, 0.1)),
        joint('free', '2', '3', mimic=Mimic('master')),
    )
    assert mechanism.bounds('master') == pytest.approx((-0.4, 0.6))


def test_limits_that_leave_nothing_name_both_joints():
    with pytest.raises(ModelError) as caught:
        chain(
            joint('master', '0', '1', lower=-1.0, upper=1.0),
            joint('follower', '1', '2', lower=5.0, upper=6.0, mimic=Mimic('master')),
        )
    assert "'master'" in str(caught.value)
    assert "'follower'" in str(caught.value)


def test_unbounded_master_takes_the_limits_of_its_follower():
    mechanism = chain(
        joint('master', '0', '1', JointKind.CONTINUOUS),
        joint('follower', '1', '2', lower=-math.pi, upper=1.0, mimic=Mimic('master', 0.5)),
    )
    assert mechanism.bounds('master') == (-2.0 * math.pi, 2.0)


def test_loop_beside_the_root_is_found():
    with pytest.raises(ModelError, match='links in a loop: b -> c -> b'):
        Mechanism('robot', ('a', 'b', 'c'), (joint('j1', 'b', 'c'), joint('j2', 'c', 'b')))


def test_unknown_names_say_what_there_is():
    mechanism = chain(joint('shoulder', '0', '1'))
    with pytest.raises(UnknownNameError, match="did you mean 'shoulder'"):
        mechanism.joint('shouldr')
    with pytest.raises(UnknownNameError, match='known: 0, 1'):
        mechanism.check_link('tool0')


def test_arrays_are_read_only():
    mechanism = chain(joint('a', '0', '1'))
    with pytest.raises(ValueError, match='read-only'):
        mechanism.joints[0].axis[0] = 2.0


def test_deep_chain_needs_no_recursion():
    mechanism = chain(*(joint(f'j{i}', str(i), str(i + 1)) for i in range(5000)))
    assert len(mechanism.tree_order) == 5000
