# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A batch of poses between flat message fields and arrays.

No number passes through Python on its own: what rclpy delivers are `array.array`s, which NumPy
reads without a copy, and what it is given are bytes of arrays. Everything here may run in a worker
thread, as it touches messages and no other part of ROS.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
import math
from typing import Any

import ik_node
from ik_node import BatchResult, SolveStatus
from ik_node.errors import (
    InvalidOptionError,
    InvalidSeedError,
    InvalidTargetError,
    UnknownNameError,
)
from ik_node.kernels.arrays import FloatArray
from ik_node.ros import conversions
from ik_node.ros.settings import Settings
from ik_node.ros.solve_conversions import refuse_method, refuse_restrictions
from ik_node.ros.transformations import quaternion_from_matrix
from ik_node.solvers.options import processors
import numpy as np
from numpy.typing import NDArray

from ik_node_interfaces.msg import SolveOptions
from ik_node_interfaces.srv import SolveBatch

#: x, y, z, qx, qy, qz, qw.
POSE_SIZE = 7

# Above it the square of a norm is infinite.
_LARGEST_NORM = 1e150


def batch_arguments(
    request: SolveBatch.Request, group: ik_node.Group, settings: Settings
) -> dict[str, Any]:
    """
    Arguments of `Group.solve_batch` from a request.

    Parameters
    ----------
    request : SolveBatch.Request
        Its arrays are read in place: leave them alone until the batch is solved.
    group : ik_node.Group
        The one that the request is about.
    settings : Settings
        Defaults for what the request leaves at zero.

    Raises
    ------
    InvalidTargetError, InvalidSeedError, InvalidOptionError, UnknownNameError
        The request means nothing; a defect of a pose or a seed is named with its number.

    """
    options = batch_options(request.options, settings)
    poses = poses_in_base(request.poses, request.frame_id, group)
    seeds = seeds_from(request.seeds, request.joint_names, group, len(poses))
    threads = min(request.threads, processors()) or None
    return {'targets': poses, 'seeds': seeds, 'threads': threads, **options}


def batch_options(options: SolveOptions, settings: Settings) -> dict[str, Any]:
    """
    Options of `Group.solve_batch` by name.

    Raises
    ------
    InvalidOptionError
        What `search_options` refuses, and what has no meaning for a batch.

    """
    refuse_method(options)
    refuse_restrictions(options)
    conversions.refuse_nearest(options, 'in a batch give each pose its own seed, near by')
    if options.apply_solution:
        raise InvalidOptionError(
            'options.apply_solution is for a single solution; send the row that is to become the '
            'state with ~/set_joint'
        )
    checked = conversions.search_options(options, settings)
    return {
        # Zero and infinity alike; `max_timeout` is about a single pose.
        'timeout': options.timeout if 0.0 < options.timeout < math.inf else None,
        'position_tolerance': checked.position_tolerance,
        'orientation_tolerance': checked.orientation_tolerance,
        'position_weight': checked.position_weight,
        'random_seed': checked.random_seed,
        'max_starts': conversions.max_starts(options),
    }


def poses_in_base(poses: Sequence[float], frame: str, group: ik_node.Group) -> NDArray[np.float64]:
    """
    Rows of position and quaternion in the base of a group.

    Parameters
    ----------
    poses : array of float
        7 for each of b poses: x, y, z [m] and the quaternion x, y, z, w.
    frame : str
        What they are relative to: any link where it stands in the environment, the world, or
        empty for the base of the group.
    group : ik_node.Group
        Whose base the result is in.

    Returns
    -------
    (b, 7) float64
        The numbers of the message themselves where the frame is the base.

    Raises
    ------
    InvalidTargetError
        Another number of values, one that is not finite, a quaternion without direction, an
        unknown frame.

    """
    values = np.asarray(poses, dtype=np.float64)
    count, left = divmod(len(values), POSE_SIZE)
    if left:
        raise InvalidTargetError(
            f'poses has {len(values)} numbers, {count} poses and {left} more; it needs '
            f'{POSE_SIZE} for each pose: x, y, z and the quaternion x, y, z, w'
        )
    rows = values.reshape(count, POSE_SIZE)
    _check_poses(rows)
    T_base_frame = conversions.frame_in_base(frame, group, {})
    return rows if T_base_frame is None else _moved(T_base_frame, rows)


