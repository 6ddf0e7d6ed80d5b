"""Exact optimal transport between two samples of equal size, by shortest augmenting paths.

With a ground cost that is a metric, mass that both samples have at the same point may stay where
it is, so callers cancel it first and only the difference of the samples is transported.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling

WORTH_COMPILING: Final = 400  # rows; beyond, NumPy needs more than about half a second


def least_assignment(cost: NDArray[np.float64]) -> float:
    """The least sum of ``cost[i, match(i)]`` over all one-to-one matchings of a square matrix."""
    if cost.ndim != 2 or cost.shape[0] != cost.shape[1]:
        raise ValueError("a matching needs a square cost matrix")
    if worth_compiling(len(cost), above=WORTH_COMPILING):
        from understudy.kernels.transport_compiled import match as fast

        matched = fast(np.ascontiguousarray(cost, dtype=np.float64))
    else:
        matched = match(np.asarray(cost, dtype=np.float64))
    return float(np.sum(cost[matched, np.arange(len(cost))]))


def match(cost: NDArray[np.float64]) -> NDArray[Any]:
    """The row matched to each column, at least cost.

    The potentials u, v keep cost - u - v >= 0, with equality on matched pairs. They start as row
    and column minima, which matches many rows at once; the others enter one by one, and Dijkstra
    on the reduced costs finds the cheapest way to a free column.
    """
    size = len(cost)
    v = np.append(np.min(cost, axis=0, initial=np.inf), 0.0)
    u = np.min(cost - v[:size], axis=1, initial=np.inf)
    row_of = np.full(size + 1, -1)  # the last column is the entrance of the new row
    for entering in _left_after_greedy(cost, u, v, row_of):
        row_of[size], column = entering, size
        distance, before = np.full(size, np.inf), np.full(size, size)
        done = np.zeros(size, dtype=bool)
        path: list[tuple[int, int]] = []
        so_far = 0.0
        while row_of[column] >= 0:
            row = row_of[column]
            path.append((row, column))
            reached = so_far + cost[row] - u[row] - v[:size]
            nearer = ~done & (reached < distance)
            distance[nearer], before[nearer] = reached[nearer], column
            column = int(np.argmin(np.where(done, np.inf, distance)))
            so_far = distance[column]
            done[column] = True
        _raise_potentials(u, v, path, distance, so_far)
        while column != size:
            row_of[column] = row_of[before[column]]
            column = before[column]
    return row_of[:size]


def _left_after_greedy(
    cost: NDArray[np.float64],
    u: NDArray[np.float64],
    v: NDArray[np.float64],
    row_of: NDArray[Any],
) -> list[int]:
    left = []
    for row in range(len(cost)):
        free = np.flatnonzero((cost[row] - v[:-1] == u[row]) & (row_of[:-1] < 0))
        if len(free):
            row_of[free[0]] = row
        else:
            left.append(row)
    return left


def _raise_potentials(
    u: NDArray[np.float64],
    v: NDArray[np.float64],
    path: list[tuple[int, int]],
    distance: NDArray[np.float64],
    length: float,
) -> None:
    for row, column in path:
        start = 0.0 if column == len(distance) else distance[column]
        u[row] += length - start
        v[column] -= length - start
