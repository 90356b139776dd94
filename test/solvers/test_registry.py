# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Solvers by name: registered by a call, or by a package."""

from __future__ import annotations

import math
import time

import ik_node
from ik_node import Environment, InvalidOptionError, solvers, SolveStatus, Translation3D
import numpy as np
import pytest

TARGET = Translation3D([math.cos(0.5) + math.cos(1.5), math.sin(0.5) + math.sin(1.5), 0.0])
PACKAGE = """
def make():
    def solve(request):
        return request.seed + 1.0
    return solve

def broken():
    return 'no solver'
"""


class Newton:
    """A solver of a few lines, as a user would write it."""

    def __init__(self):
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        place = request.problem.at(request.seed)
        for _ in range(50):
            step = np.linalg.pinv(place.jacobian) @ place.error
            place = request.problem.at(request.problem.moved(place.q, step))
        return place.q


@pytest.fixture
def arm():
    """Load the planar arm."""
    env = Environment.from_urdf('test/robots/planar_2r.urdf')
    return env.create_group('arm', 'base', 'tip')


@pytest.fixture
def registered():
    """Register solvers, and forget them after the test."""
    names = []

    def register(name, factory, **options):
        solvers.register(name, factory, **options)
        if name not in names:
            names.append(name)

    yield register
    for name in names:
        solvers.unregister(name)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with entry points, as pip does."""
    (tmp_path / 'ik_node_test_solvers.py').write_text(PACKAGE)
    info = tmp_path / 'ik_node_test_solvers-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: ik-node-test-solvers\n')
    (info / 'entry_points.txt').write_text(
        '[ik_node.solvers]\n'
        'plus-one = ik_node_test_solvers:make\n'
        'absent = ik_node_test_solvers:nothing\n'
        'broken = ik_node_test_solvers:broken\n'
    )
    monkeypatch.syspath_prepend(tmp_path)


def test_a_registered_solver_solves(arm, registered):
    solver, made = Newton(), []
    registered('newton', lambda: made.append(1) or solver)
    before = time.monotonic()
    result = arm.solve(TARGET, [0.4, 0.9], method='newton', timeout=3.0, random_seed=7)
    assert result.status is SolveStatus.SUCCESS
    assert result.message == 'solved'
    np.testing.assert_allclose(result.q, [0.5, 1.0], atol=1e-6)
    assert result.position_error <= 1e-6
    (request,) = solver.requests
    assert len(made) == 1
    np.testing.assert_array_equal(request.seed, [0.4, 0.9])
    assert request.random_seed == 7
    assert request.deadline >= before + 3.0
    assert request.problem.tables.coordinate_names == ('j1', 'j2')


def test_what_it_claims_is_checked(arm, registered):
    registered('lazy', lambda: lambda request: request.seed)
    result = arm.solve(TARGET, [0.4, 0.9], method='lazy')
    assert result.status is SolveStatus.NOT_FOUND
    assert "not found by solver 'lazy'" in result.message
    assert result.position_error > 0.01


def test_answers_are_brought_into_the_limits(arm, registered):
    registered('far', lambda: lambda request: [3.1, -3.1])
    result = arm.solve(TARGET, [0.4, 0.9], method='far')
    np.testing.assert_array_equal(result.q, [3.0, -3.0])


def test_it_goes_with_all_other_keywords(arm, registered):
    registered('newton', Newton)
    held = arm.solve(TARGET, [0.5, 0.9], method='newton', locked_joints=['j1'])
    assert held.success
    assert held.q[0] == 0.5
    far = Translation3D([3.0, 0.0, 0.0])
    result = arm.solve(far, [0.4, 0.9], method='newton', approximate=True)
    assert result.approximate
    assert result.position_error == pytest.approx(1.0, abs=1e-6)


def test_known_solvers(registered, package):
    before = solvers.known_solvers()
    assert before[:5] == ('adaptive', 'dls', 'pinv', 'svd', 'transpose')
    assert {'plus-one', 'absent', 'broken'} <= set(before)
    registered('newton', Newton)
    assert set(solvers.known_solvers()) == {*before, 'newton'}
    assert ik_node.solvers.register is solvers.register


def test_a_name_that_nothing_has(arm, registered):
    registered('newton', Newton)
    with pytest.raises(InvalidOptionError) as caught:
        arm.solve(TARGET, method='newtom')
    assert str(caught.value).startswith(
        "method is 'newtom'; it must be one of 'adaptive', 'dls', 'pinv', 'svd', 'transpose', "
    )
    assert "'newton'" in str(caught.value)


def test_an_entry_point_is_a_solver(arm, package):
    result = arm.solve(TARGET, [-0.5, 0.0], method='plus-one')
    assert result.success
    np.testing.assert_array_equal(result.q, [0.5, 1.0])
    with pytest.raises(InvalidOptionError, match=r"'ik_node_test_solvers:nothing' cannot be load"):
        arm.solve(TARGET, method='absent')
    with pytest.raises(InvalidOptionError, match="factory of solver 'broken' gave 'no solver'"):
        arm.solve(TARGET, method='broken')


def test_names_are_taken_once(registered):
    registered('newton', Newton)
    with pytest.raises(InvalidOptionError, match="there is a solver 'newton' already"):
        solvers.register('newton', Newton)
    registered('newton', Newton, replace=True)
    with pytest.raises(InvalidOptionError, match="'dls' is one of ik_node itself"):
        solvers.register('dls', Newton)
    for name in ('', 3):
        with pytest.raises(InvalidOptionError, match='must be a text, not empty'):
            solvers.register(name, Newton)
    with pytest.raises(InvalidOptionError, match='must be callable'):
        solvers.register('other', 'Newton')
    with pytest.raises(InvalidOptionError, match="no solver 'other' was registered"):
        solvers.unregister('other')


@pytest.mark.parametrize('answer', ['up', [1.0], [math.nan, 0.0], None])
def test_answers_are_configurations(answer, arm, registered):
    registered('odd', lambda: lambda request: answer)
    with pytest.raises(InvalidOptionError, match="solver 'odd' gave"):
        arm.solve(TARGET, method='odd')
