# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Handling of groups: a few steps from where the joints are, groups in order of priority.

The semantics are those of the Coppelia Kinematics Routines. One iteration takes the Jacobian J_i
and the error e_i of each group at the same configuration, makes a step dq_i of each by its own
method, and combines them by null-space projection, dq = dq_0 + N_0 (dq_1 + N_1 (...)) with
N_i = I - J_i^# J_i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ik_node.environment.calculation import CalculationFlag, GroupFlag, Method
from ik_node.environment.element import ElementRecord
from ik_node.environment.scene import Scene
from ik_node.environment.task import coordinates_of, rows_of
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.limits import into_limits
from ik_node.kernels.rotations import PI, rotate_vector_by, TWO_PI
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, JointKind
from ik_node.model.walk import coordinate_names, Position
import numpy as np

_TINY_DAMPING = 1e-6


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


@dataclass(frozen=True)
class Settings:
    """Attributes of a group that a calculation depends on."""

    name: str
    flags: GroupFlag
    method: Method
    damping: float
    max_iterations: int
    elements: dict[int, ElementRecord]


@dataclass(frozen=True)
class HandleResult:
    """Outcome of handling groups."""

    flags: CalculationFlag
    """What happened; 0: converged."""
    linear_error: float
    """Largest constrained distance over the elements, before a restore [m]."""
    angular_error: float
    """Largest constrained angle over the elements, before a restore [rad]."""
    iterations: int
    """Iterations made."""
    limit_hits: dict[str, float]
    """Joints that a step would have taken beyond a limit, and how far (below: negative)."""

    @property
    def success(self) -> bool:
        """Whether every element is within its precision."""
        bad = CalculationFlag.NOT_PERFORMED | CalculationFlag.CANNOT_INVERT
        return not self.flags & (bad | CalculationFlag.NOT_WITHIN_TOLERANCE)


def handle(
    scene: Scene, groups: Sequence[Settings], callback: Callback | None = None
) -> tuple[Scene, HandleResult]:
    """
    Handle groups together, the first one with the highest priority.

    Parameters
    ----------
    scene : Scene
        Where the joints are.
    groups : sequence of Settings
        Iterations and the flags about steps, limits and restoring are those of the first one.
    callback : callable, optional
        May supply the step or the pseudo-inverse of a group.

    Returns
    -------
    scene : Scene
        Where the joints are afterwards.
    result : HandleResult

    """
    active = [group for group in groups if group.flags & GroupFlag.ENABLED]
    usable = {group.name: _usable(scene, group) for group in active}
    if not active or not all(usable.values()):
        nothing = CalculationFlag.NOT_PERFORMED | CalculationFlag.NOT_WITHIN_TOLERANCE
        return scene, HandleResult(nothing, 0.0, 0.0, 0, {})
    elements = [e for group in active for e in usable[group.name].values()]
    columns = _Columns(scene.mechanism, elements, scene)
    first = active[0]
    start = scene
    flags = CalculationFlag.NOT_WITHIN_TOLERANCE
    hits: dict[str, float] = {}
    misses = _Misses()  # nothing is missed, and nothing restored, before the first iteration
    count = 0
    while count < first.max_iterations:
        systems = [_system(scene, group, usable[group.name], columns) for group in active]
        if all(len(system.error) == 0 for system in systems):
            flags |= CalculationFlag.CANNOT_INVERT
            break
        dq: FloatArray = np.zeros(len(columns.names))
        for group, system in zip(reversed(active), reversed(systems), strict=True):
            own, null_space, valid = _step(group, system, columns, count, callback)
            if not valid:
                flags |= CalculationFlag.INVALID_CALLBACK_DATA
                return start, HandleResult(flags, misses.linear, misses.angular, count, hits)
            dq = own + null_space @ dq
        dq = columns.wrapped(dq)
        if not np.isfinite(dq).all():
            break  # it diverged: the last finite state stays
        excess = float(np.max(np.abs(dq) / columns.max_steps, initial=0.0))
        if excess > 1.0:
            flags |= CalculationFlag.STEPS_TOO_BIG
            if not first.flags & GroupFlag.IGNORE_MAX_STEPS:
                # A target at this fraction of the way asks for exactly this fraction of the step.
                dq = dq / excess
        scene, new_hits = columns.applied(scene, dq)
        count += 1
        if new_hits:
            hits.update(new_hits)
            flags |= CalculationFlag.LIMIT_HIT
        misses = _misses(scene, active, usable)
        if misses.linear_within and misses.angular_within:
            flags &= ~CalculationFlag.NOT_WITHIN_TOLERANCE
            break
        if new_hits and first.flags & GroupFlag.STOP_ON_LIMIT_HIT:
            break
    if _restores(first.flags, misses):
        scene = start
    return scene, HandleResult(flags, misses.linear, misses.angular, count, hits)


