# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The robots of the comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
import sysconfig

from benchmarks.chain import write_chain
from benchmarks.judge import Judge

ROOT = Path(__file__).resolve().parents[1]
REAL = Path(sysconfig.get_path('purelib')) / 'cmeel.prefix/share/example-robot-data/robots'
"""Where the package example-robot-data has its URDFs."""


@dataclass(frozen=True)
class Robot:
    """A robot, the chain that is solved, and who judges the answers."""

    name: str
    path: Path
    """The whole robot."""
    base: str
    tip: str
    chain: Path
    """A URDF with the chain from `base` to `tip` alone."""
    judge: Judge


_CATALOG: dict[str, tuple[Path, str, str]] = {
    'panda': (REAL / 'panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand'),
    'ur5': (REAL / 'ur_description/urdf/ur5_robot.urdf', 'base_link', 'ee_link'),
    'iiwa14': (ROOT / 'test/robots/iiwa14.urdf', 'base', 'flange'),
    'tiago': (
        REAL / 'tiago_description/robots/tiago_no_hand.urdf',
        'base_footprint',
        'wrist_ft_tool_link',
    ),
}
NAMES = tuple(_CATALOG)
"""7 joints, 6, 7, and a lifting torso with 7."""


def load_robot(name: str, folder: Path) -> Robot:
    """
    Read a robot and write its chain.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    folder : Path
        Where the chain is written.

    Returns
    -------
    Robot

    """
    path, base, tip = _CATALOG[name]
    chain = write_chain(path, base, tip, folder / f'{name}_chain.urdf')
    return Robot(name, path, base, tip, chain, Judge(path, base, tip))
