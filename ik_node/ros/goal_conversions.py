# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and secondary goals of a solve; see `conversions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import ik_node
from ik_node.constraints.rigid import Rigid
from ik_node.errors import InvalidOptionError, InvalidTargetError
from ik_node.ros.conversions import repeated, tips_of
from ik_node.ros.frames import frame_seen_from
from ik_node.ros.place import Place
from ik_node.solvers.secondary_goals import SecondaryGoal

from ik_node_interfaces.msg import Goal

#: Each is looked at in every step.
MOST_GOALS = 32

_DEFAULT = Goal()
_COMMON = ('kind', 'weight')
_FIELDS = tuple(name for name in Goal.get_fields_and_field_types() if name not in _COMMON)


def goals_of(
    messages: Sequence[Goal], place: Place, where: str = 'options.'
) -> list[SecondaryGoal]:
    """
    Goals of a request, in their order.

    Parameters
    ----------
    messages : sequence of Goal
        Any values.
    place : Place
        The group, and where the robot stands: frames are taken there.
    where : str
        What stands before `goals` in the sentence of an error.

    Returns
    -------
    list of SecondaryGoal

    Raises
    ------
    InvalidOptionError
        No goal has that name, a value means nothing, or a field has one that the kind does not
        read; with the number of the goal. Or there are more than `MOST_GOALS`.

    """
    if len(messages) > MOST_GOALS:
        raise InvalidOptionError(
            f'{where}goals has {len(messages)} goals; there are at most {MOST_GOALS}'
        )
    found = []
    for number, message in enumerate(messages):
        try:
            found.append(_goal(message, place))
        except (InvalidOptionError, InvalidTargetError) as error:
            raise InvalidOptionError(f'{where}goals[{number}]: {error}') from error
    return found


def _goal(message: Goal, place: Place) -> SecondaryGoal:
    kind = message.kind.lower()
    if kind not in _KINDS:
        known = ', '.join(name for name, _, _ in _KINDS.values())
        raise InvalidOptionError(f'kind is {message.kind[:80]!r}; it must be one of {known}')
    name, reads, make = _KINDS[kind]
    for field in _FIELDS:
        # NaN counts as given.
        if field not in reads and getattr(message, field) != getattr(_DEFAULT, field):
            raise InvalidOptionError(
                f'{field} has a value, but {name} reads {", ".join((*reads, "weight"))}; leave '
                f'{field} out'
            )
    goal = make(message)
    if isinstance(goal, ik_node.Keep) and message.frame_id:
        return _kept_in(goal, message.frame_id, place)
    return goal


def _posture(message: Goal) -> ik_node.Posture:
    names, positions = list(message.joint_names), list(message.positions)
    if len(names) != len(positions):
        raise InvalidOptionError(
            f'there are {len(names)} joint_names and {len(positions)} positions; give one '
            'position for each joint'
        )
    if not names:
        raise InvalidOptionError('a Posture has no joint_names; name a joint, with its position')
    twice = repeated(names)
    if twice is not None:
        raise InvalidOptionError(f'joint_names has {twice[:80]!r} more than once')
    return ik_node.Posture(dict(zip(names, positions, strict=True)), message.weight)


def _keep(message: Goal) -> ik_node.Keep:
    point, direction, axis = (
        (vector.x, vector.y, vector.z)
        for vector in (*(message.point or [_DEFAULT.axis]), message.direction, message.axis)
    )
    if not (len(message.point) or any(direction)):
        raise InvalidOptionError(
            'a Keep has neither point nor direction; give one of them, or both'
        )
    if any(axis) and not any(direction):
        raise InvalidOptionError('axis has a value, but there is no direction for it to have')
    return ik_node.Keep(
        # An error has the name in it, and no object has one of that length.
        message.link[:256],
        point if len(message.point) else None,
        direction if any(direction) else None,
        axis if any(axis) else (0.0, 0.0, 1.0),
        message.weight,
    )


def _kept_in(goal: ik_node.Keep, frame: str, place: Place) -> ik_node.Keep:
    """See what is given in a frame from the base of the first element, as the library does."""
    base = tips_of(place.group)[0].base
    scene = place.environment.overlaid(place.positions)
    T_base_frame = frame_seen_from(base, frame, place.environment, scene)
    if T_base_frame is None:
        return goal
    motion = Rigid.trusted(T_base_frame)
    return replace(
        goal,
        point=None if goal.point is None else motion.moved(goal.point),
        direction=None if goal.direction is None else motion.turned(goal.direction),
    )


_Row = tuple[str, tuple[str, ...], Callable[[Goal], SecondaryGoal]]
_ROWS: tuple[_Row, ...] = (
    ('NearSeed', (), lambda message: ik_node.NearSeed(message.weight)),
    ('Centre', (), lambda message: ik_node.Centre(message.weight)),
    (
        'KeepOffLimits',
        ('margin',),
        lambda message: ik_node.KeepOffLimits(message.margin, message.weight),
    ),
    ('Posture', ('joint_names', 'positions'), _posture),
    ('Manipulability', (), lambda message: ik_node.Manipulability(message.weight)),
    ('Keep', ('link', 'frame_id', 'point', 'direction', 'axis'), _keep),
)
_KINDS = {row[0].lower(): row for row in _ROWS}
