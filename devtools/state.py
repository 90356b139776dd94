# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The one ignored folder of the clone: where things are, what is up to date, who may write.

Every step of the setup leaves a *stamp*, a small JSON file that says what it was made from. A
stamp is taken away before its step begins and written after the step has ended, so a setup that
was interrupted anywhere shows as a missing stamp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
import fcntl
import hashlib
import json
import os
from pathlib import Path
import shutil
import sys
from typing import Any

from devtools.reporting import say

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / '.ik_node'


class State:
    """
    State of one environment: a source of ROS 2 and a Python version.

    Parameters
    ----------
    name : str
        Name of the ROS 2 source; one folder for each name and Python version.

    """

    def __init__(self, name: str) -> None:
        self.folder = FOLDER / f'{name}-py{sys.version_info[0]}{sys.version_info[1]}'
        self.venv = self.folder / 'venv'
        self.build = self.folder / 'build'
        self.install = self.folder / 'install'
        self.test_install = self.folder / 'test_install'
        self.logs = self.folder / 'log'

    @property
    def python(self) -> Path:
        """Interpreter of the virtual environment."""
        return self.venv / 'bin' / 'python'

    @contextmanager
    def locked(self) -> Iterator[None]:
        """
        Hold the right to change this environment; wait for it while another dev.py has it.

        The lock belongs to the open file, so it ends with the last process that holds it, however
        that process ends.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / 'lock').open('w') as file:
            os.set_inheritable(file.fileno(), True)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say('another dev.py is setting up this environment; waiting for it ...')
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def stamp(self, step: str) -> Any:
        """Return what a step was made from, or None if it has not been completed."""
        try:
            return json.loads(self._stamp_file(step).read_text())
        except (OSError, ValueError):
            return None

    def write_stamp(self, step: str, value: Any) -> None:
        """Record that a step is complete."""
        file = self._stamp_file(step)
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix('.draft')
        draft.write_text(json.dumps(value, indent=1, sort_keys=True))
        draft.replace(file)

    def clear_stamp(self, step: str) -> None:
        """Record that a step is not complete."""
        self._stamp_file(step).unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget everything but the lock, to begin anew."""
        for entry in self.folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)

    def _stamp_file(self, step: str) -> Path:
        return self.folder / 'stamps' / f'{step}.json'


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """
    Describe files by content.

    Parameters
    ----------
    paths : iterable of Path
        Files, or folders whose files count at any depth; missing ones count as absent.

    Returns
    -------
    dict of str to str
        Path relative to the clone, to a hash of the file's content.

    """
    result = {}
    for path in paths:
        for file in sorted(path.rglob('*')) if path.is_dir() else [path]:
            if file.is_file() and '__pycache__' not in file.parts:
                name = file.relative_to(ROOT).as_posix()
                result[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return result
