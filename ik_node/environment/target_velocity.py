# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint velocities that make the targets of tips move at given velocities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
from typing import NamedTuple, TypeAlias, TypeVar

from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.constraints.velocity import IkParameterizationVelocity
from ik_node.environment.request import Prepared, tip_names
from ik_node.errors import InvalidOptionError, InvalidTargetError, shown
from ik_node.kernels.arrays import FloatArray
from ik_node.model.given import real
from ik_node.solvers.inverses import damped_inverse
from ik_node.solvers.kinematics import task_rows, TaskRows
import numpy as np
from numpy.typing import ArrayLike

_WAY = 1e-5
"""How far the largest value moves for a difference of rows [m or rad]."""

Velocities: TypeAlias = (
    'IkParameterizationVelocity | Sequence[IkParameterizationVelocity]'
    ' | Mapping[str, IkParameterizationVelocity]'
)
"""Of one tip, or one for each tip in the order of the elements or by the names of the tips."""
Presents: TypeAlias = (
    'IkParameterization | Sequence[IkParameterization | None] | Mapping[str, IkParameterization]'
    ' | None'
)
"""The targets that have these velocities; None: those that the tips meet."""
Aimed: TypeAlias = 'Callable[[Sequence[IkParameterization]], tuple[Prepared, FloatArray]]'
"""Gives the tables for t targets, and the targets for them (t, 4, 4)."""

One = TypeVar('One')


class JointVelocities(NamedTuple):
    """What the joints have to do for a velocity of a target."""

    dq: FloatArray
    """(n,) velocities [rad/s or m/s]."""
    joint_names: tuple[str, ...]
    """(n,) the order of `dq`."""
    linear_residual: float
    """Velocity of the position that they do not produce [m/s]; of several tips the largest."""
    angular_residual: float
    """The same of the orientation [rad/s]."""


def one_each(
    prepared: Prepared, given: One | Sequence[One | None] | Mapping[str, One] | None, what: str
) -> list[One | None]:
    """
    Find what belongs to which tip.

    Parameters
    ----------
    prepared : Prepared
        Elements of t tips.
    given : object, or sequence or mapping of such, or None
        What a caller gave: for a single tip, in the order of the elements, or by the names of
        tips.
    what : str
        Its name, for an error.

    Returns
    -------
    list of object or None
        (t,) None for tips that have none.

    Raises
    ------
    InvalidTargetError
        Another number than that of tips, or a name that no tip has or several have.

    """
    names = tip_names(prepared)
    shown_names = f'group {prepared.settings.name!r} has the tips {", ".join(names)}'
    if given is None:
        return [None] * len(names)
    if isinstance(given, Mapping):
        for name in given:
            if names.count(name) != 1:
                problem = 'several elements' if name in names else 'no element'
                raise InvalidTargetError(
                    f'{what} names {shown(name)}, the tip of {problem}; {shown_names}'
                )
        return [given.get(name) for name in names]
    ordered: list[One | None] = list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]
    if len(ordered) != len(names):
        raise InvalidTargetError(
            f'{what} is for {len(ordered)} of {len(names)} tips; {shown_names}: give one for each '
            'in their order, or a mapping from their names'
        )
    return ordered


def present_target(
    velocity: IkParameterizationVelocity | None,
    at: IkParameterization | None,
    T_base_tip: FloatArray,
    direction: ArrayLike,
) -> IkParameterization:
    """
    Give the target whose values change with a velocity.

    Parameters
    ----------
    velocity : IkParameterizationVelocity or None
        Of a target of some type; not checked.
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
            f'velocity is {shown(velocity)}; it must be an IkParameterizationVelocity, of several '
            'tips one for each: zeros for a tip that stands still'
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
    velocities: Sequence[IkParameterizationVelocity],
    ats: Sequence[IkParameterization],
    q: FloatArray,
    damping: float,
) -> JointVelocities:
    """
    Compute the joint velocities that keep tips on moving targets.

    The rows e(q, target) stay as they are: J dq = de/dt for the joints held still, where the
    difference of the rows between two places of a target on its way is exact to its square.

    Parameters
    ----------
    aimed : callable
        Tables for targets.
    velocities : sequence of IkParameterizationVelocity
        (t,) derivatives of the values of the targets [per second].
    ats : sequence of IkParameterization
        (t,) the targets at this moment.
    q : (n,) float64
        Configuration [rad or m].
    damping : float
        Of the inverse, see `ik_node.solvers.inverses.damped_inverse`; not checked.

    Returns
    -------
    JointVelocities
        Of all that miss the least, all tips together, the one of the smallest norm; with a
        damping they miss a part.

    Raises
    ------
    InvalidOptionError
        The damping is negative or no number.

    """
    if not 0.0 <= real(damping) < math.inf:
        raise InvalidOptionError(f'damping is {shown(damping)}; it must be zero or positive')
    prepared, _ = aimed(ats)
    names = prepared.tables.coordinate_names
    # Each target goes as far as the others, however fast it is.
    fastest = np.array([np.abs(velocity.values).max() for velocity in velocities])
    if not fastest.any():
        return JointVelocities(np.zeros(len(q)), names, 0.0, 0.0)
    seconds = _WAY / np.where(fastest > 0.0, fastest, 1.0)
    ahead, behind = (
        _rows(
            aimed,
            [
                type(at).from_values(at.values + sign * time * velocity.values)
                for at, velocity, time in zip(ats, velocities, seconds, strict=True)
            ],
            q,
        ).error
        for sign in (1.0, -1.0)
    )
    wanted = (ahead - behind) / np.repeat(2.0 * seconds, 6)
    jacobian = _rows(aimed, ats, q).jacobian
    dq = damped_inverse(jacobian, float(damping)) @ wanted
    left = (wanted - jacobian @ dq).reshape(-1, 2, 3)
    linear, angular = np.linalg.norm(left, axis=2).max(axis=0).tolist()
    return JointVelocities(dq, names, linear, angular)


def _rows(aimed: Aimed, targets: Sequence[IkParameterization], q: FloatArray) -> TaskRows:
    prepared, T_reference_target = aimed(targets)
    return task_rows(prepared.tables, prepared.T_node_reference @ T_reference_target, q)
