# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The colcon build of the packages: only what changed, in the ignored folder.

There are the two packages of the project, and the interfaces that tests need and this ROS 2 does
not bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
import shutil
from typing import Any

from devtools.preflight import check_build_tools, check_colcon
from devtools.reporting import log_tail, run_logged, SetupError
from devtools.ros import (
    environment,
    missing_interfaces,
    PACKAGES,
    RosSource,
    TEST_INTERFACE_PACKAGES,
    TEST_INTERFACES,
)
from devtools.state import digests, ROOT, State

SOURCES = {
    'ik_node_interfaces': [ROOT / 'ik_node_interfaces'],
    # No Python code: it is used from the clone.
    'ik_node': [ROOT / name for name in (
        'package.xml', 'setup.py', 'setup.cfg', 'resource', 'launch', 'config')],
    **{name: [ROOT / TEST_INTERFACES / name] for name in TEST_INTERFACE_PACKAGES},
}


def is_built(source: RosSource, package: str) -> bool:
    """Tell whether the installed package was made from the present files."""
    return bool(source.state.stamp(f'build-{package}') == _fingerprint(source.state, package))


def ensure_built(source: RosSource) -> None:
    """
    Build the two packages of the project where they are not up to date.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.

    """
    _ensure_built(source, PACKAGES, ['.', 'ik_node_interfaces'], source.state.install)


def ensure_test_interfaces(source: RosSource) -> None:
    """
    Build the interfaces that tests need and this ROS 2 does not bring, outside of the install.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.

    """
    missing = missing_interfaces(source)
    folders = [f'{TEST_INTERFACES}/{name}' for name in missing]
    _ensure_built(source, missing, folders, source.state.test_install)


def _ensure_built(
    source: RosSource, packages: Sequence[str], folders: Sequence[str], install: Path
) -> None:
    stale = [package for package in packages if not is_built(source, package)]
    if not stale:
        return
    if install == source.state.test_install:
        # One of them uses another, and colcon finds it for certain only where it builds both.
        stale = list(packages)
    if stale != ['ik_node']:
        check_build_tools()
    state = source.state
    wanted = {package: _fingerprint(state, package) for package in stale}
    for package in stale:
        if _needs_clean_build(state.stamp(f'build-{package}'), wanted[package]):
            for folder in (state.build / package, install / package):
                shutil.rmtree(folder, ignore_errors=True)
        state.clear_stamp(f'build-{package}')
    log = state.logs / 'build.log'
    title = f'building {" and ".join(stale)}'
    command = _colcon_command(source, stale, folders, install)
    if run_logged(title, command, log, environment(source, built=False), ROOT):
        raise SetupError(
            f'colcon could not build {" and ".join(stale)}: mend what the log names and run this '
            f'command again (log: {log}).', log_tail(log),
        )
    for package in stale:
        state.write_stamp(f'build-{package}', wanted[package])


def _colcon_command(
    source: RosSource, packages: Sequence[str], folders: Sequence[str], install: Path
) -> list[str]:
    """Compose the call of colcon; each folder is named since it does not look into packages."""
    state = source.state
    colcon = [check_colcon()] if source.sourced else [str(state.python), '-m', 'colcon']
    return [
        *colcon, '--log-base', str(state.logs / 'colcon'), 'build',
        '--base-paths', *folders,
        '--build-base', str(state.build), '--install-base', str(install),
        '--packages-select', *packages, '--event-handlers', 'console_direct+',
        # The wheels do not bring the programs that the generators' own lint tests call.
        '--cmake-args', '-DBUILD_TESTING=OFF', f'-DPython3_EXECUTABLE={state.python}',
    ]


def _fingerprint(state: State, package: str) -> dict[str, Any]:
    """Describe all that the build of a package depends on."""
    return {'sources': digests(SOURCES[package]), 'packages': state.stamp('base')}


def _needs_clean_build(previous: dict[str, Any] | None, wanted: dict[str, Any]) -> bool:
    """
    Tell whether a build would leave something wrong behind.

    An interrupted build has no stamp; another ROS 2 leaves its paths in CMake's cache; what was
    generated from a file that is gone stays installed.
    """
    if previous is None or previous['packages'] != wanted['packages']:
        return True
    return not set(previous['sources']) <= set(wanted['sources'])
