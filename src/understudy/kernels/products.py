"""Exact sums over rows of products of at most two columns of small whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 2**14
LARGEST: Final = 2**15
"""Products of two such numbers, summed over a block, stay below 2^44: exact in doubles."""


def summed_products(
    columns: Sequence[NDArray[Any]], products: Sequence[Sequence[int]], *, rows: int
) -> NDArray[np.int64]:
    """The sum over rows of the product of the named columns (none: the number of rows).

    Numbers must not exceed ``LARGEST`` in size. Blocks of rows go through one matrix product in
    doubles, in which every intermediate sum is a whole number below 2^53, so nothing is rounded
    whatever the order of summation.
    """
    if any(len(product) > 2 for product in products):
        raise ValueError("a product has at most two factors")
    ones = len(columns)  # the place of a column of ones
    left = [product[0] if product else ones for product in products]
    right = [product[1] if len(product) == 2 else ones for product in products]
    totals = np.zeros(len(products), dtype=np.int64)
    for start in range(0, rows, BLOCK):
        stop = min(start + BLOCK, rows)
        block = np.ones((ones + 1, stop - start))
        for place, column in enumerate(columns):
            block[place] = column[start:stop]
        totals += (block @ block.T)[left, right].astype(np.int64)
    return totals
