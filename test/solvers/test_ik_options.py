# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of the controlled iteration: what is accepted, what is refused and in which words."""

from __future__ import annotations

import dataclasses
import math

from ik_node import IKOptions, InvalidOptionError
import numpy as np
import pytest

# The members of raisim::ArticulatedSystem::IKOptions.
OF_RAISIM = [
    'maxIterations',
    'positionTolerance',
    'orientationTolerance',
    'orientationWeight',
    'damping',
    'stepSize',
    'maxStep',
    'svdTolerance',
    'finiteDifferenceStep',
    'useOrientation',
    'applySolution',
    'applyBestOnFailure',
    'enforceJointLimits',
    'inverseMethod',
    'transposeGain',
    'seed',
]


def snake(name):
    """Write a name of RaiSim as Python does."""
    return ''.join(f'_{c.lower()}' if c.isupper() else c for c in name)


def test_fields_are_those_of_raisim_and_three_of_ours():
    names = [field.name for field in dataclasses.fields(IKOptions)]
    assert names == [*map(snake, OF_RAISIM), 'timeout', 'max_starts', 'random_seed']


def test_documented_defaults():
    assert dataclasses.asdict(IKOptions()) == {
        'max_iterations': 200,
        'position_tolerance': 1e-6,
        'orientation_tolerance': 1e-5,
        'orientation_weight': 1.0,
        'damping': 0.05,
        'step_size': 1.0,
        'max_step': 0.5,
        'svd_tolerance': 1e-6,
        'finite_difference_step': 1e-4,
        'use_orientation': True,
        'apply_solution': False,
        'apply_best_on_failure': False,
        'enforce_joint_limits': True,
        'inverse_method': 'dls',
        'transpose_gain': 0.3,
        'seed': None,
        'timeout': 0.05,
        'max_starts': 1,
        'random_seed': 0,
    }


def test_options_cannot_be_changed_but_replaced():
    options = IKOptions()
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.damping = 1.0  # type: ignore[misc]
    assert dataclasses.replace(options, damping=1).damping == 1.0
    with pytest.raises(InvalidOptionError):
        dataclasses.replace(options, damping=-1.0)


def test_numbers_of_numpy_become_those_of_python():
    options = IKOptions(
        max_iterations=np.int32(7),
        damping=np.float32(0.5),
        use_orientation=np.bool_(False),
        seed=np.array([1, 2]),
        max_starts=np.uint8(3),
        random_seed=np.uint64(2**64 - 1),
    )
    assert options == IKOptions(
        7, damping=0.5, use_orientation=False, seed=(1.0, 2.0), max_starts=3,
        random_seed=2**64 - 1,
    )  # fmt: skip
    assert type(options.damping) is float
    assert type(options.use_orientation) is bool
    assert hash(options) == hash(dataclasses.replace(options))


@pytest.mark.parametrize('seed', [None, [], (), np.zeros(0)])
def test_empty_seed_is_the_current_state(seed):
    assert IKOptions(seed=seed).seed is None


def test_spelling_of_scene_files():
    assert IKOptions(inverse_method='damped_least_squares') == IKOptions()


@pytest.mark.parametrize('count', [0, -5])
def test_fewer_than_one_iteration_is_accepted(count):
    assert IKOptions(max_iterations=count).max_iterations == count


def test_an_infinite_step_is_no_bound():
    assert IKOptions(max_step=math.inf).max_step == math.inf


@pytest.mark.parametrize(
    ('fields', 'tracks'),
    [
        ({}, True),
        ({'use_orientation': False}, False),
        ({'orientation_weight': 0.0}, False),
        ({'orientation_weight': 1e-9}, True),
    ],
)
def test_when_the_orientation_is_tracked(fields, tracks):
    assert IKOptions(**fields).tracks_orientation is tracks


NUMBERS = [
    'position_tolerance',
    'orientation_tolerance',
    'orientation_weight',
    'damping',
    'step_size',
    'max_step',
    'svd_tolerance',
    'finite_difference_step',
    'transpose_gain',
    'timeout',
]
SWITCHES = ['use_orientation', 'apply_solution', 'apply_best_on_failure', 'enforce_joint_limits']


