# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A solve by `IKOptions`, and what becomes of the state of the environment after it."""

from __future__ import annotations

from contextlib import nullcontext
import math
import time
from typing import NamedTuple, TYPE_CHECKING

from ik_node.environment.aiming import requested
from ik_node.environment.request import Prepared, Targets
from ik_node.environment.results import SolveResult
from ik_node.environment.searching import missing_tips, search
from ik_node.errors import InvalidOptionError
from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers import options
from ik_node.solvers.descent import descend
from ik_node.solvers.ik_options import ADAPTIVE, IKOptions, METHODS
from ik_node.solvers.restarts import Outcome
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


def _choose(keywords: Keywords, given: IKOptions | None) -> IKOptions:
    """Give the options of a solve that was asked for by either way."""
    if given is not None:
        if not isinstance(given, IKOptions):
            raise InvalidOptionError(f'options is {given!r}; it must be an IKOptions')
        for name, value, default in zip(Keywords._fields, keywords, _DEFAULTS, strict=True):
            if value != default:
                raise InvalidOptionError(
                    f'{name} is {value!r} and options is given too; give either options or the '
                    'keywords'
                )
        return given
    if keywords.method not in METHODS:
        raise InvalidOptionError(
            f'method is {keywords.method!r}; it must be one of '
            + ', '.join(repr(one) for one in METHODS)
        )
    if keywords.prefer != options.PREFER:
        raise InvalidOptionError(
            f'prefer is {keywords.prefer!r} and method {keywords.method!r}; only the method '
            f'{ADAPTIVE!r} chooses among solutions'
        )
    return IKOptions(
        inverse_method=keywords.method,
        timeout=keywords.timeout,
        position_tolerance=keywords.position_tolerance,
        orientation_tolerance=keywords.orientation_tolerance,
        orientation_weight=1.0 / keywords.position_weight,
        random_seed=keywords.random_seed,
        max_starts=keywords.max_starts,
    )


def solve(
    group: Group,
    target: Targets | None,
    seed: ArrayLike | None,
    direction: ArrayLike,
    keywords: Keywords,
    given: IKOptions | None,
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

    Returns
    -------
    SolveResult
        With the configuration that was found, also where it did not become the state.

    Raises
    ------
    InvalidTargetError, InvalidSeedError, InvalidOptionError
        The request means nothing, both keywords and options were given, or the method does not
        exist or cannot do what the keywords ask for. The state is as before then.

    """
    began = time.perf_counter()
    chosen = _choose(keywords, given)
    if seed is not None and chosen.seed is not None:
        raise InvalidOptionError('the seed is given twice; give seed or the seed of options')
    environment = group.environment
    with environment.lock if chosen.apply_solution else nullcontext():
        prepared = group.prepared_for(target)
        tables = prepared.tables
        start = chosen.seed if seed is None else seed
        prepared, targets, begin = requested(prepared, target, start, direction)
        outcome, message = _search(prepared, targets, begin, chosen)
        solved = outcome.status is SolveStatus.SUCCESS
        if chosen.apply_solution:
            if solved or chosen.apply_best_on_failure:
                environment.edit(lambda scene: scene.placed(tables, outcome.q))
                what = 'the solution' if solved else 'the best iterate'
                message += f'; the joints were set to {what}'
            else:
                message += '; the joints stay where they were'
    outcome.q.setflags(write=False)
    return SolveResult(
        outcome.status,
        outcome.q,
        tables.coordinate_names,
        time.perf_counter() - began,
        message,
        outcome.report,
        tables.limits,
    )


def _search(
    prepared: Prepared, T_reference_target: FloatArray, seed: FloatArray, given: IKOptions
) -> tuple[Outcome, str]:
    """Search, and say in words how that ended."""
    if given.inverse_method == ADAPTIVE:
        checked = options.search_options(
            given.timeout,
            given.position_tolerance,
            given.orientation_tolerance,
            1.0 / given.orientation_weight,
            given.random_seed,
            given.max_starts,
        )
        return search(prepared, T_reference_target, seed, checked)
    targets = prepared.T_node_reference @ T_reference_target
    outcome = descend(prepared.tables, targets, seed, given)
    message = _reason(outcome, given)
    if outcome.status is not SolveStatus.SUCCESS:
        angle = given.orientation_tolerance if given.use_orientation else math.inf
        tolerances = given.position_tolerance, angle
        message += missing_tips(prepared, T_reference_target, outcome.q, tolerances)
    return outcome, message


def _reason(outcome: Outcome, given: IKOptions) -> str:
    if outcome.status is SolveStatus.SUCCESS:
        return 'solved'
    report = outcome.report
    starts, updates = int(report[step.STARTS]), int(report[step.ITERATIONS])
    late = f' in {given.timeout:g} s' if outcome.status is SolveStatus.TIMED_OUT else ''
    return (
        f'not found{late} by {updates} update{"s" if updates != 1 else ""} of '
        f'{given.inverse_method!r} from {starts} start{"s" if starts > 1 else ""}; the best '
        f'configuration misses the target by {report[step.POSITION_ERROR]:.3g} m and '
        f'{report[step.ORIENTATION_ERROR]:.3g} rad'
    )
