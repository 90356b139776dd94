# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line: `python -m benchmarks [NAMES]`, which `dev.py bench` calls."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
from pathlib import Path
import sys
import tempfile
import time
from typing import Any

from benchmarks.goals import compare
from benchmarks.machine import describe_machine, describe_versions, today
from benchmarks.plot import plot_comparison
from benchmarks.report import Table
from benchmarks.request import Request
from benchmarks.robots import NAMES
from benchmarks.suites import CATALOG, find_suite


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='dev.py bench', description=__doc__)
    parser.add_argument(
        'names', nargs='*', metavar='NAME', help=f'suites: {", ".join(CATALOG)}; default: all'
    )
    parser.add_argument('--targets', type=_positive, metavar='N', help='targets of each robot')
    parser.add_argument(
        '--robots', nargs='+', choices=NAMES, default=NAMES, metavar='ROBOT',
        help=f'some of {", ".join(NAMES)}; default: all',
    )  # fmt: skip
    parser.add_argument('--seed', type=int, default=0, help='draws other targets and seeds')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write all numbers')
    parser.add_argument('--plot', type=Path, metavar='FILE', help='draw the comparisons as PNG')
    return parser


def main(argv: Sequence[str]) -> int:
    """
    Run suites and print their tables.

    Parameters
    ----------
    argv : sequence of str
        Arguments after the program's name.

    Returns
    -------
    int
        Exit code: 1 when a suite failed. A slow machine is no failure.

    """
    parser = build_parser()
    arguments = parser.parse_args(argv)
    unknown = [name for name in arguments.names if name not in CATALOG]
    if unknown:
        parser.error(f'no suite {", ".join(unknown)}; there are {", ".join(CATALOG)}')
    header: dict[str, Any] = {
        'date': today(),
        'machine': describe_machine(),
        'versions': describe_versions(),
    }
    for title, part in header.items():
        print(f'{title}: {part}')
    print()
    results: dict[str, list[Table]] = {}
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix='ik_node_bench_') as folder:
        request = Request(Path(folder), arguments.targets, tuple(arguments.robots), arguments.seed)
        for name in arguments.names or CATALOG:
            began = time.monotonic()
            try:
                results[name] = list(find_suite(name)(request))
            except Exception as error:  # the other suites are still worth their time
                failed[name] = f'{type(error).__name__}: {error}'
                print(f'### {name} FAILED: {failed[name]}\n')
                continue
            for table in results[name]:
                print(table.as_text())
            print(f'({name}: {time.monotonic() - began:.0f} s)\n', flush=True)
    goals = compare(results)
    if goals.rows:
        print(goals.as_text())
    if arguments.json:
        suites = {name: [table.as_dict() for table in found] for name, found in results.items()}
        document = {**header, 'suites': suites, 'failed': failed, 'goals': goals.as_dict()}
        arguments.json.write_text(json.dumps(document, indent=1) + '\n')
    if arguments.plot and not plot_comparison(results, arguments.plot):
        print('nothing to plot: far, near and singular have pictures')
    return int(bool(failed))


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f'{text} is not positive')
    return value


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
