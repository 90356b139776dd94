# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Names for the array types that every layer speaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
