# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A solve that asks for more than the fast way does.

By `IKOptions`, with what becomes of the state of the environment after it; by a registered solver;
with joints held and limits narrowed; with an approximate answer; with secondary goals.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
import math
import time
from typing import NamedTuple, TYPE_CHECKING

from ik_node.environment.aiming import requested
from ik_node.environment.narrowing import is_given, JointLimits, LockedJoints, narrowed
from ik_node.environment.pursuing import Pursuit
from ik_node.environment.request import Prepared, Targets
from ik_node.environment.results import RichResult, SolveResult
from ik_node.environment.searching import (
    as_near_as_possible,
    least_squares,
    missing_tips,
    search,
)
from ik_node.errors import InvalidOptionError, shown
from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers import options
from ik_node.solvers.descent import descend
from ik_node.solvers.ik_options import ADAPTIVE, IKOptions, METHODS
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.registry import solve_by, Solver, solver_of, SolverRequest
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.secondary_goals import GoalCost, SecondaryGoal
from ik_node.solvers.status import SolveStatus
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ik_node.environment.group import Group


class Keywords(NamedTuple):
    """The keywords of `Group.solve`, as defaults or as given."""

    timeout: float = options.TIMEOUT
    position_tolerance: float = options.POSITION_TOLERANCE
    orientation_tolerance: float = options.ORIENTATION_TOLERANCE
    position_weight: float = options.POSITION_WEIGHT
    random_seed: int = options.RANDOM_SEED
    max_starts: int | None = None
    prefer: str = options.PREFER
    method: str = ADAPTIVE


_DEFAULTS = Keywords()


class Extras(NamedTuple):
    """Keywords of `Group.solve` that go with every method, and with options."""

    locked_joints: LockedJoints | None = None
    limits: JointLimits | None = None
    goals: Sequence[SecondaryGoal] | None = None
    approximate: bool = False


class _Way(NamedTuple):
    """How to solve."""

    options: IKOptions
    prefer: str
    solver: tuple[str, Solver] | None
    """A registered solver with its name; None: the method of the options."""

    @property
    def search_options(self) -> SearchOptions:
        """What the default search, a registered solver, and goals go by."""
        given = self.options
        return options.search_options(
            given.timeout,
            given.position_tolerance,
            given.orientation_tolerance,
            1.0 / given.orientation_weight,
            given.random_seed,
            given.max_starts,
            self.prefer,
        )


def _choose(keywords: Keywords, given: IKOptions | None) -> _Way:
    """Give the options of a solve that was asked for by either way."""
    if not isinstance(keywords.method, str):
        raise InvalidOptionError(f'method is {shown(keywords.method)}; it must be a name')
    if given is not None:
        if not isinstance(given, IKOptions):
            raise InvalidOptionError(f'options is {shown(given)}; it must be an IKOptions')
        for name, value, default in zip(Keywords._fields, keywords, _DEFAULTS, strict=True):
            if value != default:
                raise InvalidOptionError(
                    f'{name} is {shown(value)} and options is given too; give either options or '
                    'the keywords'
                )
        return _Way(given, options.PREFER, None)
    method = ADAPTIVE if keywords.method == '' else keywords.method
    solver: tuple[str, Solver] | None = None
    if method not in METHODS:
        method, solver = ADAPTIVE, (method, solver_of(method))
    if keywords.prefer != options.PREFER and (solver or method != ADAPTIVE):
        raise InvalidOptionError(
            f'prefer is {keywords.prefer!r} and method {keywords.method!r}; only the method '
            f'{ADAPTIVE!r} chooses among solutions'
        )
    made = IKOptions(
        inverse_method=method,
        timeout=keywords.timeout,
        position_tolerance=keywords.position_tolerance,
        orientation_tolerance=keywords.orientation_tolerance,
        orientation_weight=1.0 / keywords.position_weight,
        random_seed=keywords.random_seed,
        max_starts=keywords.max_starts,
    )
    return _Way(made, keywords.prefer, solver)


