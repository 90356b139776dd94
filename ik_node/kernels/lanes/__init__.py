# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernels that advance several problems at once, one in each lane of a SIMD register.

A lane is one start of a search, or one target of a batch. The modules mirror their scalar
namesakes one folder up, which stay the reference that tests compare with, and which serve the
mechanisms that these do not know (spherical joints, functions between joints).
"""
