# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Options are checked once and reused."""

from __future__ import annotations

import math

from ik_node.errors import InvalidOptionError
from ik_node.solvers.options import search_options
import numpy as np
import pytest


def test_equal_options_are_one_object():
    assert search_options(0.1, random_seed=3) is search_options(0.1, random_seed=3)


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
