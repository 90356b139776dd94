# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The least-squares answer where a search found none: as near as the joints can come."""

from __future__ import annotations

from ik_node.kernels import step
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers.least_squares import LeastSquares, settle
from ik_node.solvers.restarts import Outcome
from ik_node.solvers.status import SolveStatus
import numpy as np

_STEPS = 100
_AS_GOOD = 1.0 + 1e-6
"""So much larger may be the energy of the answer that the seed leads to."""


def approximated(problem: LeastSquares, seed: FloatArray, outcome: Outcome) -> Outcome:
    """
    Go from the best configuration, and from the seed, to where no step brings the tips nearer.

    Parameters
    ----------
    problem : LeastSquares
        Targets.
    seed : (n,) float64
        Checked [rad or m].
    outcome : Outcome
        Of a search without success.

    Returns
    -------
    Outcome
        With the better of both answers, that of the seed where they are as good; `approximate`
        is set unless it turned out to be a solution.

    """
    limits = problem.tables.limits
    places, steps = [], 0
    for begin in (seed, outcome.q):
        place, count = settle(problem, np.clip(begin, limits[:, 0], limits[:, 1]), _STEPS)
        places.append(place)
        steps += count
    of_seed, of_best = places
    chosen = of_seed if of_seed.energy <= of_best.energy * _AS_GOOD else of_best
    report = outcome.report.copy()
    report[step.ITERATIONS] += steps
    report[step.ENERGY] = chosen.energy
    report[step.POSITION_ERROR] = chosen.distances.max()
    report[step.ORIENTATION_ERROR] = chosen.angles.max()
    found = outcome._replace(q=chosen.q, report=report)
    if problem.reached(chosen):
        return found._replace(status=SolveStatus.SUCCESS)
    return found._replace(approximate=True)
