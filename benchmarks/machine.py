# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a result depends on besides the code: the machine, the date, the versions."""

from __future__ import annotations

from datetime import datetime, timezone
from importlib import metadata
import os
from pathlib import Path
import platform
from typing import Any

PACKAGES = (
    'numpy',
    'numba',
    'pin',
    'example-robot-data',
    'pytracik',
    'roboticstoolbox-python',
    'ssik',
    'eaik',
)


def describe_machine() -> dict[str, Any]:
    """
    Describe the machine without naming it.

    Returns
    -------
    dict
        Processor, cores that this process may use, load, system.

    """
    return {
        'cpu': _cpu(),
        'cores': len(os.sched_getaffinity(0)),
        'virtual': 'hypervisor' in _cpu_info('flags').split(),
        'load': round(os.getloadavg()[0], 2),
        'system': f'{platform.system()} {platform.machine()}',
        'python': platform.python_version(),
    }


def describe_versions() -> dict[str, str]:
    """
    List the versions of all that takes part.

    Returns
    -------
    dict of str to str
        'not installed' where that is so.

    """
    versions = {name: _version(name) for name in PACKAGES}
    return {'ik_node': _own_version(), **versions, 'PyKDL': _kdl_version()}


def today() -> str:
    """Return date and time in UTC, ISO 8601."""
    return datetime.now(timezone.utc).isoformat(timespec='seconds')


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return 'not installed'


def _kdl_version() -> str:
    """Ask the module: it comes with a system, not as a distribution."""
    try:
        import PyKDL
    except ImportError:
        return 'not installed'
    return str(getattr(PyKDL, '__version__', 'unknown'))


def _own_version() -> str:
    """Read package.xml, the one place where the version is written."""
    from xml.etree import ElementTree

    file = Path(__file__).resolve().parents[1] / 'package.xml'
    return ElementTree.parse(file).findtext('version', 'unknown')


def _cpu() -> str:
    return _cpu_info('model name') or platform.processor() or 'unknown'


def _cpu_info(key: str) -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        return ''
    return next((line.split(':', 1)[1].strip() for line in lines if line.startswith(key)), '')
