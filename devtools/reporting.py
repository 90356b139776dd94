# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress on the terminal, programs whose output goes to a log, and the one kind of failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
import subprocess
import sys
import time

SPINNER = '|/-\\'
BEAT_TERMINAL = 0.2  # [s] between two turns of the spinner
BEAT_PLAIN = 30.0  # [s] between two lines where there is no terminal, as in CI


class SetupError(Exception):
    """
    The setup cannot go on.

    Its text is one sentence that says what is missing and the command that mends it; lines of
    detail that help a reader, such as the end of a log, may stand above it.

    Parameters
    ----------
    sentence : str
        What is missing and what to do.
    details : sequence of str, optional
        Lines to show before the sentence.

    """

    def __init__(self, sentence: str, details: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.details = tuple(details)


def say(text: str) -> None:
    """
    Print a line about the setup.

    The lines go to standard error: standard output belongs to the command that was asked for.
    """
    print(f'dev.py: {text}', file=sys.stderr, flush=True)


def run_logged(
    title: str, command: Sequence[str], log: Path, env: Mapping[str, str], cwd: Path
) -> int:
    """
    Run a long program: its output to a file, a sign of life to the terminal.

    Parameters
    ----------
    title : str
        What is being done, for the reader.
    command : sequence of str
        Program and arguments.
    log : Path
        File that receives everything the program prints; it starts anew.
    env : mapping
        The program's whole environment.
    cwd : Path
        Its working directory.

    Returns
    -------
    int
        The program's exit code.

    """
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with log.open('wb') as output:
        # Inheritable descriptors stay open: if this process is killed, the lock lives on in its
        # child (see state.State.locked), and a second dev.py waits instead of interfering.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=dict(env), cwd=cwd, close_fds=False,
        )
        try:
            code = _watch(process, title, start)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    outcome = 'done in' if code == 0 else 'FAILED after'
    say(f'{title} ... {outcome} {time.monotonic() - start:.1f} s')
    return code


def _watch(process: subprocess.Popen[bytes], title: str, start: float) -> int:
    """Wait for the program and show that it lives."""
    terminal = sys.stderr.isatty()
    if not terminal:
        say(f'{title} ...')
    turn = 0
    while True:
        try:
            code = process.wait(timeout=BEAT_TERMINAL if terminal else BEAT_PLAIN)
        except subprocess.TimeoutExpired:
            elapsed = time.monotonic() - start
            if terminal:
                mark = SPINNER[turn % len(SPINNER)]
                print(f'\r{mark} {title} ({elapsed:.0f} s) ', end='', file=sys.stderr, flush=True)
            else:
                say(f'  still at it after {elapsed:.0f} s')
            turn += 1
        else:
            if terminal:
                print('\r\033[K', end='', file=sys.stderr, flush=True)
            return code


def log_tail(log: Path, count: int = 6, width: int = 200) -> list[str]:
    """
    Return the lines of a log that most likely tell why a program failed.

    Lines that speak of an error come first in interest; without any, the last lines are taken.
    Long lines are cut.
    """
    lines = [line.rstrip() for line in log.read_text(errors='replace').splitlines()]
    lines = [line for line in lines if line and 'WARNING' not in line]
    telling = [line for line in lines if 'error' in line.lower()] or lines
    return [line[:width] for line in telling[-count:]]
