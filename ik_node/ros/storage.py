# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Saved environments: files of one directory, and nothing outside of it.

A client gives a name, never a path. The name has no separators and no '..', and what it stands for
must be a plain file: a symbolic link in the directory could lead out of it.
"""

from __future__ import annotations

import os
from pathlib import Path

import ik_node
from ik_node.errors import IkNodeError, UnknownNameError
from ik_node.ros.environments import check_name
from ik_node.ros.errors import InvalidNameError, StorageError

SUFFIX = '.json'

#: Largest file that is read; an environment of a hundred objects has about 40 kB.
MAX_BYTES = 16 * 1024 * 1024


def stem(name: str) -> str:
    """Give the name of a file without its ending, which may be given and need not be."""
    return name.removesuffix(SUFFIX)


class Storage:
    """
    A directory of saved environments.

    Parameters
    ----------
    directory : str
        Where; empty: `$ROS_HOME/ik_node`, by default `~/.ros/ik_node`. It need not exist before
        the first save.

    """

    def __init__(self, directory: str) -> None:
        home = os.environ.get('ROS_HOME') or os.path.join('~', '.ros')
        self._directory = Path(
            os.path.abspath(os.path.expanduser(directory or os.path.join(home, 'ik_node')))
        )

    @property
    def directory(self) -> Path:
        """Where the files are."""
        return self._directory

    def names(self) -> list[str]:
        """Names of the files that there are; none where there is no directory."""
        try:
            paths = sorted(self._directory.glob(f'*{SUFFIX}'))
        except OSError:
            return []
        names = []
        for path in paths:
            try:
                check_name('a file', path.stem)
            except InvalidNameError:
                continue
            if path.is_file() and not path.is_symlink():
                names.append(path.stem)
        return names

    def path(self, name: str) -> Path:
        """
        Find where a name leads.

        Raises
        ------
        InvalidNameError
            It breaks the rule for names.
        StorageError
            What has the name is no plain file.

        """
        path = self._directory / (check_name('a file', stem(name)) + SUFFIX)
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise StorageError(
                f'{name!r} is no plain file in {str(self._directory)!r} and is left alone; choose '
                'another name'
            )
        return path

    def save(self, environment: ik_node.Environment, name: str, *, overwrite: bool) -> None:
        """
        Write an environment; the directory is made where it is missing.

        Raises
        ------
        InvalidNameError
            It breaks the rule for names.
        StorageError
            There is such a file already, or the directory cannot be written to.

        """
        path = self.path(name)
        if path.exists() and not overwrite:
            raise StorageError(
                f'{name!r} is saved already; choose another name or set overwrite to true'
            )
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            environment.save(path)
        except (OSError, ValueError) as error:
            raise StorageError(f'cannot write {str(path)!r}: {error}') from error

    def load(self, name: str) -> ik_node.Environment:
        """
        Read an environment.

        Raises
        ------
        InvalidNameError
            It breaks the rule for names.
        StorageError
            There is no such file, or it is of another version, damaged, too large, or needs a
            function for a joint that follows another one.

        """
        path = self.path(name)
        if not path.exists():
            raise StorageError(
                f'{UnknownNameError("file", name, self.names())}; the directory is '
                f'{str(self._directory)!r}'
            )
        try:
            size = path.stat().st_size
            if size > MAX_BYTES:
                raise StorageError(f'it has {size} bytes; at most {MAX_BYTES} are read')
            return ik_node.Environment.load(path)
        except IkNodeError as error:
            raise StorageError(f'cannot load {name!r}: {error}') from error
        except Exception as error:
            # A damaged file can make the parser raise what it likes; it is the file all the same.
            raise StorageError(
                f'cannot load {name!r}: {type(error).__name__}: {str(error)[:200]}'
            ) from error
