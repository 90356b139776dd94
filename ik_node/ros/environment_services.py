# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The services that make, keep and take away environments."""

from __future__ import annotations

import ik_node
from ik_node.errors import InvalidArgumentError
from ik_node.ros.description import Description
from ik_node.ros.environments import Environments
from ik_node.ros.parameters import Parameters
from ik_node.ros.serving import done, offer, Request, Response
from ik_node.ros.storage import stem, Storage
from ik_node.ros.worker import Worker
from rclpy.node import Node

from ik_node_interfaces.msg import EnvironmentInfo
from ik_node_interfaces.srv import (
    CreateEnvironment,
    DuplicateEnvironment,
    EraseEnvironment,
    ListEnvironments,
    LoadEnvironment,
    SaveEnvironment,
    SwitchEnvironment,
)


class EnvironmentServices:
    """
    Offers the services that are about environments as a whole.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer them.
    parameters : Parameters
        `environment_directory`.
    environments : Environments
        What they change.
    description : Description
        Finds the environment of a request.
    builder : Worker
        Where descriptions and files are read: a large one takes longer than others may wait.

    """

    def __init__(
        self,
        node: Node,
        parameters: Parameters,
        environments: Environments,
        description: Description,
        builder: Worker,
    ) -> None:
        self._parameters = parameters
        self._environments = environments
        self._description = description
        self._builder = builder
        offer(
            node,
            (
                ('create_environment', CreateEnvironment, self._create),
                ('duplicate_environment', DuplicateEnvironment, self._duplicate),
                ('erase_environment', EraseEnvironment, self._erase),
                ('switch_environment', SwitchEnvironment, self._switch),
                ('list_environments', ListEnvironments, self._list),
                ('save_environment', SaveEnvironment, self._save),
                ('load_environment', LoadEnvironment, self._load),
            ),
        )

    @property
    def _storage(self) -> Storage:
        return Storage(self._parameters.settings.environment_directory)

    async def _create(self, request: Request, response: Response) -> Response:
        await self._description.settled()
        self._environments.check_new(request.name)
        environment = await self._builder.submit(
            _build,
            request.name,
            request.robot_description,
            request.robot_description_semantic,
            request.group,
            request.base,
            request.tip,
        )
        return self._add(request.name, environment, request.make_current, response)

    async def _duplicate(self, request: Request, response: Response) -> Response:
        _, environment = await self._description.resolve(request.environment)
        self._environments.check_new(request.name)
        return self._add(request.name, environment.duplicate(), request.make_current, response)

    async def _load(self, request: Request, response: Response) -> Response:
        await self._description.settled()
        name = request.name or stem(request.file)
        # The file first: what is wrong with it is no fault of the environment's name.
        storage = self._storage
        storage.path(request.file)
        self._environments.check_new(name)
        environment = await self._builder.submit(storage.load, request.file)
        response.environment = name
        return self._add(name, environment, request.make_current, response)

    def _add(
        self, name: str, environment: ik_node.Environment, make_current: bool, response: Response
    ) -> Response:
        # Checks the name again: another client may have taken it while this one was built.
        self._environments.add(name, environment, make_current=make_current)
        response.current = self._environments.current_name
        return done(response, f'{name!r}: {_content(environment)}')

    async def _erase(self, request: Request, response: Response) -> Response:
        name, _ = await self._description.resolve(request.environment)
        self._environments.erase(name)
        response.current = self._environments.current_name
        current = f'{response.current!r} is current' if response.current else 'none is left'
        return done(response, f'{name!r} is erased, {current}')

    async def _switch(self, request: Request, response: Response) -> Response:
        if not request.environment:
            raise InvalidArgumentError(
                'environment is empty; name the one to switch to: '
                + (', '.join(self._environments) or 'there is none')
            )
        await self._description.resolve(request.environment)
        response.previous = self._environments.current_name
        self._environments.switch(request.environment)
        response.current = self._environments.current_name
        return done(response)

    async def _list(self, request: Request, response: Response) -> Response:
        await self._description.settled()
        response.current = self._environments.current_name
        for name in self._environments:
            _, environment = self._environments.resolve(name)
            response.environments.append(
                EnvironmentInfo(
                    name=name,
                    robot=environment.mechanism.name,
                    current=name == response.current,
                    dummies=len(environment.mechanism.frame_indices),
                    joints=len(environment.mechanism.joint_indices),
                    groups=list(environment.groups),
                )
            )
        response.saved = self._storage.names()
        return done(response)

    async def _save(self, request: Request, response: Response) -> Response:
        name, environment = await self._description.resolve(request.environment)
        response.file = stem(request.file or name)
        storage = self._storage
        # Here and not in the builder: nobody may edit the environment meanwhile. It is quick.
        storage.save(environment, response.file, overwrite=request.overwrite)
        return done(response, f'{name!r} is saved as {str(storage.path(response.file))!r}')


def _build(
    name: str, description: str, semantic: str, group: str, base: str, tip: str
) -> ik_node.Environment:
    if not description.strip():
        for what, given in (
            ('robot_description_semantic', semantic),
            ('group', group),
        ):
            if given:
                raise InvalidArgumentError(
                    f'{what} is given, but robot_description is empty: there is nothing to group'
                )
        environment = ik_node.Environment(name=name)
    else:
        # As bytes: a text that is no XML must not be taken for the path of a file.
        environment = ik_node.Environment.from_urdf(description.encode())
    if (base or tip) and not group:
        raise InvalidArgumentError(
            'base or tip is given, but group, the name of the group, is not'
        )
    if group:
        environment.create_group(group, base=base or None, tip=tip or None)
    if semantic:
        environment.add_srdf(semantic.encode())
    return environment


def _content(environment: ik_node.Environment) -> str:
    mechanism = environment.mechanism
    return (
        f'{len(mechanism.frame_indices)} dummies, {len(mechanism.joint_indices)} joints, '
        f'{len(environment.groups)} groups'
    )
