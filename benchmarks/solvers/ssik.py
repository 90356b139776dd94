# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""ssik (Srinivasa): analytic solutions of 6R and 7R arms, built for one arm beforehand."""

from __future__ import annotations

from collections.abc import Callable
import contextlib
import functools
import importlib.util
import io
from typing import Any

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver, UnsupportedRobotError


def build_artifact(robot: Robot) -> Any:
    """
    Build ssik's module for a robot, as its documentation advises for deployment.

    Returns
    -------
    module
        With `solve` and `fk`.

    """
    from ssik.cli import main

    file = robot.chain.with_name(f'{robot.name}_ssik.py')
    command = ['build', str(robot.chain), '--base', robot.base, '--ee', robot.tip]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            code = main([*command, '--no-validate', '--out', str(file)])
        except ValueError as error:
            raise UnsupportedRobotError(str(error)) from error
    if code:
        raise UnsupportedRobotError(f'ssik build ended with exit code {code}')
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f'{file} is no module')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ssik(Solver):
    """`solve` of the built module: the solution nearest to the seed, within the limits."""

    name = 'ssik'
    options = 'module made by `ssik build`, nearest solution (max_solutions=1, q_seed)'

    def __init__(self, robot: Robot) -> None:
        self._solve = build_artifact(robot).solve

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        return functools.partial(self._solve, target, max_solutions=1, q_seed=seed)

    def answer(self, raw: Any) -> FloatArray | None:
        return raw[0].q if raw else None
