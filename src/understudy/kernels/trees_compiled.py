"""Compiled exact trees. ``trees_numpy`` is the readable twin; both follow the same plan.

Every pair (at depth 3: every triple) of columns is counted once and its cumulative counts are
scanned once. The impurities of the 4 quadrants (8 octants) around a pair (triple) of thresholds
serve whichever column is split first, which saves most of the divisions.

Inner loops are written so that they run on vectors: no branches, ``a b / max(a + b, 1)`` instead
of a test for empty leaves, and ``nnan``/``nsz`` (there are no NaNs) so that minima vectorise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled

Array = NDArray[Any]

_VECTORS = {"nnan", "nsz"}


@compiled(fastmath=_VECTORS)
def least_gini(real: Array, synthetic: Array, sizes: Array, depth: int) -> float:
    """The least impurity over all trees of this depth; see ``trees.least_gini``."""
    k, n = synthetic.shape[1], real.shape[1]
    if depth == 1:
        return _depth1(real, synthetic, sizes)
    if depth == 2:
        return min(_leaf(k, n), _depth2(real, synthetic, sizes))
    return min(_leaf(k, n), _depth3(real, synthetic, sizes))


@compiled(fastmath=_VECTORS, inline="always")
def _leaf(a: float, b: float) -> float:
    return a * b / max(a + b, 1.0)


@compiled()
def _edges1(column: Array, size: int) -> Array:
    """E[t] = number of rows in cells below t."""
    counts = np.zeros(size, dtype=np.int64)
    for code in column:
        counts[code] += 1
    edges = np.zeros(size + 1)
    for t in range(size):
        edges[t + 1] = edges[t] + counts[t]
    return edges


@compiled()
def _edges2(x: Array, y: Array, size_x: int, size_y: int) -> Array:
    """E[t, s] = number of rows with x < t and y < s.

    Two histograms in turn: a row often falls into the cell of the row before it, and one counter
    would have to wait for itself.
    """
    counts = np.zeros((2, size_x * size_y), dtype=np.int64)
    rows = x.shape[0]
    for i in range(0, rows - 1, 2):
        counts[0, np.int64(x[i]) * size_y + y[i]] += 1
        counts[1, np.int64(x[i + 1]) * size_y + y[i + 1]] += 1
    if rows % 2:
        counts[0, np.int64(x[rows - 1]) * size_y + y[rows - 1]] += 1
    edges = np.zeros((size_x + 1, size_y + 1))
    for t in range(size_x):
        along = 0
        for s in range(size_y):
            along += counts[0, t * size_y + s] + counts[1, t * size_y + s]
            edges[t + 1, s + 1] = edges[t, s + 1] + along
    return edges


@compiled()
def _edges3(x: Array, y: Array, z: Array, shape: tuple[int, int, int]) -> Array:
    """E[t, s, u] = number of rows with x < t, y < s and z < u."""
    size_x, size_y, size_z = shape
    counts = np.zeros(size_x * size_y * size_z, dtype=np.int64)
    for i in range(x.shape[0]):
        counts[(np.int64(x[i]) * size_y + y[i]) * size_z + z[i]] += 1
    edges = np.zeros((size_x + 1, size_y + 1, size_z + 1))
    for t in range(size_x):
        for s in range(size_y):
            along = 0
            start = (t * size_y + s) * size_z
            for u in range(size_z):
                along += counts[start + u]
                edges[t + 1, s + 1, u + 1] = edges[t + 1, s, u + 1] + along
        edges[t + 1] += edges[t]
    return edges


@compiled(fastmath=_VECTORS)
def _depth1(real: Array, synthetic: Array, sizes: Array) -> float:
    k, n = synthetic.shape[1], real.shape[1]
    best = _leaf(k, n)
    for f in range(len(sizes)):
        a, b = _edges1(synthetic[f], sizes[f]), _edges1(real[f], sizes[f])
        for t in range(1, sizes[f]):
            best = min(best, _leaf(a[t], b[t]) + _leaf(k - a[t], n - b[t]))
    return best


@compiled(fastmath=_VECTORS)
def _depth2(real: Array, synthetic: Array, sizes: Array) -> float:
    """half[f, 0, t] (half[f, 1, t]): best split of the rows below (from) threshold t of f."""
    columns = len(sizes)
    half = np.full((columns, 2, sizes.max()), np.inf)
    for f in range(columns):
        _split_again(_edges1(synthetic[f], sizes[f]), _edges1(real[f], sizes[f]), half[f])
        for g in range(f):
            a = _edges2(synthetic[f], synthetic[g], sizes[f], sizes[g])
            b = _edges2(real[f], real[g], sizes[f], sizes[g])
            _scan_quadrants(a, b, half[f], half[g])
    best = np.inf
    for f in range(columns):
        for t in range(1, sizes[f]):
            best = min(best, half[f, 0, t] + half[f, 1, t])
    return best


@compiled(fastmath=_VECTORS)
def _split_again(a: Array, b: Array, half: Array) -> None:
    """Both splits on one column, or no second split at all."""
    last = len(a) - 1
    for t in range(1, last):
        above = _leaf(a[last] - a[t], b[last] - b[t])
        half[0, t] = min(half[0, t], _leaf(a[t], b[t]))
        half[1, t] = min(half[1, t], above)
        for s in range(1, t):
            middle = _leaf(a[t] - a[s], b[t] - b[s])
            half[0, t] = min(half[0, t], _leaf(a[s], b[s]) + middle)
            half[1, s] = min(half[1, s], middle + above)


@compiled(fastmath=_VECTORS)
def _scan_quadrants(a: Array, b: Array, half_x: Array, half_y: Array) -> None:
    nx, ny = a.shape[0] - 1, a.shape[1] - 1
    low_y, high_y = half_y[0], half_y[1]
    for t in range(1, nx):
        below, above = np.inf, np.inf
        for s in range(1, ny):
            ll = _leaf(a[t, s], b[t, s])
            lh = _leaf(a[t, ny] - a[t, s], b[t, ny] - b[t, s])
            hl = _leaf(a[nx, s] - a[t, s], b[nx, s] - b[t, s])
            hh = _leaf(
                a[nx, ny] - a[nx, s] - a[t, ny] + a[t, s],
                b[nx, ny] - b[nx, s] - b[t, ny] + b[t, s],
            )
            below, above = min(below, ll + lh), min(above, hl + hh)
            low_y[s], high_y[s] = min(low_y[s], ll + hl), min(high_y[s], lh + hh)
        half_x[0, t], half_x[1, t] = min(half_x[0, t], below), min(half_x[1, t], above)


@compiled(fastmath=_VECTORS)
def _depth3(real: Array, synthetic: Array, sizes: Array) -> float:
    """Fill two tables of best last splits, then choose the first two splits.

    slab[f, r, t]: best split of the rows with r <= column f < t, by any column.
    quad[p, a, b, t, s]: best split, by any column, of the quadrant of pair p = (f, g) on side a of
    threshold t of f and side b of threshold s of g.
    """
    columns, widest = len(sizes), sizes.max()
    slab = np.full((columns, widest + 1, widest + 1), np.inf)
    quad = np.full((columns * (columns - 1) // 2, 2, 2, widest, widest), np.inf)
    for f in range(columns):
        _cut_slabs(_edges1(synthetic[f], sizes[f]), _edges1(real[f], sizes[f]), slab[f])
        for g in range(f):
            a = _edges2(synthetic[f], synthetic[g], sizes[f], sizes[g])
            b = _edges2(real[f], real[g], sizes[f], sizes[g])
            here = quad[f * (f - 1) // 2 + g]
            _cut_quadrants(a, b, here, slab[f])
            turned = np.full_like(here, np.inf)
            _cut_quadrants(a.T.copy(), b.T.copy(), turned, slab[g])
            for side_f in range(2):
                for side_g in range(2):
                    here[side_f, side_g] = np.minimum(
                        here[side_f, side_g], turned[side_g, side_f].T
                    )
            for h in range(g):
                shape = (sizes[f], sizes[g], sizes[h])
                _scan_octants(
                    _edges3(synthetic[f], synthetic[g], synthetic[h], shape),
                    _edges3(real[f], real[g], real[h], shape),
                    here,
                    quad[f * (f - 1) // 2 + h],
                    quad[g * (g - 1) // 2 + h],
                )
    return _first_two_splits(slab, quad, sizes)


@compiled(fastmath=_VECTORS)
def _cut_slabs(a: Array, b: Array, slab: Array) -> None:
    """A slab of one column, whole or cut again along the same column."""
    edges = len(a)
    for r in range(edges):
        for t in range(r + 1, edges):
            slab[r, t] = min(slab[r, t], _leaf(a[t] - a[r], b[t] - b[r]))
            for m in range(r + 1, t):
                cut = _leaf(a[m] - a[r], b[m] - b[r]) + _leaf(a[t] - a[m], b[t] - b[m])
                slab[r, t] = min(slab[r, t], cut)


@compiled(fastmath=_VECTORS)
def _cut_quadrants(a: Array, b: Array, quad: Array, slab: Array) -> None:
    """Slabs of x cut along y, and quadrants of (x, y) whole or cut again along x."""
    nx, ny = a.shape[0] - 1, a.shape[1] - 1
    whole = np.empty((2, 2, nx + 1, ny))
    for t in range(nx + 1):
        for s in range(1, ny):
            whole[0, 0, t, s] = _leaf(a[t, s], b[t, s])
            whole[0, 1, t, s] = _leaf(a[t, ny] - a[t, s], b[t, ny] - b[t, s])
            whole[1, 0, t, s] = _leaf(a[nx, s] - a[t, s], b[nx, s] - b[t, s])
            whole[1, 1, t, s] = _leaf(
                a[nx, ny] - a[nx, s] - a[t, ny] + a[t, s],
                b[nx, ny] - b[nx, s] - b[t, ny] + b[t, s],
            )
    for t in range(1, nx):
        for s in range(1, ny):
            for i in range(2):
                for j in range(2):
                    quad[i, j, t, s] = min(quad[i, j, t, s], whole[i, j, t, s])
    for r in range(nx):
        for t in range(r + 1, nx + 1):
            cut = np.inf
            for s in range(1, ny):
                a0, b0 = a[t, s] - a[r, s], b[t, s] - b[r, s]
                a1, b1 = a[t, ny] - a[r, ny] - a0, b[t, ny] - b[r, ny] - b0
                strip0, strip1 = _leaf(a0, b0), _leaf(a1, b1)
                cut = min(cut, strip0 + strip1)
                if r > 0 and t < nx:
                    quad[0, 0, t, s] = min(quad[0, 0, t, s], whole[0, 0, r, s] + strip0)
                    quad[0, 1, t, s] = min(quad[0, 1, t, s], whole[0, 1, r, s] + strip1)
                    quad[1, 0, r, s] = min(quad[1, 0, r, s], whole[1, 0, t, s] + strip0)
                    quad[1, 1, r, s] = min(quad[1, 1, r, s], whole[1, 1, t, s] + strip1)
            slab[r, t] = min(slab[r, t], cut)


@compiled(fastmath=_VECTORS)
def _scan_octants(a: Array, b: Array, xy: Array, xz: Array, yz: Array) -> None:
    """Quadrants of each pair of (x, y, z) cut along the third column."""
    nx, ny, nz = a.shape[0] - 1, a.shape[1] - 1, a.shape[2] - 1
    for t in range(1, nx):
        for s in range(1, ny):
            cut00, cut01, cut10, cut11 = np.inf, np.inf, np.inf, np.inf
            for u in range(1, nz):
                a00, b00 = a[t, s, u], b[t, s, u]
                a01, b01 = a[t, ny, u] - a00, b[t, ny, u] - b00
                a10, b10 = a[nx, s, u] - a00, b[nx, s, u] - b00
                a11 = a[nx, ny, u] - a[t, ny, u] - a10
                b11 = b[nx, ny, u] - b[t, ny, u] - b10
                l000, l010 = _leaf(a00, b00), _leaf(a01, b01)
                l100, l110 = _leaf(a10, b10), _leaf(a11, b11)
                c00, d00 = a[t, s, nz], b[t, s, nz]
                c01, d01 = a[t, ny, nz] - c00, b[t, ny, nz] - d00
                c10, d10 = a[nx, s, nz] - c00, b[nx, s, nz] - d00
                c11 = a[nx, ny, nz] - a[t, ny, nz] - c10
                d11 = b[nx, ny, nz] - b[t, ny, nz] - d10
                l001, l011 = _leaf(c00 - a00, d00 - b00), _leaf(c01 - a01, d01 - b01)
                l101, l111 = _leaf(c10 - a10, d10 - b10), _leaf(c11 - a11, d11 - b11)
                cut00, cut01 = min(cut00, l000 + l001), min(cut01, l010 + l011)
                cut10, cut11 = min(cut10, l100 + l101), min(cut11, l110 + l111)
                xz[0, 0, t, u] = min(xz[0, 0, t, u], l000 + l010)
                xz[0, 1, t, u] = min(xz[0, 1, t, u], l001 + l011)
                xz[1, 0, t, u] = min(xz[1, 0, t, u], l100 + l110)
                xz[1, 1, t, u] = min(xz[1, 1, t, u], l101 + l111)
                yz[0, 0, s, u] = min(yz[0, 0, s, u], l000 + l100)
                yz[0, 1, s, u] = min(yz[0, 1, s, u], l001 + l101)
                yz[1, 0, s, u] = min(yz[1, 0, s, u], l010 + l110)
                yz[1, 1, s, u] = min(yz[1, 1, s, u], l011 + l111)
            xy[0, 0, t, s] = min(xy[0, 0, t, s], cut00)
            xy[0, 1, t, s] = min(xy[0, 1, t, s], cut01)
            xy[1, 0, t, s] = min(xy[1, 0, t, s], cut10)
            xy[1, 1, t, s] = min(xy[1, 1, t, s], cut11)


@compiled(fastmath=_VECTORS)
def _first_two_splits(slab: Array, quad: Array, sizes: Array) -> float:
    best = np.inf
    for f in range(len(sizes)):
        top = sizes[f]
        for t in range(1, top):
            low, high = slab[f, 0, t], slab[f, t, top]
            for s in range(1, t):
                low = min(low, slab[f, 0, s] + slab[f, s, t])
            for s in range(t + 1, top):
                high = min(high, slab[f, t, s] + slab[f, s, top])
            for g in range(len(sizes)):
                if g == f:
                    continue
                pair = quad[max(f, g) * (max(f, g) - 1) // 2 + min(f, g)]
                for s in range(1, sizes[g]):
                    if f > g:
                        low = min(low, pair[0, 0, t, s] + pair[0, 1, t, s])
                        high = min(high, pair[1, 0, t, s] + pair[1, 1, t, s])
                    else:
                        low = min(low, pair[0, 0, s, t] + pair[1, 0, s, t])
                        high = min(high, pair[0, 1, s, t] + pair[1, 1, s, t])
            best = min(best, low + high)
    return best
