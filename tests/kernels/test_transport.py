"""The assignment against scipy and against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels import transport, transport_compiled


def both(cost: np.ndarray) -> list[float]:
    columns = np.arange(len(cost))
    return [
        float(cost[engine.match(cost), columns].sum()) for engine in (transport, transport_compiled)
    ]


@given(size=st.integers(1, 6), seed=st.integers(0, 10**6), levels=st.integers(1, 5))
def test_equals_trying_all_matchings(size, seed, levels):
    cost = np.random.default_rng(seed).integers(0, levels, (size, size)).astype(float)
    best = min(
        sum(cost[row, column] for column, row in enumerate(rows))
        for rows in permutations(range(size))
    )
    assert both(cost) == [pytest.approx(best)] * 2
    assert transport.least_assignment(cost) == pytest.approx(best)


@pytest.mark.parametrize("size", [50, 120])
def test_equals_scipy(size):
    optimize = pytest.importorskip("scipy.optimize")
    cost = np.random.default_rng(size).random((size, size))
    rows, columns = optimize.linear_sum_assignment(cost)
    assert both(cost) == [pytest.approx(cost[rows, columns].sum())] * 2


def test_every_row_and_column_is_matched_once():
    cost = np.random.default_rng(0).random((40, 40))
    for engine in (transport, transport_compiled):
        assert sorted(engine.match(cost)) == list(range(40))


def test_nothing_to_match_and_a_matrix_that_is_not_square():
    assert transport.least_assignment(np.zeros((0, 0))) == 0.0
    with pytest.raises(ValueError, match="square"):
        transport.least_assignment(np.zeros((2, 3)))
