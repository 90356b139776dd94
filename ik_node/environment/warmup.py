# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiling the kernels before they are needed."""

from __future__ import annotations

from ik_node.constraints.pose_types import Translation3D
from ik_node.environment.environment import Environment
from ik_node.kernels import _jit
from ik_node.kernels.limits import nearest_turn
from ik_node.kernels.rotations import frame_with_z, matrix_from_rpy
from ik_node.solvers.secondary_goals import Keep, Manipulability
import numpy as np


def kernel_backend() -> str:
    """
    Tell how the kernels run, for a log.

    Returns
    -------
    str
        Compiler and cache folder, or why there is no cache or no compiler.

    """
    return _jit.backend()


def warm_up() -> None:
    """
    Call every kernel once: seconds when nothing is cached, milliseconds otherwise.

    A node does this before it says that it is ready, so that no request pays for it.
    """
    # A small arm is enough: a kernel is compiled once for all mechanisms.
    environment = Environment()
    environment.create_joint('joint0', 'revolute', limits=(-3.0, 3.0))
    environment.create_joint('joint1', 'revolute', parent='joint0')
    environment.create_joint('joint2', 'spherical', parent='joint1')
    environment.create_dummy('tip', parent='joint2')
    environment.set_joint_positions({'joint0': 0.5}, clamp=True)
    environment.link_poses(['tip'])
    group = environment.create_group('group', 'world', 'tip')
    target = group.forward_kinematics([0.4, 0.3, 0.1, 0.2, 0.3])
    group.jacobian(frame='tip')
    group.solve(target, group.seed_from(), max_starts=1)
    group.find_configs(target, max_configs=2, max_draws=1)
    target[:3, 3] += 10.0  # out of reach: the sentence is made with a kernel of its own
    group.solve(target)
    # Without a spherical joint starts go in lanes, and a batch too.
    environment.create_joint('joint3', 'revolute', limits=(-3.0, 3.0))
    environment.create_dummy('tip3', parent='joint3')
    turning = environment.create_group('turning', 'world', 'tip3')
    target = turning.forward_kinematics([0.4])
    turning.solve(target, [2.5])
    turning.solve(target, [2.5], prefer='nearest')
    turning.solve_batch([target])
    turning.find_configs(target, max_draws=1)
    # A target that leaves joints free; steps, and what few requests ask for; handling.
    point = Translation3D(target[:3, 3])
    turning.solve(point, [2.5])
    turning.step(point, [2.5], linear_step=0.1, angular_step=0.1)
    turning.solve(target + np.eye(4, k=3), [2.5], locked_joints=['joint3'], approximate=True)
    turning.solve(point, [2.5], goals=[Manipulability(), Keep('tip3', [0.0, 0.0, 0.0])])
    environment.create_dummy('goal')
    environment.dummy('tip3').target = 'goal'
    turning.handle()
    # Called by the reader of URDFs, and where a solve failed.
    matrix_from_rpy(0.0, 0.0, 0.0)
    frame_with_z(np.array([1.0, 0.0, 0.0]), np.empty(9))
    nearest_turn(0.0, 0.0, -1.0, 1.0, 0.0)
