# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of frames in requests: links, bodies that are attached to links, and the model frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ik_node.environment.environment import Environment
from ik_node.errors import UnknownNameError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.objects import Joint, JointKind
from ik_node.model.walk import inverse
import numpy as np


def coordinate_names(joint: Joint) -> tuple[str, ...]:
    """
    Name the values of a joint: its own name, or three for a spherical one.

    Returns
    -------
    tuple of str

    """
    if joint.kind is JointKind.SPHERICAL:
        return tuple(f'{joint.name}/{axis}' for axis in 'xyz')
    return (joint.name,)


class Attached(NamedTuple):
    """A frame that is rigid to a link."""

    link: str
    """The link; 'world' for the world."""
    T_link_frame: FloatArray


class Frames:
    """
    Where the frames of a request are.

    Parameters
    ----------
    environment : Environment
        The robot.
    attached : mapping of str to Attached, optional
        Bodies that the request attaches to links, and their subframes.
    T_model_root : (4, 4) float64, optional
        Where the robot stands in the model frame, for an SRDF with a virtual joint.

    """

    def __init__(
        self,
        environment: Environment,
        attached: Mapping[str, Attached] | None = None,
        T_model_root: FloatArray | None = None,
    ) -> None:
        self._environment = environment
        self._attached = attached or {}
        self._T_root_model = None if T_model_root is None else inverse(T_model_root)
        self._links = frozenset(environment.link_names)

    @property
    def model_frame(self) -> str:
        """The frame of a virtual joint's parent where the SRDF has one, else the root link."""
        semantics = self._environment.semantics
        if semantics is not None:
            for joint in semantics.virtual_joints.values():
                if joint.child_link == self._environment.root_link:
                    return joint.parent_frame
        return self._environment.root_link

    def __contains__(self, name: str) -> bool:
        return (
            name in ('', 'world', self.model_frame)
            or name in self._links
            or name in self._attached
        )

    def place(self, name: str) -> Attached:
        """
        Tell to which link a frame is rigid.

        Parameters
        ----------
        name : str
            A frame; empty for the model frame.

        Returns
        -------
        Attached

        Raises
        ------
        UnknownNameError
            There is no such frame.

        """
        name = name or self.model_frame
        if name in self._links:
            return Attached(name, np.eye(4))
        if name == self.model_frame:
            return Attached(
                'world', np.eye(4) if self._T_root_model is None else self._T_root_model
            )
        if name in self._attached:
            return self._attached[name]
        if name == 'world':
            return Attached('world', np.eye(4))
        known = [*self._environment.link_names, *self._attached, self.model_frame]
        raise UnknownNameError('frame', name, known)

    def joint_positions(self, positions: Mapping[str, float]) -> dict[str, float]:
        """
        Tell where all joints are, those that follow others where they follow them.

        Parameters
        ----------
        positions : mapping of str to float
            Laid over the state of the environment [rad or m]; what it says about a joint that
            follows another one does not count.

        Returns
        -------
        dict of str to float
            [rad or m]; a spherical joint by its coordinates `name/x` to `name/z` [rad].

        """
        scene = self._environment.overlaid(positions)
        found: dict[str, float] = {}
        for joint in scene.mechanism.joints:
            at = scene.position(joint.name)
            if isinstance(at, float):
                found[joint.name] = at
            else:
                found.update(zip(coordinate_names(joint), at, strict=True))
        return found

    def poses(self, names: Iterable[str], positions: Mapping[str, float]) -> list[FloatArray]:
        """
        Compute where frames are.

        Parameters
        ----------
        names : iterable of str
            Frames.
        positions : mapping of str to float
            Laid over the state of the environment [rad or m].

        Returns
        -------
        list of (4, 4) float64
            T_world_frame of each; the world is that of the environment.

        Raises
        ------
        UnknownNameError
            There is no such frame.

        """
        places = [self.place(name) for name in names]
        links = dict.fromkeys(place.link for place in places if place.link in self._links)
        T_world_links = self._environment.link_poses(links, None, positions)
        of_link = dict(zip(links, T_world_links, strict=True))
        return [
            of_link[link] @ T_link_frame if link in of_link else T_link_frame
            for link, T_link_frame in places
        ]
