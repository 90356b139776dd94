# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Build a mechanism by hand, close a loop with it, and keep it in a file.

A four-bar linkage: the crank is driven, coupler and rocker follow. The loop is cut at the pivot
between coupler and rocker; each side has a tip there, whose target is the tip of the other side.

    python3 dev.py shell -- python examples/02_by_hand.py
"""

from __future__ import annotations

import math
from pathlib import Path
import tempfile

import ik_node
import numpy as np


def along_x(length: float) -> np.ndarray:
    """Make the pose of a frame farther along x [m]."""
    T = np.eye(4)
    T[0, 3] = length
    return T


def main() -> None:
    """Turn the crank once and print where the rocker is."""
    env = ik_node.Environment(name='four bar')
    env.create_joint('crank', passive=True)  # passive: no solver moves it
    env.create_joint('coupler', parent='crank', pose=along_x(1.0), position=0.6)
    env.create_joint('rocker', pose=along_x(3.5), position=1.5)
    coupler_end = env.create_dummy('coupler end', 'coupler', along_x(3.0))
    rocker_end = env.create_dummy('rocker end', 'rocker', along_x(2.0))
    coupler_end.target, rocker_end.target = rocker_end, coupler_end

    loop = env.create_group('loop', empty=True)
    in_plane = ik_node.Constraint.X | ik_node.Constraint.Y
    for end in (coupler_end, rocker_end):
        loop.add_element(end, constraints=in_plane).linear_precision = 1e-10
    loop.max_iterations = 50

    # Small turns: a linkage has two ways to close, and a far jump may end in the other one.
    for degrees in range(0, 360, 5):
        env.joint('crank').position = math.radians(degrees)
        result = loop.handle()
        if degrees % 45 == 0:
            rocker = math.degrees(env.joint('rocker').position)
            print(f'crank {degrees:3d} deg   rocker {rocker:6.2f} deg   {result.iterations} steps')

    path = Path(tempfile.gettempdir()) / 'four_bar.json'
    env.save(path)
    same = ik_node.Environment.load(path)
    path.unlink()
    print('loaded again:', same, same.joint_positions == env.joint_positions)


if __name__ == '__main__':
    main()
