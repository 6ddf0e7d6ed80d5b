"""Compiled assignment; ``transport.match`` is the readable twin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled

Array = NDArray[Any]


@compiled()
def match(cost: Array) -> Array:
    """The row matched to each column of a square matrix, at least cost."""
    size = cost.shape[0]
    u, v = np.zeros(size), np.zeros(size + 1)
    row_of = np.full(size + 1, -1, dtype=np.int64)
    for row in _left_after_greedy(cost, u, v, row_of):
        row_of[size] = row
        column, before = _augmenting_path(cost, u, v, row_of)
        while column != size:
            row_of[column] = row_of[before[column]]
            column = before[column]
    return row_of[:size]


@compiled()
def _left_after_greedy(cost: Array, u: Array, v: Array, row_of: Array) -> Array:
    """Set the potentials to row and column minima and match where they are met."""
    size = cost.shape[0]
    for j in range(size):
        v[j] = cost[:, j].min()
    left = np.empty(size, dtype=np.int64)
    count = 0
    for i in range(size):
        u[i] = np.inf
        for j in range(size):
            u[i] = min(u[i], cost[i, j] - v[j])
        found = False
        for j in range(size):
            if row_of[j] < 0 and cost[i, j] - v[j] == u[i]:
                row_of[j], found = i, True
                break
        if not found:
            left[count] = i
            count += 1
    return left[:count]


@compiled()
def _augmenting_path(cost: Array, u: Array, v: Array, row_of: Array) -> tuple[int, Array]:
    """The free column nearest to the entering row, and the way to it; raises the potentials."""
    size = cost.shape[0]
    distance, before = np.full(size, np.inf), np.full(size, size, dtype=np.int64)
    done = np.zeros(size, dtype=np.bool_)
    column, length = size, 0.0
    while row_of[column] >= 0:
        row, nearest, nearest_column = row_of[column], np.inf, -1
        for j in range(size):
            if not done[j]:
                reached = length + cost[row, j] - u[row] - v[j]
                if reached < distance[j]:
                    distance[j], before[j] = reached, column
                if distance[j] < nearest:
                    nearest, nearest_column = distance[j], j
        column, length = nearest_column, nearest
        done[column] = True
    u[row_of[size]] += length
    for j in range(size):
        if done[j] and j != column:
            u[row_of[j]] += length - distance[j]
            v[j] -= length - distance[j]
    return column, before
