"""Compiled least impurities; ``impurity_numpy`` is the readable twin.

At depth 2 the impurities of the four quadrants around a pair of thresholds serve both orders of
the splits, and real tables are added up once for all candidates. At depth 3 the rows below and
above each first threshold are two problems of depth 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled

Array = NDArray[Any]

_VECTORS = {"nnan", "nsz"}


def least_ginis(
    real: Array, synthetic: Array, sizes: Sequence[int], depth: int, price: tuple[float, float]
) -> Array:
    """The least impurity per candidate; see ``impurity.least_ginis``."""
    widths = np.asarray(sizes, dtype=np.int64)
    leaf = (float(price[0]), float(price[1]))
    frame = (widths, *_tables(sizes, depth))
    if depth == 3:
        return _all3(real, synthetic, frame, ((widths, *_tables(sizes, 2)), _roots(sizes)), leaf)
    found: Array = (_all1 if depth == 1 else _all2)(real, synthetic, frame, leaf)
    return found


def _starts(sizes: Sequence[int], depth: int) -> Array:
    """Where the edges of each table begin among all of them, and where they end."""
    edges = [prod(sizes[f] + 1 for f in t) for t in combinations(range(len(sizes)), depth)]
    return np.concatenate([[0], np.cumsum(edges)]).astype(np.int64)


def _tables(sizes: Sequence[int], depth: int) -> tuple[Array, Array]:
    """The columns of each table, and where its edges begin."""
    tables = np.array(list(combinations(range(len(sizes)), depth)), dtype=np.int64)
    return tables, _starts(sizes, depth)


def _roots(sizes: Sequence[int]) -> Array:
    """Per column r and pair (f, g): where the rows of (f, g) below an edge of r are to be found.

    The five numbers are a start among the edges of all triples, the strides of f, g and r, and
    whether r is neither (0), f (1) or g (2). Without r among them any third column is taken whole.
    """
    columns = range(len(sizes))
    starts = dict[tuple[int, ...], int](
        zip(combinations(columns, 3), _starts(sizes, 3).tolist(), strict=False)
    )
    plan = []
    for r in columns:
        for pair in combinations(columns, 2):
            third = r if r not in pair else next(h for h in columns if h not in pair)
            triple = tuple(sorted((*pair, third)))
            stride = {h: prod(sizes[i] + 1 for i in triple if i > h) for h in triple}
            start = starts[triple] + (sizes[third] * stride[third] if r in pair else 0)
            role = 1 + pair.index(r) if r in pair else 0
            plan.append([start, stride[pair[0]], stride[pair[1]], stride[r], role])
    return np.array(plan, dtype=np.int64).reshape(len(sizes), -1, 5)


@compiled(fastmath=_VECTORS, inline="always")
def _leaf(a: float, b: float, leaf: tuple[float, float]) -> float:
    kept = max(a, 0.0)
    value = kept * b / max(kept + b, 1.0) + leaf[0]
    return value if kept >= leaf[1] else np.inf


@compiled()
def _edges(cells: Array, frame: Any) -> Array:
    """The number of rows below each combination of edges, for all tables."""
    sizes, tables, starts = frame
    edges = np.zeros(starts[-1])
    place = 0
    for table in range(len(tables)):
        depth = tables.shape[1]
        nx = sizes[tables[table, 0]]
        ny = sizes[tables[table, 1]] if depth > 1 else 1
        nz = sizes[tables[table, 2]] if depth > 2 else 1
        sy = (nz + 1) if depth > 2 else 1
        sx = (ny + 1) * sy if depth > 1 else 1
        sz = 1 if depth > 2 else 0
        if depth == 1:
            sy = 0
        for x in range(nx):
            for y in range(ny):
                along = 0.0
                for z in range(nz):
                    along += cells[place]
                    place += 1
                    here = starts[table] + (x + 1) * sx + (y + 1) * sy + (z + 1) * sz
                    edges[here] = along
                    if depth > 1:
                        edges[here] += edges[here - sy]
                    if depth == 1:
                        edges[here] += edges[here - sx]
        if depth > 1:
            for x in range(2, nx + 1):
                row = starts[table] + x * sx
                for i in range(sx):
                    edges[row + i] += edges[row - sx + i]
    return edges


@compiled(fastmath=_VECTORS)
def _all1(real: Array, synthetic: Array, frame: Any, leaf: Any) -> Array:
    sizes, _, starts = frame
    b = _edges(real, frame)
    found = np.empty(len(synthetic))
    for m in range(len(synthetic)):
        a = _edges(synthetic[m], frame)
        best = _leaf(a[starts[1] - 1], b[starts[1] - 1], (leaf[0], 0.0))
        for f in range(len(sizes)):
            start, end = starts[f], starts[f + 1] - 1
            for t in range(start + 1, end):
                low = _leaf(a[t], b[t], leaf)
                best = min(best, low + _leaf(a[end] - a[t], b[end] - b[t], leaf))
        found[m] = best
    return found


@compiled(fastmath=_VECTORS)
def _all2(real: Array, synthetic: Array, frame: Any, leaf: Any) -> Array:
    sizes, _, starts = frame
    b = _edges(real, frame)
    found = np.empty(len(synthetic))
    half = np.empty((len(sizes), 2, sizes.max()))
    for m in range(len(synthetic)):
        a = _edges(synthetic[m], frame)
        whole = _leaf(a[starts[1] - 1], b[starts[1] - 1], (leaf[0], 0.0))
        found[m] = min(whole, _best2(a, b, frame, leaf, half))
    return found


@compiled(fastmath=_VECTORS)
def _all3(real: Array, synthetic: Array, frame: Any, below: Any, leaf: Any) -> Array:
    sizes, _, starts = frame
    pairs, plan = below
    b = _edges(real, frame)
    found = np.empty(len(synthetic))
    half = np.empty((len(sizes), 2, sizes.max()))
    for m in range(len(synthetic)):
        a = _edges(synthetic[m], frame)
        best = _leaf(a[starts[1] - 1], b[starts[1] - 1], (leaf[0], 0.0))
        for r in range(len(sizes)):
            all_a = _below(a, pairs, plan[r], sizes[r])
            all_b = _below(b, pairs, plan[r], sizes[r])
            for t in range(1, sizes[r]):
                low_a = _below(a, pairs, plan[r], t)
                low_b = _below(b, pairs, plan[r], t)
                low = _best2(low_a, low_b, pairs, leaf, half)
                high_a, high_b = all_a - low_a, all_b - low_b
                high = _best2(high_a, high_b, pairs, leaf, half)
                best = min(best, low + high)
        found[m] = best
    return found


@compiled()
def _below(edges: Array, pairs: Any, plan: Array, t: int) -> Array:
    """The edges of all pairs, of the rows below edge t of the column that the plan is for."""
    sizes, columns, starts = pairs
    found = np.empty(starts[-1])
    place = 0
    for pair in range(len(columns)):
        start, sx, sy, sr, role = plan[pair]
        fixed = start + (t * sr if role == 0 else 0)
        for x in range(sizes[columns[pair, 0]] + 1):
            here = fixed + (min(x, t) if role == 1 else x) * sx
            for y in range(sizes[columns[pair, 1]] + 1):
                found[place] = edges[here + (min(y, t) if role == 2 else y) * sy]
                place += 1
    return found


@compiled(fastmath=_VECTORS)
def _best2(a: Array, b: Array, pairs: Any, leaf: Any, half: Array) -> float:
    """half[f, 0, t] (half[f, 1, t]): best split of the rows below (from) threshold t of f."""
    sizes, columns, starts = pairs
    half[:] = np.inf
    for p in range(len(columns)):
        f, g = columns[p]
        shape = (sizes[f] + 1, sizes[g] + 1)
        here_a = a[starts[p] : starts[p + 1]].reshape(shape)
        here_b = b[starts[p] : starts[p + 1]].reshape(shape)
        if p == 0:
            _split_again(here_a[:, -1].copy(), here_b[:, -1].copy(), half[f], leaf)
        if f == 0:
            _split_again(here_a[-1], here_b[-1], half[g], leaf)
        _scan(here_a, here_b, half[f], half[g], leaf)
    best = _leaf(a[starts[1] - 1], b[starts[1] - 1], leaf)
    for f in range(len(sizes)):
        for t in range(1, sizes[f]):
            best = min(best, half[f, 0, t] + half[f, 1, t])
    return best


@compiled(fastmath=_VECTORS)
def _split_again(a: Array, b: Array, half: Array, leaf: Any) -> None:
    """Both splits on one column, or no second split at all."""
    last = len(a) - 1
    for t in range(1, last):
        above = _leaf(a[last] - a[t], b[last] - b[t], leaf)
        half[0, t] = min(half[0, t], _leaf(a[t], b[t], leaf))
        half[1, t] = min(half[1, t], above)
        for s in range(1, t):
            middle = _leaf(a[t] - a[s], b[t] - b[s], leaf)
            half[0, t] = min(half[0, t], _leaf(a[s], b[s], leaf) + middle)
            half[1, s] = min(half[1, s], middle + above)


@compiled(fastmath=_VECTORS)
def _scan(a: Array, b: Array, half_x: Array, half_y: Array, leaf: Any) -> None:
    nx, ny = a.shape[0] - 1, a.shape[1] - 1
    low_y, high_y = half_y[0], half_y[1]
    for t in range(1, nx):
        below, above = np.inf, np.inf
        for s in range(1, ny):
            ll = _leaf(a[t, s], b[t, s], leaf)
            lh = _leaf(a[t, ny] - a[t, s], b[t, ny] - b[t, s], leaf)
            hl = _leaf(a[nx, s] - a[t, s], b[nx, s] - b[t, s], leaf)
            hh = _leaf(
                a[nx, ny] - a[nx, s] - a[t, ny] + a[t, s],
                b[nx, ny] - b[nx, s] - b[t, ny] + b[t, s],
                leaf,
            )
            below, above = min(below, ll + lh), min(above, hl + hh)
            low_y[s], high_y[s] = min(low_y[s], ll + hl), min(high_y[s], lh + hh)
        half_x[0, t], half_x[1, t] = min(half_x[0, t], below), min(half_x[1, t], above)
