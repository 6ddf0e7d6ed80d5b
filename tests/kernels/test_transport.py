"""Transport against scipy and against all matchings."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels import transport, transport_compiled

ENGINES = [transport, transport_compiled]


def prices(cost: np.ndarray, supply, demand) -> list[float]:
    """What each engine pays, after looking that it moves what it should."""
    found = []
    for engine in ENGINES:
        moved = engine.flows(cost, np.array(supply), np.array(demand))
        assert moved.min(initial=0) >= 0
        assert moved.sum(axis=1).tolist() == list(supply)
        assert moved.sum(axis=0).tolist() == list(demand)
        found.append(float((cost * moved).sum()))
    return found


@given(size=st.integers(1, 6), seed=st.integers(0, 10**6), levels=st.integers(1, 5))
def test_equals_trying_all_matchings(size, seed, levels):
    cost = np.random.default_rng(seed).integers(0, levels, (size, size)).astype(float)
    best = min(
        sum(cost[row, column] for column, row in enumerate(rows))
        for rows in permutations(range(size))
    )
    assert prices(cost, [1] * size, [1] * size) == [pytest.approx(best)] * 2
    assert transport.least_transport(cost, [1] * size, [1] * size) == pytest.approx(best)


@given(
    supply=st.lists(st.integers(0, 9), min_size=1, max_size=7),
    columns=st.integers(1, 7),
    seed=st.integers(0, 10**6),
)
def test_units_of_one_point_are_as_good_as_equal_points(supply, columns, seed):
    """Each unit a row of its own, and matched by scipy, costs the same."""
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    demand = rng.multinomial(sum(supply), np.ones(columns) / columns).tolist()
    cost = rng.integers(0, 6, (len(supply), columns)) / 5
    units = np.repeat(np.repeat(cost, supply, axis=0), demand, axis=1)
    rows, there = optimize.linear_sum_assignment(units)
    assert prices(cost, supply, demand) == [pytest.approx(units[rows, there].sum())] * 2


@pytest.mark.parametrize("size", [50, 120])
def test_equals_scipy(size):
    optimize = pytest.importorskip("scipy.optimize")
    cost = np.random.default_rng(size).random((size, size))
    rows, columns = optimize.linear_sum_assignment(cost)
    expected = pytest.approx(cost[rows, columns].sum())
    assert prices(cost, [1] * size, [1] * size) == [expected] * 2


def test_nothing_to_move_costs_nothing():
    assert transport.least_transport(np.zeros((0, 0)), [], []) == 0.0
    assert transport.least_transport(np.ones((1, 2)), [0], [0, 0]) == 0.0


@pytest.mark.parametrize(
    ("cost", "supply", "demand", "message"),
    [
        (np.zeros((2, 3)), [1, 1], [1, 1], "each pair"),
        (np.zeros((1, 1)), [2], [1], "as many units"),
        (np.zeros((2, 1)), [2, -1], [1], "less than no unit"),
    ],
)
def test_what_cannot_be_moved_is_refused(cost, supply, demand, message):
    with pytest.raises(ValueError, match=message):
        transport.least_transport(cost, supply, demand)
