# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a joint made by hand is until it is told otherwise: Coppelia's defaults."""

from __future__ import annotations

import math
from typing import Any

from ik_node.model.objects import JointKind

_DEFAULTS: dict[JointKind, dict[str, Any]] = {
    JointKind.REVOLUTE: {
        'cyclic': True,
        'lower': -math.pi,
        'upper': math.pi,
        'max_step': math.radians(10.0),
        'limit_margin': math.radians(5.0),
    },
    JointKind.PRISMATIC: {'lower': -0.5, 'upper': 0.5, 'max_step': 0.1, 'limit_margin': 0.01},
    JointKind.SPHERICAL: {'max_step': math.radians(10.0)},
}


def joint_defaults(kind: JointKind) -> dict[str, Any]:
    """
    Give the attributes of a new joint.

    Parameters
    ----------
    kind : JointKind
        Which kind of joint.

    Returns
    -------
    dict
        Fields of `ik_node.model.objects.Joint`.

    """
    return dict(_DEFAULTS[kind])
