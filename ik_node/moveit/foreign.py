# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of other solvers: what each means here, or why it means nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import functools
import math
from typing import Any

from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.errors import InvalidOptionError
from ik_node.moveit.settings import Change, number, OWN, PluginSettings, tuned, word

_POSITION = IkParameterizationType.Translation3D
_ROTATION = IkParameterizationType.Rotation3D
_MODES = ('local', 'global', 'bio2', 'bio2_memetic', 'bio2_memetic_l', 'gd', 'gd_r', 'gd_c', 'jac')
_SOLVE_TYPES = ('speed', 'distance', 'manip1', 'manip2', 'manipulation1', 'manipulation2')


def _epsilon(settings: PluginSettings, value: Any) -> PluginSettings:
    tolerance = number('epsilon', value)
    return tuned(settings, position_tolerance=tolerance, orientation_tolerance=tolerance)


def _orientation_vs_position(settings: PluginSettings, value: Any) -> PluginSettings:
    weight = number('orientation_vs_position', value, zero=True)
    if weight == 0.0:
        return replace(settings, target_type=_POSITION)
    return tuned(settings, position_weight=1.0 / weight)


def _position_only(settings: PluginSettings, value: Any) -> PluginSettings:
    if not isinstance(value, bool):
        raise InvalidOptionError(f'position_only_ik is {value!r}; it must be true or false')
    return replace(settings, target_type=_POSITION) if value else settings


def _solve_type(key: str, settings: PluginSettings, value: Any) -> PluginSettings:
    chosen = word(key, value, _SOLVE_TYPES)
    return tuned(settings, prefer='fast' if chosen == 'speed' else 'nearest')


def _mode(settings: PluginSettings, value: Any) -> PluginSettings:
    return replace(settings, single_start=word('mode', value, _MODES) == 'local')


def _position_scale(settings: PluginSettings, value: Any) -> PluginSettings:
    scale = number('position_scale', value, zero=True)
    return replace(settings, target_type=_ROTATION) if scale == 0.0 else settings


def _rotation_scale(settings: PluginSettings, value: Any) -> PluginSettings:
    scale = number('rotation_scale', value, zero=True)
    if scale == 0.0:
        return replace(settings, target_type=_POSITION)
    return tuned(settings, position_weight=1.0 / scale)


def _nearness(settings: PluginSettings, value: Any) -> PluginSettings:
    wanted = number('minimal_displacement_weight', value, zero=True) > 0.0
    return tuned(settings, prefer='nearest') if wanted else settings


def _approximate_joint(settings: PluginSettings, value: Any) -> PluginSettings:
    limit = number('approximate_solution_joint_threshold', value, zero=True)
    return replace(settings, approximate_joint=limit or math.inf)


MEANT: Mapping[str, Change] = {
    'epsilon': _epsilon,
    'orientation_vs_position': _orientation_vs_position,
    'position_only_ik': _position_only,
    'solve_type': functools.partial(_solve_type, 'solve_type'),
    'solver_type': functools.partial(_solve_type, 'solver_type'),
    'mode': _mode,
    'position_threshold': lambda s, v: tuned(
        s, position_tolerance=number('position_threshold', v)
    ),
    'orientation_threshold': lambda s, v: tuned(
        s, orientation_tolerance=number('orientation_threshold', v)
    ),
    'position_scale': _position_scale,
    'rotation_scale': _rotation_scale,
    'minimal_displacement_weight': _nearness,
    'approximate_solution_position_threshold': lambda s, v: replace(
        s, approximate_position=number('approximate_solution_position_threshold', v)
    ),
    'approximate_solution_orientation_threshold': lambda s, v: replace(
        s, approximate_orientation=number('approximate_solution_orientation_threshold', v)
    ),
    'approximate_solution_joint_threshold': _approximate_joint,
}
"""Keys of kdl, trac_ik, pick_ik and bio_ik that have a meaning here."""

_STEPS = 'the search has its own steps and ends by the timeout'
_COSTS = 'give a cost function to search_position_ik instead'
_POPULATION = 'there is no population to configure'
_CACHE = 'nothing is cached for a robot'
MEANINGLESS: Mapping[str, str] = {
    'kinematics_solver': '',
    'kinematics_solver_attempts': 'MoveIt 2 has no attempts either; the timeout ends a search',
    'kinematics_solver_service_name': 'it belongs to the service plugin; this one calls nobody',
    'link_prefix': 'the names of the robot description are used as they are',
    'joints': 'solutions are the nearest ones in plain joint differences, without weights',
    'max_solver_iterations': _STEPS,
    'gd_step_size': _STEPS,
    'gd_max_iters': _STEPS,
    'gd_min_cost_delta': _STEPS,
    'dpos': _STEPS,
    'drot': _STEPS,
    'dtwist': _STEPS,
    'skip_wipeout': _POPULATION,
    'no_wipeout': _POPULATION,
    'population_size': _POPULATION,
    'elite_count': _POPULATION,
    'threads': 'a search takes one thread',
    'cost_threshold': _COSTS,
    'center_joints_weight': _COSTS,
    'avoid_joint_limits_weight': _COSTS,
    'approximate_solution_cost_threshold': _COSTS,
    'stop_optimization_on_valid_solution': 'a search ends when no nearer solution is found',
    'max_cache_size': _CACHE,
    'min_pose_distance': _CACHE,
    'min_joint_config_distance': _CACHE,
    'cached_ik_path': _CACHE,
}
"""Keys that are known and change nothing, and why."""


def settings_from(
    parameters: Mapping[str, Any], defaults: PluginSettings | None = None
) -> tuple[PluginSettings, list[str]]:
    """
    Read the parameters of a group.

    Parameters
    ----------
    parameters : mapping
        What stands below the group in a kinematics.yaml.
    defaults : PluginSettings, optional
        What counts where they say nothing; None: the defaults of `PluginSettings`.

    Returns
    -------
    settings : PluginSettings
    notes : list of str
        A sentence for each key that changes nothing.

    Raises
    ------
    InvalidOptionError
        A value that its key cannot have.

    """
    settings, notes = defaults or PluginSettings(), []
    for given, value in parameters.items():
        key = str(given)
        change = OWN.get(key) or MEANT.get(key)
        if change is not None:
            settings = change(settings, value)
        elif key in MEANINGLESS:
            if MEANINGLESS[key]:
                notes.append(f'{key} is not used: {MEANINGLESS[key]}')
        elif key.startswith('memetic_'):
            notes.append(f'{key} is not used: {_POPULATION}')
        elif key.endswith('.weight') or (isinstance(value, Mapping) and set(value) == {'weight'}):
            notes.append(f'{key} is not used: {MEANINGLESS["joints"]}')
        else:
            known = ', '.join(OWN)
            notes.append(f'{key[:80]} is unknown and not used; ik_node has {known}')
    return settings, notes
