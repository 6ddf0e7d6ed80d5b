"""Counts against counting by hand; the cover against its promise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels import count as counting
from understudy.kernels.count import count_marginals, count_with_numpy, cover
from understudy.kernels.count_compiled import count_compiled

COUNTERS = {"numpy": count_with_numpy, "compiled": count_compiled}
WIDE = (85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2, 16)


@pytest.fixture(params=COUNTERS)
def forced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each implementation in turn, whatever the forecast work."""
    monkeypatch.setattr(counting, "_counter", lambda _: COUNTERS[request.param])
    return str(request.param)


def by_hand(codes: list[Any], sizes: tuple[int, ...], marginal: tuple[int, ...]) -> np.ndarray:
    rows = Counter(zip(*(codes[column].tolist() for column in marginal), strict=True))
    table = np.zeros([sizes[column] for column in marginal], dtype=np.int64)
    for cell, number in rows.items():
        table[cell] = number
    return table


def random_codes(
    sizes: tuple[int, ...], rows: int, dtypes: tuple[str, ...] = ("u1",), seed: int = 0
) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        (rng.random(rows) ** 3 * size).astype(dtypes[column % len(dtypes)])
        for column, size in enumerate(sizes)
    ]


@st.composite
def questions(draw: Any) -> tuple[tuple[int, ...], list[tuple[int, ...]], int]:
    sizes = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=6)))
    orders = st.permutations(range(len(sizes)))
    count = st.integers(0, len(sizes))
    marginals = [tuple(draw(orders)[: draw(count)]) for _ in range(draw(st.integers(0, 6)))]
    return sizes, marginals, draw(st.sampled_from((0, 1, 2, 50)))


@given(questions())
def test_counts_are_counts(question: tuple[Any, Any, int]) -> None:
    sizes, marginals, rows = question
    codes = random_codes(sizes, rows, ("u1", "u2", "u4", "u8"))
    for counter in COUNTERS.values():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, "_counter", lambda _, counter=counter: counter)
            found = count_marginals(codes, sizes, marginals)
        assert len(found) == len(marginals)
        for table, marginal in zip(found, marginals, strict=True):
            expected = by_hand(codes, sizes, marginal) if marginal else np.array(rows)
            assert table.dtype == np.int64
            assert table.flags.c_contiguous
            assert table.shape == tuple(sizes[column] for column in marginal)
            assert (table == expected).all()


@given(questions(), st.sampled_from((1, 8, 60, 65536)))
def test_a_cover_covers_within_its_cap(question: tuple[Any, Any, int], cap: int) -> None:
    sizes, marginals, _ = question
    wanted = [tuple(sorted(marginal)) for marginal in marginals]
    groups = cover(sizes, marginals, cap=cap)
    assert all(any(set(marginal) <= set(group) for group in groups) for marginal in wanted)
    for group in groups:
        assert list(group) == sorted(set(group))
        assert prod(sizes[column] for column in group) <= cap or group in wanted


def test_pairs_and_triples_need_few_groups() -> None:
    assert len(cover(WIDE, combinations(range(15), 2))) <= 33
    assert len(cover(WIDE, combinations(range(15), 3))) <= 222
    assert cover((2,) * 16, combinations(range(16), 3)) == (tuple(range(16)),)


def test_a_cover_does_not_depend_on_the_order_of_the_question() -> None:
    pairs = list(combinations(range(15), 2))
    assert cover(WIDE, pairs) == cover(WIDE, [pair[::-1] for pair in reversed(pairs)])


@pytest.mark.parametrize("rows", [0, 1, 3, 8191, 8192, 8195, 70_001])
def test_all_pairs_of_a_mixed_table(forced: str, rows: int) -> None:
    sizes = (85, 9, 300, 2, 1, 70_000)
    codes = random_codes(sizes, rows, ("u1", "u1", "u2", "u1", "u1", "u4"))
    pairs = [*combinations(range(5), 2), (3, 5)]
    for table, pair in zip(count_marginals(codes, sizes, pairs), pairs, strict=True):
        assert (table == by_hand(codes, sizes, pair)).all(), (forced, pair)


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize(
    "sizes", [(65_536, 1), (1, 65_536), (256, 256), (65_536, 3), (300, 300), (64, 64)]
)
def test_tables_at_the_edge_of_sixteen_bits(counter: str, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, size, 5000).astype(np.uint32) for size in sizes]
    for column, size in zip(codes, sizes, strict=True):
        column[:2] = size - 1
    tables = COUNTERS[counter](codes, sizes, [(0, 1), (1,)])
    assert (tables[0] == by_hand(codes, sizes, (0, 1))).all()
    assert (tables[1] == by_hand(codes, sizes, (1,))).all()


