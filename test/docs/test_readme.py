# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the README and the examples show is run."""

from __future__ import annotations

import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')


def run(*arguments: str) -> str:
    """Run Python in the clone and return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_of_the_readme() -> None:
    (block,) = re.findall(r'```python\n(.*?)```', README, re.DOTALL)
    assert sum(map(bool, block.splitlines())) <= 10
    output = run('-c', block)
    assert output.startswith('True solved [')
    assert '\nout of reach: joint ' in output


def test_example_without_ros() -> None:
    output = run('examples/01_solve.py')
    assert 'solved in ' in output
    assert 'Ten metres higher: out of reach' in output


def test_example_of_batches() -> None:
    output = run('examples/03_batch_and_tracking.py')
    assert '100000 of 100000 solved' in output
    assert 'down by 0.100 m' in output
    fast, nearest = (float(n) for n in re.findall(r': ([0-9.]+) from the seed', output))
    assert nearest <= fast


def test_example_of_several_tips() -> None:
    output = run('examples/04_several_tips.py')
    assert output.startswith('both hands: solved, 12 joints\n')
    assert len(re.findall(r'm: solved, the other one is off by \de-', output)) >= 2
    assert 'a position for the right hand: solved' in output
    assert 'two metres farther away: out of reach' in output


def test_example_of_steps_and_goals() -> None:
    output = run('examples/05_steps_and_goals.py')
    assert re.match(r'\d+ steps: SUCCESS, the target is reached\n', output)
    assert re.search(r'two metres away: (RANGE|LIMITS), 1\.\d+ m are left', output)
    assert 'success False, approximate True: ' in output
    assert 'joint 3 at 0.000 rad: solved' in output
    costs = re.findall(r'(-?[0-9.]+) -> (-?[0-9.]+)\n', output)
    assert len(costs) == 4
    assert all(float(after) < float(before) for before, after in costs)
    assert "by 'newton': solved" in output


def test_example_by_hand() -> None:
    output = run('examples/02_by_hand.py')
    assert 'crank  90 deg' in output
    assert output.rstrip().endswith('True')


@pytest.mark.parametrize('target', re.findall(r'\]\(([^)#]+)\)', README))
def test_links_of_the_readme(target: str) -> None:
    assert (ROOT / target).exists()


def test_documents_link_to_what_exists() -> None:
    for document in (ROOT / 'docs').rglob('*.md'):
        for target in re.findall(r'\]\(([^)#:]+)\)', document.read_text(encoding='utf-8')):
            assert (document.parent / target).exists(), f'{document.name}: {target}'
