# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A pose with a tolerance of its own for each of its six coordinates."""

from __future__ import annotations

from dataclasses import dataclass
import math

from ik_node.constraints.far_points import in_box, is_far, shifted
from ik_node.constraints.goal import (
    ALPHA_BETA,
    ANGLES,
    BOUNDED,
    Goal,
    GOAL_AXES,
    goal_of,
    goal_of_box,
    ORIENTATION,
    POSITION,
    X,
    Y,
    Z,
)
from ik_node.constraints.rigid import (
    IDENTITY,
    Matrix3,
    matrix_from_quat,
    product,
    quat_from_matrix,
    quat_product,
    Rigid,
    rotation_angle,
    times,
    transposed,
)
from ik_node.constraints.target import Target
from ik_node.constraints.vectors import (
    added,
    angle_between,
    numbers,
    Quat,
    unit_quat,
    vector,
    Vector3,
    wrapped,
    Z_AXIS,
)
from ik_node.errors import InvalidTargetError
from numpy.typing import ArrayLike

NAMES = ('x', 'y', 'z', 'roll', 'pitch', 'yaw')
PITCH = 4


@dataclass(frozen=True, init=False)
class PoseBox(Target):
    """
    The tip inside of a box around a pose, in the axes of that pose.

    The position of the tip seen from the target is within the bounds of x, y, z, and its
    orientation is Rz(yaw) Ry(pitch) Rx(roll) with angles within theirs. Where pitch is a right
    angle (within 1e-9) only the sum or difference of roll and yaw exists; roll counts as zero.

    The position error is the distance from the box. The orientation error is the norm of the three
    angles beyond their bounds; where all three bounds are zero, the angle of the rotation; where
    those of roll and pitch are zero and yaw is free, the angle between the z axes.

    Parameters
    ----------
    position : (3,) array_like
        Position of the target in the base [m].
    quat_xyzw : (4,) array_like
        Orientation of the target in the base, of any length but zero.
    lower, upper : (6,) array_like
        Bounds of x, y, z [m] and roll, pitch, yaw [rad]; infinite ones are no bounds. Those of
        pitch are in [-pi/2, pi/2], or infinite. A range of roll or yaw that is a full turn, or
        open on one side, bounds nothing on a circle and is free; a smaller one may lie anywhere
        on it. All infinite by default.

    Raises
    ------
    InvalidTargetError
        Wrong shapes, NaN, bounds that leave nothing, a quaternion of zeros.

    """

    position: Vector3
    """
    Position of the target in the base [m]: the one that was given, or, where that is more than 1e6
    m away, moved towards the base along axes that are not fixed; their bounds count from there.
    """
    quat_xyzw: Quat
    """Orientation of the target in the base."""
    lower: tuple[float, ...]
    """Least x, y, z [m], roll, pitch, yaw [rad]; minus infinity where free."""
    upper: tuple[float, ...]
    """The largest."""

    def __init__(
        self,
        position: ArrayLike,
        quat_xyzw: ArrayLike,
        lower: ArrayLike = (-math.inf,) * 6,
        upper: ArrayLike = (math.inf,) * 6,
    ) -> None:
        bounds = [
            _bounds(number, least, largest)
            for number, (least, largest) in enumerate(
                zip(
                    numbers('lower', lower, 6, False),
                    numbers('upper', upper, 6, False),
                    strict=True,
                )
            )
        ]
        row = numbers('quat_xyzw', quat_xyzw, 4)
        at, quat = vector('position', position), unit_quat('quat_xyzw', row)
        if is_far(at):
            moving = [pair != (0.0, 0.0) for pair in bounds[:3]]
            at, by = in_box(at, (row[0], row[1], row[2], row[3]), moving)
            bounds[:3] = [
                (shifted(least, shift), shifted(largest, shift))
                for (least, largest), shift in zip(bounds[:3], by, strict=True)
            ]
        vars(self).update(
            position=at,
            quat_xyzw=quat,
            lower=tuple(least for least, _ in bounds),
            upper=tuple(largest for _, largest in bounds),
        )

    @classmethod
    def around(
        cls,
        T_base_target: ArrayLike,
        lower: ArrayLike = (-math.inf,) * 6,
        upper: ArrayLike = (math.inf,) * 6,
    ) -> PoseBox:
        """
        Make a box around a pose.

        Parameters
        ----------
        T_base_target : (4, 4) array_like
            The target.
        lower, upper : (6,) array_like
            See `PoseBox`.

        Returns
        -------
        PoseBox

        Raises
        ------
        InvalidTargetError
            No rigid pose; see also `PoseBox`.

        """
        target = Rigid.checked(T_base_target)
        return cls(target.position, quat_from_matrix(target.rotation), lower, upper)

    def _free(self, number: int) -> bool:
        return self.lower[number] == -math.inf and self.upper[number] == math.inf

    def _zero(self, *which: int) -> bool:
        return all(self.lower[number] == self.upper[number] == 0.0 for number in which)

    def goal(self, direction: ArrayLike = Z_AXIS) -> Goal:
        bits = sum(bit for number, bit in enumerate((X, Y, Z)) if not self._free(number))
        if not self._zero(*(number for number in range(3) if not self._free(number))):
            bits |= BOUNDED | GOAL_AXES
        elif bits & POSITION not in (0, POSITION):
            bits |= GOAL_AXES
        if self._zero(3, 4, 5):
            bits |= ORIENTATION
        elif self._zero(3, 4) and self._free(5):
            bits |= ALPHA_BETA
        elif not all(map(self._free, (3, 4, 5))):
            bits |= ANGLES
        if bits & BOUNDED:
            lower, upper = self.lower, self.upper
        elif bits & ANGLES:
            lower, upper = (0.0,) * 3 + self.lower[3:], (0.0,) * 3 + self.upper[3:]
        else:
            return goal_of(bits, self.position, self.quat_xyzw)
        return goal_of_box(bits, self.position, self.quat_xyzw, lower, upper)

    def errors(self, T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS) -> tuple[float, float]:
        tip = Rigid.trusted(T_base_tip)
        seen = transposed(matrix_from_quat(self.quat_xyzw))
        at = times(seen, added(tip.position, self.position, -1.0))
        beyond = [
            max(least - coordinate, coordinate - largest, 0.0)
            for coordinate, least, largest in zip(at, self.lower[:3], self.upper[:3], strict=True)
        ]
        return math.hypot(*beyond), self._angle(product(seen, tip.rotation))

    def _angle(self, rotation: Matrix3) -> float:
        """Measure how far an orientation, seen from the target, is from the bounds [rad]."""
        if self._zero(3, 4, 5):
            return rotation_angle(rotation, IDENTITY)
        if self._zero(3, 4) and self._free(5):
            return angle_between((rotation[0][2], rotation[1][2], rotation[2][2]), Z_AXIS)
        beyond = [
            _angle_beyond(angle, least, largest)
            for angle, least, largest in zip(
                roll_pitch_yaw(rotation), self.lower[3:], self.upper[3:], strict=True
            )
        ]
        return math.hypot(*beyond)

    def transformed(self, T_new_base: ArrayLike) -> PoseBox:
        motion = Rigid.checked(T_new_base)
        quat = quat_product(quat_from_matrix(motion.rotation), self.quat_xyzw)
        return PoseBox(motion.moved(self.position), quat, self.lower, self.upper)


