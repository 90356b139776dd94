# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Between the messages of `moveit_msgs` and the library.

No type of that package is named here: it may be missing, and every message to be filled is part
of a response that came with its types.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

import ik_node
from ik_node.errors import InvalidTargetError
from ik_node.model.quaternions import rotation_vector_from_quat
from ik_node.moveit import ErrorCode
from ik_node.moveit.frames import Attached, coordinate_names, Frames
from ik_node.ros.conversions import matrix_from_pose
from ik_node.ros.errors import MoveItRefusal
from ik_node.ros.transformations import matrix_from_quaternion, quaternion_from_matrix
import numpy as np
from numpy.typing import NDArray

#: What `MoveItErrorCodes.source` says.
SOURCE = 'ik_node'

_REMOVE = b'\x01'


class RequestedState(NamedTuple):
    """What a request says about the state of the robot."""

    positions: dict[str, float]
    """Of the joints that it names and the robot has [rad or m]."""
    frames: Frames
    """Frames that it can name."""
    ignored: tuple[str, ...]
    """Joints that it names and the robot does not have."""
    single: tuple[str, ...]
    """Joints of the robot that its joint state names."""
    several: Mapping[str, Any]
    """Transforms of planar, floating and virtual joints that it names."""


def requested_state(state: Any, environment: ik_node.Environment) -> RequestedState:
    """
    Read a `moveit_msgs/msg/RobotState`.

    Whether it is a difference makes no difference: what it does not say is where the environment
    has it. Joints of another robot are left out, as clients send whole joint states.

    Parameters
    ----------
    state : RobotState
        Any.
    environment : Environment
        The robot.

    Raises
    ------
    MoveItRefusal
        Names and positions differ in number, a joint is at two positions, a value is not finite.

    """
    joints, several = state.joint_state, state.multi_dof_joint_state
    if len(joints.name) != len(joints.position):
        raise _bad_state(
            f'it has {len(joints.name)} joint names and {len(joints.position)} positions; give '
            'one position for each name'
        )
    if len(several.joint_names) != len(several.transforms):
        raise _bad_state(
            f'multi_dof_joint_state has {len(several.joint_names)} names and '
            f'{len(several.transforms)} transforms; give one for each name'
        )
    joints_known = environment.mechanism.joints
    known = frozenset(name for joint in joints_known for name in coordinate_names(joint))
    positions: dict[str, float] = {}
    ignored = []
    for name, position in zip(joints.name, joints.position, strict=True):
        if name not in known:
            ignored.append(name)
            continue
        if not math.isfinite(position):
            raise _bad_state(f'it puts joint {name!r} at {position}')
        if positions.setdefault(name, position) != position:
            raise _bad_state(f'it puts joint {name!r} at {positions[name]} and at {position}')
    single, named = tuple(positions), {}
    T_model_root = None
    for name, transform in zip(several.joint_names, several.transforms, strict=True):
        matrix = _matrix_from_transform(transform, name)
        semantics = environment.semantics
        if semantics is not None and name in semantics.virtual_joints:
            if semantics.virtual_joints[name].kind != 'fixed':
                T_model_root = matrix
                named[name] = transform
        elif parts := _parts_from_matrix(name, matrix, environment):
            positions.update(parts)
            named[name] = transform
        else:
            ignored.append(name)
    frames = Frames(environment, None, T_model_root)
    frames = Frames(environment, _attached(state, frames, positions), T_model_root)
    return RequestedState(positions, frames, tuple(ignored), single, named)


def _bad_state(what: str) -> MoveItRefusal:
    return MoveItRefusal(ErrorCode.INVALID_ROBOT_STATE, f'robot_state cannot be used: {what}')


def _matrix_from_transform(transform: Any, name: str) -> NDArray[np.float64]:
    shift, turn = transform.translation, transform.rotation
    values = (shift.x, shift.y, shift.z, turn.x, turn.y, turn.z, turn.w)
    norm = math.hypot(*values[3:])
    if not all(map(math.isfinite, values)) or not norm > 1e-6:
        raise _bad_state(f'the transform of joint {name[:80]!r} is none')
    matrix = np.eye(4)
    matrix[:3, :3] = matrix_from_quaternion(np.array(values[3:]) / norm)
    matrix[:3, 3] = values[:3]
    return matrix


def _parts_from_matrix(
    name: str, matrix: NDArray[np.float64], environment: ik_node.Environment
) -> dict[str, float]:
    """Divide the transform of a planar or floating joint among the joints that it became."""
    indices = environment.mechanism.joint_indices
    if f'{name}/rotation' not in indices:
        return {}
    x, y, z = matrix[:3, 3].tolist()
    parts = {f'{name}/x': x, f'{name}/y': y}
    if f'{name}/z' not in indices:
        return {**parts, f'{name}/rotation': math.atan2(matrix[1, 0], matrix[0, 0])}
    vector = rotation_vector_from_quat(quaternion_from_matrix(matrix[:3, :3]))
    turns = {f'{name}/rotation/{axis}': at for axis, at in zip('xyz', vector, strict=True)}
    return {**parts, f'{name}/z': z, **turns}


def _attached(state: Any, known: Frames, positions: Mapping[str, float]) -> dict[str, Attached]:
    """Find the frames of attached bodies: the body's own, and its subframes."""
    frames: dict[str, Attached] = {}
    for body in state.attached_collision_objects:
        thing = body.object
        link = body.link_name
        if thing.operation == _REMOVE or not thing.id or not link or link not in known:
            continue
        frame = thing.header.frame_id or link
        if frame not in known:
            continue
        try:
            T_frame_body = matrix_from_pose(thing.pose, f'attached body {thing.id[:80]!r}')
            subframes = [
                matrix_from_pose(pose, f'subframe {name[:80]!r}')
                for name, pose in zip(thing.subframe_names, thing.subframe_poses, strict=False)
            ]
        except InvalidTargetError as error:
            raise _bad_state(str(error)) from None
        T_link_body = T_frame_body
        if frame != link:
            # The body goes with its link, wherever its pose was told: at the state of the request.
            T_world_link, T_world_frame = known.poses([link, frame], positions)
            T_link_body = np.linalg.inv(T_world_link) @ T_world_frame @ T_frame_body
        place = known.place(link)
        T_place_body = place.T_link_frame @ T_link_body
        frames[thing.id] = Attached(place.link, T_place_body)
        for name, T_body_sub in zip(thing.subframe_names, subframes, strict=False):
            frames[f'{thing.id}/{name}'] = Attached(place.link, T_place_body @ T_body_sub)
    return frames


def seconds(duration: Any) -> float:
    """Give a duration in seconds, nanoseconds included [s]."""
    return float(duration.sec + 1e-9 * duration.nanosec)


def fill_code(message: Any, code: int, text: str) -> None:
    """Fill a `MoveItErrorCodes`; older ones hold a number alone."""
    message.val = int(code)
    if hasattr(message, 'message'):
        message.message, message.source = text, SOURCE
