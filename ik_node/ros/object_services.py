# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The services that read, make, edit and take away objects, joints and groups by name.

An edit is made on a draft of the environment, so all of a request is done or nothing. None of the
handlers waits once it has its environment, so no two requests see each other half done.
"""

from __future__ import annotations

import ik_node
from ik_node.environment.joint import Joint
from ik_node.environment.objects import SceneObject
from ik_node.environment.store import ObjectStore
from ik_node.errors import InvalidArgumentError, InvalidOptionError
from ik_node.ros import group_edits, object_edits
from ik_node.ros import object_conversions as conversions
from ik_node.ros.description import Description
from ik_node.ros.serving import done, offer, Request, Response
from rclpy.node import Node

from ik_node_interfaces.msg import GroupInfo, JointInfo, ObjectInfo
from ik_node_interfaces.srv import (
    Erase,
    GetGroup,
    GetJoint,
    GetObjects,
    SetGroup,
    SetJoint,
    SetObject,
)


class ObjectServices:
    """
    Offers get and set of objects, joints and groups, and erase.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer them.
    description : Description
        Finds the environment of a request.

    """

    def __init__(self, node: Node, description: Description) -> None:
        self._description = description
        offer(
            node,
            (
                ('get_objects', GetObjects, self._get_objects),
                ('set_object', SetObject, self._set_object),
                ('get_joint', GetJoint, self._get_joint),
                ('set_joint', SetJoint, self._set_joint),
                ('get_group', GetGroup, self._get_group),
                ('set_group', SetGroup, self._set_group),
                ('erase', Erase, self._erase),
            ),
        )

    async def _environment(self, request: Request, response: Response) -> ik_node.Environment:
        response.environment, environment = await self._description.resolve(request.environment)
        return environment

    async def _get_objects(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        if request.names:
            things = [
                conversions.find_object(environment, name, request.type) for name in request.names
            ]
        else:
            conversions.check_type(request.type)
            things = [
                thing
                for thing in environment.objects
                if request.type in ('', 'joint' if isinstance(thing, Joint) else 'dummy')
            ]
        scene = environment.scene
        poses = _poses(environment, request)
        response.objects = [
            conversions.object_message(scene, scene.index[thing.uid], poses) for thing in things
        ]
        return done(response)

    async def _get_joint(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        names = request.names or environment.mechanism.joint_indices
        joints = [environment.joint(name) for name in names]
        scene = environment.scene
        poses = _poses(environment, request)
        response.joints = [
            conversions.joint_message(scene, scene.index[joint.uid], poses) for joint in joints
        ]
        return done(response)

    async def _set_object(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        wanted = request.object
        fields = conversions.chosen(
            request.fields, object_edits.OBJECT_FIELDS, create=request.create
        )
        object_edits.check_modifiers(request, fields)
        with environment.transaction() as draft:
            reference = conversions.find_reference(draft, request.reference)
            thing = _new_or_known_object(draft, wanted, fields, request.create)
            present = ObjectInfo() if request.create else _object(draft, thing, reference)
            conversions.refuse_ignored(wanted, present, fields, ('name', 'type'))
            object_edits.place(draft, thing, request, wanted, reference)
            if 'target' in fields:
                object_edits.set_target(draft, thing, wanted.target)
            if 'new_name' in fields:
                object_edits.rename(draft, thing, request.new_name)
            response.object = _object(draft, thing, reference)
        return done(response)

    async def _set_joint(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        wanted = request.joint
        fields = conversions.chosen(
            request.fields, object_edits.JOINT_FIELDS, create=request.create
        )
        object_edits.check_modifiers(request, fields)
        with environment.transaction() as draft:
            reference = conversions.find_reference(draft, request.reference)
            joint = _new_or_known_joint(draft, wanted, fields, request.create)
            present = JointInfo() if request.create else _joint(draft, joint, reference)
            conversions.refuse_ignored(wanted, present, fields, _JOINT_IDENTITY)
            object_edits.place(draft, joint, request, wanted, reference)
            object_edits.edit_joint(draft, joint, wanted, fields)
            if 'new_name' in fields:
                object_edits.rename(draft, joint, request.new_name)
            response.joint = _joint(draft, joint, reference)
        note = ''
        if 'position' in fields:
            note = _moved(response.joint, wanted.position, 'a position of {:g} is outside of')
        elif not request.create:
            note = _moved(response.joint, present.position, 'it was at {:g}, now outside of')
        return done(response, f'done{note}')

    async def _get_group(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        groups = [environment.group(name) for name in request.names or environment.groups]
        response.groups = [conversions.group_message(group) for group in groups]
        return done(response)

    async def _set_group(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        wanted = request.group
        fields = conversions.chosen(
            request.fields, group_edits.GROUP_FIELDS, create=request.create
        )
        present = GroupInfo()
        if request.create:
            object_edits.check_new_name(wanted.name, wanted.name in environment.groups)
        else:
            present = conversions.group_message(environment.group(wanted.name))
        conversions.refuse_ignored(wanted, present, fields, _GROUP_IDENTITY)
        group_edits.check_ends(wanted, fields)
        make = group_edits.create if request.create else group_edits.change
        group = make(environment, wanted, fields)
        response.group = conversions.group_message(group)
        return done(response)

    async def _erase(self, request: Request, response: Response) -> Response:
        environment = await self._environment(request, response)
        for what in ('dummies', 'joints', 'groups'):
            names = list(getattr(request, what))
            if len(set(names)) != len(names):
                raise InvalidOptionError(f'{what} names one of them twice; name each once')
        if not (request.dummies or request.joints or request.groups):
            raise InvalidOptionError('nothing to erase; name dummies, joints or groups')
        for name in request.groups:
            environment.group(name)
        before = group_edits.usable(environment)
        with environment.transaction() as draft:
            # All are looked up before one is gone: a name must not come to mean another object.
            things = [draft.dummy(name) for name in request.dummies]
            for thing in [*things, *(draft.joint(name) for name in request.joints)]:
                draft.erase(thing)
        for name in request.groups:
            environment.erase_group(name)
        lost = before - group_edits.usable(environment)
        broken = response.broken_groups = [name for name in environment.groups if name in lost]
        note = f'; no longer usable: {", ".join(broken)}' if broken else ''
        return done(response, f'done{note}')


def _moved(joint: JointInfo, asked: float, why: str) -> str:
    """Tell of a joint that its limits, in [rad] or [m], do not let be where it is asked to be."""
    if joint.kind == 'spherical' or joint.lower <= asked <= joint.upper:
        return ''
    return (
        f'; the joint is at {joint.position:g}: {why.format(asked)} its limits, {joint.lower:g} '
        f'to {joint.upper:g} (in rad or m)'
    )


_JOINT_IDENTITY = ('name', 'kind', 'follows_function', 'motion')
_GROUP_IDENTITY = ('name', 'joint_names', 'lower', 'upper', 'problem')


def _new_or_known_object(
    draft: ObjectStore, wanted: ObjectInfo, fields: frozenset[str], create: bool
) -> SceneObject:
    if not create:
        return conversions.find_object(draft, wanted.name, wanted.type)
    if wanted.type not in ('', 'dummy'):
        raise InvalidOptionError(
            f'type is {wanted.type[:80]!r}; this service creates dummies, ~/set_joint joints'
        )
    object_edits.check_new_name(wanted.name, wanted.name in draft)
    return draft.create_dummy(wanted.name, _parent(draft, wanted, fields))


def _new_or_known_joint(
    draft: ObjectStore, wanted: JointInfo, fields: frozenset[str], create: bool
) -> Joint:
    if create:
        object_edits.check_new_name(wanted.name, wanted.name in draft)
        kind = conversions.joint_kind(wanted.kind)
        return draft.create_joint(wanted.name, kind, _parent(draft, wanted, fields))
    joint = draft.joint(wanted.name)
    if wanted.kind not in ('', joint.kind.value):
        raise InvalidArgumentError(
            f'joint {joint.name!r} is {joint.kind.value} for good; erase it and create another one'
        )
    return joint


def _parent(
    draft: ObjectStore, wanted: ObjectInfo | JointInfo, fields: frozenset[str]
) -> SceneObject | None:
    return conversions.find_reference(draft, wanted.parent) if 'parent' in fields else None


def _poses(environment: ik_node.Environment, request: Request) -> conversions.Poses:
    if request.in_parent and request.reference:
        raise InvalidOptionError('in_parent and reference are both given; give one of them')
    reference = conversions.find_reference(environment, request.reference)
    return conversions.Poses(environment.scene, reference, request.in_parent)


def _object(store: ObjectStore, thing: SceneObject, reference: SceneObject | None) -> ObjectInfo:
    poses = conversions.Poses(store.scene, reference)
    return conversions.object_message(store.scene, store.scene.index[thing.uid], poses)


def _joint(store: ObjectStore, joint: SceneObject, reference: SceneObject | None) -> JointInfo:
    poses = conversions.Poses(store.scene, reference)
    return conversions.joint_message(store.scene, store.scene.index[joint.uid], poses)
