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
        First and last link. A joint between them that turns without end has infinite limits.

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
        moving = list(model.joints)[1:]
        # Pinocchio has cosine and sine of a joint without end in its configuration.
        self._endless: Any = np.array([joint.nq == 2 for joint in moving], dtype=bool)
        self._places: Any = np.array([joint.idx_q for joint in moving], dtype=np.int64)
        lower, upper = np.array(model.lowerPositionLimit), np.array(model.upperPositionLimit)
        self.lower: FloatArray = np.where(self._endless, -np.inf, lower[self._places])
        """(n,) [rad or m]."""
        self.upper: FloatArray = np.where(self._endless, np.inf, upper[self._places])
        """(n,) [rad or m]."""
        self.finite_lower: FloatArray = np.where(self._endless, -np.pi, self.lower)
        """(n,) where a draw of a configuration begins [rad or m]."""
        self.finite_upper: FloatArray = np.where(self._endless, np.pi, self.upper)
        """(n,) where it ends [rad or m]."""
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
        poses = self.poses(np.asarray(q, dtype=np.float64)[np.newaxis])
        return np.asarray(poses[0])

    def poses(self, configs: FloatArray) -> FloatArray:
        """
        Compute the pose of the tip in many configurations.

        Parameters
        ----------
        configs : (c, n) float64
            [rad or m].

        Returns
        -------
        (c, 4, 4) float64
            T_base_tip [m].

        """
        model, data, base, tip = self.model, self._data, self._base, self._tip
        poses = np.empty((len(configs), 4, 4))
        for pose, q in zip(poses, self._in_its_form(configs), strict=True):
            self._forward(model, data, q)
            pose[:] = data.oMf[base].actInv(data.oMf[tip]).homogeneous
        return poses

    def misses(self, configs: FloatArray, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """
        Measure by how much configurations miss their targets.

        Parameters
        ----------
        configs : (c, n) float64
            [rad or m].
        targets : (c, 4, 4) float64
            T_base_tip [m].

        Returns
        -------
        distance : (c,) float64
            [m].
        angle : (c,) float64
            [rad].

        """
        poses = self.poses(configs)
        distance = np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)
        turn = targets[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], 1, 2)
        # Of a small angle the sine is exact and the cosine useless.
        twice_sine = np.linalg.norm(
            turn[:, (2, 0, 1), (1, 2, 0)] - turn[:, (1, 2, 0), (2, 0, 1)], axis=1
        )
        twice_cosine = np.trace(turn, axis1=1, axis2=2) - 1.0
        return distance, np.arctan2(twice_sine, twice_cosine)

    def error(self, q: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """
        Linearise the way to a target.

        Parameters
        ----------
        q : (n,) float64
            [rad or m]; no joint turns without end.
        target : (4, 4) float64
            T_base_tip [m].

        Returns
        -------
        twist : (6,) float64
            From the pose at `q` to the target, in the frame of the tip [m and rad].
        jacobian : (6, n) float64
            Of the tip in its own frame.

        """
        import pinocchio

        jacobian = pinocchio.computeFrameJacobian(self.model, self._data, q, self._tip)
        now = self.poses(q[np.newaxis])[0]
        difference = pinocchio.SE3(np.linalg.inv(now) @ target)
        return np.array(pinocchio.log6(difference).vector), np.array(jacobian)

    def inside(self, configs: FloatArray, slack: float = LIMIT) -> NDArray[np.bool_]:
        """
        Say which configurations (c, n) keep all limits, with some slack [rad or m].

        Returns
        -------
        (c,) bool

        """
        low, high = self.lower - slack, self.upper + slack
        return np.asarray(((configs >= low) & (configs <= high)).all(axis=1))

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
        if not self.inside(q[np.newaxis])[0]:
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
        middle = 0.5 * (self.finite_lower + self.finite_upper)
        self._forward(model, self._data, self._in_its_form(middle[np.newaxis])[0])
        center = self._data.oMf[self._base].actInv(model.jointPlacements[1]).translation
        radius = sum(float(np.linalg.norm(p.translation)) for p in list(model.jointPlacements)[2:])
        for joint, low, high in zip(list(model.joints)[1:], self.lower, self.upper, strict=True):
            if 'JointModelP' in joint.shortname():
                radius += max(abs(low), abs(high))
        return np.array(center), radius

    def _in_its_form(self, configs: FloatArray) -> FloatArray:
        """Write configurations (c, n) as Pinocchio wants them."""
        if not self._endless.any():
            return configs
        form = np.empty((len(configs), self.model.nq))
        form[:, self._places] = np.where(self._endless, np.cos(configs), configs)
        form[:, self._places[self._endless] + 1] = np.sin(configs[:, self._endless])
        return form
