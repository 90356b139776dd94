# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots with several tips, and Pinocchio as the judge of all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.judge import FloatArray, LIMIT, ORIENTATION, POSITION
from benchmarks.robots import REAL


@dataclass(frozen=True)
class Limbs:
    """Some tips of a robot that are seen from one link."""

    path: Path
    """The whole robot."""
    base: str
    tips: tuple[str, ...]


LIMBS = {
    'baxter, both arms': Limbs(
        REAL / 'baxter_description/urdf/baxter.urdf',
        'torso',
        ('left_gripper', 'right_gripper'),
    ),
    'tiago_dual, arms on a lift': Limbs(
        REAL / 'tiago_description/robots/tiago_dual.urdf',
        'base_link',
        ('arm_left_tool_link', 'arm_right_tool_link'),
    ),
    'talos, from the pelvis': Limbs(
        REAL / 'talos_data/robots/talos_full_v2.urdf',
        'base_link',
        ('gripper_left_base_link', 'gripper_right_base_link', 'left_sole_link', 'right_sole_link'),
    ),
    'icub, from the left foot': Limbs(
        REAL / 'icub_description/robots/icub.urdf',
        'l_sole',
        ('l_hand', 'r_hand', 'r_sole', 'head'),
    ),
}
"""Two arms apart; two arms on one slide; hands and feet apart; all through one leg."""


class LimbsJudge:
    """
    All tips of a robot, seen from one link, in Pinocchio.

    Parameters
    ----------
    limbs : Limbs
        Robot, base and tips.
    joint_names : sequence of str
        (n,) the order of configurations; all other joints stay at zero.

    """

    def __init__(self, limbs: Limbs, joint_names: Sequence[str]) -> None:
        import pinocchio

        self._log: Any = pinocchio.log3
        self._forward: Any = pinocchio.framesForwardKinematics
        model = pinocchio.buildModelFromUrdf(str(limbs.path))
        self._model: Any = model
        self._data = model.createData()
        self._base, *self._tips = (
            model.getFrameId(link, pinocchio.FrameType.BODY) for link in (limbs.base, *limbs.tips)
        )
        self._neutral: FloatArray = pinocchio.neutral(model)
        joints = [model.joints[model.getJointId(name)] for name in joint_names]
        # Pinocchio has cosine and sine of a joint without end in its configuration.
        self._places = [(joint.idx_q, joint.nq == 2) for joint in joints]
        endless = np.array([twice for _, twice in self._places])
        first = [place for place, _ in self._places]
        self.lower: FloatArray = np.where(endless, -np.inf, model.lowerPositionLimit[first])
        """(n,) [rad or m]."""
        self.upper: FloatArray = np.where(endless, np.inf, model.upperPositionLimit[first])
        """(n,) [rad or m]."""

    def uniform(self, count: int, rng: np.random.Generator) -> FloatArray:
        """
        Draw configurations inside the limits.

        Returns
        -------
        (count, n) float64
            [rad or m].

        """
        low, high = np.maximum(self.lower, -np.pi), np.minimum(self.upper, np.pi)
        return low + (high - low) * rng.random((count, len(low)))

    def poses(self, q: FloatArray) -> FloatArray:
        """
        Compute the poses of all tips.

        Parameters
        ----------
        q : (n,) float64
            [rad or m].

        Returns
        -------
        (t, 4, 4) float64
            T_base_tip [m].

        """
        full = self._neutral.copy()
        for (place, twice), value in zip(self._places, q, strict=True):
            if twice:
                full[place : place + 2] = np.cos(value), np.sin(value)
            else:
                full[place] = value
        self._forward(self._model, self._data, full)
        base = self._data.oMf[self._base]
        return np.array([base.actInv(self._data.oMf[tip]).homogeneous for tip in self._tips])

    def accepts(self, q: FloatArray, targets: FloatArray) -> bool:
        """
        Say whether an answer brings every tip to its target inside of the limits.

        Parameters
        ----------
        q : (n,) float64
            [rad or m].
        targets : (t, 4, 4) float64
            T_base_tip [m].

        Returns
        -------
        bool

        """
        if not ((q >= self.lower - LIMIT) & (q <= self.upper + LIMIT)).all():
            return False
        return all(
            np.linalg.norm(pose[:3, 3] - target[:3, 3]) < POSITION
            and np.linalg.norm(self._log(target[:3, :3] @ pose[:3, :3].T)) < ORIENTATION
            for pose, target in zip(self.poses(q), targets, strict=True)
        )
