#!/usr/bin/env python3
# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Set up everything that ik_node needs inside this clone, then demonstrate, test or explore it.

This file stays readable for any Python 3, so that an interpreter that is too old is told so in
a sentence and not by a syntax error; the work is done in `devtools`.
"""

import os
import shutil
import sys

OLDEST = (3, 10)
NEWEST = (3, 13)


def python_complaint(version: 'tuple[int, ...]', sourced: bool) -> str:
    """
    Tell what is wrong with an interpreter.

    Parameters
    ----------
    version : tuple of int
        Its version, most significant number first.
    sourced : bool
        Whether an installed ROS 2 is used: it brings its own, possibly newer, Python.

    Returns
    -------
    str
        One sentence with the command that mends it; empty if nothing is wrong.

    """
    pair = tuple(version[:2])
    if pair >= OLDEST and (sourced or pair <= NEWEST):
        return ''
    mended = 'sudo apt install python3.12 python3.12-venv && python3.12'
    for minor in (12, 13, 11, 10):
        name = 'python3.%d' % minor  # noqa: UP031 - one style for every Python 3
        if shutil.which(name):
            mended = name
            break
    return (
        'this is Python %s, and ik_node needs %d.%d to %d.%d: run `%s dev.py %s`.'  # noqa: UP031
        % ('.'.join(map(str, version[:3])), OLDEST[0], OLDEST[1], NEWEST[0], NEWEST[1],
           mended, ' '.join(sys.argv[1:]) or 'demo')
    )


if __name__ == '__main__':
    complaint = python_complaint(tuple(sys.version_info[:3]), bool(os.environ.get('ROS_DISTRO')))
    if complaint:
        sys.exit('dev.py: ' + complaint)
    from devtools.commands import main

    sys.exit(main(sys.argv[1:]))
