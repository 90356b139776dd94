# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of planar arms by hand, and Jacobians of random trees by finite differences."""

from __future__ import annotations

import math

from ik_node.kernels import jacobian as jacobian_kernel
from ik_node.kernels import row_kinds, tree
from ik_node.kernels.rotations import rotation_error
import numpy as np
import pytest


def random_tree(rng, joints, tips):
    """Make tables of a random tree: any parents, kinds, shared variables, multipliers."""
    variables = max(1, joints - 2)
    nodes, wiring = np.zeros((joints, 15)), np.empty((joints, 3), dtype=np.int64)
    for i in range(joints):
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        rotation *= np.sign(np.linalg.det(rotation))
        nodes[i, :9], nodes[i, 9:12] = rotation.ravel(), rng.normal(size=3)
        own = i < variables
        nodes[i, 12:14] = (1.0, 0.0) if own else rng.normal(size=2)
        nodes[i, 14] = rng.choice([0.0, rng.normal()])  # a screw now and then
        wiring[i] = rng.integers(-1, i), rng.integers(0, 2), i if own else rng.integers(variables)
    ends = np.zeros((tips, tree.TIP_SIZE))
    for i in range(tips):
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        rotation *= np.sign(np.linalg.det(rotation))
        ends[i, :9], ends[i, 9:12] = rotation.ravel(), rng.normal(size=3)
    tip_wiring = np.full((tips, tree.TIP_WIRING_SIZE), -1)
    tip_wiring[:, tree.TIP_NODE] = rng.integers(-1, joints, size=tips)
    tip_wiring[:, tree.CONSTRAINTS] = row_kinds.POSE
    return nodes, wiring, ends, tip_wiring, variables


@pytest.mark.parametrize('joints', range(10))
def test_sines_of_any_number_of_joints_are_those_of_the_c_library(joints, rng):
    for size in (1.0, 1e3, 1e6, 1e12):
        nodes, wiring, *_, variables = random_tree(rng, joints, 1)
        wiring[:, 1] = tree.REVOLUTE
        nodes[:, 12:14] = 1.0, 0.0
        q = np.where(
            rng.random(variables) < 0.3,
            rng.integers(-9, 10, variables) * (math.pi / 2.0),
            rng.uniform(-size, size, variables),
        )
        values = np.full((joints, 3), np.nan)
        tree.joint_positions_exact(nodes, wiring, q, values)
        angles = q[wiring[:, 2]]
        np.testing.assert_array_equal(values[:, 0], angles)
        np.testing.assert_allclose(values[:, 1], np.sin(angles), rtol=0.0, atol=4e-16)
        np.testing.assert_allclose(values[:, 2], np.cos(angles), rtol=0.0, atol=4e-16)


def poses_at(tables, q):
    """Compute all tips at one configuration."""
    poses = np.empty((1, tables[3].shape[0], 4, 4))
    tree.forward_kinematics(*tables[:4], q[np.newaxis], poses)
    return poses[0]


@pytest.mark.parametrize('case', range(20))
@pytest.mark.parametrize('in_tip_axes', [False, True])
def test_jacobian_equals_central_differences(case, in_tip_axes):
    rng = np.random.default_rng(case)
    tables = random_tree(rng, joints=int(rng.integers(1, 12)), tips=int(rng.integers(1, 4)))
    tips, n = tables[3].shape[0], tables[4]
    q = rng.normal(size=n)
    jacobian = np.empty((6 * tips, n))
    jacobian_kernel.geometric_jacobian(*tables[:4], q, in_tip_axes, jacobian)
    here = poses_at(tables, q)
    step = 1e-6
    for j in range(n):
        dq = np.zeros(n)
        dq[j] = step
        before, after = poses_at(tables, q - dq), poses_at(tables, q + dq)
        for tip in range(tips):
            linear = (after[tip, :3, 3] - before[tip, :3, 3]) / (2 * step)
            pose = np.append(before[tip, :3, :3].ravel(), before[tip, :3, 3])
            angular = np.array(rotation_error(pose, after[tip])) / (2 * step)
            axes = here[tip, :3, :3].T if in_tip_axes else np.eye(3)
            rows = slice(6 * tip, 6 * tip + 6)
            scale = max(1.0, np.abs(jacobian[rows, j]).max())
            np.testing.assert_allclose(
                jacobian[rows, j], np.append(axes @ linear, axes @ angular), atol=1e-7 * scale
            )


def test_poses_are_rigid(rng):
    tables = random_tree(rng, joints=30, tips=5)
    for _ in range(20):
        for pose in poses_at(tables, rng.uniform(-10, 10, size=tables[4])):
            np.testing.assert_allclose(pose[:3, :3].T @ pose[:3, :3], np.eye(3), atol=1e-13)
            np.testing.assert_array_equal(pose[3], [0, 0, 0, 1])


def test_fast_and_exact_positions_agree(rng):
    nodes, wiring, _, _, n = random_tree(rng, joints=12, tips=1)
    for _ in range(200):
        q = rng.uniform(-20, 20, size=n)
        fast, exact = np.zeros((12, 3)), np.zeros((12, 3))
        tree.joint_positions(nodes, wiring, q, fast)
        tree.joint_positions_exact(nodes, wiring, q, exact)
        frames_fast, frames_exact = np.empty((12, 12)), np.empty((12, 12))
        tree.joint_frames(nodes, wiring, fast, frames_fast)
        tree.joint_frames(nodes, wiring, exact, frames_exact)
        np.testing.assert_allclose(frames_fast, frames_exact, atol=1e-12)


def test_huge_angles_are_exact():
    nodes = np.zeros((1, 15))
    nodes[0, :9], nodes[0, 12] = np.eye(3).ravel(), 1.0
    tables = nodes, np.array([[-1, 0, 0]]), np.append(np.eye(3).ravel(), [1.0, 0, 0])[None]
    poses = np.empty((1, 1, 4, 4))
    tip_wiring = np.array([[0, -1, -1, row_kinds.POSE]])
    tree.forward_kinematics(*tables, tip_wiring, np.array([[1e9]]), poses)
    assert poses[0, 0, 0, 3] == pytest.approx(math.cos(1e9), abs=1e-15)
