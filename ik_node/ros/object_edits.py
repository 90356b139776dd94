# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Applying the fields of a request to an object or a joint.

The order is ours and not that of the request: what a later step needs, such as limits for a screw
lead, is there when it comes.
"""

from __future__ import annotations

from ik_node.environment.joint import Joint
from ik_node.environment.objects import Dummy, SceneObject
from ik_node.environment.store import ObjectStore
from ik_node.errors import InvalidArgumentError, InvalidStateError
from ik_node.ros.conversions import matrix_from_pose
from ik_node.ros.errors import InvalidNameError
from ik_node.ros.object_conversions import find_reference, quaternion
from ik_node.ros.serving import Request

from ik_node_interfaces.msg import JointInfo, ObjectInfo

OBJECT_FIELDS = ('new_name', 'parent', 'pose', 'target')

#: Set as they are, in this order, once the limits are right.
_PLAIN = ('screw_lead', 'passive', 'weight', 'max_step', 'limit_margin', 'velocity')
_DEPENDENCY = frozenset(('master', 'multiplier', 'offset'))

JOINT_FIELDS = (
    'new_name',
    'parent',
    'pose',
    'cyclic',
    'lower',
    'upper',
    *_PLAIN,
    'master',
    'multiplier',
    'offset',
    'position',
    'orientation',
)

MAX_NAME = 256


def check_new_name(name: str, taken: bool) -> None:
    """
    Refuse a name for a new object or group.

    Raises
    ------
    InvalidNameError
        It is empty, too long, stands for the world, or is taken.

    """
    if not name or name == 'world' or len(name) > MAX_NAME:
        shown = name if len(name) <= 80 else name[:77] + '...'
        raise InvalidNameError(
            f"{shown!r} is no name to give; it must be 1 to {MAX_NAME} characters, and 'world' is "
            'the world'
        )
    if taken:
        raise InvalidNameError(f'{name!r} is taken; choose another name')


def check_modifiers(request: Request, fields: frozenset[str]) -> None:
    """
    Refuse what belongs to a field that the request does not apply.

    Raises
    ------
    InvalidArgumentError
        Names both.

    """
    if request.create and request.new_name:
        raise InvalidArgumentError('new_name is for edits; give the name of a new one as its name')
    for modifier, field in (('new_name', 'new_name'), ('keep_local_pose', 'parent')):
        if getattr(request, modifier) and field not in fields:
            raise InvalidArgumentError(
                f'{modifier} is given, but fields does not name {field!r}; add it, or leave '
                f'{modifier} out'
            )


def rename(store: ObjectStore, thing: SceneObject, name: str) -> None:
    """Give an object another name; its own is no mistake."""
    if name != thing.name:
        check_new_name(name, name in store)
        thing.name = name


def place(
    store: ObjectStore,
    thing: SceneObject,
    request: Request,
    wanted: ObjectInfo | JointInfo,
    reference: SceneObject | None,
) -> None:
    """
    Hang an object on another one and place it.

    Parameters
    ----------
    store : ObjectStore
        The draft.
    thing : SceneObject
        Which object.
    request : message
        Its `fields` say what to apply. A new object hangs on its parent already.
    wanted : message
        Parent and pose.
    reference : SceneObject or None
        What the pose is relative to.

    """
    if 'parent' in request.fields and not request.create:
        parent = find_reference(store, wanted.parent)
        thing.set_parent(parent, keep_in_place=not request.keep_local_pose)
    if 'pose' in request.fields:
        thing.set_pose(matrix_from_pose(wanted.pose, 'pose'), reference)


def set_target(store: ObjectStore, thing: SceneObject, target: str) -> None:
    """Give a dummy its target, or none."""
    if not isinstance(thing, Dummy):
        raise InvalidArgumentError(f'{thing.name!r} is a joint; only a dummy has a target')
    thing.target = store.dummy(target) if target else None


def edit_joint(
    store: ObjectStore, joint: Joint, wanted: JointInfo, fields: frozenset[str]
) -> None:
    """
    Apply what is particular to joints.

    Raises
    ------
    IkNodeError
        A value that the joint cannot have. The draft is spoilt then.

    """
    before = joint.dependency
    if fields & _DEPENDENCY:
        # Free while the limits change: neither order is right for all changes of both.
        joint.set_dependency(None)
    _set_limits(joint, wanted, fields)
    for name in _PLAIN:
        if name in fields:
            setattr(joint, name, getattr(wanted, name))
    if fields & _DEPENDENCY:
        joint.set_dependency(None)
        multiplier, offset, master = 1.0, 0.0, wanted.master
        if 'master' not in fields:
            if before is None:
                raise InvalidStateError(
                    f'joint {joint.name!r} follows no joint; name the master in fields as well'
                )
            if before.function is not None:
                raise InvalidStateError(
                    f'joint {joint.name!r} follows {before.master!r} by a function, which has no '
                    'multiplier and offset; name the master in fields to follow without it'
                )
            master, multiplier, offset = before.master, before.multiplier, before.offset
        elif not master and fields & {'multiplier', 'offset'}:
            raise InvalidArgumentError(
                'multiplier or offset is given with an empty master, which frees the joint'
            )
        if master:
            joint.set_dependency(
                store.joint(master),
                multiplier=wanted.multiplier if 'multiplier' in fields else multiplier,
                offset=wanted.offset if 'offset' in fields else offset,
            )
    if 'position' in fields:
        joint.position = wanted.position
    if 'orientation' in fields:
        joint.orientation = quaternion(wanted.orientation)


def _set_limits(joint: Joint, wanted: JointInfo, fields: frozenset[str]) -> None:
    ends = fields & {'lower', 'upper'}
    if 'cyclic' in fields:
        if wanted.cyclic and ends:
            raise InvalidArgumentError(
                f'joint {joint.name!r}: a cyclic joint has no limits; leave lower and upper out'
            )
        if wanted.cyclic != joint.cyclic:
            joint.cyclic = wanted.cyclic
    if ends:
        lower, upper = joint.limits
        joint.limits = (
            wanted.lower if 'lower' in fields else lower,
            wanted.upper if 'upper' in fields else upper,
        )
