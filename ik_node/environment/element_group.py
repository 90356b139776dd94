# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Elements and switches of a group."""

from __future__ import annotations

from dataclasses import replace
import math
from numbers import Integral
from types import MappingProxyType
from typing import Any, TYPE_CHECKING

from ik_node.constraints.vectors import unit, Vector3
from ik_node.environment.calculation import Constraint, GroupFlag, Method
from ik_node.environment.chain import Chain
from ik_node.environment.element import Element, ElementRecord
from ik_node.environment.objects import Dummy, SceneObject
from ik_node.environment.stack import Settings
from ik_node.errors import InvalidArgumentError, InvalidStateError, shown, UnknownNameError
from ik_node.model.given import real
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ik_node.environment.environment import Environment


def _switch(flag: GroupFlag) -> property:
    """Make one flag of a group an attribute of its own; setting it leaves the others alone."""

    def read(group: ElementGroup) -> bool:
        return bool(group.flags & flag)

    def write(group: ElementGroup, value: object) -> None:
        with group.environment.lock:
            group.flags = group.flags | flag if value else group.flags & ~flag

    return property(read, write)


def default_settings(name: str) -> Settings:
    """
    Give the attributes of a new group: Coppelia's defaults.

    Parameters
    ----------
    name : str
        Name of the group.

    Returns
    -------
    Settings

    """
    flags = GroupFlag.ENABLED | GroupFlag.IGNORE_MAX_STEPS
    return Settings(name, flags, Method.PSEUDO_INVERSE, 0.1, 3, {})


def ends_of(settings: Settings) -> tuple[int, int]:
    """
    Give the ends of a group as a chain.

    Parameters
    ----------
    settings : Settings
        Attributes and elements of the group.

    Returns
    -------
    base, tip : int
        Identities, of the first element.

    Raises
    ------
    InvalidStateError
        The group has no element.

    """
    if not settings.elements:
        raise InvalidStateError(
            f'group {settings.name!r} has no element, so there is nothing to reach; add one with '
            'add_element'
        )
    first = next(iter(settings.elements.values()))
    return first.base, first.tip


