"""Compiled transport; ``transport.flows`` is the readable twin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled

Array = NDArray[Any]


@compiled()
def flows(cost: Array, supply: Array, demand: Array) -> Array:
    """The units moved between each pair of points, at least cost."""
    rows, columns = cost.shape
    units = (supply.copy(), demand.copy())
    moved = np.zeros((columns, rows), dtype=np.int64)  # by column: they are walked back from there
    prices = _settle(cost, moved, units)
    way = (np.empty(columns, dtype=np.int64), np.empty(rows, dtype=np.int64))
    for row in range(rows):
        while units[0][row] > 0:
            end = _cheapest_way(cost, prices, (moved, units[1]), row, way)
            _move(moved, units, row, end, way)
    return moved.T


@compiled()
def _settle(cost: Array, moved: Array, units: tuple[Array, Array]) -> tuple[Array, Array]:
    """Potentials from row and column minima; move what their arcs can take."""
    rows, columns = cost.shape
    left, room = units
    u, v = np.full(rows, np.inf), np.zeros(columns)
    for j in range(columns):
        v[j] = cost[:, j].min()
    for i in range(rows):
        for j in range(columns):
            u[i] = min(u[i], cost[i, j] - v[j])
        for j in range(columns):
            if cost[i, j] - v[j] == u[i]:
                fit = min(left[i], room[j])
                moved[j, i] += fit
                left[i] -= fit
                room[j] -= fit
    return u, v


@compiled()
def _cheapest_way(
    cost: Array,
    prices: tuple[Array, Array],
    state: tuple[Array, Array],
    start: int,
    way: tuple[Array, Array],
) -> int:
    """The nearest column with room; the way to it goes into ``way``, prices are raised."""
    rows, columns = cost.shape
    moved, room = state
    before, entered = way
    distance, done = np.full(columns, np.inf), np.zeros(columns, dtype=np.bool_)
    reached, fresh = np.full(rows, np.inf), np.empty(rows, dtype=np.int64)
    reached[start], fresh[0], waiting = 0.0, start, 1
    while True:
        for row in fresh[:waiting]:
            ahead = reached[row] - prices[0][row]
            for j in range(columns):
                through = ahead + cost[row, j] - prices[1][j]
                if not done[j] and through < distance[j]:
                    distance[j], before[j] = through, row
        column = _nearest(distance, done)
        done[column] = True
        if room[column] > 0:
            break
        waiting = 0
        for i in range(rows):
            if moved[column, i] > 0 and reached[i] == np.inf:
                reached[i], entered[i] = distance[column], column
                fresh[waiting] = i
                waiting += 1
    _raise(prices, reached, np.where(done, distance, np.inf), distance[column])
    return column


@compiled()
def _nearest(distance: Array, done: Array) -> int:
    column, length = -1, np.inf
    for j in range(len(distance)):
        if not done[j] and distance[j] < length:
            column, length = j, distance[j]
    return column


@compiled()
def _raise(prices: tuple[Array, Array], rows: Array, columns: Array, length: float) -> None:
    """Rows and columns nearer than the end of the way become dearer and cheaper by the gap."""
    for i in range(len(rows)):
        if rows[i] < length:
            prices[0][i] += length - rows[i]
    for j in range(len(columns)):
        if columns[j] < length:
            prices[1][j] -= length - columns[j]


@compiled()
def _move(
    moved: Array, units: tuple[Array, Array], start: int, end: int, way: tuple[Array, Array]
) -> None:
    """Send along the way as many units as fit."""
    left, room = units
    before, entered = way
    fit, column = min(left[start], room[end]), end
    while before[column] != start:
        row = before[column]
        column = entered[row]
        fit = min(fit, moved[column, row])
    column = end
    while True:
        row = before[column]
        moved[column, row] += fit
        if row == start:
            break
        column = entered[row]
        moved[column, row] -= fit
    left[start] -= fit
    room[end] -= fit