def seeds_from(
    seeds: Sequence[float], names: Sequence[str], group: ik_node.Group, count: int
) -> NDArray[np.float64] | None:
    """
    Seeds in the order of a group.

    Parameters
    ----------
    seeds : array of float
        A value for each name and each pose, or for each name [rad, m]; empty: none.
    names : sequence of str
        Independent joints of the group, in any order; the others are at the environment's state.
        Empty: all, in the order of the group.
    group : ik_node.Group
        With n independent joints.
    count : int
        Number of poses, b.

    Returns
    -------
    (b, n) or (n,) float64, or None
        None where there are none.

    Raises
    ------
    UnknownNameError
        A name that no independent joint of the group has.
    InvalidSeedError
        A name that comes twice, another number of values, one that is not finite.

    """
    own = group.joint_names
    columns = _columns(names, own)
    values = np.asarray(seeds, dtype=np.float64)
    if not len(values):
        return None
    width = len(columns)
    if len(values) not in (width, width * count):
        raise InvalidSeedError(
            f'seeds has {len(values)} numbers for {count} poses; it needs {width * count}, '
            f'{width} for each pose, or {width} for all, or none for the state of the '
            'environment; the order is ' + ', '.join(own[column] for column in columns)
        )
    rows: FloatArray = values.reshape(-1, width)
    finite = np.isfinite(rows)
    if not finite.all():
        row, column = (int(index) for index in np.argwhere(~finite)[0])
        raise InvalidSeedError(
            f'seed {row} puts {own[columns[column]]!r} at {rows[row, column]}; give finite numbers'
        )
    if columns != list(range(len(own))):
        given, rows = rows, np.tile(group.seed_from(), (len(rows), 1))
        rows[:, columns] = given
    return rows if len(rows) == count else rows[0]


def fill_batch(response: SolveBatch.Response, result: BatchResult) -> None:
    """Put the result of a batch into a message."""
    unsolved = np.flatnonzero(result.status != SolveStatus.SUCCESS)
    response.success = not len(unsolved)
    response.status, response.message = int(SolveStatus.SUCCESS), result.message
    if len(unsolved):
        first = int(unsolved[0])
        response.status = int(result.status[first])
        response.message += f'; the first of them is pose {first}'
    response.joint_names = list(result.joint_names)
    response.positions = conversions.doubles(result.q)
    response.statuses = array('b', result.status.astype(np.int8).tobytes())
    response.position_errors = conversions.doubles(result.position_error)
    response.orientation_errors = conversions.doubles(result.orientation_error)
    response.elapsed = float(result.elapsed)


def _check_poses(rows: NDArray[np.float64]) -> None:
    """Raise InvalidTargetError for the first row (b, 7) that is no pose."""
    with np.errstate(over='ignore', invalid='ignore'):
        quats_xyzw = rows[:, 3:]
        norms = np.sqrt(np.einsum('ij,ij->i', quats_xyzw, quats_xyzw))
        directed = (norms > conversions.SMALLEST_NORM) & (norms < _LARGEST_NORM)
    placed: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(rows[:, :3]), axis=1)
    wrong = np.flatnonzero(~(directed & placed))
    if not len(wrong):
        return
    first = int(wrong[0])
    if not placed[first]:
        raise InvalidTargetError(
            f'pose {first}: the position {tuple(rows[first, :3].tolist())} is not finite'
        )
    raise InvalidTargetError(
        f'pose {first}: the quaternion (x, y, z, w) = {tuple(rows[first, 3:].tolist())} has the '
        f'norm {norms[first]:g} and means no orientation; the identity is (0, 0, 0, 1)'
    )


def _moved(T_base_frame: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (b, 7) of poses in a frame, in the base."""
    moved = np.empty_like(rows)
    # Not by a matrix product: for that BLAS takes threads of its own, and waits for them longer
    # than all of this lasts when the processors are busy.
    np.einsum('ij,bj->bi', T_base_frame[:3, :3], rows[:, :3], out=moved[:, :3])
    moved[:, :3] += T_base_frame[:3, 3]
    # The product of two quaternions is linear in the second.
    x, y, z, w = quaternion_from_matrix(T_base_frame[:3, :3])
    left = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    np.einsum('ij,bj->bi', left, rows[:, 3:], out=moved[:, 3:])
    return moved


def _columns(names: Sequence[str], own: Sequence[str]) -> list[int]:
    """Where in `own` each name is; without names everywhere."""
    index = {name: column for column, name in enumerate(own)}
    columns: list[int] = []
    for name in names or own:
        if name not in index:
            raise UnknownNameError(
                'joint', name, own, ' among the independent joints of the group'
            )
        if index[name] in columns:
            raise InvalidSeedError(f'joint_names has {name!r} more than once')
        columns.append(index[name])
    return columns
