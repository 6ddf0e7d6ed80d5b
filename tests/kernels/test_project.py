"""The projection against its definition, worked out in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels.project import to_simplex

numbers = st.lists(st.integers(-50, 50), min_size=1, max_size=8)


def exactly(values: list[int], total: int) -> list[Fraction]:
    """Lower all cells together until what is above zero sums to the total, by trying each size."""
    falling = sorted(map(Fraction, values), reverse=True)
    for kept in range(len(falling), 0, -1):
        amount = (sum(falling[:kept]) - total) / kept
        if falling[kept - 1] > amount:
            return [max(Fraction(0), value - amount) for value in values]
    raise AssertionError("no amount fits")


@given(numbers, st.integers(1, 200))
def test_it_is_the_nearest_point(values: list[int], total: int) -> None:
    for array in (np.array(values), np.array(values, dtype=np.float64)):
        found = to_simplex(array, total=total)
        expected = [float(value) for value in exactly(values, total)]
        assert found.tolist() == pytest.approx(expected, abs=1e-9)
        assert found.sum() == pytest.approx(total)
        assert (found >= 0).all()


@pytest.mark.parametrize(
    ("values", "total", "nearest"),
    [
        ([3, -1, 2], 4, [2.5, 0, 1.5]),
        ([0, 0, 0, 0], 1, [0.25] * 4),
        ([-7, -7], 10, [5, 5]),
        ([-7, -9], 1, [1, 0]),
        ([1, 2, 3], 6, [1, 2, 3]),
        ([5], 2, [2]),
        ([9, -3, 4], 0, [0, 0, 0]),
        ([-(2**63), 2**63 - 1], 4, [0, 4]),
        ([2**62, 2**62 - 2], 4, [3, 1]),
        ([1e300, -1e300], 1, [1, 0]),
    ],
)
def test_cases_by_hand(values: list[float], total: float, nearest: list[float]) -> None:
    assert to_simplex(np.array(values), total=total).tolist() == nearest


def test_the_shape_is_kept_and_the_input_untouched() -> None:
    values = np.array([[3, -1], [2, 0]])
    found = to_simplex(values, total=4)
    assert found.shape == (2, 2)
    assert found.dtype == np.float64
    assert values.tolist() == [[3, -1], [2, 0]]


def test_projecting_twice_changes_nothing() -> None:
    once = to_simplex(np.random.default_rng(0).normal(size=1000), total=10)
    assert np.allclose(to_simplex(once, total=10), once, atol=1e-12)


def test_no_cells_hold_nothing() -> None:
    assert to_simplex(np.array([]), total=0).size == 0
    with pytest.raises(ValueError, match="no cells"):
        to_simplex(np.array([]), total=1)


@pytest.mark.parametrize("total", [-1, np.nan, np.inf])
def test_a_total_that_is_no_size_is_refused(total: float) -> None:
    with pytest.raises(ValueError, match="total"):
        to_simplex(np.array([1.0]), total=total)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        to_simplex(np.array([1.0, value]), total=1)
