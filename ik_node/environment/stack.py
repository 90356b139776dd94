# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The rows of all elements of some groups, over the columns of all of them.

Linear rows are in the axes of the constraints base, angular rows in those of the tip. The error is
target minus tip, so J^+ e moves the tip to the target. A target that hangs on joints of the groups
moves with them; its motion is subtracted, so that the two sides of a loop meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ik_node.constraints.vectors import Vector3, Z_AXIS
from ik_node.environment.calculation import Constraint, GroupFlag, Method
from ik_node.environment.element import ElementRecord
from ik_node.environment.lowering import columns_of, lower, Lowered, own_targets
from ik_node.environment.scene import Scene
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.limits import move
from ik_node.kernels.rotations import PI, TWO_PI
from ik_node.solvers.kinematics import task_rows, TaskRows
import numpy as np

ROW_NAMES = ('x', 'y', 'z', 'alpha', 'beta', 'gamma')
LIMIT_ROW = 'limit'


@dataclass(frozen=True)
class Settings:
    """Attributes of a group that a calculation depends on."""

    name: str
    flags: GroupFlag
    method: Method
    damping: float
    max_iterations: int
    elements: Mapping[int, ElementRecord]
    direction: Vector3 = Z_AXIS
    """Direction of the tool in the tips, a unit vector."""


class System(NamedTuple):
    """Stacked rows of one group, over the columns of all groups."""

    jacobian: FloatArray
    """(r, n)"""
    error: FloatArray
    """(r,) target minus tip [m, rad], not weighted."""
    weights: FloatArray
    """(r,) shares of the error to remove."""
    names: tuple[str, ...]
    """(r,) which of ROW_NAMES, or LIMIT_ROW."""
    elements: tuple[int, ...]
    """(r,) number of the element, -1 for a limit."""


class _Block(NamedTuple):
    """Which rows of all tips are those of a group."""

    rows: IntArray
    weights: FloatArray
    names: tuple[str, ...]
    elements: tuple[int, ...]


Member: TypeAlias = tuple[Settings, int, ElementRecord]
"""An element that takes part: its group, its number there, and its attributes."""


