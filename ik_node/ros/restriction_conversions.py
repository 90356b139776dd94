# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between requests and the joints that they hold or limit; see `conversions`."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from ik_node.errors import InvalidOptionError
from ik_node.ros.conversions import repeated

#: Fields with the same names in `SolveOptions` and in a request for a step.
FIELDS = (
    'locked_joints',
    'locked_positions',
    'limited_joints',
    'lower_limits',
    'upper_limits',
)


def restrictions(message: Any, where: str = '') -> dict[str, Any]:
    """
    Keywords of `Group.solve`, `Group.find_configs` and `Group.step` for joints of one request.

    Parameters
    ----------
    message : SolveOptions or Step.Request
        With the `FIELDS`.
    where : str
        What stands before their names in the sentence of an error, such as 'options.'.

    Returns
    -------
    dict
        `locked_joints` and `limits`.

    Raises
    ------
    InvalidOptionError
        Names and numbers differ in number, or a name comes twice.

    """
    limited = list(message.limited_joints)
    lower, upper = list(message.lower_limits), list(message.upper_limits)
    _check(where, 'limited_joints', limited, {'lower_limits': lower, 'upper_limits': upper})
    if limited and not (lower or upper):
        raise InvalidOptionError(
            f'{where}limited_joints has names, but there are neither lower_limits nor '
            'upper_limits; give one of them, or both'
        )
    lower, upper = lower or [-math.inf] * len(limited), upper or [math.inf] * len(limited)
    held = list(message.locked_joints)
    positions = list(message.locked_positions)
    _check(where, 'locked_joints', held, {'locked_positions': positions})
    return {
        'locked_joints': dict(zip(held, positions, strict=True)) if positions else held,
        'limits': dict(zip(limited, zip(lower, upper, strict=True), strict=True)),
    }


def _check(where: str, field: str, names: Sequence[str], numbers: dict[str, list[float]]) -> None:
    """Refuse names that come twice, and numbers that do not belong to them."""
    twice = repeated(names)
    if twice is not None:
        raise InvalidOptionError(f'{where}{field} names {twice[:80]!r} more than once')
    for name, values in numbers.items():
        if values and len(values) != len(names):
            raise InvalidOptionError(
                f'{where}{name} has {len(values)} numbers and {where}{field} {len(names)} names; '
                'give one number for each name, or none'
            )
