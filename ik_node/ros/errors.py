# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What only the node refuses: names, files, and a node without an environment."""

from __future__ import annotations

from ik_node.errors import IkNodeError, InvalidArgumentError, InvalidStateError, LoadError
from ik_node.moveit import ErrorCode


class NoEnvironmentError(InvalidStateError):
    """A request needs an environment, and the node has none."""


class InvalidNameError(InvalidArgumentError):
    """A name that breaks the rule for names, or that is taken."""


class StorageError(LoadError):
    """A saved environment cannot be written, found or read."""


class MoveItRefusal(IkNodeError):
    """
    A request in MoveIt's interfaces that cannot be answered with a solution.

    Attributes
    ----------
    code : ErrorCode
        What the answer says in numbers.

    """

    def __init__(self, code: ErrorCode, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)
