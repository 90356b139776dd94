# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A mechanism as immutable data, the readers that make one, and the tables that kernels run on."""
