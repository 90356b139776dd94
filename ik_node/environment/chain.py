# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The joints between two links of an environment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
import math
from typing import TYPE_CHECKING

from ik_node.environment.scene import Scene, WORLD_UID
from ik_node.errors import IkNodeError, InvalidArgumentError, InvalidSeedError, shown
from ik_node.kernels.arrays import FloatArray
from ik_node.model.tables import Tables
from ik_node.solvers.kinematics import forward_kinematics, geometric_jacobian
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ik_node.environment.environment import Environment


class Chain(ABC):
    """
    The joints between two links of an environment: poses, Jacobians, names.

    All methods may be called from several threads at once; each sees one scene of the environment.

    Parameters
    ----------
    environment : Environment
        Where the objects are.
    name : str
        Name of the chain.

    """

    def __init__(self, environment: Environment, name: str) -> None:
        self._environment = environment
        self._name = name

    def __repr__(self) -> str:
        try:
            what = f'{self.base!r} -> {self.tip!r}, {len(self.joint_names)} joints'
        except IkNodeError as error:
            what = str(error)
        return f'{type(self).__name__}({self._name!r}, {what})'

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
        """Object in whose frame targets and poses are given; 'world' for the world."""
        return self._name_of(self.ends[0])

    @property
    def tip(self) -> str:
        """Object that is brought to the target."""
        return self._name_of(self.ends[1])

    @property
    @abstractmethod
    def ends(self) -> tuple[int, int]:
        """
        Identities of base and tip.

        The base (a joint: its fixed frame) may be WORLD_UID.
        """

    @property
    def joint_names(self) -> tuple[str, ...]:
        """
        (n,) the independent joints from base to tip: the order of every q.

        A spherical joint has three entries, `name/x`, `name/y` and `name/z`: its rotation vector.
        """
        return self.tables.coordinate_names

    @property
    def lower(self) -> FloatArray:
        """(n,) lower limits [rad or m], -inf where there is none. Read-only."""
        return self.tables.limits[:, 0]

    @property
    def upper(self) -> FloatArray:
        """(n,) upper limits [rad or m], inf where there is none. Read-only."""
        return self.tables.limits[:, 1]

    @property
    def tables(self) -> Tables:
        """The compiled chain; compiled anew when something on it was edited."""
        return self.tables_at(self._environment.scene)

    @abstractmethod
    def tables_at(self, scene: Scene) -> Tables:
        """
        Give the compiled chain of one scene.

        Parameters
        ----------
        scene : Scene
            A scene of the environment; whoever needs tables and positions takes both from one.

        Returns
        -------
        Tables

        """

    @abstractmethod
    def chains_at(self, scene: Scene) -> tuple[Tables, ...]:
        """
        Give tables of each tip seen from its own base, all with the columns of `tables_at`.

        Parameters
        ----------
        scene : Scene
            A scene of the environment.

        Returns
        -------
        tuple of Tables
            With one tip each.

        """

    def _name_of(self, uid: int) -> str:
        scene = self._environment.scene
        if uid == WORLD_UID:
            return 'world'
        return scene.mechanism.objects[scene.index[uid]].name if uid in scene.index else ''

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
        scene = self._environment.overlaid(positions)
        return scene.coordinates(self.tables_at(scene))

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
        scene = self._environment.scene
        tables, mechanism = self.tables_at(scene), scene.mechanism
        named = dict(
            zip(tables.coordinate_names, configuration_of(tables, q).tolist(), strict=True)
        )
        for name in tables.joint_names:
            for follower, drive in mechanism.followers(name):
                named[follower.name] = drive.position(named[name])
        return named

    def forward_kinematics(self, q: ArrayLike | None = None) -> FloatArray:
        """
        Compute the pose of the tip, or of all tips.

        Parameters
        ----------
        q : (n,) or (b, n) array_like, optional
            Configuration(s) [rad or m]; None: the state of the environment.

        Returns
        -------
        (4, 4) or (b, 4, 4) float64
            T_base_tip [m]; (t, 4, 4) or (b, t, 4, 4) for t elements, each seen from its own base.

        Raises
        ------
        InvalidArgumentError
            Another shape, or values that are not finite.

        """
        scene = self._environment.scene
        tables = self.tables_at(scene)
        if q is None:
            configs = scene.coordinates(tables)
        else:
            try:
                configs = np.array(q, dtype=np.float64, order='C')
            except (TypeError, ValueError, OverflowError) as error:
                raise InvalidArgumentError(f'q is not an array of numbers: {error}') from error
        n = len(tables.coordinate_names)
        if configs.ndim not in (1, 2) or configs.shape[-1] != n:
            raise InvalidArgumentError(
                f'q has the shape {configs.shape}; the group has {n} joints, so it must be ({n},) '
                f'or (b, {n})'
            )
        if not np.isfinite(configs).all():
            raise InvalidArgumentError('q has a value that is not finite (NaN or infinity)')
        flat = configs.reshape(-1, n)
        poses = [forward_kinematics(chain, flat)[:, 0] for chain in self.chains_at(scene)]
        stacked = poses[0] if len(poses) == 1 else np.stack(poses, axis=1)
        return stacked[0] if configs.ndim == 1 else stacked

    def jacobian(self, q: ArrayLike | None = None, frame: str = 'base') -> FloatArray:
        """
        Compute the geometric Jacobian of the tip, or of all tips.

        J dq = (v, w): velocity of the origin of the tip (the reference point) and angular velocity
        of the tip, both relative to the base (Siciliano et al.: Robotics, section 3.1). What an
        element constrains makes no difference; see `stacked_jacobian` for rows of constraints.

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.
        frame : {'base', 'tip'}
            Whose axes the rows are in. The reference point is the same for both.

        Returns
        -------
        (6 t, n) float64
            Rows x, y, z [m per rad or m] and rx, ry, rz [rad per rad or m] of each of t elements,
            seen from its own base. A joint that follows
            another one is part of its column. The three columns of a spherical joint are
            rotations about the axes of its moving frame.

        Raises
        ------
        InvalidArgumentError
            Wrong length of q, values that are not finite, an unknown frame.

        """
        if not isinstance(frame, str) or frame not in ('base', 'tip'):
            raise InvalidArgumentError(f"frame is {shown(frame)}; it must be 'base' or 'tip'")
        scene = self._environment.scene
        tables = self.tables_at(scene)
        config = scene.coordinates(tables) if q is None else configuration_of(tables, q)
        in_tip_axes = frame == 'tip'
        rows = [
            geometric_jacobian(c, config, in_tip_axes=in_tip_axes) for c in self.chains_at(scene)
        ]
        return np.vstack(rows)


