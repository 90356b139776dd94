# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Which of several tips are not at their targets is in the message."""

from __future__ import annotations

import math
import re

import ik_node
import numpy as np
from numpy.typing import NDArray
import pytest

XY = ik_node.Constraint.X | ik_node.Constraint.Y


def at(x: float = 0.0, y: float = 0.0) -> NDArray[np.float64]:
    T = np.eye(4)
    T[:2, 3] = x, y
    return T


def arms(count: int, trunk: bool = False) -> tuple[ik_node.Environment, ik_node.Group]:
    """Make planar arms of two links of a metre, side by side or all on one joint."""
    env = ik_node.Environment()
    root = env.create_joint('trunk', limits=(-0.1, 0.1)) if trunk else None
    group = env.create_group('all', empty=True)
    for i in range(count):
        shoulder = env.create_joint(f'shoulder{i}', parent=root, pose=at(0.0, i), limits=(-3, 3))
        elbow = env.create_joint(f'elbow{i}', parent=shoulder, pose=at(1.0), limits=(-3, 3))
        env.create_dummy(f'hand{i}', elbow, at(1.0))
        group.add_element(f'hand{i}', constraints=XY)
    return env, group


@pytest.mark.parametrize('trunk', [False, True])
@pytest.mark.parametrize('method', ['adaptive', 'dls'])
def test_the_tips_that_miss_are_named_with_their_distances(trunk: bool, method: str) -> None:
    env, group = arms(3, trunk)
    goals = {'hand0': at(1.5, 0.0), 'hand1': at(5.0, 1.0), 'hand2': at(1.5, 2.0)}
    options = ik_node.IKOptions(inverse_method=method, timeout=0.1, max_starts=20)
    result = group.solve(goals, options=options)
    assert not result.success
    named = dict(re.findall(r"'(hand\d)' by (\S+) m", result.message.split('not at their')[1]))
    env.set_joint_positions(group.named_positions(result.q))
    for name, goal in goals.items():
        misses = math.dist(env.link_pose(name)[:2, 3], goal[:2, 3])
        assert (name in named) == (misses > 1e-6)
        if name in named:
            assert float(named[name]) == pytest.approx(misses, rel=0.01)
    assert 'hand1' in named


def test_an_element_misses_its_line_and_its_direction() -> None:
    _, group = arms(2)
    slanted = ik_node.Shapes(
        ik_node.Line((0.0, 9.0, 0.0), (1.0, 0.0, 0.0)), ik_node.Parallel((0.6, 0.0, 0.8))
    )
    result = group.solve({'hand0': slanted, 'hand1': ik_node.TranslationXY2D((1.0, 1.5))})
    assert not result.success
    assert re.search(r"their targets: 'hand0' by (7|8)\S* m and 0.64\d rad$", result.message)


def test_a_single_tip_and_a_solution_need_no_names() -> None:
    _, group = arms(1)
    assert 'their targets' not in group.solve(at(5.0)).message
    _, group = arms(2)
    assert group.solve([at(1.5), at(1.5, 1.0)]).message == 'solved'


def test_of_many_tips_some_are_named() -> None:
    _, group = arms(12)
    result = group.solve(np.array([at(5.0, i) for i in range(12)]), timeout=0.01)
    assert result.message.endswith(' and 4 more')
    assert result.message.count("'hand") == 8
