# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
MoveIt's constraints: what each asks of a state.

A constraint that means nothing (an unknown joint, a negative tolerance, no region) is, as in
MoveIt, no constraint; here it is told in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import math
from typing import NamedTuple, Protocol

from ik_node.constraints.rigid import quat_from_matrix, Rigid
from ik_node.environment.environment import Environment
from ik_node.kernels.arrays import FloatArray
from ik_node.kernels.rotations import TWO_PI
from ik_node.model.quaternions import rotation_vector_from_quat
from ik_node.moveit.frames import Frames
from ik_node.moveit.regions import Region
import numpy as np

SLACK = 1e-9
"""What rounding may add to a tolerance [rad or m]."""
EULER, ROTATION_VECTOR = 0, 1
"""How an orientation error is measured; the numbers of `OrientationConstraint`."""


class State(NamedTuple):
    """A state of the robot that is judged."""

    positions: Mapping[str, float]
    """Of all joints [rad or m]."""
    pose: Callable[[str], FloatArray]
    """T_world_frame of a frame that a constraint needs."""


class Constraint(Protocol):
    """What every constraint can tell."""

    def problem(self, environment: Environment, frames: Frames) -> str:
        """Say why it means nothing; '' where it does mean something."""

    def needs(self) -> Sequence[str]:
        """Name the frames whose poses it looks at."""

    def violation(self, state: State) -> str:
        """Say how a state violates it; '' where it does not."""


def _frame_problem(frames: Frames, *names: str) -> str:
    unknown = next((name for name in names if name not in frames), None)
    return '' if unknown is None else f'there is no frame {unknown[:80]!r}'


@dataclass(frozen=True)
class JointConstraint:
    """A joint is within tolerances of a position."""

    joint_name: str
    """`joint/variable` for a joint with several."""
    position: float
    """[rad or m]"""
    tolerance_above: float
    tolerance_below: float

    @property
    def joint(self) -> str:
        """The joint as ik_node names it: MoveIt calls the turn of a planar joint theta."""
        stem, _, variable = self.joint_name.rpartition('/')
        return f'{stem}/rotation' if stem and variable == 'theta' else self.joint_name

    def problem(self, environment: Environment, frames: Frames) -> str:
        if self.joint not in environment.moving_joint_names:
            return f'there is no joint {self.joint_name[:80]!r} that moves'
        # Written so that NaN fails it as well.
        if not (self.tolerance_above >= 0.0 and self.tolerance_below >= 0.0):
            return f'a tolerance of joint {self.joint_name!r} is negative'
        if not math.isfinite(self.position):
            return f'the position of joint {self.joint_name!r} is {self.position}'
        return ''

    def needs(self) -> Sequence[str]:
        return ()

    def snapped(self, lower: float, upper: float) -> float:
        """Bring the position into the limits of the joint, as MoveIt does."""
        return min(max(self.position, lower), upper)

    def violation(self, state: State) -> str:
        difference = state.positions[self.joint] - self.position
        if -self.tolerance_below - SLACK <= difference <= self.tolerance_above + SLACK:
            return ''
        return f'joint {self.joint_name!r} is {difference:+.4g} from {self.position:.4g}'


@dataclass(frozen=True)
class TurningJointConstraint(JointConstraint):
    """The same for a joint that turns without end: full turns do not count."""

    def violation(self, state: State) -> str:
        difference = math.remainder(state.positions[self.joint] - self.position, TWO_PI)
        if -self.tolerance_below - SLACK <= difference <= self.tolerance_above + SLACK:
            return ''
        return f'joint {self.joint_name!r} is {difference:+.4g} from {self.position:.4g}'


@dataclass(frozen=True)
class PositionConstraint:
    """A point of a link is inside of a region."""

    link_name: str
    frame: str
    """What the regions are fixed in."""
    offset: tuple[float, float, float]
    """The point in the link [m]."""
    regions: tuple[Region, ...]
    """Any of them."""

    def problem(self, environment: Environment, frames: Frames) -> str:
        if not self.frame:
            return 'a position constraint names no frame'
        if not self.regions:
            return f'the position constraint of {self.link_name[:80]!r} has no region'
        if not all(map(math.isfinite, self.offset)):
            return f'the point of the position constraint of {self.link_name[:80]!r} is none'
        return _frame_problem(frames, self.link_name, self.frame)

    def needs(self) -> Sequence[str]:
        return (self.link_name, self.frame)

    def violation(self, state: State) -> str:
        point = state.pose(self.link_name) @ [*self.offset, 1.0]
        in_frame = (np.linalg.inv(state.pose(self.frame)) @ point)[:3]
        if any(region.contains(in_frame) for region in self.regions):
            return ''
        return f'a point of {self.link_name!r} is outside of its region'


