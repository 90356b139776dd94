# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 node: the only folder that imports rclpy and message packages."""
