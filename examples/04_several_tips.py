# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Two arms: both hands at once, then one hand that follows the other, then a hand that may turn.

    python3 dev.py shell -- python examples/04_several_tips.py
"""

from __future__ import annotations

import math

import ik_node
import numpy as np

POSE = ik_node.Constraint.POSE


def frame(x: float = 0.0, y: float = 0.0, z: float = 0.0, *, about_x: float = 0.0) -> np.ndarray:
    """Make the pose of a frame, turned about x [m and rad]."""
    T = np.eye(4)
    c, s = math.cos(about_x), math.sin(about_x)
    T[1:3, 1:3] = [[c, -s], [s, c]]
    T[:3, 3] = x, y, z
    return T


def add_arm(env: ik_node.Environment, side: str, foot: np.ndarray) -> None:
    """Add an arm of six joints; the axis of each joint is the z of its frame."""
    up, down = math.pi / 2, -math.pi / 2
    parent = None
    for name, pose in (
        ('turn', foot),
        ('shoulder', frame(z=0.3, about_x=up)),
        ('elbow', frame(x=0.4)),
        ('wrist', frame(x=0.35)),
        ('bend', frame(y=-0.08, about_x=up)),
        ('roll', frame(y=0.08, about_x=down)),
    ):
        env.create_joint(f'{side} {name}', parent=parent, pose=pose, limits=(-2.9, 2.9))
        parent = f'{side} {name}'
    env.create_dummy(f'{side} hand', parent, frame(z=0.1))


def main() -> None:
    """Print what is solved, and where the hands are."""
    env = ik_node.Environment(name='two arms')
    add_arm(env, 'left', frame(y=0.3))
    add_arm(env, 'right', frame(y=-0.3))
    both = env.create_group('both', empty=True)
    for side in ('left', 'right'):
        both.add_element(f'{side} hand', constraints=POSE)

    # A pose for each hand, in the order of the elements: (2, 4, 4).
    targets = both.forward_kinematics(np.tile([0.3, 1.1, -1.6, 0.4, 0.9, 0.2], 2))
    result = both.solve(targets, timeout=0.1)
    print(f'both hands: {result.message}, {len(result.q)} joints')
    env.set_joint_positions(dict(zip(result.joint_names, result.q.tolist(), strict=True)))

    # The right hand gets a target that hangs on the left one: wherever that goes, it stays beside.
    # The left hand still has the pose that is given here, by the name of its tip.
    offset = np.linalg.inv(env.link_pose('left hand')) @ env.link_pose('right hand')
    env.dummy('right hand').target = env.create_dummy('beside', 'left hand', offset)
    for height in (0.00, 0.03, 0.06):
        left = targets[0].copy()
        left[2, 3] += height
        result = both.solve({'left hand': left}, timeout=0.1)
        env.set_joint_positions(dict(zip(result.joint_names, result.q.tolist(), strict=True)))
        now = np.linalg.inv(env.link_pose('left hand')) @ env.link_pose('right hand')
        print(
            f'left hand at z = {env.link_pose("left hand")[2, 3]:.3f} m: {result.message}, '
            f'the other one is off by {np.abs(now - offset).max():.0e}'
        )

    # Of the right hand the position alone: its orientation is whatever comes of it.
    both.element('right hand').constraints = ik_node.Constraint.POSITION
    far = targets.copy()
    far[1, :3, 3] += 0.05
    print('a position for the right hand:', both.solve(far, timeout=0.1).message)
    far[1, :3, 3] += 2.0
    print('two metres farther away:', both.solve(far).message)


if __name__ == '__main__':
    main()
