# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
From a robot description to the environment that the services use.

The parameter `robot_description` wins over `robot_description_file`, which wins over the latched
topic `robot_description`. A new description replaces the environment in one assignment, so a
request sees either the old robot or the new one; a bad one is logged and changes nothing.
"""

from __future__ import annotations

import ik_node
from ik_node.errors import IkNodeError, InvalidStateError, ModelError
from ik_node.ros import qos
from ik_node.ros.parameters import Chains, changes_robot, Parameters
from ik_node.ros.settings import Settings
from ik_node.ros.worker import Worker
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String


class Description:
    """
    Keeps the current environment.

    Building one and compiling the kernels takes seconds on a cold machine, so both happen in a
    thread of their own, one after the other, in the order in which descriptions arrived.

    Parameters
    ----------
    node : rclpy.node.Node
        For the topic and the log.
    parameters : Parameters
        Where the description may be, and the wanted groups.
    builder : Worker
        A worker with exactly one thread.

    """

    def __init__(self, node: Node, parameters: Parameters, builder: Worker) -> None:
        self._node = node
        self._parameters = parameters
        self._builder = builder
        self._environment: ik_node.Environment | None = None
        self._from_topic = ''
        self._refusal: ModelError | None = None
        self._newest: Future | None = None
        self._warm = builder.submit(self._warm_up)
        parameters.check_robot = self._check
        parameters.on_change(self._on_parameters)
        node.create_subscription(
            String, 'robot_description', self._on_topic, qos.ROBOT_DESCRIPTION
        )
        self._rebuild(parameters.settings)

    @property
    def environment(self) -> ik_node.Environment | None:
        """The current environment; None until there was a good description."""
        return self._environment

    async def get(self) -> ik_node.Environment:
        """
        Wait for the current environment.

        Only a first environment that is being built is waited for; while a later one is being
        built its predecessor goes on answering.

        Raises
        ------
        InvalidStateError
            There was no description yet.
        ModelError
            There was one, and it cannot be used.

        """
        if self._environment is None and self._newest is not None:
            await self._newest
        if self._environment is not None:
            return self._environment
        if self._refusal is not None:
            raise self._refusal
        raise InvalidStateError(
            'there is no robot description yet; set the parameter robot_description or '
            'robot_description_file, or publish the topic '
            f'{self._node.resolve_topic_name("robot_description")}'
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
            build(source, chains)

    def _rebuild(self, settings: Settings) -> None:
        source, origin = self._source(settings)
        if source:
            self._newest = self._builder.submit(
                self._install, source, origin, self._parameters.chains
            )

    def _install(self, source: str | bytes, origin: str, chains: Chains) -> None:
        try:
            environment = build(source, chains)
        except Exception as error:
            # Also what a parser may raise beyond our own errors: the node lives and says why.
            refusal = (
                error if isinstance(error, IkNodeError) else f'{type(error).__name__}: {error}'
            )
            self._refuse(ModelError(f'{origin}: {refusal}'))
            return
        self._environment, self._refusal = environment, None
        self._node.get_logger().info(
            'ready: '
            + ', '.join(
                f'group {group.name} ({group.base} -> {group.tip}, '
                f'{len(group.joint_names)} joints)'
                for group in environment.groups.values()
            )
        )

    def _refuse(self, refusal: ModelError) -> None:
        self._refusal = refusal
        kept = 'no robot yet' if self._environment is None else 'the previous robot stays'
        self._node.get_logger().error(f'{refusal}; {kept}')


def build(source: str | bytes, chains: Chains) -> ik_node.Environment:
    """
    Environment of a robot description with its groups.

    Parameters
    ----------
    source : str or bytes
        Path, or URDF text as bytes.
    chains : dict
        Base and tip link of each group by its name. Both empty: the longest chain of the robot.

    Raises
    ------
    IkNodeError
        The description cannot be used, or has no such links.

    """
    environment = ik_node.Environment.from_urdf(source)
    for name, (base, tip) in chains.items():
        if not base and not tip:
            base, tip = environment.longest_chain()
        environment.create_group(name, base=base or None, tip=tip or None)
    return environment
