# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of compiled kernels: never stale, never in the way."""

from __future__ import annotations

from pathlib import Path
import shutil
import subprocess
import sys

from ik_node.kernels import _cache
import pytest

SOURCE = Path(_cache.__file__).parents[1]

pytest.importorskip('numba')

_SHOW = """
import numpy as np
from ik_node.kernels import _jit, linalg
y = np.array([6.0])
linalg.solve_damped(np.array([2.0]), 1.0, 1, np.empty(1), y)
from ik_node.kernels.limits import draw
q = np.empty(1)
draw(np.array([[0.0, 1.0, 0.0, 1.0, 1.0]]), np.zeros(1), 1, 1, q)
print(float(y[0]), float(q[0]), _jit.backend())
"""


_FINGERPRINT = """
from ik_node.kernels import _cache
print(_cache.kernel_fingerprint('1', 'cpu'))
"""


def run(package_parent, **environment):
    """Import ik_node from a folder in a fresh process and show what kernels answer."""
    variables = {'PATH': '/usr/bin:/bin', 'PYTHONPATH': str(package_parent), **environment}
    done = subprocess.run(
        [sys.executable, '-c', _SHOW],
        env=variables,
        cwd=package_parent,  # the current folder comes first on the path of `python -c`
        capture_output=True,
        text=True,
        check=True,
    )
    y, q, backend = done.stdout.strip().split(' ', 2)
    return float(y), float(q), backend


@pytest.fixture
def copy(tmp_path):
    """Copy the package, to edit it."""
    shutil.copytree(SOURCE, tmp_path / 'ik_node', ignore=shutil.ignore_patterns('__pycache__'))
    return tmp_path


def test_results_follow_an_edited_callee_in_another_file(copy):
    variables = {'XDG_CACHE_HOME': str(copy / 'cache'), 'HOME': str(copy)}
    _, before, backend = run(copy, **variables)
    assert str(copy / 'cache') in backend
    assert run(copy, **variables)[1] == before
    # `draw` in limits.py calls `uniform`: only the callee's file changes.
    callee = copy / 'ik_node/kernels/counter_random.py'
    text = callee.read_text()
    assert '1.1102230246251565e-16' in text
    callee.write_text(text.replace('1.1102230246251565e-16', '0.5 * 1.1102230246251565e-16'))
    assert run(copy, **variables)[1] == pytest.approx(0.5 * before, abs=1e-15)
    assert len(list((copy / 'cache/ik_node').iterdir())) == 2


def test_every_source_of_a_kernel_counts(copy):
    source = copy / 'ik_node/kernels/lanes/rotations.py'
    source.write_text(source.read_text() + '# another word\n')
    names = [
        subprocess.run(
            [sys.executable, '-c', _FINGERPRINT],
            cwd=parent, capture_output=True, text=True, check=True,
        ).stdout
        for parent in (SOURCE.parent, copy)
    ]  # fmt: skip
    assert names[0] != names[1]


def test_unwritable_cache_falls_back_to_memory(tmp_path):
    blocked = tmp_path / 'file'
    blocked.write_text('not a folder')
    y, _, backend = run(SOURCE.parent, IK_NODE_CACHE_DIR=str(blocked), HOME=str(tmp_path))
    assert y == 2.0
    assert 'no cache on disk: cannot write a kernel cache' in backend


def test_home_that_does_not_exist_is_no_error():
    y, _, backend = run(SOURCE.parent, HOME='/dev/null/nowhere', XDG_CACHE_HOME='')
    assert y == 2.0
    assert 'no cache on disk' in backend


def test_cache_can_be_switched_off(tmp_path):
    assert (
        'IK_NODE_CACHE_DIR is empty'
        in run(SOURCE.parent, IK_NODE_CACHE_DIR='', HOME=str(tmp_path))[2]
    )


def test_cache_of_other_packages_stays_where_it_is():
    import numba

    assert 'ik_node' not in str(numba.config.CACHE_DIR)
