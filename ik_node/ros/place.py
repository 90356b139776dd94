# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a request is about."""

from __future__ import annotations

from typing import NamedTuple

import ik_node
from ik_node.errors import UnknownNameError
from ik_node.ros.conversions import positions_from
from ik_node.ros.description import Description
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState


class Place(NamedTuple):
    """The group that a request is about, and where the robot stands."""

    environment: ik_node.Environment
    group: ik_node.Group
    positions: dict[str, float]

    @property
    def q(self) -> NDArray[np.float64]:
        """Joint values of the group, (n,)."""
        return self.group.seed_from(self.positions)


async def find_place(
    description: Description, environment_name: str, group: str, state: JointState
) -> Place:
    """
    Find what a request is about.

    Parameters
    ----------
    description : Description
        Finds the environment.
    environment_name, group : str
        As in the request; empty: the current one, the first one.
    state : JointState
        Laid over the state of the environment.

    Raises
    ------
    IkNodeError
        No environment, group or joint has such a name, or the positions are none.

    """
    name, environment = await description.resolve(environment_name)
    groups = environment.groups
    if group not in groups and (group or not groups):
        raise UnknownNameError('group', group, groups, f' in the environment {name!r}')
    return Place(
        environment,
        groups[group or next(iter(groups))],
        positions_from(state, environment),
    )
