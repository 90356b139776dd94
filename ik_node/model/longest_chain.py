# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The chain that a robot has when nobody names one."""

from __future__ import annotations

from ik_node.errors import InvalidArgumentError
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Joint, WORLD


def longest_chain(mechanism: Mechanism) -> tuple[str, str]:
    """
    Find the single longest chain from the root: the one with the most independent joints.

    Where the longest chains share more joints than they have apart, as the two fingers of a
    gripper do, the chain ends at the frame where they part. Among frames that are rigid to each
    other the one farthest down the tree is the tip: a tool center point rather than a flange.

    Returns
    -------
    base, tip : str
        Frame names; the base is the first frame that hangs on the world, or 'world'.

    Raises
    ------
    InvalidArgumentError
        Nothing moves, or several chains are equally long, as on a robot with two arms.

    """
    chains: dict[int, tuple[str, ...]] = {WORLD: ()}
    depth = {WORLD: 0}
    for index, thing in enumerate(mechanism.objects):
        moves = isinstance(thing, Joint) and not mechanism.drive(thing.name).variable.passive
        chains[index] = chains[thing.parent] + ((thing.name,) if moves else ())
        depth[index] = depth[thing.parent] + 1
    frames = mechanism.frame_indices
    chains = {index: chains[index] for index in frames.values()}
    variables = {
        chain: len({mechanism.drive(name).variable.name for name in chain})
        for chain in chains.values()
    }
    if not any(variables.values()):
        raise InvalidArgumentError(
            f'the robot {mechanism.name!r} has no moving joint that carries a link, so there is '
            'no chain to solve for'
        )
    most = max((count, len(chain)) for chain, count in variables.items())
    longest = {chain for chain, count in variables.items() if (count, len(chain)) == most}
    shared = tuple(names[0] for names in zip(*longest, strict=True) if len(set(names)) == 1)
    if 2 * variables.get(shared, 0) <= most[0]:
        ends = {chains[index]: name for name, index in frames.items()}
        tips = ', '.join(sorted(repr(ends[chain]) for chain in longest))
        raise InvalidArgumentError(
            f'the robot {mechanism.name!r} has several chains of {most[0]} joints, ending at '
            f'{tips}; name the base and tip of the group'
        )
    body = [name for name, index in frames.items() if chains[index] == shared]
    on_world = (n for n, i in frames.items() if mechanism.objects[i].parent == WORLD)
    return next(on_world, 'world'), max(body, key=lambda name: depth[frames[name]])
