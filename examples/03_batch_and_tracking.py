# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Many targets at once, a path that is tracked, and the nearest of several solutions.

    python3 dev.py shell -- python examples/03_batch_and_tracking.py [URDF]
"""

from __future__ import annotations

from pathlib import Path
import sys
import time

import ik_node
import numpy as np

SHIPPED = Path(__file__).parents[1] / 'config/robots/panda.urdf'


def main() -> None:
    """Print how many targets a second are solved, and how far joints move."""
    np.set_printoptions(precision=4, suppress=True)
    ik_node.warm_up()  # loads the kernels, so that the times below are the solver's
    env = ik_node.Environment.from_urdf(sys.argv[1] if len(sys.argv) > 1 else SHIPPED)
    arm = env.create_group('arm')

    rng = np.random.default_rng(1)
    lower, upper = np.maximum(arm.lower, -3.0), np.minimum(arm.upper, 3.0)
    targets = arm.forward_kinematics(rng.uniform(lower, upper, (100_000, len(lower))))
    seeds = rng.uniform(lower, upper, (len(targets), len(lower)))
    result = arm.solve_batch(targets, seeds)
    rate = len(targets) / result.elapsed
    print(f'{result.message} in {result.elapsed:.2f} s: {rate:,.0f} a second')

    # Seeded with the answer before, each answer is the one beside it.
    q = arm.seed_from()
    start = arm.forward_kinematics(q)
    largest, began = 0.0, time.perf_counter()
    for s in np.linspace(0.0, 1.0, 1000):
        target = start.copy()
        target[2, 3] -= 0.1 * s
        answer = arm.solve(target, q)
        if not answer.success:
            print(f'after {0.1 * s:.3f} m: {answer.message}')
            break
        largest, q = max(largest, float(np.abs(answer.q - q).max())), answer.q
    took = time.perf_counter() - began
    print(f'down by {0.1 * s:.3f} m in {took * 1e3:.1f} ms, largest step {largest:.4f}')

    # From a far seed any solution may come first; ask for the nearest where it matters.
    for prefer in ('fast', 'nearest'):
        answer = arm.solve(targets[0], seeds[0], prefer=prefer)
        distance = np.linalg.norm(answer.q - seeds[0])
        print(f'{prefer}: {distance:.3f} from the seed, {answer.elapsed * 1e6:.0f} us')


if __name__ == '__main__':
    main()
