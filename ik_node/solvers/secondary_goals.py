# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Goals for what a target leaves free.

They are values, for `Group.solve(goals=[...])`. Each has a cost, which is made small as far as the
target allows; where there are several, it is the sum of their costs times their weights. The
coordinates of spherical joints have no limits, no middle and no posture, and cost nothing.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
import math
from typing import NamedTuple

from ik_node.constraints.vectors import unit, vector, Vector3, Z_AXIS
from ik_node.errors import InvalidOptionError, InvalidTargetError, shown
from ik_node.model.given import real
from numpy.typing import ArrayLike


class SecondaryGoal(ABC):
    """What all of them have in common."""

    weight: float
    """Factor of the cost in the sum of all costs, positive."""


@dataclass(frozen=True)
class NearSeed(SecondaryGoal):
    """
    Stay near the seed: the sum of the squared differences [rad^2 and m^2 alike].

    Parameters
    ----------
    weight : float
        Positive.

    Raises
    ------
    InvalidOptionError
        No positive weight.

    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, 'weight', self.weight)


@dataclass(frozen=True)
class Centre(SecondaryGoal):
    """
    Keep joints in the middle of their limits: the mean square of what is 0 there and 1 at a limit.

    Joints that lack a limit count nothing (Liegeois: Automatic supervisory control of the
    configuration and behavior of multibody mechanisms, IEEE T-SMC 7(12), 1977).

    Parameters
    ----------
    weight : float
        Positive.

    Raises
    ------
    InvalidOptionError
        No positive weight.

    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, 'weight', self.weight)


@dataclass(frozen=True)
class KeepOffLimits(SecondaryGoal):
    """
    Keep joints off their limits: the sum of the squares of what is 0 at the margin, 1 at a limit.

    Parameters
    ----------
    margin : float
        Distance from a limit at which a joint begins to cost [rad or m], positive. Between limits
        that are nearer to each other than two margins it is half of their distance.
    weight : float
        Positive.

    Raises
    ------
    InvalidOptionError
        No positive margin or weight.

    """

    margin: float
    weight: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, 'margin', self.margin)
        _positive(self, 'weight', self.weight)


@dataclass(frozen=True, init=False)
class Posture(SecondaryGoal):
    """
    Bring joints to positions: the sum of the squared differences [rad^2 and m^2 alike].

    Parameters
    ----------
    positions : mapping of str to float
        Positions by the names of joints [rad or m], as they stand: a full turn makes a
        difference. Other joints cost nothing.
    weight : float
        Positive.

    Raises
    ------
    InvalidOptionError
        No positions, a value that is no finite number, no positive weight.

    """

    positions: tuple[tuple[str, float], ...]
    weight: float = 1.0

    def __init__(self, positions: Mapping[str, float], weight: float = 1.0) -> None:
        if not isinstance(positions, Mapping) or not positions:
            raise InvalidOptionError(
                f'positions of a Posture are {shown(positions)}; give a mapping from names of '
                'joints to positions'
            )
        for name, value in positions.items():
            if not math.isfinite(real(value)):
                raise InvalidOptionError(
                    f'the position of {name!r} in a Posture is {shown(value)}; it must be a '
                    'finite number [rad or m]'
                )
        _positive(self, 'weight', weight)
        own = tuple((str(name), float(value)) for name, value in positions.items())
        vars(self).update(positions=own, weight=weight)


@dataclass(frozen=True)
class Manipulability(SecondaryGoal):
    """
    Stay away from singular configurations: minus the logarithm of the manipulability.

    The manipulability is the product of the singular values of the geometric Jacobian of the tips,
    metres and radians as they stand (Yoshikawa: Manipulability of robotic mechanisms, IJRR 4(2),
    1985): a cost that is smaller by 0.7 is a manipulability twice as large.

    Parameters
    ----------
    weight : float
        Positive.

    Raises
    ------
    InvalidOptionError
        No positive weight.

    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, 'weight', self.weight)


@dataclass(frozen=True, init=False)
class Keep(SecondaryGoal):
    """
    Keep another link at a point, or pointing in a direction, as far as the target allows.

    The cost is the squared distance [m^2] or the squared angle [rad^2], or the sum of both.

    Parameters
    ----------
    link : str
        A link, dummy or joint (its moving frame) that some joint of the group moves.
    point : (3,) array_like, optional
        Where its origin is to be, in the base of the first element [m].
    direction : (3,) array_like, optional
        Where its axis is to point, in the base, of any length but zero.
    axis : (3,) array_like
        The axis in the link, of any length but zero.
    weight : float
        Positive.

    Raises
    ------
    InvalidOptionError
        Neither point nor direction, no vectors, no positive weight.

    """

    link: str
    point: Vector3 | None
    direction: Vector3 | None
    axis: Vector3
    weight: float = 1.0

    def __init__(
        self,
        link: str,
        point: ArrayLike | None = None,
        direction: ArrayLike | None = None,
        axis: ArrayLike = Z_AXIS,
        weight: float = 1.0,
    ) -> None:
        if not isinstance(link, str):
            raise InvalidOptionError(f'link of a Keep is {shown(link)}; it must be a name')
        if point is None and direction is None:
            raise InvalidOptionError(
                f'Keep({link!r}) has neither point nor direction; give one of them, or both'
            )
        _positive(self, 'weight', weight)
        try:
            vars(self).update(
                link=link,
                point=None if point is None else vector('point', point),
                direction=None if direction is None else unit('direction', direction),
                axis=unit('axis', axis),
                weight=weight,
            )
        except InvalidTargetError as error:
            raise InvalidOptionError(f'Keep({link!r}): {error}') from error


class GoalCost(NamedTuple):
    """What became of a goal."""

    goal: SecondaryGoal
    before: float
    """Its cost, without its weight, at the solution that was found first."""
    after: float
    """The same at the solution that was answered."""


def _positive(goal: SecondaryGoal, name: str, value: float) -> None:
    if not 0.0 < real(value) < math.inf:
        raise InvalidOptionError(
            f'{name} of a {type(goal).__name__} is {shown(value)}; it must be a positive number'
        )
