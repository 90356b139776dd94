# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The questions that can be asked, by name; each module has a `run` that answers with tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import importlib

from benchmarks.report import Table
from benchmarks.request import Request

CATALOG: dict[str, tuple[str, str]] = {
    'far': ('benchmarks.suites.reach', 'run_far'),
    'near': ('benchmarks.suites.reach', 'run_near'),
    'singular': ('benchmarks.suites.reach', 'run_singular'),
    'unreachable': ('benchmarks.suites.unreachable', 'run'),
    'tracking': ('benchmarks.suites.tracking', 'run'),
    'batch': ('benchmarks.suites.batch', 'run'),
    'accuracy': ('benchmarks.suites.accuracy', 'run'),
    'branches': ('benchmarks.suites.branches', 'run'),
    'tips': ('benchmarks.suites.tips', 'run'),
    'types': ('benchmarks.suites.types', 'run'),
    'load': ('benchmarks.suites.load', 'run'),
    'startup': ('benchmarks.suites.startup', 'run'),
    'service': ('benchmarks.suites.service', 'run'),
}
"""Module and function of each suite, imported only when asked for."""

Suite = Callable[[Request], Sequence[Table]]


def find_suite(name: str) -> Suite:
    """
    Import a suite.

    Parameters
    ----------
    name : str
        One of `CATALOG`.

    Returns
    -------
    callable
        Takes a Request, returns tables.

    """
    module, function = CATALOG[name]
    suite: Suite = getattr(importlib.import_module(module), function)
    return suite
