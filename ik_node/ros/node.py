# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Wiring of the node: what exists and who knows whom."""

from __future__ import annotations

from ik_node.ros.description import Description
from ik_node.ros.environment_services import EnvironmentServices
from ik_node.ros.environments import Environments
from ik_node.ros.handling_services import HandlingServices
from ik_node.ros.jacobian_services import JacobianServices
from ik_node.ros.joint_states import JointStates
from ik_node.ros.moveit_services import MoveItServices
from ik_node.ros.moving_services import MovingServices
from ik_node.ros.object_services import ObjectServices
from ik_node.ros.parameters import Parameters
from ik_node.ros.services import Services
from ik_node.ros.worker import Worker
import rclpy


class IkNode:
    """
    Inverse kinematics as a ROS node.

    One executor thread answers; searches that last run in `solver_threads` other threads. The
    node is made for rclpy's single-threaded executor: the multi-threaded one of Jazzy and Kilted
    takes a core of its own while a callback waits.

    It has a `rclpy.node.Node` and is none: a subclass shares that class's private names, and
    `_parameters` or `_services` of ours would silently replace rclpy's.

    Raises
    ------
    InvalidOptionError
        A parameter has a value that it cannot have.

    """

    def __init__(self) -> None:
        #: What an executor spins.
        self.node = rclpy.create_node('ik_node')
        try:
            parameters = Parameters(self.node)
        except Exception:
            self.node.destroy_node()
            raise
        self._solver = Worker(parameters.settings.solver_threads, self._wake, 'solver')
        self._builder = Worker(1, self._wake, 'builder')
        environments = Environments()
        description = Description(self.node, parameters, environments, self._builder)
        JointStates(self.node, parameters, environments)
        Services(self.node, parameters, description, self._solver)
        MovingServices(self.node, parameters, description, self._solver)
        JacobianServices(self.node, description)
        HandlingServices(self.node, parameters, description, self._solver)
        EnvironmentServices(self.node, parameters, environments, description, self._builder)
        ObjectServices(self.node, description)
        #: MoveIt's services; `moveit.validity` is where a collision check is plugged in.
        self.moveit = MoveItServices(self.node, parameters, description, self._solver)

    @property
    def busy(self) -> bool:
        """Whether a worker thread still computes something."""
        return self._solver.busy or self._builder.busy

    def close(self) -> None:
        """Take no more work and leave the graph."""
        self._solver.close()
        self._builder.close()
        self.node.destroy_node()

    def _wake(self) -> None:
        executor = self.node.executor
        if executor is not None:
            executor.wake()
