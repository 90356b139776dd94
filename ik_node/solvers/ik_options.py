# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The options of an iteration that a caller controls step by step, as in RaiSim's `IKOptions`.

The first sixteen fields are RaiSim's, in snake case and with its meaning; it does not publish its
defaults, so these are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from numbers import Integral
from typing import Any

from ik_node.errors import InvalidOptionError, shown
from ik_node.model.given import real
import numpy as np

ADAPTIVE = 'adaptive'
"""The method of `Group.solve` without options."""
METHODS = ('dls', 'pinv', 'svd', 'transpose', ADAPTIVE)
"""What `inverse_method` may be."""

# As scene files of RaiSim write it.
_SPELLINGS = {'damped_least_squares': 'dls'}

_COUNTS = ('max_iterations', 'random_seed')
_SWITCHES = ('use_orientation', 'apply_solution', 'apply_best_on_failure', 'enforce_joint_limits')
_POSITIVE = {
    'position_tolerance': 'm',
    'orientation_tolerance': 'rad',
    'step_size': '1',
    'max_step': 'rad or m',
    'finite_difference_step': 'rad or m',
}
_NOT_NEGATIVE = {
    'orientation_weight': '1',
    'damping': 'singular value',
    'svd_tolerance': 'singular value',
    'transpose_gain': '1',
    'timeout': 's',
}


@dataclass(frozen=True)
class IKOptions:
    """
    What `Group.solve(options=...)` does, every update of it.

    An update is dq = step_size * B e with the inverse B of the method, scaled down as a whole
    where its largest component exceeds `max_step`, integrated (a spherical joint by the
    exponential map) and clamped to the limits. Before the first update and after each the tip is
    compared with the tolerances.

    Fields of other methods are not read. 'adaptive' is the search of `Group.solve` without
    options, which chooses its own steps and damping: of RaiSim's fields it reads the tolerances,
    orientation_weight, the two about applying, and seed; it refuses to work without the
    orientation or without limits.

    Raises
    ------
    InvalidOptionError
        A field out of its range.

    """

    max_iterations: int = 200
    """Most updates from one start; what is less than 1 acts as 1."""
    position_tolerance: float = 1e-6
    """Largest distance that counts as reached [m]."""
    orientation_tolerance: float = 1e-5
    """Largest angle that counts as reached [rad]; read only where the orientation is tracked."""
    orientation_weight: float = 1.0
    """
    Factor on the orientation error and its rows, relative to the position [m/rad].

    It weights the task, never the tolerance. 0: the orientation is not tracked.
    """
    damping: float = 0.05
    """'dls': lambda; its square is added to the diagonal of J J^T."""
    step_size: float = 1.0
    """Factor on every update."""
    max_step: float = 0.5
    """Largest component of an update [rad or m]; infinity: no bound."""
    svd_tolerance: float = 1e-6
    """'pinv' and 'svd': eigenvalues of J J^T up to its square are dropped."""
    finite_difference_step: float = 1e-4
    """Accepted and not used: every column of our Jacobian is analytic [rad or m]."""
    use_orientation: bool = True
    """Whether the orientation is tracked too."""
    apply_solution: bool = False
    """Whether a solution becomes the state of the environment."""
    apply_best_on_failure: bool = False
    """With `apply_solution`: whether the best iterate does so where there is no solution."""
    enforce_joint_limits: bool = True
    """Whether joints are clamped to their limits after every update; spherical ones have none."""
    inverse_method: str = 'dls'
    """'dls', 'pinv', 'svd' (the same as 'pinv'), 'transpose' or 'adaptive'."""
    transpose_gain: float = 0.3
    """
    'transpose': the factor on J^T e.

    It converges, slowly, below 2 over the largest eigenvalue of J J^T: 4 to 6 on arms of six and
    seven joints, where the orientation is tracked.
    """
    seed: Sequence[float] | None = None
    """(n,) where to start [rad or m], in the order of the group; None or empty: the state."""
    timeout: float = 0.05
    """Time for all starts [s], on the steady clock; 0 still makes one update."""
    max_starts: int | None = 1
    """Starts: 1 is the seed alone, as in RaiSim; None: random ones as long as the time allows."""
    random_seed: int = 0
    """Key of the random starts."""

    def __post_init__(self) -> None:
        for name in _COUNTS:
            self._put(name, _integer(name, getattr(self, name)))
        for name in _SWITCHES:
            self._put(name, _switch(name, getattr(self, name)))
        for name, unit in _POSITIVE.items():
            infinite = name == 'max_step'
            self._put(name, _number(name, getattr(self, name), unit, infinite=infinite))
        for name, unit in _NOT_NEGATIVE.items():
            self._put(name, _number(name, getattr(self, name), unit, zero=True))
        if not 0 <= self.random_seed < 2**64:
            raise InvalidOptionError(
                f'random_seed is {shown(self.random_seed)}; it must be an integer from 0 '
                'to 2^64 - 1'
            )
        if self.max_starts is not None:
            self._put('max_starts', _integer('max_starts', self.max_starts))
            if self.max_starts < 1:
                raise InvalidOptionError(
                    f'max_starts is {self.max_starts}; it must be a positive integer, or None for '
                    'as many as the timeout allows'
                )
        self._put('seed', _seed(self.seed))
        self._check_method()

    @property
    def tracks_orientation(self) -> bool:
        """Whether the orientation is part of the task and of the success test."""
        return self.use_orientation and self.orientation_weight > 0.0

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # the way of a frozen dataclass

    def _check_method(self) -> None:
        method = self.inverse_method
        if isinstance(method, str):
            method = _SPELLINGS.get(method, method)
        if not isinstance(method, str) or method not in METHODS:
            raise InvalidOptionError(
                f'inverse_method is {shown(method)}; it must be one of '
                + ', '.join(repr(one) for one in METHODS)
            )
        self._put('inverse_method', method)
        if method == 'transpose' and self.transpose_gain == 0.0:
            raise InvalidOptionError(
                "transpose_gain is 0; with inverse_method 'transpose' it must be positive, or "
                'nothing moves'
            )
        if method == ADAPTIVE and not (self.tracks_orientation and self.enforce_joint_limits):
            raise InvalidOptionError(
                "inverse_method 'adaptive' tracks the orientation and stays inside the limits; "
                'use_orientation and enforce_joint_limits must be True, orientation_weight '
                "positive, or choose 'dls'"
            )


