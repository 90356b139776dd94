# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Integer codes that kernels return; they equal the constants of ik_node_interfaces/msg/Status.

Kernels never raise: the layer above turns a code into a result or an exception.
"""

SUCCESS = 1
NOT_FOUND = -1
TIMED_OUT = -2
UNREACHABLE = -3
BLOCKED_BY_LIMITS = -4

# Defects of a pose matrix, see poses.pose_defect.
POSE_VALID = 0
POSE_NOT_FINITE = 1
POSE_NOT_RIGID = 2
POSE_ROUNDED = 3
