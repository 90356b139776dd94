# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiling the kernels before they are needed."""

from __future__ import annotations

from ik_node.environment.environment import Environment
from ik_node.kernels import _jit
from ik_node.kernels.limits import nearest_turn
from ik_node.kernels.rotations import matrix_from_rpy
from ik_node.model.mechanism import Joint, JointKind, Mechanism
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
    # A two-joint arm is enough: a kernel is compiled once for all mechanisms.
    joints = tuple(
        Joint(
            f'joint{i}',
            JointKind.REVOLUTE,
            f'link{i}',
            f'link{i + 1}',
            np.eye(4),
            np.array([0.0, 1.0, 0.0]),
            lower=-3.0,
            upper=3.0,
        )
        for i in range(2)
    )
    environment = Environment(Mechanism('warm_up', ('link0', 'link1', 'link2'), joints))
    environment.set_joint_positions({'joint0': 0.5}, clamp=True)
    environment.link_poses(['link2'])
    group = environment.create_group('group')
    target = group.forward_kinematics([0.4, 0.3])
    group.jacobian(frame='tip')
    group.solve(target, max_starts=1)
    group.find_configs(target, max_configs=2, max_draws=1)
    # Called by the reader of URDFs, and where a solve failed.
    matrix_from_rpy(0.0, 0.0, 0.0)
    nearest_turn(0.0, 0.0, -1.0, 1.0, 0.0)
