# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Every URDF of example-robot-data: what it takes to read it, and the poses of all its links."""

from __future__ import annotations

import logging
import time

import ik_node
import numpy as np

from benchmarks.report import Cell, Table
from benchmarks.request import Request
from benchmarks.robots import REAL

COLUMNS = ('robot', 'links', 'joints', 'load ms', 'all links us', 'Pinocchio load ms')
REPEATS = 3


def run(request: Request) -> list[Table]:
    """Read each file a few times; where it cannot be read, say why."""
    import pinocchio

    ik_node.warm_up()
    logging.getLogger('ik_node').setLevel(logging.ERROR)  # oddities of files are not the subject
    rows: list[tuple[Cell, ...]] = []
    notes = [f'Medians of {REPEATS} loads and {10 * REPEATS} calls of link_poses for all links.']
    for path in sorted(REAL.rglob('*.urdf')):
        name = str(path.relative_to(REAL))
        loads, theirs = [], []
        try:
            for _ in range(REPEATS):
                began = time.perf_counter()
                environment = ik_node.Environment.from_urdf(path)
                loads.append((time.perf_counter() - began) * 1e3)
        except ik_node.IkNodeError as error:
            notes.append(f'{name} NOT LOADED: {error}')
            rows.append((name, *(None,) * (len(COLUMNS) - 1)))
            continue
        for _ in range(REPEATS):
            began = time.perf_counter()
            try:
                pinocchio.buildModelFromUrdf(str(path))
            except ValueError:  # it refuses some files
                break
            theirs.append((time.perf_counter() - began) * 1e3)
        links = environment.link_names
        poses = []
        for _ in range(10 * REPEATS):
            began = time.perf_counter()
            environment.link_poses(links)
            poses.append((time.perf_counter() - began) * 1e6)
        rows.append(
            (name, len(links), len(environment.moving_joint_names), _median(loads),
             _median(poses), _median(theirs))
        )  # fmt: skip
    read = sum(row[1] is not None for row in rows)
    notes.append(f'{read} of {len(rows)} files read.')
    return [Table('load: example-robot-data', COLUMNS, tuple(rows), tuple(notes))]


def _median(values: list[float]) -> float | None:
    return float(np.median(values)) if values else None
