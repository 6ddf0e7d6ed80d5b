"""Alias tables hold exactly the distribution that they were made from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from understudy.kernels import alias
from understudy.kernels.alias import Aliases, alias_tables


def masses(tables: Aliases) -> NDArray[np.float64]:
    """The probability of each cell, added up slot by slot."""
    found = tables.accept.copy()
    for row, slot in np.ndindex(*found.shape):
        found[row, tables.other[row, slot]] += 1 - tables.accept[row, slot]
    return found / found.shape[1]


@given(
    st.integers(1, 12).flatmap(
        lambda cells: st.lists(
            st.lists(
                st.sampled_from((0.0, 1e-300, 1e-9, 0.1, 0.25, 1.0, 3.0, 1e300)),
                min_size=cells,
                max_size=cells,
            ).filter(any),
            min_size=1,
            max_size=5,
        )
    )
)
def test_the_slots_add_up_to_the_weights(rows: list[list[float]]) -> None:
    weights = np.array(rows)
    tables = alias_tables(weights)
    wanted = weights / weights.max(axis=1, keepdims=True)
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert np.allclose(masses(tables), wanted, rtol=1e-12, atol=1e-14)
    assert (masses(tables)[weights == 0] == 0).all()
    assert ((tables.accept >= 0) & (tables.accept <= 1)).all()


def test_equal_weights_need_no_other_cell() -> None:
    for cells in range(1, 300):
        assert np.allclose(alias_tables(np.full((1, cells), 1 / cells)).accept, 1.0)


def test_many_cells_and_many_distributions() -> None:
    rng = np.random.default_rng(5)
    for shape in ((1, 20_000), (700, 30)):
        weights = rng.exponential(size=shape) ** 4
        wanted = weights / weights.sum(axis=1, keepdims=True)
        assert np.allclose(masses(alias_tables(weights)), wanted, rtol=1e-9, atol=1e-15)


def test_the_block_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(6).exponential(size=(50, 7))
    whole = alias_tables(weights)
    monkeypatch.setattr(alias, "BLOCK", 20)
    parts = alias_tables(weights)
    assert all(np.array_equal(one, two) for one, two in zip(whole, parts, strict=True))
