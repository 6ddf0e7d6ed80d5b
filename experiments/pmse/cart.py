"""Greedy classification trees as R's ``rpart`` grows and prunes them: what the paper measures with.

The paper names CART, depths and a complexity parameter ``cp``, not its software. ``rpart`` with its
default settings is what fits its numbers (see ``README.md``), so that is what is built here:

- grow: split where the Gini impurity falls most; a node of fewer than 20 rows is not split and no
  leaf has fewer than 7 rows;
- prune: of all subtrees of at most ``depth`` splits in a row, the one with the least number of
  misclassified rows plus ``cp`` times the number misclassified by the root, per leaf.

One tree is grown for all depths and all ``cp``: pruning it gives the same trees as growing each.
Nothing here has a bounded sensitivity. ``understudy.kernels.trees`` has exact trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled

UNLIMITED: Final = 30
"""The largest depth that ``rpart`` allows, and its default."""
SMALLEST_SPLIT: Final = 20
SMALLEST_LEAF: Final = 7

Floats = NDArray[np.float64]
Array = NDArray[Any]


@dataclass(frozen=True)
class Pruning:
    """How large a tree may be: splits in a row, and the share of errors a split must save."""

    depth: int
    cp: float


@dataclass(frozen=True, eq=False)
class Tree:
    """A grown tree, a parent before its children: synthetic and real rows of each node."""

    counts: Array
    children: Array
    depths: Array

    def pmse(self, pruning: Pruning) -> float:
        """The propensity mean squared error of the pruned tree."""
        k, n = self.counts[:, 0].astype(np.float64)
        penalty = pruning.cp * min(k, n)
        gini = _pruned_gini(self.counts, self.children, self.depths, pruning.depth, penalty)
        share = k / (k + n)
        return float(share * (1.0 - share) - gini / (k + n))


def grow(real: Floats, synthetic: Floats, *, cp: float, depth: int = UNLIMITED) -> Tree:
    """The greedy tree between two tables (rows by columns), for any pruning down to this cp."""
    columns = np.concatenate([real, synthetic]).T.copy()
    labels = np.zeros(columns.shape[1], dtype=np.uint8)
    labels[len(real) :] = 1
    order = np.argsort(columns, axis=1).astype(np.int32)
    useless = cp * min(len(real), len(synthetic))
    return Tree(*_grow(columns, labels, order, useless, depth))


def pmse(real: Floats, synthetic: Floats, pruning: Pruning) -> float:
    """The pMSE of one greedy tree."""
    return grow(real, synthetic, cp=pruning.cp, depth=pruning.depth).pmse(pruning)


@compiled()
def _leaf(a: float, b: float) -> float:
    return a * b / (a + b)


@compiled()
def _grow(
    columns: Array, labels: Array, order: Array, useless: float, depth: int
) -> tuple[Array, Array, Array]:
    """Split until a node is small, deep, or has too few errors for any split to pay."""
    rows = labels.size
    most = 2 * (rows // SMALLEST_LEAF + 1)
    counts, children = np.zeros((2, most), np.int64), np.full((most, 2), -1, np.int64)
    depths, starts, ends = np.zeros((3, most), np.int64)
    below, spare = np.zeros(rows, np.bool_), np.empty(rows, np.int32)
    ends[0] = rows
    nodes, node = 1, 0
    while node < nodes:
        start, end = starts[node], ends[node]
        for place in range(start, end):
            counts[0, node] += labels[order[0, place]]
        counts[1, node] = end - start - counts[0, node]
        worth = end - start >= SMALLEST_SPLIT and counts[:, node].min() > useless
        if worth and depths[node] < depth:
            column, cut = _best_split(columns, labels, order, (start, end), counts[0, node])
            if column >= 0:
                _partition(order, column, (start, cut, end), below, spare)
                children[node] = nodes, nodes + 1
                depths[nodes : nodes + 2] = depths[node] + 1
                starts[nodes], ends[nodes] = start, cut
                starts[nodes + 1], ends[nodes + 1] = cut, end
                nodes += 2
        node += 1
    return counts[:, :nodes].copy(), children[:nodes], depths[:nodes]


@compiled()
def _best_split(
    columns: Array, labels: Array, order: Array, span: tuple[int, int], synthetic: int
) -> tuple[int, int]:
    """The column and the place in its order where impurity falls most; -1 if nowhere."""
    start, end = span
    k, n = float(synthetic), float(end - start - synthetic)
    best = _leaf(k, n) * (1.0 - 1e-12)
    column, cut = -1, -1
    for f in range(columns.shape[0]):
        values, along, a = columns[f], order[f], 0.0
        for place in range(start, end - SMALLEST_LEAF):
            a += labels[along[place]]
            size = place + 1 - start
            if size >= SMALLEST_LEAF and values[along[place]] < values[along[place + 1]]:
                b = size - a
                gini = _leaf(a, b) + _leaf(k - a, n - b)
                if gini < best:
                    best, column, cut = gini, f, place + 1
    return column, cut


@compiled()
def _partition(
    order: Array, column: int, span: tuple[int, int, int], below: Array, spare: Array
) -> None:
    """Rows below the cut first, in every column's order."""
    start, cut, end = span
    for place in range(start, end):
        below[order[column, place]] = place < cut
    for f in range(order.shape[0]):
        low, high = start, cut
        for place in range(start, end):
            row = order[f, place]
            if below[row]:
                spare[low] = row
                low += 1
            else:
                spare[high] = row
                high += 1
        order[f, start:end] = spare[start:end]


@compiled()
def _pruned_gini(
    counts: Array, children: Array, depths: Array, depth: int, penalty: float
) -> float:
    """The impurity of the subtree that is best by errors plus penalty, leaves first."""
    nodes = depths.size
    costs, ginis = np.empty(nodes), np.empty(nodes)
    for node in range(nodes - 1, -1, -1):
        a, b = float(counts[0, node]), float(counts[1, node])
        costs[node], ginis[node] = min(a, b) + penalty, _leaf(a, b)
        left, right = children[node]
        if left >= 0 and depths[node] < depth and costs[left] + costs[right] < costs[node]:
            costs[node] = costs[left] + costs[right]
            ginis[node] = ginis[left] + ginis[right]
    return float(ginis[0])