def configuration_of(tables: Tables, q: ArrayLike, what: str = 'q') -> FloatArray:
    """
    Check a configuration of compiled tables.

    Parameters
    ----------
    tables : Tables
        The chain.
    q : (n,) array_like
        What a caller gave.
    what : str
        What to call it in an error.

    Returns
    -------
    (n,) float64
        C-contiguous.

    Raises
    ------
    InvalidArgumentError
        Another shape, or values that are not finite.

    """
    names = tables.coordinate_names
    try:
        # A copy: kernels are compiled for arrays that can be written, and a result's q cannot.
        config: FloatArray = np.array(q, dtype=np.float64, order='C')
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(f'{what} is not an array of numbers: {error}') from error
    if config.shape != (len(names),):
        raise InvalidArgumentError(
            f'{what} has the shape {config.shape}; it must be ({len(names)},), one value for each '
            'of ' + ', '.join(names)
        )
    # A sum of squares is not finite as soon as one value is not: the quick test of most calls.
    if not math.isfinite(config.dot(config)) and not np.isfinite(config).all():
        raise InvalidArgumentError(f'{what} has a value that is not finite (NaN or infinity)')
    return config


def configurations_of(tables: Tables, seeds: ArrayLike, count: int) -> FloatArray:
    """
    Check the seeds of a batch.

    Parameters
    ----------
    tables : Tables
        The chain.
    seeds : (b, n) or (n,) array_like
        What a caller gave.
    count : int
        b.

    Returns
    -------
    (b, n) float64
        May be a view of the same row b times.

    Raises
    ------
    InvalidSeedError
        Another shape, or values that are not finite.

    """
    n = len(tables.coordinate_names)
    try:
        configs = np.asarray(seeds, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidSeedError(f'the seeds are not an array of numbers: {error}') from error
    if configs.shape not in ((n,), (count, n)):
        raise InvalidSeedError(
            f'the seeds have the shape {configs.shape}; it must be ({count}, {n}), one row for '
            f'each target, or ({n},) for all, in the order of '
            + ', '.join(tables.coordinate_names)
        )
    if not np.isfinite(configs).all():
        row = np.argmin(np.isfinite(configs.reshape(-1, n)).all(axis=1))
        raise InvalidSeedError(f'seed {row} has a value that is not finite (NaN or infinity)')
    return np.broadcast_to(configs, (count, n))
