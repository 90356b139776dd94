# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Without numba the same kernels run as plain Python and give the same answers."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys

import ik_node
import numpy as np

ROOT = Path(ik_node.__file__).parents[1]

_SOLVE = """
import json, sys
import ik_node
env = ik_node.Environment.from_urdf(sys.argv[1])
arm = env.create_group('arm')
q = [0.3, -0.4, 0.2, -1.9, 0.1, 1.7, 0.6]
result = arm.solve(arm.forward_kinematics(q), seed=[0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0],
                   timeout=60.0, max_starts=20)
print(json.dumps([ik_node.kernel_backend(), result.success, result.q.tolist(),
                  arm.forward_kinematics(q).tolist(), arm.jacobian(q).tolist(),
                  result.position_error, result.orientation_error]))
"""


def solve(robot, *arguments, **variables):
    """Solve in a fresh process."""
    done = subprocess.run(
        [sys.executable, *arguments, '-c', _SOLVE, str(robot)],
        env={**os.environ, 'PYTHONPATH': str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_plain_python_agrees_with_machine_code(shipped_robot):
    panda = shipped_robot('panda')
    backend, success, q, pose, jacobian, position_error, angle = solve(
        panda, NUMBA_DISABLE_JIT='1'
    )
    assert backend.startswith('plain Python')
    assert success
    assert position_error <= 1e-6
    assert angle <= 1e-5
    _, _, q_compiled, pose_compiled, jacobian_compiled, _, _ = solve(panda)
    np.testing.assert_allclose(pose, pose_compiled, atol=1e-14)
    np.testing.assert_allclose(jacobian, jacobian_compiled, atol=1e-14)
    np.testing.assert_allclose(q, q_compiled, atol=1e-6)


def test_numba_that_is_not_installed(shipped_robot, tmp_path):
    # A module of that name that cannot be imported stands for the missing package.
    (tmp_path / 'numba.py').write_text("raise ImportError('no numba here')")
    backend, success, *_ = solve(
        shipped_robot('panda'), PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)])
    )
    assert backend.startswith('plain Python, slow: numba is not installed')
    assert success


_SLIDE = """
import ik_node
env = ik_node.Environment()
for i in range(4):
    env.create_joint(f'j{i}', 'revolute', f'j{i - 1}' if i else None, position=0.1)
env.joint('j1').limits = (-1.0, float('inf'))
env.create_dummy('tip', 'j3')
far = ik_node.Translation3D([5.0, 0.0, 0.0])
print(env.create_group('arm', None, 'tip').solve(far, [0.2] * 4, timeout=0.0).status.name)
"""


def test_random_starts_of_slides_without_limits_warn_of_nothing():
    done = subprocess.run(
        [sys.executable, '-W', 'error', '-c', _SLIDE],
        env={**os.environ, 'PYTHONPATH': str(ROOT), 'NUMBA_DISABLE_JIT': '1'},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == 'UNREACHABLE\n', done.stderr
