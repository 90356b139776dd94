# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the setup cannot go on, dev.py says in one sentence what is missing and what mends it."""

import ast
from collections.abc import Callable
import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

import dev
from devtools import commands, packages, preflight, ros, state
from devtools.build import _needs_clean_build
from devtools.reporting import log_tail, run_logged, SetupError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def toolbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give a function that makes programs of these names the only ones on the path."""

    def provide(*names: str) -> None:
        for name in names:
            program = tmp_path / name
            program.write_text('#!/bin/sh\n')
            program.chmod(0o755)

    monkeypatch.setenv('PATH', str(tmp_path))
    for variable in ('CC', 'CXX'):
        monkeypatch.delenv(variable, raising=False)
    return provide


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> state.State:
    """Return a state that lies outside the clone."""
    monkeypatch.setattr(state, 'FOLDER', tmp_path)
    return state.State('kilted')


def test_dev_is_readable_for_an_old_python() -> None:
    ast.parse((ROOT / 'dev.py').read_text(), feature_version=(3, 8))


@pytest.mark.parametrize('version', [(3, 8, 18), (3, 9, 0), (3, 14, 0)])
def test_wrong_python_is_named_with_the_command_that_mends_it(
    version: tuple[int, ...], toolbox: Callable[..., None]
) -> None:
    complaint = dev.python_complaint(version, sourced=False)
    assert '.'.join(map(str, version)) in complaint
    assert '3.10 to 3.13' in complaint
    assert 'apt install python3.12' in complaint
    toolbox('python3.11')
    assert '`python3.11 dev.py' in dev.python_complaint(version, sourced=False)


@pytest.mark.parametrize('minor', [10, 11, 12, 13])
def test_right_python_passes(minor: int) -> None:
    assert dev.python_complaint((3, minor, 0), sourced=False) == ''


def test_an_installed_ros_may_bring_a_newer_python() -> None:
    assert dev.python_complaint((3, 14, 0), sourced=True) == ''


@pytest.mark.parametrize(
    ('present', 'missing', 'package'),
    [
        ((), 'compiler', 'build-essential'),
        (('cc', 'make', 'cmake'), 'compiler', 'build-essential'),
        (('cc', 'c++', 'cmake'), 'make', 'build-essential'),
        (('cc', 'c++', 'make'), 'cmake', 'cmake'),
    ],
)
def test_missing_build_tool_is_named(
    toolbox: Callable[..., None], present: tuple[str, ...], missing: str, package: str
) -> None:
    toolbox(*present)
    with pytest.raises(SetupError, match=rf'{missing}.*apt install {package}'):
        preflight.check_build_tools()


def test_missing_python_headers_are_named(
    toolbox: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolbox('cc', 'c++', 'make', 'cmake')
    monkeypatch.setattr('sysconfig.get_path', lambda name: str(tmp_path))
    with pytest.raises(SetupError, match=r'headers.*apt install python3\.\d+-dev'):
        preflight.check_build_tools()


def test_missing_venv_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, 'find_spec', lambda name: None)
    with pytest.raises(SetupError, match=r'apt install python3\.\d+-venv'):
        preflight.check_venv()


def test_missing_colcon_is_named(toolbox: Callable[..., None]) -> None:
    with pytest.raises(SetupError, match='apt install python3-colcon'):
        preflight.check_colcon()


def test_other_platform_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('platform.machine', lambda: 'riscv64')
    with pytest.raises(SetupError, match=r'riscv64.*source /opt/ros'):
        preflight.check_wheels_platform()


def test_command_line_ends_in_one_sentence_without_traceback(tmp_path: Path) -> None:
    """A fresh clone on a machine with nothing but Python."""
    clone = tmp_path / 'clone'
    for name in ('devtools', 'requirements', 'ik_node_interfaces'):
        shutil.copytree(ROOT / name, clone / name)
    shutil.copy(ROOT / 'dev.py', clone)
    (tmp_path / 'empty').mkdir()
    env = {key: os.environ[key] for key in ('LD_LIBRARY_PATH',) if key in os.environ}
    outcome = subprocess.run(
        [sys.executable, 'dev.py', 'demo'],
        cwd=clone,
        capture_output=True,
        text=True,
        env={**env, 'PATH': str(tmp_path / 'empty'), ros.WHEELS_MARK: '1'},
    )
    assert outcome.returncode == 1
    assert outcome.stdout == ''
    assert outcome.stderr == (
        'dev.py: no C and C++ compiler with make was found: run '
        '`sudo apt install build-essential`.\n'
    )


def test_a_command_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, 'prepare', lambda source, layers: {'PATH': ''})
    source = ros.RosSource('kilted', sourced=False)
    arguments = commands.build_parser().parse_args(['shell'])
    with pytest.raises(SetupError, match='no_such_program cannot be run'):
        commands.run_shell(source, arguments, ['no_such_program'])


def test_everything_after_two_dashes_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setitem(
        commands.COMMANDS, 'test', (lambda source, own, passed: seen.append(passed) or 0, '')
    )
    assert commands.main(['test', '--no-lint', '-k', 'name', 'test/ros', '--', '--distro']) == 0
    assert seen == [['-k', 'name', 'test/ros', '--distro']]


def test_log_tail_prefers_errors_and_cuts_long_lines(tmp_path: Path) -> None:
    log = tmp_path / 'log'
    log.write_text('fine\nERROR: ' + 'x' * 500 + '\nWARNING: error of no weight\nfine\n')
    assert log_tail(log) == ['ERROR: ' + 'x' * 193]
    log.write_text('one\ntwo\n')
    assert log_tail(log, count=1) == ['two']


def test_logged_run_returns_the_exit_code(tmp_path: Path) -> None:
    log = tmp_path / 'deep' / 'log'
    command = [sys.executable, '-c', 'print("said"); raise SystemExit(3)']
    assert run_logged('trying', command, log, os.environ, tmp_path) == 3
    assert log.read_text() == 'said\n'


def test_stamp_is_what_was_written_and_gone_when_cleared(own_state: state.State) -> None:
    assert own_state.stamp('step') is None
    own_state.write_stamp('step', {'a': '1'})
    assert own_state.stamp('step') == {'a': '1'}
    own_state.clear_stamp('step')
    assert own_state.stamp('step') is None


def test_damaged_stamp_counts_as_missing(own_state: state.State) -> None:
    own_state.write_stamp('step', 'value')
    own_state._stamp_file('step').write_text('{"hal')
    assert own_state.stamp('step') is None


HOLDER = """
import sys
from pathlib import Path
from devtools import state
state.FOLDER = Path(sys.argv[1])
with state.State('kilted').locked():
    print('held', flush=True)
    sys.stdin.readline()
