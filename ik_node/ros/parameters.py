# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The table of `settings.py` as ROS parameters.

Every parameter is declared with dynamic typing and checked by its row, because rclpy's static
typing ends the node for `timeout: 1` (an integer for a double) and for `groups: []` (an empty
YAML list has no type).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ik_node.errors import InvalidOptionError
from ik_node.ros.moveit_parameters import MoveItParameters
from ik_node.ros.settings import chain_end_row, chains, Row, Settings, TABLE
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

Chains = dict[str, tuple[str, str]]

#: A change of one of these, or of a group's ends, means another environment.
_ROBOT = frozenset(
    (
        'robot_description',
        'robot_description_file',
        'robot_description_semantic',
        'base',
        'tip',
    )
)


def changes_robot(names: Iterable[str]) -> bool:
    """Whether one of these parameters decides what the environment is."""
    return any(name in _ROBOT or name.startswith('group.') for name in names)


def descriptor(row: Row) -> ParameterDescriptor:
    """Make what `ros2 param describe` shows of a row."""
    answer = ParameterDescriptor(
        description=row.doc + (f' [{row.unit}]' if row.unit else ''),
        read_only=row.read_only,
        dynamic_typing=True,
    )
    if row.low is None or row.high is None:
        return answer
    if isinstance(row.default, float):
        answer.floating_point_range = [FloatingPointRange(from_value=row.low, to_value=row.high)]
        answer.additional_constraints = 'an integer is accepted for a double'
    else:
        answer.integer_range = [IntegerRange(from_value=int(row.low), to_value=int(row.high))]
    return answer


class Parameters:
    """
    Declares the table on a node and knows the current values.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to declare.

    Raises
    ------
    InvalidOptionError
        A value given at start is of a wrong type or out of its range.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._rows: dict[str, Row] = {}
        self._listeners: list[Callable[[frozenset[str]], None]] = []
        #: Tries new values that mean another robot before they are accepted; raises what is
        #: wrong with them.
        self.check_robot: Callable[[Settings, Chains], None] | None = None
        node.add_on_set_parameters_callback(self._check)
        for row in TABLE:
            self._declare(row)
        for name in self._values({})['groups']:
            self._declare(chain_end_row(name, 'base'))
            self._declare(chain_end_row(name, 'tip'))
        #: What a MoveIt config package says besides.
        self.moveit = MoveItParameters(node)
        #: A snapshot of the table's values.
        self.settings: Settings
        #: Base and tip link of each wanted group; empty names are left to the library.
        self.chains: Chains
        self._refresh()
        node.add_post_set_parameters_callback(self._announce)

    def on_change(self, listener: Callable[[frozenset[str]], None]) -> None:
        """Call the listener with the names that were set, after they were."""
        self._listeners.append(listener)

    def _declare(self, row: Row) -> None:
        self._rows[row.name] = row
        default = list(row.default) if isinstance(row.default, tuple) else row.default
        try:
            self._node.declare_parameter(row.name, default, descriptor(row))
        except InvalidParameterValueException as error:
            raise InvalidOptionError(str(error).partition('Reason: ')[2]) from None

    def _values(self, given: dict[str, Any]) -> dict[str, Any]:
        return {
            name: row.convert(
                given[name] if name in given else self._node.get_parameter_or(name).value
            )
            for name, row in self._rows.items()
        }

    def _refresh(self) -> None:
        values = self._values({})
        self.settings, self.chains = _settings(values), chains(values)

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        given = {
            parameter.name: parameter.value
            for parameter in parameters
            if parameter.name in self._rows
        }
        try:
            for name, value in given.items():
                if value is None and self._node.has_parameter(name):
                    raise InvalidOptionError(
                        f'parameter {name!r} cannot be deleted; expected '
                        f'{self._rows[name].expected}'
                    )
                self._rows[name].convert(value)
            if self.check_robot is not None and changes_robot(given):
                values = self._values(given)
                self.check_robot(_settings(values), chains(values))
        except Exception as error:
            # Whatever a robot description does to its readers, a parameter service must answer.
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _announce(self, parameters: list[Parameter]) -> None:
        self._refresh()
        names = frozenset(parameter.name for parameter in parameters)
        for listener in self._listeners:
            listener(names)


def _settings(values: dict[str, Any]) -> Settings:
    return Settings(**{row.name: values[row.name] for row in TABLE})
