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

from ik_node.constraints.axis_angle_types import (
    TranslationXAxisAngle4D,
    TranslationXAxisAngleZNorm4D,
    TranslationYAxisAngle4D,
    TranslationYAxisAngleXNorm4D,
    TranslationZAxisAngle4D,
    TranslationZAxisAngleYNorm4D,
)
from ik_node.constraints.direction_types import (
    Direction3D,
    Lookat3D,
    Ray4D,
    TranslationDirection5D,
)
from ik_node.constraints.goal import Goal
from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.orientation_shapes import Cone, OrientationShape, Parallel, Rotation
from ik_node.constraints.parameterization_type import (
    CUSTOM_DATA_BIT,
    IkParameterizationType,
    NUMBER_OF_PARAMETERIZATIONS,
    UNIQUE_ID_MASK,
    VELOCITY_DATA_BIT,
)
from ik_node.constraints.point_types import (
    TranslationLocalGlobal6D,
    TranslationXY2D,
    TranslationXYOrientation3D,
)
from ik_node.constraints.pose_box import PoseBox
from ik_node.constraints.pose_types import Rotation3D, Transform6D, Translation3D
from ik_node.constraints.position_shapes import Line, Plane, Point, PositionShape
from ik_node.constraints.shapes import Shapes
from ik_node.constraints.target import Target
from ik_node.constraints.velocity import IkParameterizationVelocity
from ik_node.environment.calculation import CalculationFlag, Constraint, GroupFlag, Method
from ik_node.environment.element import Element
from ik_node.environment.environment import Environment
from ik_node.environment.group import Group
from ik_node.environment.handling import Answer, HandleResult, Step
from ik_node.environment.joint import Joint
from ik_node.environment.objects import Dummy
from ik_node.environment.results import BatchResult, ConfigSet, SolveResult
from ik_node.environment.stepping import StepResult
from ik_node.environment.target_velocity import JointVelocities
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
from ik_node.solvers.secondary_goals import (
    Centre,
    GoalCost,
    Keep,
    KeepOffLimits,
    Manipulability,
    NearSeed,
    Posture,
    SecondaryGoal,
)
from ik_node.solvers.status import SolveStatus, StepStatus

__all__ = [
    'Answer',
    'BatchResult',
    'CUSTOM_DATA_BIT',
    'CalculationFlag',
    'Centre',
    'Cone',
    'ConfigSet',
    'Constraint',
    'Direction3D',
    'Dummy',
    'Element',
    'Environment',
    'Goal',
    'GoalCost',
    'Group',
    'GroupFlag',
    'HandleResult',
    'IKOptions',
    'IkNodeError',
    'IkParameterization',
    'IkParameterizationType',
    'IkParameterizationVelocity',
    'InvalidArgumentError',
    'InvalidOptionError',
    'InvalidSeedError',
    'InvalidStateError',
    'InvalidTargetError',
    'Joint',
    'JointKind',
    'JointVelocities',
    'Keep',
    'KeepOffLimits',
    'Line',
    'LoadError',
    'Lookat3D',
    'Manipulability',
    'Method',
    'ModelError',
    'NUMBER_OF_PARAMETERIZATIONS',
    'NearSeed',
    'OrientationShape',
    'Parallel',
    'Plane',
    'Point',
    'PoseBox',
    'PositionShape',
    'Posture',
    'Ray4D',
    'Rotation',
    'Rotation3D',
    'SecondaryGoal',
    'Shapes',
    'SolveResult',
    'SolveStatus',
    'SrdfError',
    'Step',
    'StepResult',
    'StepStatus',
    'Target',
    'Transform6D',
    'Translation3D',
    'TranslationDirection5D',
    'TranslationLocalGlobal6D',
    'TranslationXAxisAngle4D',
    'TranslationXAxisAngleZNorm4D',
    'TranslationXY2D',
    'TranslationXYOrientation3D',
    'TranslationYAxisAngle4D',
    'TranslationYAxisAngleXNorm4D',
    'TranslationZAxisAngle4D',
    'TranslationZAxisAngleYNorm4D',
    'UNIQUE_ID_MASK',
    'UnknownNameError',
    'UrdfError',
    'VELOCITY_DATA_BIT',
    'kernel_backend',
    'warm_up',
]
