# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Solvers by name, for `Group.solve(method=name)`.

A solver comes from a call of `register`, or from an installed package whose entry point in the
group 'ik_node.solvers' is its factory. Whatever it answers is brought into the limits and checked
by forward kinematics, so that a solver cannot claim a success.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points, EntryPoint
import threading
from typing import NamedTuple, TypeAlias

from ik_node.errors import InvalidOptionError
from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import into_limits
from ik_node.solvers.ik_options import ADAPTIVE, METHODS
from ik_node.solvers.least_squares import LeastSquares
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.starts import BLANK
from ik_node.solvers.status import SolveStatus
import numpy as np
from numpy.typing import ArrayLike

ENTRY_POINTS = 'ik_node.solvers'
"""Group of entry points that are factories of solvers."""


class SolverRequest(NamedTuple):
    """What a solver is asked for."""

    problem: LeastSquares
    """Rows and limits: `problem.at(q)` has Jacobian, error and energy at a configuration."""
    seed: FloatArray
    """(n,) where to start [rad or m]."""
    deadline: float
    """On the steady clock, `time.monotonic` [s]."""
    random_seed: int
    """Key of whatever is drawn."""


Solver: TypeAlias = 'Callable[[SolverRequest], ArrayLike]'
"""Gives its best configuration (n,) [rad or m]."""
Factory: TypeAlias = 'Callable[[], Solver]'

_lock = threading.Lock()
_factories: dict[str, Factory] = {}
_loaded: dict[str, Factory] = {}
"""Of entry points that were asked for: to look through all packages takes milliseconds."""


def register(name: str, factory: Factory, *, replace: bool = False) -> None:
    """
    Give a solver a name, for `Group.solve(method=name)`.

    Parameters
    ----------
    name : str
        Not empty (that is the default solver), and not one of the library's own methods.
    factory : callable
        Called without arguments for every solve, maybe from several threads; gives a solver, a
        callable that takes a `SolverRequest` and gives a configuration (n,) [rad or m].
    replace : bool
        Whether another solver of that name is replaced.

    Raises
    ------
    InvalidOptionError
        The name is taken, or no name; the factory cannot be called.

    """
    if not isinstance(name, str) or not name:
        raise InvalidOptionError(f'the name of a solver is {name!r}; it must be a text, not empty')
    if not callable(factory):
        raise InvalidOptionError(
            f'the factory of solver {name!r} is {factory!r}; it must be callable without arguments'
        )
    if name in METHODS:
        raise InvalidOptionError(
            f'solver {name!r} is one of ik_node itself; register yours by another name'
        )
    with _lock:
        if name in _factories and not replace:
            raise InvalidOptionError(
                f'there is a solver {name!r} already; choose another name, or replace=True'
            )
        _factories[name] = factory


def unregister(name: str) -> None:
    """
    Forget a solver that was registered by a call.

    Parameters
    ----------
    name : str
        Its name.

    Raises
    ------
    InvalidOptionError
        There is none of that name.

    """
    with _lock:
        if _factories.pop(name, None) is None:
            raise InvalidOptionError(f'no solver {name!r} was registered')


def known_solvers() -> tuple[str, ...]:
    """
    List what `Group.solve(method=...)` takes.

    Returns
    -------
    tuple of str
        The methods of the library, the default first; then what was registered, and what
        installed packages offer.

    """
    own = (ADAPTIVE, *(name for name in METHODS if name != ADAPTIVE))
    with _lock:
        names = {*_factories, *(point.name for point in _offered())}
    return own + tuple(sorted(names - set(own)))


def solver_of(name: str) -> Solver:
    """
    Make a solver.

    Parameters
    ----------
    name : str
        Of a solver that is none of the library's own methods.

    Returns
    -------
    callable

    Raises
    ------
    InvalidOptionError
        Nothing has that name (the error names what there is), or an entry point cannot be loaded.

    """
    with _lock:
        factory = _factories.get(name) or _loaded.get(name)
    if factory is None:
        offered = [point for point in _offered() if point.name == name]
        if not offered:
            raise InvalidOptionError(
                f'method is {name!r}; it must be one of '
                + ', '.join(repr(one) for one in known_solvers())
                + ", or '' for the default"
            )
        factory = _load(offered[0])
    solver = factory()
    if not callable(solver):
        raise InvalidOptionError(
            f'the factory of solver {name!r} gave {solver!r}; a solver is a callable that takes a '
            'SolverRequest'
        )
    return solver


def _offered() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=ENTRY_POINTS))


def _load(point: EntryPoint) -> Factory:
    try:
        factory: Factory = point.load()
    except Exception as error:  # whatever a package raises while it is imported
        raise InvalidOptionError(
            f'method is {point.name!r}, and its entry point {point.value!r} cannot be loaded: '
            f'{error}'
        ) from error
    with _lock:
        return _loaded.setdefault(point.name, factory)


def solve_by(name: str, solver: Solver, request: SolverRequest) -> Outcome:
    """
    Ask a solver, and check what it answers.

    Parameters
    ----------
    name : str
        Of the solver, for errors.
    solver : callable
        From `solver_of`.
    request : SolverRequest
        Checked.

    Returns
    -------
    Outcome
        SUCCESS where the answer, brought into the limits, is within the tolerances.

    Raises
    ------
    InvalidOptionError
        The answer is no configuration.

    """
    answer = solver(request._replace(seed=request.seed.copy()))
    problem, n = request.problem, len(request.seed)
    try:
        q = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidOptionError(f'solver {name!r} gave no array of numbers: {error}') from error
    if q.shape != (n,) or not np.isfinite(q).all():
        raise InvalidOptionError(
            f'solver {name!r} gave {answer!r}; it must give ({n},) finite numbers'
        )
    for i, (lower, upper, period) in enumerate(problem.tables.limits[:, :3].tolist()):
        q[i] = into_limits(q[i], lower, upper, period)
    place, report = problem.at(q), BLANK.copy()
    report[step.STARTS] = 1.0
    report[step.ENERGY] = place.energy
    report[step.POSITION_ERROR] = place.distances.max()
    report[step.ORIENTATION_ERROR] = place.angles.max()
    reached = problem.reached(place)
    return Outcome(SolveStatus.SUCCESS if reached else SolveStatus.NOT_FOUND, q, report)
