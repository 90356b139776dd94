# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A mechanism: frames and joints that hang on each other or on the world, as immutable data.

Every source of a robot (a reader, a file, objects created by hand) ends here, and
`ik_node.model.tables` compiles it for the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
import math
from types import MappingProxyType

from ik_node.errors import ModelError, UnknownNameError
from ik_node.model.objects import Dependency, Frame, Joint, JointKind, Thing, WORLD


@dataclass(frozen=True)
class Drive:
    """What moves a joint: an independent joint, and how."""

    variable: Joint
    multiplier: float = 1.0
    offset: float = 0.0
    function: Callable[[float], float] | None = None
    """Replaces multiplier and offset where a function is part of the chain of dependencies."""

    def position(self, variable_position: float) -> float:
        """
        Compute the position of the driven joint.

        Parameters
        ----------
        variable_position : float
            [rad] or [m].

        Returns
        -------
        float

        """
        if self.function is not None:
            return self.function(variable_position)
        return self.multiplier * variable_position + self.offset


@dataclass(frozen=True, eq=False)
class Mechanism:
    """
    Frames and joints, checked: parents before children, dependencies end at independent joints.

    Raises
    ------
    ModelError
        Two joints or two frames of one name, a target that does not exist, a dependency on
        nothing, on a spherical joint or in a loop, a screw without limits, limits that exclude
        every position.

    """

    name: str
    objects: tuple[Thing, ...]
    """Frames and joints; each stands behind the object it hangs on."""
    fixed_joints: Mapping[str, str] = field(default_factory=dict)
    """Names of a URDF's fixed joints and of the frames that they carry; they do not move."""

    def __post_init__(self) -> None:
        for kind, names in (
            ('joint', self._joint_names()),
            ('frame', self._frame_names()),
        ):
            seen: set[str] = set()
            for name in names:
                if name in seen:
                    raise ModelError(f'two {kind}s are named {name!r}; names must be unique')
                seen.add(name)
        for index, thing in enumerate(self.objects):
            if not WORLD <= thing.parent < index:
                raise ModelError(f'{thing.name!r} stands before the object that it hangs on')
            thing.T_parent_self.setflags(write=False)
            target = thing.target if isinstance(thing, Frame) else None
            if target is not None and target not in self.frame_indices:
                raise ModelError(f'the target {target!r} of {thing.name!r} does not exist')
        for joint in self.joints:
            self.drive(joint.name)
            if joint.cyclic and joint.screw_lead != 0.0:
                raise ModelError(
                    f'joint {joint.name!r} is a screw without limits; a full turn would not bring '
                    'it back'
                )
            if joint.kind is JointKind.SPHERICAL:
                for name in (f'{joint.name}/{axis}' for axis in 'xyz'):
                    if name in self.joint_indices:
                        raise ModelError(
                            f'a joint is named {name!r}, as a coordinate of the spherical joint '
                            f'{joint.name!r} is; rename it'
                        )
        for joint in self.variables:
            self.bounds(joint.name)

    def _joint_names(self) -> Iterator[str]:
        return (thing.name for thing in self.objects if isinstance(thing, Joint))

    def _frame_names(self) -> Iterator[str]:
        return (thing.name for thing in self.objects if not isinstance(thing, Joint))

    @cached_property
    def joint_indices(self) -> Mapping[str, int]:
        """Index into `objects` of each joint."""
        return MappingProxyType(
            {thing.name: i for i, thing in enumerate(self.objects) if isinstance(thing, Joint)}
        )

    @cached_property
    def frame_indices(self) -> Mapping[str, int]:
        """Index into `objects` of each frame."""
        return MappingProxyType(
            {thing.name: i for i, thing in enumerate(self.objects) if not isinstance(thing, Joint)}
        )

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """All joints, parents before children."""
        return tuple(thing for thing in self.objects if isinstance(thing, Joint))

    @cached_property
    def variables(self) -> tuple[Joint, ...]:
        """The joints that follow no other one, passive ones included."""
        return tuple(joint for joint in self.joints if joint.dependency is None)

    @cached_property
    def _drives(self) -> dict[str, Drive]:
        return {}

    @cached_property
    def _followers(self) -> dict[str, tuple[tuple[Joint, Drive], ...]]:
        found: dict[str, list[tuple[Joint, Drive]]] = {}
        for joint in self.joints:
            if joint.dependency is not None:
                drive = self.drive(joint.name)
                found.setdefault(drive.variable.name, []).append((joint, drive))
        return {name: tuple(followers) for name, followers in found.items()}

    def joint(self, name: str) -> Joint:
        """
        Find a joint.

        Raises
        ------
        UnknownNameError
            No joint has this name.

        """
        try:
            thing = self.objects[self.joint_indices[name]]
        except (KeyError, TypeError):
            raise UnknownNameError('joint', name, self.joint_indices) from None
        assert isinstance(thing, Joint)
        return thing

    def frame_index(self, name: str) -> int:
        """
        Find a frame.

        Returns
        -------
        int
            Index into `objects`.

        Raises
        ------
        UnknownNameError
            No frame has this name.

        """
        try:
            return self.frame_indices[name]
        except (KeyError, TypeError):
            raise UnknownNameError('link', name, self.frame_indices) from None

    def drive(self, name: str) -> Drive:
        """
        Follow dependencies to the independent joint that moves a joint.

        Parameters
        ----------
        name : str
            A joint.

        Returns
        -------
        Drive
            By itself, with multiplier 1, where the joint depends on nothing.

        """
        if name not in self._drives:
            self._drives[name] = self._follow(name)
        return self._drives[name]

    def _follow(self, name: str) -> Drive:
        chain = [self.joint(name)]
        dependencies: list[Dependency] = []
        while (dependency := chain[-1].dependency) is not None:
            last = chain[-1]
            if dependency.master not in self.joint_indices:
                raise ModelError(_no_master(last.name, dependency.master, self.fixed_joints))
            master = self.joint(dependency.master)
            if master in chain:
                loop = ' -> '.join(joint.name for joint in [*chain, master])
                raise ModelError(
                    f'joints depend on each other in a loop: {loop}; free one of them'
                )
            for joint in (last, master):
                if joint.kind is JointKind.SPHERICAL:
                    raise ModelError(
                        f'joint {last.name!r} depends on {master.name!r}, but a spherical joint '
                        'has no single position to depend on'
                    )
            dependencies.append(dependency)
            chain.append(master)
        if any(dependency.function for dependency in dependencies):
            return Drive(chain[-1], function=_Composition(tuple(reversed(dependencies))))
        multiplier, offset = 1.0, 0.0
        for dependency in dependencies:
            offset += multiplier * dependency.offset
            multiplier *= dependency.multiplier
        if not (math.isfinite(multiplier) and math.isfinite(offset)):
            raise ModelError(f'joint {name!r} follows others by numbers that are not finite')
        return Drive(chain[-1], multiplier, offset)

    def followers(self, name: str) -> tuple[tuple[Joint, Drive], ...]:
        """
        List the joints that an independent joint moves besides itself.

        Returns
        -------
        tuple of (Joint, Drive)
            Parents before children.

        """
        return self._followers.get(name, ())

    def bounds(self, name: str) -> tuple[float, float]:
        """
        Intersect the limits of an independent joint with those of the joints that follow it.

        The limits of a joint that follows by a function are not taken into account: a function
        cannot be inverted here.

        Returns
        -------
        lower, upper : float
            Of the independent joint [rad or m], infinite where nothing bounds it.

        Raises
        ------
        ModelError
            No position satisfies all the limits.

        """
        joint = self.joint(name)
        lower, upper = joint.limits
        if lower > upper:
            raise ModelError(
                f'joint {name!r}: lower limit {lower:g} is above upper limit {upper:g}'
            )
        for follower, drive in self.followers(name):
            if drive.function is not None or drive.multiplier == 0.0:
                continue
            ends = sorted((limit - drive.offset) / drive.multiplier for limit in follower.limits)
            if max(lower, ends[0]) > min(upper, ends[1]):
                raise ModelError(
                    f'joint {follower.name!r} follows {name!r} and their limits leave no '
                    f'position: {name!r} may be in [{lower:g}, {upper:g}], {follower.name!r} '
                    f'demands [{ends[0]:g}, {ends[1]:g}] of it'
                )
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        return lower, upper


@dataclass(frozen=True)
class _Composition:
    """Dependencies applied one after another, the nearest to the independent joint first."""

    dependencies: tuple[Dependency, ...]

    def __call__(self, position: float) -> float:
        for dependency in self.dependencies:
            position = dependency.position(position)
        return position


def _no_master(follower: str, master: str, fixed_joints: Mapping[str, str]) -> str:
    if master in fixed_joints:
        return (
            f'joint {follower!r} follows the fixed joint {master!r}, which has no position; '
            'follow a moving joint'
        )
    return f'joint {follower!r} follows {master!r}, which does not exist; name an existing joint'
