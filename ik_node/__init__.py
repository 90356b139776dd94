# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse kinematics for any URDF, in microseconds, with a reason when there is no solution.

    >>> import ik_node
    >>> env = ik_node.Environment.from_urdf('panda.urdf')
    >>> arm = env.create_group('arm', base='panda_link0', tip='panda_hand')
    >>> result = arm.solve(arm.forward_kinematics(q))

This package does not import ROS; the node is `ik_node.ros`.
"""

from __future__ import annotations

from ik_node.environment.calculation import CalculationFlag, Constraint, GroupFlag, Method
from ik_node.environment.element import Element
from ik_node.environment.environment import Environment
from ik_node.environment.group import Group
from ik_node.environment.handling import Answer, HandleResult, Step
from ik_node.environment.joint import Joint
from ik_node.environment.objects import Dummy
from ik_node.environment.results import BatchResult, ConfigSet, SolveResult
from ik_node.environment.warmup import kernel_backend, warm_up
from ik_node.errors import (
    IkNodeError,
    InvalidArgumentError,
    InvalidOptionError,
    InvalidSeedError,
    InvalidStateError,
    InvalidTargetError,
    LoadError,
    ModelError,
    SrdfError,
    UnknownNameError,
    UrdfError,
)
from ik_node.model.objects import JointKind
from ik_node.solvers.ik_options import IKOptions
from ik_node.solvers.status import SolveStatus

__all__ = [
    'Answer',
    'BatchResult',
    'CalculationFlag',
    'ConfigSet',
    'Constraint',
    'Dummy',
    'Element',
    'Environment',
    'Group',
    'GroupFlag',
    'HandleResult',
    'IKOptions',
    'IkNodeError',
    'InvalidArgumentError',
    'InvalidOptionError',
    'InvalidSeedError',
    'InvalidStateError',
    'InvalidTargetError',
    'Joint',
    'JointKind',
    'LoadError',
    'Method',
    'ModelError',
    'SolveResult',
    'SolveStatus',
    'SrdfError',
    'Step',
    'UnknownNameError',
    'UrdfError',
    'kernel_backend',
    'warm_up',
]
