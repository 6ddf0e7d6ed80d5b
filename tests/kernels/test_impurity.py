"""Least impurities from tables: both engines, against rows, real-valued counts and brute force."""

from __future__ import annotations

from itertools import combinations
from types import ModuleType

import numpy as np
import pytest

from understudy.kernels import impurity, impurity_compiled, impurity_numpy, trees
from understudy.kernels.impurity import cell_ginis, least_ginis

ENGINES = [impurity_compiled, impurity_numpy]


def tables(rows: np.ndarray, sizes: list[int], depth: int) -> np.ndarray:
    """The tables of these rows, one after another."""
    found = []
    for chosen in combinations(range(len(sizes)), min(depth, len(sizes))):
        table = np.zeros([sizes[f] for f in chosen])
        np.add.at(table, tuple(rows[f] for f in chosen), 1)
        found.append(table.ravel())
    return np.concatenate(found)


def some_rows(sizes: list[int], count: int, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.integers(0, size, count) for size in sizes]).reshape(len(sizes), count)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_whole_counts_give_what_the_trees_over_rows_give(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(depth)
    for engine in ENGINES:
        monkeypatch.setattr(impurity, "_engine", lambda _, engine=engine: engine)
        for _ in range(25):
            sizes = rng.integers(1, 6, rng.integers(1, 5)).tolist()
            real, other = (some_rows(sizes, int(rng.integers(0, 40)), rng) for _ in "ab")
            expected = trees.least_gini(real, other, sizes, depth=depth)
            counts = tables(real, sizes, depth), tables(other, sizes, depth)[None]
            assert least_ginis(*counts, sizes, depth=depth)[0] == pytest.approx(expected)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_engines_agree_on_real_numbers_prices_and_least_leaves(depth: int) -> None:
    rng = np.random.default_rng(10 + depth)
    for price in [(0.0, 0.0), (0.3, 0.0), (0.0, 1.1), (0.7, 2.5)]:
        sizes = [4, 3, 5, 2]
        real = tables(some_rows(sizes, 60, rng), sizes, depth)
        other = np.stack([tables(some_rows(sizes, 90, rng), sizes, depth) * 0.37 for _ in "abc"])
        one, two = (engine.least_ginis(real, other, sizes, depth, price) for engine in ENGINES)
        assert np.allclose(one, two)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_tables_that_disagree_still_move_by_less_than_one_a_row(
    engine: ModuleType, depth: int
) -> None:
    """Expected tables come from formulas, each with its own small error."""
    rng = np.random.default_rng(depth)
    sizes = [3, 2, 3]
    for _ in range(40):
        rows = some_rows(sizes, int(rng.integers(0, 9)), rng)
        more = np.hstack([rows, some_rows(sizes, 1, rng)])
        real, added = (tables(side, sizes, depth) for side in (rows, more))
        other = np.round(rng.exponential(2.0, (6, len(real))) * rng.integers(0, 2, len(real)), 2)
        before, after = (
            engine.least_ginis(t, other, sizes, depth, (0.0, 0.0)) for t in (real, added)
        )
        assert (after - before >= -1e-9).all()
        assert (after - before < 1.0).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tree_over_one_column_by_hand(engine: ModuleType) -> None:
    real, other = np.array([4.0, 0.0, 1.0]), np.array([[0.5, 2.0, 0.25]])
    split = 4 * 0.5 / 4.5 + 1 * 2.25 / 3.25
    assert engine.least_ginis(real, other, [3], 1, (0.0, 0.0))[0] == pytest.approx(split)
    whole = 5 * 2.75 / 7.75
    assert engine.least_ginis(real, other, [3], 1, (9.0, 0.0))[0] == pytest.approx(whole + 9.0)
    assert engine.least_ginis(real, other, [3], 1, (0.0, 2.0))[0] == pytest.approx(whole)


def test_all_cells_as_leaves_are_averaged_over_the_tables() -> None:
    real, other = np.array([3.0, 1.0, 2.0, 2.0]), np.array([[1.0, 0.0, 0.0, 2.0]])
    (found,) = cell_ginis(real, other, [2, 2], depth=1)
    assert found == pytest.approx((3 / 4 + 1.0) / 2)


def test_tables_of_other_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="depth"):
        least_ginis(np.ones(2), np.ones((1, 2)), [2], depth=4)
    for sizes, cells in (([2, 2], 3), ([], 0), ([0, 2], 0)):
        with pytest.raises(ValueError, match=r"cells|column"):
            least_ginis(np.ones(cells), np.ones((1, cells)), sizes, depth=2)


def test_the_cheap_way_is_taken_for_little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert impurity._engine(1e12) is impurity_numpy
