# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Every conversion between messages and the library: here and in the other `*_conversions` modules.

Quaternions are x, y, z, w and need not be normalised: a rounded one is what clients send, so any
norm above `SMALLEST_NORM` is accepted and divided out. Arrays go into messages as `array('d')`
made from bytes; a list would be checked element by element, 30 to 100 times slower.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
import math
from typing import Any, NamedTuple

from geometry_msgs.msg import Pose, PoseStamped
import ik_node
from ik_node.errors import (
    IkNodeError,
    InvalidArgumentError,
    InvalidOptionError,
    InvalidSeedError,
    InvalidStateError,
    InvalidTargetError,
    LoadError,
    ModelError,
    UnknownNameError,
)
from ik_node.ros.errors import InvalidNameError, NoEnvironmentError
from ik_node.ros.settings import Settings
from ik_node.ros.transformations import matrix_from_quaternion, quaternion_from_matrix
from ik_node.solvers.batch import MOST_STARTS
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from ik_node_interfaces.msg import SolveOptions, Status

#: Below this norm the direction of a quaternion is noise.
SMALLEST_NORM = 1e-6

#: [rad/m] As `Group.solve` has it.
POSITION_WEIGHT = 2.0

#: x, y, z [1/m] and the angle [1/rad], as `Group.find_configs` has it.
METRIC = (1.0, 1.0, 1.0, 0.1)

#: Which of several solutions; the first is the default, as `Group.solve` has it.
PREFERENCES = ('fast', 'nearest')

#: Rows of a geometric Jacobian.
ROW_NAMES = ('x', 'y', 'z', 'rx', 'ry', 'rz')

_STATUS_OF_KIND = {
    'group': Status.UNKNOWN_GROUP,
    'link': Status.UNKNOWN_LINK,
    'joint': Status.UNKNOWN_JOINT,
    'environment': Status.UNKNOWN_ENVIRONMENT,
    'object': Status.UNKNOWN_OBJECT,
}

# The first line that fits counts: a subclass stands above its base.
_STATUS_OF_ERROR = (
    (InvalidTargetError, Status.INVALID_TARGET),
    (InvalidSeedError, Status.INVALID_SEED),
    (InvalidNameError, Status.INVALID_NAME),
    (InvalidArgumentError, Status.INVALID_OPTIONS),
    (ModelError, Status.INVALID_MODEL),
    (NoEnvironmentError, Status.NO_MODEL),
    (InvalidStateError, Status.INVALID_STATE),
    (LoadError, Status.INVALID_FILE),
)


def status_of(error: IkNodeError) -> int:
    """Constant of `ik_node_interfaces/msg/Status` that stands for an error."""
    if isinstance(error, UnknownNameError):
        return _STATUS_OF_KIND.get(error.kind, Status.INVALID_OPTIONS)
    for kind, status in _STATUS_OF_ERROR:
        if isinstance(error, kind):
            return status
    return Status.INTERNAL_ERROR


def doubles(values: NDArray[np.float64]) -> array[float]:
    """Content of a `float64[]` field, row-major."""
    content = array('d')
    rows = np.ascontiguousarray(values, dtype=np.float64)
    content.frombytes(rows.reshape(-1).view(np.uint8).data)
    return content


def matrix_from_pose(pose: Pose, what: str = 'target') -> NDArray[np.float64]:
    """
    Transform (4, 4) of a pose message [m].

    Parameters
    ----------
    pose : Pose
        Any numbers.
    what : str
        Whose pose it is, for the sentence of an error.

    Raises
    ------
    InvalidTargetError
        A number is not finite, or the quaternion is zero.

    """
    point, turn = pose.position, pose.orientation
    position = (point.x, point.y, point.z)
    if not all(map(math.isfinite, position)):
        raise InvalidTargetError(f'the position {position} of the {what} is not finite')
    quat_xyzw = (turn.x, turn.y, turn.z, turn.w)
    # hypot neither overflows nor underflows, and one NaN makes it NaN.
    norm = math.hypot(*quat_xyzw)
    if not SMALLEST_NORM < norm < math.inf:
        raise InvalidTargetError(
            f'the quaternion (x, y, z, w) = {quat_xyzw} of the {what} has the norm {norm:g} and '
            'means no orientation; the identity is (0, 0, 0, 1)'
        )
    matrix = np.eye(4)
    matrix[:3, :3] = matrix_from_quaternion(np.array(quat_xyzw) / norm)
    matrix[:3, 3] = position
    return matrix


