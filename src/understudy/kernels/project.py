"""The nearest histogram: Euclidean projection onto the scaled simplex."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def to_simplex(values: NDArray[Any], *, total: float) -> NDArray[np.float64]:
    """The point nearest to ``values`` among those with no negative cell and the sum ``total``.

    Every cell is lowered (or raised) by one amount and what falls below zero becomes zero; sorting
    finds the amount exactly. Whole numbers below 2**63 lose nothing before that: cells are taken
    relative to the largest. Any shape; cells that are all equal end up equal.
    """
    if not (np.isfinite(total) and total >= 0):
        raise ValueError("the total must be a finite number that is not negative")
    if values.size == 0 and total > 0:
        raise ValueError("no cells cannot have a positive total")
    if values.size == 0 or total == 0:
        return np.zeros(values.shape)
    if not np.isfinite(values).all():
        raise ValueError("values must be finite")
    below = _below_largest(values)
    falling = np.sort(below, axis=None)[::-1]
    amounts = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    amount = amounts[np.flatnonzero(falling > amounts)[-1]]
    nearest: NDArray[np.float64] = np.maximum(below - amount, 0.0)
    return nearest


def _below_largest(values: NDArray[Any]) -> NDArray[np.float64]:
    """How far each cell lies below the largest, as a number that is not positive."""
    if values.dtype.kind == "i":
        gap = values.max().astype(np.uint64) - values.astype(np.uint64)  # exact: it wraps
        return -np.asarray(gap, dtype=np.float64)
    return np.asarray(values - values.max(), dtype=np.float64)
