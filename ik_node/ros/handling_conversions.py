# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Every conversion between messages and the handling of groups; see `conversions`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import ik_node
from ik_node import CalculationFlag, HandleResult
from ik_node.environment.scene import Scene
from ik_node.errors import InvalidOptionError
from ik_node.model.walk import coordinate_names
from ik_node.ros.object_conversions import pose_in_world
from ik_node.ros.serving import Request
from ik_node.ros.settings import Settings
import numpy as np
from numpy.typing import NDArray

from ik_node_interfaces.msg import ElementPrecision, Status
from ik_node_interfaces.msg import HandleResult as HandleResultMessage

_IDLE = CalculationFlag.NOT_PERFORMED | CalculationFlag.CANNOT_INVERT


def handling_timeout(timeout: float, settings: Settings) -> float:
    """
    Time of a handling [s].

    Raises
    ------
    InvalidOptionError
        A negative number or NaN.

    """
    # Written so that NaN fails it as well.
    if not timeout >= 0.0:
        raise InvalidOptionError(
            f'timeout is {timeout}; give a positive number, or 0 for the longest there is'
        )
    return min(timeout or settings.max_timeout, settings.max_timeout)


def target_poses(
    request: Request, environment: ik_node.Environment
) -> dict[int, NDArray[np.float64]]:
    """
    Where a request wants dummies to be.

    Parameters
    ----------
    request : message
        Its `targets` and `target_poses`.
    environment : Environment
        As it is before one of them is moved.

    Returns
    -------
    dict of int to (4, 4) float64
        Pose in the world [m] by identity, parents first: what hangs on a target that is moved
        is moved with it, and to its own place afterwards.

    Raises
    ------
    UnknownNameError
        A target that is no dummy.
    InvalidOptionError
        Names and poses differ in number, or a name comes twice.
    InvalidTargetError
        A pose is no pose, or no object has the name of its frame.

    """
    names, poses = list(request.targets), request.target_poses
    if len(names) != len(poses):
        raise InvalidOptionError(
            f'there are {len(names)} targets and {len(poses)} target_poses; give one pose for '
            'each target'
        )
    wanted = {}
    for name, pose in zip(names, poses, strict=True):
        uid = environment.dummy(name).uid
        if uid in wanted:
            raise InvalidOptionError(f'targets names {name!r} twice; name each once')
        wanted[uid] = pose_in_world(pose, environment, f'target {name!r}')
    order = environment.scene.index
    return dict(sorted(wanted.items(), key=lambda item: order[item[0]]))


def result_message(
    environment: ik_node.Environment,
    groups: Sequence[ik_node.Group],
    result: HandleResult,
) -> HandleResultMessage:
    """Message, without a time stamp, about a handling that has just been made."""
    message = HandleResultMessage(
        flags=int(result.flags),
        groups=[group.name for group in groups],
        iterations=result.iterations,
        linear_error=result.linear_error,
        angular_error=result.angular_error,
        limit_hits=list(result.limit_hits),
        limit_hit_amounts=array('d', result.limit_hits.values()),
    )
    for error in result.elements:
        element = environment.group(error.group).element(error.number)
        message.elements.append(
            ElementPrecision(
                group=error.group,
                number=error.number,
                tip=element.tip.name,
                linear_error=error.linear_error,
                angular_error=error.angular_error,
                within=error.linear_within and error.angular_within,
            )
        )
    joints = dict.fromkeys(name for group in groups if group.enabled for name in group.joints)
    positions = _positions(environment.scene, joints)
    message.joint_state.name = list(positions)
    message.joint_state.position = array('d', positions.values())
    return message


def told(groups: Sequence[ik_node.Group], message: HandleResultMessage) -> str:
    """
    Say what handling came to.

    Parameters
    ----------
    groups : sequence of Group
        The groups of the message.
    message : HandleResult
        What became of them.

    Returns
    -------
    str

    """
    who = 'group ' if len(groups) == 1 else 'groups '
    who += ', '.join(repr(group.name) for group in groups)
    if message.flags & CalculationFlag.NOT_PERFORMED:
        return f'{who}: nothing was done: {_idle(groups)}'
    if message.flags & CalculationFlag.CANNOT_INVERT:
        return f'{who}: nothing to reach: no tip has a target, or nothing is constrained'
    after = f'after {message.iterations} iteration{"s" * (message.iterations != 1)}'
    missed = [element for element in message.elements if not element.within]
    if message.flags & CalculationFlag.NOT_WITHIN_TOLERANCE:
        text = f'{who}: not within precision {after}'
        if missed:
            text += ': ' + ', '.join(
                f'{one.tip!r} of group {one.group!r} misses its target by {one.linear_error:g} m '
                f'and {one.angular_error:g} rad'
                for one in missed
            )
    else:
        text = f'{who}: within precision {after}'
    if message.limit_hits:
        hits = zip(message.limit_hits, message.limit_hit_amounts, strict=True)
        text += '; at their limits (beyond them in rad or m): ' + ', '.join(
            f'{name!r} ({amount:+g})' for name, amount in hits
        )
    return text + ('; the joints went back' if _restored(groups, missed) else '')


def handling_status(results: Iterable[HandleResultMessage]) -> int:
    """Constant of `ik_node_interfaces/msg/Status` for what handling came to."""
    flags = [CalculationFlag(result.flags) for result in results]
    if all(one & _IDLE for one in flags):
        return int(Status.INVALID_STATE)
    bad = _IDLE | CalculationFlag.NOT_WITHIN_TOLERANCE
    return int(Status.NOT_WITHIN_TOLERANCE if any(one & bad for one in flags) else Status.SUCCESS)


def _positions(scene: Scene, joints: Iterable[str]) -> dict[str, float]:
    """Positions of joints, then of those that follow them [rad or m]."""
    positions, followers = {}, {}
    for name in joints:
        at = scene.position(name)
        if isinstance(at, float):
            positions[name] = at
            for follower, drive in scene.mechanism.followers(name):
                followers[follower.name] = drive.position(at)
        else:
            names = coordinate_names(scene.mechanism.joint(name))
            positions |= zip(names, at, strict=True)
    return positions | followers


def _idle(groups: Sequence[ik_node.Group]) -> str:
    """Tell why groups were not handled."""
    enabled = [group for group in groups if group.enabled]
    if not enabled:
        return 'none of them is enabled' if len(groups) > 1 else 'it is not enabled'
    lacking = ', '.join(repr(group.name) for group in enabled if not group.joints)
    return (
        f'no element of {lacking} can be used; one must be enabled, with a tip that hangs on its '
        'base and a joint between them that can move'
    )


def _restored(groups: Sequence[ik_node.Group], missed: Sequence[ElementPrecision]) -> bool:
    """Tell whether the first group took the joints back to where they were."""
    first = next(group for group in groups if group.enabled)
    by_name = {group.name: group for group in groups}
    for one in missed:
        element = by_name[one.group].element(one.number)
        far = one.linear_error > element.linear_precision
        turned = one.angular_error > element.angular_precision
        if (far and first.restore_on_bad_linear_tolerance) or (
            turned and first.restore_on_bad_angular_tolerance
        ):
            return True
    return False
