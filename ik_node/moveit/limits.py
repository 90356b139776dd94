# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Narrower limits of one request, and those of MoveIt's joint_limits.yaml."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from ik_node.environment.environment import Environment
from ik_node.errors import InvalidOptionError
from ik_node.kernels.rotations import TWO_PI

Limits = Mapping[str, tuple[float, float]]
"""Lower and upper bounds by joint [rad or m]."""


def window(
    lower: float, upper: float, centre: float, around: tuple[float, float], seed: float
) -> tuple[float, float] | None:
    """
    Narrow the limits of a joint to a window.

    Parameters
    ----------
    lower, upper : float
        Limits [rad or m]; both infinite for a joint that turns without end, whose window is taken
        at the full turn that is nearest to the seed.
    centre : float
        What the window is about.
    around : pair of float
        How far it reaches below and above.
    seed : float
        Where the joint is.

    Returns
    -------
    (lower, upper), or None
        None where the window would exclude nothing.

    """
    below, above = around
    if math.isinf(lower) and math.isinf(upper):
        if below + above >= TWO_PI:
            return None
        centre += TWO_PI * round((seed - centre) / TWO_PI)
        return centre - below, centre + above
    return max(lower, centre - below), min(upper, centre + above)


def joint_limits_from(parameters: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """
    Read position limits from MoveIt's joint limits.

    Parameters
    ----------
    parameters : mapping
        Content of joint_limits.yaml, or what is below its key `joint_limits`: for each joint
        `has_position_limits`, `min_position`, `max_position`, of which either may be missing.

    Returns
    -------
    dict of str to (lower, upper)
        Infinite where a bound is not given; without the joints that have no position limits.

    Raises
    ------
    InvalidOptionError
        It is no mapping, a bound is no number, or the bounds exclude every position.

    """
    rows = parameters.get('joint_limits', parameters) if isinstance(parameters, Mapping) else None
    if not isinstance(rows, Mapping):
        raise InvalidOptionError('joint_limits holds no mapping; the names of joints are its keys')
    found = {}
    for name, row in rows.items():
        if not isinstance(row, Mapping) or not row.get('has_position_limits'):
            continue
        lower, upper = row.get('min_position', -math.inf), row.get('max_position', math.inf)
        for value in (lower, upper):
            if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
                raise InvalidOptionError(
                    f'joint_limits: {name}: {value!r} is no position; give min_position and '
                    'max_position as numbers'
                )
        if not lower <= upper:
            raise InvalidOptionError(
                f'joint_limits: {name}: min_position {lower:g} is above max_position {upper:g}'
            )
        found[name] = (float(lower), float(upper))
    return found


def apply_joint_limits(environment: Environment, limits: Limits) -> list[str]:
    """
    Let limits replace those of the URDF, bound by bound.

    Parameters
    ----------
    environment : Environment
        The robot; it is changed.
    limits : Limits
        From `joint_limits_from`.

    Returns
    -------
    list of str
        Joints that the robot does not have; they are left out.

    Raises
    ------
    ModelError, InvalidArgumentError
        The limits leave no position.

    """
    known = environment.mechanism.joint_indices
    for name, (lower, upper) in limits.items():
        if name not in known:
            continue
        joint = environment.joint(name)
        present = joint.limits
        joint.limits = (
            present[0] if math.isinf(lower) else lower,
            present[1] if math.isinf(upper) else upper,
        )
    return [name for name in limits if name not in known]
