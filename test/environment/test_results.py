# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a solve: a value that nobody changes."""

from __future__ import annotations

import copy
import pickle

from ik_node import SolveResult, SolveStatus
from ik_node.kernels import step
import numpy as np
import pytest

FIELDS = ('status', 'q', 'joint_names', 'elapsed', 'message', 'report', 'limits')
DERIVED = (
    'success',
    'position_error',
    'orientation_error',
    'iterations',
    'restarts',
    'limit_hits',
)


@pytest.fixture
def result():
    """Give a failure with each value different."""
    report = np.zeros(step.REPORT_SIZE)
    report[step.POSITION_ERROR], report[step.ORIENTATION_ERROR] = 0.25, 0.5
    report[step.ITERATIONS], report[step.STARTS] = 7.0, 3.0
    limits = np.array([[-1.0, 1.0, 0.0, 0.0, 1.0], [-2.0, 2.0, 0.0, 0.0, 1.0]])
    return SolveResult(
        status=SolveStatus.NOT_FOUND,
        q=np.array([1.0, 0.5]),
        joint_names=('a', 'b'),
        elapsed=0.125,
        message='why',
        report=report,
        limits=limits,
    )


def test_what_it_tells(result):
    assert result.status is SolveStatus.NOT_FOUND
    assert not result.success
    assert result.q.tolist() == [1.0, 0.5]
    assert result.joint_names == ('a', 'b')
    assert (result.elapsed, result.message) == (0.125, 'why')
    assert (result.position_error, result.orientation_error) == (0.25, 0.5)
    assert (result.iterations, result.restarts) == (7, 2)
    assert result.limit_hits == ('a',)
    assert repr(result) == (
        'SolveResult(NOT_FOUND, q=[1.0, 0.5], position_error=0.25, orientation_error=0.5, '
        "iterations=7, restarts=2, elapsed=0.125, message='why')"
    )


@pytest.mark.parametrize('name', [*FIELDS, *DERIVED, 'remark'])
def test_it_cannot_be_changed(result, name):
    with pytest.raises(AttributeError):
        setattr(result, name, None)


@pytest.mark.parametrize(
    'duplicate', [copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))]
)
def test_it_can_be_copied_and_sent_to_another_process(result, duplicate):
    again = duplicate(result)
    assert repr(again) == repr(result)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(again, name), getattr(result, name))


def test_two_results_are_two_values(result):
    assert result == result  # noqa: PLR0124
    assert result != copy.deepcopy(result)
    assert len({result, result}) == 1
