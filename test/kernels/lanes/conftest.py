# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of every kind that the kernels in lanes serve."""

from __future__ import annotations

import ik_node
from ik_node.kernels.tree import LOWER
from ik_node.model.tables import Aim, compile_tables, compile_tasks, Task
import numpy as np
import pytest


def _arm(path, base, tip):
    return ik_node.Environment.from_urdf(path).create_group('arm', base, tip).tables


def _panda(find):
    return _arm(find('panda'), 'panda_link0', 'panda_hand')


def _planar_mimic(find):
    return ik_node.Environment.from_urdf(find('planar_mimic')).create_group('arm').tables


def _odd(find):
    """Prismatic joint, a screw, a joint without limits, a reversed branch, two tips, tasks."""
    env = ik_node.Environment()
    rng = np.random.default_rng(3)

    def pose():
        T = np.eye(4)
        q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        T[:3, :3] = q * np.linalg.det(q)
        T[:3, 3] = rng.uniform(-0.4, 0.4, 3)
        return T

    env.create_joint('slide', 'prismatic', pose=pose(), limits=(-0.3, 0.6))
    env.create_joint('screw', 'revolute', parent='slide', pose=pose(), screw_lead=0.1,
                     limits=(-2.0, 5.0))  # fmt: skip
    env.create_joint('free', 'revolute', parent='screw', pose=pose())
    env.create_joint('left', 'revolute', parent='free', pose=pose(), limits=(-2.0, 2.0))
    env.create_joint('right', 'revolute', parent='free', pose=pose(), limits=(-1.0, 3.0))
    env.create_joint('wrist', 'revolute', parent='right', pose=pose(), limits=(-3.0, 3.0))
    env.create_dummy('tip_left', parent='left', pose=pose())
    env.create_dummy('tip_right', parent='wrist', pose=pose())
    mechanism = env.scene.mechanism
    left, right = (mechanism.frame_index(name) for name in ('tip_left', 'tip_right'))
    free, world = mechanism.joint_indices['free'], -1
    tasks = [
        Task(left, right, free, constraints=31),
        Task(right, world, left, constraints=7 | 8),
        Task(left, free, world, constraints=16 | 5),
        Task(right, left, right, constraints=24 | 2),
    ]
    # Every other kind of row, with tools and bounds: see ik_node.kernels.rows.
    bounds = [-0.2, -0.1, 0.0, 0.4, -0.3, -0.5, 0.1, 0.2, 0.0, 0.4, 0.3, 0.7]
    tasks_of_tools = [
        Task(left, right, free, 31),
        Task(right, world, left, 31),
        Task(left, free, world, 31),
        Task(right, left, right, 31),
        Task(left, world, right, 31),
    ]
    aims = [
        Aim(0, 3 | 32 | 8, pose()),
        Aim(1, 64, pose()),
        Aim(2, 3 | 128),
        Aim(3, 7 | 256, pose()),
        Aim(4, 7 | 32 | 1024 | 512, pose()),
    ]
    aimed = compile_tasks(mechanism, world, tasks_of_tools, {}).tables.aimed(aims)
    tips = aimed.tips.copy()
    tips[3:, LOWER:] = bounds
    return {
        'backwards': compile_tables(mechanism, left, [right]),
        'two tips': compile_tables(mechanism, world, [left, right]),
        'tasks': compile_tasks(mechanism, world, tasks, {}).tables,
        'aims': aimed.pointed(tips),
    }


_MECHANISMS = {
    'panda': _panda,
    'mimic': _planar_mimic,
    'backwards': lambda find: _odd(find)['backwards'],
    'two tips': lambda find: _odd(find)['two tips'],
    'tasks': lambda find: _odd(find)['tasks'],
    'aims': lambda find: _odd(find)['aims'],
}


@pytest.fixture(params=[name for name in _MECHANISMS if name not in ('tasks', 'aims')])
def tables(request, shipped_robot):
    """Give compiled mechanisms: chain, mimic joint, chain backwards, tree with two tips."""
    return _MECHANISMS[request.param](shipped_robot)


@pytest.fixture(params=_MECHANISMS)
def any_tables(request, shipped_robot):
    """Give the same, and a tree of tips that are constrained in part, with moving targets."""
    return _MECHANISMS[request.param](shipped_robot)


@pytest.fixture(params=['panda', 'mimic', 'backwards'])
def chain(request, shipped_robot):
    """Give those of them that have one tip."""
    return _MECHANISMS[request.param](shipped_robot)
