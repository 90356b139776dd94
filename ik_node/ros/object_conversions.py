# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Every conversion between messages and objects, joints and groups; see `conversions`.

Poses go out from one scene, so the parts of an answer belong to one moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped, Quaternion, Vector3
import ik_node
from ik_node.environment.objects import SceneObject
from ik_node.environment.scene import Scene, WORLD_UID
from ik_node.environment.store import ObjectStore
from ik_node.errors import (
    IkNodeError,
    InvalidArgumentError,
    InvalidOptionError,
    InvalidStateError,
    InvalidTargetError,
    UnknownNameError,
)
from ik_node.model.objects import Frame, Joint, JointKind, Thing, WORLD
from ik_node.model.quaternions import quat_from_rotation_vector
from ik_node.model.walk import inverse, motion
from ik_node.ros.conversions import doubles, matrix_from_pose, pose_from_matrix
import numpy as np
from numpy.typing import NDArray

from ik_node_interfaces.msg import ElementInfo, GroupInfo, JointInfo, ObjectInfo

#: What can be switched on a group.
SWITCHES = (
    'enabled',
    'ignore_max_steps',
    'restore_on_bad_linear_tolerance',
    'restore_on_bad_angular_tolerance',
    'stop_on_limit_hit',
    'avoid_limits',
)

#: Attributes of an element that go into a message as they are.
ELEMENT_ATTRIBUTES = (
    'linear_precision',
    'angular_precision',
    'linear_weight',
    'angular_weight',
    'weight',
    'enabled',
)


class Poses:
    """
    Poses of the objects of a scene, each computed once.

    Parameters
    ----------
    scene : Scene
        One moment of an environment.
    reference : SceneObject or None
        What poses are relative to (a joint: its moving frame); None: the world.
    in_parent : bool
        Instead: relative to what each object hangs on.

    """

    def __init__(
        self, scene: Scene, reference: SceneObject | None = None, in_parent: bool = False
    ) -> None:
        self._scene = scene
        self._in_parent = in_parent
        # Parents stand before children, so one pass is enough, however deep the tree.
        self._fixed: list[NDArray[np.float64]] = []
        moving: list[NDArray[np.float64]] = []
        if in_parent:
            return
        for thing in scene.mechanism.objects:
            at = thing.T_parent_self
            if thing.parent != WORLD:
                at = np.matmul(moving[thing.parent], at)
            self._fixed.append(at)
            if isinstance(thing, Joint):
                at = np.matmul(at, motion(thing, scene.position(thing.name)))
            moving.append(at)
        index = WORLD if reference is None else scene.index[reference.uid]
        self._T_reference_world = np.eye(4) if index == WORLD else inverse(moving[index])

    def __call__(self, index: int) -> Pose:
        """Give the pose of an object, of a joint its fixed frame."""
        if self._in_parent:
            return pose_from_matrix(self._scene.mechanism.objects[index].T_parent_self)
        return pose_from_matrix(self._T_reference_world @ self._fixed[index])


def object_message(scene: Scene, index: int, poses: Poses) -> ObjectInfo:
    """Message about an object."""
    thing = scene.mechanism.objects[index]
    return ObjectInfo(
        name=thing.name,
        type='joint' if isinstance(thing, Joint) else 'dummy',
        parent=_parent(scene, thing),
        pose=poses(index),
        target=(thing.target or '') if isinstance(thing, Frame) else '',
    )


def joint_message(scene: Scene, index: int, poses: Poses) -> JointInfo:
    """Message about a joint."""
    joint = scene.mechanism.objects[index]
    assert isinstance(joint, Joint)
    at = scene.position(joint.name)
    dependency = joint.dependency
    message = JointInfo(
        name=joint.name,
        kind=joint.kind.value,
        parent=_parent(scene, joint),
        pose=poses(index),
        passive=joint.passive,
        cyclic=joint.cyclic,
        lower=joint.limits[0],
        upper=joint.limits[1],
        screw_lead=joint.screw_lead,
        weight=joint.weight,
        max_step=joint.max_step,
        limit_margin=joint.limit_margin,
        velocity=joint.velocity,
        motion=pose_from_matrix(motion(joint, at)),
    )
    if isinstance(at, float):
        message.position = at
    else:
        x, y, z, w = quat_from_rotation_vector(at).tolist()
        message.orientation = Quaternion(x=x, y=y, z=z, w=w)
    if dependency is not None:
        message.master = dependency.master
        message.follows_function = dependency.function is not None
        message.multiplier, message.offset = dependency.multiplier, dependency.offset
    return message


def group_message(group: ik_node.Group) -> GroupInfo:
    """Message about a group; of one that cannot be used with the reason."""
    message = GroupInfo(
        name=group.name,
        method=group.method.name.lower(),
        damping=group.damping,
        max_iterations=group.max_iterations,
        elements=[_element_message(element) for element in group.elements],
    )
    for switch in SWITCHES:
        setattr(message, switch, getattr(group, switch))
    x, y, z = group.direction
    message.tool_direction = Vector3(x=x, y=y, z=z)
    try:
        message.base, message.tip = group.base, group.tip
        message.joint_names = list(group.joint_names)
        message.lower, message.upper = doubles(group.lower), doubles(group.upper)
    except IkNodeError as error:
        message.joint_names = []
        message.problem = str(error)
    return message


