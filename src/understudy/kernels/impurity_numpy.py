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
            low = _below(a, f, t, depth), _below(b, f, t, depth)
            high = _minus(a, low[0], depth), _minus(b, low[1], depth)
            if depth == 1:
                split = leaf(*(side[()] for side in low)) + leaf(*(side[()] for side in high))
            else:
                split = _best(*low, sizes, depth - 1, leaf) + _best(*high, sizes, depth - 1, leaf)
            found = np.minimum(found, split)
    return found


def _below(tables: Tables, f: int, t: int, depth: int) -> Tables:
    """The tables over one column less, of the rows below edge t of column f."""
    columns = sorted({g for table in tables for g in table})
    return {rest: _restricted(tables, rest, f, t) for rest in combinations(columns, depth - 1)}


def _restricted(tables: Tables, rest: tuple[int, ...], f: int, t: int) -> Floats:
    if f not in rest:
        whole = tuple(sorted((*rest, f)))
        return np.asarray(np.take(tables[whole], t, axis=1 + whole.index(f)))
    table = _summed(tables, rest)
    axis = 1 + rest.index(f)
    return np.asarray(np.take(table, np.minimum(np.arange(table.shape[axis]), t), axis=axis))


def _summed(tables: Tables, rest: tuple[int, ...]) -> Floats:
    """The table over ``rest``, from any table that has one column more."""
    whole = next(columns for columns in tables if set(rest) < set(columns))
    (other,) = set(whole) - set(rest)
    return np.asarray(np.take(tables[whole], -1, axis=1 + whole.index(other)))


def _minus(tables: Tables, low: Tables, depth: int) -> Tables:
    return {rest: _summed(tables, rest) - part for rest, part in low.items()}