class ElementGroup(Chain):
    """
    A group of elements, handled together.

    Parameters
    ----------
    environment : Environment
        Where the objects are.
    settings : Settings
        Attributes and elements to begin with.

    """

    def __init__(self, environment: Environment, settings: Settings) -> None:
        self._settings = settings
        super().__init__(environment, settings.name)

    @property
    def settings(self) -> Settings:
        """All attributes and elements, as one value."""
        return self._settings

    @property
    def ends(self) -> tuple[int, int]:
        """Identities of base and tip of the first element."""
        return ends_of(self._settings)

    # -- Switches. --

    @property
    def flags(self) -> GroupFlag:
        """All switches; each also has a property of its own, such as `avoid_limits`."""
        return self._settings.flags

    @flags.setter
    def flags(self, flags: GroupFlag | int) -> None:
        known = sum(GroupFlag)
        if not isinstance(flags, Integral) or flags < 0 or int(flags) & ~known:
            names = ', '.join(f'{flag.name}={flag.value}' for flag in GroupFlag)
            raise InvalidArgumentError(f'flags is {shown(flags)}; it must be a sum of {names}')
        self._change(flags=GroupFlag(int(flags)))

    enabled = _switch(GroupFlag.ENABLED)
    ignore_max_steps = _switch(GroupFlag.IGNORE_MAX_STEPS)
    restore_on_bad_linear_tolerance = _switch(GroupFlag.RESTORE_ON_BAD_LINEAR_TOLERANCE)
    restore_on_bad_angular_tolerance = _switch(GroupFlag.RESTORE_ON_BAD_ANGULAR_TOLERANCE)
    stop_on_limit_hit = _switch(GroupFlag.STOP_ON_LIMIT_HIT)
    avoid_limits = _switch(GroupFlag.AVOID_LIMITS)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse what is most likely misspelt: a new attribute would hide it."""
        if not name.startswith('_') and not hasattr(type(self), name):
            raise AttributeError(f'{type(self).__name__} has no attribute {name!r}')
        super().__setattr__(name, value)

    @property
    def method(self) -> Method:
        """How a step is made."""
        return self._settings.method

    @method.setter
    def method(self, method: Method | int | str) -> None:
        try:
            wanted = Method[method.upper()] if isinstance(method, str) else Method(method)
        except (KeyError, TypeError, ValueError):
            names = ', '.join(repr(one.name.lower()) for one in Method)
            raise InvalidArgumentError(
                f'method is {shown(method)}; it must be one of {names}'
            ) from None
        self._change(method=wanted)

    @property
    def direction(self) -> Vector3:
        """Direction of the tool in the tips, for targets that mean one: a unit vector."""
        return self._settings.direction

    @direction.setter
    def direction(self, direction: ArrayLike) -> None:
        self._change(direction=unit('direction', direction))

    @property
    def damping(self) -> float:
        """Damping of damped_least_squares; squared inside."""
        return self._settings.damping

    @damping.setter
    def damping(self, damping: float) -> None:
        if not 0.0 <= real(damping) < math.inf:
            raise InvalidArgumentError(f'damping is {shown(damping)}; it must not be negative')
        self._change(damping=float(damping))

    @property
    def max_iterations(self) -> int:
        """Largest number of iterations of one handling."""
        return self._settings.max_iterations

    @max_iterations.setter
    def max_iterations(self, count: int) -> None:
        if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
            raise InvalidArgumentError(f'max_iterations is {shown(count)}; it must be positive')
        self._change(max_iterations=int(count))

    # -- Elements. --

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements in order of addition."""
        return tuple(Element(self, number) for number in self._settings.elements)

    @property
    def element_records(self) -> Mapping[int, ElementRecord]:
        """Attributes of the elements by number."""
        return MappingProxyType(self._settings.elements)

    def element(self, which: int | Dummy | str) -> Element:
        """
        Find an element.

        Parameters
        ----------
        which : int, Dummy or str
            Its number, or its tip (the first element with that tip).

        Raises
        ------
        UnknownNameError
            There is none.

        """
        uid = self._environment.uid_of(which) if isinstance(which, Dummy) else None
        for number, record in self._settings.elements.items():
            if number == which or record.tip == uid:
                return Element(self, number)
            if isinstance(which, str) and self._name_of(record.tip) == which:
                return Element(self, number)
        tips = [f'{n} ({self._name_of(e.tip)})' for n, e in self._settings.elements.items()]
        raise UnknownNameError('element', str(which), tips)

    def add_element(
        self,
        tip: Dummy | str,
        base: SceneObject | str | None = None,
        *,
        constraints: Constraint | int = Constraint.POSITION,
        constraints_base: SceneObject | str | None = None,
    ) -> Element:
        """
        Add an element.

        Parameters
        ----------
        tip : Dummy or str
            The dummy that shall reach its target.
        base : SceneObject, str or None
            Where the chain to the tip begins: any other object; None for the world. The joints
            between the two are those that the element moves.
        constraints : Constraint
            What is constrained; position alone by default.
        constraints_base : SceneObject, str or None
            Whose axes the x, y and z constraints are in; None for the base.

        Returns
        -------
        Element

        Raises
        ------
        UnknownNameError
            The tip is no dummy of the environment.
        InvalidArgumentError
            The tip is no dummy, or the base is the tip.

        """
        environment = self._environment
        with environment.lock:
            uid = environment.dummy(tip).uid if isinstance(tip, str) else environment.uid_of(tip)
            if not isinstance(environment.object_of(uid), Dummy):
                raise InvalidArgumentError(
                    f'{shown(tip)} is no dummy; the tip of an element is one'
                )
            taken = self._settings.elements
            number = next(n for n in range(len(taken) + 1) if n not in taken)
            before = self._settings
            self.set_element_record(number, ElementRecord(uid))
            element = Element(self, number)
            try:
                element.base = base
                element.constraints = constraints
                element.constraints_base = constraints_base
            except Exception:
                self._settings = before
                raise
        return element

    def erase_element(self, which: Element | int | Dummy | str) -> None:
        """Take an element away; the group stays."""
        with self._environment.lock:
            if isinstance(which, Element):
                if which not in self.elements:
                    raise InvalidArgumentError(f'{which!r} is no element of group {self.name!r}')
                number = which.number
            else:
                number = self.element(which).number
            kept = {n: e for n, e in self._settings.elements.items() if n != number}
            self._change(elements=kept)

    def set_element_record(self, number: int, record: ElementRecord) -> None:
        """Replace the attributes of an element, or add one."""
        with self._environment.lock:
            self._change(elements={**self._settings.elements, number: record})

    def _change(self, **fields: Any) -> None:
        with self._environment.lock:
            self._settings = replace(self._settings, **fields)
