# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A position and an orientation of an effector that is fixed in the tip."""

from __future__ import annotations

from dataclasses import dataclass

from ik_node.constraints.far_points import lever
from ik_node.constraints.goal import Goal
from ik_node.constraints.orientation_shapes import OrientationShape
from ik_node.constraints.position_shapes import PositionShape
from ik_node.constraints.rigid import matrix_from_quat, product, Rigid
from ik_node.constraints.shape_goals import goal_of_shapes
from ik_node.constraints.target import Target
from ik_node.constraints.vectors import number, Quat, unit_quat, vector, Vector3, Z_AXIS
from ik_node.errors import InvalidTargetError
from numpy.typing import ArrayLike


@dataclass(frozen=True, init=False)
class Shapes(Target):
    """
    A shape of positions and a shape of orientations, for an effector in the tip.

    A direction of the tool means nothing here: which axis of the tip is directed, is said by the
    rotation of the effector.

    Parameters
    ----------
    position : PositionShape, optional
        Where the effector point is to be: a `Point`, `Line` or `Plane`. None: anywhere.
    orientation : OrientationShape, optional
        How the effector is to be turned: a `Rotation`, `Parallel` or `Cone`. None: freely.
    point : (3,) array_like
        The effector point in the tip, at most 1e9 m away from it [m].
    quat_xyzw : (4,) array_like
        Orientation of the effector in the tip, of any length but zero.
    position_priority, orientation_priority : float
        Factors of both squared errors where they cannot be met together; their ratio counts, and
        that of several tips. Negative ones count as zero, and what has no weight is not asked for,
        and has no error.

    Raises
    ------
    InvalidTargetError
        No shapes, wrong sizes, NaN, infinities, a quaternion of zeros.

    """

    position: PositionShape | None
    """Where the effector point is to be; None: anywhere."""
    orientation: OrientationShape | None
    """How the effector is to be turned; None: freely."""
    point: Vector3
    """The effector point in the tip [m]."""
    quat_xyzw: Quat
    """Orientation of the effector in the tip."""
    position_priority: float
    """Weight of the position, not negative."""
    orientation_priority: float
    """Weight of the orientation, not negative."""

    def __init__(
        self,
        position: PositionShape | None = None,
        orientation: OrientationShape | None = None,
        point: ArrayLike = (0.0, 0.0, 0.0),
        quat_xyzw: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        position_priority: float = 1.0,
        orientation_priority: float = 1.0,
    ) -> None:
        if not isinstance(position, (PositionShape, type(None))):
            raise InvalidTargetError(
                f'position is a {type(position).__name__}; it must be a Point, Line, Plane or None'
            )
        if not isinstance(orientation, (OrientationShape, type(None))):
            raise InvalidTargetError(
                f'orientation is a {type(orientation).__name__}; it must be a Rotation, Parallel, '
                'Cone or None'
            )
        vars(self).update(
            position=position,
            orientation=orientation,
            point=lever('point', vector('point', point)),
            quat_xyzw=unit_quat('quat_xyzw', quat_xyzw),
            position_priority=max(0.0, number('position_priority', position_priority)),
            orientation_priority=max(0.0, number('orientation_priority', orientation_priority)),
        )

    @property
    def asked_position(self) -> PositionShape | None:
        """The position that is asked for; None without one, or without weight."""
        return self.position if self.position_priority > 0.0 else None

    @property
    def asked_orientation(self) -> OrientationShape | None:
        """The orientation that is asked for; None without one, or without weight."""
        return self.orientation if self.orientation_priority > 0.0 else None

    def goal(self, direction: ArrayLike = Z_AXIS) -> Goal:
        is_plain = self.position_priority == self.orientation_priority == 1.0
        position = self.position if is_plain else self.asked_position
        orientation = self.orientation if is_plain else self.asked_orientation
        goal = goal_of_shapes(
            None if position is None else position.placement,
            None if orientation is None else orientation.aim,
            self.point,
            self.quat_xyzw,
        )
        if is_plain:
            return goal
        weights = [self.position_priority, self.orientation_priority]
        # What is not asked for has no rows: whatever its factor is, it makes no difference.
        if position is None:
            weights[0] = weights[1] or 1.0
        if orientation is None:
            weights[1] = weights[0]
        return goal._replace(priorities=(weights[0], weights[1]))

    def errors(self, T_base_tip: ArrayLike, direction: ArrayLike = Z_AXIS) -> tuple[float, float]:
        tip = Rigid.trusted(T_base_tip)
        position, orientation = self.asked_position, self.asked_orientation
        return (
            0.0 if position is None else position.distance_to(tip.moved(self.point)),
            0.0
            if orientation is None
            else orientation.angle_to(product(tip.rotation, matrix_from_quat(self.quat_xyzw))),
        )

    def transformed(self, T_new_base: ArrayLike) -> Shapes:
        return Shapes(
            None if self.position is None else self.position.transformed(T_new_base),
            None if self.orientation is None else self.orientation.transformed(T_new_base),
            self.point,
            self.quat_xyzw,
            self.position_priority,
            self.orientation_priority,
        )