class Stack:
    """
    Rows and columns of groups on a scene, at any configuration of their columns.

    Parameters
    ----------
    scene : Scene
        Objects and positions.
    groups : sequence of Settings
        In order of priority.
    members : sequence of tuple of Settings, int, ElementRecord
        Every element that takes part: its group, its number and itself.
    lowered : Lowered
        These elements.

    """

    def __init__(
        self,
        scene: Scene,
        groups: Sequence[Settings],
        members: Sequence[Member],
        lowered: Lowered,
    ) -> None:
        self.lowered = lowered
        self.tables = lowered.tables
        self.members = members
        own = own_targets(scene, lowered)
        self.has_target = np.array([target is not None for target in own])
        T_reference_target = np.array([np.eye(4) if t is None else t for t in own])
        self._targets: FloatArray = lowered.T_node_reference @ T_reference_target
        self._blocks = {group.name: self._block(group) for group in groups}
        joints = [scene.mechanism.joint(name) for name in self.tables.joint_names]
        columns = [joint for joint in joints for _ in range(joint.size)]
        self.max_steps = np.array([joint.max_step for joint in columns])
        self.weights = np.array([joint.weight for joint in columns])
        self._margins = np.array([joint.limit_margin for joint in columns])
        # A screw, and what drives a rack, is somewhere else after a full turn.
        self._turning = (self.tables.limits[:, 2] > 0.0) | (self.tables.limits[:, 4] != 1.0)
        # Handling stops at limits; full turns that end inside are for searches.
        self._limits: FloatArray = self.tables.limits.copy()
        self._limits[:, 2] = 0.0
        self._limits.setflags(write=False)

    def _block(self, group: Settings) -> _Block:
        rows: list[int] = []
        weights: list[float] = []
        elements: list[int] = []
        for tip, (owner, number, record) in enumerate(self.members):
            if owner is not group or not self.has_target[tip]:
                continue
            bits = record.constraints
            kept = [bool(bits & bit) for bit in (Constraint.X, Constraint.Y, Constraint.Z)]
            kept += [bool(bits & Constraint.ALPHA_BETA)] * 2 + [bool(bits & Constraint.GAMMA)]
            own = [row for row, keep in enumerate(kept) if keep]
            shares = [record.linear_weight] * 3 + [record.angular_weight] * 3
            rows += [6 * tip + row for row in own]
            weights += [shares[row] * record.weight for row in own]
            elements += [number] * len(own)
        names = tuple(ROW_NAMES[row % 6] for row in rows)
        return _Block(np.array(rows, np.int64), np.array(weights), names, tuple(elements))

    def rows_at(self, q: FloatArray) -> TaskRows:
        """Compute the rows of all elements at a configuration (n,) of the columns."""
        return task_rows(self.tables, self._targets, q)

    def system(self, group: Settings, rows: TaskRows, q: FloatArray) -> System:
        """Choose the rows of a group and add those that keep its columns off their limits."""
        block = self._blocks[group.name]
        jacobian, error = rows.jacobian[block.rows], rows.error[block.rows]
        limits = self._intruders(q) if group.flags & GroupFlag.AVOID_LIMITS else []
        if not limits:
            return System(jacobian, error, *block[1:])
        away = np.zeros((len(limits), len(q)))
        for row, (column, sense, _) in zip(away, limits, strict=True):
            row[column] = sense
        return System(
            np.vstack([jacobian, away]),
            np.append(error, [depth for _, _, depth in limits]),
            np.append(block.weights, np.ones(len(limits))),
            block.names + (LIMIT_ROW,) * len(limits),
            block.elements + (-1,) * len(limits),
        )

    def _intruders(self, q: FloatArray) -> list[tuple[int, float, float]]:
        """List columns within their margin of a limit: column, sign of the way out, depth."""
        low = self._limits[:, 0] + self._margins - q
        high = q - self._limits[:, 1] + self._margins
        found = []
        for column in np.flatnonzero((self._limits[:, 4] == 1.0) & ((low > 0.0) | (high > 0.0))):
            near_lower = low[column] > 0.0
            depth = low[column] if near_lower else high[column]
            found.append((int(column), 1.0 if near_lower else -1.0, float(depth)))
        return found

    def wrapped(self, dq: FloatArray) -> FloatArray:
        """Bring steps into (-pi, pi] where a full turn changes no pose."""
        turned = dq - TWO_PI * np.ceil((dq - PI) / TWO_PI)
        wrapped: FloatArray = np.where(self._turning, turned, dq)
        return wrapped

    def moved(self, q: FloatArray, dq: FloatArray) -> tuple[FloatArray, dict[str, float]]:
        """Move the columns inside their limits; tell which would have left them, and how far."""
        proposed, after = q + dq, q.copy()
        move(self._limits, dq, after)
        single = self._limits[:, 4] == 1.0
        beyond = np.where(single, proposed - np.clip(proposed, *self._limits[:, :2].T), 0.0)
        names = self.tables.coordinate_names
        return after, {names[i]: float(beyond[i]) for i in np.flatnonzero(beyond)}


def stack_of(
    scene: Scene, groups: Sequence[Settings], before: Lowered | None = None
) -> Stack | None:
    """
    Stack the elements of groups that are enabled and that some joint moves.

    Parameters
    ----------
    scene : Scene
        Objects and positions.
    groups : sequence of Settings
        In order of priority.
    before : Lowered, optional
        Of an earlier call, to be used again where it still fits.

    Returns
    -------
    Stack or None
        None where there is no group, or one without such an element.

    """
    members: list[Member] = [
        (group, number, record)
        for group in groups
        for number, record in group.elements.items()
        if record.enabled
    ]
    lowered = before and before.fitted(scene, [record for _, _, record in members])
    if lowered is None:
        members = [member for member in members if columns_of(scene, member[2])]
    if not groups or {owner.name for owner, _, _ in members} != {g.name for g in groups}:
        return None
    if lowered is None:
        lowered = lower(scene, [record for _, _, record in members])
    return Stack(scene, groups, members, lowered)
