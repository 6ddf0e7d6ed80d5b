"""The normal distribution function and its inverse on arrays, to seven digits, in NumPy alone.

Both are straight lines between 2^14 exact points on each side of zero, so they rise wherever they
should and probabilities of intervals are never negative.
"""

from __future__ import annotations

from functools import cache
from math import erfc, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REACH: Final = 9.0
"""Beyond so many standard deviations nothing is left."""
POINTS: Final = 2**14


def cdf(places: NDArray[Any]) -> Floats:
    """The probability of lying below each place; places may be infinite."""
    points, below = _table()
    tail = np.interp(-np.abs(places), points, below)
    return np.asarray(np.where(places > 0, 1.0 - tail, tail))


def quantile(shares: NDArray[Any]) -> Floats:
    """The place below which each share lies, between -9 and 9."""
    points, below = _table()
    place = np.interp(np.minimum(shares, 1.0 - shares), below, points)
    return np.asarray(np.where(shares > 0.5, -place, place))


@cache
def _table() -> tuple[Floats, Floats]:
    points = np.linspace(-REACH, 0.0, POINTS + 1)
    below = np.array([0.5 * erfc(-point / sqrt(2.0)) for point in points])
    below[0] = 0.0
    return points, below
