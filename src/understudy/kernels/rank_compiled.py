"""Compiled inversion count with a Fenwick tree over the values; ``rank`` holds the twin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled


@compiled()
def inversions(values: NDArray[Any], size: int) -> int:
    """How many pairs i < j have values[i] > values[j]; values lie in 0 .. size - 1."""
    seen = np.zeros(size + 1, dtype=np.int64)
    total = 0
    for i in range(values.shape[0]):
        node, not_above = values[i] + 1, 0
        while node > 0:
            not_above += seen[node]
            node -= node & -node
        total += i - not_above
        node = values[i] + 1
        while node <= size:
            seen[node] += 1
            node += node & -node
    return total
