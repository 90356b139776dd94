# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A group: a chain that can be solved."""

from __future__ import annotations

from collections.abc import Sequence
import math
from numbers import Integral
import time

from ik_node.constraints.pose_batch import PoseBatch, Poses
from ik_node.environment import ik_options_solve, reasons
from ik_node.environment.aiming import aimed_at, goal_of_one, requested, slid
from ik_node.environment.chain import configurations_of
from ik_node.environment.finding_group import FindingGroup
from ik_node.environment.handling import Callback, HandleResult
from ik_node.environment.narrowing import is_given, JointLimits, LockedJoints
from ik_node.environment.request import Targets
from ik_node.environment.results import BatchResult, RichResult, SolveResult
from ik_node.environment.searching import search
from ik_node.errors import InvalidOptionError, InvalidStateError, shown
from ik_node.kernels import step
from ik_node.solvers import batch, options
from ik_node.solvers.ik_options import ADAPTIVE, IKOptions
from ik_node.solvers.options import search_options
from ik_node.solvers.secondary_goals import SecondaryGoal
from ik_node.solvers.status import SolveStatus
import numpy as np
from numpy.typing import ArrayLike

# Python 3.11 takes 0.1 us to find the member of an enumeration.
_SUCCESS = SolveStatus.SUCCESS


