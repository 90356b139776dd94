# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A mechanism, seen from one base link, as the arrays that kernels run on.

The tree is hung up at the base: on the way from the base up to a common ancestor a joint is
traversed backwards (its motion inverted), on the way down to a tip forwards. So any two links are
a chain. Fixed joints disappear into the poses of the joints around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math

from ik_node.errors import InvalidArgumentError
from ik_node.kernels.arrays import FloatArray, IntArray
from ik_node.kernels.rotations import frame_with_z, TWO_PI
from ik_node.kernels.tree import PRISMATIC, REVOLUTE
from ik_node.model.mechanism import Joint, Mechanism
import numpy as np

_FREE_DRAW_LENGTH = 1.0
"""Half width [m] of random draws around the seed for a prismatic joint without limits."""


@dataclass(frozen=True)
class Tables:
    """Input of `ik_node.kernels.tree` and `ik_node.kernels.limits`; arrays are read-only."""

    base: str
    """Name of the base link."""
    tip_names: tuple[str, ...]
    """(t,) names of the tip links."""
    variable_names: tuple[str, ...]
    """(n,) names of the independent joints, from the base outwards."""
    nodes: FloatArray
    """(k, 14) joint poses, multiplier, offset."""
    wiring: IntArray
    """(k, 3) parent node, kind, variable."""
    tips: FloatArray
    """(t, 12) poses of the tips in their nodes."""
    tip_nodes: IntArray
    """(t,) nodes of the tips, -1 for the base."""
    limits: FloatArray
    """(n, 4) lower, upper, period, half width of free draws."""
    reach: FloatArray
    """(t, 4) a sphere in the base that a tip cannot leave: center, radius (may be infinite)."""


def compile_tables(mechanism: Mechanism, base: str, tip_names: Sequence[str]) -> Tables:
    """
    Compile the part of a mechanism between a base link and some tip links.

    Parameters
    ----------
    mechanism : Mechanism
        The whole robot.
    base : str
        Link whose frame everything is given in.
    tip_names : sequence of str
        Links to reach or to know the pose of.

    Returns
    -------
    Tables

    Raises
    ------
    UnknownNameError
        A link that does not exist.

    """
    mechanism.check_link(base)
    walk = _Walk(mechanism, base)
    for tip in tip_names:
        walk.visit(mechanism.check_link(tip))
    names = tuple(walk.variables)
    nodes = np.array(walk.nodes, dtype=np.float64).reshape(-1, 14)
    wiring = np.array(walk.wiring, dtype=np.int64).reshape(-1, 3)
    places = [walk.places[tip] for tip in tip_names]
    tips = np.array([_flat(pose) for _, pose in places]).reshape(-1, 12)
    tip_nodes = np.array([node for node, _ in places], dtype=np.int64)
    limits = np.array([_limit_row(mechanism, name) for name in names]).reshape(-1, 4)
    reach = np.array(
        [
            _reach(nodes, wiring, limits, tip, node)
            for tip, node in zip(tips, tip_nodes, strict=True)
        ]
    ).reshape(-1, 4)
    for array in (nodes, wiring, tips, tip_nodes, limits, reach):
        array.setflags(write=False)
    return Tables(base, tuple(tip_names), names, nodes, wiring, tips, tip_nodes, limits, reach)


def chain_joints(mechanism: Mechanism, base: str, tip: str) -> tuple[tuple[Joint, bool], ...]:
    """
    List the joints between two links.

    Returns
    -------
    tuple of (Joint, bool)
        From base to tip; the flag tells whether the joint is traversed from parent to child.

    """
    above_base = _ancestors(mechanism, mechanism.check_link(base))
    above_tip = _ancestors(mechanism, mechanism.check_link(tip))
    common = next(link for link in above_base if link in set(above_tip))
    up = above_base[: above_base.index(common)]
    down = above_tip[: above_tip.index(common)]
    return tuple((mechanism.parent_joints[link], False) for link in up) + tuple(
        (mechanism.parent_joints[link], True) for link in reversed(down)
    )


def _ancestors(mechanism: Mechanism, link: str) -> list[str]:
    path = [link]
    while path[-1] != mechanism.root:
        path.append(mechanism.parent_joints[path[-1]].parent)
    return path


