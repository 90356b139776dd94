# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A group that searches for several configurations of one target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from numbers import Integral
import time

from ik_node.environment import reasons
from ik_node.environment.aiming import requested
from ik_node.environment.moving_group import MovingGroup
from ik_node.environment.narrowing import is_given, JointLimits, LockedJoints, narrowed
from ik_node.environment.pursuing import Pursuit
from ik_node.environment.request import Targets
from ik_node.environment.results import ConfigSet
from ik_node.environment.searching import least_squares
from ik_node.errors import InvalidOptionError, shown
from ik_node.kernels.arrays import FloatArray
from ik_node.model.given import real
from ik_node.solvers import configurations, options
from ik_node.solvers.configurations import is_new
from ik_node.solvers.secondary_goals import SecondaryGoal
import numpy as np
from numpy.typing import ArrayLike

FIND_TIMEOUT = 0.2
"""Default time for a search for configurations [s]."""
METRIC = (1.0, 1.0, 1.0, 0.1)
"""Default metric of such a search: x, y, z [1/m] and the angle [1/rad]."""


class FindingGroup(MovingGroup):
    """Elements of a group whose configurations can be collected."""

    def find_config(
        self,
        target: Targets | None = None,
        seed: ArrayLike | None = None,
        *,
        threshold: float = math.inf,
        metric: ArrayLike = METRIC,
        timeout: float = FIND_TIMEOUT,
        validation: Callable[[FloatArray], bool] | None = None,
        random_seed: int = options.RANDOM_SEED,
        max_draws: int | None = None,
        position_tolerance: float = options.POSITION_TOLERANCE,
        orientation_tolerance: float = options.ORIENTATION_TOLERANCE,
        direction: ArrayLike | None = None,
        locked_joints: LockedJoints | None = None,
        limits: JointLimits | None = None,
        goals: Sequence[SecondaryGoal] | None = None,
    ) -> ConfigSet:
        """
        Search at random for a configuration that reaches a pose: the first one found.

        See `find_configs`, of which this is the case `max_configs=1`.

        Returns
        -------
        ConfigSet
            With one configuration, or none and the reason.

        """
        return self.find_configs(
            target,
            seed,
            max_configs=1,
            threshold=threshold,
            metric=metric,
            timeout=timeout,
            validation=validation,
            random_seed=random_seed,
            max_draws=max_draws,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
            direction=direction,
            locked_joints=locked_joints,
            limits=limits,
            goals=goals,
        )

    def find_configs(
        self,
        target: Targets | None = None,
        seed: ArrayLike | None = None,
        *,
        max_configs: int = 16,
        threshold: float = math.inf,
        metric: ArrayLike = METRIC,
        timeout: float = FIND_TIMEOUT,
        validation: Callable[[FloatArray], bool] | None = None,
        random_seed: int = options.RANDOM_SEED,
        max_draws: int | None = None,
        position_tolerance: float = options.POSITION_TOLERANCE,
        orientation_tolerance: float = options.ORIENTATION_TOLERANCE,
        direction: ArrayLike | None = None,
        locked_joints: LockedJoints | None = None,
        limits: JointLimits | None = None,
        goals: Sequence[SecondaryGoal] | None = None,
    ) -> ConfigSet:
        """
        Search at random for different configurations that reach a pose.

        Configurations are drawn over the joint limits; where one brings the tip within `threshold`
        of the target, the target is solved from there. The seed is tried first.

        Parameters
        ----------
        target : (4, 4) array_like, optional
            T_base_tip [m], or several; as for `Group.solve`.
        seed : (n,) array_like, optional
            Reference for sorting and for full turns [rad or m]; None: the environment's state.
        max_configs : int
            Stop at this number.
        threshold : float
            Largest distance at which a draw is worth a solve. Small values search near draws that
            look like the target already, infinity solves from every draw.
        metric : (4,) array_like
            Weights of x, y, z [1/m] and of the angle [1/rad] in that distance.
        timeout : float
            Time to search [s], on the steady clock.
        validation : callable, optional
            Called with each candidate (n,); False rejects it and the search goes on.
        random_seed : int
            Key of the draws.
        max_draws : int, optional
            Largest number of draws; None: as many as the time allows, or until 2000 of them in a
            row brought nothing new.
        position_tolerance, orientation_tolerance : float
            [m] and [rad], as for `Group.solve`.
        direction : (3,) array_like, optional
            As for `Group.solve`.
        locked_joints, limits : mapping, optional
            As for `Group.solve`.
        goals : sequence, optional
            As for `Group.solve`: from each configuration that was found to one near it of less
            cost, until none is near or the time is over. Those that come to the same are one, and
            one that the validation rejects stays where it was found.

        Returns
        -------
        ConfigSet
            Configurations within limits, nearest to the seed first, with goals those of the least
            cost first. Two of them differ by more
            than 1e-3 in some joint, full turns not counted.

        Raises
        ------
        InvalidTargetError, InvalidSeedError, InvalidOptionError, UnknownNameError
            The request means nothing.

        """
        began = time.perf_counter()
        if max_draws is not None and (not isinstance(max_draws, Integral) or max_draws < 0):
            raise InvalidOptionError(f'max_draws is {shown(max_draws)}; it must not be negative')
        checked = options.search_options(
            timeout,
            position_tolerance,
            orientation_tolerance,
            random_seed=random_seed,
            max_starts=None if max_draws is None else int(max_draws) + 1,
        )
        if not isinstance(max_configs, Integral) or max_configs < 1:
            raise InvalidOptionError(f'max_configs is {shown(max_configs)}; it must be positive')
        largest = real(threshold)
        if not largest > 0.0:
            raise InvalidOptionError(
                f'threshold is {shown(threshold)}; it must be positive, infinity solves every draw'
            )
        try:
            weights = np.asarray(metric, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            weights = np.zeros(0)
        if weights.shape != (4,) or not (np.isfinite(weights).all() and (weights >= 0.0).all()):
            raise InvalidOptionError(
                f'metric is {shown(metric)}; it must be four finite weights: x, y, z and the angle'
            )
        prepared = self.prepared_for(target)
        direction = self.direction if direction is None else direction
        prepared, targets, start = requested(prepared, target, seed, direction)
        prepared, start, own_limits = narrowed(prepared, start, locked_joints, limits)
        pursuit = None
        if goals is not None and is_given(goals):
            pursuit = Pursuit(goals, prepared, start, own_limits)
            problem = least_squares(prepared, targets, checked)
        deadline = time.monotonic() + checked.timeout
        tables = prepared.tables
        targets = prepared.T_node_reference @ targets
        found = configurations.find(
            tables,
            targets,
            start,
            checked,
            max_configs=int(max_configs),
            threshold=largest,
            metric=weights,
            accept=validation or (lambda config: True),
        )
        if pursuit is not None:
            accept = validation or (lambda config: True)
            best: list[FloatArray] = []
            for config in found.configs:
                after = pursuit.settled(problem, config, deadline)
                after = after if accept(after.copy()) else config
                if is_new(after, best, tables.limits):
                    best.append(after)
            found = found._replace(configs=sorted(best, key=pursuit.total.value))
        configs = np.array(found.configs).reshape(-1, start.shape[0])
        configs.setflags(write=False)
        return ConfigSet(
            status=found.status,
            configs=configs,
            joint_names=tables.coordinate_names,
            trials=found.trials,
            elapsed=time.perf_counter() - began,
            message=reasons.of_configurations(found, tables, targets, checked),
        )