def _number(
    name: str, value: Any, unit: str, *, zero: bool = False, infinite: bool = False
) -> float:
    if not isinstance(value, bool):
        number = real(value)
        if (0.0 < number < math.inf) or (zero and number == 0.0):
            return number
        if infinite and number == math.inf:
            return number
    sign = 'zero or positive' if zero else 'positive'
    what = f'{sign}' if infinite else f'{sign} and finite'
    raise InvalidOptionError(f'{name} is {shown(value)}; it must be a number [{unit}], {what}')


def _integer(name: str, value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InvalidOptionError(f'{name} is {shown(value)}; it must be an integer')
    return int(value)


def _switch(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidOptionError(f'{name} is {shown(value)}; it must be True or False')
    return bool(value)


def _seed(value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        given = np.asarray(value)
        # Text and truth values turn into numbers silently.
        if given.size and given.dtype.kind not in 'iuf':
            raise ValueError(f'its type is {given.dtype}')
        seed = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidOptionError(
            f'seed is not a sequence of numbers: {error}; it must be one value for each joint of '
            'the group, or empty for the state of the environment'
        ) from error
    if seed.ndim != 1:
        raise InvalidOptionError(
            f'seed has the shape {seed.shape}; it must be one value for each joint of the group'
        )
    if not np.isfinite(seed).all():
        raise InvalidOptionError('seed has a value that is not finite (NaN or infinity)')
    return tuple(seed.tolist()) or None
