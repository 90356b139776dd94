# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The secondary goals of a solve: from names of joints and links to costs, and their pursuit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ik_node.constraints.goal import along, ALPHA_BETA, NO_AXIS, NOTHING, POSITION
from ik_node.constraints.shape_goals import goal_of_shapes
from ik_node.environment.narrowing import column_of
from ik_node.environment.request import Prepared
from ik_node.errors import InvalidOptionError, shown
from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.model.tables import Aim, compile_tables
from ik_node.solvers.joint_costs import Cost, LogManipulability, Margins, Misses, Springs, Sum
from ik_node.solvers.least_squares import LeastSquares
from ik_node.solvers.null_space import pursue
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.secondary_goals import (
    Centre,
    GoalCost,
    Keep,
    KeepOffLimits,
    Manipulability,
    NearSeed,
    Posture,
    SecondaryGoal,
)
import numpy as np

_STEPS = 200


class _Frame(NamedTuple):
    """What the names and the numbers of goals are about."""

    prepared: Prepared
    seed: FloatArray
    limits: FloatArray
    """(n, 5) of the joints, before any was held."""


class Pursuit:
    """
    Goals of one request as costs.

    Parameters
    ----------
    goals : sequence of SecondaryGoal
        What a caller gave, not checked.
    prepared : Prepared
        Elements, n coordinates.
    seed : (n,) float64
        Checked [rad or m].
    limits : (n, 5) float64
        Of the joints, before any was held.

    Raises
    ------
    InvalidOptionError
        No goals, or a goal that means nothing for this group.
    UnknownNameError
        A goal names a joint or a link that does not exist.

    """

    def __init__(
        self,
        goals: Sequence[SecondaryGoal],
        prepared: Prepared,
        seed: FloatArray,
        limits: FloatArray,
    ) -> None:
        frame = _Frame(prepared, seed, limits)
        if not isinstance(goals, list | tuple):
            raise InvalidOptionError(
                f'goals is {shown(goals)}; it must be a list of goals such as ik_node.Centre()'
            )
        self._goals = tuple(goals)
        self._costs = [_cost(frame, goal) for goal in self._goals]

    @property
    def total(self) -> Sum:
        """Sum of the costs times their weights."""
        pairs = zip(self._costs, self._goals, strict=True)
        return Sum([(cost, float(goal.weight)) for cost, goal in pairs])

    def settled(self, problem: LeastSquares, q: FloatArray, deadline: float) -> FloatArray:
        """
        Go from a solution to one near it that costs less.

        Parameters
        ----------
        problem : LeastSquares
            The targets.
        q : (n,) float64
            A solution [rad or m].
        deadline : float
            On the steady clock [s].

        Returns
        -------
        (n,) float64
            A solution that costs no more, all goals together.

        """
        return pursue(problem, q, self.total, deadline, _STEPS)[0]

    def improved(
        self, problem: LeastSquares, outcome: Outcome, deadline: float
    ) -> tuple[Outcome, tuple[GoalCost, ...]]:
        """
        Go from a solution to one that costs less.

        Parameters
        ----------
        problem : LeastSquares
            The targets.
        outcome : Outcome
            A solution.
        deadline : float
            On the steady clock [s].

        Returns
        -------
        outcome : Outcome
            A solution that costs no more, all goals together.
        costs : tuple of GoalCost
            Of each goal, in their order.

        """
        total = self.total
        before = [cost.value(outcome.q) for cost in self._costs]
        q, steps = pursue(problem, outcome.q, total, deadline, _STEPS)
        after = [cost.value(q) for cost in self._costs]
        report = outcome.report.copy()
        report[step.ITERATIONS] += steps
        if steps:
            place = problem.at(q)
            report[step.ENERGY] = place.energy
            report[step.POSITION_ERROR] = place.distances.max()
            report[step.ORIENTATION_ERROR] = place.angles.max()
        costs = tuple(map(GoalCost, self._goals, before, after))
        return outcome._replace(q=q, report=report), costs


def _cost(frame: _Frame, goal: SecondaryGoal) -> Cost:
    """Give the cost of a goal."""
    limits = frame.limits
    single = limits[:, 4] == 1.0
    if isinstance(goal, NearSeed):
        return Springs(frame.seed, single.astype(np.float64))
    if isinstance(goal, Centre):
        lower, upper = limits[:, 0], limits[:, 1]
        bounded = single & np.isfinite(lower) & np.isfinite(upper) & (upper > lower)
        half = np.where(bounded, 0.5 * (upper - lower), 1.0)
        stiffness = np.where(bounded, 1.0 / (half * half), 0.0) / max(1, int(bounded.sum()))
        return Springs(np.where(bounded, lower + half, 0.0), stiffness)
    if isinstance(goal, KeepOffLimits):
        # Of a joint that cannot move the margin is nothing.
        width = np.minimum(goal.margin, 0.5 * (limits[:, 1] - limits[:, 0]))
        width = np.where(single & (width > 0.0), width, 0.0)
        counts = width > 0.0
        lower = np.where(counts, limits[:, 0] + width, -np.inf)
        upper = np.where(counts, limits[:, 1] - width, np.inf)
        return Margins(lower, upper, np.where(counts, width, 1.0))
    if isinstance(goal, Posture):
        reference, stiffness = np.zeros(len(limits)), np.zeros(len(limits))
        for name, position in goal.positions:
            column = column_of(frame.prepared, name, 'a Posture')
            reference[column], stiffness[column] = position, 1.0
        return Springs(reference, stiffness)
    if isinstance(goal, Manipulability):
        tables = frame.prepared.tables
        held = tables.limits[:, 0] == tables.limits[:, 1]
        return LogManipulability(tables, np.flatnonzero(~held))
    if isinstance(goal, Keep):
        return _keep(frame.prepared, goal)
    raise InvalidOptionError(
        f'a goal is {shown(goal)}; it must be one of NearSeed, Centre, KeepOffLimits, Posture, '
        'Manipulability and Keep'
    )


def _keep(prepared: Prepared, goal: Keep) -> Cost:
    """Compile another link, with the columns of the group."""
    scene, lowered = prepared.scene, prepared.lowered
    mechanism, names = scene.mechanism, prepared.tables.coordinate_names
    index = mechanism.joint_indices.get(goal.link)
    if index is None:
        index = mechanism.frame_index(goal.link)
    held = {n: at for n, at in scene.positions.items() if n not in prepared.tables.joint_names}
    base = scene.index[lowered.records[0].base]
    link = compile_tables(mechanism, base, [index], held)
    if not link.coordinate_names:
        raise InvalidOptionError(
            f'Keep names {goal.link!r}, which no joint of group {prepared.settings.name!r} moves; '
            'name a link between its base and its tip, or behind one of its joints'
        )
    place = None if goal.point is None else (POSITION, goal.point, NO_AXIS, NOTHING)
    aim = None
    if goal.direction is not None:
        aim = (ALPHA_BETA, along(goal.direction), goal.axis, NOTHING)
    wanted = goal_of_shapes(place, aim)
    tables = link.aimed([Aim(0, wanted.constraints, wanted.T_tip_point)])
    columns = np.array([names.index(name) for name in tables.coordinate_names], np.int64)
    return Misses(tables, wanted.T_base_goal[np.newaxis], columns)
