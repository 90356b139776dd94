# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a target means, and how it lowers to the rows that kernels solve."""
