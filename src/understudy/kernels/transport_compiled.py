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
    left, room = supply.copy(), demand.copy()
    u, v = np.zeros(rows), np.zeros(columns)
    moved = np.zeros((columns, rows), dtype=np.int64)  # by column: they are walked back from there
    _settle(cost, u, v, moved, left, room)
    before, entered = np.empty(columns, dtype=np.int64), np.empty(rows, dtype=np.int64)
    for row in range(rows):
        while left[row] > 0:
            column = _cheapest_way(cost, u, v, moved, room, row, before, entered)
            _move(moved, left, room, row, column, before, entered)
    return moved.T


@compiled()
def _settle(cost: Array, u: Array, v: Array, moved: Array, left: Array, room: Array) -> None:
    """Set the potentials to row and column minima and move what these arcs can take."""
    rows, columns = cost.shape
    for j in range(columns):
        v[j] = cost[:, j].min()
    for i in range(rows):
        u[i] = np.inf
        for j in range(columns):
            u[i] = min(u[i], cost[i, j] - v[j])
        for j in range(columns):
            if cost[i, j] - v[j] == u[i]:
                units = min(left[i], room[j])
                moved[j, i] += units
                left[i] -= units
                room[j] -= units


@compiled()
def _cheapest_way(
    cost: Array,
    u: Array,
    v: Array,
    moved: Array,
    room: Array,
    start: int,
    before: Array,
    entered: Array,
) -> int:
    """The nearest column with room, the way to it in ``before`` and ``entered``; raises u, v."""
    rows, columns = cost.shape
    distance, done = np.full(columns, np.inf), np.zeros(columns, dtype=np.bool_)
    reached, fresh = np.full(rows, np.inf), np.empty(rows, dtype=np.int64)
    reached[start], fresh[0], waiting = 0.0, start, 1
    while True:
        for k in range(waiting):
            row = fresh[k]
            for j in range(columns):
                through = reached[row] + cost[row, j] - u[row] - v[j]
                if not done[j] and through < distance[j]:
                    distance[j], before[j] = through, row
        column, length = -1, np.inf
        for j in range(columns):
            if not done[j] and distance[j] < length:
                column, length = j, distance[j]
        done[column] = True
        if room[column] > 0:
            break
        waiting = 0
        for i in range(rows):
            if moved[column, i] > 0 and reached[i] == np.inf:
                reached[i], entered[i] = length, column
                fresh[waiting] = i
                waiting += 1
    for i in range(rows):
        if reached[i] < np.inf:
            u[i] += length - reached[i]
    for j in range(columns):
        if done[j]:
            v[j] -= length - distance[j]
    return column


@compiled()
def _move(
    moved: Array, left: Array, room: Array, start: int, end: int, before: Array, entered: Array
) -> None:
    """Send along the way as many units as fit."""
    units, column = min(left[start], room[end]), end
    while before[column] != start:
        row = before[column]
        column = entered[row]
        units = min(units, moved[column, row])
    column = end
    while True:
        row = before[column]
        moved[column, row] += units
        if row == start:
            break
        column = entered[row]
        moved[column, row] -= units
    left[start] -= units
    room[end] -= units
