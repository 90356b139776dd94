# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Options are checked once and reused."""

from __future__ import annotations

import math

import ik_node
from ik_node.errors import InvalidOptionError
from ik_node.solvers.options import search_options
import numpy as np
import pytest


def test_equal_options_are_one_object():
    assert search_options(0.1, random_seed=3) is search_options(0.1, random_seed=3)


def test_defaults_are_the_same_however_they_are_given():
    assert search_options() is search_options()
    given = search_options(np.float64(0.005), 1e-6, 1e-5, np.float32(2.0), np.int64(0))
    np.testing.assert_equal(given._asdict(), search_options()._asdict())


def test_what_was_given_last_is_not_taken_for_what_is_merely_equal():
    for wrong in ({'timeout': '1.0'}, {'timeout': None}, {'random_seed': 0.0}, {'prefer': None}):
        right = search_options(1.0, random_seed=0)
        with pytest.raises(InvalidOptionError):
            search_options(**{'timeout': 1.0, 'random_seed': 0, **wrong})
        assert search_options(1.0, random_seed=0) is right


def test_numbers_of_numpy_are_numbers():
    options = search_options(np.float64(0.1), max_starts=np.int64(3), random_seed=np.uint64(7))
    assert options.max_starts == 3
    assert options.random_seed == 7


def test_no_largest_number_of_starts():
    assert search_options().max_starts == math.inf


def test_error_names_value_and_range():
    with pytest.raises(InvalidOptionError) as caught:
        search_options(position_tolerance=-1.0)
    assert 'position_tolerance is -1.0; it must be a positive number of [m]' in str(caught.value)


@pytest.mark.parametrize('seed', [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_every_random_seed_of_64_bits_is_usable(shipped_robot, seed):
    arm = ik_node.Environment.from_urdf(shipped_robot('ur5e')).create_group('arm')
    target = arm.forward_kinematics([0.3, -1.2, 1.5, -0.4, 0.9, 0.1])
    found = [arm.solve(target, random_seed=seed, timeout=1.0) for _ in range(2)]
    assert found[0].success
    np.testing.assert_array_equal(found[0].q, found[1].q)


@pytest.mark.parametrize(
    'fields',
    [
        {'timeout': math.inf},
        {'timeout': [0.1]},
        {'position_tolerance': math.inf},
        {'orientation_tolerance': math.nan},
        {'position_tolerance': 'near'},
        {'random_seed': 2**64},
        {'random_seed': -1},
        {'random_seed': 1.5},
        {'random_seed': 0.0},  # equal to the default, but no integer
        {'random_seed': None},
    ],
)
def test_what_no_search_could_use_is_refused(fields):
    with pytest.raises(InvalidOptionError):
        search_options(**fields)
