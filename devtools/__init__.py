# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What `dev.py` does, in the standard library alone.

From the bottom up: `reporting` prints and runs programs, `state` is the one ignored folder,
`preflight` checks the machine, `ros` knows the two sources of ROS 2 and what each asks of the
environment, `packages` fills the virtual environment, `build` runs colcon, `commands` is the
command line.
"""
