# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Where compiled kernels are kept between processes.

numba notices that a cached function changed only by its own file: when just a callee in another
file is edited, the stale machine code of the caller keeps running. So the folder itself is named
by everything that goes into the machine code (every kernel source, numba, Python, the CPU), and
another source simply lives in another folder.

Where nothing can be written numba raises while the module is imported. `choose_folder` finds that
out first and answers with a reason instead, and the kernels compile in memory.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
import platform
import sys
import tempfile

CACHE_VARIABLE = 'IK_NODE_CACHE_DIR'
"""Environment variable: the folder for compiled kernels; empty switches the cache off."""


def kernel_fingerprint(numba_version: str, cpu: str) -> str:
    """
    Name everything that the machine code of the kernels depends on.

    Parameters
    ----------
    numba_version : str
        Version of the compiler.
    cpu : str
        Name and features of the processor.

    Returns
    -------
    str
        Sixteen hexadecimal digits.

    """
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for source in sorted(folder.rglob('*.py')):
        digest.update(source.relative_to(folder).as_posix().encode())
        digest.update(source.read_bytes())
    for part in (numba_version, cpu, sys.version, platform.machine()):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def choose_folder(numba_version: str, cpu: str) -> tuple[Path | None, str]:
    """
    Find a writable folder for the compiled kernels.

    Parameters
    ----------
    numba_version : str
        Version of the compiler.
    cpu : str
        Name and features of the processor.

    Returns
    -------
    folder : pathlib.Path or None
        The folder, or None when there is none.
    reason : str
        Why there is none; empty when there is one.

    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen == '':
        return None, f'{CACHE_VARIABLE} is empty'
    try:
        root = Path(chosen) if chosen else _user_cache() / 'ik_node'
        folder = root / kernel_fingerprint(numba_version, cpu)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass  # only a real write tells: a read-only mount has permissive mode bits
    except (OSError, RuntimeError) as error:  # RuntimeError: Path.home() without a home
        return None, f'cannot write a kernel cache: {error}'
    return folder, ''


def _user_cache() -> Path:
    """Follow the XDG base directory specification."""
    given = os.environ.get('XDG_CACHE_HOME', '')
    return Path(given) if os.path.isabs(given) else Path.home() / '.cache'
