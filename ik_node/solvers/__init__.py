# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Search policies over the kernels: from where, until when, how many."""
