"""k-way distances on hand-made tables, against scipy and against the published definition."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.evaluate.tables import grid, people, sample
from understudy.evaluate import marginals
from understudy.evaluate.grid import Grid
from understudy.evaluate.reference import bootstrap, independent
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Integer
from understudy.schema.schema import Schema


def small(values, levels=("a", "b")):
    columns = {name: Category(name=name, levels=levels) for name in values}
    return sample(Grid.of(domain_of(Schema(name="t", columns=columns))), values)


def test_total_variation_of_known_tables():
    real = small({"x": list("aabb"), "y": list("abab")})
    other = small({"x": list("aabb"), "y": list("aabb")})
    assert marginals.total_variation_of_cells(real, [other]).tolist() == [[0, 0]]
    # pairs: .25 each against .5, 0, 0, .5
    assert marginals.total_variation(real, [other], [("x", "y")])[0, 0] == 0.5
    assert marginals.nist_score(real, [other, real], [("x", "y")]).tolist() == [500, 1000]


def test_disjoint_tables_are_at_distance_1_whatever_their_size():
    real, other = small({"x": ["a"]}), small({"x": ["b"] * 7})
    assert marginals.total_variation_of_cells(real, [other])[0, 0] == 1.0
    assert marginals.total_variation(real, [other], [("x",)])[0, 0] == 1.0


def test_total_variation_equals_counting_rows_one_by_one():
    on = grid()
    real, other = sample(on, people(400)), sample(on, people(300, seed=5))
    columns = ("age", "income", "city")
    keys = [list(zip(*(s.coarse(name) for name in columns), strict=True)) for s in (real, other)]
    cells = set(keys[0]) | set(keys[1])
    expected = sum(abs(keys[0].count(c) / 400 - keys[1].count(c) / 300) for c in cells) / 2
    found = marginals.total_variation(real, [real, other], [columns, columns])
    np.testing.assert_allclose(found, [[0, 0], [expected, expected]], atol=1e-12)


def test_all_sets_or_the_fixed_random_choice():
    names = [f"c{i}" for i in range(14)]
    triples = np.array(list(combinations(range(14), 3)))
    expected = sorted(map(tuple, np.random.default_rng(12345).permutation(triples)[:200]))
    found = marginals.subsets(names, k=3, most=200)
    assert [tuple(names.index(n) for n in chosen) for chosen in found.chosen] == expected
    assert found.of == 364
    assert found.sampled
    assert marginals.subsets(names, k=2, most=91).chosen == tuple(combinations(names, 2))
    assert not marginals.subsets(names, k=2, most=91).sampled


def test_huge_numbers_of_sets_are_sampled_without_listing_them():
    names = [f"c{i}" for i in range(400)]
    found = marginals.subsets(names, k=3, most=50)
    assert found.of == comb(400, 3)
    assert len(set(found.chosen)) == 50
    assert found == marginals.subsets(names, k=3, most=50)
    assert all(names.index(a) < names.index(b) < names.index(c) for a, b, c in found.chosen)


def test_nist_bins_follow_the_percentiles_of_the_real_values():
    columns = {"age": Integer(name="age", min=0, max=99), "two": Integer(name="two", min=0, max=1)}
    on = Grid.of(domain_of(Schema(name="t", columns=columns)))
    rng = np.random.default_rng(0)
    ages = np.minimum(rng.exponential(20, 3000).astype(int), 99)
    real = sample(on, {"age": ages.astype(str), "two": (ages % 2).astype(str)})
    edges = np.unique(np.percentile(ages, np.arange(0, 100, 5), method="higher"))
    expected = np.clip(np.digitize(np.arange(100), edges) - 1, 0, None)
    np.testing.assert_array_equal(marginals.percentile_bins(real, "age"), expected)
    np.testing.assert_array_equal(marginals.percentile_bins(real, "two"), [0, 1])


def test_nist_score_without_pairs_does_not_exist():
    real = small({"x": ["a"]})
    assert np.isnan(marginals.nist_score(real, [real], [])).all()


def test_wasserstein_equals_transporting_every_row():
    on = grid()
    real, other = sample(on, people(150)), sample(on, people(150, seed=9, linked=False))
    columns = ("age", "income", "city")
    found = marginals.wasserstein(real, other, columns, np.random.default_rng(0))
    cost = np.zeros((150, 150))
    for name in columns:
        here, there = (s.cells(name).astype(float) for s in (real, other))
        proper = on.domain.axes[name].proper
        gap = (here[:, None] != there[None, :]).astype(float)
        if name != "city":
            both = (here[:, None] < proper) & (there[None, :] < proper)
            gap = np.where(both, abs(here[:, None] - there[None, :]) / (proper - 1), gap)
        cost += gap
    rows, there = linear_sum_assignment(cost)
    assert found == pytest.approx(cost[rows, there].sum() / 150)


def test_wasserstein_of_a_table_with_itself_is_small_and_of_a_shift_is_the_shift():
    on = grid()
    values = people(300)
    real = sample(on, values)
    rng = np.random.default_rng(0)
    assert marginals.wasserstein(real, real, ("age", "city"), rng) == 0
    ages = {**values, "age": ["20"] * 300}
    older = {**values, "age": ["45"] * 300}
    shift = marginals.wasserstein(sample(on, ages), sample(on, older), ("age", "grade"), rng)
    assert shift == pytest.approx(25 / 99)


def test_independent_columns_keep_columns_and_lose_pairs():
    on = grid()
    real = sample(on, people(4000))
    floor = independent(real, rows=4000, rng=np.random.default_rng(0))
    assert marginals.total_variation_of_cells(real, [floor]).max() == 0
    pair = [("age", "income")]
    ceiling = bootstrap(real, rows=4000, rng=np.random.default_rng(0))
    distances = marginals.total_variation(real, [ceiling, floor], pair)[:, 0]
    counts = real.counts(pair[0]) / 4000
    product = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    assert distances[1] == pytest.approx(abs(counts - product).sum() / 2, abs=0.04)
    assert distances[0] < 0.2 < distances[1]


def test_independent_columns_of_another_size_repeat_rows():
    real = small({"x": list("ab"), "y": list("ab")})
    floor = independent(real, rows=5, rng=np.random.default_rng(0))
    assert floor.rows == 5
    assert all(len(column) == 5 for column in floor.codes.values())
    assert bootstrap(real, rows=9, rng=np.random.default_rng(0)).rows == 9


def test_the_worst_sets_come_first():
    distances = np.array([[0.1, 0.5, 0.3]])
    chosen = [("a", "b"), ("a", "c"), ("b", "c")]
    found = list(marginals.worst(distances, chosen, most=2))
    assert found == [
        {"columns": ["a", "c"], "tvd": 0.5},
        {"columns": ["b", "c"], "tvd": pytest.approx(0.3)},
    ]
