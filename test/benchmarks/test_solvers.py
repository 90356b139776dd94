# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Who takes part, who does not and why, and that a run asks everybody the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('pinocchio')

from benchmarks.judge import Judge  # noqa: E402 - after the skip
from benchmarks.measure import run_interleaved  # noqa: E402
from benchmarks.robots import Robot  # noqa: E402
from benchmarks.solvers import assemble, CATALOG  # noqa: E402
from benchmarks.solvers.solver import Solver, UnsupportedRobotError  # noqa: E402
from benchmarks.suites.reach import comparison  # noqa: E402
from benchmarks.targets import far  # noqa: E402


@pytest.fixture
def iiwa(shipped_robot) -> Robot:
    path: Path = shipped_robot('iiwa14')
    return Robot('iiwa14', path, 'base', 'flange', path, Judge(path, 'base', 'flange'))


class Absent(Solver):
    name, options = 'absent', 'none'

    def __init__(self, robot: Robot) -> None:
        import a_package_that_nobody_has  # noqa: F401

    def prepare(self, target: Any, seed: Any) -> Any:
        pytest.fail('a solver that could not be made was asked')

    def answer(self, raw: Any) -> Any:
        pytest.fail('a solver that could not be made was asked')


class Choosy(Absent):
    name = 'choosy'

    def __init__(self, robot: Robot) -> None:
        raise UnsupportedRobotError('it has no wheels')


class Broken(Absent):
    name = 'broken'

    def __init__(self, robot: Robot) -> None:
        raise ZeroDivisionError('by zero')


class Oracle(Solver):
    """Knows all answers because the seed is one."""

    name, options = 'oracle', 'none'

    def __init__(self, robot: Robot) -> None:
        self.calls = 0

    def prepare(self, target: Any, seed: Any) -> Any:
        def call() -> Any:
            self.calls += 1
            return seed

        return call

    def answer(self, raw: Any) -> Any:
        return raw


class Liar(Oracle):
    name, stride, repeats = 'liar', 5, 1

    def answer(self, raw: Any) -> Any:
        return raw + 1e-3


class Raiser(Oracle):
    name = 'raiser'

    def prepare(self, target: Any, seed: Any) -> Any:
        def call() -> Any:
            raise RuntimeError('no solution')

        return call


def test_a_peer_that_cannot_take_part_is_told_with_its_reason(iiwa, monkeypatch) -> None:
    here = 'peers_of_this_test'
    monkeypatch.setitem(
        __import__('sys').modules, here,
        type('Module', (), {kind.__name__: kind for kind in (Oracle, Absent, Choosy, Broken)}),
    )  # fmt: skip
    catalog = [(here, name) for name in ('Oracle', 'Absent', 'Choosy', 'Broken')]
    ready, absent = assemble(iiwa, catalog)
    assert [solver.name for solver in ready] == ['oracle']
    assert absent == [
        ('absent', "cannot be imported: No module named 'a_package_that_nobody_has'"),
        ('choosy', 'does not support iiwa14: it has no wheels'),
        ('broken', 'failed: ZeroDivisionError: by zero'),
    ]
    cases = far(iiwa.judge, 3, np.random.default_rng(0))
    table = comparison('title', run_interleaved(ready, cases, iiwa.judge), absent)
    assert [row[0] for row in table.rows] == ['oracle', 'absent', 'choosy', 'broken']
    assert 'choosy: NOT COMPARED, does not support iiwa14: it has no wheels' in table.notes
    assert 'NOT COMPARED' in table.as_text()


def test_modules_of_solvers_need_no_peer_to_be_imported() -> None:
    for module, name in CATALOG:
        solver = getattr(__import__(module, fromlist=[name]), name)
        assert issubclass(solver, Solver)
        assert solver.name
        assert solver.options


def test_ours_and_the_baseline_are_accepted_by_the_judge(iiwa) -> None:
    ours = [('benchmarks.solvers.ours', 'Library'), ('benchmarks.solvers.ours', 'Kernel'),
            ('benchmarks.solvers.clik', 'Clik')]  # fmt: skip
    ready, absent = assemble(iiwa, ours)
    assert absent == []
    cases = far(iiwa.judge, 20, np.random.default_rng(0))
    for trial in run_interleaved(ready, cases, iiwa.judge):
        assert trial.accepted.all(), trial.solver


def test_kdl_reads_the_chain_as_the_judge_does(iiwa) -> None:
    pytest.importorskip('PyKDL')
    ready, absent = assemble(iiwa, [('benchmarks.solvers.kdl', 'Kdl')])
    assert absent == []
    cases = far(iiwa.judge, 20, np.random.default_rng(0))
    (trial,) = run_interleaved(ready, cases, iiwa.judge)
    assert trial.accepted.mean() > 0.8


def test_a_run_judges_every_answer_and_survives_exceptions(iiwa) -> None:
    solvers = [Oracle(iiwa), Liar(iiwa), Raiser(iiwa)]
    configs = iiwa.judge.upper * np.linspace(-0.9, 0.9, 10)[:, np.newaxis]
    cases = far(iiwa.judge, 10, np.random.default_rng(0))
    cases.seeds[:] = configs
    cases.targets[:] = [iiwa.judge.pose(q) for q in configs]
    oracle, liar, raiser = run_interleaved(solvers, cases, iiwa.judge)
    assert oracle.accepted.all()
    assert oracle.times.shape == (10, 3)
    assert liar.indices.tolist() == [0, 5]
    assert liar.found.all()
    assert not liar.accepted.any()
    assert not raiser.found.any()
    assert not raiser.accepted.any()
    assert solvers[0].calls == 3 * (10 + 3)  # three targets to warm up
