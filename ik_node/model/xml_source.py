# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
XML from a path, a text or bytes, parsed as untrusted.

A robot description can come from a topic or a service. So nothing in it may reach a file or the
network, and neither its size nor its nesting nor its entities may cost more than they should. One
exception: a file that the caller names is expanded by xacro if its name ends with .xacro.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import os
from pathlib import Path
from typing import Any

from ik_node.errors import ModelError
from ik_node.model.ros_files import expand_xacro, resolve_path
from ik_node.model.xml_encoding import decode_xml
from lxml import etree

Source = str | bytes | os.PathLike[str]
"""A path, a package:// or file:// address, XML text, or XML bytes."""

MAX_BYTES = 16 * 1024 * 1024
"""Largest document that is read; the largest humanoids have about a megabyte."""

MAX_MARKS = 250_000
"""Most '<' and '=' in a document: elements and attributes cost far more memory than text."""


@dataclass(frozen=True)
class DocumentKind:
    """What is read, for the sentences of errors."""

    noun: str
    format: str
    error: type[ModelError]
    """What to raise."""


def is_path(source: Source) -> bool:
    """
    Tell a path or address from XML.

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


def shown(text: object, length: int = 80) -> str:
    """Quote a bounded piece of what a stranger wrote."""
    given = str(text)
    return repr(given if len(given) <= length else given[: length - 3] + '...')


def parse_xml(
    source: Source, kind: DocumentKind, xacro_arguments: Mapping[str, object] | None = None
) -> Any:
    """
    Parse XML without entities, network, DTD or files.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        A path, a package:// or file:// address, XML text, or XML bytes.
    kind : DocumentKind
        What is read.
    xacro_arguments : mapping of str to str, optional
        For a file whose name ends with .xacro.

    Returns
    -------
    lxml.etree._Element
        The root element; comments and processing instructions are gone.

    Raises
    ------
    ModelError
        Of the kind's type: the file cannot be read or expanded, or its content is not well-formed,
        too large, too deep, declares a document type, or has xacro macros.

    """
    if isinstance(source, (str, os.PathLike)) and is_path(source):
        path = resolve_path(source, kind.error, f'the {kind.noun} file')
        what = f'the file {shown(path, 200)}'
        data = _read(path, kind)
        if path.suffix == '.xacro':
            text = expand_xacro(path, xacro_arguments or {}, kind.error)
            xacro_arguments = None
        else:
            text = decode_xml(data, what, kind.error)
    elif isinstance(source, bytes):
        what = 'the given bytes'
        _check_size(len(source), what, kind)
        text = decode_xml(source, what, kind.error)
    elif isinstance(source, str):
        what, text = 'the given text', source
    else:
        raise kind.error(
            f'a {kind.noun} is a path, XML text or bytes, not {type(source).__name__}'
        )
    if xacro_arguments:
        raise kind.error(
            f'xacro arguments are given, but {what} is not expanded: only a file whose name ends '
            'with .xacro is'
        )
    return _parse(text, what, kind)


def _read(path: Path, kind: DocumentKind) -> bytes:
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ValueError('not a regular file')
        with path.open('rb') as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, 'strerror', None) or str(problem)
        raise kind.error(
            f'cannot read the {kind.noun} file {shown(path, 200)}: {reason}; give the path of a '
            f'{kind.format} file or its XML text'
        ) from problem
    _check_size(len(data), f'the file {shown(path, 200)}', kind)
    return data


def _check_size(size: int, what: str, kind: DocumentKind) -> None:
    if size > MAX_BYTES:
        raise kind.error(f'{what} is too large: a {kind.noun} has {MAX_BYTES} bytes at the most')


def _parse(text: str, what: str, kind: DocumentKind) -> Any:
    _check_size(len(text), what, kind)
    text = text.lstrip('\ufeff \t\r\n')
    if not text:
        raise kind.error(f'{what} is empty; a {kind.noun} is XML with a <robot> element')
    if text.count('<') + text.count('=') > MAX_MARKS:
        raise kind.error(
            f'{what} has too many elements and attributes for a {kind.noun} '
            f'(more than {MAX_MARKS})'
        )
    if _declares_doctype(text):
        raise kind.error(f'{what} has a DOCTYPE; a {kind.noun} must not declare entities')
    # Bytes, because an lxml string must not carry an encoding declaration. The declaration can
    # only be wrong for text that is already decoded, so the parser is told.
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding='utf-8',
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except UnicodeEncodeError as problem:
        raise kind.error(
            f'{what} has half a surrogate pair at character {problem.start}, which no XML can have'
        ) from problem
    except etree.XMLSyntaxError as problem:
        raise kind.error(f'{what} is not well-formed XML: {str(problem.msg)[:300]}') from problem
    if root.xpath(_HAS_XACRO):
        raise kind.error(
            f'{what} has xacro elements; expand it first (xacro file.xacro > file.urdf), or give '
            'the path of a file whose name ends with .xacro'
        )
    return root


# A prefix that is not declared stays part of the name.
_HAS_XACRO = 'boolean(//*[contains(namespace-uri(), "xacro") or starts-with(name(), "xacro:")])'


def _declares_doctype(text: str) -> bool:
    """Look for a document type before the parser sees it, and the entities in it."""
    at = 0
    while True:
        while text[at : at + 1].isspace():
            at += 1
        for begin, end in (('<?', '?>'), ('<!--', '-->')):
            if text.startswith(begin, at):
                closed = text.find(end, at + len(begin))
                if closed < 0:
                    return False  # not well-formed
                at = closed + len(end)
                break
        else:
            return text.startswith('<!DOCTYPE', at)
