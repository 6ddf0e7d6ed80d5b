"""Least impurities in NumPy: the readable twin of ``impurity_compiled``, by plain recursion.

A tree of depth d is a first split and two trees of depth d - 1 on what lies below and above it.
Tables are cumulative, E[..., t, ...] = rows below edge t, with the candidates as first axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tables = dict[tuple[int, ...], Floats]


def least_ginis(
    real: Floats,
    synthetic: Floats,
    sizes: Sequence[int],
    depth: int,
    price: tuple[float, float],
) -> Floats:
    """The least impurity per candidate; see ``impurity.least_ginis``."""
    penalty, least = price
    leaf = _Leaf(penalty, least)
    a, b = (_edges(side, sizes, depth) for side in (synthetic, real[None, :]))
    return np.minimum(_Leaf(penalty, 0.0).whole(a, b), _best(a, b, sizes, depth, leaf))


@dataclass(frozen=True)
class _Leaf:
    penalty: float
    least: float

    def __call__(self, a: Floats, b: Floats) -> Floats:
        a = np.maximum(a, 0.0)
        value = a * b / np.maximum(a + b, 1.0) + self.penalty
        return np.asarray(np.where(a >= self.least, value, np.inf))

    def whole(self, a: Tables, b: Tables) -> Floats:
        """The impurity of all rows in one leaf."""
        one = next(iter(a))
        sides = (side[one].reshape(len(side[one]), -1)[:, -1] for side in (a, b))
        return self(*sides)


def _edges(side: Floats, sizes: Sequence[int], depth: int) -> Tables:
    tables: Tables = {}
    start = 0
    for columns in combinations(range(len(sizes)), depth):
        shape = [sizes[f] for f in columns]
        cells = side[:, start : start + prod(shape)].reshape(-1, *shape)
        start += prod(shape)
        for axis in range(1, depth + 1):
            cells = np.cumsum(cells, axis=axis)
        tables[columns] = np.pad(cells, [(0, 0), *[(1, 0)] * depth])
    return tables


def _best(a: Tables, b: Tables, sizes: Sequence[int], depth: int, leaf: _Leaf) -> Floats:
    """The least impurity of a tree of at most this depth on these rows."""
    found = leaf.whole(a, b)
    for f, size in enumerate(sizes):
        for t in range(1, size):
            (low_a, high_a), (low_b, high_b) = (_parts(side, f, t, depth) for side in (a, b))
            if depth == 1:
                split = leaf(low_a[()], low_b[()]) + leaf(high_a[()], high_b[()])
            else:
                split = _best(low_a, low_b, sizes, depth - 1, leaf)
                split = split + _best(high_a, high_b, sizes, depth - 1, leaf)
            found = np.minimum(found, split)
    return found


def _parts(tables: Tables, f: int, t: int, depth: int) -> tuple[Tables, Tables]:
    """The tables over one column less, of the rows below and above edge t of column f."""
    columns = sorted({g for table in tables for g in table})
    low, high = {}, {}
    for rest in combinations(columns, depth - 1):
        below, whole = _below(tables, rest, f, t)
        low[rest], high[rest] = below, whole - below
    return low, high


def _below(tables: Tables, rest: tuple[int, ...], f: int, t: int) -> tuple[Floats, Floats]:
    """The rows below edge t of column f, and all rows, both from one table."""
    if f not in rest:
        whole = tuple(sorted((*rest, f)))
        axis = 1 + whole.index(f)
        return np.take(tables[whole], t, axis=axis), np.take(tables[whole], -1, axis=axis)
    wider = next(columns for columns in tables if set(rest) < set(columns))
    (other,) = set(wider) - set(rest)
    table = np.take(tables[wider], -1, axis=1 + wider.index(other))
    axis = 1 + rest.index(f)
    return np.take(table, np.minimum(np.arange(table.shape[axis]), t), axis=axis), table
