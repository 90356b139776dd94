# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.robots import load_robot, NAMES, Robot


@dataclass(frozen=True)
class Request:
    """What to run, and a folder for what has to be written on the way."""

    folder: Path
    """Temporary."""
    targets: int | None = None
    """Number of targets; None: what the suite thinks right."""
    robots: tuple[str, ...] = NAMES
    seed: int = 0
    """Of the generator that draws the questions."""

    def count(self, default: int) -> int:
        """Return the number of targets."""
        return default if self.targets is None else self.targets

    def rng(self) -> np.random.Generator:
        """Return a new generator: a suite asks the same whatever ran before it."""
        return np.random.default_rng(self.seed)

    def robot(self, name: str) -> Robot:
        """Load one of the robots."""
        return load_robot(name, self.folder)
