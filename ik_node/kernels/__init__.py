# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Numeric kernels: compiled functions over float64 and int64 arrays.

No classes, no strings, no exceptions; a status code tells what happened. Everything above this
layer works with objects and calls down.
"""
