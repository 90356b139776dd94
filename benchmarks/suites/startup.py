# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""From nothing to ready: import, kernels with an empty and a filled cache, the node."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.processes import python_floats, running
from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import ROOT

COLUMNS = ('what', 'median s', 'smallest s', 'largest s', 'runs')
MEMORY_COLUMNS = ('what', 'median MB', 'runs')
REPEATS = 5

_LIBRARY = """
import time
began = time.perf_counter()
import ik_node
imported = time.perf_counter()
ik_node.warm_up()
print(imported - began, time.perf_counter() - imported)
"""


def run(request: Request) -> list[Table]:
    """Start processes with a cache folder of their own, the first of which finds it empty."""
    cache = request.folder / 'cache'
    cache.mkdir(exist_ok=True)
    extra = {'IK_NODE_CACHE_DIR': str(cache)}
    python_floats('import ik_node; print(0)', extra)  # writes the byte code
    cold = [python_floats(_LIBRARY, extra)[1]]
    imports, warm = np.array([python_floats(_LIBRARY, extra) for _ in range(REPEATS)]).T
    numba = [python_floats(_numba(), extra)[0] for _ in range(REPEATS)]
    rows = [
        _row('import numpy and numba alone, warm', numba),
        _row('import ik_node, warm', imports),
        _row('warm_up, empty cache', cold),
        _row('warm_up, filled cache', warm),
    ]
    notes = ['Each run is a process of its own; the cache of kernels is a fresh folder.']
    memories: list[tuple[Cell, ...]] = []
    try:
        import rclpy  # noqa: F401 - is there a ROS?

        from ik_node_interfaces.srv import Solve  # noqa: F401 - and is it built?
    except ImportError as error:
        notes.append(f'The node was NOT STARTED: {error}.')
    else:
        fresh = request.folder / 'fresh_cache'
        fresh.mkdir()
        first, _ = _start_node(request, {'IK_NODE_CACHE_DIR': str(fresh)})
        ready, memory = zip(*(_start_node(request, extra) for _ in range(3)), strict=True)
        rows.append(_row('node until "ready", empty cache', [first]))
        rows.append(_row('node until "ready", filled cache', ready))
        memories.append(('ready node, resident', float(np.median(memory)), len(memory)))
    return [
        Table('startup', COLUMNS, tuple(rows), tuple(notes)),
        Table('startup: memory', MEMORY_COLUMNS, tuple(memories)),
    ]


def _numba() -> str:
    return (
        'import time; began = time.perf_counter(); import numpy, numba; '
        'print(time.perf_counter() - began)'
    )


def _start_node(request: Request, extra: dict[str, str]) -> tuple[float, float]:
    robot = ROOT / 'config/robots/panda.urdf'
    arguments = ['-m', 'ik_node.ros.main', '--ros-args', '-r', '__ns:=/ik_node_startup', '-p',
                 f'robot_description_file:={robot}']  # fmt: skip
    began = time.perf_counter()
    with running(arguments, request.folder, extra) as node:
        node.wait_for(lambda: 'ready: ' in node.output, 120.0, 'the node becoming ready')
        return time.perf_counter() - began, node.resident_megabytes()


def _row(what: str, seconds: object) -> tuple[Cell, ...]:
    values = np.asarray(seconds, dtype=np.float64)
    return what, float(np.median(values)), float(values.min()), float(values.max()), len(values)
