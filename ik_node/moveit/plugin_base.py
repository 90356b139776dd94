# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the plugin knows once it is initialised: its chain, its joints, its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import logging
from typing import Any

from ik_node.environment.calculation import Constraint
from ik_node.environment.environment import Environment
from ik_node.environment.group import Group
from ik_node.errors import IkNodeError, InvalidArgumentError, InvalidStateError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.xml_source import Source
from ik_node.moveit.attachment import pose_in
from ik_node.moveit.foreign import settings_from
from ik_node.moveit.limits import apply_joint_limits, joint_limits_from
from ik_node.moveit.settings import PluginSettings, SEARCH_DISCRETIZATION
import numpy as np
from numpy.typing import ArrayLike

_logger = logging.getLogger(__name__)


class InitializedPlugin:
    """
    The part of MoveIt's `KinematicsBase` that is about what there is.

    Names are MoveIt's, in Python's spelling. Poses are (4, 4) matrices in the base frame.
    """

    def __init__(self) -> None:
        self._group: Group | None = None
        self._environment: Environment | None = None
        self._name = ''
        self._redundant: tuple[int, ...] = ()
        self._steps: dict[int, float] = {}
        #: What the parameters mean.
        self.settings = PluginSettings()
        #: Sentences about parameters that change nothing, and about what went wrong.
        self.notes: list[str] = []
        self._default_timeout = self.settings.timeout

    def initialize(
        self,
        robot_description: Source,
        group_name: str,
        base_frame: str,
        tip_frames: str | Sequence[str],
        search_discretization: float = SEARCH_DISCRETIZATION,
        *,
        semantic: Source | None = None,
        parameters: Mapping[str, Any] | None = None,
        joint_limits: Mapping[str, Any] | None = None,
    ) -> bool:
        """
        Make the plugin ready for one group.

        Parameters
        ----------
        robot_description : str, bytes or os.PathLike
            URDF text, or its path.
        group_name : str
            Name of the group.
        base_frame : str
            Link that poses are given in.
        tip_frames : str or sequence of str
            Links to be placed: these and no others, whatever an SRDF says about end effectors.
            Empty: those of the parameters, or the ends of the group of the SRDF.
        search_discretization : float
            Step of redundant joints [rad or m], unless the parameters have one.
        semantic : str, bytes or os.PathLike, optional
            SRDF text or its path: passive joints, and what `supports_group` needs.
        parameters : mapping, optional
            What stands below the group in a kinematics.yaml.
        joint_limits : mapping, optional
            Content of a joint_limits.yaml; its position limits replace those of the URDF.

        Returns
        -------
        bool
            False: the plugin cannot be used, and `notes` ends with the reason.

        """
        self.__init__()  # type: ignore[misc]
        self._name = group_name
        try:
            given = dict(parameters or {})
            given.setdefault('kinematics_solver_search_resolution', search_discretization)
            self.settings, notes = settings_from(given)
            self.notes += notes
            environment = Environment.from_urdf(robot_description)
            if joint_limits:
                unknown = apply_joint_limits(environment, joint_limits_from(joint_limits))
                self.notes += [f'joint_limits: there is no joint {name!r}' for name in unknown]
            if semantic is not None:
                environment.add_srdf(semantic)
            self._environment = environment
            self._group = self._make_group(environment, base_frame, tip_frames)
            self._default_timeout = self.settings.timeout
            wanted = self.settings.redundant_joints
            if wanted and not self.set_redundant_joints(wanted):
                raise InvalidArgumentError(
                    f'redundant_joints is {list(wanted)}; the joints of the group are '
                    f'{", ".join(self.get_joint_names())}'
                )
        except IkNodeError as error:
            self._group = None
            self.notes.append(f'group {group_name[:80]!r} has no solver: {error}')
            _logger.error('%s', self.notes[-1])
            return False
        for note in self.notes:
            _logger.warning('group %s: %s', group_name, note)
        return True

    def _make_group(
        self, environment: Environment, base_frame: str, tip_frames: str | Sequence[str]
    ) -> Group:
        tips = [tip_frames] if isinstance(tip_frames, str) else list(tip_frames)
        tips = [tip.removeprefix('/') for tip in tips if tip] or list(self.settings.tips)
        base = base_frame.removeprefix('/')
        semantics = environment.semantics
        if not tips and semantics is not None and self._name in semantics.groups:
            chains = semantics.chains_of(self._name)
            tips = [chain.tip for chain in chains]
            base = base or (chains[0].base if chains else '')
        if not tips:
            raise InvalidArgumentError(
                'no tip frame was given; name the link that is to be placed, or give an SRDF '
                'whose group is a chain'
            )
        if self._name in environment.groups:
            environment.erase_group(self._name)
        group = environment.create_group(self._name, base or None, tips[0])
        for tip in tips[1:]:
            group.add_element(tip, group.base, constraints=Constraint.POSE)
        _ = group.tables  # refuses a tip that nothing moves
        return group

    @property
    def active(self) -> bool:
        """Whether `initialize` succeeded."""
        return self._group is not None

    @property
    def group(self) -> Group:
        """The group that is solved."""
        if self._group is None:
            why = self.notes[-1] if self.notes else 'call initialize first'
            raise InvalidStateError(f'the plugin is not initialised: {why}')
        return self._group

    def get_group_name(self) -> str:
        """Name of the group."""
        return self._name

    def get_base_frame(self) -> str:
        """Link that poses are given in."""
        return self.group.base

    def get_tip_frames(self) -> tuple[str, ...]:
        """Links that are placed, in the order of poses."""
        return tuple(element.tip.name for element in self.group.elements)

    def get_tip_frame(self) -> str:
        """Name the first of the tips, with a log line where there are several."""
        tips = self.get_tip_frames()
        if len(tips) > 1:
            _logger.error('group %s has several tips: %s', self._name, ', '.join(tips))
        return tips[0]

    def get_joint_names(self) -> tuple[str, ...]:
        """(n,) the order of seeds and solutions; mimic joints are not among them."""
        return self.group.joint_names

    def get_link_names(self) -> tuple[str, ...]:
        """Links whose poses `get_position_fk` knows: all of the robot."""
        return self.group.environment.link_names

    def supports_group(self, group_name: str | None = None) -> tuple[bool, str]:
        """
        Tell whether a group can be solved.

        Parameters
        ----------
        group_name : str, optional
            A group of the SRDF; None: that of the plugin.

        Returns
        -------
        supported : bool
        reason : str
            Why not; '' where it can.

        """
        name = self._name if group_name is None else group_name
        if self._environment is None:
            return False, self.notes[-1] if self.notes else 'the plugin is not initialised'
        semantics = self._environment.semantics
        if semantics is None or name not in semantics.groups:
            if name == self._name:
                return self.active, '' if self.active else self.notes[-1]
            known = ', '.join(semantics.groups) if semantics else self._name
            return False, f'there is no group {name[:80]!r}; the groups are {known}'
        if not semantics.chains_of(name):
            reason = semantics.groups[name].reason
            return False, f'group {name!r} is no chain, nor a union of chains: {reason}'
        return True, ''

    def set_redundant_joints(self, joints: Sequence[int | str]) -> bool:
        """
        Choose the redundant joints, with the step of the settings.

        Parameters
        ----------
        joints : sequence of int or str
            Indices into `get_joint_names`, or names.

        Returns
        -------
        bool
            False where there is no such joint; nothing is changed then.

        """
        names = self.get_joint_names()
        indices = []
        for joint in joints:
            if isinstance(joint, str):
                joint = names.index(joint) if joint in names else -1
            if isinstance(joint, bool) or not 0 <= joint < len(names):
                return False
            indices.append(int(joint))
        if len(set(indices)) == len(names):
            return False  # nothing would be left to solve for
        self._redundant = tuple(dict.fromkeys(indices))
        step = self.settings.search_resolution
        self._steps = dict.fromkeys(self._redundant, step)
        return True

    def get_redundant_joints(self) -> tuple[int, ...]:
        """List the indices of the redundant joints."""
        return self._redundant

    def set_search_discretization(self, step: float | Mapping[int, float]) -> bool:
        """
        Choose the step of redundant joints.

        Parameters
        ----------
        step : float, or mapping of int to float
            One step for all of them; or the redundant joints with the step of each, which
            replaces the redundant joints.

        Returns
        -------
        bool
            False where there is no such joint; nothing is changed then.

        """
        if not isinstance(step, Mapping):
            self._steps = dict.fromkeys(self._redundant, float(step))
            self.settings = replace(self.settings, search_resolution=float(step))
            return True
        if not self.set_redundant_joints(list(step)):
            return False
        self._steps = {index: float(value) for index, value in step.items()}
        return True

    def get_search_discretization(self, joint: int = 0) -> float:
        """Step of a redundant joint; 0 for every other one."""
        return self._steps.get(joint, 0.0)

    def set_default_timeout(self, timeout: float) -> None:
        """Set the time of searches that give none [s]."""
        self._default_timeout = float(timeout)

    def get_default_timeout(self) -> float:
        """Time of searches that give none [s]."""
        return self._default_timeout

    def get_position_fk(self, link_names: Sequence[str], joint_angles: ArrayLike) -> FloatArray:
        """
        Compute where links are.

        Parameters
        ----------
        link_names : sequence of str
            Any links of the robot.
        joint_angles : (n,) array_like
            In the order of `get_joint_names` [rad or m]; every other joint is at its start.

        Returns
        -------
        (k, 4, 4) float64
            In the base frame [m].

        Raises
        ------
        UnknownNameError
            No link has such a name.
        InvalidArgumentError
            Another number of values, or one that is not finite.

        """
        group = self.group
        positions = group.named_positions(joint_angles)
        poses = [pose_in(group.environment, link, group.base, positions) for link in link_names]
        return np.array(poses).reshape(-1, 4, 4)
