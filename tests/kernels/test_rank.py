"""Kendall's tau against scipy and against counting pairs one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels import rank, rank_compiled

columns = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40)


def both(values: np.ndarray) -> set[int]:
    highest = int(values.max()) if len(values) else 0
    return {
        rank._inversions(values, highest.bit_length()),
        int(rank_compiled.inversions(values, highest + 1)),
    }


@given(st.lists(st.integers(0, 70), max_size=60))
def test_inversions_equal_counting_pairs(values):
    expected = sum(a > b for i, a in enumerate(values) for b in values[i + 1 :])
    array = np.array(values, dtype=np.int64)
    assert both(array) == {expected}
    assert rank.inversions(array) == expected


@given(columns)
def test_tau_equals_scipy(rows):
    scipy_stats = pytest.importorskip("scipy.stats")
    x, y = (np.array(column, dtype=np.uint8) for column in zip(*rows, strict=True))
    expected = scipy_stats.kendalltau(x, y).statistic
    if np.isnan(expected):
        assert np.isnan(rank.kendall(x, y))
    else:
        assert rank.kendall(x, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 1000])
def test_the_same_order_is_1_and_the_opposite_minus_1(rows):
    x = np.arange(rows, dtype=np.uint16)
    if rows == 1:
        assert np.isnan(rank.kendall(x, x))
        return
    assert rank.kendall(x, x) == 1.0
    assert rank.kendall(x, x[::-1]) == -1.0


def test_codes_at_the_end_of_their_type_do_not_overflow():
    x = np.array([65535, 65534, 0, 65535], dtype=np.uint16)
    scipy_stats = pytest.importorskip("scipy.stats")
    y = x[::-1].copy()
    assert rank.kendall(x, y) == pytest.approx(scipy_stats.kendalltau(x, y).statistic)


def test_many_rows_do_not_overflow():
    rows = 200_000
    x = np.arange(rows, dtype=np.uint32)
    assert rank.inversions(x[::-1]) == rows * (rows - 1) // 2
    assert rank.kendall(x, x[::-1]) == pytest.approx(-1.0)