class _Walk:
    """Collects nodes while links are visited; `places` has (node, T_node_link) of each link."""

    def __init__(self, mechanism: Mechanism, base: str) -> None:
        self.mechanism = mechanism
        self.base = base
        self.nodes: list[FloatArray] = []
        self.wiring: list[tuple[int, int, int]] = []
        self.variables: dict[str, int] = {}
        self.places: dict[str, tuple[int, FloatArray]] = {base: (-1, np.eye(4))}

    def visit(self, tip: str) -> None:
        for joint, forward in chain_joints(self.mechanism, self.base, tip):
            link, beyond = (joint.parent, joint.child) if forward else (joint.child, joint.parent)
            if beyond not in self.places:
                self.places[beyond] = self._cross(joint, forward, *self.places[link])

    def _cross(
        self, joint: Joint, forward: bool, node: int, T_node_link: FloatArray
    ) -> tuple[int, FloatArray]:
        T_before = joint.T_parent_joint if forward else np.eye(4)
        T_after = np.eye(4) if forward else inverse(joint.T_parent_joint)
        if not joint.moves:
            return node, T_node_link @ T_before @ T_after
        T_joint_axis = np.eye(4)
        T_joint_axis[:3, :3] = frame_with_z(joint.axis)
        variable, multiplier, offset = self.mechanism.source(joint.name)
        # Seen from the child, the parent makes the inverse motion: the same axis, negated.
        sense = 1.0 if forward else -1.0
        index = self.variables.setdefault(variable.name, len(self.variables))
        self.nodes.append(
            np.append(
                _flat(T_node_link @ T_before @ T_joint_axis), [sense * multiplier, sense * offset]
            )
        )
        self.wiring.append((node, REVOLUTE if joint.turns else PRISMATIC, index))
        return len(self.nodes) - 1, T_joint_axis.T @ T_after


def _flat(pose: FloatArray) -> FloatArray:
    return np.append(pose[:3, :3].ravel(), pose[:3, 3])


def inverse(pose: FloatArray) -> FloatArray:
    """
    Invert a rigid transform.

    Parameters
    ----------
    pose : (4, 4) float64
        T_a_b.

    Returns
    -------
    (4, 4) float64
        T_b_a.

    """
    inverted = np.eye(4)
    inverted[:3, :3] = pose[:3, :3].T
    inverted[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverted


def _limit_row(mechanism: Mechanism, name: str) -> tuple[float, float, float, float]:
    joint = mechanism.joint(name)
    lower, upper = mechanism.bounds(name)
    # A full turn of the variable must be one of every follower too.
    periodic = joint.turns and all(
        follower.turns and multiplier == round(multiplier)
        for follower, multiplier, _ in mechanism.followers(name)
    )
    half_width = math.pi if joint.turns else _FREE_DRAW_LENGTH
    return lower, upper, TWO_PI if periodic else 0.0, half_width


def _reach(
    nodes: FloatArray, wiring: IntArray, limits: FloatArray, tip: FloatArray, node: int
) -> FloatArray:
    """
    Bound where a tip can be: the sum of the lengths between the joints and of their travel.

    The center is the origin of the first joint, which nothing moves.
    """
    if node < 0:
        return np.append(tip[9:12], 0.0)
    radius = float(np.linalg.norm(tip[9:12]))
    while True:
        parent, kind, variable = wiring[node]
        if kind == PRISMATIC:
            multiplier, offset = nodes[node, 12:14]
            ends = multiplier * limits[variable, :2] + offset if multiplier else np.array([offset])
            radius += float(np.max(np.abs(ends)))
        if parent < 0:
            return np.append(nodes[node, 9:12], radius)
        radius += float(np.linalg.norm(nodes[node, 9:12]))
        node = parent


def longest_chain(mechanism: Mechanism) -> tuple[str, str]:
    """
    Find the single longest chain from the root: the one with the most independent joints.

    Where the longest chains share more joints than they have apart, as the two fingers of a
    gripper do, the chain ends at the link where they part. Among links that are rigid to each
    other the one farthest down the tree is the tip: a tool center point rather than a flange.

    Returns
    -------
    base, tip : str
        Link names.

    Raises
    ------
    InvalidArgumentError
        Several chains are equally long, as on a robot with two arms.

    """
    chains: dict[str, tuple[str, ...]] = {mechanism.root: ()}
    depth = {mechanism.root: 0}
    for joint in mechanism.tree_order:
        chains[joint.child] = chains[joint.parent] + ((joint.name,) if joint.moves else ())
        depth[joint.child] = depth[joint.parent] + 1
    count = {
        chain: len({mechanism.source(name)[0].name for name in chain}) for chain in chains.values()
    }
    most, joints = max((count[chain], len(chain)) for chain in count)
    longest = {chain for chain in count if (count[chain], len(chain)) == (most, joints)}
    shared = tuple(names[0] for names in zip(*longest, strict=False) if len(set(names)) == 1)
    if 2 * count.get(shared, 0) <= most:
        ends = {chain: link for link, chain in chains.items()}
        tips = ', '.join(sorted(repr(ends[chain]) for chain in longest))
        raise InvalidArgumentError(
            f'the robot {mechanism.name!r} has several chains of {most} joints, ending at {tips}; '
            'name the base and tip of the group'
        )
    body = [link for link, chain in chains.items() if chain == shared]
    return mechanism.root, max(body, key=depth.__getitem__)
