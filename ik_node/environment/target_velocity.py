# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint velocities that make the target of a tip move at a given velocity."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple, TypeAlias

from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.velocity import IkParameterizationVelocity
from ik_node.environment.request import Prepared
from ik_node.errors import InvalidOptionError, InvalidTargetError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.given import real, shown
from ik_node.solvers.inverses import damped_inverse
from ik_node.solvers.kinematics import task_rows, TaskRows
import numpy as np
from numpy.typing import ArrayLike

_WAY = 1e-5
"""How far the largest value moves for a difference of rows [m or rad]."""

Aimed: TypeAlias = 'Callable[[IkParameterization], tuple[Prepared, FloatArray]]'
"""Gives the tables for a target, and the target for them (1, 4, 4)."""


class JointVelocities(NamedTuple):
    """What the joints have to do for a velocity of a target."""

    dq: FloatArray
    """(n,) velocities [rad/s or m/s]."""
    joint_names: tuple[str, ...]
    """(n,) the order of `dq`."""
    linear_residual: float
    """Velocity of the position that they do not produce [m/s]."""
    angular_residual: float
    """The same of the orientation [rad/s]."""


def present_target(
    velocity: IkParameterizationVelocity,
    at: IkParameterization | None,
    T_base_tip: FloatArray,
    direction: ArrayLike,
) -> IkParameterization:
    """
    Give the target whose values change with a velocity.

    Parameters
    ----------
    velocity : IkParameterizationVelocity
        Of a target of some type.
    at : IkParameterization or None
        What a caller gave; None: the target of the type that the tip meets.
    T_base_tip : (4, 4) float64
        Where the tip is.
    direction : (3,) array_like
        Direction of the tool in the tip.

    Returns
    -------
    IkParameterization

    Raises
    ------
    InvalidTargetError
        No velocity, or a target of another type.

    """
    if not isinstance(velocity, IkParameterizationVelocity):
        raise InvalidTargetError(
            f'velocity is a {type(velocity).__name__}; it must be an IkParameterizationVelocity'
        )
    made = IkParameterization.class_of(velocity.type.target)
    if at is None:
        return made.from_pose(T_base_tip, direction)
    if not isinstance(at, made):
        raise InvalidTargetError(
            f'at is a {type(at).__name__} and the velocity a {velocity.type.name}; it must be a '
            f'{made.__name__}, whose values the velocity changes'
        )
    return at


def joint_velocities(
    aimed: Aimed,
    velocity: IkParameterizationVelocity,
    at: IkParameterization,
    q: FloatArray,
    damping: float,
) -> JointVelocities:
    """
    Compute the joint velocities that keep the tip on a moving target.

    The rows e(q, target) stay as they are: J dq = de/dt for the joints held still, where the
    difference of the rows between two places of the target on its way is exact to its square.

    Parameters
    ----------
    aimed : callable
        Tables for a target.
    velocity : IkParameterizationVelocity
        Derivatives of the values of the target [per second].
    at : IkParameterization
        The target at this moment.
    q : (n,) float64
        Configuration [rad or m].
    damping : float
        Of the inverse, see `ik_node.solvers.inverses.damped_inverse`; not checked.

    Returns
    -------
    JointVelocities
        Of all that miss the least the one of the smallest norm; with a damping they miss a part.

    Raises
    ------
    InvalidOptionError
        The damping is negative or no number.

    """
    if not 0.0 <= real(damping) < math.inf:
        raise InvalidOptionError(f'damping is {shown(damping)}; it must be zero or positive')
    prepared, _ = aimed(at)
    names = prepared.tables.coordinate_names
    rates = velocity.values
    fastest = float(np.abs(rates).max())
    if fastest == 0.0:
        return JointVelocities(np.zeros(len(q)), names, 0.0, 0.0)
    seconds = _WAY / fastest
    ahead, behind = (
        _rows(aimed, type(at).from_values(at.values + sign * seconds * rates), q).error
        for sign in (1.0, -1.0)
    )
    wanted = (ahead - behind) / (2.0 * seconds)
    jacobian = _rows(aimed, at, q).jacobian
    dq = damped_inverse(jacobian, float(damping)) @ wanted
    left = (wanted - jacobian @ dq).reshape(-1, 2, 3)
    linear, angular = np.linalg.norm(left, axis=(0, 2)).tolist()
    return JointVelocities(dq, names, linear, angular)


def _rows(aimed: Aimed, target: IkParameterization, q: FloatArray) -> TaskRows:
    prepared, T_reference_target = aimed(target)
    targets = prepared.T_node_reference @ T_reference_target
    return task_rows(prepared.tables, targets, q)