def roll_pitch_yaw(rotation: Matrix3) -> tuple[float, float, float]:
    """
    Compute the angles of R = Rz(yaw) Ry(pitch) Rx(roll).

    Parameters
    ----------
    rotation : Matrix3
        By rows.

    Returns
    -------
    roll, pitch, yaw : float
        [rad]; pitch in [-pi/2, pi/2]. Where it is a right angle, within 1e-9, roll is zero.

    """
    (a, b, _), (d, e, _), (g, h, i) = rotation
    cosine = math.hypot(h, i)
    pitch = math.atan2(-g, cosine)
    if cosine < 1e-9:
        return 0.0, pitch, math.atan2(-b, e)
    return math.atan2(h, i), pitch, math.atan2(d, a)


def _bounds(number: int, least: float, largest: float) -> tuple[float, float]:
    """Check a pair of bounds; make infinite what bounds nothing, and bring angles near to zero."""
    if not (least <= largest and least < math.inf and largest > -math.inf):
        raise InvalidTargetError(
            f'the bounds of {NAMES[number]} are {least} and {largest}; the lower one must not be '
            'above the upper one, and neither may leave everything out'
        )
    right = 0.5 * math.pi
    if number == PITCH:
        for bound in (least, largest):
            if math.isfinite(bound) and abs(bound) > right:
                raise InvalidTargetError(
                    f'the bounds of pitch are {least} and {largest}; they must be within '
                    '-pi/2..pi/2, or infinite'
                )
        if least in (-math.inf, -right) and largest in (math.inf, right):
            return -math.inf, math.inf
        return max(least, -right), min(largest, right)
    if number > 2:
        if math.isinf(least) or math.isinf(largest) or largest - least >= 2.0 * math.pi:
            # An angle that is bounded on one side only is not bounded at all on a circle.
            return -math.inf, math.inf
        if not -math.pi <= least <= largest <= math.pi:
            middle = 0.5 * least + 0.5 * largest  # their sum may overflow
            shift = wrapped(middle) - middle
            return least + shift, largest + shift
    return least, largest


def _angle_beyond(angle: float, least: float, largest: float) -> float:
    if math.isinf(least):
        return 0.0
    middle = 0.5 * (least + largest)
    return max(0.0, abs(wrapped(angle - middle)) - 0.5 * (largest - least))
