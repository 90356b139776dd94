# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kinds of residual rows, as numbers of the tables; see `ik_node.kernels.rows`.

Which rows there are is a sum of bits. Of a position:

X, Y, Z
    Along an axis. The axes are those of the tables, with GOAL_AXES those of the target.
BOUNDED
    The position of the tip seen from the target is to be inside of bounds instead of at zero.

Of an orientation, at most one of:

ALPHA_BETA + GAMMA
    All of it: the rotation vector that is left, in the axes of the tip.
ALPHA_BETA
    The z axis of the tip is that of the target: the shortest turn that brings it there, about x
    and y of the tip.
GAMMA
    The turn about z that is left when the z axes are brought together the shortest way.
LOOKAT
    The z axis of the tip points at the origin of the target.
AZIMUTH
    The z axis of the tip, seen along the z axis of the target, points along its x axis.
CONE
    The angle between the two z axes is inside of bounds.
ANGLES
    Roll, pitch and yaw of the tip in the axes of the target are inside of bounds.

A linear map from the velocity v and the angular velocity w of the tip, seen from its target, makes
the Jacobian of the rows; it is written beside the error, as `mix`, row-major: P, V and W of
    (position rows) = P v,    (orientation rows) = V v + W w,    all in the axes of the base.
"""

from __future__ import annotations

# The lowest are those of `ik_node.environment.calculation.Constraint`.
X = 1
Y = 2
Z = 4
POSITION = 7
ALPHA_BETA = 8
GAMMA = 16
ORIENTATION = 24
POSE = 31
GOAL_AXES = 32
LOOKAT = 64
AZIMUTH = 128
CONE = 256
ANGLES = 512
BOUNDED = 1024
ANY_ORIENTATION = ORIENTATION | LOOKAT | AZIMUTH | CONE | ANGLES

ROW_BITS = (
    X,
    Y,
    Z,
    ALPHA_BETA | LOOKAT | AZIMUTH | CONE | ANGLES,
    ALPHA_BETA | LOOKAT | ANGLES,
    GAMMA | ANGLES,
)
"""What asks for each of the six rows of a tip; the others are zeros."""

P = 0
V = 9
W = 18
MIX_SIZE = 27
