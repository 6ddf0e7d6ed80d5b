"""Agreement of two orders: Kendall's tau in O(n log n).

``kendall`` sorts the rows by x, then y; a pair that is out of order in y is discordant, and these
are the inversions of the sorted y. Pairs tied in x or y are counted from the cells.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling

WORTH_COMPILING: Final = 3_000_000  # rows x bits: NumPy needs about half a second


def kendall(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Kendall's tau-b of two columns of cell numbers; NaN if one of them is constant."""
    rows = len(x)
    span = int(y.max()) + 1 if rows else 1
    keys = np.sort(x.astype(np.int64) * span + y)
    pairs = rows * (rows - 1) // 2
    tied_x, tied_y, tied_both = _ties(keys // span), _ties(np.sort(y)), _ties(keys)
    if pairs in (tied_x, tied_y):
        return float("nan")
    discordant = inversions(keys % span)
    agreement = pairs - tied_x - tied_y + tied_both - 2 * discordant
    return float(agreement / np.sqrt(float(pairs - tied_x) * float(pairs - tied_y)))


def inversions(values: NDArray[Any]) -> int:
    """How many pairs i < j have values[i] > values[j]; values are whole numbers from 0."""
    highest = int(values.max()) if len(values) else 0
    bits = highest.bit_length()
    if worth_compiling(len(values) * bits, above=WORTH_COMPILING):
        from understudy.kernels.rank_compiled import inversions as fast

        return int(fast(values.astype(np.int64), highest + 1))
    return _inversions(values.astype(np.int64), bits)


def _inversions(values: NDArray[np.int64], bits: int) -> int:
    """Bit by bit from the highest: within rows whose higher bits agree, ones before zeros."""
    total = 0
    for bit in reversed(range(bits)):
        group, one = values >> (bit + 1), (values >> bit) & 1
        ones_before = np.cumsum(one) - one
        first = np.searchsorted(group, group, side="left")
        total += int(np.sum((ones_before - ones_before[first])[one == 0]))
        values = values[np.argsort(values >> bit, kind="stable")]
    return total


def _ties(ordered: NDArray[Any]) -> int:
    """How many pairs of a sorted array are equal."""
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    runs = np.diff(np.append(starts, len(ordered))).astype(np.int64)
    return int(np.sum(runs * (runs - 1) // 2))
