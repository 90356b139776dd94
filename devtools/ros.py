# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Where ROS 2 comes from, and the environment variables that each source asks for.

Without an installed ROS 2 the wheels are used. They are ordinary Python packages whose shared
libraries, CMake files and ament index lie in the virtual environment, which so becomes the
prefix that `/opt/ros/<distro>` is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import os
from pathlib import Path
import subprocess
import sys

from devtools.reporting import say, SetupError
from devtools.state import FOLDER, ROOT, State

WHEEL_DISTROS = ('kilted', 'jazzy')
PACKAGES = ('ik_node_interfaces', 'ik_node')

# What tests need and not every ROS 2 brings, each before those that use it.
TEST_INTERFACES = 'test/interfaces'
TEST_INTERFACE_PACKAGES = ('object_recognition_msgs', 'control_msgs', 'moveit_msgs')

# Set by the wheels' own start-up code. It doubles as the sign that this process runs inside
# `dev.py shell`, whose ROS_DISTRO does not mean an installed ROS 2.
WHEELS_MARK = '_ROS_WHEELS_BOOTSTRAP_COMPLETE'

PREFIX_VARIABLES = ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH', 'COLCON_PREFIX_PATH', 'PYTHONPATH')


@dataclass(frozen=True)
class RosSource:
    """One source of ROS 2."""

    distro: str
    """Name of the distribution, as in ROS_DISTRO."""

    sourced: bool
    """Whether it is an installation whose setup file has been sourced; else the wheels."""

    @property
    def state(self) -> State:
        """State of the environment that uses this source."""
        return State(f'installed-{self.distro}' if self.sourced else self.distro)


def find_source(asked: str | None) -> RosSource:
    """
    Choose the source of ROS 2: the sourced installation if it works, else the wheels.

    Parameters
    ----------
    asked : str or None
        Distribution that the user asked for.

    """
    distro = os.environ.get('ROS_DISTRO', '')
    if distro and not os.environ.get(WHEELS_MARK):
        if not _imports_rclpy():
            say(f'ROS 2 {distro} is sourced, but {sys.executable} cannot import its rclpy: '
                'using ROS 2 from PyPI instead.')
        elif asked not in (None, distro):
            raise SetupError(
                f'ROS 2 {distro} is sourced but --distro {asked} was asked for: run this command '
                'in a shell that has not sourced ROS 2.'
            )
        else:
            return RosSource(distro, sourced=True)
    if asked is None and distro in WHEEL_DISTROS and os.environ.get(WHEELS_MARK):
        asked = distro
    return RosSource(asked or WHEEL_DISTROS[0], sourced=False)


def missing_interfaces(source: RosSource) -> tuple[str, ...]:
    """
    Name the interfaces of the tests that this ROS 2 does not bring.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.

    """
    prefixes = [source.state.venv]
    if source.sourced:
        present = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        # A shell of dev.py has those that were built here among them.
        own = source.state.test_install
        prefixes = [Path(path) for path in present if path and own not in Path(path).parents]
    return tuple(
        name for name in TEST_INTERFACE_PACKAGES
        if not any((prefix / 'share' / name / 'package.xml').is_file() for prefix in prefixes)
    )


def environment(source: RosSource, built: bool, tests: bool = False) -> dict[str, str]:
    """
    Compose the environment of a child process.

    Parameters
    ----------
    source : RosSource
        Where ROS 2 comes from.
    built : bool
        Whether our own two packages are part of it; they are not while they are being built.
    tests : bool
        Whether the interfaces that were built for the tests are.

    Returns
    -------
    dict of str to str
        The whole environment.

    """
    state = source.state
    env = dict(os.environ)
    prefixes = [state.install / package for package in PACKAGES] if built else []
    if tests:
        prefixes += [state.test_install / package for package in missing_interfaces(source)]
    libraries = [prefix / 'lib' for prefix in prefixes]
    # The clone comes before the installed copy of ik_node: Python edits need no rebuild.
    modules = [ROOT] + [folder for prefix in prefixes for folder in _module_folders(prefix)]
    if not source.sourced:
        # Nothing of an installed ROS 2 may mix with the wheels, nor foreign Python packages
        # with the pinned ones.
        for variable in PREFIX_VARIABLES:
            env.pop(variable, None)
        prefixes.append(state.venv)
        libraries.append(state.venv / 'lib')
        for folder in _module_folders(state.venv):
            libraries.extend(sorted(folder.glob('ros_*.libs')))
        env['ROS_DISTRO'] = source.distro
        env['ROS_VERSION'] = '2'
        env['ROS_PYTHON_VERSION'] = '3'
        env['RMW_IMPLEMENTATION'] = 'rmw_fastrtps_cpp'  # the one that is installed
        env[WHEELS_MARK] = '1'
    env['VIRTUAL_ENV'] = str(state.venv)
    env.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    env.setdefault('HYPOTHESIS_STORAGE_DIRECTORY', str(FOLDER / 'cache' / 'hypothesis'))
    _prepend(env, 'PATH', [state.venv / 'bin'])
    _prepend(env, 'AMENT_PREFIX_PATH', prefixes)
    _prepend(env, 'CMAKE_PREFIX_PATH', prefixes)
    _prepend(env, 'LD_LIBRARY_PATH', libraries)
    _prepend(env, 'PYTHONPATH', modules)
    return env


def _imports_rclpy() -> bool:
    """Try it in a fresh process: a library built for another Python fails only when loaded."""
    trial = subprocess.run([sys.executable, '-c', 'import rclpy'], capture_output=True)
    return trial.returncode == 0


def _module_folders(prefix: Path) -> list[Path]:
    """Folders of Python modules below a prefix; Debian's Python has a layout of its own."""
    patterns = ('lib/python3*/site-packages', 'local/lib/python3*/dist-packages')
    return [folder for pattern in patterns for folder in sorted(prefix.glob(pattern))]


def _prepend(env: dict[str, str], variable: str, folders: Iterable[Path]) -> None:
    """Put folders in front of a search path, each one once."""
    parts = [str(folder) for folder in folders]
    parts += [part for part in env.get(variable, '').split(os.pathsep) if part]
    if parts:
        env[variable] = os.pathsep.join(dict.fromkeys(parts))