@pytest.mark.parametrize('name', NUMBERS)
@pytest.mark.parametrize('value', [-1.0, math.nan, -math.inf, '1', None, True, [1.0], 1j])
def test_a_number_is_refused(name, value):
    with pytest.raises(InvalidOptionError, match=f'^{name} is .*; it must be a number '):
        IKOptions(**{name: value})


@pytest.mark.parametrize('name', [name for name in NUMBERS if name != 'max_step'])
def test_infinity_is_refused(name):
    with pytest.raises(InvalidOptionError, match=f'^{name} is inf; it must be a number .* finite'):
        IKOptions(**{name: math.inf})


@pytest.mark.parametrize(
    ('name', 'unit'),
    [
        ('position_tolerance', 'm'),
        ('orientation_tolerance', 'rad'),
        ('step_size', '1'),
        ('max_step', 'rad or m'),
        ('finite_difference_step', 'rad or m'),
    ],
)
def test_zero_is_refused_with_the_unit(name, unit):
    with pytest.raises(InvalidOptionError) as caught:
        IKOptions(**{name: 0})
    assert str(caught.value).startswith(f'{name} is 0; it must be a number [{unit}], positive')


@pytest.mark.parametrize(
    'name', ['orientation_weight', 'damping', 'svd_tolerance', 'transpose_gain', 'timeout']
)
def test_zero_is_accepted(name):
    assert getattr(IKOptions(**{name: 0}), name) == 0.0


@pytest.mark.parametrize('name', SWITCHES)
@pytest.mark.parametrize('value', [0, 1, 'yes', None, math.nan])
def test_a_switch_is_refused(name, value):
    with pytest.raises(InvalidOptionError, match=f'^{name} is .*; it must be True or False'):
        IKOptions(**{name: value})


@pytest.mark.parametrize('name', ['max_iterations', 'max_starts', 'random_seed'])
@pytest.mark.parametrize('value', [1.0, math.nan, '1', True, [1]])
def test_a_count_is_refused(name, value):
    with pytest.raises(InvalidOptionError, match=f'^{name} is .*; it must be an integer'):
        IKOptions(**{name: value})


@pytest.mark.parametrize(
    'fields', [{'max_starts': 0}, {'random_seed': -1}, {'random_seed': 2**64}]
)
def test_a_count_out_of_its_range(fields):
    with pytest.raises(InvalidOptionError, match='it must be'):
        IKOptions(**fields)


@pytest.mark.parametrize('method', ['DLS', 'newton', '', None, 1, ['dls']])
def test_unknown_method_is_refused_with_the_known_ones(method):
    with pytest.raises(InvalidOptionError) as caught:
        IKOptions(inverse_method=method)
    assert str(caught.value) == (
        f"inverse_method is {method!r}; it must be one of 'dls', 'pinv', 'svd', 'transpose', "
        "'adaptive'"
    )


@pytest.mark.parametrize(
    'seed',
    ['text', [0.1, math.nan], [math.inf], [[0.1, 0.2]], 0.5, [True, False], ['1', '2'], [None]],
)
def test_a_seed_that_is_no_vector_of_numbers(seed):
    with pytest.raises(InvalidOptionError, match='^seed '):
        IKOptions(seed=seed)


def test_transposing_without_a_gain():
    with pytest.raises(InvalidOptionError, match="'transpose' it must be positive"):
        IKOptions(inverse_method='transpose', transpose_gain=0.0)


@pytest.mark.parametrize(
    'fields',
    [{'use_orientation': False}, {'orientation_weight': 0.0}, {'enforce_joint_limits': False}],
)
def test_what_the_adaptive_search_cannot_do_is_refused(fields):
    with pytest.raises(InvalidOptionError, match="'adaptive' tracks the orientation"):
        IKOptions(inverse_method='adaptive', **fields)
