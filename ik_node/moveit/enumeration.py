# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""All solutions of a pose, with redundant joints held, on a grid, or drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import time

from ik_node.constraints.pose import pose_target
from ik_node.environment.request import Targets
from ik_node.errors import IkNodeError, InvalidSeedError, InvalidTargetError
from ik_node.kernels.arrays import FloatArray
from ik_node.moveit.answers import (
    DEFAULT_OPTIONS,
    KinematicsQueryOptions,
    KinematicsResult,
    KinematicsSolutions,
)
from ik_node.moveit.codes import DiscretizationMethod, KinematicError
from ik_node.moveit.plugin_base import InitializedPlugin
from ik_node.moveit.redundancy import combinations, distinct, draws, grid
from ik_node.moveit.search import search
from ik_node.moveit.trial import Trial
import numpy as np
from numpy.typing import ArrayLike

_DRAWN = (DiscretizationMethod.ALL_RANDOM_SAMPLED, DiscretizationMethod.SOME_RANDOM_SAMPLED)
_SOME = (DiscretizationMethod.SOME_DISCRETIZED, DiscretizationMethod.SOME_RANDOM_SAMPLED)
_SAME = 1e-3


class EnumeratingPlugin(InitializedPlugin):
    """The part of MoveIt's `KinematicsBase` that lists all solutions."""

    def get_supported_discretization_methods(self) -> tuple[DiscretizationMethod, ...]:
        """Name what can become of redundant joints; without any there is one way."""
        if not self.get_redundant_joints():
            return (DiscretizationMethod.NO_DISCRETIZATION,)
        return tuple(DiscretizationMethod)

    def get_position_ik_solutions(
        self,
        poses: ArrayLike,
        seed: ArrayLike,
        options: KinematicsQueryOptions = DEFAULT_OPTIONS,
        timeout: float | None = None,
    ) -> KinematicsSolutions:
        """
        List the solutions of a pose; for several tips, the one nearest to the seed.

        Parameters
        ----------
        poses : (4, 4) or (t, 4, 4) array_like
            One pose for each tip, in the base frame [m].
        seed : (n,) array_like
            In the order of `get_joint_names` [rad or m].
        options : KinematicsQueryOptions
            `discretization_method` says what becomes of redundant joints.
        timeout : float, optional
            For all of it [s]; None: the default timeout for each sample of redundant joints.

        Returns
        -------
        KinematicsSolutions

        """
        if not self.active:
            return _failed(KinematicError.SOLVER_NOT_ACTIVE, 'the plugin is not initialised')
        if np.size(poses) == 0:
            return _failed(KinematicError.EMPTY_TIP_POSES, 'no pose was given')
        if options.discretization_method not in self.get_supported_discretization_methods():
            return _failed(
                KinematicError.UNSUPORTED_DISCRETIZATION_REQUESTED,
                f'{options.discretization_method!r} needs redundant joints, and none are set',
            )
        try:
            return self._enumerate(poses, self.checked_seed(seed), options, timeout)
        except InvalidTargetError as error:
            tips = len(self.get_tip_frames())
            several = np.ndim(poses) == 3 and len(np.asarray(poses)) > tips
            kind = KinematicError.MULTIPLE_TIPS_NOT_SUPPORTED if several else None
            return _failed(kind or KinematicError.NO_SOLUTION, str(error))
        except IkNodeError as error:
            return _failed(KinematicError.NO_SOLUTION, str(error))

    def _enumerate(
        self,
        poses: ArrayLike,
        start: FloatArray,
        options: KinematicsQueryOptions,
        timeout: float | None,
    ) -> KinematicsSolutions:
        targets, _ = self.checked_targets(poses)
        group, redundant = self.group, self.get_redundant_joints()
        names = [group.joint_names[index] for index in redundant]
        method = options.discretization_method
        values = []
        for index, name in zip(redundant, names, strict=True):
            lower, upper, at = group.lower[index], group.upper[index], float(start[index])
            step = self.get_search_discretization(index)
            fixed = method is DiscretizationMethod.NO_DISCRETIZATION or (
                method in _SOME and not step > 0.0
            )
            if fixed:
                if not lower <= at <= upper:
                    return _failed(
                        KinematicError.IK_SEED_OUTSIDE_LIMITS,
                        f'the seed has {name!r} at {at:g}, outside of {lower:g} to {upper:g}',
                    )
                values.append([at])
            elif not step > 0.0:
                return _failed(
                    KinematicError.DISCRETIZATION_NOT_INITIALIZED, f'{name!r} has no step'
                )
            elif method in _DRAWN:
                generator = np.random.default_rng((self.settings.tuning.random_seed, index))
                values.append(draws(float(lower), float(upper), at, step, generator))
            else:
                values.append(grid(float(lower), float(upper), at, step))
        trial = self.trial(start, {}, names, None)
        deadline = None if timeout is None else time.monotonic() + timeout
        found: list[FloatArray] = []
        explored = fruitful = 0
        for sample in combinations(values):
            left = self.get_default_timeout()
            if deadline is not None:
                left = deadline - time.monotonic()
                if explored and left <= 0.0:
                    break
            if names:
                trial.hold_at(dict(zip(names, sample, strict=True)))
            configs = self._configs(trial, targets, max(left, 0.0))
            explored += 1
            fruitful += bool(configs)
            found += configs
        solutions = distinct(found, start, _SAME)[: self.settings.max_solutions]
        error = KinematicError.OK if solutions else KinematicError.NO_SOLUTION
        text = f'{len(solutions)} solutions from {explored} samples of {len(names)} joints'
        return KinematicsSolutions(
            tuple(solutions), KinematicsResult(error, fruitful / max(explored, 1)), text
        )

    def _configs(self, trial: Trial, targets: Targets, timeout: float) -> list[FloatArray]:
        tuning = self.settings.tuning
        if len(self.get_tip_frames()) > 1:
            one = search(trial, targets, timeout, tuning=tuning)
            return [one.q] if one.success else []
        configs = trial.group.find_configs(
            targets,
            trial.seed,
            max_configs=self.settings.max_solutions,
            timeout=timeout,
            random_seed=tuning.random_seed,
            position_tolerance=tuning.position_tolerance,
            orientation_tolerance=tuning.orientation_tolerance,
            direction=tuning.direction,
        )
        return [trial.whole(config) for config in configs.configs]

    def trial(
        self,
        start: FloatArray,
        limits: Mapping[str, tuple[float, float]],
        held: Sequence[str],
        context: Mapping[str, float] | None,
    ) -> Trial:
        """Make the place that a request is searched in."""
        positions = dict(context or {}) | self.group.named_positions(start)
        return Trial(self.group, positions, limits, held)

    def checked_seed(self, seed: ArrayLike) -> FloatArray:
        """
        Check a seed.

        Returns
        -------
        (n,) float64

        Raises
        ------
        InvalidSeedError
            Another size, or values that are not finite.

        """
        names = self.get_joint_names()
        try:
            start = np.array(seed, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidSeedError(f'the seed is not an array of numbers: {error}') from error
        if start.shape != (len(names),) or not np.isfinite(start).all():
            raise InvalidSeedError(
                f'the seed has the shape {start.shape}; it must be one finite value for each of '
                f'{", ".join(names)}'
            )
        return start

    def checked_targets(self, poses: ArrayLike) -> tuple[Targets, FloatArray]:
        """
        Check poses and turn them into targets of the wanted type.

        Returns
        -------
        targets : mapping
            By tip.
        first : (4, 4) float64
            The first pose.

        Raises
        ------
        InvalidTargetError
            They are no poses, or not as many as tips.

        """
        tips = self.get_tip_frames()
        try:
            given = np.array(poses, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidTargetError(f'the poses are no array of numbers: {error}') from error
        if given.shape == (4, 4):
            given = given[np.newaxis]
        if given.shape != (len(tips), 4, 4):
            raise InvalidTargetError(
                f'the poses have the shape {given.shape}; give one (4, 4) pose for each of the '
                f'tips {", ".join(tips)}'
            )
        kind = self.settings.target_class
        direction = self.settings.tuning.direction
        checked = [pose_target(pose) for pose in given]
        return {
            tip: pose if kind is None else kind.from_pose(pose, direction)
            for tip, pose in zip(tips, checked, strict=True)
        }, checked[0]


def _failed(error: KinematicError, message: str) -> KinematicsSolutions:
    return KinematicsSolutions((), KinematicsResult(error, 0.0), message)
