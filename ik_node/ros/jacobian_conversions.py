# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Every conversion between messages and Jacobians; see `conversions`."""

from __future__ import annotations

from collections.abc import Sequence

import ik_node
from ik_node import Constraint
from ik_node.environment.measures import measures
from ik_node.environment.stack import ROW_NAMES, System
from ik_node.environment.store import ObjectStore
from ik_node.errors import InvalidOptionError, InvalidStateError
from ik_node.ros.conversions import doubles, tips_of
from ik_node.ros.conversions import ROW_NAMES as GEOMETRIC_ROW_NAMES
from ik_node.ros.object_conversions import pose_in_world
from ik_node.ros.serving import Request, Response
import numpy as np
from numpy.typing import NDArray

#: Fields that mean something in one form only, or in two.
FIELDS = {
    'tip': ('group', 'frame'),
    'group': ('group',),
    'chain': (
        'base',
        'last_joint',
        'constraints',
        'tip_pose',
        'target_pose',
        'constraints_base_pose',
    ),
}

_BITS = (
    Constraint.X,
    Constraint.Y,
    Constraint.Z,
    Constraint.ALPHA_BETA,
    Constraint.ALPHA_BETA,
    Constraint.GAMMA,
)


def form_of(request: Request) -> str:
    """
    Which of the forms a request asks for.

    Raises
    ------
    InvalidOptionError
        None of them, or a field of another one has a value.

    """
    form = request.form or 'tip'
    if form not in FIELDS:
        raise InvalidOptionError(
            f"form is {form[:80]!r}; it must be 'tip', 'group', 'chain' or empty for 'tip'"
        )
    default = type(request)()
    for other, fields in FIELDS.items():
        for field in fields:
            if field not in FIELDS[form] and getattr(request, field) != getattr(default, field):
                raise InvalidOptionError(
                    f'{field} has a value, but is for the form {other!r}, and this is the form '
                    f'{form!r}; leave it out'
                )
    return form


def frame_of(request: Request) -> str:
    """
    Axes of the rows of a Jacobian of the form 'tip'.

    Raises
    ------
    InvalidOptionError
        Neither 'base' nor 'tip'.

    """
    frame = request.frame or 'base'
    if frame not in ('base', 'tip'):
        raise InvalidOptionError(
            f"frame is {frame[:80]!r}; it must be 'base', 'tip' or empty for 'base'"
        )
    return str(frame)


def constraints_of(request: Request) -> Constraint:
    """
    Give the rows of a Jacobian of the form 'chain'.

    Raises
    ------
    InvalidOptionError
        Bits that mean nothing.

    """
    if request.constraints > Constraint.POSE:
        raise InvalidOptionError(
            f'constraints is {request.constraints}; it must be a sum of constants of ElementInfo, '
            f'at most {int(Constraint.POSE)}, or 0 for all'
        )
    return Constraint(request.constraints or Constraint.POSE)


def chain_pose(request: Request, field: str, store: ObjectStore) -> NDArray[np.float64] | None:
    """Give a pose of a chain in the world; None where the request has none."""
    poses = getattr(request, field)
    return pose_in_world(poses[0], store, field) if len(poses) else None


def constrained_rows(constraints: int) -> list[str]:
    """Name the rows of constraints."""
    return [name for name, bit in zip(ROW_NAMES, _BITS, strict=True) if constraints & bit]


def fill_rows(response: Response, group: ik_node.Group, system: System) -> None:
    """
    Tell what each row of a group is, and which element it comes from.

    Raises
    ------
    InvalidStateError
        There is no row.

    """
    if not system.names:
        raise InvalidStateError(
            f'group {group.name!r} has no rows: no tip of its elements has a target, or nothing '
            'of them is constrained'
        )
    tips = {element.number: element.tip.name for element in group.elements if element.enabled}
    response.row_names = list(system.names)
    response.row_tips = [tips.get(number, '') for number in system.elements]
    response.row_elements = list(system.elements)


def fill_tips(response: Response, group: ik_node.Group) -> None:
    """Tell which element each row of the form 'tip' comes from: six of each."""
    for element in tips_of(group):
        response.row_names.extend(GEOMETRIC_ROW_NAMES)
        response.row_tips.extend([element.tip.name] * 6)
        response.row_elements.extend([element.number] * 6)


def fill_jacobian(
    response: Response, jacobian: NDArray[np.float64], joint_names: Sequence[str]
) -> None:
    """Put a Jacobian and its measures into a response."""
    response.rows, response.columns = jacobian.shape
    response.jacobian = doubles(jacobian)
    response.joint_names = list(joint_names)
    told = measures(jacobian)
    response.manipulability = told.manipulability
    response.condition_number = told.condition_number
    response.singular_values = doubles(told.singular_values)
    response.nullity = told.null_space.shape[1]
    response.null_space = doubles(told.null_space)
