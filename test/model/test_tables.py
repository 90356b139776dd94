# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled tables: chains between any links, the longest chain."""

from __future__ import annotations

import dataclasses

from ik_node.errors import InvalidArgumentError
from ik_node.kernels.tree import AXES, TIP_SIZE
from ik_node.model.longest_chain import longest_chain
from ik_node.model.mechanism import Mechanism
from ik_node.model.tables import compile_tables
from ik_node.model.urdf import load_urdf
from ik_node.model.walk import inverse
from ik_node.solvers.kinematics import forward_kinematics
import numpy as np
import pytest


def between(mechanism, base, *tips):
    """Compile the chain between links."""
    return compile_tables(
        mechanism, mechanism.frame_index(base), [mechanism.frame_index(tip) for tip in tips]
    )


def poses(tables, positions):
    """Compute T_base_tip from joint positions by name."""
    q = np.array([[positions[name] for name in tables.coordinate_names]])
    return forward_kinematics(tables, q)[0]


@pytest.mark.parametrize('case', range(40))
def test_any_two_links_are_a_chain(case, real_robot):
    robots = [
        'talos_data/robots/talos_full_v2.urdf',
        'pr2_description/urdf/pr2.urdf',
        'tiago_description/robots/tiago_dual.urdf',
        'baxter_description/urdf/baxter.urdf',
    ]
    rng = np.random.default_rng(case)
    mechanism = load_urdf(real_robot(robots[case % 4]))
    positions = {j.name: rng.uniform(-1, 1) for j in mechanism.variables}
    base, *tips = rng.choice(list(mechanism.frame_indices), size=4, replace=False).tolist()
    root = next(iter(mechanism.frame_indices))
    from_root = poses(between(mechanism, root, base, *tips), positions)
    from_base = poses(between(mechanism, base, *tips), positions)
    np.testing.assert_allclose(from_base, inverse(from_root[0]) @ from_root[1:], atol=1e-12)


def test_chain_over_a_common_ancestor_goes_no_farther(real_robot):
    mechanism = load_urdf(real_robot('talos_data/robots/talos_reduced.urdf'))
    tables = between(mechanism, 'arm_left_7_link', 'arm_right_7_link')
    expected = [f'arm_left_{i}_joint' for i in range(7, 0, -1)]
    expected += [f'arm_right_{i}_joint' for i in range(1, 8)]
    assert tables.coordinate_names == tuple(expected)  # the torso moves nothing between them
    np.testing.assert_array_equal(tables.nodes[:, 12], [-1.0] * 7 + [1.0] * 7)


def test_fixed_joints_cost_nothing(shipped_robot):
    tables = between(load_urdf(shipped_robot('planar_2r')), 'base', 'tip')
    assert tables.nodes.shape == (2, 15)
    assert tables.coordinate_names == ('j1', 'j2')


def test_mimic_joint_shares_its_variable(shipped_robot):
    tables = between(load_urdf(shipped_robot('planar_mimic')), 'base', 'tip')
    assert tables.coordinate_names == ('j1',)
    np.testing.assert_array_equal(tables.nodes[:, 12:], [[1.0, 0.0, 0.0], [0.5, 0.1, 0.0]])
    # Half a turn of j2 for one of j1: a full turn of j1 changes the pose.
    assert tables.limits[0, 2] == 0.0


def test_tables_are_read_only(shipped_robot):
    tables = between(load_urdf(shipped_robot('planar_2r')), 'base', 'tip')
    for array in (tables.nodes, tables.wiring, tables.tips, tables.limits, tables.reach.table):
        with pytest.raises(ValueError, match='read-only'):
            array[0, 0] = 1


@pytest.mark.parametrize(
    ('robot', 'base', 'tip'),
    [
        ('xarm_description/urdf/xarm7.urdf', 'world', 'link_eef'),
        ('ur_description/urdf/ur5_robot.urdf', 'world', 'ee_link'),
        # Two fingers that follow one variable: the chain ends at the hand, not in a finger.
        ('panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand_tcp'),
    ],
)
def test_longest_chain(robot, base, tip, real_robot):
    assert longest_chain(load_urdf(real_robot(robot))) == (base, tip)


@pytest.mark.parametrize(
    'robot', ['baxter_description/urdf/baxter.urdf', 'talos_data/robots/talos_reduced.urdf']
)
def test_two_arms_have_no_longest_chain(robot, real_robot):
    with pytest.raises(InvalidArgumentError, match=r'several chains of \d+ joints, ending at'):
        longest_chain(load_urdf(real_robot(robot)))


def test_passive_joint_and_its_followers_are_rigid(shipped_robot):
    robot = load_urdf(shipped_robot('planar_mimic'))
    at = robot.joint_indices['j1']
    objects = list(robot.objects)
    objects[at] = dataclasses.replace(objects[at], passive=True)
    held = Mechanism('held', tuple(objects))
    tip = held.frame_index('tip')
    tables = compile_tables(held, held.frame_index('base'), [tip], {'j1': 0.4})
    assert tables.coordinate_names == ()
    np.testing.assert_allclose(tables.tips[0, 9:12], [1.685903, 1.033636, 0], atol=5e-7)


class ClearedByOthers(dict):
    """What another thread empties at the worst moment."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.clear()


def test_conditions_that_another_thread_throws_away(shipped_robot):
    tables = between(load_urdf(shipped_robot('panda')), 'panda_link0', 'panda_hand')
    vars(tables)['_made'] = ClearedByOthers()
    assert len(tables.reach.table) > 0


def test_conditions_of_tips_do_not_depend_on_axes_and_bounds(shipped_robot):
    tables = between(load_urdf(shipped_robot('panda')), 'panda_link0', 'panda_hand')
    for columns, same in ((slice(AXES, TIP_SIZE), True), (slice(AXES), False)):
        tips = tables.tips.copy()
        tips[0, columns] += 0.1
        assert (tables.pointed(tips).reach is tables.reach) is same