"""


def test_second_run_waits_for_the_first(
    own_state: state.State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[str] = []
    with subprocess.Popen(
        [sys.executable, '-c', HOLDER, str(tmp_path)],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout.readline() == 'held\n'

        def note(text: str) -> None:
            # The other process lets go only after this one has been seen to wait.
            waiting.append(text)
            other.stdin.write('\n')
            other.stdin.flush()

        monkeypatch.setattr(state, 'say', note)
        with own_state.locked():
            pass
    assert len(waiting) == 1
    assert 'another dev.py' in waiting[0]


def test_interrupted_pip_begins_anew(
    own_state: state.State, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(packages, 'run_logged', lambda title, *rest: made.append(title) or 0)
    source = ros.RosSource('kilted', sourced=False)
    own_state.folder.mkdir()
    packages._ensure_venv(source, own_state)
    packages._ensure_venv(source, own_state)
    assert len(made) == 1
    own_state.write_stamp('pip-running', 'base')
    packages._ensure_venv(source, own_state)
    assert len(made) == 2
    assert own_state.stamp('pip-running') is None


def test_cmake_files_are_repaired(tmp_path: Path) -> None:
    modules = tmp_path / 'lib' / 'python3.11' / 'site-packages'
    modules.mkdir(parents=True)
    file = tmp_path / 'share' / 'some_msgs' / 'cmake' / 'export.cmake'
    file.parent.mkdir(parents=True)
    file.write_text(
        '"/opt/python/cp311-cp311/include/python3.11;'
        '/opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include"'
    )
    packages.repair_cmake_paths(tmp_path)
    text = file.read_text()
    assert '/opt/python' not in text
    assert f'{modules}/numpy/_core/include' in text


def test_build_is_clean_where_leftovers_would_be_wrong() -> None:
    before = {'sources': {'a.msg': '1', 'b.msg': '2'}, 'packages': {'ros': '1'}}
    assert _needs_clean_build(None, before)
    assert _needs_clean_build(before, {**before, 'packages': {'ros': '2'}})
    assert _needs_clean_build(before, {**before, 'sources': {'a.msg': '1'}})
    edited = {'a.msg': '9', 'b.msg': '2', 'c.msg': '3'}
    assert not _needs_clean_build(before, {**before, 'sources': edited})


def test_children_see_the_clone_first_and_nothing_of_another_ros(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/elsewhere')
    monkeypatch.setenv('PYTHONPATH', '/elsewhere')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    env = ros.environment(ros.RosSource('kilted', sourced=False), built=True)
    assert env['PYTHONPATH'].split(':')[0] == str(ROOT)
    assert '/elsewhere' not in env['PYTHONPATH'] + env['AMENT_PREFIX_PATH']
    assert env['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert env['ROS_DISTRO'] == 'kilted'
    env = ros.environment(ros.RosSource('jazzy', sourced=True), built=True)
    assert env['AMENT_PREFIX_PATH'].endswith(':/elsewhere')


def test_sourced_ros_is_used_if_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    monkeypatch.delenv(ros.WHEELS_MARK, raising=False)
    monkeypatch.setattr(ros, '_imports_rclpy', lambda: True)
    assert ros.find_source(None) == ros.RosSource('jazzy', sourced=True)
    with pytest.raises(SetupError, match='jazzy is sourced but --distro kilted'):
        ros.find_source('kilted')
    monkeypatch.setattr(ros, '_imports_rclpy', lambda: False)
    assert ros.find_source(None) == ros.RosSource('kilted', sourced=False)


def test_nested_run_keeps_to_the_distro_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    monkeypatch.setenv(ros.WHEELS_MARK, '1')
    assert ros.find_source(None) == ros.RosSource('jazzy', sourced=False)


def test_domain_of_the_user_is_kept() -> None:
    assert commands._with_own_domain({'ROS_DOMAIN_ID': '7'}) == {'ROS_DOMAIN_ID': '7'}
    assert 1 <= int(commands._with_own_domain({})['ROS_DOMAIN_ID']) <= 101
