# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Search policies over the kernels: from where, until when, how many; and solvers by name."""

from __future__ import annotations

from ik_node.solvers.registry import known_solvers, register, SolverRequest, unregister

__all__ = ['SolverRequest', 'known_solvers', 'register', 'unregister']