def pose_from_matrix(matrix: NDArray[np.float64]) -> Pose:
    """Pose message of a transform (4, 4) [m]."""
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = matrix[:3, 3].tolist()
    turn = pose.orientation
    turn.x, turn.y, turn.z, turn.w = quaternion_from_matrix(matrix[:3, :3]).tolist()
    return pose


def pose_stamped(matrix: NDArray[np.float64], frame: str, stamp: Any) -> PoseStamped:
    """Stamped pose of a transform (4, 4) [m] in the frame of a link."""
    message = PoseStamped(pose=pose_from_matrix(matrix))
    message.header.frame_id, message.header.stamp = frame, stamp
    return message


def target_in_base(
    target: PoseStamped,
    group: ik_node.Group,
    positions: Mapping[str, float],
) -> NDArray[np.float64]:
    """
    Target pose T_base_tip (4, 4) of a group.

    Parameters
    ----------
    target : PoseStamped
        Its `header.frame_id` names any link of the robot, or the world; empty: the base of the
        group.
    group : ik_node.Group
        Whose base the result is in.
    positions : mapping
        Named joint values [rad, m] over the environment's state: where the link of the frame
        stands.

    Raises
    ------
    InvalidTargetError
        The pose is no pose, or no link has the name of the frame.

    """
    T_frame_tip = matrix_from_pose(target.pose)
    T_base_frame = frame_in_base(target.header.frame_id, group, positions)
    return T_frame_tip if T_base_frame is None else T_base_frame @ T_frame_tip


def frame_in_base(
    frame: str, group: ik_node.Group, positions: Mapping[str, float]
) -> NDArray[np.float64] | None:
    """
    Pose T_base_frame (4, 4) of a frame that targets are given in.

    Parameters
    ----------
    frame : str
        Any link of the robot, or the world; empty: the base of the group.
    group : ik_node.Group
        Whose base the result is in.
    positions : mapping
        Named joint values [rad, m] over the environment's state.

    Returns
    -------
    (4, 4) float64 or None
        None where the frame is the base itself.

    Raises
    ------
    InvalidTargetError
        No link has the name of the frame.

    """
    if frame in ('', group.base):
        return None
    environment = group.environment
    try:
        if reference_link(frame, environment) is None:
            T_world_base = environment.link_pose(group.base, None, positions)
            return np.asarray(np.linalg.inv(T_world_base), dtype=np.float64)
        reference = reference_link(group.base, environment)
        return environment.link_pose(frame, reference, positions)
    except UnknownNameError as error:
        raise InvalidTargetError(
            'the frame of the target must be a link of the robot, or empty for '
            f'{group.base!r}: {error}'
        ) from None


def reference_link(name: str, environment: ik_node.Environment) -> str | None:
    """Give a reference as `Environment.link_poses` wants it: None for the world."""
    return None if name == 'world' and name not in environment.link_names else name


def positions_from(state: JointState, environment: ik_node.Environment) -> dict[str, float]:
    """
    Named joint values of a message [rad, m].

    Raises
    ------
    InvalidSeedError
        Names and positions differ in number, a name comes twice, a value is not finite.
    UnknownNameError
        A name that no moving joint of the robot has.

    """
    if len(state.name) != len(state.position):
        raise InvalidSeedError(
            f'the joint state has {len(state.name)} names and {len(state.position)} positions; '
            'it needs one position for each name'
        )
    twice = repeated(state.name)
    if twice is not None:
        raise InvalidSeedError(f'the joint state names {twice[:80]!r} more than once')
    positions = dict(zip(state.name, state.position, strict=True))
    check_joints(positions, environment)
    for name, position in positions.items():
        if not math.isfinite(position):
            raise InvalidSeedError(f'the joint state puts {name!r} at {position}')
    return positions


