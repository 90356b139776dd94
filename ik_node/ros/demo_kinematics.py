# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The demo's own kinematics, to check the node's answers with.

Independent of the library on purpose: the ROS parser `urdf_parser_py`, one 4x4 product per joint,
nothing shared but what opens a file. Slow and plain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from ik_node.errors import UrdfError
from ik_node.model import urdf_parse
from ik_node.model.xml_source import parse_xml
from lxml import etree
import numpy as np
from numpy.typing import NDArray
from urdf_parser_py.urdf import Joint, URDF
from urdf_parser_py.xml_reflection.core import ParseError

Matrix = NDArray[np.float64]


def skew(axis: Matrix) -> Matrix:
    """Matrix (3, 3) of the cross product with a vector (3,)."""
    x, y, z = axis
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def turn(axis: Matrix, angle: float) -> Matrix:
    """Rotation (3, 3) by an angle [rad] about an axis (3,), by Rodrigues' formula."""
    cross = skew(np.asarray(axis, dtype=float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def from_rpy(rpy: Sequence[float]) -> Matrix:
    """Rotation (3, 3) of the rpy [rad] of a URDF: about the fixed x, then y, then z."""
    x, y, z = np.eye(3)
    return turn(z, rpy[2]) @ turn(y, rpy[1]) @ turn(x, rpy[0])


def rotation_vector(rotation: Matrix) -> Matrix:
    """Axis times angle [rad], (3,), of a small rotation (3, 3)."""
    half = 0.5 * np.array(
        (
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        )
    )
    sine = float(np.linalg.norm(half))
    angle = np.arctan2(sine, 0.5 * (np.trace(rotation) - 1.0))
    return half if sine < 1e-12 else half * (angle / sine)


def angle_between(first: Matrix, second: Matrix) -> float:
    """Angle [rad] of the rotation from one (3, 3) to another."""
    rotation = first.T @ second
    # The chord keeps its digits near zero, where the arc cosine of the trace loses half of them.
    return float(2.0 * np.arcsin(min(1.0, np.linalg.norm(rotation - np.eye(3)) / np.sqrt(8.0))))


def rotation_from_quaternion(quat_xyzw: Matrix) -> Matrix:
    """Rotation (3, 3) of a unit quaternion x, y, z, w."""
    vector, scalar = np.asarray(quat_xyzw[:3]), quat_xyzw[3]
    cross = skew(vector)
    return np.eye(3) + 2.0 * scalar * cross + 2.0 * cross @ cross


def quaternion_from_rotation(rotation: Matrix) -> Matrix:
    """Compute the unit quaternion x, y, z, w of a rotation (3, 3)."""
    # The eigenvector to the largest eigenvalue of Bar-Itzhack's matrix: no case distinction.
    m = rotation
    k = np.array(
        (
            (m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]),
            (m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]),
            (m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]),
            (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], np.trace(m)),
        )
    )
    return np.linalg.eigh(k)[1][:, 3]


def _kinematic_part(path: Path) -> bytes:
    """Read the links and joints of a file; of the rest the ROS parser knows only some."""
    root = parse_xml(path, urdf_parse.URDF)
    kept: dict[str, tuple[str, ...]] = {
        'link': (),
        'joint': ('origin', 'axis', 'parent', 'child', 'limit', 'mimic'),
    }
    for element in list(root):
        if element.tag not in kept:
            root.remove(element)
            continue
        for child in list(element):
            if child.tag not in kept[element.tag]:
                element.remove(child)
    return cast('bytes', etree.tostring(root))


class Robot:
    """
    A robot as the ROS parser reads it.

    Parameters
    ----------
    path : pathlib.Path
        URDF or xacro file.

    Raises
    ------
    UrdfError
        The file cannot be read or expanded, or the ROS parser refuses it.

    """

    def __init__(self, path: Path) -> None:
        try:
            self._urdf = URDF.from_xml_string(_kinematic_part(path))
        except ParseError as error:
            raise UrdfError(f'the ROS parser does not read {path.name}: {error}') from error
        self._joint_to = {joint.child: joint for joint in self._urdf.joints}
        self._by_name = {joint.name: joint for joint in self._urdf.joints}

    def chain(self, link: str) -> list[Joint]:
        """Joints from the root to a link, in that order."""
        joints = []
        while link in self._joint_to:
            joints.append(self._joint_to[link])
            link = joints[-1].parent
        return joints[::-1]

    def between(self, base: str, tip: str) -> list[Joint]:
        """Joints that move one link against another."""
        up, down = self.chain(base), self.chain(tip)
        shared = sum(first is second for first, second in zip(up, down, strict=False))
        return [joint for joint in up[shared:] + down[shared:] if joint.type != 'fixed']

    def value(self, joint: Joint, positions: Mapping[str, float]) -> float:
        """Where a joint stands [rad or m], a mimic joint by the joint that it follows."""
        if joint.mimic is None:
            return positions[joint.name]
        factor = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
        master = self.value(self._by_name[joint.mimic.joint], positions)
        return factor * master + (joint.mimic.offset or 0.0)

    def master(self, joint: Joint) -> Joint:
        """Find the joint that moves by itself and takes this one along."""
        return joint if joint.mimic is None else self.master(self._by_name[joint.mimic.joint])

    def _from_root(self, link: str, positions: Mapping[str, float]) -> Matrix:
        pose = np.eye(4)
        for joint in self.chain(link):
            step = np.eye(4)
            if joint.origin is not None:
                step[:3, :3] = from_rpy(joint.origin.rpy or (0.0, 0.0, 0.0))
                step[:3, 3] = joint.origin.xyz or (0.0, 0.0, 0.0)
            pose = pose @ step
            if joint.type == 'fixed':
                continue
            axis = np.asarray(joint.axis or (1.0, 0.0, 0.0), dtype=float)
            value, motion = self.value(joint, positions), np.eye(4)
            if joint.type == 'prismatic':
                motion[:3, 3] = axis / np.linalg.norm(axis) * value
            else:
                motion[:3, :3] = turn(axis, value)
            pose = pose @ motion
        return pose

    def pose(self, base: str, tip: str, positions: Mapping[str, float]) -> Matrix:
        """Pose (4, 4) of one link in another; positions name every joint that moves either."""
        return np.linalg.inv(self._from_root(base, positions)) @ self._from_root(tip, positions)

    def limits(self, joint: Joint) -> tuple[float, float]:
        """Lowest and highest value [rad or m], infinite for a continuous joint."""
        if joint.type == 'continuous' or joint.limit is None:
            return -np.inf, np.inf
        return joint.limit.lower or 0.0, joint.limit.upper or 0.0

    def excess(self, joints: list[Joint], positions: Mapping[str, float]) -> float:
        """How far [rad or m] the worst joint stands outside its limits; 0 when none does."""
        worst = 0.0
        for joint in joints:
            value, (low, high) = self.value(joint, positions), self.limits(joint)
            worst = max(worst, low - value, value - high)
        return worst

    def draw(self, joints: list[Joint], generator: np.random.Generator) -> dict[str, float]:
        """Random values within all limits, those of mimic joints included."""
        masters = {self.master(joint).name: self.master(joint) for joint in joints}
        while True:
            positions = {}
            for name, joint in masters.items():
                low, high = self.limits(joint)
                free = 1.0 if joint.type == 'prismatic' else np.pi
                positions[name] = float(
                    generator.uniform(
                        low if np.isfinite(low) else -free, high if np.isfinite(high) else free
                    )
                )
            if self.excess(joints, positions) == 0.0:
                return positions
