# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Links and joints of a URDF as one tree."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

from ik_node.errors import ModelError
from ik_node.model.urdf_tree import tree_order
import pytest


def joint(name, parent, child):
    """Make what urdf_parser_py makes of a joint, as far as the tree needs it."""
    return SimpleNamespace(name=name, parent=parent, child=child)


def test_order_of_the_file_makes_no_difference():
    joints = [
        joint('f0', 'a', 'b'),
        joint('j1', 'b', 'c'),
        joint('f1', 'c', 'd'),
        joint('j2', 'd', 'e'),
        joint('f2', 'e', 'f'),
    ]
    for order in itertools.permutations(joints):
        root, ordered = tree_order('fedcba', order)
        assert root == 'a'
        assert [j.name for j in ordered] == ['f0', 'j1', 'f1', 'j2', 'f2']


def test_loop_beside_the_root_is_found():
    with pytest.raises(ModelError, match='links in a loop: b -> c -> b'):
        tree_order('abc', [joint('j1', 'b', 'c'), joint('j2', 'c', 'b')])


def test_deep_chain_needs_no_recursion():
    names = [str(i) for i in range(5001)]
    joints = [joint(f'j{i}', str(i), str(i + 1)) for i in range(5000)]
    root, ordered = tree_order(names, reversed(joints))
    assert root == '0'
    assert ordered == joints
