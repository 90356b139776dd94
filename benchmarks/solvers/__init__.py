# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The solvers that are compared, ours first. One module a solver, imported only when asked for."""

from __future__ import annotations

from collections.abc import Sequence
import importlib

from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver, UnsupportedRobotError

CATALOG: tuple[tuple[str, str], ...] = (
    ('benchmarks.solvers.ours', 'Library'),
    ('benchmarks.solvers.ours', 'Kernel'),
    ('benchmarks.solvers.eaik', 'Eaik'),
    ('benchmarks.solvers.ssik', 'Ssik'),
    ('benchmarks.solvers.roboticstoolbox', 'RoboticsToolbox'),
    ('benchmarks.solvers.trac_ik', 'TracIk'),
    ('benchmarks.solvers.kdl', 'Kdl'),
    ('benchmarks.solvers.clik', 'Clik'),
)
"""Module and class."""


def assemble(
    robot: Robot, catalog: Sequence[tuple[str, str]] = CATALOG
) -> tuple[list[Solver], list[tuple[str, str]]]:
    """
    Make every solver ready for a robot.

    Parameters
    ----------
    robot : Robot
        For whom.
    catalog : sequence of (str, str)
        Module and class of each.

    Returns
    -------
    ready : list of Solver
        Those that take this robot.
    absent : list of (str, str)
        The others: name and reason. A peer that is broken in any way ends here, not in silence.

    """
    ready: list[Solver] = []
    absent: list[tuple[str, str]] = []
    for module, name in catalog:
        solver = getattr(importlib.import_module(module), name)
        try:
            ready.append(solver(robot))
        except UnsupportedRobotError as error:
            absent.append((solver.name, f'does not support {robot.name}: {error}'))
        except ImportError as error:
            absent.append((solver.name, f'cannot be imported: {error}'))
        except Exception as error:
            absent.append((solver.name, f'failed: {type(error).__name__}: {error}'))
    return ready, absent
