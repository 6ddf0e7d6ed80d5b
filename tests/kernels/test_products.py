"""Sums of products are exact: compared with Python's whole numbers, also at the largest sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels.products import BLOCK, LARGEST, summed_products

small = st.integers(-LARGEST, LARGEST)


@given(st.integers(0, 30), st.data())
def test_sums_are_those_of_whole_numbers(rows: int, data: st.DataObject) -> None:
    columns = [data.draw(st.lists(small, min_size=rows, max_size=rows)) for _ in range(3)]
    products = [(), (0,), (2,), (0, 0), (0, 1), (2, 1)]
    found = summed_products([np.array(c, dtype=np.int32) for c in columns], products, rows=rows)
    assert found.dtype == np.int64
    assert found.tolist() == [
        sum(
            columns[p[0]][r] * columns[p[1]][r] if len(p) == 2 else columns[p[0]][r] if p else 1
            for r in range(rows)
        )
        for p in products
    ]


@pytest.mark.parametrize("rows", [BLOCK - 1, BLOCK, 2 * BLOCK + 1])
def test_the_largest_numbers_lose_nothing_over_many_blocks(rows: int) -> None:
    odd = np.full(rows, LARGEST - 1, dtype=np.int32)
    even = np.where(np.arange(rows) % 2, LARGEST, -LARGEST).astype(np.int32)
    found = summed_products([odd, even], [(0, 0), (1, 1), (0, 1), ()], rows=rows)
    assert found.tolist() == [
        rows * (LARGEST - 1) ** 2,
        rows * LARGEST**2,
        -(rows % 2) * (LARGEST - 1) * LARGEST,
        rows,
    ]


def test_no_rows_no_columns_and_no_products() -> None:
    assert summed_products([], [()], rows=7).tolist() == [7]
    assert summed_products([np.array([1])], [], rows=1).tolist() == []
    assert summed_products([], [(), ()], rows=0).tolist() == [0, 0]
    with pytest.raises(ValueError, match="two factors"):
        summed_products([np.array([1])], [(0, 0, 0)], rows=1)
