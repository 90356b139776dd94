# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What can be set about the node: one table, from which all else follows.

The fields of `Settings` are the table. `parameters.py` declares it, `config/ik_node.yaml` is
tested against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
import math
from typing import Any

from ik_node.errors import InvalidOptionError

#: Name of the group where no parameter names one.
DEFAULT_GROUP = 'arm'


def _row(
    default: Any,
    doc: str,
    unit: str = '',
    low: float | None = None,
    high: float | None = None,
    read_only: bool = False,
) -> Any:
    return field(
        default=default,
        metadata={'doc': doc, 'unit': unit, 'low': low, 'high': high, 'read_only': read_only},
    )


@dataclass(frozen=True)
class Settings:
    """The value of every parameter at one moment."""

    robot_description: str = _row(
        '', 'URDF text of the robot; empty: robot_description_file, then the topic'
    )
    robot_description_file: str = _row(
        '', 'path of a .urdf or .xacro file; empty: the topic robot_description'
    )
    robot_description_semantic: str = _row(
        '',
        'SRDF text; its groups that are chains become groups unless groups, base or tip is set; '
        'empty: the topic robot_description_semantic',
    )
    base: str = _row('', 'base link of the group; empty: chosen by ik_node')
    tip: str = _row('', 'tip link of the group; empty: chosen by ik_node')
    groups: tuple[str, ...] = _row(
        (),
        'names of several groups, each with group.<name>.base and group.<name>.tip; '
        'empty: one group "arm"',
        read_only=True,
    )
    publish_joint_states: bool = _row(
        True,
        'publish the state on joint_states; false: a robot does, and what it says is '
        'the default seed',
    )
    joint_states_rate: float = _row(50.0, 'rate of joint_states', 'Hz', 0.1, 1000.0)
    timeout: float = _row(0.005, 'solver time where a request says 0', 's', 1e-5, 60.0)
    max_timeout: float = _row(
        10.0, 'longest solver time; larger requests are shortened to it', 's', 1e-5, 3600.0
    )
    position_tolerance: float = _row(
        1e-6, 'position tolerance where a request says 0', 'm', 1e-12, 1.0
    )
    orientation_tolerance: float = _row(
        1e-5, 'orientation tolerance where a request says 0', 'rad', 1e-12, 3.0
    )
    solver_threads: int = _row(2, 'solves that run at the same time', '', 1, 64, read_only=True)
    random_seed: int = _row(
        0, 'seed of the random starts where a request says 0', '', 0, 2**63 - 1
    )
    environment_directory: str = _row(
        '',
        'where environments are saved and loaded, and nowhere else; empty: $ROS_HOME/ik_node, '
        'by default ~/.ros/ik_node',
    )
    compute_ik_service: str = _row(
        'compute_ik',
        'name of the service that answers as that of move_group; none: not offered',
        read_only=True,
    )
    compute_fk_service: str = _row('compute_fk', 'the same for forward kinematics', read_only=True)
    solve_ik_service: str = _row(
        'solve_ik',
        "name of the service that MoveIt's service plugin calls; none: not offered",
        read_only=True,
    )
    moveit_timeout: float = _row(
        0.05, 'solver time where a request of these services says 0', 's', 1e-5, 60.0
    )


@dataclass(frozen=True)
class Row:
    """One parameter: its name, its default and what it accepts."""

    name: str
    default: bool | int | float | str | tuple[str, ...]
    doc: str
    unit: str = ''
    low: float | None = None
    high: float | None = None
    read_only: bool = False

    @property
    def expected(self) -> str:
        """What the parameter accepts, in words."""
        kind = {
            bool: 'a bool',
            int: 'an integer',
            float: 'a double',
            str: 'a string',
            tuple: 'a list of different non-empty strings',
        }[type(self.default)]
        if self.low is None:
            return kind
        text = f'{kind} from {self.low:g} to {self.high:g}'
        return f'{text} {self.unit}' if self.unit else text

    def convert(self, given: Any) -> Any:
        """
        Value in the type of this row.

        Parameters
        ----------
        given : object
            None and anything empty mean the default; an integer is good for a double.

        Raises
        ------
        InvalidOptionError
            Names the parameter, what was given and what is accepted.

        """
        value = given
        if isinstance(self.default, str | tuple) and (
            value is None or isinstance(value, str | bytes | list | tuple) and not value
        ):
            return self.default
        if isinstance(self.default, float) and type(value) is int:
            value = float(value)
        elif isinstance(self.default, tuple) and isinstance(value, list):
            value = tuple(value)
        if not self._accepts(value):
            shown = repr(given)
            shown = shown if len(shown) <= 80 else shown[:77] + '...'
            raise InvalidOptionError(
                f'parameter {self.name!r}: got {shown} ({type(given).__name__}), '
                f'expected {self.expected}'
            )
        return value

    def _accepts(self, value: Any) -> bool:
        # Not isinstance: True is an int to Python, and no sensible thread count.
        if type(value) is not type(self.default):
            return False
        if isinstance(value, tuple):
            return all(isinstance(item, str) and item for item in value) and len(
                set(value)
            ) == len(value)
        if isinstance(value, str) or self.low is None or self.high is None:
            return True
        return math.isfinite(value) and self.low <= value <= self.high


TABLE: tuple[Row, ...] = tuple(
    Row(row.name, getattr(Settings(), row.name), **row.metadata) for row in fields(Settings)
)


def chain_end_row(group: str, end: str) -> Row:
    """Row of `group.<name>.base` or `group.<name>.tip`."""
    return Row(
        f'group.{group}.{end}',
        '',
        f'{end} link of the group {group}; empty: as the parameter {end}',
    )


def chains(values: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """
    Find base and tip link of each wanted group; empty names are left to the library.

    Parameters
    ----------
    values : dict
        The value of every parameter by its name.

    """
    base, tip, names = values['base'], values['tip'], values['groups']
    if not names:
        return {DEFAULT_GROUP: (base, tip)}
    return {
        name: (values[f'group.{name}.base'] or base, values[f'group.{name}.tip'] or tip)
        for name in names
    }
