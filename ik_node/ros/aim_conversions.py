# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Conversions between requests and what `Group.solve` takes for targets; see `conversions`.

A group has a target for each of its elements, so they are told apart by the names of their tips,
or, where no target names one, by their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from geometry_msgs.msg import PoseStamped
import ik_node
from ik_node.environment.objects import SceneObject
from ik_node.environment.request import Targets
from ik_node.environment.scene import Scene
from ik_node.errors import InvalidTargetError
from ik_node.ros.conversions import target_in_base, tips_of
from ik_node.ros.frames import frame_seen_from
from ik_node.ros.place import Place
from ik_node.ros.target_conversions import seen_from, tool_direction, Wanted, wanted

from ik_node_interfaces.msg import Target


class Aim(NamedTuple):
    """What a request wants of the tips of a group."""

    target: Targets | None
    """As for `Group.solve`."""
    direction: tuple[float, float, float] | None
    """Of the tool in the tip; None: that of the group."""


def aim_of(request: Any, place: Place) -> Aim:
    """
    Find what a request wants.

    Parameters
    ----------
    request
        With `target`, `targets` and `tool_direction`.
    place : Place
        The group, and where the robot stands.

    Returns
    -------
    Aim

    Raises
    ------
    InvalidTargetError
        A target means nothing, or it is not clear whose it is.

    """
    direction = tool_direction(request.tool_direction)
    elements = tips_of(place.group)
    if request.targets:
        pose = PoseStamped(pose=request.target.pose)
        pose.header.frame_id = request.target.header.frame_id
        if pose != PoseStamped():
            raise InvalidTargetError(
                'target and targets are given; leave target as it is by default, or make it one '
                "of targets, of type 'pose'"
            )
        return Aim(_targets(request.targets, elements, place), direction)
    if len(elements) > 1:
        raise InvalidTargetError(
            f'group {place.group.name!r} has {len(elements)} elements and target is for one; give '
            f'targets, one for each of the tips {_names(elements)}, or one of type '
            "'dummy' for the targets that they have by themselves"
        )
    return Aim(target_in_base(request.target, place.group, place.positions), direction)


def _targets(
    messages: Sequence[Target], elements: Sequence[ik_node.Element], place: Place
) -> Targets | None:
    if len(messages) == 1 and messages[0].type.lower() == 'dummy' and not messages[0].tip:
        wanted(messages[0])  # refuses what has other values
        return None
    place.group.prepared()  # refuses a group that cannot be solved
    found: list[Wanted] = [None] * len(elements)
    scene = place.environment.overlaid(place.positions)
    order = order_of([message.tip for message in messages], elements, 'targets')
    for number, (at, message) in enumerate(zip(order, messages, strict=True)):
        try:
            found[at] = _in_base(message, elements[at].base, place.environment, scene)
        except InvalidTargetError as error:
            raise InvalidTargetError(f'targets[{number}]: {error}') from error
    return _arranged(found, elements)


def order_of(named: Sequence[str], elements: Sequence[ik_node.Element], what: str) -> list[int]:
    """
    Find the element of each part of a request.

    Parameters
    ----------
    named : sequence of str
        Name of the tip in each part; empty: by their order.
    elements : sequence of Element
        Of the group.
    what : str
        The field, for an error.

    Returns
    -------
    list of int

    Raises
    ------
    InvalidTargetError
        There are more or less parts than elements, or a name means no tip or several.

    """
    tips = [element.tip.name for element in elements]
    if not any(named):
        if len(named) != len(elements):
            raise InvalidTargetError(
                f'{what} has {len(named)} {what} without a tip, and the group has '
                f'{len(elements)} elements; give one for each of {_names(elements)}, or name tips'
            )
        return list(range(len(elements)))
    if not all(named):
        raise InvalidTargetError(
            f'some of {what} name a tip and some do not; name it in all of them or in none'
        )
    for number, name in enumerate(named):
        if tips.count(name) != 1 or name in named[:number]:
            problem = 'is named twice' if name in tips else 'is no tip of the group'
            if tips.count(name) > 1:
                problem = f'is the tip of several elements: give {what} in order, without names'
            raise InvalidTargetError(
                f'{what}[{number}]: {name[:80]!r} {problem}; its tips are {_names(elements)}'
            )
    return [tips.index(name) for name in named]


def _arranged(found: list[Wanted], elements: Sequence[ik_node.Element]) -> Targets | None:
    """Put targets into a form that `Group.solve` takes."""
    if len(found) == 1:
        return found[0]
    tips = [element.tip.name for element in elements]
    if len(set(tips)) == len(tips):
        given = {
            tip: target for tip, target in zip(tips, found, strict=True) if target is not None
        }
        return given or None
    every = [target for target in found if target is not None]
    if len(every) == len(found):
        return every
    if every:
        raise InvalidTargetError(
            'a tip of the group belongs to several elements, so either all of targets are of type '
            "'dummy' or none is"
        )
    return None


def _in_base(
    message: Target, base: SceneObject | None, environment: ik_node.Environment, scene: Scene
) -> Wanted:
    """Give the target of a message in the base of its element."""
    target, frame = wanted(message), message.header.frame_id
    try:
        T_base_frame = frame_seen_from(base, frame, environment, scene)
    except InvalidTargetError as error:
        raise InvalidTargetError(f'header.{error}') from error
    if T_base_frame is None:
        return target
    try:
        return seen_from(target, T_base_frame)
    except InvalidTargetError as error:
        raise InvalidTargetError(f'in the frame {frame!r}: {error}') from error


def _names(elements: Sequence[ik_node.Element]) -> str:
    return ', '.join(repr(element.tip.name) for element in elements)
