# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables, JSON and the command line."""

from __future__ import annotations

import json

import pytest

pytest.importorskip('pinocchio')

from benchmarks import __main__ as program  # noqa: E402 - after the skip
from benchmarks.machine import describe_machine, describe_versions  # noqa: E402
from benchmarks.plot import plot_comparison  # noqa: E402
from benchmarks.report import format_cell, Table  # noqa: E402
from benchmarks.suites import CATALOG, find_suite  # noqa: E402
from benchmarks.suites.reach import COLUMNS  # noqa: E402


@pytest.mark.parametrize(
    ('cell', 'text'),
    [(None, '-'), ('x', 'x'), (7, '7'), (99.97, '99.97'), (100.0, '100'), (12345.6, '12346'),
     (0.12345, '0.1235')],
)  # fmt: skip
def test_cells(cell, text) -> None:
    assert format_cell(cell) == text


def test_table_as_text_and_as_dictionaries() -> None:
    table = Table('title', ('solver', 'mean us'), (('a', 1.5), ('long', None)), ('a note',))
    assert table.as_text().splitlines() == [
        '### title',
        '',
        '| solver | mean us |',
        '| ------ | ------: |',
        '| a      |     1.5 |',
        '| long   |       - |',
        '',
        '- a note',
    ]
    assert table.as_dict()['rows'] == [
        {'solver': 'a', 'mean us': 1.5},
        {'solver': 'long', 'mean us': None},
    ]


def test_every_suite_can_be_imported() -> None:
    for name in CATALOG:
        assert callable(find_suite(name))


def test_machine_and_versions_can_be_written_down() -> None:
    assert json.dumps(describe_machine())
    assert describe_versions()['ik_node'][0].isdigit()


def test_an_unknown_suite_is_named(capsys) -> None:
    with pytest.raises(SystemExit):
        program.main(['far', 'wide'])
    assert 'no suite wide; there are far, near' in capsys.readouterr().err


def test_a_run_writes_its_numbers(tmp_path, capsys, monkeypatch) -> None:
    table = Table('title', ('solver', 'mean us'), (('a', 1.5),))

    def broken(request):
        raise RuntimeError('no robot')

    suites = {'far': lambda request: [table], 'near': broken}
    monkeypatch.setattr(program, 'find_suite', suites.__getitem__)
    file = tmp_path / 'out.json'
    assert program.main(['far', 'near', '--json', str(file)]) == 1
    document = json.loads(file.read_text())
    assert set(document) == {'date', 'machine', 'versions', 'suites', 'failed', 'goals'}
    assert document['suites']['far'][0]['rows'] == [{'solver': 'a', 'mean us': 1.5}]
    assert document['failed'] == {'near': 'RuntimeError: no robot'}
    assert 'near FAILED' in capsys.readouterr().out


def test_plot_of_what_has_no_times(tmp_path) -> None:
    file = tmp_path / 'out.png'
    assert not plot_comparison({'load': [Table('title', ('robot',), (('a',),))]}, file)
    assert not file.exists()


def test_plot_of_a_comparison(tmp_path) -> None:
    pytest.importorskip('matplotlib')
    rows = (
        ('ik_node', 3, 100.0, 2.0, 1.5, 9.0, 4.0, 1.0),
        ('peer', 3, 99.0, 20.0, 15.0, 90.0, 40.0, 10.0),
        ('absent', 0, *(None,) * 6),
    )
    file = tmp_path / 'out.png'
    assert plot_comparison({'far': [Table('far: robot', COLUMNS, rows)]}, file)
    assert file.read_bytes().startswith(b'\x89PNG')
