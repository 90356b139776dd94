# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What the machine must have before anything is installed or built.

Each check raises `SetupError` with a sentence that names what is missing and the command that
brings it, so that nobody has to read that out of the log of a build.
"""

from __future__ import annotations

from importlib.util import find_spec
import os
from pathlib import Path
import platform
import shutil
import sys
import sysconfig

from devtools.reporting import SetupError


def check_wheels_platform() -> None:
    """ROS 2 wheels exist for one platform only."""
    found = (platform.system(), platform.machine())
    if found != ('Linux', 'x86_64'):
        raise SetupError(
            f'there are no ROS 2 wheels for {found[0]} {found[1]}, only for Linux x86_64: install '
            'ROS 2, run `source /opt/ros/jazzy/setup.bash`, and run this command again.'
        )


def check_venv() -> None:
    """Debian and Ubuntu ship Python without the part that makes virtual environments."""
    if find_spec('venv') is None or find_spec('ensurepip') is None:
        raise SetupError(
            f'{sys.executable} cannot make virtual environments: run '
            f'`sudo apt install {_python_package()}-venv`.'
        )


def check_build_tools() -> None:
    """Interface packages are C and C++ code that CMake builds against Python's headers."""
    c_compiler = _first_program(os.environ.get('CC', ''), 'cc', 'gcc', 'clang')
    cpp_compiler = _first_program(os.environ.get('CXX', ''), 'c++', 'g++', 'clang++')
    if not (c_compiler and cpp_compiler and _first_program('make', 'ninja')):
        raise SetupError(
            'no C and C++ compiler with make was found: run `sudo apt install build-essential`.'
        )
    if not _first_program('cmake'):
        raise SetupError('cmake was not found: run `sudo apt install cmake`.')
    if not (Path(sysconfig.get_path('include')) / 'Python.h').is_file():
        raise SetupError(
            f'the C headers of {sys.executable} are missing: run '
            f'`sudo apt install {_python_package()}-dev`.'
        )


def check_colcon() -> str:
    """Return the path of an installed colcon."""
    colcon = shutil.which('colcon')
    if colcon is None:
        raise SetupError(
            'colcon was not found: run `sudo apt install python3-colcon-common-extensions`.'
        )
    return colcon


def _python_package() -> str:
    """Name of the Debian package of the running interpreter."""
    return f'python{sys.version_info[0]}.{sys.version_info[1]}'


def _first_program(*names: str) -> str | None:
    """Path of the first of these programs that exists; options after a name do not count."""
    for name in names:
        path = shutil.which(name.split()[0]) if name.strip() else None
        if path:
            return path
    return None
