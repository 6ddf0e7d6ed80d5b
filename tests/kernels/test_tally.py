"""Counting in pieces gives what counting at once gives."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels.tally import Tally

SIZES = (3, 1, 300, 2, 7)
MARGINALS = [(), (0,), (2,), *combinations(range(5), 2), (4, 0, 2), (1, 3, 4)]


def plainly(codes: list[np.ndarray], marginal: tuple[int, ...]) -> Any:
    """One row at a time."""
    table = np.zeros([SIZES[column] for column in marginal], dtype=np.int64)
    for row in zip(*codes, strict=True):
        table[tuple(int(row[column]) for column in marginal)] += 1
    return table


def drawn(rows: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, rows).astype(np.min_scalar_type(size - 1)) for size in SIZES]


@given(st.lists(st.integers(0, 9), max_size=7), st.sampled_from([1, 4, 1000]))
def test_pieces_of_any_length(lengths: list[int], block: int) -> None:
    tally = Tally(SIZES, MARGINALS, block=block)
    pieces = [drawn(length, seed) for seed, length in enumerate(lengths)]
    for piece in pieces:
        tally.add(piece)
    whole = [np.concatenate(column) for column in zip(drawn(0, 0), *pieces, strict=True)]
    for marginal, table in zip(MARGINALS, tally.tables(), strict=True):
        assert table.dtype == np.int64
        assert table.tolist() == plainly(whole, marginal).tolist()


def test_counters_are_emptied_before_they_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.kernels.tally.FLUSH", 5)
    tally = Tally(SIZES, MARGINALS, block=1)
    pieces = [drawn(4, seed) for seed in range(6)]
    for piece in pieces:
        tally.add(piece)
    whole = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    for marginal, table in zip(MARGINALS, tally.tables(), strict=True):
        assert table.tolist() == plainly(whole, marginal).tolist()


def test_without_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    tally = Tally(SIZES, MARGINALS, block=3)
    pieces = [drawn(4, seed) for seed in range(3)]
    for piece in pieces:
        tally.add(piece)
    whole = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    for marginal, table in zip(MARGINALS, tally.tables(), strict=True):
        assert table.tolist() == plainly(whole, marginal).tolist()


def test_large_tables_and_wide_columns() -> None:
    sizes = (70_000, 300, 300)
    rng = np.random.default_rng(5)
    marginals = [(0,), (1, 2), (0, 1)]
    tally = Tally(sizes, marginals, block=100)
    whole = []
    for _ in range(5):
        piece = [rng.integers(0, size, 90).astype(np.uint32) for size in sizes]
        tally.add(piece)
        whole.append(piece)
    codes = [np.concatenate(column) for column in zip(*whole, strict=True)]
    for marginal, table in zip(marginals, tally.tables(), strict=True):
        expected: dict[tuple[int, ...], int] = {}
        for row in zip(*(codes[column].tolist() for column in marginal), strict=True):
            expected[row] = expected.get(row, 0) + 1
        assert table.sum() == 450
        assert all(table[cell] == count for cell, count in expected.items())


def test_codes_must_be_cells() -> None:
    tally = Tally((2,), [(0,)])
    with pytest.raises(ValueError, match="not below"):
        tally.add([np.array([2], dtype=np.uint8)])