def repeated(names: Iterable[str]) -> str | None:
    """Give the first name that has come before; None: all are different."""
    seen: set[str] = set()
    for name in names:
        # To count each of a million names would take hours.
        if name in seen:
            return name
        seen.add(name)
    return None


def tips_of(group: ik_node.Group) -> list[ik_node.Element]:
    """List the elements whose tips a group has poses and Jacobians of, in their order."""
    return [element for element in group.elements if element.enabled] or list(group.elements)


def check_joints(names: Iterable[str], environment: ik_node.Environment) -> None:
    """Raise UnknownNameError for the first name that no moving joint has."""
    known = environment.moving_joint_names
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UnknownNameError('joint', unknown, known)


def fill_joint_state(message: JointState, positions: Mapping[str, float], stamp: Any) -> None:
    """Put named values [rad, m] into a message."""
    message.header.stamp = stamp
    message.name = list(positions)
    message.position = array('d', positions.values())


class SearchOptions(NamedTuple):
    """Options of a request with the node's defaults filled in."""

    timeout: float
    """[s]"""
    position_tolerance: float
    """[m]"""
    orientation_tolerance: float
    """[rad]"""
    position_weight: float
    """[rad/m]"""
    random_seed: int
    prefer: str
    """Which of several solutions."""
    note: str
    """To be added to the message of the answer."""


def search_options(options: SolveOptions, settings: Settings) -> SearchOptions:
    """
    Options of a search from those of a request.

    Raises
    ------
    InvalidOptionError
        A negative number, NaN, an unknown preference, too many starts for 'nearest'.

    """
    for name in ('timeout', 'position_tolerance', 'orientation_tolerance', 'position_weight'):
        value = getattr(options, name)
        # Written so that NaN fails it as well.
        if not value >= 0.0:
            raise InvalidOptionError(
                f'options.{name} is {value}; give a positive number, or 0 for the default'
            )
    prefer = options.prefer or PREFERENCES[0]
    if prefer not in PREFERENCES:
        raise InvalidOptionError(
            f"options.prefer is {prefer[:80]!r}; it must be 'fast', 'nearest' or empty for 'fast'"
        )
    if prefer == 'nearest' and options.max_starts > MOST_STARTS:
        raise InvalidOptionError(
            f"options.max_starts is {options.max_starts}; with prefer 'nearest' it is at most "
            f'{MOST_STARTS}'
        )
    timeout, note = options.timeout or settings.timeout, ''
    if timeout > settings.max_timeout:
        note = f' (timeout {timeout:g} s shortened to max_timeout, {settings.max_timeout:g} s)'
        timeout = settings.max_timeout
    return SearchOptions(
        timeout,
        options.position_tolerance or settings.position_tolerance,
        options.orientation_tolerance or settings.orientation_tolerance,
        options.position_weight or POSITION_WEIGHT,
        options.random_seed or settings.random_seed,
        prefer,
        note,
    )


def refuse_nearest(options: SolveOptions, instead: str) -> None:
    """Raise InvalidOptionError where a service cannot prefer the nearest solution."""
    if options.prefer == 'nearest':
        raise InvalidOptionError(f"options.prefer 'nearest' is for ~/solve alone; {instead}")


def max_starts(options: SolveOptions) -> int | None:
    """Give the number of starts, the one from the seed included; None: until the timeout."""
    return 1 if options.single_attempt else options.max_starts or None


def metric(weights: Sequence[float]) -> tuple[float, ...]:
    """Complete the metric of a request."""
    return tuple(weights) or METRIC
