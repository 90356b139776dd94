# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Files as ROS users name and write them: package:// addresses and xacro.

Only for files that somebody on this machine named. Xacro evaluates Python and reads other files,
so nothing that came as text, from a topic or a service, gets here.
"""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path
import threading
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ik_node.errors import ModelError

# xacro keeps what it is working on in module globals.
_xacro_lock = threading.Lock()


def resolve_path(
    source: str | os.PathLike[str], error: type[ModelError], what: str = 'the file'
) -> Path:
    """
    Turn a path, a package:// or a file:// address into a path.

    Parameters
    ----------
    source : str or os.PathLike
        What a user named.
    error : type
        What to raise.
    what : str, optional
        How to call the file in an error.

    Returns
    -------
    Path
        It need not exist.

    Raises
    ------
    ModelError
        Of the given type: another scheme, an unknown package, no ament index on this machine.

    """
    if not isinstance(source, str) or '://' not in source:
        try:
            return Path(source).expanduser()
        except RuntimeError as problem:  # of a user whom nobody knows
            raise error(f'{what} {str(source)[:200]!r}: {problem}') from problem
    try:
        address = urlsplit(source)
    except ValueError as problem:
        raise error(f'{what} {source[:200]!r} is no address: {problem}') from problem
    if address.scheme == 'package' and address.netloc:
        below = source.partition('://')[2].partition('/')[2]
        return _package_share(address.netloc, source, error) / below
    if address.scheme == 'file' and address.netloc in ('', 'localhost'):
        return Path(url2pathname(address.path))
    raise error(
        f'{what} {source[:200]!r} cannot be opened: give a path, package://<package>/<path> or '
        'file:///<path>'
    )


def _package_share(package: str, source: str, error: type[ModelError]) -> Path:
    try:
        from ament_index_python import packages
    except ImportError as problem:
        raise error(
            f'{source!r}: finding the package {package!r} needs ament_index_python; source a '
            "ROS 2 installation (. /opt/ros/<distribution>/setup.bash), or give the file's path"
        ) from problem
    try:
        return Path(packages.get_package_share_directory(package))
    except (LookupError, ValueError) as problem:
        raise error(
            f'{source!r}: the package {package!r} is not installed in this environment '
            "(AMENT_PREFIX_PATH); build and source its workspace, or give the file's path"
        ) from problem


def expand_xacro(path: Path, arguments: Mapping[str, object], error: type[ModelError]) -> str:
    """
    Run xacro on a file.

    Parameters
    ----------
    path : Path
        A trusted file.
    arguments : mapping of str to str
        What `xacro file name:=value` would set.
    error : type
        What to raise.

    Returns
    -------
    str
        XML text without macros.

    Raises
    ------
    ModelError
        Of the given type, with xacro's own message.

    """
    try:
        import xacro
    except ImportError as problem:
        raise error(
            f'expanding {str(path)!r} needs xacro; install it (apt install '
            'ros-<distribution>-xacro or pip install xacro), or expand the file elsewhere and '
            'give the result'
        ) from problem
    mappings = {str(name): str(value) for name, value in arguments.items()}
    with _xacro_lock:
        try:
            text: str = xacro.process_file(str(path), mappings=mappings).toxml()
        except Exception as problem:
            # A file's expressions are Python: they can raise anything.
            said = ' '.join(str(problem).split()) or type(problem).__name__
            if 'ament_index_python' in said:
                said += '; $(find ...) needs a sourced ROS 2 installation'
            raise error(f'xacro could not expand {str(path)!r}: {said}') from problem
    return text
