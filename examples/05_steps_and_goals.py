# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Bounded steps, joints held by one request, approximate answers, secondary goals, velocities.

    python3 dev.py shell -- python examples/05_steps_and_goals.py
"""

from pathlib import Path

import ik_node
import numpy as np

ROBOT = Path(__file__).parents[1] / 'config/robots/panda.urdf'

env = ik_node.Environment.from_urdf(ROBOT)
arm = env.create_group('arm', base='panda_link0', tip='panda_hand')
ready = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
target = arm.forward_kinematics(ready)
target[:3, 3] += [0.1, 0.2, -0.1]

# Step by step: no step moves the hand by more than 2 cm, or turns it by more than 0.1 rad.
q, steps = ready, 0
while True:
    step = arm.step(target, q, linear_step=0.02, angular_step=0.1)
    q, steps = step.q, steps + 1
    if step.status is not ik_node.StepStatus.PROGRESS:
        break
print(f'{steps} steps: {step.status.name}, {step.message}')

# Too far away: the steps end where nothing comes nearer.
far = ik_node.Translation3D([2.0, 0.0, 0.5])
while True:
    step = arm.step(far, q, linear_step=0.1, angular_step=1.0)
    q = step.q
    if step.status is not ik_node.StepStatus.PROGRESS:
        break
print(f'two metres away: {step.status.name}, {step.position_error:.3f} m are left')

# A search that fails can give the answer that misses the least.
result = arm.solve(far, ready, approximate=True)
print(f'success {result.success}, approximate {result.approximate}: {result.message}')

# One request holds a joint, and narrows the limits of another one.
result = arm.solve(
    target, ready, locked_joints=['panda_joint3'], limits={'panda_joint1': (0.0, 1.0)}, timeout=0.1
)
print(f'joint 3 at {result.q[2]:.3f} rad: {result.message}')

# What the target leaves free: the elbow.
for goal in (
    ik_node.KeepOffLimits(1.0),
    ik_node.Manipulability(),
    ik_node.Posture({'panda_joint3': 0.5}),
    ik_node.Keep('panda_link4', direction=[0, 0, 1]),
):
    result = arm.solve(target, ready, goals=[goal], timeout=0.1)
    (cost,) = result.goals
    print(f'{goal}: {cost.before:.4f} -> {cost.after:.4f}')

# The joint velocities at which the hand goes up at 0.1 m/s, whatever its orientation.
upwards = ik_node.IkParameterizationVelocity('Translation3D', [0.0, 0.0, 0.1])
velocities = arm.joint_velocities(upwards, ready)
print(f'upwards: {np.round(velocities.dq, 3).tolist()} rad/s')


# A solver of your own, by name.
def make_newton():
    """Make a solver: a callable that gives a configuration; the library checks it."""

    def solve(request):
        place = request.problem.at(request.seed)
        for _ in range(20):
            dq = np.linalg.pinv(place.jacobian) @ place.error
            place = request.problem.at(request.problem.moved(place.q, dq))
        return place.q

    return solve


ik_node.solvers.register('newton', make_newton)
print(f"by 'newton': {arm.solve(target, ready, method='newton').message}")
