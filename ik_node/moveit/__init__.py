# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
MoveIt's kinematics interface for Python, without ROS.

    >>> from ik_node.moveit import KinematicsPlugin
    >>> plugin = KinematicsPlugin()
    >>> plugin.initialize('panda.urdf', 'panda_arm', 'panda_link0', 'panda_hand')
    True
    >>> plugin.search_position_ik(pose, seed, timeout=0.05)

The services that a MoveIt client calls are in `ik_node.ros`.
"""

from __future__ import annotations

from ik_node.moveit.answers import (
    KinematicsAnswer,
    KinematicsQueryOptions,
    KinematicsResult,
    KinematicsSolutions,
)
from ik_node.moveit.codes import DiscretizationMethod, ErrorCode, KinematicError
from ik_node.moveit.kinematics_yaml import load_yaml, parameters_of
from ik_node.moveit.loader import load_solver, plugin_class, plugin_names
from ik_node.moveit.plugin import KinematicsPlugin
from ik_node.moveit.settings import PluginSettings

__all__ = [
    'DiscretizationMethod',
    'ErrorCode',
    'KinematicError',
    'KinematicsAnswer',
    'KinematicsPlugin',
    'KinematicsQueryOptions',
    'KinematicsResult',
    'KinematicsSolutions',
    'PluginSettings',
    'load_solver',
    'load_yaml',
    'parameters_of',
    'plugin_class',
    'plugin_names',
]
