# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line: what `dev.py` can be asked to do."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import os
import random
import signal
import socket
import subprocess
import sys
from typing import NoReturn

from devtools.build import ensure_built, ensure_test_interfaces, is_built
from devtools.packages import ensure_packages
from devtools.preflight import check_build_tools, check_venv, check_wheels_platform
from devtools.reporting import say, SetupError
from devtools.ros import environment, find_source, RosSource, WHEEL_DISTROS
from devtools.state import FOLDER, ROOT

CHECKS = (
    ('ruff', ['-m', 'ruff', 'check', '.']),
    ('mypy', ['-m', 'mypy']),
    ('lint-imports', ['-c', 'from importlinter.cli import lint_imports_command as run; run()',
                      '--cache-dir', str(FOLDER / 'cache' / 'import-linter')]),
)

Environment = dict[str, str]


def prepare(source: RosSource, layers: Sequence[str]) -> Environment:
    """
    Bring the environment up to date and return its variables.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.
    layers : sequence of str
        Layers of packages beyond `base`.

    """
    if not source.sourced:
        check_wheels_platform()
    check_venv()
    with source.state.locked():
        # Before anything is downloaded: nobody wants to learn after minutes that cmake is missing.
        if not is_built(source, 'ik_node_interfaces'):
            check_build_tools()
        ensure_packages(source, ['base', *layers])
        ensure_built(source)
        tests = 'test' in layers
        if tests:
            ensure_test_interfaces(source)
    return environment(source, built=True, tests=tests)


def run_demo(source: RosSource, arguments: argparse.Namespace, passed: list[str]) -> int:
    """Start the node and question it as a client would."""
    env = _with_own_domain(prepare(source, []))
    _replace_process(source, ['-m', 'ik_node.ros.demo', *passed], env)


def run_bench(source: RosSource, arguments: argparse.Namespace, passed: list[str]) -> int:
    """Run the benchmarks beside their peers."""
    env = _with_own_domain(prepare(source, ['test', 'bench']))
    _replace_process(source, ['-m', 'benchmarks', *passed], env)


def run_test(source: RosSource, arguments: argparse.Namespace, passed: list[str]) -> int:
    """Run the checks, then pytest; all of them run, and any failure is the command's."""
    env = _with_own_domain(prepare(source, ['test']))
    python = str(source.state.python)
    failed = []
    for name, command in () if arguments.no_lint else CHECKS:
        say(name)
        if subprocess.run([python, *command], env=env, cwd=ROOT).returncode:
            failed.append(name)
    code = subprocess.run([python, '-m', 'pytest', *passed], env=env, cwd=ROOT).returncode
    if failed:
        say(f'FAILED before the tests: {", ".join(failed)} (see above).')
    return code or int(bool(failed))


def run_shell(source: RosSource, arguments: argparse.Namespace, passed: list[str]) -> int:
    """Run a command, or an interactive shell, in the prepared environment."""
    env = prepare(source, ['test'])
    command = passed or [os.environ.get('SHELL') or '/bin/sh']
    _flush()
    try:
        # The command is looked up where it will run, not where dev.py runs.
        os.execvpe(command[0], command, env)
    except OSError as error:
        raise SetupError(
            f'{command[0]} cannot be run ({error.strerror}): run '
            '`python3 dev.py shell -- COMMAND` with a command that exists.'
        ) from error


COMMANDS: dict[str, tuple[Callable[[RosSource, argparse.Namespace, list[str]], int], str]] = {
    'demo': (run_demo, 'start the node on a real robot, call its services and check the answers; '
                       'takes --robot PATH_OR_NAME and --json FILE'),
    'test': (run_test, 'run ruff, mypy, lint-imports and the tests; takes arguments of pytest, '
                       'with paths relative to the clone'),
    'shell': (run_shell, 'run a command, or an interactive shell, with everything on its paths'),
    'bench': (run_bench, 'run the benchmarks, with peers installed on demand; takes names of '
                         'benchmarks and --json FILE'),
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of dev.py's own options; all others belong to the program it starts."""
    parser = argparse.ArgumentParser(
        prog='dev.py', allow_abbrev=False,
        description='Set up everything that ik_node needs inside this clone, then use it. '
                    f'All state lies in {FOLDER.name}/, which can be deleted at any time.',
        epilog='Options come after the command: dev.py demo --distro jazzy. What stands after '
               '-- is passed on untouched: dev.py demo -- --help.',
    )
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, (_, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.add_argument(
            '--distro', choices=WHEEL_DISTROS,
            help='ROS 2 distribution to take from PyPI where none is sourced '
                 f'(default: {WHEEL_DISTROS[0]})',
        )
        if name == 'test':
            command.add_argument('--no-lint', action='store_true', help='run pytest alone')
    return parser


def main(argv: Sequence[str]) -> int:
    """
    Run dev.py.

    Parameters
    ----------
    argv : sequence of str
        Arguments after the program's name.

    Returns
    -------
    int
        Exit code.

    """
    signal.signal(signal.SIGTERM, _interrupt)
    own = list(argv)
    verbatim = []
    if '--' in own:
        split = own.index('--')
        own, verbatim = own[:split], own[split + 1:]
    arguments, others = build_parser().parse_known_args(own)
    try:
        source = find_source(arguments.distro)
        return COMMANDS[arguments.command][0](source, arguments, others + verbatim)
    except SetupError as error:
        for line in error.details:
            print(f'    {line}', file=sys.stderr)
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say('interrupted; run the same command again to go on.')
        return 130


def _interrupt(number: int, frame: object) -> NoReturn:
    """Treat a request to end like Ctrl-C, so that children are ended too."""
    raise KeyboardInterrupt


def _replace_process(source: RosSource, arguments: list[str], env: Environment) -> NoReturn:
    """Become the prepared environment's Python: signals and exit code are then its own."""
    _flush()
    os.execve(source.state.python, [str(source.state.python), *arguments], env)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _with_own_domain(env: Environment) -> Environment:
    """Give the run a ROS domain of its own unless the user chose one."""
    if 'ROS_DOMAIN_ID' in env:
        return env
    # Above 101 the ports of a domain overlap with those that Linux gives to any program.
    domains = random.sample(range(1, 102), 101)
    return {**env, 'ROS_DOMAIN_ID': str(next(filter(_is_free, domains), domains[0]))}


def _is_free(domain: int) -> bool:
    """Tell whether nobody takes part in a domain: the port of its first participant is unused."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('', 7400 + 250 * domain + 10))
        except OSError:
            return False
    return True
