# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and the options of a controlled iteration; see `conversions`."""

from __future__ import annotations

from array import array
from typing import Any

import ik_node
from ik_node import IKOptions
from ik_node.errors import InvalidOptionError
from ik_node.ros import conversions, restriction_conversions
from ik_node.ros.goal_conversions import goals_of
from ik_node.ros.place import Place
from ik_node.ros.restriction_conversions import restrictions
from ik_node.ros.settings import Settings
from ik_node.solvers.ik_options import METHODS
from ik_node.solvers.registry import known_solvers

from ik_node_interfaces.msg import SolveOptions
from ik_node_interfaces.srv import Solve

#: Fields with the same name in the message, where 0 stands for the default.
_NUMBERS = (
    'max_iterations',
    'damping',
    'svd_tolerance',
    'transpose_gain',
    'step_size',
    'max_step',
    'finite_difference_step',
    'orientation_weight',
)
_SWITCHES = ('use_orientation', 'enforce_joint_limits')
#: What only `Group.solve` does.
_EXTRAS = ('approximate', 'goals', 'solver')


def ik_options(options: SolveOptions, settings: Settings) -> tuple[IKOptions, str]:
    """
    Options of a controlled iteration from those of a request.

    The state of the environment is not theirs to change: that is the service's.

    Parameters
    ----------
    options : SolveOptions
        With an `inverse_method`.
    settings : Settings
        Defaults and the longest time.

    Returns
    -------
    options : IKOptions
    note : str
        To be added to the message of the answer.

    Raises
    ------
    InvalidOptionError
        A value out of its range, an unknown method, or what such an iteration does not look at.

    """
    _refuse_values(
        options,
        ('position_weight', 'prefer'),
        'has no meaning with inverse_method; leave it out, or weigh with orientation_weight',
    )
    checked = conversions.search_options(options, settings)
    given: dict[str, Any] = {
        # NaN counts as given, and is refused.
        name: getattr(options, name)
        for name in _NUMBERS
        if getattr(options, name) != 0
    }
    timeout = checked.timeout if options.timeout else IKOptions.timeout
    return IKOptions(
        # No method is as long as that, and a sentence should not be either.
        inverse_method=options.inverse_method[:80],
        timeout=min(timeout, settings.max_timeout),
        position_tolerance=checked.position_tolerance,
        orientation_tolerance=checked.orientation_tolerance,
        random_seed=checked.random_seed,
        max_starts=conversions.max_starts(options) or IKOptions.max_starts,
        **given,
        **{name: getattr(options, name) for name in _SWITCHES},
    ), checked.note


def refuse_iteration(options: SolveOptions) -> None:
    """
    Refuse what only a controlled iteration looks at, where none was asked for.

    Raises
    ------
    InvalidOptionError
        Names the field.

    """
    _refuse_values(
        options,
        (*_NUMBERS, *_SWITCHES),
        "is for inverse_method, and that is empty; name a method, such as 'dls', or leave it out",
    )


def refuse_method(options: SolveOptions, *, goals: bool = False) -> None:
    """
    Refuse a controlled iteration, and what belongs to it, where there is none.

    Parameters
    ----------
    options : SolveOptions
        Any values.
    goals : bool
        Whether there may be goals.

    Raises
    ------
    InvalidOptionError
        Names the field.

    """
    _refuse_values(
        options,
        (
            *('inverse_method', 'apply_best_on_failure', *_NUMBERS, *_SWITCHES),
            *(name for name in _EXTRAS if not (goals and name == 'goals')),
        ),
        'is for ~/solve alone; leave it out',
    )


def refuse_restrictions(options: SolveOptions) -> None:
    """
    Refuse joints that one request holds or limits, where all of them are free.

    Raises
    ------
    InvalidOptionError
        Names the field.

    """
    _refuse_values(
        options,
        restriction_conversions.FIELDS,
        'is not for a batch; leave it out, or set limits with ~/set_joint',
    )


def extras(options: SolveOptions, place: Place) -> dict[str, Any]:
    """
    Keywords of `Group.solve` that go with every method.

    Parameters
    ----------
    options : SolveOptions
        Any values.
    place : Place
        The group, and where the robot stands.

    Returns
    -------
    dict

    Raises
    ------
    InvalidOptionError
        A value means nothing, also because a registered solver does not look at it.

    """
    if options.solver:
        _refuse_values(
            options,
            ('inverse_method', 'prefer', 'max_starts', 'single_attempt'),
            'has no meaning with solver, which has its own way; leave one of them out',
        )
    return {
        **restrictions(options, 'options.'),
        'approximate': options.approximate,
        'goals': goals_of(options.goals, place),
    }


def solver_name(options: SolveOptions) -> str:
    """
    Name of a registered solver, as `Group.solve` takes it for a method.

    To look through all installed packages takes milliseconds.

    Raises
    ------
    InvalidOptionError
        Nothing of that name was registered.

    """
    known = [name for name in known_solvers() if name not in METHODS]
    if options.solver not in known:
        raise InvalidOptionError(
            f'options.solver is {options.solver[:80]!r}; '
            + (f'it must be one of {", ".join(map(repr, known))}' if known else 'there is none')
            + ", or empty for the node's own; methods of its own are for inverse_method"
        )
    return str(options.solver)


def fill_extras(response: Solve.Response, result: ik_node.SolveResult) -> None:
    """Tell what became of a request that asked for more than a solution."""
    response.approximate = result.approximate
    response.goal_costs_before = array('d', [cost.before for cost in result.goals])
    response.goal_costs_after = array('d', [cost.after for cost in result.goals])


def _refuse_values(options: SolveOptions, names: tuple[str, ...], why: str) -> None:
    default = SolveOptions()
    for name in names:
        if getattr(options, name) != getattr(default, name):
            raise InvalidOptionError(f'options.{name} has a value, but {why}')
