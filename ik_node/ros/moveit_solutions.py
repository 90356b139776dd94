# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Solutions as `moveit_msgs` has them; no type of that package is named here."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from geometry_msgs.msg import Transform
import ik_node
from ik_node.model.quaternions import quat_from_rotation_vector
from ik_node.moveit.attachment import group_joint_names
from ik_node.ros.moveit_conversions import RequestedState


def fill_solution(
    message: Any,
    group: ik_node.Group,
    positions: Mapping[str, float],
    frame: str,
    stamp: Any,
    echoed: RequestedState | None = None,
) -> None:
    """
    Fill a `RobotState` with the joints of a group, those that follow others included.

    It is marked as a difference: what is not in it is to stay as it is. Neither velocities nor
    efforts are in it.

    Parameters
    ----------
    message : RobotState
        An empty one.
    group : Group
        Whose joints come first.
    positions : mapping of str to float
        Of all joints that are to be in it [rad or m].
    frame : str
        The model frame.
    stamp : Time
        Now.
    echoed : RequestedState, optional
        The joints of the robot that this state names follow those of the group. None for MoveIt's
        plugin, which would keep them for its later requests.

    """
    message.is_diff = True
    message.joint_state.header.frame_id = frame
    message.joint_state.header.stamp = stamp
    single, stems = group_joint_names(group)
    several = {stem: _transform(stem, positions) for stem in stems}
    if echoed is not None:
        own = {*single, *group.joint_names}
        single += tuple(name for name in echoed.single if name not in own)
        several |= {name: at for name, at in echoed.several.items() if name not in several}
    message.joint_state.name = list(single)
    message.joint_state.position = array('d', [positions[name] for name in single])
    if several:
        rows = message.multi_dof_joint_state
        rows.header.frame_id, rows.header.stamp = frame, stamp
        rows.joint_names, rows.transforms = list(several), list(several.values())


def _transform(stem: str, positions: Mapping[str, float]) -> Transform:
    """Put together what a planar or floating joint was divided into."""
    transform = Transform()
    shift, turn = transform.translation, transform.rotation
    shift.x, shift.y = positions[f'{stem}/x'], positions[f'{stem}/y']
    shift.z = positions.get(f'{stem}/z', 0.0)
    if f'{stem}/rotation' in positions:
        vector = [0.0, 0.0, positions[f'{stem}/rotation']]
    else:
        vector = [positions[f'{stem}/rotation/{axis}'] for axis in 'xyz']
    turn.x, turn.y, turn.z, turn.w = quat_from_rotation_vector(vector).tolist()
    return transform
