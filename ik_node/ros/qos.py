# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Quality-of-service profiles, each with its reason."""

from __future__ import annotations

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    qos_profile_sensor_data,
    QoSProfile,
    ReliabilityPolicy,
)

#: Latched: robot_state_publisher sends the description once, so a node that starts later
#: must still get it, and only the newest one counts.
ROBOT_DESCRIPTION = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

#: A reliable publisher matches reliable and best-effort subscribers, a best-effort one only
#: the latter.
JOINT_STATES_OUT = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

#: A best-effort subscriber matches every publisher, and a late joint state is worth nothing.
JOINT_STATES_IN = qos_profile_sensor_data

#: rclpy's own depth for services is 10: of a burst of requests the rest would be overwritten
#: before they are read, and their clients would wait for ever.
SERVICES = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)
