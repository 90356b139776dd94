# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What can be set about the plugin, in a kinematics.yaml or by a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
import math
from typing import Any

from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.errors import InvalidOptionError, UnknownNameError
from ik_node.moveit.search import DEFAULT_TIMEOUT, Tuning

SEARCH_DISCRETIZATION = 0.1
"""MoveIt's default step of redundant joints [rad or m]."""
SEARCH_MODES = ('all_joints', 'optimize_free_joint', 'optimize_max_joint')
PREFERENCES = ('nearest', 'fast')


@dataclass(frozen=True)
class PluginSettings:
    """The value of every parameter."""

    search_resolution: float = SEARCH_DISCRETIZATION
    """Step of redundant joints [rad or m]."""
    timeout: float = DEFAULT_TIMEOUT
    """Time of a search that gives none [s]."""
    tips: tuple[str, ...] = ()
    """Links to be placed, where nobody names them."""
    target_type: IkParameterizationType = IkParameterizationType.Transform6D
    """What of a pose is wanted: one of IKFast's types."""
    tuning: Tuning = field(default_factory=Tuning)
    redundant_joints: tuple[str, ...] = ()
    search_mode: str = SEARCH_MODES[0]
    """
    What a search does with redundant joints: 'all_joints' moves them like the others. The other
    two are those of IKFast's plugin, which sweeps one free joint: the first solution of the sweep,
    or that of the smallest largest joint move.
    """
    single_start: bool = False
    """Whether a search starts from the seed alone."""
    max_solutions: int = 64
    """At most so many are listed where all are asked for."""
    approximate_position: float = 0.05
    """Largest error of an approximate solution [m]."""
    approximate_orientation: float = 0.05
    """Largest error of an approximate solution [rad]."""
    approximate_joint: float = math.inf
    """Largest move of a joint from the seed to an approximate solution [rad or m]."""

    @property
    def target_class(self) -> type[IkParameterization] | None:
        """Class of the wanted targets; None for whole poses."""
        if self.target_type is IkParameterizationType.Transform6D:
            return None
        return IkParameterization.class_of(self.target_type)


def number(key: str, value: Any, *, zero: bool = False) -> float:
    """
    Check a number that is positive, or may be zero.

    Raises
    ------
    InvalidOptionError
        It is not.

    """
    valid = isinstance(value, int | float) and not isinstance(value, bool)
    if not valid or not (0.0 < value < math.inf or (zero and value == 0.0)):
        kind = 'zero or a positive number' if zero else 'a positive number'
        raise InvalidOptionError(f'{key} is {value!r}; it must be {kind}')
    return float(value)


def word(key: str, value: Any, allowed: tuple[str, ...]) -> str:
    """
    Check one of a few words; neither case nor spaces around it count.

    Raises
    ------
    InvalidOptionError
        It is none of them.

    """
    found = value.strip().lower() if isinstance(value, str) else value
    if found not in allowed:
        shown = repr(value)[:80]
        raise InvalidOptionError(f'{key} is {shown}; it must be one of {", ".join(allowed)}')
    return str(found)


def names(key: str, value: Any) -> tuple[str, ...]:
    """
    Check a list of names; a single name is a list of one.

    Raises
    ------
    InvalidOptionError
        It is no list of strings.

    """
    rows = [value] if isinstance(value, str) else value
    if not isinstance(rows, list | tuple) or not all(isinstance(row, str) for row in rows):
        raise InvalidOptionError(f'{key} is {value!r}; it must be a list of names')
    return tuple(row for row in rows if row)


def target_type(key: str, value: Any) -> IkParameterizationType:
    """
    Check a type of target.

    Raises
    ------
    InvalidOptionError
        There is no such type, or it is a velocity.

    """
    try:
        found = IkParameterizationType.from_name(value.strip() if isinstance(value, str) else '')
    except UnknownNameError:
        found = IkParameterizationType.NONE
    if found not in IkParameterizationType.targets():
        known = ', '.join(member.name for member in IkParameterizationType.targets())
        raise InvalidOptionError(
            f'{key} is {value!r:.80}; it must be one of {known}, in any case of letters'
        )
    return found


Change = Callable[[PluginSettings, Any], PluginSettings]


def _whole(key: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidOptionError(f'{key} is {value!r}; it must be an integer of at least {least}')
    return value


def _direction(key: str, value: Any) -> tuple[float, float, float]:
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise InvalidOptionError(f'{key} is {value!r:.80}; it must be three numbers')
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    if not numbers or not 0.0 < math.hypot(*value) < math.inf:
        raise InvalidOptionError(f'{key} is {value!r:.80}; it must be three numbers, not all zero')
    x, y, z = value
    return float(x), float(y), float(z)


def tuned(settings: PluginSettings, **fields: Any) -> PluginSettings:
    """Replace fields of the tuning."""
    return replace(settings, tuning=replace(settings.tuning, **fields))


OWN: Mapping[str, Change] = {
    'kinematics_solver_search_resolution': lambda s, v: replace(
        s, search_resolution=number('kinematics_solver_search_resolution', v, zero=True)
    ),
    'kinematics_solver_timeout': lambda s, v: replace(
        s, timeout=number('kinematics_solver_timeout', v)
    ),
    'kinematics_solver_ik_links': lambda s, v: replace(
        s, tips=names('kinematics_solver_ik_links', v)
    ),
    'target_type': lambda s, v: replace(s, target_type=target_type('target_type', v)),
    'iktype': lambda s, v: replace(s, target_type=target_type('iktype', v)),
    'redundant_joints': lambda s, v: replace(s, redundant_joints=names('redundant_joints', v)),
    'search_mode': lambda s, v: replace(s, search_mode=word('search_mode', v, SEARCH_MODES)),
    'max_solutions': lambda s, v: replace(s, max_solutions=_whole('max_solutions', v, 1)),
    'position_tolerance': lambda s, v: tuned(
        s, position_tolerance=number('position_tolerance', v)
    ),
    'orientation_tolerance': lambda s, v: tuned(
        s, orientation_tolerance=number('orientation_tolerance', v)
    ),
    'position_weight': lambda s, v: tuned(s, position_weight=number('position_weight', v)),
    'random_seed': lambda s, v: tuned(s, random_seed=_whole('random_seed', v, 0)),
    'prefer': lambda s, v: tuned(s, prefer=word('prefer', v, PREFERENCES)),
    'direction': lambda s, v: tuned(s, direction=_direction('direction', v)),
}
"""MoveIt's own keys that have a meaning here, and ours."""
