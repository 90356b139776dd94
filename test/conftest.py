# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots that every test may use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import sysconfig

from hypothesis import settings
import ik_node
import numpy as np
import pytest

# The first example of a property may compile kernels, and every run tries the same examples.
settings.register_profile('ik_node', deadline=None, derandomize=True)
settings.load_profile('ik_node')

HERE = Path(__file__).parent
_REAL = Path(sysconfig.get_path('purelib')) / 'cmeel.prefix/share/example-robot-data/robots'


@pytest.fixture(scope='session')
def real_robot() -> Callable[[str], Path]:
    """Find a URDF of the package example-robot-data by its path below robots/."""
    if not _REAL.is_dir():
        pytest.skip('example-robot-data is not installed (pip install example-robot-data)')

    def find(name: str) -> Path:
        path = _REAL / name
        assert path.is_file(), f'example-robot-data has no {name}'
        return path

    return find


@pytest.fixture(scope='session')
def shipped_robot() -> Callable[[str], Path]:
    """Find a URDF in config/robots or test/robots by its name."""

    def find(name: str) -> Path:
        for folder in (HERE.parent / 'config/robots', HERE / 'robots'):
            if (folder / f'{name}.urdf').is_file():
                return folder / f'{name}.urdf'
        raise AssertionError(f'no robot {name}')

    return find


@pytest.fixture(scope='session', autouse=True)
def _compiled() -> None:
    """Compile the kernels before any test begins: some give a search little time."""
    ik_node.warm_up()


@pytest.fixture
def rng() -> np.random.Generator:
    """Give a generator with a fixed seed."""
    return np.random.default_rng(20261130)
