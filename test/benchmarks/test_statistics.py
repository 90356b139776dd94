# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Times in a few numbers, checked against numbers that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.statistics import mean_ratio, median_of_repeats, summarize


def test_one_interrupted_repeat_does_not_count() -> None:
    times = np.array([[3.0, 1.0, 2.0], [5.0, 900.0, 4.0]])
    np.testing.assert_array_equal(median_of_repeats(times), [2.0, 5.0])


def test_summary_of_a_hundred_targets() -> None:
    times = np.arange(1.0, 102.0)[:, np.newaxis]  # 1 to 101: the median is 51, the 99th % 100
    accepted = np.ones((101, 1), dtype=bool)
    accepted[0] = False
    found = summarize(times, accepted)
    assert found.count == 101
    assert found.success == pytest.approx(100.0 * 100 / 101)
    assert found.mean == pytest.approx(51.0)
    assert found.median == pytest.approx(51.0)
    assert found.p99 == pytest.approx(100.0)


def test_first_calls_are_told_apart() -> None:
    found = summarize(np.array([[9.0, 1.0, 1.0], [7.0, 1.0, 1.0]]), np.ones((2, 3), dtype=bool))
    assert (found.mean, found.first) == (1.0, 8.0)


def test_every_answer_counts_for_success_not_the_best_of_its_turn() -> None:
    accepted = np.array([[True, True, False], [True, True, True]])
    assert summarize(np.ones((2, 3)), accepted).success == pytest.approx(100.0 * 5 / 6)


def test_ratio_is_that_of_the_means() -> None:
    slow, quick = np.array([[30.0], [10.0]]), np.array([[1.0, 1.0], [3.0, 3.0]])
    assert mean_ratio(slow, quick) == pytest.approx(10.0)


def test_ratio_needs_the_same_targets() -> None:
    with pytest.raises(ValueError, match='2 targets cannot be compared with 1'):
        mean_ratio(np.ones((2, 1)), np.ones((1, 1)))


def test_nothing_has_no_summary() -> None:
    with pytest.raises(ValueError, match='no call'):
        summarize(np.empty((0, 3)), np.empty((0, 3), dtype=bool))
