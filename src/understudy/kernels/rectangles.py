"""Probabilities of rectangles of two correlated normal columns: what a latent normal model expects.

A column is cut into cells at standardised places, ``cuts``. Each cell of the first column is
represented by ``NODES`` points of equal probability; given such a point the second column is
normal again. Every table is a distribution, whatever the correlation.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.normal import cdf, quantile

Floats = NDArray[np.float64]

NODES: Final = 4
LARGEST: Final = 0.9995
"""Columns are never taken to be correlated more than this."""


def cells(cuts: Floats) -> Floats:
    """The probability of each cell between cuts, along the last axis."""
    upto = cdf(cuts)
    ends = [(0, 0)] * (upto.ndim - 1) + [(1, 1)]
    upto = np.pad(upto, ends, constant_values=(0.0, 1.0))
    return np.diff(upto, axis=-1)


def rectangles(first: Floats, second: Floats, correlation: Floats) -> Floats:
    """A table of two columns per candidate: shaped (candidates, cells of first, cells of second).

    ``first`` and ``second`` hold a line of cuts per candidate, or one line for all.
    """
    rho = np.clip(correlation, -LARGEST, LARGEST)[:, None, None]
    parts = cells(first)
    below = np.cumsum(parts, axis=-1) - parts
    middles = (np.arange(NODES) + 0.5) / NODES
    shares = below[..., None] + parts[..., None] * middles
    nodes = quantile(shares.reshape(*parts.shape[:-1], -1))
    given = cells((second[..., None, :] - rho * nodes[..., :, None]) / np.sqrt(1.0 - rho * rho))
    by_cell = given.reshape(len(rho), -1, NODES, given.shape[-1]).mean(axis=2)
    found: Floats = by_cell * parts[..., None]
    return found
