"""Exact trees against brute force over rows, against the twin, and against STreeD."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.kernels import trees, trees_compiled, trees_numpy

ENGINES = [trees_numpy, trees_compiled]


def leaf(a: int, b: int) -> float:
    return a * b / (a + b) if a + b else 0.0


def brute(real: np.ndarray, synthetic: np.ndarray, sizes, depth: int) -> float:
    """Try every tree, on rows."""
    best = leaf(synthetic.shape[1], real.shape[1])
    if depth == 0:
        return best
    for f, size in enumerate(sizes):
        for t in range(1, size):
            r, s = real[f] < t, synthetic[f] < t
            best = min(
                best,
                brute(real[:, r], synthetic[:, s], sizes, depth - 1)
                + brute(real[:, ~r], synthetic[:, ~s], sizes, depth - 1),
            )
    return best


@st.composite
def two_tables(draw, most_columns=4, most_cells=5):
    sizes = draw(st.lists(st.integers(1, most_cells), min_size=1, max_size=most_columns))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, k = draw(st.integers(0, 25)), draw(st.integers(0, 25))
    real = np.array([rng.integers(0, size, n) for size in sizes], dtype=np.uint8)
    power = draw(st.sampled_from([1.0, 0.5, 3.0]))
    synthetic = np.array(
        [(rng.random(k) ** power * size).astype(np.uint8) for size in sizes], dtype=np.uint8
    )
    return real, synthetic, np.array(sizes, dtype=np.int64)


@pytest.mark.parametrize("engine", ENGINES, ids=["numpy", "numba"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@settings(max_examples=60)
@given(tables=two_tables())
def test_equals_brute_force(engine, depth, tables):
    real, synthetic, sizes = tables
    got = engine.least_gini(real, synthetic, sizes, depth)
    assert got == pytest.approx(brute(real, synthetic, sizes, depth), abs=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_twins_agree_on_larger_tables(depth):
    rng = np.random.default_rng(3)
    sizes = np.array([17, 2, 9, 1, 12], dtype=np.int64)
    real = np.array([rng.integers(0, size, 900) for size in sizes], dtype=np.uint8)
    synthetic = np.array([rng.integers(0, size, 700) for size in sizes], dtype=np.uint8)
    one, two = (engine.least_gini(real, synthetic, sizes, depth) for engine in ENGINES)
    assert one == pytest.approx(two, rel=1e-12)


def test_xor_is_invisible_at_depth_1_and_plain_at_depth_2():
    real = np.array([[0, 0, 1, 1] * 50, [0, 1, 0, 1] * 50], dtype=np.uint8)
    synthetic = np.array([[0, 1] * 100, [0, 1] * 100], dtype=np.uint8)
    assert trees.least_gini(real, synthetic, [2, 2], depth=1) == pytest.approx(100.0)
    expected = 2 * leaf(100, 50)  # the two cells of the diagonal; the others hold real rows only
    assert trees.least_gini(real, synthetic, [2, 2], depth=2) == pytest.approx(expected)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_identical_tables_score_the_largest_value(depth):
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 6, (3, 200)).astype(np.uint8)
    gini = trees.least_gini(rows, rows[:, rng.permutation(200)], [6] * 3, depth=depth)
    assert gini == pytest.approx(100.0)
    assert trees.pmse(gini, real=200, synthetic=200) == pytest.approx(0.0, abs=1e-15)


def test_disjoint_tables_score_zero_and_pmse_a_quarter():
    gini = trees.least_gini([np.zeros(7, int)], [np.ones(7, int)], [2], depth=1)
    assert gini == 0.0
    assert trees.pmse(gini, real=7, synthetic=7) == 0.25


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_order_of_rows_and_columns_is_irrelevant(depth):
    rng = np.random.default_rng(5)
    sizes = [5, 3, 7, 4]
    real = [rng.integers(0, size, 60) for size in sizes]
    synthetic = [rng.integers(0, size, 50) for size in sizes]
    expected = trees.least_gini(real, synthetic, sizes, depth=depth)
    shuffle, order = rng.permutation(60), [2, 0, 3, 1]
    again = trees.least_gini(
        [real[i][shuffle] for i in order],
        [synthetic[i] for i in order],
        [sizes[i] for i in order],
        depth=depth,
    )
    assert again == pytest.approx(expected, rel=1e-12)


@settings(max_examples=40)
@given(tables=two_tables(most_columns=3, most_cells=4), data=st.data())
def test_replacing_one_real_row_moves_gini_by_at_most_k_over_k_plus_1(tables, data):
    real, synthetic, sizes = tables
    k = synthetic.shape[1]
    if real.shape[1] == 0:
        return
    other = real.copy()
    other[:, 0] = [data.draw(st.integers(0, int(size) - 1)) for size in sizes]
    for depth in (1, 2, 3):
        one, two = (trees_compiled.least_gini(r, synthetic, sizes, depth) for r in (real, other))
        assert abs(one - two) <= k / (k + 1) + 1e-9


def test_the_sensitivity_is_reached():
    """All real rows away from the k synthetic ones, then one of them among these."""
    synthetic = np.zeros((1, 4), dtype=np.uint8)
    apart, one_inside = np.array([[1, 1, 1]], np.uint8), np.array([[0, 1, 1]], np.uint8)
    sizes = np.array([2], dtype=np.int64)
    moved = trees_compiled.least_gini(one_inside, synthetic, sizes, 1) - trees_compiled.least_gini(
        apart, synthetic, sizes, 1
    )
    assert moved == pytest.approx(4 / 5)


def segments_brute(real, synthetic, leaves: int) -> float:
    cells, best = len(real), np.inf
    for count in range(leaves):
        for cuts in combinations(range(1, cells), count):
            edges = (0, *cuts, cells)
            best = min(
                best,
                sum(
                    leaf(int(synthetic[i:j].sum()), int(real[i:j].sum()))
                    for i, j in pairwise(edges)
                ),
            )
    return best


@settings(max_examples=100)
@given(
    real=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    leaves=st.integers(1, 9),
    seed=st.integers(0, 999),
)
def test_segments_equal_brute_force(real, leaves, seed):
    synthetic = np.random.default_rng(seed).integers(0, 9, len(real))
    got = trees.segment_gini(np.array(real), synthetic, leaves=leaves)
    assert got == pytest.approx(segments_brute(np.array(real), synthetic, leaves), abs=1e-9)


@settings(max_examples=30)
@given(tables=two_tables(most_columns=1, most_cells=8))
def test_trees_on_one_column_are_segments(tables):
    real, synthetic, sizes = tables
    counts = [np.bincount(t[0], minlength=sizes[0]) for t in (real, synthetic)]
    for depth in (1, 2):
        # at depth 2 the two halves each have two leaves: a special case of four segments,
        # and four segments of a line are always such a tree (cut at the middle first)
        gini = trees_numpy.least_gini(real, synthetic, sizes, depth)
        assert gini == pytest.approx(trees.segment_gini(*counts, leaves=2**depth), abs=1e-9)


def test_all_cells_as_leaves_is_the_fixed_partition():
    rng = np.random.default_rng(0)
    real, synthetic = rng.integers(0, 50, 12), rng.integers(0, 50, 12)
    everything = trees.segment_gini(real, synthetic, leaves=12)
    assert everything == pytest.approx(trees.partition_gini(real, synthetic))
    by_hand = sum(leaf(int(a), int(b)) for a, b in zip(synthetic, real, strict=True))
    assert everything == pytest.approx(by_hand)


def test_empty_tables_and_one_cell_columns():
    empty = np.zeros((2, 0), dtype=np.uint8)
    rows = np.zeros((2, 5), dtype=np.uint8)
    for depth in (1, 2, 3):
        assert trees.least_gini(empty, empty, [3, 1], depth=depth) == 0.0
        assert trees.least_gini(rows, empty, [3, 1], depth=depth) == 0.0
        assert trees.least_gini(rows, rows, [1, 1], depth=depth) == 2.5
    assert trees.pmse(0.0, real=0, synthetic=0) == 0.0


@pytest.mark.parametrize("depth", [0, 4])
def test_other_depths_are_refused(depth):
    with pytest.raises(ValueError, match="depth 1, 2 or 3"):
        trees.least_gini([np.zeros(1, int)], [np.zeros(1, int)], [1], depth=depth)


@pytest.mark.parametrize("code", [2, 255, 256, -1])
def test_cell_numbers_beyond_their_column_are_refused(code):
    with pytest.raises(ValueError, match="not below the number of cells"):
        trees.least_gini([np.array([0, code])], [np.array([0])], [2], depth=1)


def test_mismatched_columns_and_leaves_are_refused():
    with pytest.raises(ValueError, match="same columns"):
        trees.least_gini([np.zeros(1, int)], [], [1], depth=1)
    with pytest.raises(ValueError, match="at least one leaf"):
        trees.segment_gini(np.ones(3), np.ones(3), leaves=0)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_equals_streed_regression(depth):
    """The sum of squares of a 0/1 label in a leaf is a b / (a + b): STreeD's regression cost."""
    pystreed = pytest.importorskip("pystreed")
    rng = np.random.default_rng(depth)
    sizes = [5, 4, 6]
    real = np.array([rng.integers(0, size, 150) for size in sizes])
    synthetic = np.array([(rng.random(170) ** 2 * size).astype(int) for size in sizes])
    pooled = np.concatenate([real, synthetic], axis=1)
    cuts = [pooled[f] < t for f, size in enumerate(sizes) for t in range(1, size)]
    labels = np.repeat([0.0, 1.0], [150, 170])
    model = pystreed.STreeDRegressor(max_depth=depth, cost_complexity=0.0)
    features = np.array(cuts, dtype=int).T
    model.fit(features, labels)
    streed = float(np.sum((labels - model.predict(features)) ** 2))
    assert trees.least_gini(real, synthetic, sizes, depth=depth) == pytest.approx(streed, abs=1e-6)
