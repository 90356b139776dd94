# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The joints between two links of an environment."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import TYPE_CHECKING

from ik_node.errors import InvalidArgumentError
from ik_node.kernels import tree
from ik_node.kernels.arrays import FloatArray
from ik_node.model.tables import compile_tables, Tables
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ik_node.environment.environment import Environment


class Chain:
    """
    The joints between two links of an environment: poses, Jacobians, names.

    A chain never changes; the only state it sees is that of its environment. All methods may be
    called from several threads at once.

    Parameters
    ----------
    environment : Environment
        Where the links are.
    name : str
        Name of the group.
    base, tip : str
        Links; any two links with a moving joint between them.

    """

    def __init__(self, environment: Environment, name: str, base: str, tip: str) -> None:
        self._environment = environment
        self._name = name
        self._tables = compile_tables(environment.mechanism, base, [tip])
        if not self._tables.variable_names:
            raise InvalidArgumentError(
                f'group {name!r}: no moving joint between {base!r} and {tip!r}; choose links with '
                'at least one joint that is not fixed between them'
            )
        self._followers = tuple(
            (joint.name, index, multiplier, offset)
            for index, variable in enumerate(self._tables.variable_names)
            for joint, multiplier, offset in environment.mechanism.followers(variable)
        )

    def __repr__(self) -> str:
        ends = f'{self.base!r} -> {self.tip!r}'
        return f'{type(self).__name__}({self._name!r}, {ends}, {len(self.joint_names)} joints)'

    @property
    def environment(self) -> Environment:
        """The environment of the chain."""
        return self._environment

    @property
    def name(self) -> str:
        """Name of the group."""
        return self._name

    @property
    def base(self) -> str:
        """Link in whose frame targets and poses are given."""
        return self._tables.base

    @property
    def tip(self) -> str:
        """Link that is brought to the target."""
        return self._tables.tip_names[0]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """(n,) the independent joints from base to tip: the order of every q."""
        return self._tables.variable_names

    @property
    def lower(self) -> FloatArray:
        """(n,) lower limits [rad or m], -inf where there is none. Read-only."""
        return self._tables.limits[:, 0]

    @property
    def upper(self) -> FloatArray:
        """(n,) upper limits [rad or m], inf where there is none. Read-only."""
        return self._tables.limits[:, 1]

    @property
    def tables(self) -> Tables:
        """The compiled chain."""
        return self._tables

    def seed_from(self, positions: Mapping[str, float] | None = None) -> FloatArray:
        """
        Make a seed from joint positions by name, laid over the state of the environment.

        Parameters
        ----------
        positions : mapping of str to float, optional
            Positions [rad or m]. Joints outside of the group are allowed and make no difference;
            a mimic joint is recomputed from the joint that it follows.

        Returns
        -------
        (n,) float64

        Raises
        ------
        UnknownNameError
            A name that no moving joint of the robot has.
        InvalidSeedError
            A value that is not a finite number.

        """
        state = self._environment.overlay(positions)
        return np.array([state[name] for name in self.joint_names])

    def named_positions(self, q: ArrayLike) -> dict[str, float]:
        """
        Name the values of a configuration and add the mimic joints that follow it.

        Parameters
        ----------
        q : (n,) array_like
            Configuration [rad or m].

        Returns
        -------
        dict of str to float

        """
        values = self._configuration(q).tolist()
        named = dict(zip(self.joint_names, values, strict=True))
        for name, index, multiplier, offset in self._followers:
            named[name] = multiplier * values[index] + offset
        return named

    def forward_kinematics(self, q: ArrayLike | None = None) -> FloatArray:
        """
        Compute the pose of the tip.

        Parameters
        ----------
        q : (n,) or (b, n) array_like, optional
            Configuration(s) [rad or m]; None: the state of the environment.

        Returns
        -------
        (4, 4) or (b, 4, 4) float64
            T_base_tip [m].

        Raises
        ------
        InvalidArgumentError
            Another shape, or values that are not finite.

        """
        tables = self._tables
        if q is None:
            configs = self.seed_from()
        else:
            try:
                configs = np.ascontiguousarray(q, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidArgumentError(f'q is not an array of numbers: {error}') from error
        n = len(self.joint_names)
        if configs.ndim not in (1, 2) or configs.shape[-1] != n:
            raise InvalidArgumentError(
                f'q has the shape {configs.shape}; the group has {n} joints, so it must be ({n},) '
                f'or (b, {n})'
            )
        if not np.isfinite(configs).all():
            raise InvalidArgumentError('q has a value that is not finite (NaN or infinity)')
        batch = configs.reshape(-1, n)
        poses = np.empty((batch.shape[0], 1, 4, 4))
        tree.forward_kinematics(
            tables.nodes, tables.wiring, tables.tips, tables.tip_nodes, batch, poses
        )
        return poses[0, 0] if configs.ndim == 1 else poses[:, 0]

    def jacobian(self, q: ArrayLike | None = None, frame: str = 'base') -> FloatArray:
        """
        Compute the geometric Jacobian of the tip.

        J dq = (v, w): velocity of the origin of the tip (the reference point) and angular velocity
        of the tip, both relative to the base (Siciliano et al.: Robotics, section 3.1).

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.
        frame : {'base', 'tip'}
            Whose axes the rows are in. The reference point is the same for both.

        Returns
        -------
        (6, n) float64
            Rows x, y, z [m per rad or m] and rx, ry, rz [rad per rad or m]. A mimic joint is part
            of the column of the joint that it follows.

        Raises
        ------
        InvalidArgumentError
            Wrong length of q, values that are not finite, an unknown frame.

        """
        if frame not in ('base', 'tip'):
            raise InvalidArgumentError(f"frame is {frame!r}; it must be 'base' or 'tip'")
        config = self.seed_from() if q is None else self._configuration(q)
        tables = self._tables
        jacobian = np.empty((6, config.shape[0]))
        tree.geometric_jacobian(
            tables.nodes,
            tables.wiring,
            tables.tips,
            tables.tip_nodes,
            config,
            frame == 'tip',
            jacobian,
        )
        return jacobian

    def _configuration(self, q: ArrayLike, what: str = 'q') -> FloatArray:
        n = len(self.joint_names)
        try:
            config = np.ascontiguousarray(q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(f'{what} is not an array of numbers: {error}') from error
        if config.shape != (n,):
            raise InvalidArgumentError(
                f'{what} has the shape {config.shape}; it must be ({n},), one value for each of '
                + ', '.join(self.joint_names)
            )
        # A sum of squares is not finite as soon as one value is not: the quick test of most calls.
        if not math.isfinite(config.dot(config)) and not np.isfinite(config).all():
            raise InvalidArgumentError(f'{what} has a value that is not finite (NaN or infinity)')
        return config
