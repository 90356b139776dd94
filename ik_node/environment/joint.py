# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints, as a user holds them."""

from __future__ import annotations

from collections.abc import Callable, Set
import math

from ik_node.environment.objects import SceneObject
from ik_node.errors import InvalidArgumentError, InvalidStateError, shown
from ik_node.kernels.arrays import FloatArray
from ik_node.model.given import real
from ik_node.model.objects import Dependency, JointKind
from ik_node.model.objects import Joint as JointRecord
from ik_node.model.quaternions import quat_from_rotation_vector, rotation_vector_from_quat
from ik_node.model.walk import motion
from numpy.typing import ArrayLike

MIN_WEIGHT = 1e-5
"""Smallest weight of a joint; smaller values are raised to it."""

JOINT_ATTRIBUTES = (
    'cyclic',
    'limits',
    'interval',
    'screw_lead',
    'passive',
    'weight',
    'max_step',
    'limit_margin',
    'velocity',
    'position',
    'orientation',
)
"""What can be given when a joint is created, in the order in which it can be set."""


class Joint(SceneObject):
    """A revolute, prismatic or spherical joint; its axis is the z axis of its frames."""

    __slots__ = ()

    @property
    def kind(self) -> JointKind:
        """How the joint moves."""
        return self._joint.kind

    @property
    def passive(self) -> bool:
        """Whether solvers leave the joint where it is; one that follows another moves with it."""
        return self._joint.passive

    @passive.setter
    def passive(self, passive: bool) -> None:
        self._change(passive=_switch(self, 'passive', passive))

    @property
    def cyclic(self) -> bool:
        """Whether a revolute joint turns without limits; True takes its screw lead away."""
        return self._joint.cyclic

    @cyclic.setter
    def cyclic(self, cyclic: bool) -> None:
        cyclic = _switch(self, 'cyclic', cyclic)
        if cyclic and self.kind is not JointKind.REVOLUTE:
            raise InvalidArgumentError(
                f'joint {self.name!r} is {self.kind.value}; only a revolute joint can be cyclic'
            )
        if cyclic:
            self._change(cyclic=True, lower=-math.pi, upper=math.pi, screw_lead=0.0)
        else:
            self._change(cyclic=False)

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper limit [rad or m]; infinite where there is none."""
        return self._joint.limits

    @limits.setter
    def limits(self, limits: tuple[float, float]) -> None:
        lower, upper = _pair(self, 'limits', limits, finite=False)
        if lower == math.inf or upper == -math.inf:
            raise InvalidArgumentError(
                f'joint {self.name!r}: limits ({lower:g}, {upper:g}) exclude every position'
            )
        if lower > upper:
            raise InvalidArgumentError(
                f'joint {self.name!r}: the lower limit {lower:g} is above the upper one {upper:g}'
            )
        self._not_spherical('limits')
        self._change(lower=lower, upper=upper, cyclic=False)

    @property
    def interval(self) -> tuple[float, float]:
        """Lower limit and range, Coppelia's form of the limits [rad or m]."""
        record = self._joint
        return record.lower, record.upper - record.lower

    @interval.setter
    def interval(self, interval: tuple[float, float]) -> None:
        lower, extent = _pair(self, 'interval', interval)
        if extent < 0.0:
            raise InvalidArgumentError(
                f'joint {self.name!r}: the range of its interval is {extent:g}; it must not be '
                'negative'
            )
        self.limits = (lower, lower + extent)

    @property
    def screw_lead(self) -> float:
        """Advance along the axis for one turn of a revolute joint [m], signed."""
        return self._joint.screw_lead

    @screw_lead.setter
    def screw_lead(self, lead: float) -> None:
        lead = _number(self, 'screw_lead', lead)
        if lead and (self.kind is not JointKind.REVOLUTE or self.cyclic):
            raise InvalidArgumentError(
                f'joint {self.name!r}: only a revolute joint that is not cyclic can be a screw, '
                'as a wrapped angle would make it jump; give it limits first'
            )
        self._change(screw_lead=lead)

    @property
    def weight(self) -> float:
        """The larger, the more of the motion this joint does [-]; at least 1e-5."""
        return self._joint.weight

    @weight.setter
    def weight(self, weight: float) -> None:
        weight = _number(self, 'weight', weight)
        if weight < 0.0:
            raise InvalidArgumentError(
                f'joint {self.name!r}: weight is {weight:g}; it must not be negative'
            )
        self._change(weight=max(weight, MIN_WEIGHT))

    @property
    def max_step(self) -> float:
        """Largest motion in one iteration [rad or m]."""
        return self._joint.max_step

    @max_step.setter
    def max_step(self, step: float) -> None:
        step = _number(self, 'max_step', step, finite=False)
        if step <= 0.0:
            raise InvalidArgumentError(
                f'joint {self.name!r}: max_step is {step:g}; it must be positive'
            )
        self._change(max_step=step)

    @property
    def limit_margin(self) -> float:
        """Distance from a limit at which limit avoidance begins [rad or m]."""
        return self._joint.limit_margin

    @limit_margin.setter
    def limit_margin(self, margin: float) -> None:
        margin = _number(self, 'limit_margin', margin)
        if margin < 0.0:
            raise InvalidArgumentError(
                f'joint {self.name!r}: limit_margin is {margin:g}; it must not be negative'
            )
        self._change(limit_margin=margin)

    @property
    def velocity(self) -> float:
        """Largest speed [rad/s or m/s]."""
        return self._joint.velocity

    @velocity.setter
    def velocity(self, velocity: float) -> None:
        velocity = _number(self, 'velocity', velocity, finite=False)
        if velocity < 0.0:
            raise InvalidArgumentError(
                f'joint {self.name!r}: velocity is {velocity:g}; it must not be negative'
            )
        self._change(velocity=velocity)

    @property
    def dependency(self) -> Dependency | None:
        """What the joint follows, by name; None when it is independent."""
        return self._joint.dependency

    def set_dependency(
        self,
        master: Joint | str | None,
        *,
        multiplier: float = 1.0,
        offset: float = 0.0,
        function: Callable[[float], float] | None = None,
    ) -> None:
        """
        Let the joint follow another one, or none.

        Parameters
        ----------
        master : Joint, str or None
            The joint to follow; None makes this one independent, where it is.
        multiplier : float
            [-], or [m/rad] and the like.
        offset : float
            [rad] or [m]; position = multiplier * master + offset.
        function : callable, optional
            Position as a function of the master's, instead of multiplier and offset.

        Raises
        ------
        ModelError
            The joints would follow each other in a loop, or one of them is spherical.

        """
        if master is None:
            self._change(dependency=None)
            return
        if function is not None and not callable(function):
            raise InvalidArgumentError(f'function is {shown(function)}; it must be callable')
        if isinstance(master, Joint):
            self._environment.uid_of(master)  # refuses one of another environment
            master = master.name
        name = self._environment.joint(master).name
        self._change(
            dependency=Dependency(
                name,
                _number(self, 'multiplier', multiplier),
                _number(self, 'offset', offset),
                function,
            )
        )

    @property
    def position(self) -> float:
        """
        Position [rad or m]; a written one is brought into the limits.

        Raises
        ------
        InvalidStateError
            On a spherical joint, and when a joint that follows another one is written.

        """
        self._not_spherical('position')
        at = self._environment.scene.position(self.name)
        assert isinstance(at, float)
        return at

    @position.setter
    def position(self, position: float) -> None:
        self._not_spherical('position')
        dependency = self.dependency
        if dependency is not None:
            raise InvalidStateError(
                f'joint {self.name!r} follows {dependency.master!r}; move that one, or set the '
                'dependency to None'
            )
        value, name = _number(self, 'position', position), self.name
        self._environment.edit(lambda scene: scene.moved({name: value}).clamped(name))

    @property
    def orientation(self) -> FloatArray:
        """
        (4,) quaternion x, y, z, w of a spherical joint, moving frame in fixed frame.

        Raises
        ------
        InvalidStateError
            On another kind of joint.

        """
        self._spherical('orientation')
        at = self._environment.scene.position(self.name)
        assert isinstance(at, tuple)
        return quat_from_rotation_vector(at)

    @orientation.setter
    def orientation(self, quat_xyzw: ArrayLike) -> None:
        self._spherical('orientation')
        vector, name = rotation_vector_from_quat(quat_xyzw), self.name
        self._environment.edit(lambda scene: scene.moved({name: vector}))

    @property
    def motion_pose(self) -> FloatArray:
        """(4, 4) pose of the moving frame in the fixed frame."""
        return motion(self._joint, self._environment.scene.position(self.name))

    @property
    def _joint(self) -> JointRecord:
        record = self._record
        assert isinstance(record, JointRecord)
        return record

    def _not_spherical(self, what: str) -> None:
        if self.kind is JointKind.SPHERICAL:
            raise InvalidStateError(
                f'joint {self.name!r} is spherical and has no {what}; it has an orientation'
            )

    def _spherical(self, what: str) -> None:
        if self.kind is not JointKind.SPHERICAL:
            raise InvalidStateError(
                f'joint {self.name!r} is {self.kind.value} and has no {what}; it has a position'
            )


def _pair(
    joint: Joint, what: str, values: tuple[float, float], *, finite: bool = True
) -> tuple[float, float]:
    try:
        first, second = () if isinstance(values, Set) else values  # which has no order
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f'joint {joint.name!r}: {what} is {shown(values)}; it must be two numbers'
        ) from None
    return _number(joint, what, first, finite=finite), _number(joint, what, second, finite=finite)


def _switch(joint: Joint, what: str, value: bool) -> bool:
    try:
        return bool(value)
    except ValueError as error:  # an array has no truth value of its own
        raise InvalidArgumentError(
            f'joint {joint.name!r}: {what} is {shown(value)}; it must be a bool'
        ) from error


def _number(joint: Joint, what: str, value: float, *, finite: bool = True) -> float:
    number = real(value)
    if math.isnan(number) or (finite and math.isinf(number)):
        raise InvalidArgumentError(
            f'joint {joint.name!r}: {what} is {shown(value)}; it must be a '
            f'{"finite " if finite else ""}number'
        )
    return number
