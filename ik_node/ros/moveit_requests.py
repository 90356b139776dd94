# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a request in MoveIt's interfaces asks, and the answer to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import ik_node
from ik_node.errors import InvalidArgumentError, InvalidTargetError, UnknownNameError
from ik_node.moveit import ErrorCode, PluginSettings
from ik_node.moveit.attachment import carrying_tip, tips_of
from ik_node.moveit.constraint_set import ConstraintSet
from ik_node.moveit.search import Found, search, Tuning
from ik_node.moveit.trial import Trial
from ik_node.ros.conversions import matrix_from_pose
from ik_node.ros.errors import MoveItRefusal
from ik_node.ros.moveit_constraint_conversions import constraints_from
from ik_node.ros.moveit_conversions import requested_state, RequestedState, seconds
from ik_node.ros.settings import Settings
import numpy as np
from numpy.typing import NDArray


class Rejection(NamedTuple):
    """Why a candidate is not valid."""

    reason: str
    """A sentence."""
    code: int = ErrorCode.NO_IK_SOLUTION
    """What the request is answered with when every candidate is rejected."""


Validity = Callable[[ik_node.Environment, str, Mapping[str, float]], 'Rejection | None']
"""
Called with the environment, the name of the group and the positions of all joints in a candidate;
answers None where it is valid. What a collision model is to be plugged into. It is called in the
threads of searches, several at once.
"""

#: T_base_frame of the frame that a pose is given in, and T_frame_tip.
_Placed = tuple[NDArray[np.float64], NDArray[np.float64]]

#: Malformed constraints can be many; the message of an answer is for people.
MOST_NOTES = 12

NO_COLLISION_MODEL = 'avoid_collisions was not honoured: ik_node has no collision model'


@dataclass(frozen=True)
class InverseRequest:
    """A `PositionIKRequest`, read and checked."""

    group: ik_node.Group
    state: RequestedState
    targets: Mapping[str, Any]
    """T_base_tip by tip, or a target of another kind."""
    constraints: ConstraintSet
    timeout: float
    """[s]"""
    timed: bool
    """Whether the request gave the timeout."""
    tuning: Tuning
    max_starts: int | None
    """1: only from the seed, as the parameters of the group ask."""
    validity: Validity | None
    notes: tuple[str, ...]
    """What the answer has to say besides."""

    @property
    def plain(self) -> bool:
        """Whether nothing is judged and nothing narrowed: then most answers are there at once."""
        return not self.constraints and self.validity is None

    def answer(self, timeout: float | None = None) -> tuple[Found, dict[str, float]]:
        """
        Search.

        Parameters
        ----------
        timeout : float, optional
            [s]; None: that of the request.

        Returns
        -------
        found : Found
        positions : dict of str to float
            Of all joints of the robot, those that follow others included [rad or m].

        """
        accept = self._accept if self.constraints or self.validity else None
        try:
            trial = Trial(self.group, self.state.positions, self.constraints.limits)
        except InvalidArgumentError as error:
            raise MoveItRefusal(ErrorCode.NO_IK_SOLUTION, str(error)) from None
        found = search(
            trial,
            self.targets,
            self.timeout if timeout is None else timeout,
            accept=accept,
            tuning=self.tuning,
            timed=self.timed,
            max_starts=self.max_starts,
        )
        notes = [found.message, *self.notes, *self.constraints.notes]
        if not found.success and accept is not None and 'rejected' in found.message:
            rejection = self._rejection(found.q)
            if rejection is not None:
                notes[0] += f'; the nearest of them: {rejection.reason[:200]}'
        if len(notes) > MOST_NOTES:
            notes[MOST_NOTES:] = [f'and {len(notes) - MOST_NOTES} sentences more']
        return found._replace(message='; '.join(notes)), self._positions(found.q)

    def _positions(self, q: NDArray[np.float64]) -> dict[str, float]:
        laid = {**self.state.positions, **self.group.named_positions(q)}
        return self.state.frames.joint_positions(laid)

    def _rejection(self, q: NDArray[np.float64]) -> Rejection | None:
        violated = self.constraints.violation(q)
        if violated:
            return Rejection(violated)
        if self.validity is None:
            return None
        return self.validity(self.group.environment, self.group.name, self._positions(q))

    def _accept(self, q: NDArray[np.float64]) -> int:
        rejection = self._rejection(q)
        if rejection is None:
            return ErrorCode.SUCCESS
        # A hook that rejects with the code of success, or with none, still rejects.
        told = int(rejection.code)
        return ErrorCode.NO_IK_SOLUTION if told in (0, ErrorCode.SUCCESS) else told


