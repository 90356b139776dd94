# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What only the node refuses: names, files, and a node without an environment."""

from __future__ import annotations

from ik_node.errors import InvalidArgumentError, InvalidStateError, LoadError


class NoEnvironmentError(InvalidStateError):
    """A request needs an environment, and the node has none."""


class InvalidNameError(InvalidArgumentError):
    """A name that breaks the rule for names, or that is taken."""


class StorageError(LoadError):
    """A saved environment cannot be written, found or read."""