def _element_message(element: ik_node.Element) -> ElementInfo:
    record = element.record
    message = ElementInfo(constraints=int(record.constraints))
    for attribute in ELEMENT_ATTRIBUTES:
        setattr(message, attribute, getattr(record, attribute))
    for end in ('tip', 'base', 'constraints_base'):
        try:
            thing = getattr(element, end)
            name = '' if thing is None else thing.name
        except InvalidStateError:
            name = ''  # erased; `problem` says so
        setattr(message, end, name)
    if record.constraints_base == WORLD_UID:
        message.constraints_base = 'world'
    return message


def find_object(store: ObjectStore, name: str, kind: str = '') -> SceneObject:
    """
    Find an object by its name in a message.

    Parameters
    ----------
    store : ObjectStore
        Where to look.
    name : str
        Its name.
    kind : str
        'dummy', 'joint', or empty for either; then a link comes before a joint of the same name,
        as it does at the ends of a group.

    Raises
    ------
    UnknownNameError
        No object has this name.
    InvalidOptionError
        Another kind.

    """
    check_type(kind)
    mechanism = store.mechanism
    if kind == 'dummy' or (not kind and name in mechanism.frame_indices):
        return store.dummy(name)
    if kind == 'joint' or name in mechanism.joint_indices:
        return store.joint(name)
    raise UnknownNameError('object', name, [thing.name for thing in mechanism.objects])


def check_type(kind: str) -> None:
    """
    Refuse what is no type of objects.

    Raises
    ------
    InvalidOptionError
        Names the types.

    """
    if kind not in ('', 'dummy', 'joint'):
        raise InvalidOptionError(
            f"type is {kind[:80]!r}; it must be 'dummy', 'joint' or empty for both"
        )


def find_reference(store: ObjectStore, name: str) -> SceneObject | None:
    """
    Find what a pose is relative to, or what an object hangs on.

    Returns
    -------
    SceneObject or None
        None for the world: an empty name, or 'world' where no object has it.

    """
    if not name or (name == 'world' and name not in store):
        return None
    return find_object(store, name)


def pose_in_world(pose: PoseStamped, store: ObjectStore, what: str) -> NDArray[np.float64]:
    """
    Transform (4, 4) of a stamped pose in the world [m].

    Parameters
    ----------
    pose : PoseStamped
        Its `header.frame_id` names any object (a joint: its moving frame); empty: the world.
    store : ObjectStore
        Where the object stands.
    what : str
        Whose pose it is, for the sentence of an error.

    Raises
    ------
    InvalidTargetError
        The pose is no pose, or no object has the name of the frame.

    """
    T_frame_self = matrix_from_pose(pose.pose, what)
    try:
        frame = find_reference(store, pose.header.frame_id)
    except UnknownNameError as error:
        raise InvalidTargetError(
            f'the frame of the {what} must be an object, or empty for the world: {error}'
        ) from None
    if frame is None:
        return T_frame_self
    scene = store.scene
    return np.asarray(scene.T_world(scene.index[frame.uid]) @ T_frame_self, dtype=np.float64)


def chosen(fields: Sequence[str], allowed: Iterable[str], *, create: bool) -> frozenset[str]:
    """
    Check which fields a request wants to apply.

    Raises
    ------
    InvalidOptionError
        None in an edit, an unknown one, or one twice.

    """
    known = tuple(allowed)
    if not fields and not create:
        raise InvalidOptionError(
            'fields is empty, so nothing would be edited; name what to apply, of '
            + ', '.join(known)
        )
    for field in fields:
        if field not in known:
            raise InvalidOptionError(str(UnknownNameError('field', field, known)))
    if len(set(fields)) != len(fields):
        raise InvalidOptionError('fields names one of them twice; name each once')
    return frozenset(fields)


def refuse_ignored(wanted: Any, present: Any, fields: frozenset[str], skip: Iterable[str]) -> None:
    """
    Refuse a value that would silently not be applied.

    Parameters
    ----------
    wanted : message
        What a request carries.
    present : message
        The same of what it is about: a value that is so already is no contradiction.
    fields : frozenset of str
        What the request applies.
    skip : iterable of str
        Fields that say which object it is, or that are only told.

    Raises
    ------
    InvalidOptionError
        Names the field.

    """
    default = type(wanted)()
    for field in wanted.get_fields_and_field_types():
        if field in fields or field in skip:
            continue
        value = getattr(wanted, field)
        if value not in (getattr(default, field), getattr(present, field)):
            raise InvalidOptionError(
                f'{field} has a value, but fields does not name it, so it would be ignored; add '
                f'{field!r} to fields, or leave the value out'
            )


def quaternion(message: Quaternion) -> tuple[float, float, float, float]:
    """Numbers x, y, z, w of a message."""
    return message.x, message.y, message.z, message.w


def joint_kind(name: str) -> JointKind:
    """
    Kind of a joint from its name in a message.

    Raises
    ------
    InvalidArgumentError
        No kind has this name.

    """
    try:
        return JointKind(name)
    except ValueError:
        kinds = ', '.join(repr(kind.value) for kind in JointKind)
        raise InvalidArgumentError(
            f'kind is {name[:80]!r}; to create a joint it must be one of {kinds}'
        ) from None


def _parent(scene: Scene, thing: Thing) -> str:
    return '' if thing.parent == WORLD else scene.mechanism.objects[thing.parent].name