class System(NamedTuple):
    """Stacked rows of a group, over the columns of all groups."""

    jacobian: FloatArray
    error: FloatArray
    weights: FloatArray
    """(r,) shares of the error to remove."""
    names: tuple[str, ...]
    elements: tuple[int, ...]


class _Columns:
    """The coordinates of all groups, and how to move them."""

    def __init__(
        self, mechanism: Mechanism, elements: Sequence[ElementRecord], scene: Scene
    ) -> None:
        self.mechanism = mechanism
        names = dict.fromkeys(n for e in elements for n in coordinates_of(scene, e))
        self.names = tuple(names)
        wanted = [joint for joint in mechanism.variables if not joint.passive]
        self.joints: dict[str, Joint] = {
            name: joint for joint in wanted for name in coordinate_names(joint) if name in names
        }
        columns = [self.joints[name] for name in self.names]
        self.max_steps = np.array([joint.max_step for joint in columns])
        self.weights = np.array([joint.weight for joint in columns])
        self._turning = np.array([joint.kind is not JointKind.PRISMATIC for joint in columns])

    def wrapped(self, dq: FloatArray) -> FloatArray:
        """Bring the steps of turning joints into (-pi, pi]."""
        turned = dq - TWO_PI * np.ceil((dq - PI) / TWO_PI)
        wrapped: FloatArray = np.where(self._turning, turned, dq)
        return wrapped

    def margins(self, scene: Scene) -> list[tuple[int, float, float]]:
        """List columns within their margin of a limit: column, sign of the way out, depth."""
        rows = []
        for j, name in enumerate(self.names):
            joint = self.joints[name]
            if joint.kind is JointKind.SPHERICAL:
                continue
            at = scene.positions[joint.name]
            assert isinstance(at, float)
            lower, upper = self.mechanism.bounds(joint.name)
            if at < lower + joint.limit_margin:
                rows.append((j, 1.0, lower + joint.limit_margin - at))
            elif at > upper - joint.limit_margin:
                rows.append((j, -1.0, at - upper + joint.limit_margin))
        return rows

    def applied(self, scene: Scene, dq: FloatArray) -> tuple[Scene, dict[str, float]]:
        """Move the joints inside their limits; tell who would have left them."""
        moved: dict[str, Position] = {}
        hits: dict[str, float] = {}
        for joint in dict.fromkeys(self.joints.values()):
            at = scene.positions[joint.name]
            if isinstance(at, tuple):
                vector = np.array(at)
                steps = [dq[self.names.index(name)] for name in coordinate_names(joint)]
                rotate_vector_by(vector, np.array(steps))
                x, y, z = vector.tolist()
                moved[joint.name] = (x, y, z)
                continue
            proposed = at + float(dq[self.names.index(joint.name)])
            lower, upper = self.mechanism.bounds(joint.name)
            if proposed > upper:
                hits[joint.name] = proposed - upper
            elif proposed < lower:
                hits[joint.name] = proposed - lower
            moved[joint.name] = float(into_limits(proposed, lower, upper, 0.0))
        return scene.moved(moved), hits


def _usable(scene: Scene, group: Settings) -> dict[int, ElementRecord]:
    return {n: e for n, e in group.elements.items() if e.enabled and coordinates_of(scene, e)}


def _system(
    scene: Scene, group: Settings, elements: dict[int, ElementRecord], columns: _Columns
) -> System:
    jacobians: list[FloatArray] = [np.zeros((0, len(columns.names)))]
    errors: list[FloatArray] = [np.zeros(0)]
    weights: list[FloatArray] = [np.zeros(0)]
    names: list[str] = []
    numbers: list[int] = []
    for number, element in elements.items():
        rows = rows_of(scene, element, columns.names)
        if rows is None:
            continue
        jacobians.append(rows.jacobian)
        errors.append(rows.error)
        names += rows.names
        numbers += [number] * len(rows.names)
        shares = dict.fromkeys('xyz', element.linear_weight)
        weights.append(
            np.array([shares.get(n, element.angular_weight) * element.weight for n in rows.names])
        )
    limits = columns.margins(scene) if group.flags & GroupFlag.AVOID_LIMITS else []
    for column, sign, depth in limits:
        row = np.zeros((1, len(columns.names)))
        row[0, column] = sign
        jacobians.append(row)
        errors.append(np.array([depth]))
        weights.append(np.ones(1))
        names.append('limit')
        numbers.append(-1)
    return System(
        np.vstack(jacobians),
        np.concatenate(errors),
        np.concatenate(weights),
        tuple(names),
        tuple(numbers),
    )


