# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio, which reads the same files with its own parser, as the judge of every answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

POSITION = 1e-5
"""Largest distance that counts as reached [m]."""
ORIENTATION = 1e-4
"""Largest length of the rotation vector that counts as reached [rad]."""
LIMIT = 1e-6
"""Slack at a joint limit [rad or m]: KDL keeps limits in single precision."""

FloatArray = NDArray[np.float64]


class Judge:
    """
    The chain between two links of a whole robot, in Pinocchio.

    Parameters
    ----------
    path : Path
        URDF of the whole robot.
    base, tip : str
        First and last link; every joint between them has limits.

    """

    def __init__(self, path: Path, base: str, tip: str) -> None:
        import pinocchio

        self._log: Any = pinocchio.log3
        self._forward: Any = pinocchio.framesForwardKinematics
        whole = pinocchio.buildModelFromUrdf(str(path))
        frames = [whole.getFrameId(link, pinocchio.FrameType.BODY) for link in (base, tip)]
        above, supported = (list(whole.supports[whole.frames[i].parentJoint]) for i in frames)
        joints = [joint for joint in supported if joint not in above]
        others = [joint for joint in range(1, whole.njoints) if joint not in joints]
        model = pinocchio.buildReducedModel(whole, others, pinocchio.neutral(whole))
        self.model: Any = model
        self._data = model.createData()
        self._base, self._tip = (
            model.getFrameId(link, pinocchio.FrameType.BODY) for link in (base, tip)
        )
        self.joint_names: tuple[str, ...] = tuple(model.names)[1:]
        """(n,) from base to tip."""
        self.lower: FloatArray = np.array(model.lowerPositionLimit)
        """(n,) [rad or m]."""
        self.upper: FloatArray = np.array(model.upperPositionLimit)
        """(n,) [rad or m]."""
        self.T_last_tip: FloatArray = model.frames[self._tip].placement.homogeneous
        """(4, 4) pose of the tip in the frame of the last joint [m]."""

    def pose(self, q: ArrayLike) -> FloatArray:
        """
        Compute the pose of the tip.

        Parameters
        ----------
        q : (n,) array_like
            [rad or m].

        Returns
        -------
        (4, 4) float64
            T_base_tip [m].

        """
        self._forward(self.model, self._data, np.asarray(q, dtype=np.float64))
        T_base_tip = self._data.oMf[self._base].actInv(self._data.oMf[self._tip])
        return np.array(T_base_tip.homogeneous)

    def accepts(self, q: FloatArray | None, target: FloatArray) -> bool:
        """
        Say whether an answer reaches its target inside of the limits.

        Parameters
        ----------
        q : (n,) array_like or None
            The answer [rad or m]; None: there was none.
        target : (4, 4) float64
            T_base_tip [m].

        Returns
        -------
        bool

        """
        if q is None or np.shape(q) != self.lower.shape or not np.isfinite(q).all():
            return False
        if (q < self.lower - LIMIT).any() or (q > self.upper + LIMIT).any():
            return False
        pose = self.pose(q)
        if not np.linalg.norm(pose[:3, 3] - target[:3, 3]) < POSITION:
            return False
        return bool(np.linalg.norm(self._log(target[:3, :3] @ pose[:3, :3].T)) < ORIENTATION)

    def wrist_reach(self) -> tuple[FloatArray, float]:
        """
        Bound where the origin of the last joint can be.

        Returns
        -------
        center : (3,) float64
            Origin of the first joint in the base [m], which nothing moves.
        radius : float
            Sum of the lengths between the joints and of their travel [m]: an upper bound.

        """
        model = self.model
        self._forward(model, self._data, 0.5 * (self.lower + self.upper))
        center = self._data.oMf[self._base].actInv(model.jointPlacements[1]).translation
        radius = sum(float(np.linalg.norm(p.translation)) for p in list(model.jointPlacements)[2:])
        for joint, low, high in zip(list(model.joints)[1:], self.lower, self.upper, strict=True):
            if 'JointModelP' in joint.shortname():
                radius += max(abs(low), abs(high))
        return np.array(center), radius
