# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A bounded step of a group towards its targets, with its outcome in words."""

from __future__ import annotations

from dataclasses import dataclass
import math

from ik_node.environment.request import Prepared
from ik_node.environment.searching import least_squares
from ik_node.errors import InvalidOptionError, shown
from ik_node.kernels.arrays import FloatArray
from ik_node.model.given import real
from ik_node.solvers.bounded_step import Stepped, take_step
from ik_node.solvers.joint_costs import Cost
from ik_node.solvers.options import SearchOptions
from ik_node.solvers.status import StepStatus


@dataclass(frozen=True)
class StepResult:
    """Outcome of a bounded step."""

    status: StepStatus
    """How far it came; see `ik_node.StepStatus`."""
    q: FloatArray
    """(n,) where the joints are after the step [rad or m]; without one as before. Read-only."""
    joint_names: tuple[str, ...]
    """(n,) the order of `q`."""
    position_error: float
    """Distance that is left at `q` [m], the largest of all tips."""
    orientation_error: float
    """Angle that is left at `q` [rad], the largest of all tips."""
    position_error_before: float
    """The same before the step [m]."""
    orientation_error_before: float
    """The same before the step [rad]."""
    message: str
    """What happened, in a sentence."""

    @property
    def success(self) -> bool:
        """Whether `q` reaches the target within the tolerances and the limits."""
        return self.status is StepStatus.SUCCESS


def step(
    prepared: Prepared,
    T_reference_target: FloatArray,
    q: FloatArray,
    linear_step: float,
    angular_step: float,
    options: SearchOptions,
    cost: Cost | None = None,
) -> StepResult:
    """
    Take a bounded step.

    Parameters
    ----------
    prepared : Prepared
        The elements.
    T_reference_target : (t, 4, 4) float64
        Targets, checked.
    q : (n,) float64
        Where the joints are [rad or m], checked.
    linear_step, angular_step : float
        Bounds of the motion [m] and [rad], not checked.
    options : SearchOptions
        Checked: tolerances and weight.
    cost : Cost, optional
        What is to be smaller where the targets are reached.

    Returns
    -------
    StepResult

    Raises
    ------
    InvalidOptionError
        A bound that is not positive.

    """
    for name, value, unit in (
        ('linear_step', linear_step, 'm'),
        ('angular_step', angular_step, 'rad'),
    ):
        if not real(value) > 0.0:
            raise InvalidOptionError(
                f'{name} is {shown(value)}; it must be a positive number of [{unit}], infinity '
                'for no bound'
            )
    problem = least_squares(prepared, T_reference_target, options)
    stepped = take_step(problem, q, real(linear_step), real(angular_step), cost)
    before, after = stepped.before, stepped.after
    after.q.setflags(write=False)
    return StepResult(
        stepped.status,
        after.q,
        prepared.tables.coordinate_names,
        float(after.distances.max()),
        float(after.angles.max()),
        float(before.distances.max()),
        float(before.angles.max()),
        _sentence(stepped),
    )


def _sentence(stepped: Stepped) -> str:
    place = stepped.after
    left = f'{place.distances.max():.3g} m and {place.angles.max():.3g} rad are left'
    if stepped.status is StepStatus.SUCCESS:
        if stepped.after is stepped.before:
            return 'the target is reached already'
        return 'the target is reached'
    if stepped.status is StepStatus.PROGRESS:
        part = 1.0 - math.sqrt(place.energy / stepped.before.energy)
        return f'the weighted error is {100.0 * part:.3g} % smaller; {left}'
    if stepped.status is StepStatus.LIMITS:
        joints = ', '.join(stepped.blocked)
        return f'blocked by the limits of {joints}; {left}'
    return f'no joint can bring it nearer: out of reach, or a singular configuration; {left}'
