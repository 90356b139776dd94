# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Find plugins by name, and make one for a group as MoveIt's own loader does."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
import logging
from typing import Any

from ik_node.environment.environment import Environment
from ik_node.errors import InvalidArgumentError, UnknownNameError
from ik_node.model.xml_source import Source
from ik_node.moveit.kinematics_yaml import parameters_of
from ik_node.moveit.plugin import KinematicsPlugin
from ik_node.moveit.settings import SEARCH_DISCRETIZATION

ENTRY_POINTS = 'ik_node.kinematics_plugins'
"""Group of entry points by which other packages offer plugins."""
OWN_NAME = 'ik_node/KinematicsPlugin'

_logger = logging.getLogger(__name__)


def plugin_names() -> tuple[str, ...]:
    """
    Name every plugin that can be loaded.

    Returns
    -------
    tuple of str

    """
    found = {entry.name for entry in entry_points(group=ENTRY_POINTS)}
    return tuple(sorted(found | {OWN_NAME}))


def plugin_class(name: str) -> type[KinematicsPlugin]:
    """
    Find a plugin.

    Parameters
    ----------
    name : str
        What `kinematics_solver` says.

    Returns
    -------
    type

    Raises
    ------
    UnknownNameError
        There is no such plugin; the sentence has those that there are.
    InvalidArgumentError
        It is there and cannot be loaded.

    """
    if name == OWN_NAME:
        return KinematicsPlugin  # also where the package is used without being installed
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name == name:
            try:
                loaded: type[KinematicsPlugin] = entry.load()
            except Exception as error:
                raise InvalidArgumentError(
                    f'the kinematics plugin {name!r} cannot be loaded from {entry.value}: {error}'
                ) from error
            return loaded
    raise UnknownNameError('kinematics plugin', name, plugin_names())


def load_solver(
    robot_description: Source,
    semantic: Source,
    group_name: str,
    kinematics: Mapping[str, Any],
    joint_limits: Mapping[str, Any] | None = None,
) -> KinematicsPlugin:
    """
    Make the solver of a group from what a MoveIt config package has.

    Parameters
    ----------
    robot_description, semantic : str, bytes or os.PathLike
        URDF and SRDF, as text or by path.
    group_name : str
        A group of the SRDF.
    kinematics : mapping
        A kinematics.yaml, or parameters of a node; see `parameters_of`.
    joint_limits : mapping, optional
        A joint_limits.yaml.

    Returns
    -------
    KinematicsPlugin
        Of the class that `kinematics_solver` names, initialised: from the base to the tip of the
        group, or to each of its tips.

    Raises
    ------
    IkNodeError
        The parameters are not there, the plugin is not, or it refuses the group.

    """
    parameters, places = parameters_of(kinematics, group_name)
    _logger.info('group %s: parameters found, of %s', group_name, ' and '.join(places))
    name = parameters.get('kinematics_solver', '')
    if not isinstance(name, str) or not name:
        raise InvalidArgumentError(
            f'group {group_name!r} has no kinematics_solver; name one of '
            f'{", ".join(plugin_names())}'
        )
    plugin = plugin_class(name)()
    description = Environment.from_urdf(robot_description).add_srdf(semantic)
    if group_name not in description.groups:
        raise UnknownNameError('group', group_name, description.groups)
    chains = description.chains_of(group_name)
    resolution = parameters.get('kinematics_solver_search_resolution', SEARCH_DISCRETIZATION)
    ready = plugin.initialize(
        robot_description,
        group_name,
        chains[0].base if chains else '',
        [chain.tip for chain in chains],
        resolution,
        semantic=semantic,
        parameters=parameters,
        joint_limits=joint_limits,
    )
    supported, reason = plugin.supports_group()
    if not supported or not ready:
        raise InvalidArgumentError(reason or plugin.notes[-1])
    return plugin
