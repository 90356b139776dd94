# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that messages name, seen from the bases that the library counts from."""

from __future__ import annotations

from typing import TypeAlias

import ik_node
from ik_node.environment.objects import SceneObject
from ik_node.environment.scene import Scene
from ik_node.errors import InvalidTargetError, UnknownNameError
from ik_node.model.objects import Joint, WORLD
from ik_node.model.walk import inverse, motion
from ik_node.ros.conversions import reference_link
import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]


def frame_seen_from(
    base: SceneObject | None, frame: str, environment: ik_node.Environment, scene: Scene
) -> Matrix | None:
    """
    Pose T_base_frame (4, 4) of a frame that a message names.

    Parameters
    ----------
    base : SceneObject or None
        Of an element, of a joint its fixed frame; None: the world.
    frame : str
        Any link of the robot, or the world; empty: the base.
    environment : ik_node.Environment
        Which has the frame.
    scene : Scene
        Where everything stands.

    Returns
    -------
    (4, 4) float64 or None
        None where no frame is named.

    Raises
    ------
    InvalidTargetError
        No link has the name of the frame.

    """
    if not frame:
        return None
    try:
        name = reference_link(frame, environment)
        T_world_frame = np.eye(4)
        if name is not None:
            T_world_frame = _fixed_pose(scene, scene.mechanism.frame_index(name))
    except UnknownNameError as error:
        raise InvalidTargetError(
            f'frame_id must be a link of the robot, world, or empty for the base: {error}'
        ) from None
    if base is None:
        return T_world_frame
    pose: Matrix = inverse(_fixed_pose(scene, scene.index[base.uid])) @ T_world_frame
    return pose


def _fixed_pose(scene: Scene, index: int) -> Matrix:
    """Compute the pose of an object in the world, of a joint that of its fixed frame."""
    things = scene.mechanism.objects
    pose = things[index].T_parent_self
    while (index := things[index].parent) != WORLD:
        parent = things[index]
        if isinstance(parent, Joint):
            pose = motion(parent, scene.position(parent.name)) @ pose
        pose = parent.T_parent_self @ pose
    return pose