def solve(
    group: Group,
    target: Targets | None,
    seed: ArrayLike | None,
    direction: ArrayLike,
    keywords: Keywords,
    given: IKOptions | None,
    extras: Extras,
) -> SolveResult:
    """
    Solve as the options say, and leave the environment as they say.

    Whoever lets a solve change the state gets it whole: no other thread edits the environment
    between the look at it and the change.

    Parameters
    ----------
    group : Group
        To be solved; the state of its environment may be changed.
    target : array_like, mapping or None
        As for `Group.solve`.
    seed : (n,) array_like or None
        None: that of the options.
    direction : (3,) array_like
        Direction of the tool in the tip.
    keywords : Keywords
        Checked by `ik_node.solvers.options.search_options`, the method excepted.
    given : IKOptions or None
        Instead of the keywords.
    extras : Extras
        Not checked.

    Returns
    -------
    SolveResult
        With the configuration that was found, also where it did not become the state.

    Raises
    ------
    InvalidTargetError, InvalidSeedError, InvalidOptionError, UnknownNameError
        The request means nothing, both keywords and options were given, or the method does not
        exist or cannot do what the keywords ask for. The state is as before then.

    """
    began, deadline = time.perf_counter(), time.monotonic()
    way = _choose(keywords, given)
    chosen = way.options
    deadline += chosen.timeout
    if seed is not None and chosen.seed is not None:
        raise InvalidOptionError('the seed is given twice; give seed or the seed of options')
    if not isinstance(extras.approximate, bool):
        raise InvalidOptionError(f'approximate is {shown(extras.approximate)}; it must be a bool')
    if not chosen.tracks_orientation and (extras.approximate or is_given(extras.goals)):
        raise InvalidOptionError(
            'the options leave out the orientation, which approximate and goals do not; ask for '
            'the position alone with a target such as Translation3D'
        )
    narrows = is_given(extras.locked_joints) or is_given(extras.limits)
    if narrows and not chosen.enforce_joint_limits:
        raise InvalidOptionError(
            'the options do not enforce joint limits, so that locked_joints would move and limits '
            'would be left; enforce them, or leave these out'
        )
    environment = group.environment
    with environment.lock if chosen.apply_solution else nullcontext():
        prepared = group.prepared_for(target)
        start = chosen.seed if seed is None else seed
        prepared, targets, begin = requested(prepared, target, start, direction)
        prepared, begin, limits = narrowed(prepared, begin, extras.locked_joints, extras.limits)
        tables = prepared.tables
        pursuit = None
        if extras.goals is not None and is_given(extras.goals):
            pursuit = Pursuit(extras.goals, prepared, begin, limits)
        outcome, message = _search(prepared, targets, begin, way, extras.approximate)
        solved = outcome.status is SolveStatus.SUCCESS
        costs: tuple[GoalCost, ...] = ()
        if solved and pursuit is not None:
            problem = least_squares(prepared, targets, way.search_options)
            outcome, costs = pursuit.improved(problem, outcome, deadline)
        if chosen.apply_solution:
            if solved or chosen.apply_best_on_failure:
                environment.edit(lambda scene: scene.placed(tables, outcome.q))
                what = 'the solution' if solved else 'the best iterate'
                message += f'; the joints were set to {what}'
            else:
                message += '; the joints stay where they were'
    outcome.q.setflags(write=False)
    elapsed = time.perf_counter() - began
    return RichResult(outcome, tables.coordinate_names, elapsed, message, limits, costs)


def _search(
    prepared: Prepared,
    T_reference_target: FloatArray,
    seed: FloatArray,
    way: _Way,
    approximate: bool,
) -> tuple[Outcome, str]:
    """Search, and say in words how that ended."""
    given = way.options
    if way.solver is None and given.inverse_method == ADAPTIVE:
        checked = way.search_options
        return search(prepared, T_reference_target, seed, checked, approximate=approximate)
    if way.solver is not None:
        problem = least_squares(prepared, T_reference_target, way.search_options)
        due = time.monotonic() + given.timeout
        outcome = solve_by(*way.solver, SolverRequest(problem, seed, due, given.random_seed))
    else:
        targets = prepared.T_node_reference @ T_reference_target
        outcome = descend(prepared.tables, targets, seed, given)
    if outcome.status is SolveStatus.SUCCESS:
        return outcome, 'solved'
    if given.tracks_orientation:
        outcome = as_near_as_possible(
            prepared, T_reference_target, seed, way.search_options, outcome, approximate
        )
    angle = given.orientation_tolerance if given.use_orientation else math.inf
    tolerances = given.position_tolerance, angle
    missing = missing_tips(prepared, T_reference_target, outcome.q, tolerances)
    return outcome, _reason(outcome, way) + missing


def _reason(outcome: Outcome, way: _Way) -> str:
    given = way.options
    if outcome.status is SolveStatus.SUCCESS:
        return 'solved'
    report = outcome.report
    starts, updates = int(report[step.STARTS]), int(report[step.ITERATIONS])
    late = f' in {given.timeout:g} s' if outcome.status is SolveStatus.TIMED_OUT else ''
    best = 'least-squares answer' if outcome.approximate else 'best configuration'
    left = (
        f'the {best} misses the target by {report[step.POSITION_ERROR]:.3g} m and '
        f'{report[step.ORIENTATION_ERROR]:.3g} rad'
    )
    if way.solver is not None:
        return f'not found by solver {way.solver[0]!r}; {left}'
    return (
        f'not found{late} by {updates} update{"s" if updates != 1 else ""} of '
        f'{given.inverse_method!r} from {starts} start{"s" if starts > 1 else ""}; {left}'
    )
