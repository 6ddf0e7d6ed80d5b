"""Alias tables (Walker 1977): one look-up draws a cell from any distribution over cells.

A distribution over w cells is cut into w slots of equal mass. Slot i holds cell i up to the share
``accept[i]`` and one cell ``other[i]`` above it, so that a draw needs a slot and a place in the
slot, nothing else.

Cells with less than a slot are light, the others heavy. Light cells are filled up in their order
from the heavy cells in theirs: running sums of what light cells lack and of what heavy cells can
spare, merged into one order, say who fills whom. All distributions are done at once, by sorting.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 1 << 18  # cells worked on at a time, to keep the memory of the sort small


class Aliases(NamedTuple):
    """The alias tables of several distributions over equally many cells, one per row."""

    accept: NDArray[np.float64]
    other: NDArray[Any]


def alias_tables(weights: NDArray[np.float64]) -> Aliases:
    """The tables of each row of weights; every row needs a positive weight.

    A cell of weight zero is never drawn; the others are drawn in proportion up to rounding.
    """
    distributions, cells = weights.shape
    accept = np.ones(weights.shape)
    other = np.zeros(weights.shape, dtype=np.min_scalar_type(cells - 1))
    step = max(BLOCK // cells, 1)
    for start in range(0, distributions, step):
        rows = slice(start, start + step)
        _fill(weights[rows], accept[rows], other[rows])
    return Aliases(accept, other)


def _fill(weights: NDArray[Any], accept: NDArray[Any], other: NDArray[Any]) -> None:
    share = _shares(weights)
    heavy = share > 1
    np.put_along_axis(heavy, share.argmax(axis=1)[:, None], True, axis=1)
    lacked = np.cumsum(np.where(heavy, 0.0, 1 - share), axis=1)
    spared = np.cumsum(np.where(heavy, share - 1, 0.0), axis=1)
    before = np.concatenate([np.zeros((len(share), 1)), lacked[:, :-1]], axis=1)
    order = np.argsort(np.where(heavy, spared, before), axis=1, kind="stable")
    turned = np.take_along_axis(heavy, order, axis=1)
    filled = np.maximum.accumulate(
        np.take_along_axis(np.where(heavy, 0.0, lacked), order, axis=1), axis=1
    )
    left = 1 + np.take_along_axis(spared, order, axis=1) - filled
    filler = _next_heavy(turned)
    last = turned & (filler == np.arange(share.shape[1]))
    kept = np.where(turned, np.clip(left, 0, 1), np.take_along_axis(share, order, axis=1))
    np.put_along_axis(accept, order, np.where(last, 1.0, kept), axis=1)
    np.put_along_axis(other, order, np.take_along_axis(order, filler, axis=1), axis=1)


def _shares(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Each cell's mass in slots; weights are scaled first, so that no sum over- or underflows."""
    scaled = weights / weights.max(axis=1, keepdims=True)
    shares: NDArray[np.float64] = scaled * (scaled.shape[1] / scaled.sum(axis=1, keepdims=True))
    return shares


def _next_heavy(heavy: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The place of the next heavy cell after each place; the last heavy one for all at the end."""
    cells = heavy.shape[1]
    places = np.where(heavy, np.arange(cells), cells)
    coming = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
    after = np.concatenate([coming[:, 1:], np.full((len(heavy), 1), cells)], axis=1)
    final = cells - 1 - heavy[:, ::-1].argmax(axis=1)
    next_heavy: NDArray[np.intp] = np.minimum(after, final[:, None])
    return next_heavy
