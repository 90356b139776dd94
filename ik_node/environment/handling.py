# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Handling of groups: a few steps from where the joints are, groups in order of priority.

The semantics are those of the Coppelia Kinematics Routines. One iteration takes the Jacobian J_i
and the error e_i of each group at the same configuration, makes a step dq_i of each by its own
method, and combines them by null-space projection, dq = dq_0 + N_0 (dq_1 + N_1 (...)) with
N_i = I - J_i^# J_i. So the first group is protected from all others, but the third may disturb the
second. Strict priorities are those of Siciliano and Slotine: A general framework for managing
multiple tasks in highly redundant robotic systems, ICAR 1991: each group is solved in what all
groups before it leave free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import math
import time
from typing import NamedTuple

from ik_node.environment.calculation import CalculationFlag, GroupFlag, Method
from ik_node.environment.lowering import Lowered
from ik_node.environment.scene import Scene
from ik_node.environment.stack import Settings, Stack, stack_of, System
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers.inverses import damped_inverse, truncated_inverse
from ik_node.solvers.kinematics import TaskRows
import numpy as np

_TINY_DAMPING = 1e-6
_RANK = 1e-6
"""Singular values below this part of the largest one are zero."""


class Step(NamedTuple):
    """What a callback is told of one group in one iteration."""

    group: str
    """Name of the group."""
    iteration: int
    """Number of the iteration, from 0."""
    jacobian: FloatArray
    """(r, n)"""
    error: FloatArray
    """(r,) not weighted."""
    row_names: tuple[str, ...]
    """(r,) x, y, z, alpha, beta, gamma, or limit."""
    row_elements: tuple[int, ...]
    """(r,) number of the element of each row, -1 for a limit."""
    coordinates: tuple[str, ...]
    """(n,) the columns."""


class Answer(NamedTuple):
    """What a callback may give instead of the group's own method."""

    dq: FloatArray | None = None
    """(n,) the step."""
    pseudo_inverse: FloatArray | None = None
    """(n, r) used for the step, where none is given, and for the null space."""


Callback = Callable[[Step], Answer | None]


class ElementPrecision(NamedTuple):
    """How near an element has come to its target, before a restore."""

    group: str
    """Name of its group."""
    number: int
    """Its number in the group."""
    linear_error: float
    """Constrained distance [m]."""
    angular_error: float
    """Constrained angle [rad]."""
    linear_within: bool
    angular_within: bool
    """Whether each is within the precision of the element."""


@dataclass(frozen=True)
class HandleResult:
    """Outcome of handling groups."""

    flags: CalculationFlag
    """What happened; 0: converged."""
    iterations: int
    """Iterations made."""
    limit_hits: dict[str, float]
    """Joints that a step would have taken beyond a limit, and how far (below: negative)."""
    elements: tuple[ElementPrecision, ...] = ()
    """Every element that took part and has a target, in order of the groups."""

    @property
    def linear_error(self) -> float:
        """Largest constrained distance over the elements, before a restore [m]."""
        return max((element.linear_error for element in self.elements), default=0.0)

    @property
    def angular_error(self) -> float:
        """Largest constrained angle over the elements, before a restore [rad]."""
        return max((element.angular_error for element in self.elements), default=0.0)

    @property
    def success(self) -> bool:
        """Whether every element is within its precision."""
        bad = CalculationFlag.NOT_PERFORMED | CalculationFlag.CANNOT_INVERT
        return not self.flags & (bad | CalculationFlag.NOT_WITHIN_TOLERANCE)


@dataclass(frozen=True)
class HandleOptions:
    """What a caller may want of one handling."""

    callback: Callback | None = None
    """May supply the step or the pseudo-inverse of a group."""
    strict: bool = False
    """Whether no group disturbs any of those before it; see the module."""
    timeout: float = math.inf
    """No further iteration begins after this time [s], on the steady clock."""


@np.errstate(over='ignore', invalid='ignore')  # what diverges is noticed
def handle(
    scene: Scene,
    groups: Sequence[Settings],
    options: HandleOptions,
    before: Lowered | None = None,
) -> tuple[Scene, HandleResult, Lowered | None]:
    """
    Handle groups together, the first one with the highest priority.

    Parameters
    ----------
    scene : Scene
        Where the joints are.
    groups : sequence of Settings
        Iterations and the flags about steps, limits and restoring are those of the first one.
    options : HandleOptions
        Of this call.
    before : Lowered, optional
        Of the last handling of these groups.

    Returns
    -------
    scene : Scene
        Where the joints are afterwards.
    result : HandleResult
    lowered : Lowered or None
        For the next handling of these groups.

    """
    deadline = time.monotonic() + options.timeout
    active = [group for group in groups if group.flags & GroupFlag.ENABLED]
    stack = stack_of(scene, active, before)
    if stack is None:
        nothing = CalculationFlag.NOT_PERFORMED | CalculationFlag.NOT_WITHIN_TOLERANCE
        return scene, HandleResult(nothing, 0, {}), before
    first = active[0]
    q = scene.coordinates(stack.tables)
    flags = CalculationFlag.NOT_WITHIN_TOLERANCE
    hits: dict[str, float] = {}
    reached: tuple[ElementPrecision, ...] = ()  # nothing is missed before the first iteration
    rows = stack.rows_at(q)
    count = 0
    while count < first.max_iterations and (count == 0 or time.monotonic() < deadline):
        systems = [stack.system(group, rows, q) for group in active]
        if all(len(system.error) == 0 for system in systems):
            flags |= CalculationFlag.CANNOT_INVERT
            break
        steps = _Steps(stack, active, systems, count, options.callback)
        if not steps.valid:
            flags |= CalculationFlag.INVALID_CALLBACK_DATA
            return scene, HandleResult(flags, count, hits, reached), stack.lowered
        dq = stack.wrapped(steps.strict() if options.strict else steps.nested())
        if not np.isfinite(dq).all():
            break  # it diverged: the last finite state stays
        excess = float(np.max(np.abs(dq) / stack.max_steps, initial=0.0))
        if excess > 1.0:
            flags |= CalculationFlag.STEPS_TOO_BIG
            if not first.flags & GroupFlag.IGNORE_MAX_STEPS:
                # A target at this fraction of the way asks for exactly this fraction of the step.
                dq = dq / excess
        q, new_hits = stack.moved(q, dq)
        count += 1
        if new_hits:
            hits.update(new_hits)
            flags |= CalculationFlag.LIMIT_HIT
        rows = stack.rows_at(q)
        reached = _precision(stack, rows)
        if all(element.linear_within and element.angular_within for element in reached):
            flags &= ~CalculationFlag.NOT_WITHIN_TOLERANCE
            break
        if new_hits and first.flags & GroupFlag.STOP_ON_LIMIT_HIT:
            break
    if not _restores(first.flags, reached):
        scene = scene.placed(stack.tables, q)
    return scene, HandleResult(flags, count, hits, reached), stack.lowered


