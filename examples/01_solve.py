# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Solve a pose of a robot without ROS, and ask why another one has no solution.

    python3 dev.py shell -- python examples/01_solve.py [URDF]
"""

from __future__ import annotations

from pathlib import Path
import sys

import ik_node
import numpy as np

SHIPPED = Path(__file__).parents[1] / 'config/robots/panda.urdf'


def main() -> None:
    """Print a solution, a reason, and several configurations."""
    np.set_printoptions(precision=4, suppress=True)
    ik_node.warm_up()  # loads the kernels, so that the time below is the solver's
    env = ik_node.Environment.from_urdf(sys.argv[1] if len(sys.argv) > 1 else SHIPPED)
    arm = env.create_group('arm')  # without names: the longest chain of the robot
    print(arm)

    q = arm.seed_from()
    T_base_tip = arm.forward_kinematics(np.clip(q + 0.2, arm.lower, arm.upper))
    result = arm.solve(T_base_tip, seed=q)
    print(f'{result.message} in {result.iterations} steps, {result.elapsed * 1e6:.0f} us')
    print(dict(zip(result.joint_names, result.q.round(4).tolist(), strict=True)))

    print('\nThe same pose by other configurations, nearest first:')
    print(arm.find_configs(T_base_tip, seed=q, max_configs=4).configs)

    T_base_tip[2, 3] += 10.0
    print('\nTen metres higher:', arm.solve(T_base_tip, seed=q).message)


if __name__ == '__main__':
    main()
