# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Python programs in processes of their own, ended whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

ROOT = Path(__file__).resolve().parents[1]


class Running:
    """
    A program that runs, and what it has printed.

    Parameters
    ----------
    process : subprocess.Popen
        The program.
    output : Path
        Where it prints to.

    """

    def __init__(self, process: subprocess.Popen[bytes], output: Path) -> None:
        self._process = process
        self._output = output

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return self._output.read_text(errors='replace')

    def wait_for(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until something is so, or raise with what the program printed."""
        deadline = time.monotonic() + seconds
        while not done():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f'{what} did not come to pass; it printed:\n{self.output}')
            time.sleep(0.002)

    def resident_megabytes(self) -> float:
        """Read the resident memory of the process [MB]."""
        status = Path(f'/proc/{self._process.pid}/status').read_text()
        line = next(line for line in status.splitlines() if line.startswith('VmRSS'))
        return int(line.split()[1]) / 1e3


@contextmanager
def running(
    arguments: Sequence[str], folder: Path, extra: dict[str, str] | None = None
) -> Iterator[Running]:
    """
    Run Python with arguments, and end it like Ctrl-C would.

    Parameters
    ----------
    arguments : sequence of str
        After the interpreter.
    folder : Path
        Where the output is kept.
    extra : dict of str to str, optional
        More environment variables.

    """
    output = folder / f'output_{time.monotonic_ns()}.txt'
    with output.open('wb') as stream:
        process = subprocess.Popen(
            [sys.executable, *arguments], stdout=stream, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, cwd=ROOT, env={**os.environ, **(extra or {})},
        )  # fmt: skip
    try:
        yield Running(process, output)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def python_floats(code: str, extra: dict[str, str] | None = None) -> list[float]:
    """
    Run a program that prints numbers.

    Returns
    -------
    list of float
        Its last line.

    """
    done = subprocess.run(
        [sys.executable, '-c', code], env={**os.environ, **(extra or {})}, cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f'the program ended with exit code {done.returncode}:\n{done.stderr}')
    return [float(number) for number in done.stdout.splitlines()[-1].split()]