class Group(FindingGroup):
    """
    Elements to be solved together; make one with `Environment.create_group`.

    `solve` and `find_configs` search, whatever the distance; `handle` goes a few steps from where
    the joints are. All methods may be called from several threads at once.
    """

    def handle(self, callback: Callback | None = None) -> HandleResult:
        """
        Move the joints of the environment towards the targets of the elements.

        See `Environment.handle_groups`, of which this is the case of one group.
        """
        return self._environment.handle_groups([self], callback)

    def solve(
        self,
        target: Targets | None = None,
        seed: ArrayLike | None = None,
        *,
        timeout: float = options.TIMEOUT,
        position_tolerance: float = options.POSITION_TOLERANCE,
        orientation_tolerance: float = options.ORIENTATION_TOLERANCE,
        position_weight: float = options.POSITION_WEIGHT,
        random_seed: int = options.RANDOM_SEED,
        max_starts: int | None = None,
        prefer: str = options.PREFER,
        direction: ArrayLike | None = None,
        method: str = ADAPTIVE,
        options: IKOptions | None = None,
        locked_joints: LockedJoints | None = None,
        limits: JointLimits | None = None,
        goals: Sequence[SecondaryGoal] | None = None,
        approximate: bool = False,
    ) -> SolveResult:
        """
        Find joint values that bring the tip, or all tips, to their targets.

        Parameters
        ----------
        target : (4, 4) array_like or Target, optional
            T_base_tip [m], of which counts what the element constrains; or a target of another
            kind, such as `ik_node.Lookat3D`, which brings its own constraints. None: the pose of
            the dummy that is the target of the tip. For several enabled elements (t, 4, 4) or a
            list in their order, or a mapping from the names of tips to targets, each seen from the
            base of its element; tips that it leaves out go to their dummies.
        seed : (n,) array_like, optional
            Where to start [rad or m]; None: the state of the environment. A seed outside of the
            limits is brought inside.
        timeout : float
            Time to search [s], on the steady clock. 0 still tries a few starts.
        position_tolerance : float
            Largest distance that counts as reached [m], of every element.
        orientation_tolerance : float
            Largest angle that counts as reached [rad], of every element.
        position_weight : float
            Weight of a metre against a radian while searching [rad/m].
        random_seed : int
            Key of the random starts: the same request gives the same answer, bit for bit.
        max_starts : int, optional
            Number of starts; 1: only from the seed. None: as many as the time allows, or, for one
            tip, until so many have stayed so far away that it is hopeless to go on. Tips that
            share no joint have as many each.
        prefer : {'fast', 'nearest'}
            Which solution. 'fast': from a seed near the target (half a metre, a radian) the one
            that the seed leads to, otherwise the first that is found. 'nearest': the one nearest
            to the seed of those that `max_starts` starts (None: 64) find, in the Euclidean norm
            of the joint differences [rad and m alike], full turns as near as the limits allow; of
            equally near ones the first that was found.
        direction : (3,) array_like, optional
            Direction of the tool in the tip (IKFast's manipulator direction), for targets that
            mean one; None: that of the group. A pose means none.
        method, options : str and IKOptions, optional
            Other than 'adaptive': not this search but the plain iteration of `IKOptions`, by its
            method, or by options instead of all keywords above; they can change the environment
            too. A name that `ik_node.solvers.register` was given: that solver; '': the default.
        locked_joints : mapping of str to float, or collection of str, optional
            Joints that do not move in this request: by name where they are held [rad or m], or a
            list of names, held at the seed. Everything else is as if their limits were there.
        limits : mapping of str to (float, float), optional
            Narrower limits of some joints in this request [rad or m].
        goals : sequence, optional
            What to do with joints that the target leaves free: `NearSeed`, `Centre`,
            `KeepOffLimits`, `Posture`, `Manipulability`, `Keep`. From the solution that was found
            to solutions of less cost, until none is near or the time is over; what became of
            each is in `SolveResult.goals`.
        approximate : bool
            Where there is no solution, give the least-squares answer: `SolveResult.approximate`
            says so, the status stays that of the search. It takes up to 200 steps more than the
            time allows. Targets with priorities that are not the same are answered so anyway.

        Returns
        -------
        SolveResult
            Also when there is no solution: then with the reason and the best configuration.

        Raises
        ------
        InvalidTargetError, InvalidSeedError, InvalidOptionError, UnknownNameError
            The request means nothing.

        """
        began = time.perf_counter()
        checked = search_options(
            timeout,
            position_tolerance,
            orientation_tolerance,
            position_weight,
            random_seed,
            max_starts,
            prefer,
        )
        if (
            method is not ADAPTIVE
            or options is not None
            or (locked_joints is not None and is_given(locked_joints))
            or (limits is not None and is_given(limits))
            or goals is not None
            or approximate is not False
        ):
            keywords = ik_options_solve.Keywords(
                timeout, position_tolerance, orientation_tolerance, position_weight, random_seed,
                max_starts, prefer, method,
            )  # fmt: skip
            extras = ik_options_solve.Extras(locked_joints, limits, goals, approximate)
            direction = self._settings.direction if direction is None else direction
            return ik_options_solve.solve(self, target, seed, direction, keywords, options, extras)
        prepared = self.prepared_for(target)
        if direction is None:
            direction = self._settings.direction
        goal = goal_of_one(prepared, target, direction)
        quick = None if goal is None else slid(prepared, goal, seed, checked)
        if quick is not None:
            success, q, report = quick
            if success:
                q.setflags(write=False)
                tables = prepared.tables
                return SolveResult(
                    _SUCCESS,
                    q,
                    tables.coordinate_names,
                    time.perf_counter() - began,
                    'solved',
                    report,
                    tables.limits,
                )
            checked = checked._replace(has_slid=True)
        prepared, targets, start = (
            requested(prepared, target, seed, direction)
            if goal is None
            else aimed_at(prepared, goal, seed)
        )
        outcome, message = search(prepared, targets, start, checked)
        outcome.q.setflags(write=False)
        tables = prepared.tables
        elapsed = time.perf_counter() - began
        if outcome.approximate:
            return RichResult(outcome, tables.coordinate_names, elapsed, message, tables.limits)
        return SolveResult(
            outcome.status,
            outcome.q,
            tables.coordinate_names,
            elapsed,
            message,
            outcome.report,
            tables.limits,
        )

    def solve_batch(
        self,
        targets: Poses,
        seeds: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        position_tolerance: float = options.POSITION_TOLERANCE,
        orientation_tolerance: float = options.ORIENTATION_TOLERANCE,
        position_weight: float = options.POSITION_WEIGHT,
        random_seed: int = options.RANDOM_SEED,
        max_starts: int | None = None,
        threads: int | None = None,
    ) -> BatchResult:
        """
        Find joint values for many poses of the tip: arrays in, arrays out.

        The answer to a target depends on the target, its seed and the options alone, not on its
        neighbours nor on the number of threads. It is one of the solutions, as from `solve`, but
        not always the same one, and where there is none the reason is only a number: ask `solve`
        for the sentence.

        Parameters
        ----------
        targets : (b, 4, 4) or (b, 7) array_like, or a pair of (b, 3) and (b, 4)
            T_base_tip as matrices [m], or positions [m] and quaternions x, y, z, w.
        seeds : (b, n) or (n,) array_like, optional
            Where each, or all, start [rad or m]; None: the state of the environment.
        timeout : float, optional
            For the whole batch [s], on the steady clock; None: no limit. At least the first 2048
            targets are solved.
        position_tolerance, orientation_tolerance, position_weight, random_seed
            As for `solve`.
        max_starts : int, optional
            Starts of each target, at most 4096; None: 512, fewer where it is hopeless to go on,
            4096 for mechanisms of more than 10 m.
        threads : int, optional
            None: as many as the process may use processors.

        Returns
        -------
        BatchResult

        Raises
        ------
        InvalidTargetError, InvalidSeedError, InvalidOptionError
            The request means nothing; a defect of a target or a seed is named with its number.

        """
        began = time.perf_counter()
        checked = options.search_options(
            options.TIMEOUT if timeout is None else timeout,
            position_tolerance,
            orientation_tolerance,
            position_weight,
            random_seed,
            max_starts,
        )
        if max_starts is not None and max_starts > batch.MOST_STARTS:
            raise InvalidOptionError(
                f'max_starts is {shown(max_starts)}; in a batch it must be at most '
                f'{batch.MOST_STARTS}'
            )
        if timeout is None:
            checked = checked._replace(timeout=math.inf)
        if threads is None:
            threads = options.processors()
        elif not isinstance(threads, Integral) or threads < 1:
            raise InvalidOptionError(f'threads is {shown(threads)}; it must be a positive integer')
        prepared = self.prepared()
        if not prepared.plain:
            raise InvalidStateError(
                f'group {self.name!r} has {len(prepared.lowered.records)} elements, or one whose '
                'target moves by itself; solve_batch takes one tip, solve takes any'
            )
        scene, tables = prepared.scene, prepared.tables
        poses = PoseBatch(targets)
        if seeds is None:
            seeds = scene.coordinates(tables)
        starts = configurations_of(tables, seeds, len(poses))
        answers = batch.solve_all(tables, poses.piece, starts, checked, int(threads))
        for array in answers:
            array.setflags(write=False)
        return BatchResult(
            status=answers.status,
            q=answers.q,
            joint_names=tables.coordinate_names,
            position_error=answers.reports[:, step.POSITION_ERROR],
            orientation_error=answers.reports[:, step.ORIENTATION_ERROR],
            iterations=answers.reports[:, step.ITERATIONS].astype(np.int64),
            restarts=np.maximum(answers.reports[:, step.STARTS].astype(np.int64) - 1, 0),
            elapsed=time.perf_counter() - began,
            message=reasons.of_batch(answers.status),
        )
