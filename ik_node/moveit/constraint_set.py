# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""All constraints of a request, divided into limits to search in and states to reject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
import math

from ik_node.environment.group import Group
from ik_node.kernels.arrays import FloatArray
from ik_node.moveit.codes import ErrorCode
from ik_node.moveit.constraints import (
    Constraint,
    JointConstraint,
    State,
    TurningJointConstraint,
    VisibilityConstraint,
)
from ik_node.moveit.frames import Frames
from ik_node.moveit.limits import window


class ConstraintSet:
    """
    What the constraints of a request ask of the joints of a group.

    A constraint on a joint that the group moves narrows its limits, so that nothing outside of it
    is ever searched. Every other one judges solutions.

    Parameters
    ----------
    group : Group
        The group.
    frames : Frames
        The frames of the request.
    positions : mapping of str to float
        The state of the request, laid over that of the environment [rad or m].
    constraints : iterable of Constraint
        Any.

    """

    def __init__(
        self,
        group: Group,
        frames: Frames,
        positions: Mapping[str, float],
        constraints: Iterable[Constraint],
    ) -> None:
        self._group = group
        self._frames = frames
        self._positions = positions
        self._checks: list[Constraint] = []
        #: Narrower bounds of joints of the group.
        self.limits: dict[str, tuple[float, float]] = {}
        #: What was not used, and why.
        self.notes: list[str] = []
        for constraint in constraints:
            problem = constraint.problem(group.environment, frames)
            if problem:
                self.notes.append(f'a constraint was not used: {problem}')
            elif isinstance(constraint, JointConstraint):
                self._add_joint(constraint)
            else:
                self._checks.append(constraint)
        if any(isinstance(check, VisibilityConstraint) for check in self._checks):
            self.notes.append('that nothing blocks the view was not checked: there are no shapes')
        self._needed = tuple({name: None for check in self._checks for name in check.needs()})

    def __bool__(self) -> bool:
        return bool(self._checks or self.limits)

    def _add_joint(self, constraint: JointConstraint) -> None:
        group, name = self._group, constraint.joint
        lower, upper = group.environment.mechanism.bounds(name)
        constraint = replace(constraint, position=constraint.snapped(lower, upper))
        if name not in group.joint_names:
            if math.isinf(lower) and math.isinf(upper):
                constraint = TurningJointConstraint(*vars(constraint).values())
            self._checks.append(constraint)
            return
        around = (constraint.tolerance_below, constraint.tolerance_above)
        at = float(group.seed_from(self._positions)[group.joint_names.index(name)])
        narrowed = window(lower, upper, constraint.position, around, at)
        if narrowed is not None:
            least, most = self.limits.get(name, (lower, upper))
            self.limits[name] = max(least, narrowed[0]), min(most, narrowed[1])

    def violation(self, q: FloatArray) -> str:
        """
        Say how a configuration of the group violates the constraints.

        Parameters
        ----------
        q : (n,) float64
            Configuration [rad or m].

        Returns
        -------
        str
            '' where it violates none.

        """
        if not self._checks:
            return ''
        laid = {**self._positions, **self._group.named_positions(q)}
        poses = dict(zip(self._needed, self._frames.poses(self._needed, laid), strict=True))
        state = State(self._frames.joint_positions(laid), poses.__getitem__)
        return next((text for check in self._checks if (text := check.violation(state))), '')

    def accept(self, q: FloatArray) -> int:
        """
        Judge a configuration as a search asks.

        Returns
        -------
        int
            SUCCESS, or what MoveIt answers to a violation.

        """
        return ErrorCode.NO_IK_SOLUTION if self.violation(q) else ErrorCode.SUCCESS
