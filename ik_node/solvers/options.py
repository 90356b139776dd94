# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of a search, checked once and in the form that kernels read."""

from __future__ import annotations

from functools import lru_cache
import math
from numbers import Integral
import os
from typing import Any, NamedTuple

from ik_node.errors import InvalidOptionError, shown
from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.model.given import real
import numpy as np

TIMEOUT = 0.005
"""Default time for one solve [s]."""
POSITION_TOLERANCE = 1e-6
"""Default largest distance that counts as reached [m]."""
ORIENTATION_TOLERANCE = 1e-5
"""Default largest angle that counts as reached [rad]."""
POSITION_WEIGHT = 2.0
"""Default weight of a metre against a radian: the fastest on arms of 0.5 to 1.5 m reach."""
RANDOM_SEED = 0
"""Default key of the random starts."""
PREFER = 'fast'
"""Default choice among solutions: the first one."""

# Measured on Panda, UR5, iiwa 14 and Tiago: a start that has not halved its squared error in three
# steps is worth less than a new one.
_QUICK = (20.0, 3.0, 0.5)
# With a single start there is no new one; go on while there is progress at all.
_PATIENT = (300.0, 20.0, 0.99)


class SearchOptions(NamedTuple):
    """Checked options of one search; make them with `search_options`."""

    timeout: float
    """[s] on the steady clock."""
    random_seed: int
    """Key of the random starts."""
    max_starts: float
    """Largest number of starts, the seed's included; may be infinite."""
    settings: FloatArray
    """Vector for `ik_node.kernels.step`."""
    patient: FloatArray
    """The same for a search of one start."""
    tolerances: tuple[float, float]
    """Of position [m] and orientation [rad]."""
    nearest: bool
    """Whether several solutions are to be found, for the one nearest to the seed."""
    has_slid: bool = False
    """Whether slides were made already, and led nowhere."""


def search_options(
    timeout: float = TIMEOUT,
    position_tolerance: float = POSITION_TOLERANCE,
    orientation_tolerance: float = ORIENTATION_TOLERANCE,
    position_weight: float = POSITION_WEIGHT,
    random_seed: int = RANDOM_SEED,
    max_starts: int | None = None,
    prefer: str = PREFER,
) -> SearchOptions:
    """
    Check the options of a search.

    Parameters
    ----------
    timeout : float
        [s], not negative; 0 still makes the first few starts.
    position_tolerance : float
        [m], positive.
    orientation_tolerance : float
        [rad], positive.
    position_weight : float
        [rad/m], positive.
    random_seed : int
        0 to 2^64 - 1.
    max_starts : int, optional
        Positive; None: as many as the time allows, or until it is hopeless to go on.
    prefer : {'fast', 'nearest'}
        Which of several solutions.

    Returns
    -------
    SearchOptions

    Raises
    ------
    InvalidOptionError
        A value out of its range.

    """
    # Most callers repeat themselves, and identities take a third of the time of a lookup with
    # types and hashes. What is equal and another object (True, a NumPy scalar) takes the long way.
    a, b, c, d, e, f, g, known = _LATEST[0]
    if (
        timeout is a
        and position_tolerance is b
        and orientation_tolerance is c
        and position_weight is d
        and random_seed is e
        and max_starts is f
        and prefer is g
    ):
        return known
    given = (
        timeout,
        position_tolerance,
        orientation_tolerance,
        position_weight,
        random_seed,
        max_starts,
        prefer,
    )
    try:
        made = _checked(*given)
    except TypeError as error:  # a list, an array: nothing that could be looked up
        raise InvalidOptionError(f'an option is not a number: {error}') from error
    _LATEST[0] = (*given, made)
    return made


@lru_cache(maxsize=256, typed=True)
def _checked(
    timeout: float,
    position_tolerance: float,
    orientation_tolerance: float,
    position_weight: float,
    random_seed: int,
    max_starts: int | None,
    prefer: str,
) -> SearchOptions:
    _check_number('timeout', timeout, 's', zero=True)
    _check_number('position_tolerance', position_tolerance, 'm')
    _check_number('orientation_tolerance', orientation_tolerance, 'rad')
    _check_number('position_weight', position_weight, 'rad/m')
    if not isinstance(random_seed, Integral) or not 0 <= random_seed < 2**64:
        raise InvalidOptionError(
            f'random_seed is {shown(random_seed)}; it must be an integer from 0 to 2^64 - 1'
        )
    if max_starts is not None and (not isinstance(max_starts, Integral) or max_starts < 1):
        raise InvalidOptionError(
            f'max_starts is {shown(max_starts)}; it must be a positive integer, or None for as '
            'many as the timeout allows'
        )
    if prefer not in ('fast', 'nearest'):
        raise InvalidOptionError(f"prefer is {shown(prefer)}; it must be 'fast' or 'nearest'")
    common = (position_tolerance, orientation_tolerance, position_weight)
    return SearchOptions(
        float(timeout),
        # Kernels take signed integers and look at the bits alone.
        int(random_seed) - (2**64 if random_seed >= 2**63 else 0),
        # Kernels count with 64 bits.
        math.inf if max_starts is None or max_starts >= 2**62 else int(max_starts),
        _vector(*common, *_QUICK, 1.0, 0.0),
        _vector(*common, *_PATIENT, 1.0, 0.0),
        (float(position_tolerance), float(orientation_tolerance)),
        prefer == 'nearest',
    )


def processors() -> int:
    """
    Count the processors that this process may use.

    Returns
    -------
    int

    """
    if hasattr(os, 'sched_getaffinity'):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_number(name: str, value: float, unit: str, *, zero: bool = False) -> None:
    given = real(value)
    if not (0.0 < given < math.inf or (zero and given == 0.0)):
        sign = 'zero or positive' if zero else 'positive'
        raise InvalidOptionError(
            f'{name} is {shown(value)}; it must be a {sign} number of [{unit}]'
        )


def _vector(*values: float) -> FloatArray:
    vector = np.array(values, dtype=np.float64)
    assert vector.shape == (step.SETTINGS_SIZE,)
    vector.setflags(write=False)
    return vector


_DEFAULTS = (
    TIMEOUT,
    POSITION_TOLERANCE,
    ORIENTATION_TOLERANCE,
    POSITION_WEIGHT,
    RANDOM_SEED,
    None,
    PREFER,
)
_LATEST: list[tuple[Any, Any, Any, Any, Any, Any, Any, SearchOptions]] = [
    (*_DEFAULTS, _checked(*_DEFAULTS))
]
"""What was given last, and what was made of it: replaced as a whole, as threads share it."""
