# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The parameters that a MoveIt config package gives to every node.

Their names depend on the robot, so none of them can be in a table: whatever a launch file or a
parameter file gives below two prefixes is read once, at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ik_node.errors import InvalidArgumentError, InvalidOptionError
from ik_node.moveit import parameters_of, PluginSettings
from ik_node.moveit.foreign import settings_from
from ik_node.moveit.kinematics_yaml import PREFIX
from ik_node.moveit.limits import joint_limits_from, Limits
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

#: Keys that mean something to `KinematicsPlugin` alone: no request of a service can ask for it.
_OF_THE_PLUGIN = frozenset(
    {'redundant_joints', 'search_mode', 'max_solutions', 'kinematics_solver_ik_links'}
)
LIMITS_PREFIX = 'robot_description_planning.joint_limits'


class MoveItParameters:
    """
    Joint limits, and what is said about the solver of each group.

    Parameters
    ----------
    node : rclpy.node.Node
        Whose parameters they are.

    Raises
    ------
    InvalidOptionError
        Limits that are none.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        # rclpy tells overrides only of parameters whose names are known beforehand.
        given: Mapping[str, Any] = getattr(node, '_parameter_overrides', {})
        self._kinematics = {
            name: parameter.value
            for name, parameter in given.items()
            if name.startswith(f'{PREFIX}.')
        }
        limits: dict[str, dict[str, Any]] = {}
        for name, parameter in given.items():
            if name.startswith(f'{LIMITS_PREFIX}.'):
                joint, _, key = name[len(LIMITS_PREFIX) + 1 :].rpartition('.')
                limits.setdefault(joint, {})[key] = parameter.value
                self._show(name, parameter.value)
        for name, value in self._kinematics.items():
            self._show(name, value)
        #: Position limits that replace those of the URDF.
        self.joint_limits: Limits = joint_limits_from(limits)
        self._of_group: dict[str, Mapping[str, Any]] = {}

    def _show(self, name: str, value: Any) -> None:
        """Declare a parameter, so that `ros2 param` knows it too."""
        self._node.declare_parameter(
            name, value, ParameterDescriptor(read_only=True, dynamic_typing=True)
        )

    def settings_of(self, group: str, defaults: PluginSettings) -> PluginSettings:
        """
        Tell what a kinematics.yaml says about a group, and log it the first time.

        Parameters
        ----------
        group : str
            The group.
        defaults : PluginSettings
            What counts where nothing is said: the node's own parameters.

        Returns
        -------
        PluginSettings

        Raises
        ------
        InvalidOptionError
            A value that its key cannot have.

        """
        if not self._kinematics:
            return defaults
        if group not in self._of_group:
            self._of_group[group] = self._find(group)
        return settings_from(self._of_group[group], defaults)[0]

    def _find(self, group: str) -> Mapping[str, Any]:
        """Look for the keys of a group, and log what there is to say about them."""
        log = self._node.get_logger()
        try:
            found, places = parameters_of(self._kinematics, group)
        except InvalidArgumentError as error:
            log.warning(f'{error}; the defaults of the node are used')
            return {}
        log.info(f'group {group}: looked for {places[0]}, found {", ".join(found)}')
        try:
            _, notes = settings_from(found)
        except InvalidOptionError as error:
            # Where an error code has no message, as in Humble, only the log has the reason.
            log.error(f'group {group} has no solver: {error}')
            return found
        for key in found:
            if key in _OF_THE_PLUGIN or key.startswith('approximate_solution_'):
                notes.append(f'{key} is for the plugin in Python, the services do not use it')
        for note in notes:
            log.warning(f'group {group}: {note}')
        return found