def _step(
    group: Settings,
    system: System,
    columns: _Columns,
    iteration: int,
    callback: Callback | None,
) -> tuple[FloatArray, FloatArray, bool]:
    """Make the step of one group and the projector onto its null space."""
    n = len(columns.names)
    answer = None
    if callback is not None:
        answer = callback(
            Step(
                group.name,
                iteration,
                system.jacobian.copy(),
                system.error.copy(),
                system.names,
                system.elements,
                columns.names,
            )
        )
    inverse = _pseudo_inverse(group, system.jacobian, columns.weights)
    dq = inverse @ (system.weights * system.error)
    if answer is not None:
        try:
            if answer.pseudo_inverse is not None:
                inverse = _finite(answer.pseudo_inverse, (n, len(system.error)))
                dq = inverse @ system.error
            if answer.dq is not None:
                dq = _finite(answer.dq, (n,))
        except (AttributeError, TypeError, ValueError):
            return dq, np.eye(n), False
    return dq, np.eye(n) - inverse @ system.jacobian, True


def _finite(values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    array: FloatArray = np.asarray(values, dtype=float)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f'not a finite array of shape {shape}')
    return array


def _pseudo_inverse(group: Settings, jacobian: FloatArray, weights: FloatArray) -> FloatArray:
    if group.method is Method.JACOBIAN_TRANSPOSE:
        transpose: FloatArray = jacobian.T
        return transpose
    damping = {
        Method.PSEUDO_INVERSE: _TINY_DAMPING,
        Method.DAMPED_LEAST_SQUARES: group.damping,
        Method.UNDAMPED_PSEUDO_INVERSE: 0.0,
    }[group.method]
    weighted = weights[:, np.newaxis] * jacobian.T
    normal = jacobian @ weighted + damping**2 * np.eye(len(jacobian))
    # Without damping the rank decides; with it the smallest value is the damping itself.
    cutoff = 1e-12 if damping == 0.0 else 1e-15
    inverse: FloatArray = weighted @ np.linalg.pinv(normal, rcond=cutoff, hermitian=True)
    return inverse


class _Misses(NamedTuple):
    """How far the elements of some groups are from their targets."""

    linear: float = 0.0
    """[m] the largest."""
    angular: float = 0.0
    """[rad] the largest."""
    linear_within: bool = True
    angular_within: bool = True
    """Whether all distances, and all angles, are within the precision of their element."""


def _misses(
    scene: Scene, groups: Sequence[Settings], usable: dict[str, dict[int, ElementRecord]]
) -> _Misses:
    """Compare every element of every group with its precision."""
    misses = _Misses()
    for group in groups:
        for element in usable[group.name].values():
            rows = rows_of(scene, element)
            if rows is not None:
                misses = _Misses(
                    max(misses.linear, rows.distance),
                    max(misses.angular, rows.angle),
                    misses.linear_within and rows.distance <= element.linear_precision,
                    misses.angular_within and rows.angle <= element.angular_precision,
                )
    return misses


def _restores(flags: GroupFlag, misses: _Misses) -> bool:
    """Tell whether the first group wants the joints back where they were."""
    linear = flags & GroupFlag.RESTORE_ON_BAD_LINEAR_TOLERANCE and not misses.linear_within
    angular = flags & GroupFlag.RESTORE_ON_BAD_ANGULAR_TOLERANCE and not misses.angular_within
    return bool(linear or angular)


def stacked(
    scene: Scene, group: Settings
) -> tuple[FloatArray, FloatArray, tuple[str, ...]] | None:
    """
    Stack the rows of all usable elements of a group, as `handle` does in an iteration.

    Returns
    -------
    (jacobian, error, coordinates) or None
        (r, n), (r,), (n,); None when no element can be used.

    """
    elements = _usable(scene, group)
    if not elements:
        return None
    columns = _Columns(scene.mechanism, list(elements.values()), scene)
    system = _system(scene, group, elements, columns)
    return system.jacobian, system.error, columns.names