@dataclass(frozen=True)
class OrientationConstraint:
    """A link is turned like a goal, within a tolerance about each axis."""

    link_name: str
    frame: str
    R_frame_goal: FloatArray
    tolerances: tuple[float, float, float]
    """[rad]; their signs do not count."""
    parameterization: int = EULER

    def problem(self, environment: Environment, frames: Frames) -> str:
        if self.parameterization not in (EULER, ROTATION_VECTOR):
            return (
                f'the orientation constraint of {self.link_name[:80]!r} has the parameterization '
                f'{self.parameterization}; XYZ_EULER_ANGLES is 0, ROTATION_VECTOR 1'
            )
        if any(math.isnan(tolerance) for tolerance in self.tolerances):
            return f'a tolerance of the orientation constraint of {self.link_name[:80]!r} is NaN'
        return _frame_problem(frames, self.link_name, self.frame)

    def needs(self) -> Sequence[str]:
        return (self.link_name, self.frame)

    def violation(self, state: State) -> str:
        R_frame_link = state.pose(self.frame)[:3, :3].T @ state.pose(self.link_name)[:3, :3]
        R_goal_link = self.R_frame_goal.T @ R_frame_link
        if self.parameterization == EULER:
            errors = np.array(intrinsic_xyz(R_goal_link))
        else:
            errors = self.R_frame_goal @ rotation_vector(R_goal_link)
        for axis, error, tolerance in zip('xyz', np.abs(errors), self.tolerances, strict=True):
            if error > abs(tolerance) + SLACK:
                return f'{self.link_name!r} is turned {error:.4g} rad about {axis} from its goal'
        return ''


@dataclass(frozen=True)
class VisibilityConstraint:
    """A disc faces a sensor; whether something stands between them is not looked at."""

    target_frame: str
    T_frame_target: FloatArray
    sensor_frame: str
    T_frame_sensor: FloatArray
    target_radius: float
    """[m]"""
    max_view_angle: float
    """Largest angle between the axes of disc and sensor [rad]; 0: any."""
    max_range_angle: float
    """Largest angle between the sensor's axis and the way to the disc [rad]; 0: any."""
    sensor_axis: int
    """0 for z, 1 for y, 2 for x: the numbers of the message."""

    def problem(self, environment: Environment, frames: Frames) -> str:
        if self.sensor_axis not in (0, 1, 2):
            return f'the sensor of a visibility constraint looks along axis {self.sensor_axis}'
        if not self.target_radius > 0.0:
            return 'the target of a visibility constraint has no radius'
        return _frame_problem(frames, self.target_frame, self.sensor_frame)

    def needs(self) -> Sequence[str]:
        return (self.target_frame, self.sensor_frame)

    def violation(self, state: State) -> str:
        T_world_target = state.pose(self.target_frame) @ self.T_frame_target
        T_world_sensor = state.pose(self.sensor_frame) @ self.T_frame_sensor
        view = T_world_sensor[:3, 2 - self.sensor_axis]
        facing = _angle(view, -T_world_target[:3, 2])
        if self.max_view_angle > 0.0 and facing > min(self.max_view_angle, math.pi / 2) + SLACK:
            return f'the target is seen at {facing:.4g} rad from its normal'
        aside = _angle(view, T_world_target[:3, 3] - T_world_sensor[:3, 3])
        if self.max_range_angle > 0.0 and aside > min(self.max_range_angle, math.pi / 2) + SLACK:
            return f'the target is {aside:.4g} rad beside the axis of the sensor'
        return ''


def rotation_vector(rotation: FloatArray) -> FloatArray:
    """
    Convert a rotation (3, 3) to a rotation vector.

    Returns
    -------
    (3,) float64
        [rad]

    """
    pose = np.eye(4)
    pose[:3, :3] = rotation
    quat_xyzw = quat_from_matrix(Rigid.trusted(pose).rotation)
    return np.array(rotation_vector_from_quat(quat_xyzw))


def intrinsic_xyz(rotation: FloatArray) -> tuple[float, float, float]:
    """
    Divide a rotation (3, 3) into turns about x, then the new y, then the new z.

    Returns
    -------
    tuple of float
        [rad]; where only the sum of the first and the last is known, the last is zero.

    """
    y = math.asin(min(max(float(rotation[0, 2]), -1.0), 1.0))
    if abs(rotation[0, 2]) > 1.0 - 1e-12:
        return math.atan2(rotation[2, 1], rotation[1, 1]), y, 0.0
    x = math.atan2(-rotation[1, 2], rotation[2, 2])
    return x, y, math.atan2(-rotation[0, 1], rotation[0, 0])


def _angle(a: FloatArray, b: FloatArray) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))
