# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What a user holds: environments, groups and results."""
