# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Handling on a copy of an environment.

So a handling that takes long keeps nobody from the environment, a request that is refused leaves
no trace, and a dry run is a run whose end is not taken over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import time

import ik_node
from ik_node import HandleResult
from ik_node.environment.scene import Scene
from ik_node.environment.store import ObjectStore
from ik_node.errors import InvalidStateError
import numpy as np
from numpy.typing import NDArray


class Trial:
    """
    A copy of an environment with targets placed, to handle groups on.

    Parameters
    ----------
    environment : Environment
        Stays as it is until `apply`.
    targets : mapping of int to (4, 4) float64
        Where dummies shall be in the world [m], by identity, parents first.

    Raises
    ------
    InvalidTargetError
        A dummy cannot be placed.

    """

    def __init__(
        self, environment: ik_node.Environment, targets: Mapping[int, NDArray[np.float64]]
    ) -> None:
        self._original = environment
        self._targets = targets
        self.environment = environment.duplicate()
        #: The scene that the copy was made of.
        self._before = self.environment.scene
        with self.environment.transaction() as draft:
            _place(draft, targets)

    def handle(self, groups: Sequence[ik_node.Group], strict: bool, end: float) -> HandleResult:
        """
        Handle groups of the copy together.

        Parameters
        ----------
        groups : sequence of Group
            In order of priority.
        strict : bool
            No group disturbs those before it.
        end : float
            When to stop, on `time.monotonic` [s].

        Returns
        -------
        HandleResult

        """
        timeout = max(0.0, end - time.monotonic())
        return self.environment.handle_groups(groups, strict=strict, timeout=timeout)

    def apply(self) -> None:
        """
        Make joints and targets of the copy those of the environment.

        What else was edited there in the meantime stays.

        Raises
        ------
        InvalidStateError
            A joint that was moved, or a target, is not there any more. Nothing is changed then.

        """
        after = self.environment.scene
        with self._original.lock:
            if self._original.scene is self._before:
                self._original.edit(lambda scene: after)
                return
            with self._original.transaction() as draft:
                _place(draft, self._targets)
                draft.edit(self._moved)

    def _moved(self, scene: Scene) -> Scene:
        """Move joints of a scene to where the copy has them."""
        after = self.environment.scene
        positions = {}
        for name, at in after.positions.items():
            if at == self._before.positions[name]:
                continue
            uid = after.uids[after.mechanism.joint_indices[name]]
            # By identity: the joint may have another name by now.
            thing = scene.mechanism.objects[scene.index[uid]] if uid in scene.index else None
            if thing is None or thing.name not in scene.positions:
                raise InvalidStateError(
                    f'the joint {name!r} was erased or made to follow another one while it was '
                    'being moved; nothing was applied, send the request again'
                )
            positions[thing.name] = at
        moved = scene.moved(positions)
        for name in positions:
            moved = moved.clamped(name)
        return moved


def _place(draft: ObjectStore, targets: Mapping[int, NDArray[np.float64]]) -> None:
    for uid, pose in targets.items():
        target = draft.object_of(uid)
        assert target is not None  # the world is no dummy
        target.set_pose(pose)