def test_columns_wider_than_sixteen_bits_are_counted(forced: str) -> None:
    sizes = (65_537, 2)
    codes = random_codes(sizes, 140_000, ("u4", "u1"))
    assert (count_marginals(codes, sizes, [(1, 0)])[0] == by_hand(codes, sizes, (1, 0))).all()


def test_one_cell_counted_by_every_row(forced: str) -> None:
    codes = [np.full(40_003, 1, dtype=np.uint8)] * 2
    assert count_marginals(codes, (2, 3), [(0, 1)])[0].tolist() == [[0, 0, 0], [0, 40_003, 0]]


def test_counters_are_emptied_before_they_overflow() -> None:
    codes = random_codes((7, 300), 1000, ("u2",))
    whole = count_compiled(codes, (7, 300), [(0,), (0, 1)])
    parts = count_compiled(codes, (7, 300), [(0,), (0, 1)], flush=13)
    for one, other in zip(whole, parts, strict=True):
        assert (one == other).all()


def test_strided_codes_are_counted(forced: str) -> None:
    matrix = np.random.default_rng(0).integers(0, 4, (999, 3)).astype(np.uint8)
    codes = [matrix[:, column] for column in range(3)]
    assert (
        count_marginals(codes, (4, 4, 4), [(2, 0)])[0] == by_hand(codes, (4,) * 3, (2, 0))
    ).all()


def test_answers_share_no_memory(forced: str) -> None:
    codes = random_codes((3, 1), 10)
    first, second, turned = count_marginals(codes, (3, 1), [(0, 1), (0, 1), (1, 0)])
    first[:] = -1
    assert second.sum() == turned.sum() == 10


@pytest.mark.parametrize(
    ("codes", "sizes", "problem"),
    [
        ([np.array([2], "u1")], (2,), "below the size"),
        ([np.array([1])], (2,), "unsigned"),
        ([np.array([0.5])], (2,), "unsigned"),
        ([np.array([0], "u1"), np.array([0, 0], "u1")], (2, 2), "length"),
        ([np.array([0], "u1")], (2, 2), "one size per column"),
    ],
)
def test_codes_that_do_not_fit_are_refused_without_a_value(
    codes: list[np.ndarray], sizes: tuple[int, ...], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem) as refused:
        count_marginals(codes, sizes, [(0,)])
    assert not any(letter.isdigit() for letter in str(refused.value))


def test_forecast_work_decides_which_code_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, counting.COMPILED)
    assert counting._counter(counting.WORTH_LOADING - 1) is count_with_numpy
    monkeypatch.undo()
    assert counting._counter(counting.WORTH_CALLING - 1) is count_with_numpy
    expected = count_with_numpy if os.environ.get("NUMBA_DISABLE_JIT") else count_compiled
    assert counting._counter(counting.WORTH_CALLING) is expected
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert counting._counter(10**12) is count_with_numpy


def test_small_work_loads_no_compiler() -> None:
    program = (
        "import sys, numpy as np; from understudy.kernels.count import count_marginals as c;"
        "c([np.zeros(1000, 'u1')] * 3, (2, 2, 2), [(0, 1), (1, 2)]);"
        "assert 'numba' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_every_marginal_of_a_small_cube_agrees_with_the_joint(forced: str) -> None:
    sizes = (3, 4, 2, 5)
    codes = random_codes(sizes, 2000)
    subsets = [
        tuple(column for column, kept in enumerate(mask) if kept)
        for mask in product((0, 1), repeat=4)
    ]
    tables = dict(zip(subsets, count_marginals(codes, sizes, subsets), strict=True))
    for subset, table in tables.items():
        rest = tuple(column for column in range(4) if column not in subset)
        assert (table == tables[0, 1, 2, 3].sum(axis=rest)).all()


@pytest.mark.parametrize("rows", [50, 3000, 150_000])
def test_the_number_of_rows_changes_the_plan_but_not_the_counts(forced: str, rows: int) -> None:
    sizes = (40, 30, 20, 9, 7)
    codes = random_codes(sizes, rows)
    triples = list(combinations(range(5), 3))
    for table, triple in zip(count_marginals(codes, sizes, triples), triples, strict=True):
        assert (table == by_hand(codes, sizes, triple)).all()
