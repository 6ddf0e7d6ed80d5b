"""Drawing cells from weights: post-processing of what has been released, never noise."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST_SLICES: Final = 1 << 20


def categorical(weights: NDArray[Any], rows: int, rng: np.random.Generator) -> NDArray[Any]:
    """``rows`` independent cell numbers, each cell as likely as its share of the weights.

    Cells of weight zero are never drawn, unless all are zero: then all are equally likely.
    The result has the smallest unsigned type that can hold every cell.
    """
    shares = np.asarray(weights, dtype=np.float64).ravel()
    if shares.size == 0 or not np.isfinite(shares).all() or (shares < 0).any():
        raise ValueError("weights must be finite, not negative, and at least one")
    shares = shares / shares.max() if shares.any() else np.ones_like(shares)
    upto = np.cumsum(shares)
    upto /= upto[-1]  # the last cell with a weight ends at exactly 1, above every draw
    return _find(upto, rng.random(rows)).astype(np.min_scalar_type(shares.size - 1))


def _find(upto: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.intp]:
    """The first cell whose upper end lies above each draw.

    A guide table says where to start looking: the cell of the lower end of the draw's slice of
    [0, 1). Most draws are then at their cell; the others step on together, or, where many narrow
    cells share a slice, are searched for. The number of slices is a power of two, so that slices
    are told apart without rounding.
    """
    slices = min(4 << upto.size.bit_length(), MOST_SLICES)
    guide = np.searchsorted(upto, np.arange(slices) / slices, side="right")
    cells = guide[(draws * slices).astype(np.intp)]
    behind = np.flatnonzero(upto[cells] <= draws)
    cells[behind] += 1
    behind = behind[upto[cells[behind]] <= draws[behind]]
    cells[behind] = np.searchsorted(upto, draws[behind], side="right")
    return cells
