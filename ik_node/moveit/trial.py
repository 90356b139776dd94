# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Where one request is searched: the group of the caller, or a copy that only it changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ik_node.environment.group import Group
from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray
from ik_node.moveit.limits import Limits
import numpy as np


class Trial:
    """
    A group with the state, the limits and the held joints of one request.

    The group itself serves where the request asks for nothing else, which is a hundred times
    faster; otherwise it is a copy, and the environment of the caller stays as it is.

    Parameters
    ----------
    group : Group
        The group.
    positions : mapping of str to float
        Laid over the state of the environment: the seed, and where everything else is [rad or m].
    limits : Limits
        Narrower bounds of joints of the group, inside of their own.
    held : iterable of str
        Joints of the group that stay where `positions` have them.

    Raises
    ------
    InvalidArgumentError
        Bounds that leave no position.

    """

    def __init__(
        self,
        group: Group,
        positions: Mapping[str, float],
        limits: Limits | None = None,
        held: Iterable[str] = (),
    ) -> None:
        self._names = group.joint_names
        #: (n,) of the whole group.
        self.whole_seed = group.seed_from(positions)
        self._held = tuple(held)
        environment = group.environment
        passive_elsewhere = environment.overlaid(positions).held != environment.scene.held
        if limits or self._held or passive_elsewhere:
            environment = environment.duplicate()
            for name, (lower, upper) in (limits or {}).items():
                if not lower <= upper:
                    raise InvalidArgumentError(
                        f'nothing is left of the range of {name!r}: what was asked for is from '
                        f'{lower:g} to {upper:g}'
                    )
                environment.joint(name).limits = (lower, upper)
            environment.set_joint_positions(positions)
            for name in self._held:
                environment.joint(name).passive = True
            group = environment.group(group.name)
        #: Where to search.
        self.group = group

    @property
    def seed(self) -> FloatArray:
        """(m,) of the joints that are searched."""
        if not self._held:
            return self.whole_seed
        at = dict(zip(self._names, self.whole_seed, strict=True))
        return np.array([at[name] for name in self.group.joint_names])

    def hold_at(self, positions: Mapping[str, float]) -> None:
        """
        Put held joints somewhere else.

        Parameters
        ----------
        positions : mapping of str to float
            Of joints that are held [rad or m].

        """
        self.group.environment.set_joint_positions(positions)
        for column, name in enumerate(self._names):
            if name in positions:
                self.whole_seed[column] = positions[name]

    def whole(self, q: FloatArray) -> FloatArray:
        """
        Complete a configuration by the joints that are held.

        Parameters
        ----------
        q : (m,) float64
            Of the joints that are searched.

        Returns
        -------
        (n,) float64
            Of the group.

        """
        if not self._held:
            return q
        at = dict(zip(self.group.joint_names, q, strict=True))
        return np.array(
            [
                at.get(name, default)
                for name, default in zip(self._names, self.whole_seed, strict=True)
            ]
        )
