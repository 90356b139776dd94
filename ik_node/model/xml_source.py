# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
XML from a path, a text or bytes, parsed as untrusted.

A robot description can come from a topic or a service. So nothing in it may reach a file or the
network, and neither its size nor its nesting nor its entities may cost more than they should.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ik_node.errors import UrdfError
from lxml import etree

Source = str | bytes | os.PathLike[str]
"""A path, XML text, or XML bytes."""

MAX_BYTES = 64 * 1024 * 1024
"""Largest description that is read; the largest humanoids have about a megabyte."""


def is_path(source: Source) -> bool:
    """
    Tell a path from XML.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A string that contains '<' is XML text, another string is a path; bytes are XML.

    Returns
    -------
    bool

    """
    if isinstance(source, str):
        return bool(source.strip()) and '<' not in source
    return isinstance(source, os.PathLike)


def parse_xml(source: Source) -> Any:
    """
    Parse XML without entities, network, DTD or files.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A path, XML text, or XML bytes.

    Returns
    -------
    lxml.etree._Element
        The root element; comments and processing instructions are gone.

    Raises
    ------
    UrdfError
        The file cannot be read, or its content is not well-formed, too large, too deep, or
        declares a document type.

    """
    data, what = _read(source)
    if len(data) > MAX_BYTES:
        raise UrdfError(
            f'{what} has {len(data)} bytes; a robot description has {MAX_BYTES} at the most'
        )
    return _parse(data, what)


def _read(source: Source) -> tuple[bytes, str]:
    """Return the XML bytes and what to call them in an error."""
    if isinstance(source, bytes):
        return source, 'the given bytes'
    if isinstance(source, str) and (not source.strip() or '<' in source):
        # Bytes, because an lxml string must not carry an encoding declaration. The declaration
        # can only be wrong for text that is already decoded, so it is made true.
        return source.lstrip('\ufeff \t\r\n').encode(), 'the given text'
    if not isinstance(source, (str, os.PathLike)):
        raise UrdfError(
            f'a robot description is a path, XML text or bytes, not {type(source).__name__}'
        )
    try:
        path = Path(source)
        if not path.is_file() and path.exists() and not path.is_dir():
            raise ValueError('not a regular file')
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise ValueError(f'larger than {MAX_BYTES} bytes')
        return path.read_bytes(), f'the file {os.fspath(source)!r}'
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or str(error)
        shown = os.fspath(source)
        shown = shown if len(shown) <= 200 else shown[:197] + '...'
        raise UrdfError(
            f'cannot read the robot description file {shown!r}: {reason}; give the path of a '
            'URDF file or its XML text'
        ) from error


def _parse(data: bytes, what: str) -> Any:
    decoded = what == 'the given text'
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding='utf-8' if decoded else None,
    )
    if not data.strip():
        raise UrdfError(f'{what} is empty; a robot description is XML with a <robot> element')
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UrdfError(f'{what} is not well-formed XML: {error.msg}') from error
    if root.getroottree().docinfo.doctype:
        raise UrdfError(f'{what} has a DOCTYPE; a robot description must not declare entities')
    return root
