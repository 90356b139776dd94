# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""An element of a group: one tip, what of it is constrained, and how exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
import math
from numbers import Integral
from typing import Any, TYPE_CHECKING

from ik_node.environment.calculation import Constraint
from ik_node.environment.objects import Dummy, SceneObject
from ik_node.environment.scene import WORLD_UID
from ik_node.errors import InvalidArgumentError, InvalidStateError, shown
from ik_node.model.given import real

if TYPE_CHECKING:
    from ik_node.environment.element_group import ElementGroup


@dataclass(frozen=True)
class ElementRecord:
    """The attributes of an element."""

    tip: int
    """Identity of the tip, a dummy."""
    base: int = WORLD_UID
    """Identity of the base, where the chain to the tip begins, or the world."""
    constraints_base: int | None = None
    """Identity of the frame of the x, y and z constraints; None: the base."""
    constraints: Constraint = Constraint.POSITION
    """What is constrained."""
    linear_precision: float = 0.0005
    """Largest distance that is good enough [m]."""
    angular_precision: float = math.radians(0.1)
    """Largest angle that is good enough [rad]."""
    linear_weight: float = 1.0
    """Share of the position error that a step aims to remove [-]."""
    angular_weight: float = 1.0
    """Share of the orientation error that a step aims to remove [-]."""
    weight: float = 1.0
    """Factor of both shares [-]."""
    enabled: bool = True
    """Whether it takes part."""

    def named(self) -> tuple[int, ...]:
        """List the identities that the element refers to."""
        return tuple(
            uid for uid in (self.tip, self.base, self.constraints_base) if uid not in (None, -1)
        )


class Element:
    """
    An element, as a user holds it; make one with `Group.add_element`.

    Parameters
    ----------
    group : ElementGroup
        Whose element it is.
    number : int
        Its number in the group.

    """

    __slots__ = ('_group', '_number')

    def __init__(self, group: ElementGroup, number: int) -> None:
        self._group = group
        self._number = number

    def __repr__(self) -> str:
        try:
            tip = f'tip {self.tip.name!r}'
        except InvalidStateError:
            tip = 'tip erased'
        return f'Element({self._group.name!r}, {self._number}, {tip})'

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Element)
            and other._group is self._group
            and other._number == self._number
        )

    def __hash__(self) -> int:
        return hash((id(self._group), self._number))

    @property
    def number(self) -> int:
        """Number of the element in its group."""
        return self._number

    @property
    def record(self) -> ElementRecord:
        """All attributes."""
        try:
            return self._group.element_records[self._number]
        except KeyError:
            raise InvalidStateError('the element has been erased from its group') from None

    @property
    def tip(self) -> Dummy:
        """The dummy that is brought to its target."""
        return Dummy(self._group.environment, self.record.tip)

    @property
    def base(self) -> SceneObject | None:
        """What errors and joints are seen from; None for the world."""
        return self._group.environment.object_of(self.record.base)

    @base.setter
    def base(self, base: SceneObject | str | None) -> None:
        uid = self._group.environment.uid_of(base)
        if uid == self.record.tip:
            raise InvalidArgumentError(
                f'{self.tip.name!r} is the tip of the element, so it cannot be its base; choose '
                'another object, or None for the world'
            )
        self._change(base=uid)

    @property
    def constraints_base(self) -> SceneObject | None:
        """Whose axes the x, y and z constraints are in; None for the base."""
        uid = self.record.constraints_base
        return None if uid is None else self._group.environment.object_of(uid)

    @constraints_base.setter
    def constraints_base(self, base: SceneObject | str | None) -> None:
        self._change(
            constraints_base=None if base is None else self._group.environment.uid_of(base)
        )

    @property
    def constraints(self) -> Constraint:
        """What is constrained."""
        return self.record.constraints

    @constraints.setter
    def constraints(self, constraints: Constraint | int) -> None:
        every = int(Constraint.POSE)
        if not isinstance(constraints, Integral) or int(constraints) & ~every or constraints < 0:
            raise InvalidArgumentError(
                f'constraints is {shown(constraints)}; it must be a sum of X=1, Y=2, Z=4, '
                'ALPHA_BETA=8 and GAMMA=16'
            )
        self._change(constraints=Constraint(int(constraints)))

    @property
    def linear_precision(self) -> float:
        """Largest distance that is good enough [m]."""
        return self.record.linear_precision

    @linear_precision.setter
    def linear_precision(self, precision: float) -> None:
        self._change(linear_precision=_positive('linear_precision', precision))

    @property
    def angular_precision(self) -> float:
        """Largest angle that is good enough [rad]."""
        return self.record.angular_precision

    @angular_precision.setter
    def angular_precision(self, precision: float) -> None:
        self._change(angular_precision=_positive('angular_precision', precision))

    @property
    def linear_weight(self) -> float:
        """Share of the position error that a step aims to remove [-]."""
        return self.record.linear_weight

    @linear_weight.setter
    def linear_weight(self, weight: float) -> None:
        self._change(linear_weight=_weight('linear_weight', weight))

    @property
    def angular_weight(self) -> float:
        """Share of the orientation error that a step aims to remove [-]."""
        return self.record.angular_weight

    @angular_weight.setter
    def angular_weight(self, weight: float) -> None:
        self._change(angular_weight=_weight('angular_weight', weight))

    @property
    def weight(self) -> float:
        """Factor of both shares [-]."""
        return self.record.weight

    @weight.setter
    def weight(self, weight: float) -> None:
        self._change(weight=_weight('weight', weight))

    @property
    def enabled(self) -> bool:
        """Whether the element takes part."""
        return self.record.enabled

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._change(enabled=_switch('enabled', enabled))

    def _change(self, **fields: Any) -> None:
        self._group.set_element_record(self._number, replace(self.record, **fields))


def _switch(name: str, value: bool) -> bool:
    try:
        return bool(value)
    except ValueError as error:  # an array has no truth value of its own
        raise InvalidArgumentError(f'{name} is {shown(value)}; it must be a bool') from error


def _positive(name: str, value: float) -> float:
    if not 0.0 < real(value) < math.inf:
        raise InvalidArgumentError(f'{name} is {shown(value)}; it must be a positive number')
    return float(value)


def _weight(name: str, value: float) -> float:
    if not 0.0 <= real(value) < math.inf:
        raise InvalidArgumentError(f'{name} is {shown(value)}; it must not be negative')
    return float(value)
