# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import fields
import math
from typing import Any

import pytest

pytest.importorskip('ik_node_interfaces')

from ik_node import IKOptions  # noqa: E402
from ik_node.errors import InvalidOptionError  # noqa: E402
from ik_node.ros.settings import Settings  # noqa: E402
from ik_node.ros.solve_conversions import (  # noqa: E402
    ik_options,
    refuse_iteration,
    refuse_method,
)

from ik_node_interfaces.msg import SolveOptions  # noqa: E402

#: A value of each field that is neither zero nor the default.
VALUES: dict[str, Any] = {
    'max_iterations': 7,
    'damping': 0.125,
    'svd_tolerance': 0.25,
    'transpose_gain': 0.5,
    'step_size': 0.75,
    'max_step': math.inf,
    'finite_difference_step': 0.03125,
    'orientation_weight': 2.5,
    'use_orientation': False,
    'enforce_joint_limits': False,
}


def test_the_message_has_every_option() -> None:
    # The seed is a field of the request itself.
    ours = {field.name for field in fields(IKOptions)} - {'seed'}
    assert ours <= set(SolveOptions.get_fields_and_field_types())


def test_nothing_said_is_the_default() -> None:
    options, note = ik_options(SolveOptions(inverse_method='dls'), Settings())
    assert (options, note) == (IKOptions(), '')


@pytest.mark.parametrize('name', VALUES)
def test_each_option_arrives(name: str) -> None:
    message = SolveOptions(inverse_method='transpose', **{name: VALUES[name]})
    options, _ = ik_options(message, Settings())
    assert options == IKOptions(inverse_method='transpose', **{name: VALUES[name]})


def test_options_that_both_searches_have() -> None:
    settings = Settings(position_tolerance=1e-3, random_seed=5, max_timeout=2.0)
    options, _ = ik_options(SolveOptions(inverse_method='svd'), settings)
    assert (options.position_tolerance, options.random_seed) == (1e-3, 5)
    message = SolveOptions(
        inverse_method='svd',
        timeout=9.0,
        position_tolerance=1e-4,
        orientation_tolerance=1e-2,
        random_seed=6,
        max_starts=3,
    )
    options, note = ik_options(message, settings)
    assert (options.timeout, options.max_starts, options.random_seed) == (2.0, 3, 6)
    assert (options.position_tolerance, options.orientation_tolerance) == (1e-4, 1e-2)
    assert 'max_timeout' in note
    message.single_attempt = True
    assert ik_options(message, settings)[0].max_starts == 1
    # The service changes the state, not the library.
    message.apply_solution = message.apply_best_on_failure = True
    assert not ik_options(message, settings)[0].apply_solution


@pytest.mark.parametrize(
    'wrong',
    [
        {'inverse_method': 'magic'},
        {'inverse_method': 'x' * 10_000},
        {'damping': -1.0},
        {'damping': math.nan},
        {'step_size': math.inf},
        {'max_step': -1.0},
        {'orientation_weight': math.nan},
        {'timeout': math.nan},
        {'position_tolerance': -1.0},
        {'position_weight': 2.0},
        {'prefer': 'nearest'},
        {'inverse_method': 'adaptive', 'use_orientation': False},
    ],
)
def test_what_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        ik_options(SolveOptions(**{'inverse_method': 'dls', **wrong}), Settings())
    assert 15 < len(str(caught.value)) < 500


@pytest.mark.parametrize('name', VALUES)
def test_an_option_that_would_be_ignored_is_refused(name: str) -> None:
    for refuse in (refuse_iteration, refuse_method):
        refuse(SolveOptions())
        with pytest.raises(InvalidOptionError, match=f'options.{name}'):
            refuse(SolveOptions(**{name: VALUES[name]}))
    for said in ({'inverse_method': 'dls'}, {'apply_best_on_failure': True}):
        refuse_iteration(SolveOptions(**said))
        with pytest.raises(InvalidOptionError, match=next(iter(said))):
            refuse_method(SolveOptions(**said))
