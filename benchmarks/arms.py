# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Arms and legs of many makers, for questions to ik_node alone that need variety."""

from __future__ import annotations

from pathlib import Path

from benchmarks.judge import Judge
from benchmarks.robots import REAL, ROOT

_UR = 'ur_description/urdf'
_G1 = 'g1_description/urdf/g1_29dof_rev_1_0.urdf'

_CATALOG: dict[str, tuple[str, str, str]] = {
    'panda': ('panda_description/urdf/panda.urdf', 'panda_link0', 'panda_hand'),
    'iiwa14': ('test/robots/iiwa14.urdf', 'base', 'flange'),
    'xarm7': ('xarm_description/urdf/xarm7.urdf', 'link_base', 'link_eef'),
    'ur3': (f'{_UR}/ur3_robot.urdf', 'base_link', 'tool0'),
    'ur5, narrow limits': (f'{_UR}/ur5_joint_limited_robot.urdf', 'base_link', 'ee_link'),
    'ur10': (f'{_UR}/ur10_robot.urdf', 'base_link', 'ee_link'),
    'ur5e': ('config/robots/ur5e.urdf', 'base_link', 'tool0'),
    'kinova j2s6s200': ('kinova_description/robots/kinova.urdf', 'base', 'j2s6s200_end_effector'),
    'z1': ('z1_description/urdf/z1.urdf', 'link00', 'gripperStator'),
    'tiago': (
        'tiago_description/robots/tiago_no_hand.urdf', 'base_footprint', 'wrist_ft_tool_link',
    ),
    'tiago_pro, right': (
        'tiago_pro_description/robots/tiago_pro.urdf', 'base_footprint', 'arm_right_tool_link',
    ),
    'baxter, left': ('baxter_description/urdf/baxter.urdf', 'base', 'left_gripper'),
    'baxter, right': ('baxter_description/urdf/baxter.urdf', 'base', 'right_gripper'),
    'pr2, right': ('pr2_description/urdf/pr2.urdf', 'base_footprint', 'r_gripper_tool_frame'),
    'talos, left arm': (
        'talos_data/robots/talos_reduced.urdf', 'base_link', 'gripper_left_base_link',
    ),
    'talos, right leg': ('talos_data/robots/talos_reduced.urdf', 'base_link', 'right_sole_link'),
    'romeo, left arm': ('romeo_description/urdf/romeo.urdf', 'torso', 'l_wrist'),
    'romeo, right leg': ('romeo_description/urdf/romeo.urdf', 'body', 'r_ankle'),
    'icub, left leg': ('icub_description/robots/icub.urdf', 'root_link', 'l_foot'),
    'g1, left arm': (_G1, 'torso_link', 'left_wrist_yaw_link'),
    'centauro, arm': ('centauro_description/urdf/centauro.urdf', 'pelvis', 'arm1_8'),
    'so101': ('so_arm_description/urdf/so101.urdf', 'base_link', 'gripper_link'),
    'scara': ('config/robots/scara.urdf', 'base_link', 'tool0'),
    'anymal, leg': ('anymal_b_simple_description/robots/anymal.urdf', 'base', 'LF_FOOT'),
}  # fmt: skip
NAMES = tuple(_CATALOG)
"""3 to 9 joints, of which some turn without end and some slide."""


def load_arm(name: str) -> tuple[Path, str, str, Judge]:
    """
    Find an arm or a leg.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    path : Path
        The whole robot.
    base, tip : str
        Of the chain.
    judge : Judge
        Of that chain.

    """
    file, base, tip = _CATALOG[name]
    own = ROOT / file
    path = own if own.is_file() else REAL / file
    return path, base, tip, Judge(path, base, tip)
