# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""MoveIt's kinematics plugin as a Python class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
import time
from typing import Any

from ik_node.environment.request import Targets
from ik_node.errors import IkNodeError, InvalidArgumentError
from ik_node.kernels.arrays import FloatArray
from ik_node.moveit.answers import DEFAULT_OPTIONS, KinematicsAnswer, KinematicsQueryOptions
from ik_node.moveit.codes import ErrorCode
from ik_node.moveit.enumeration import EnumeratingPlugin
from ik_node.moveit.limits import window
from ik_node.moveit.redundancy import MOST_SAMPLES, sweep
from ik_node.moveit.search import Accept, Cost, Found, search
import numpy as np
from numpy.typing import ArrayLike

SolutionCallback = Callable[[FloatArray, FloatArray], int]
"""Called with the first pose and a solution; SUCCESS (or True) accepts it."""
CostFunction = Callable[[FloatArray, FloatArray, FloatArray], float]
"""Called with the first pose, a solution and the seed; the lowest cost is the answer."""


class KinematicsPlugin(EnumeratingPlugin):
    """
    MoveIt's kinematics plugin (`kinematics::KinematicsBase`) for Python.

    Call `initialize`, then ask. No request for solutions raises: what is wrong with it is an error
    code and a sentence. All methods but those that set something may be called from several
    threads at once.
    """

    def get_position_ik(
        self,
        pose: ArrayLike,
        seed: ArrayLike,
        options: KinematicsQueryOptions = DEFAULT_OPTIONS,
    ) -> KinematicsAnswer:
        """
        Solve from the seed alone: no other start is made, and redundant joints stay.

        Parameters
        ----------
        pose : (4, 4) array_like
            Of the tip in the base frame [m]; for several tips (t, 4, 4), in their order.
        seed : (n,) array_like
            In the order of `get_joint_names` [rad or m].
        options : KinematicsQueryOptions
            As MoveIt has them.

        Returns
        -------
        KinematicsAnswer

        """
        return self._answer(
            lambda: self._solve(pose, seed, 0.0, options, held=self.get_redundant_joints()),
            seed,
        )

    def search_position_ik(
        self,
        pose: ArrayLike,
        seed: ArrayLike,
        timeout: float | None = None,
        consistency_limits: ArrayLike = (),
        solution_callback: SolutionCallback | None = None,
        cost_function: CostFunction | None = None,
        options: KinematicsQueryOptions = DEFAULT_OPTIONS,
        context_state: Mapping[str, float] | None = None,
    ) -> KinematicsAnswer:
        """
        Search for the solution nearest to the seed that is accepted.

        Parameters
        ----------
        pose : (4, 4) array_like
            Of the tip in the base frame [m]; for several tips (t, 4, 4), in their order.
        seed : (n,) array_like
            In the order of `get_joint_names` [rad or m].
        timeout : float, optional
            [s]; None: the default timeout; 0: one attempt, from the seed.
        consistency_limits : (n,) array_like
            How far each joint may be from the seed [rad or m]; empty: as far as it likes.
        solution_callback : callable, optional
            Judges solutions; one that it rejects is no answer, and the search goes on. When all
            are rejected its code is the answer.
        cost_function : callable, optional
            Chooses among accepted solutions, instead of their distance from the seed.
        options : KinematicsQueryOptions
            As MoveIt has them.
        context_state : mapping of str to float, optional
            Where joints are that are not in the group [rad or m]; for those of the group the seed
            counts.

        Returns
        -------
        KinematicsAnswer

        """
        held = self.get_redundant_joints() if options.lock_redundant_joints else ()
        return self._answer(
            lambda: self._solve(
                pose,
                seed,
                self.get_default_timeout() if timeout is None else timeout,
                options,
                held=held,
                limits=consistency_limits,
                callback=solution_callback,
                cost=cost_function,
                context=context_state,
                timed=timeout is not None,
            ),
            seed,
        )

    def _answer(self, ask: Callable[[], KinematicsAnswer], seed: ArrayLike) -> KinematicsAnswer:
        try:
            return ask()
        except IkNodeError as error:
            try:
                unchanged = np.array(seed, dtype=float)
            except (TypeError, ValueError):
                unchanged = np.empty(0)
            return KinematicsAnswer(unchanged, int(ErrorCode.NO_IK_SOLUTION), str(error))

    def _solve(
        self,
        pose: ArrayLike,
        seed: ArrayLike,
        timeout: float,
        options: KinematicsQueryOptions,
        *,
        held: Sequence[int] = (),
        limits: ArrayLike = (),
        callback: SolutionCallback | None = None,
        cost: CostFunction | None = None,
        context: Mapping[str, float] | None = None,
        timed: bool = False,
    ) -> KinematicsAnswer:
        if not 0.0 <= timeout < math.inf:
            raise InvalidArgumentError(
                f'timeout is {timeout}; give seconds, 0 for one attempt, or None for the default'
            )
        start = self.checked_seed(seed)
        targets, first = self.checked_targets(pose)
        narrowed = self._windows(start, limits)
        accept = None if callback is None else _verdict(callback, first)
        rank = None if cost is None else _rank(cost, first, start)
        sweeps = self.settings.search_mode != 'all_joints' and self.get_redundant_joints()
        if sweeps and timeout > 0.0 and not held:
            found = self._sweep(start, targets, narrowed, accept, rank, context, timeout)
        else:
            names = [self.get_joint_names()[index] for index in held]
            trial = self.trial(start, narrowed, names, context)
            found = search(
                trial,
                targets,
                timeout,
                accept=accept,
                cost=rank,
                tuning=self.settings.tuning,
                timed=timed,
                max_starts=1 if timeout == 0.0 or self.settings.single_start else None,
            )
        return self._judged(found, start, options, accept)

    def _windows(self, start: FloatArray, limits: ArrayLike) -> dict[str, tuple[float, float]]:
        """Turn consistency limits into bounds, by the names of the joints."""
        try:
            widths = np.array(limits, dtype=float)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f'consistency_limits are no numbers: {error}') from error
        group = self.group
        if widths.size == 0:
            return {}
        if widths.shape != start.shape or not (widths >= 0.0).all():
            raise InvalidArgumentError(
                f'consistency_limits are {widths.tolist()}; they must be empty, or one that is '
                f'not negative for each of {", ".join(group.joint_names)}'
            )
        found = {}
        for name, lower, upper, at, width in zip(
            group.joint_names, group.lower, group.upper, start, widths, strict=True
        ):
            bounds = window(float(lower), float(upper), float(at), (width, width), float(at))
            if bounds is not None:
                found[name] = bounds
        return found

    def _sweep(
        self,
        start: FloatArray,
        targets: Targets,
        limits: Mapping[str, tuple[float, float]],
        accept: Accept | None,
        cost: Cost | None,
        context: Mapping[str, float] | None,
        timeout: float,
    ) -> Found:
        """Hold the first redundant joint at one value after another, beginning at the seed."""
        deadline = time.monotonic() + timeout
        index = self.get_redundant_joints()[0]
        group = self.group
        name = group.joint_names[index]
        lower, upper = limits.get(name, (float(group.lower[index]), float(group.upper[index])))
        step = self.get_search_discretization(index)
        if not step > 0.0:
            raise InvalidArgumentError(f'the step of the redundant joint {name!r} is {step:g}')
        others = {other: bounds for other, bounds in limits.items() if other != name}
        trial = self.trial(start, others, [name], context)
        best: Found | None = None
        last: Found | None = None
        for count, value in enumerate(sweep(lower, upper, float(start[index]), step)):
            left = deadline - time.monotonic()
            if last is not None and (left <= 0.0 or count > MOST_SAMPLES):
                break
            trial.hold_at({name: value})
            last = search(
                trial, targets, max(left, 0.0), accept=accept, cost=cost,
                tuning=self.settings.tuning,
            )  # fmt: skip
            if last.success and (best is None or _move(last, start) < _move(best, start)):
                best = last
                if self.settings.search_mode == 'optimize_free_joint':
                    break
        assert last is not None
        return best or last

    def _judged(
        self,
        found: Found,
        start: FloatArray,
        options: KinematicsQueryOptions,
        accept: Accept | None,
    ) -> KinematicsAnswer:
        if found.success or not options.return_approximate_solution:
            return _answered(found, found.q if found.success else start, found.code)
        settings = self.settings
        near = (
            found.position_error <= settings.approximate_position
            and found.orientation_error <= settings.approximate_orientation
            and np.abs(found.q - start).max() <= settings.approximate_joint
        )
        if not near:
            note = f'{found.message}; and the best configuration misses it by too much'
            return _answered(found._replace(message=note), start, found.code)
        code = int(ErrorCode.SUCCESS) if accept is None else accept(found.q)
        solution = found.q if code == ErrorCode.SUCCESS else start
        return _answered(found, solution, code, approximate=code == ErrorCode.SUCCESS)


def _answered(
    found: Found, solution: FloatArray, code: int, approximate: bool = False
) -> KinematicsAnswer:
    return KinematicsAnswer(
        np.array(solution),
        int(code),
        found.message,
        approximate,
        found.position_error,
        found.orientation_error,
    )


def _move(found: Found, start: FloatArray) -> float:
    return float(np.abs(found.q - start).max())


def _verdict(callback: SolutionCallback, pose: FloatArray) -> Accept:
    def accept(q: FloatArray) -> int:
        code: Any = callback(pose, q)
        if code is None:
            raise InvalidArgumentError(
                'solution_callback answered None; it must answer ErrorCode.SUCCESS or a code'
            )
        return int(code) or int(ErrorCode.NO_IK_SOLUTION)

    return accept


def _rank(cost: CostFunction, pose: FloatArray, start: FloatArray) -> Cost:
    return lambda q: float(cost(pose, q, start))
