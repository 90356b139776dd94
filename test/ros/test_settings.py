# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip('rclpy')

from ik_node.errors import InvalidOptionError  # noqa: E402
from ik_node.ros.parameters import descriptor  # noqa: E402
from ik_node.ros.settings import chain_end_row, chains, Settings, TABLE  # noqa: E402

ROWS = {row.name: row for row in TABLE}
CONFIG = Path(__file__).resolve().parents[2] / 'config' / 'ik_node.yaml'


def test_every_default_is_acceptable_and_described() -> None:
    for row in TABLE:
        assert row.convert(row.default) == row.default
        assert len(row.doc) > 10
    assert Settings() == Settings(**{row.name: row.default for row in TABLE})


@pytest.mark.parametrize(
    ('name', 'given', 'value'),
    [
        ('timeout', 1, 1.0),
        ('joint_states_rate', 100, 100.0),
        ('groups', [], ()),
        ('groups', None, ()),
        ('groups', b'', ()),
        ('groups', ['left', 'right'], ('left', 'right')),
        ('base', None, ''),
        ('base', [], ''),
        ('solver_threads', 64, 64),
    ],
)
def test_spellings_that_mean_the_same(name: str, given: object, value: object) -> None:
    converted = ROWS[name].convert(given)
    assert converted == value
    assert type(converted) is type(value)


@pytest.mark.parametrize(
    ('name', 'given', 'part'),
    [
        ('timeout', 'fast', "got 'fast' (str), expected a double from 1e-05 to 60 s"),
        ('timeout', 0, 'got 0 (int), expected a double'),
        ('timeout', float('nan'), 'got nan (float)'),
        ('timeout', True, 'got True (bool)'),
        ('joint_states_rate', 1001, 'from 0.1 to 1000 Hz'),
        ('solver_threads', 2.0, 'got 2.0 (float), expected an integer from 1 to 64'),
        ('solver_threads', 0, 'expected an integer from 1 to 64'),
        ('publish_joint_states', 1, 'expected a bool'),
        ('base', 3, 'got 3 (int), expected a string'),
        ('groups', 'left', 'expected a list of different non-empty strings'),
        ('groups', ['left', 'left'], 'different'),
        ('groups', [1, 2], 'strings'),
        ('robot_description', ['x' * 1000], 'expected a string'),
    ],
)
def test_a_refusal_names_parameter_given_and_expected(
    name: str,
    given: object,
    part: str,
) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        ROWS[name].convert(given)
    text = str(caught.value)
    assert text.startswith(f'parameter {name!r}: got ')
    assert part in text
    assert len(text) < 250


def test_descriptors_carry_range_and_read_only() -> None:
    rate = descriptor(ROWS['joint_states_rate'])
    assert (rate.floating_point_range[0].from_value, rate.floating_point_range[0].to_value) == (
        0.1,
        1000.0,
    )
    assert rate.description.endswith('[Hz]')
    threads = descriptor(ROWS['solver_threads'])
    assert (threads.integer_range[0].from_value, threads.integer_range[0].to_value) == (1, 64)
    assert threads.read_only


def test_groups_take_the_common_ends_where_they_have_none() -> None:
    values = {'base': 'b', 'tip': 't', 'groups': ()}
    assert chains(values) == {'arm': ('b', 't')}
    values |= {
        'groups': ('left', 'right'),
        'group.left.base': '',
        'group.left.tip': 'l',
        'group.right.base': 'r',
        'group.right.tip': '',
    }
    assert chains(values) == {'left': ('b', 'l'), 'right': ('r', 't')}
    assert chain_end_row('left', 'tip').name == 'group.left.tip'


def test_the_shipped_file_tells_the_defaults() -> None:
    yaml = pytest.importorskip('yaml')
    (content,) = yaml.safe_load(CONFIG.read_text()).values()
    given = content['ros__parameters']
    # An empty list has no type in a parameter file, so `groups` may stand there as a comment.
    assert set(ROWS) - set(given) <= {'groups'}
    assert 'groups' in CONFIG.read_text()
    for name, value in given.items():
        assert ROWS[name].convert(value) == ROWS[name].default, name
