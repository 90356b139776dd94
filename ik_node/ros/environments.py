# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The named environments of the node, one of them current.

The one named `robot_description` is built from the description of the robot, and built anew with
it; the others are the clients' own. A request names its environment or means the current one.
"""

from __future__ import annotations

from collections.abc import Iterator
import re
import threading

import ik_node
from ik_node.errors import InvalidStateError, UnknownNameError
from ik_node.ros.errors import InvalidNameError, NoEnvironmentError

#: Name of the environment that is built from the robot description. Not that of the robot: a
#: client's requests are to go on when another robot is described.
DESCRIBED = 'robot_description'

#: More than any use has needed; a client that makes them in a loop must not fill the memory.
MAX_ENVIRONMENTS = 100

NAME_RULE = (
    "1 to 64 letters, digits, '_', '-' and '.', beginning with a letter or digit, without '..'"
)
_NAME = re.compile(r'(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}')


def check_name(what: str, name: str) -> str:
    """
    Refuse a name that could be taken for anything but a name.

    Returns
    -------
    str
        The name.

    Raises
    ------
    InvalidNameError
        It breaks the rule.

    """
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= 80 else name[:77] + '...'
        raise InvalidNameError(f'{shown!r} is no name for {what}; it must be {NAME_RULE}')
    return name


class Environments:
    """
    Holds environments by name.

    Every change replaces the mapping as a whole, so a reader in another thread sees a consistent
    one.
    """

    def __init__(self) -> None:
        self._environments: dict[str, ik_node.Environment] = {}
        self._current = ''
        self._lock = threading.Lock()

    @property
    def current(self) -> ik_node.Environment | None:
        """What requests mean that name no environment; None where there is none."""
        return self._environments.get(self._current)

    @property
    def current_name(self) -> str:
        """Name of the current environment; empty where there is none."""
        return self._current

    def __iter__(self) -> Iterator[str]:
        return iter(self._environments)

    def __contains__(self, name: str) -> bool:
        return (name or self._current) in self._environments

    def resolve(self, name: str) -> tuple[str, ik_node.Environment]:
        """
        Find an environment.

        Parameters
        ----------
        name : str
            Empty: the current one.

        Returns
        -------
        name : str
        environment : Environment

        Raises
        ------
        UnknownNameError
            No environment has this name.
        NoEnvironmentError
            None is current.

        """
        environments = self._environments
        if name in environments:
            return name, environments[name]
        current = self._current
        if name:
            raise UnknownNameError('environment', name, environments)
        if current not in environments:
            raise NoEnvironmentError(
                'there is no environment; give the node a robot description, or call '
                '~/create_environment or ~/load_environment'
            )
        return current, environments[current]

    def check_new(self, name: str) -> str:
        """
        Refuse a name that no new environment can have.

        Returns
        -------
        str
            The name.

        Raises
        ------
        InvalidNameError
            It breaks the rule, is taken, or is kept for the robot description.
        InvalidStateError
            There are too many environments.

        """
        check_name('an environment', name)
        if name == DESCRIBED:
            raise InvalidNameError(
                f'{name!r} is the environment of the robot description; choose another name'
            )
        if name in self._environments:
            raise InvalidNameError(f'an environment is named {name!r}; erase it or choose another')
        if len(self._environments) >= MAX_ENVIRONMENTS:
            raise InvalidStateError(
                f'there are {MAX_ENVIRONMENTS} environments already; erase one first'
            )
        return name

    def add(
        self, name: str, environment: ik_node.Environment, *, make_current: bool = False
    ) -> None:
        """Take a new environment; it becomes current where none is, or when asked to."""
        with self._lock:
            self.check_new(name)
            self._put(name, environment, make_current)

    def put_described(self, environment: ik_node.Environment) -> None:
        """Take the environment of a robot description, in the place of an earlier one."""
        with self._lock:
            self._put(DESCRIBED, environment, False)

    def _put(self, name: str, environment: ik_node.Environment, make_current: bool) -> None:
        self._environments = {**self._environments, name: environment}
        if make_current or self._current not in self._environments:
            self._current = name

    def switch(self, name: str) -> None:
        """Make an environment current."""
        with self._lock:
            self._current, _ = self.resolve(name)

    def erase(self, name: str) -> None:
        """Take an environment away; after the current one the oldest is current."""
        with self._lock:
            name, _ = self.resolve(name)
            left = {key: kept for key, kept in self._environments.items() if key != name}
            self._environments = left
            if self._current == name:
                self._current = next(iter(left), '')