class _Steps:
    """The step and the inverse of each group in one iteration, and their combination."""

    def __init__(
        self,
        stack: Stack,
        groups: Sequence[Settings],
        systems: Sequence[System],
        iteration: int,
        callback: Callback | None,
    ) -> None:
        self.stack = stack
        self.groups = groups
        self.systems = systems
        self.valid = True
        self._given: list[FloatArray | None] = []
        self._inverses: list[FloatArray] = []
        for group, system in zip(groups, systems, strict=True):
            answer = None
            if callback is not None:
                answer = callback(_told(group, system, stack, iteration))
            self._take(group, system, answer)

    def _take(self, group: Settings, system: System, answer: Answer | None) -> None:
        n, r = len(self.stack.weights), len(system.error)
        inverse, dq = None, None
        if answer is not None:
            try:
                if answer.pseudo_inverse is not None:
                    inverse = _finite(answer.pseudo_inverse, (n, r))
                    dq = inverse @ system.error
                if answer.dq is not None:
                    dq = _finite(answer.dq, (n,))
            except (AttributeError, TypeError, ValueError):
                self.valid = False
        self._given.append(dq)
        self._inverses.append(
            _inverse(group, system.jacobian, self.stack.weights) if inverse is None else inverse
        )

    def nested(self) -> FloatArray:
        """Combine the steps by the formula of Coppelia."""
        dq: FloatArray = np.zeros(len(self.stack.weights))
        triples = zip(self.systems, self._given, self._inverses, strict=True)
        for system, given, inverse in reversed(list(triples)):
            own = inverse @ (system.weights * system.error) if given is None else given
            dq = own + dq - inverse @ (system.jacobian @ dq)
        return dq

    def strict(self) -> FloatArray:
        """Let each group use what those before it leave free (Siciliano and Slotine 1991)."""
        n = len(self.stack.weights)
        dq: FloatArray = np.zeros(n)
        free: FloatArray = np.eye(n)  # projector onto what no group so far needs
        for group, system, given in zip(self.groups, self.systems, self._given, strict=True):
            if given is not None:
                dq = dq + free @ (given - dq)
            left = system.jacobian @ free
            inverse = _inverse(group, left, self.stack.weights)
            if given is None:
                wanted = system.weights * system.error - system.jacobian @ dq
                dq = dq + free @ (inverse @ wanted)
            # Of the exact inverse, whatever the method: a damped one would leak.
            free = free - truncated_inverse(left, _RANK**2, relative=True) @ left
        return dq


def _told(group: Settings, system: System, stack: Stack, iteration: int) -> Step:
    return Step(
        group.name,
        iteration,
        system.jacobian.copy(),
        system.error.copy(),
        system.names,
        system.elements,
        stack.tables.coordinate_names,
    )


def _finite(values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    array: FloatArray = np.asarray(values, dtype=float)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f'not a finite array of shape {shape}')
    return array


def _inverse(group: Settings, jacobian: FloatArray, weights: FloatArray) -> FloatArray:
    """Make what turns an error into a step, by the method of a group."""
    if group.method is Method.JACOBIAN_TRANSPOSE:
        transpose: FloatArray = jacobian.T
        return transpose
    if group.method is Method.UNDAMPED_PSEUDO_INVERSE:
        return truncated_inverse(jacobian, _RANK**2, weights, relative=True)
    if group.method is Method.PSEUDO_INVERSE:
        return truncated_inverse(jacobian, 0.0, weights, damping=_TINY_DAMPING)
    return damped_inverse(jacobian, group.damping, weights)


def _precision(stack: Stack, rows: TaskRows) -> tuple[ElementPrecision, ...]:
    """Compare every element that has a target with its precision."""
    found = []
    for tip, (group, number, record) in enumerate(stack.members):
        if stack.has_target[tip]:
            distance, angle = float(rows.distances[tip]), float(rows.angles[tip])
            found.append(
                ElementPrecision(
                    group.name,
                    number,
                    distance,
                    angle,
                    distance <= record.linear_precision,
                    angle <= record.angular_precision,
                )
            )
    return tuple(found)


def _restores(flags: GroupFlag, reached: Sequence[ElementPrecision]) -> bool:
    """Tell whether the first group wants the joints back where they were."""
    if flags & GroupFlag.RESTORE_ON_BAD_LINEAR_TOLERANCE:
        if not all(element.linear_within for element in reached):
            return True
    angular = flags & GroupFlag.RESTORE_ON_BAD_ANGULAR_TOLERANCE
    return bool(angular) and not all(element.angular_within for element in reached)
