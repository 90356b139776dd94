# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Custom data of a target as seen from another base."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ik_node.constraints.custom_data import CustomData, moved_numbers, NO_DATA
from ik_node.constraints.parameterization_type import IkParameterizationType
from ik_node.constraints.rigid import Rigid
from ik_node.errors import InvalidTargetError

if TYPE_CHECKING:
    from ik_node.constraints.ik_parameterization import IkParameterization

ClassOf: TypeAlias = 'Callable[[IkParameterizationType], type[IkParameterization]]'


def moved_data(custom: CustomData, motion: Rigid, class_of: ClassOf) -> CustomData:
    """
    See tagged custom data from another base; see `CustomData`.

    Parameters
    ----------
    custom : CustomData
        As seen from the present base.
    motion : Rigid
        T_new_base.
    class_of : function
        `IkParameterization.class_of`.

    Returns
    -------
    CustomData

    Raises
    ------
    InvalidTargetError
        An unknown tag, too few numbers for a tag, or a target that cannot be seen from there.

    """
    tags = custom.tags()
    if not tags:
        return custom or NO_DATA
    moved = dict(custom)
    for name, tag in tags.items():
        row = (
            _moved_target(custom[name], motion, class_of)
            if tag == 'ikparam'
            else moved_numbers(tag, custom[name], motion)
        )
        if row is None:
            raise InvalidTargetError(
                f'custom data {name!r} has {len(custom[name])} numbers and the tag {tag!r}; tags '
                'are direction and point (3 numbers), quat (4) and ikparam (the number of a type '
                'of targets and its values)'
            )
        moved[name] = row
    return CustomData(moved)


def _moved_target(
    row: tuple[float, ...], motion: Rigid, class_of: ClassOf
) -> tuple[float, ...] | None:
    if not row:
        return None
    kind = IkParameterizationType.from_unique_id(round(row[0]))
    target = class_of(kind).from_values(row[1:])
    return (row[0], *target.transformed(motion.array()).values.tolist())
