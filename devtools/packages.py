# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The virtual environment and what is installed in it."""

from __future__ import annotations

from collections.abc import Sequence
import json
import os
from pathlib import Path
import re
import subprocess
import sys
import sysconfig

from devtools.reporting import log_tail, run_logged, SetupError
from devtools.ros import environment, RosSource
from devtools.state import digests, ROOT, State

REQUIREMENTS = ROOT / 'requirements'

# Paths of the machine that built the wheels, as their CMake files name them.
FOREIGN_INCLUDE = re.compile(r'/opt/python/cp\d+-cp\d+/include/python3\.\d+')
FOREIGN_MODULES = re.compile(r'/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages')

LIST_INSTALLED = (
    'import importlib.metadata as m, json; '
    'print(json.dumps({d.metadata["Name"]: d.version for d in m.distributions()}))'
)


def layer_files(source: RosSource, layer: str) -> list[Path]:
    """
    Return the requirement files of a layer.

    The layers are `base` (ROS 2, the build tools and the library's dependencies), `test` and
    `bench`. An installed ROS 2 brings the first two of `base` itself.
    """
    if layer != 'base':
        return [REQUIREMENTS / f'{layer}.txt']
    names = ['library'] if source.sourced else [f'ros-{source.distro}', 'build', 'library']
    return [REQUIREMENTS / f'{name}.txt' for name in names]


def ensure_packages(source: RosSource, layers: Sequence[str]) -> None:
    """
    Make the virtual environment hold these layers, at the pinned versions.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.
    layers : sequence of str
        Names of layers, as `layer_files` knows them.

    """
    state = source.state
    _ensure_venv(source, state)
    for layer in layers:
        files = layer_files(source, layer)
        wanted = digests(files)
        if state.stamp(layer) == wanted:
            continue
        _install(source, state, layer, files)
        if layer == 'base' and not source.sourced:
            repair_cmake_paths(state.venv)
        state.write_stamp(layer, wanted)


def repair_cmake_paths(venv: Path) -> None:
    """
    Make the wheels' CMake files name this machine's Python instead of their build machine's.

    Without it CMake stops at an imported target that includes a path that does not exist.
    """
    include = sysconfig.get_path('include')
    modules = str(next(venv.glob('lib/python3*/site-packages')))
    for file in sorted((venv / 'share').rglob('*.cmake')):
        text = file.read_text()
        mended = FOREIGN_INCLUDE.sub(lambda _: include, text)
        mended = FOREIGN_MODULES.sub(lambda _: modules, mended)
        if mended != text:
            file.write_text(mended)


def _ensure_venv(source: RosSource, state: State) -> None:
    """Create the virtual environment unless a whole one for this interpreter is there."""
    # A virtual environment and what CMake builds hold absolute paths, so a clone that was moved
    # needs new ones, as does another interpreter of the same version.
    identity = {
        'folder': str(state.folder),
        'interpreter': os.path.realpath(sys.executable),
        'version': sys.version,
    }
    # A pip that was stopped half way leaves packages that look whole: begin anew.
    if state.stamp('venv') == identity and state.stamp('pip-running') is None:
        return
    state.discard()
    command = [sys.executable, '-m', 'venv', str(state.venv)]
    if source.sourced:
        command.insert(-1, '--system-site-packages')
    log = state.logs / 'venv.log'
    title = f'creating a virtual environment for Python {sys.version.split()[0]}'
    if run_logged(title, command, log, os.environ, ROOT):
        raise SetupError(
            f'no virtual environment could be created: run `{" ".join(command)}` to see why '
            f'(log: {log}).', log_tail(log),
        )
    state.write_stamp('venv', identity)


def _install(source: RosSource, state: State, layer: str, files: Sequence[Path]) -> None:
    """Run pip for one layer."""
    command = [str(state.python), '-m', 'pip', 'install', '--no-input', '--progress-bar', 'off']
    command.append('--disable-pip-version-check')
    if layer == 'bench':
        for file in _constraints(source, state):
            command += ['--constraint', str(file)]
    else:
        # These files are complete, so nothing that is not pinned can come in.
        command.append('--no-deps')
    for file in files:
        chosen = _missing_only(source, state, file) if source.sourced else file
        command += ['--requirement', str(chosen)]
    log = state.logs / f'pip-{layer}.log'
    title = f'installing {", ".join(file.stem for file in files)}'
    state.write_stamp('pip-running', layer)
    code = run_logged(title, command, log, environment(source, built=False), ROOT)
    state.clear_stamp('pip-running')
    if code:
        raise SetupError(
            f'pip could not install {", ".join(file.name for file in files)} (log: {log}): check '
            'the network connection and run this command again.', log_tail(log),
        )


def _constraints(source: RosSource, state: State) -> list[Path]:
    """Files of versions that the peers of a benchmark must not change."""
    if not source.sourced:
        return [*layer_files(source, 'base'), *layer_files(source, 'test')]
    # The installed ROS 2 was compiled for the installed numpy.
    file = state.folder / 'constraints.txt'
    file.write_text(f'numpy=={_installed(source, state)["numpy"]}\n')
    return [file]


def _missing_only(source: RosSource, state: State, file: Path) -> Path:
    """Copy a requirement file without what the installed ROS 2 and the system bring."""
    present = _installed(source, state)
    lines = [line for line in file.read_text().splitlines() if '==' in line]
    chosen = state.folder / f'missing-{file.name}'
    missing = [line for line in lines if line.split('==')[0] not in present]
    chosen.write_text(''.join(line + '\n' for line in missing))
    return chosen


def _installed(source: RosSource, state: State) -> dict[str, str]:
    """Names, as requirement files write them, and versions of what Python can import."""
    found = subprocess.run(
        [str(state.python), '-c', LIST_INSTALLED], env=environment(source, built=False),
        check=True, capture_output=True, text=True,
    )
    versions: dict[str, str] = json.loads(found.stdout)
    return {re.sub('[-_.]+', '-', name).lower(): version for name, version in versions.items()}
