# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
From a robot description to the environment that the services use.

The parameter `robot_description` wins over `robot_description_file`, which wins over the latched
topic `robot_description`. A new description replaces the environment of the name
`robot_description` in one assignment, so a request sees either the old robot or the new one; a bad
one is logged and changes nothing. Other environments are the clients' and stay.

The same order holds for the groups: the parameters `groups`, `base` and `tip` win over the
parameter `robot_description_semantic`, which wins over the topic of that name.
"""

from __future__ import annotations

import ik_node
from ik_node.errors import IkNodeError, InvalidArgumentError, ModelError, SrdfError
from ik_node.moveit.limits import apply_joint_limits, Limits
from ik_node.ros import qos
from ik_node.ros.environments import DESCRIBED, Environments
from ik_node.ros.errors import NoEnvironmentError
from ik_node.ros.parameters import Chains, changes_robot, Parameters
from ik_node.ros.settings import DEFAULT_GROUP, Settings
from ik_node.ros.worker import Worker
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String


class Description:
    """
    Keeps the environment of the robot description.

    Building one and compiling the kernels takes seconds on a cold machine, so both happen in a
    thread of their own, one after the other, in the order in which descriptions arrived.

    Parameters
    ----------
    node : rclpy.node.Node
        For the topic and the log.
    parameters : Parameters
        Where the description may be, and the wanted groups.
    environments : Environments
        Where to put what was built.
    builder : Worker
        A worker with exactly one thread.

    """

    def __init__(
        self,
        node: Node,
        parameters: Parameters,
        environments: Environments,
        builder: Worker,
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._limits = parameters.moveit.joint_limits
        self._builder = builder
        self._environments = environments
        self._from_topic = ''
        self._semantic_from_topic = ''
        self._refusal: ModelError | None = None
        self._newest: Future | None = None
        self._warm = builder.submit(self._warm_up)
        parameters.check_robot = self._check
        parameters.on_change(self._on_parameters)
        node.create_subscription(
            String, 'robot_description', self._on_topic, qos.ROBOT_DESCRIPTION
        )
        node.create_subscription(
            String, 'robot_description_semantic', self._on_semantic, qos.ROBOT_DESCRIPTION
        )
        self._rebuild(parameters.settings)
        if self._newest is None:
            node.get_logger().info(f'there is no robot description yet; {self._ways()}')

    async def settled(self) -> None:
        """Wait until the kernels are there and a first description, if one came, was read."""
        await self._warm
        if DESCRIBED not in self._environments and self._newest is not None:
            await self._newest

    async def resolve(self, name: str) -> tuple[str, ik_node.Environment]:
        """
        Find the environment of a request.

        Only a first environment that is being built is waited for; while a later one is being
        built its predecessor goes on answering.

        Parameters
        ----------
        name : str
            Empty: the current one.

        Raises
        ------
        UnknownNameError
            No environment has this name.
        NoEnvironmentError
            None is current, and there was no description yet.
        ModelError
            There was one, and it cannot be used.

        """
        if name not in self._environments:
            await self.settled()
        try:
            return self._environments.resolve(name)
        except NoEnvironmentError:
            if self._refusal is not None:
                raise self._refusal from None
            raise NoEnvironmentError(
                f'there is no robot description yet; {self._ways()}'
            ) from None

    def _ways(self) -> str:
        return (
            'set the parameter robot_description or robot_description_file, publish the topic '
            f'{self._node.resolve_topic_name("robot_description")}, or call '
            '~/create_environment or ~/load_environment'
        )

    def _warm_up(self) -> None:
        log = self._node.get_logger()
        log.info(
            f'kernels: {ik_node.kernel_backend()}; loading, or compiling when new '
            '(seconds, once per machine)'
        )
        ik_node.warm_up()

    def _on_topic(self, message: String) -> None:
        self._from_topic = message.data
        settings = self._parameters.settings
        if settings.robot_description or settings.robot_description_file:
            self._node.get_logger().info(
                'a description on the topic robot_description is not used: a parameter gives one'
            )
            return
        if not message.data.strip():
            self._refuse(ModelError('the topic robot_description carries an empty text'))
            return
        self._rebuild(settings)

    def _on_semantic(self, message: String) -> None:
        self._semantic_from_topic = message.data
        settings = self._parameters.settings
        if settings.robot_description_semantic:
            self._node.get_logger().info(
                'the topic robot_description_semantic is not used: a parameter gives one'
            )
            return
        self._rebuild(settings)

    def _on_parameters(self, names: frozenset[str]) -> None:
        if changes_robot(names):
            self._rebuild(self._parameters.settings)

    def _source(self, settings: Settings) -> tuple[str | bytes, str]:
        if settings.robot_description:
            # As bytes: a text that is no XML must not be taken for the path of a file.
            return settings.robot_description.encode(), 'parameter robot_description'
        if settings.robot_description_file:
            return settings.robot_description_file, 'parameter robot_description_file'
        return self._from_topic.encode(), 'topic robot_description'

    def _check(self, settings: Settings, chains: Chains) -> None:
        source, _ = self._source(settings)
        # Before the kernels are there this would block the parameter service.
        if source and self._warm.done():
            build(source, chains, settings.robot_description_semantic, self._limits)

    def _rebuild(self, settings: Settings) -> None:
        source, origin = self._source(settings)
        if source:
            self._newest = self._builder.submit(
                self._install,
                source,
                origin,
                self._parameters.chains,
                settings.robot_description_semantic or self._semantic_from_topic,
            )

    def _install(self, source: str | bytes, origin: str, chains: Chains, semantic: str) -> None:
        try:
            environment = self._build(source, chains, semantic)
        except Exception as error:
            # Also what a parser may raise beyond our own errors: the node lives and says why.
            refusal = (
                error if isinstance(error, IkNodeError) else f'{type(error).__name__}: {error}'
            )
            self._refuse(ModelError(f'{origin}: {refusal}'))
            return
        self._environments.put_described(environment)
        self._refusal = None
        self._node.get_logger().info(
            'ready: '
            + ', '.join(
                f'group {group.name} ({group.base} -> {group.tip}, '
                f'{len(group.joint_names)} joints)'
                for group in environment.groups.values()
            )
        )

    def _build(self, source: str | bytes, chains: Chains, semantic: str) -> ik_node.Environment:
        try:
            return build(source, chains, semantic, self._limits)
        except SrdfError as error:
            # It may be that of the previous robot, or of the next; this one works without it.
            self._node.get_logger().error(f'robot_description_semantic is not used: {error}')
        return build(source, chains, limits=self._limits)

    def _refuse(self, refusal: ModelError) -> None:
        self._refusal = refusal
        kept = 'the previous robot stays' if DESCRIBED in self._environments else 'no robot yet'
        self._node.get_logger().error(f'{refusal}; {kept}')


def build(
    source: str | bytes, chains: Chains, semantic: str = '', limits: Limits | None = None
) -> ik_node.Environment:
    """
    Environment of a robot description with its groups.

    Parameters
    ----------
    source : str or bytes
        Path, or URDF text as bytes.
    chains : dict
        Base and tip link of each group by its name. Both empty: the longest chain of the robot.
        Where no parameter names a group or an end, the groups of `semantic` take the place of the
        one group of the longest chain.
    semantic : str
        SRDF text; its groups that are chains, or unions of chains, and whose names are free become
        groups.
    limits : Limits, optional
        Position limits that replace those of the URDF; those of other robots' joints are left out.

    Raises
    ------
    IkNodeError
        The description cannot be used, or has no such links.

    """
    if isinstance(source, bytes) and b'<' not in source:
        raise ModelError(
            f'{source[:80].decode(errors="replace")!r} is no XML; the path of a file is given as '
            'robot_description_file'
        )
    environment = ik_node.Environment.from_urdf(source)
    apply_joint_limits(environment, limits or {})
    wanted = any(base or tip for base, tip in chains.values()) or set(chains) != {DEFAULT_GROUP}
    if wanted:
        _create_groups(environment, chains)
    if semantic:
        # As bytes: a text that is no XML must not be taken for the path of a file.
        environment.add_srdf(semantic.encode())
    if not environment.groups:
        _create_groups(environment, chains)
    return environment


def _create_groups(environment: ik_node.Environment, chains: Chains) -> None:
    for name, (base, tip) in chains.items():
        if not base and not tip:
            try:
                base, tip = environment.longest_chain()
            except InvalidArgumentError as error:
                stem = '' if name == DEFAULT_GROUP else f'group.{name}.'
                raise InvalidArgumentError(
                    f'group {name!r}: {error}, by {stem}base and {stem}tip'
                ) from error
        environment.create_group(name, base=base or None, tip=tip or None)
