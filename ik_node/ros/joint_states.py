# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of the current environment on `joint_states`, published or listened to."""

from __future__ import annotations

import math

from ik_node.ros import conversions, qos
from ik_node.ros.environments import Environments
from ik_node.ros.parameters import Parameters
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState

TOPIC = 'joint_states'


class JointStates:
    """
    Publishes the current environment's state, or lets it follow the robot's own.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to publish or subscribe.
    parameters : Parameters
        `publish_joint_states` and `joint_states_rate`; both may change at run time.
    environments : Environments
        One of them is current.

    """

    def __init__(self, node: Node, parameters: Parameters, environments: Environments) -> None:
        self._node = node
        self._parameters = parameters
        self._environments = environments
        # A timer on ROS time would stop with a paused simulation, and a state that stops being
        # published counts as lost.
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._publisher = self._timer = self._subscription = None
        self._start()
        parameters.on_change(self._on_parameters)

    def _on_parameters(self, names: frozenset[str]) -> None:
        if names & {'publish_joint_states', 'joint_states_rate'}:
            self._stop()
            self._start()

    def _start(self) -> None:
        settings = self._parameters.settings
        if settings.publish_joint_states:
            self._publisher = self._node.create_publisher(JointState, TOPIC, qos.JOINT_STATES_OUT)
            self._timer = self._node.create_timer(
                1.0 / settings.joint_states_rate, self._publish, clock=self._steady
            )
        else:
            self._subscription = self._node.create_subscription(
                JointState, TOPIC, self._follow, qos.JOINT_STATES_IN
            )

    def _stop(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._publisher = self._timer = self._subscription = None

    def _publish(self) -> None:
        environment = self._environments.current
        # A robot without moving joints has no state to tell.
        if environment is None or self._publisher is None or not environment.moving_joint_names:
            return
        message = JointState()
        conversions.fill_joint_state(
            message, environment.joint_positions, self._node.get_clock().now().to_msg()
        )
        self._publisher.publish(message)

    def _follow(self, message: JointState) -> None:
        environment = self._environments.current
        if environment is None:
            return
        known = frozenset(environment.moving_joint_names)
        # Several publishers may each tell a part, and joints that are not ours are no fault.
        # strict=False: a message without positions (velocities only) is legal.
        environment.set_joint_positions(
            {
                name: position
                for name, position in zip(message.name, message.position, strict=False)
                if name in known and math.isfinite(position)
            }
        )