def inverse_request(
    request: Any,
    environment: ik_node.Environment,
    settings: Settings,
    of_group: Callable[[str, PluginSettings], PluginSettings],
    validity: Validity | None = None,
) -> InverseRequest:
    """
    Read a `moveit_msgs/msg/PositionIKRequest`.

    Parameters
    ----------
    request : PositionIKRequest
        Any.
    environment : Environment
        The robot and its groups.
    settings : Settings
        Defaults of the node.
    of_group : callable
        What a kinematics.yaml says about a group; None: nothing.
    validity : callable, optional
        Whether candidates are valid, where the request avoids collisions.

    Returns
    -------
    InverseRequest

    Raises
    ------
    MoveItRefusal
        It cannot be answered with a solution, with the code that says why.

    """
    group = _group(request.group_name, environment)
    state = requested_state(request.robot_state, environment)
    notes = []
    checked = None
    if request.avoid_collisions:
        checked = validity
        if validity is None:
            notes.append(NO_COLLISION_MODEL)
    found, malformed = constraints_from(request.constraints)
    tuning = Tuning(
        settings.position_tolerance,
        settings.orientation_tolerance,
        random_seed=settings.random_seed,
    )
    defaults = PluginSettings(timeout=settings.moveit_timeout, tuning=tuning)
    own = of_group(group.name, defaults)
    timeout, timed, note = _timeout(request.timeout, own.timeout, settings.max_timeout)
    placed = _targets(request, group, state)
    targets: dict[str, Any] = {}
    for tip, (T_base_frame, T_frame_tip) in placed.items():
        if own.target_class is None:
            targets[tip] = T_base_frame @ T_frame_tip
        else:
            # What of the pose counts is measured in its frame: x and y are those of the frame.
            part = own.target_class.from_pose(T_frame_tip, own.tuning.direction)
            targets[tip] = part.transformed(T_base_frame)
    return InverseRequest(
        group,
        state,
        targets,
        ConstraintSet(group, state.frames, state.positions, found),
        timeout,
        timed,
        own.tuning,
        1 if own.single_start else None,
        checked,
        tuple([*notes, *malformed, *note]),
    )


def _group(name: str, environment: ik_node.Environment) -> ik_node.Group:
    groups = environment.groups
    if name in groups:
        return groups[name]
    semantics = environment.semantics
    if semantics is not None and name in semantics.groups:
        raise MoveItRefusal(
            ErrorCode.INVALID_GROUP_NAME,
            f'group {name!r} is no chain, nor a union of chains: {semantics.groups[name].reason}',
        )
    raise MoveItRefusal(ErrorCode.INVALID_GROUP_NAME, str(UnknownNameError('group', name, groups)))


def _timeout(duration: Any, default: float, limit: float) -> tuple[float, bool, list[str]]:
    given, default = seconds(duration), min(default, limit)
    if given < 0.0:
        return default, False, [f'timeout {given:g} s is negative; {default:g} s were taken']
    if given > limit:
        return limit, True, [f'timeout {given:g} s was shortened to max_timeout, {limit:g} s']
    return (given, True, []) if given else (default, False, [])


def _targets(request: Any, group: ik_node.Group, state: RequestedState) -> dict[str, _Placed]:
    poses, links = list(request.pose_stamped_vector), list(request.ik_link_names)
    if len(poses) < 2:
        # As move_group reads it: one of a vector counts before the single fields.
        wanted = [
            (poses[0], links[0] if links else '')
            if poses
            else (request.pose_stamped, request.ik_link_name)
        ]
    elif len(poses) != len(links):
        raise MoveItRefusal(
            ErrorCode.INVALID_LINK_NAME,
            f'pose_stamped_vector has {len(poses)} poses and ik_link_names {len(links)} names; '
            'give a link for each pose',
        )
    else:
        wanted = list(zip(poses, links, strict=True))
    targets: dict[str, _Placed] = {}
    for pose, link in wanted:
        tip, placed = _target(pose, link, group, state)
        if tip in targets:
            raise MoveItRefusal(
                ErrorCode.INVALID_LINK_NAME,
                f'{link!r} and another link both hang on the tip {tip!r} of group {group.name!r}; '
                'give one pose for each tip',
            )
        targets[tip] = placed
    # As move_group does: a tip without a pose stays where the state has it.
    for element in group.elements:
        if element.enabled and element.tip.name not in targets:
            base = 'world' if element.base is None else element.base.name
            T_world_base, T_world_tip = state.frames.poses(
                [base, element.tip.name], state.positions
            )
            targets[element.tip.name] = np.eye(4), np.linalg.inv(T_world_base) @ T_world_tip
    return targets


def _target(
    pose: Any, link: str, group: ik_node.Group, state: RequestedState
) -> tuple[str, _Placed]:
    """Find which tip is meant, and the pose of it that brings the link to its own."""
    link = link.removeprefix('/')  # as MoveIt does with links, but not with frames of poses
    frame = pose.header.frame_id
    if frame not in state.frames:
        names = [*group.environment.link_names, state.frames.model_frame]
        raise MoveItRefusal(
            ErrorCode.FRAME_TRANSFORM_FAILURE,
            f'the frame of the pose must be a link of the robot, an attached body or the model '
            f'frame: {UnknownNameError("frame", frame, names)}',
        )
    try:
        T_frame_link = matrix_from_pose(pose.pose)
    except InvalidTargetError as error:
        raise MoveItRefusal(ErrorCode.INVALID_GOAL_CONSTRAINTS, str(error)) from None
    if link and link not in state.frames:
        sentence = str(UnknownNameError('link', link, group.environment.link_names))
        raise MoveItRefusal(ErrorCode.INVALID_LINK_NAME, sentence)
    try:
        tip = carrying_tip(group, state.frames.place(link).link) if link else tips_of(group)[0]
    except (UnknownNameError, InvalidArgumentError) as error:
        raise MoveItRefusal(ErrorCode.INVALID_LINK_NAME, str(error)) from None
    element = next(e for e in group.elements if e.enabled and e.tip.name == tip)
    base = 'world' if element.base is None else element.base.name
    T_world_base, T_world_tip, T_world_link, T_world_frame = state.frames.poses(
        [base, tip, link or tip, frame], state.positions
    )
    T_link_tip = np.linalg.inv(T_world_link) @ T_world_tip
    return tip, (np.linalg.inv(T_world_base) @ T_world_frame, T_frame_link @ T_link_tip)
