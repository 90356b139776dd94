# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The encoding of an XML document, independent of the locale.

The bytes are decoded here and not by the XML parser, so that the limits on a document are counted
in what the parser will see: an encoding in which '<' is no '<' would hide it from them.
"""

from __future__ import annotations

import codecs
import re

from ik_node.errors import ModelError

_MARKS = (
    (codecs.BOM_UTF8, 'utf-8'),
    (codecs.BOM_UTF16_LE, 'utf-16-le'),
    (codecs.BOM_UTF16_BE, 'utf-16-be'),
    (b'<\0', 'utf-16-le'),
    (b'\0<', 'utf-16-be'),
)
"""What a document in these encodings begins with."""

_DECLARED = re.compile(rb'\s*<\?xml[^>]{0,100}?\sencoding\s*=\s*["\']([A-Za-z][\w.-]{0,40})["\']')

_KNOWN = re.compile(
    r'utf-8|ascii|iso8859-\d+|cp125\d|cp932|koi8-[ru]|euc_(?:jp|kr)|shift_jis|gb2312|gbk|gb18030|'
    r'big5'
)
"""Python's names of the encodings in which editors write; every one contains ASCII."""


def decode_xml(data: bytes, what: str, error: type[ModelError]) -> str:
    """
    Decode an XML document by its byte order mark, its declaration, or as UTF-8.

    Parameters
    ----------
    data : bytes
        The document.
    what : str
        How to call it in an error.
    error : type
        What to raise.

    Returns
    -------
    str

    Raises
    ------
    ModelError
        Of the given type: an encoding that is not supported, or not the one that is declared.

    """
    name = _encoding(data, what, error)
    try:
        return data.decode(name)
    except UnicodeDecodeError as problem:
        raise error(
            f'{what} is not {name} at byte {problem.start}; save it as UTF-8, or declare its '
            'encoding in the first line: <?xml version="1.0" encoding="..."?>'
        ) from problem


def _encoding(data: bytes, what: str, error: type[ModelError]) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    declared = _DECLARED.match(data)
    if declared is None:
        return 'utf-8'
    given = declared[1].decode('ascii', 'replace')
    try:
        name = codecs.lookup(given).name
    except LookupError:
        name = ''
    if not _KNOWN.fullmatch(name):
        raise error(f'{what} declares the encoding {given!r}, which is not read; save it as UTF-8')
    return name
