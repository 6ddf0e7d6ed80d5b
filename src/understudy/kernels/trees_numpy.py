"""Exact trees in NumPy: the readable twin of ``trees_compiled``, which needs no compiler.

    slab(f, r, t)       the rows with r <= column f < t
    quad(f, g, a, b)    the rows on side a of a threshold of f and side b of a threshold of g

The last split of a tree of depth 2 cuts a slab, of a tree of depth 3 a slab or a quadrant. Both
are cut in all ways at once, as arrays over thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Sides = tuple[Array, Array]


def least_gini(real: Array, synthetic: Array, sizes: Array, depth: int) -> float:
    """The least impurity over all trees of this depth; see ``trees.least_gini``."""
    trees = _Trees(real, synthetic, [int(size) for size in sizes])
    whole = _leaf((np.array(synthetic.shape[1:]), np.array(real.shape[1:])))
    halves = {1: trees.halves, 2: trees.halves_cut, 3: trees.halves_cut_twice}[depth]
    candidates = (halves(f) for f in range(len(sizes)) if sizes[f] > 1)
    return min([float(whole[0]), *(float(np.min(low + high)) for low, high in candidates)])


class _Trees:
    """Best cuts of the slabs and quadrants of two tables, each computed when asked for."""

    def __init__(self, real: Array, synthetic: Array, sizes: list[int]) -> None:
        self._tables, self._sizes = (synthetic, real), sizes
        self._quads: dict[tuple[int, int], Array] = {}

    def halves(self, f: int) -> Sides:
        """The impurity below and above each threshold of f."""
        edges = self._edges(f)
        inner = edges[0][1:-1], edges[1][1:-1]
        return _leaf(inner), _leaf(_minus((edges[0][-1], edges[1][-1]), inner))

    def halves_cut(self, f: int) -> Sides:
        """The least impurity below and above each threshold of f after one more split."""
        whole = self._whole_slabs(f)
        low, high = _cut(whole)
        for g in self._others(f):
            quad = _quadrants(self._edges(f, g))
            low = np.minimum(low, np.min(quad[0, 0] + quad[0, 1], axis=1))
            high = np.minimum(high, np.min(quad[1, 0] + quad[1, 1], axis=1))
        return low, high

    def halves_cut_twice(self, f: int) -> Sides:
        """The least impurity below and above each threshold of f after two more levels."""
        low, high = _cut(self._slabs(f))
        for g in self._others(f):
            quad = self._quad(f, g)
            low = np.minimum(low, np.min(quad[0, 0] + quad[0, 1], axis=1))
            high = np.minimum(high, np.min(quad[1, 0] + quad[1, 1], axis=1))
        return low, high

    def _others(self, *columns: int) -> list[int]:
        """The other columns that can be split."""
        return [g for g, size in enumerate(self._sizes) if g not in columns and size > 1]

    def _edges(self, *columns: int) -> Sides:
        """Per table: how many rows lie below each combination of edges (0 .. size)."""
        shape = tuple(self._sizes[f] for f in columns)
        sides = []
        for table in self._tables:
            cells = np.ravel_multi_index(tuple(table[f] for f in columns), shape)
            edges = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
            for axis in range(len(shape)):
                edges = np.cumsum(edges, axis=axis)
            sides.append(np.pad(edges, [(1, 0)] * len(shape)).astype(np.float64))
        return sides[0], sides[1]

    def _whole_slabs(self, f: int) -> Array:
        """slab[r, t]: impurity of r <= f < t; inf unless r < t."""
        a, b = self._edges(f)
        whole = _leaf((a[None] - a[:, None], b[None] - b[:, None]))
        whole[np.tril_indices(len(whole))] = np.inf
        return whole

    def _slabs(self, f: int) -> Array:
        """slab[r, t]: least impurity of r <= f < t with at most one split; inf unless r < t."""
        whole = self._whole_slabs(f)
        again = np.min(whole[:, :, None] + whole[None, :, :], axis=1)
        best: Array = np.minimum(whole, again)
        for g in self._others(f):
            below, above = self._strips(f, g)
            best = np.minimum(best, np.min(below + above, axis=2))
        return best

    def _strips(self, f: int, g: int) -> Sides:
        """Impurity of r <= f < t below and above each inner threshold of g; inf unless r < t."""
        edges = self._edges(f, g)
        strip = edges[0][None] - edges[0][:, None], edges[1][None] - edges[1][:, None]
        inner = strip[0][:, :, 1:-1], strip[1][:, :, 1:-1]
        ends = strip[0][:, :, -1:], strip[1][:, :, -1:]
        below, above = _leaf(inner), _leaf(_minus(ends, inner))
        for side in (below, above):
            side[np.tril_indices(len(side))] = np.inf
        return below, above

    def _quad(self, f: int, g: int) -> Array:
        """quad[a, b, t, s]: least impurity of each quadrant of (f, g) with at most one split."""
        if (f, g) not in self._quads:
            along_g = self._quad_cut_along(g, f).transpose(1, 0, 3, 2)
            quad = np.minimum(self._quad_cut_along(f, g), along_g)
            for h in self._others(f, g):
                quad = np.minimum(quad, self._quad_cut_by(f, g, h))
            self._quads[f, g], self._quads[g, f] = quad, quad.transpose(1, 0, 3, 2)
        return self._quads[f, g]

    def _quad_cut_along(self, f: int, g: int) -> Array:
        """Quadrants of (f, g), whole or cut again along f."""
        (low0, high0), (low1, high1) = (_cut(strip) for strip in self._strips(f, g))
        return np.array([[low0, low1], [high0, high1]])

    def _quad_cut_by(self, f: int, g: int, h: int) -> Array:
        """Quadrants of (f, g) cut by a third column h."""
        edges = self._edges(f, g, h)
        below = edges[0][:, :, 1:-1], edges[1][:, :, 1:-1]
        above = _minus((edges[0][:, :, -1:], edges[1][:, :, -1:]), below)
        return np.array(np.min(_quadrants(below) + _quadrants(above), axis=-1))


def _leaf(counts: Sides) -> Array:
    a, b = counts
    return np.asarray(a * b / np.maximum(a + b, 1.0))


def _minus(left: Sides, right: Sides) -> Sides:
    return left[0] - right[0], left[1] - right[1]


def _quadrants(edges: Sides) -> Array:
    """The impurity of the four quadrants around each pair of thresholds of the first two axes."""
    return _leaf((_quadrant_counts(edges[0]), _quadrant_counts(edges[1])))


def _quadrant_counts(edges: Array) -> Array:
    low, end = edges[1:-1, 1:-1], edges[-1:, 1:-1]
    row, total = edges[1:-1, -1:], edges[-1:, -1:]
    return np.array([[low, row - low], [end - low, total - end - row + low]])


def _cut(slab: Array) -> Sides:
    """Below and above each threshold: the slab from an end to it, whole or cut once along f."""
    again = np.min(slab[:, :, None] + slab[None, :, :], axis=1)
    best = np.minimum(slab, again)
    return best[0, 1:-1], best[1:-1, -1]
