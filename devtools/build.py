# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The colcon build of the two packages: only what changed, in the ignored folder."""

from __future__ import annotations

import shutil
from typing import Any

from devtools.preflight import check_build_tools, check_colcon
from devtools.reporting import log_tail, run_logged, SetupError
from devtools.ros import environment, PACKAGES, RosSource
from devtools.state import digests, ROOT, State

SOURCES = {
    'ik_node_interfaces': [ROOT / 'ik_node_interfaces'],
    # No Python code: it is used from the clone.
    'ik_node': [ROOT / name for name in (
        'package.xml', 'setup.py', 'setup.cfg', 'resource', 'launch', 'config')],
}


def is_built(source: RosSource, package: str) -> bool:
    """Tell whether the installed package was made from the present files."""
    return bool(source.state.stamp(f'build-{package}') == _fingerprint(source.state, package))


def ensure_built(source: RosSource) -> None:
    """
    Build what is not up to date.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.

    """
    stale = [package for package in PACKAGES if not is_built(source, package)]
    if not stale:
        return
    if 'ik_node_interfaces' in stale:
        check_build_tools()
    state = source.state
    wanted = {package: _fingerprint(state, package) for package in stale}
    for package in stale:
        if _needs_clean_build(state.stamp(f'build-{package}'), wanted[package]):
            for folder in (state.build / package, state.install / package):
                shutil.rmtree(folder, ignore_errors=True)
        state.clear_stamp(f'build-{package}')
    log = state.logs / 'build.log'
    title = f'building {" and ".join(stale)}'
    command = _colcon_command(source, stale)
    if run_logged(title, command, log, environment(source, built=False), ROOT):
        raise SetupError(
            f'colcon could not build {" and ".join(stale)}: mend what the log names and run this '
            f'command again (log: {log}).', log_tail(log),
        )
    for package in stale:
        state.write_stamp(f'build-{package}', wanted[package])


def _colcon_command(source: RosSource, packages: list[str]) -> list[str]:
    """Compose the call of colcon; both folders are named since it does not look into packages."""
    state = source.state
    colcon = [check_colcon()] if source.sourced else [str(state.python), '-m', 'colcon']
    return [
        *colcon, '--log-base', str(state.logs / 'colcon'), 'build',
        '--base-paths', '.', 'ik_node_interfaces',
        '--build-base', str(state.build), '--install-base', str(state.install),
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
