"""Exact optimal transport between two discrete distributions, by shortest augmenting paths.

Points carry whole numbers of units, so equal rows are moved together. With a ground cost that is a
metric, mass that both sides have at the same point may stay where it is: callers cancel it first.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling

Floats = NDArray[np.float64]
Units = NDArray[np.int64]

WORTH_COMPILING: Final = 1e5  # cells of all cost matrices: NumPy needs about half a second


def least_transport(cost: Floats, supply: Any, demand: Any, *, calls: int = 1) -> float:
    """The least cost of moving ``supply`` (units per row) to ``demand`` (units per column).

    ``cost[i, j]`` is the price of one unit. ``calls`` is how many such calls the caller is about
    to make: many make compiled code worth loading.
    """
    supply, demand = (np.array(side, dtype=np.int64) for side in (supply, demand))
    if cost.shape != (len(supply), len(demand)) or supply.sum() != demand.sum():
        raise ValueError("a cost for each pair of points, and as many units here as there")
    if min(supply.min(initial=0), demand.min(initial=0)) < 0:
        raise ValueError("a point cannot hold less than no unit")
    if not cost.size:
        return 0.0
    if worth_compiling(float(calls * cost.size), above=WORTH_COMPILING):
        from understudy.kernels.transport_compiled import flows as fast

        moved = fast(np.ascontiguousarray(cost, dtype=np.float64), supply, demand)
    else:
        moved = flows(np.asarray(cost, dtype=np.float64), supply, demand)
    return float(np.sum(cost * moved))


def flows(cost: Floats, supply: Units, demand: Units) -> Units:
    """The units moved between each pair of points, at least cost.

    The potentials u, v keep cost - u - v >= 0, with equality where units move. They start as row
    and column minima, which settles many units at once; the others enter by and by, and Dijkstra
    on the reduced costs finds the cheapest way to a column with room.
    """
    left, room = supply.copy(), demand.copy()
    v = cost.min(axis=0)
    u = (cost - v).min(axis=1)
    prices = (u, v)
    moved = np.zeros(cost.shape, dtype=np.int64)
    for row in range(len(cost)):
        for column in np.flatnonzero(cost[row] - v == u[row]):
            _move(moved, left, room, [(row, int(column))])
    for row in range(len(cost)):
        while left[row]:
            _move(moved, left, room, _cheapest_way(cost, prices, moved, row, room > 0))
    return moved


def _move(moved: Units, left: Units, room: Units, way: list[tuple[int, int]]) -> None:
    """Send along a way as many units as fit: forth along its arcs, back between them."""
    (row, _), (_, column) = way[0], way[-1]
    back = [(way[i + 1][0], way[i][1]) for i in range(len(way) - 1)]
    units = min(left[row], room[column], *(moved[arc] for arc in back))
    for arc in way:
        moved[arc] += units
    for arc in back:
        moved[arc] -= units
    left[row] -= units
    room[column] -= units


def _cheapest_way(
    cost: Floats, prices: tuple[Floats, Floats], moved: Units, row: int, free: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    """The arcs from a row to the nearest free column; raises the potentials."""
    u, v = prices
    distance, before = cost[row] - u[row] - v, np.full(len(v), row)
    reached, entered = np.full(len(u), np.inf), np.full(len(u), -1)
    reached[row] = 0.0
    done = np.zeros(len(v), dtype=bool)
    while True:
        column = int(np.argmin(np.where(done, np.inf, distance)))
        so_far = distance[column]
        done[column] = True
        if free[column]:
            break
        for other in np.flatnonzero((moved[:, column] > 0) & np.isinf(reached)):
            reached[other], entered[other] = so_far, column
            through = so_far + cost[other] - u[other] - v
            nearer = ~done & (through < distance)
            distance[nearer], before[nearer] = through[nearer], other
    visited = np.isfinite(reached)
    u[visited] += so_far - reached[visited]
    v[done] -= so_far - distance[done]
    way = [(int(before[column]), column)]
    while way[-1][0] != row:
        column = int(entered[way[-1][0]])
        way.append((int(before[column]), column))
    return way[::-1]
