# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A group that goes step by step from where it is."""

from __future__ import annotations

from collections.abc import Sequence

from ik_node.constraints.ik_parameterization import IkParameterization
from ik_node.environment import stepping
from ik_node.environment.aiming import requested
from ik_node.environment.chain import configuration_of
from ik_node.environment.lowered_group import LoweredGroup
from ik_node.environment.narrowing import is_given, JointLimits, LockedJoints, narrowed
from ik_node.environment.pursuing import Pursuit
from ik_node.environment.request import Prepared, Targets
from ik_node.environment.stepping import StepResult
from ik_node.environment.target_velocity import (
    joint_velocities,
    JointVelocities,
    one_each,
    present_target,
    Presents,
    Velocities,
)
from ik_node.kernels.arrays import FloatArray
from ik_node.solvers import options
from ik_node.solvers.secondary_goals import SecondaryGoal
from numpy.typing import ArrayLike


class MovingGroup(LoweredGroup):
    """Elements of a group that go towards their targets by bounded steps, or at a velocity."""

    def step(
        self,
        target: Targets | None = None,
        seed: ArrayLike | None = None,
        *,
        linear_step: float,
        angular_step: float,
        position_tolerance: float = options.POSITION_TOLERANCE,
        orientation_tolerance: float = options.ORIENTATION_TOLERANCE,
        position_weight: float = options.POSITION_WEIGHT,
        direction: ArrayLike | None = None,
        locked_joints: LockedJoints | None = None,
        limits: JointLimits | None = None,
        goals: Sequence[SecondaryGoal] | None = None,
    ) -> StepResult:
        """
        Take one step towards a target that moves the tips no farther than allowed.

        Every step with the status PROGRESS makes the weighted error smaller (half the sum of the
        squared errors of all rows, a metre counting `position_weight` times a radian, with the
        priorities of `Shapes`), so that steps one after the other come to an end: at the target,
        or at a local minimum of that error with LIMITS or RANGE. What no step brings nearer
        stays where it is. The environment is not changed.

        Parameters
        ----------
        target : (4, 4) array_like or Target, optional
            T_base_tip [m], or a target of any kind, or several; as for `Group.solve`.
        seed : (n,) array_like, optional
            Where the joints are [rad or m]; None: the state of the environment. A joint that is
            outside of its limits comes no farther out.
        linear_step : float
            Largest distance [m] that the point of a tip that is placed may move, measured by
            forward kinematics of the answer in the base of the first element; infinity: no bound.
        angular_step : float
            Largest angle [rad] that a tip may turn, in the same way.
        position_tolerance, orientation_tolerance, position_weight, direction
            As for `Group.solve`.
        locked_joints : mapping of str to float, or collection of str, optional
            Joints that do not move in this step: by name where they are [rad or m], in place of
            the seed, or a list of names.
        limits : mapping of str to (float, float), optional
            Narrower limits of some joints for this step [rad or m]; one that is outside of them
            comes no farther out.
        goals : sequence, optional
            As for `Group.solve`: where the target is reached, the step goes on along its solutions
            to one of less cost, as far as the bounds allow. Until then they are not looked at.

        Returns
        -------
        StepResult
            With the status SUCCESS, PROGRESS, LIMITS or RANGE.

        Raises
        ------
        InvalidTargetError, InvalidSeedError, InvalidOptionError, UnknownNameError
            The request means nothing.

        """
        checked = options.search_options(
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
            position_weight=position_weight,
        )
        prepared = self.prepared_for(target)
        direction = self.direction if direction is None else direction
        prepared, targets, start = requested(prepared, target, seed, direction)
        prepared, start, own = narrowed(prepared, start, locked_joints, limits, stays=True)
        cost = None
        if goals is not None and is_given(goals):
            cost = Pursuit(goals, prepared, start, own).total
        return stepping.step(
            prepared,
            targets,
            start,
            linear_step,
            angular_step,
            checked,
            cost,
        )

    def joint_velocities(
        self,
        velocity: Velocities,
        q: ArrayLike | None = None,
        *,
        at: Presents = None,
        damping: float = 0.0,
        direction: ArrayLike | None = None,
    ) -> JointVelocities:
        """
        Compute the joint velocities at which targets of any of the sixteen types move.

        Only what the types constrain counts: a velocity of the point of a `Ray4D` along the ray
        makes no difference. The rows are those of the error between tip and target, and exact
        where the tip meets it. Limits of joints are not looked at.

        Parameters
        ----------
        velocity : IkParameterizationVelocity, or a sequence or mapping of these
            Derivatives of the values of the target, in the base of the element [per second]. For
            several enabled elements one for each, of any types: in their order, or by the names of
            the tips.
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.
        at : IkParameterization, or a sequence or mapping of these, optional
            The target at this moment, of the type of the velocity: for what a pose of the tip does
            not tell, such as how far away the point of a `Lookat3D` is, which point of the tip a
            `TranslationLocalGlobal6D` means, or the sign of a quaternion. None, also in a
            sequence, and tips that a mapping leaves out: the one that `from_pose` makes of the
            pose of the tip.
        damping : float
            Of the damped least squares, in the unit of the singular values of the rows, metres and
            radians alike: near a singularity it keeps velocities small, and misses a part. 0:
            the pseudo-inverse.
        direction : (3,) array_like, optional
            Direction of the tool in the tip; None: that of the group.

        Returns
        -------
        JointVelocities
            With what they miss.

        Raises
        ------
        InvalidTargetError, InvalidOptionError, InvalidArgumentError
            The request means nothing, or a tip has no velocity.

        """
        prepared = self.prepared()
        velocities = one_each(prepared, velocity, 'velocity')
        tables = prepared.tables
        config = prepared.scene.coordinates(tables) if q is None else configuration_of(tables, q)
        aim = self.direction if direction is None else direction
        poses = self.forward_kinematics(config).reshape(-1, 4, 4)
        given = zip(velocities, one_each(prepared, at, 'at'), poses, strict=True)
        presents = [present_target(one, there, pose, aim) for one, there, pose in given]
        own = self.prepared_for(presents)

        def aimed(targets: Sequence[IkParameterization]) -> tuple[Prepared, FloatArray]:
            wanted = targets[0] if len(targets) == 1 else targets
            return requested(own, wanted, config, aim)[:2]

        checked = [one for one in velocities if one is not None]
        return joint_velocities(aimed, checked, presents, config, damping)
