"""Coefficients against scipy; random queries against filtering rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from tests.evaluate.tables import grid, people, sample
from understudy.evaluate import associations as a
from understudy.evaluate import queries


@pytest.fixture(scope="module")
def table():
    return sample(grid(), people(1500, seed=3))


@pytest.fixture(scope="module")
def found(table):
    return a.associations(table, list(combinations(sorted(table.grid.columns), 2)))


def both_known(table, one, two):
    keep = ~(table.missing(one) | table.missing(two))
    return [table.grid.places(name)[table.codes[name]][keep] for name in (one, two)]


@pytest.mark.parametrize("pair", [("age", "income"), ("age", "grade"), ("income", "member")])
def test_ordered_pairs_equal_scipy(table, found, pair):
    x, y = both_known(table, *pair)
    assert found["pearson"][pair] == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found["spearman"][pair] == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found["kendall"][pair] == pytest.approx(stats.kendalltau(x, y).statistic)


def test_cramers_v_equals_scipy_on_random_tables():
    rng = np.random.default_rng(0)
    for shape in [(2, 2), (3, 5), (6, 4)]:
        counts = rng.integers(1, 30, shape)
        expected = stats.contingency.association(counts, method="cramer", correction=False)
        assert a.cramers_v(counts) == pytest.approx(expected)
        padded = np.pad(counts, 1)  # empty rows and columns change nothing
        assert a.cramers_v(padded) == pytest.approx(expected)
    assert a.cramers_v(np.diag([3, 4, 5])) == pytest.approx(1.0)
    assert np.isnan(a.cramers_v(np.array([[3, 4]])))


def test_eta_squared_is_the_share_of_the_f_test(table, found):
    keep = ~table.missing("income")
    values = table.grid.places("income")[table.codes["income"]][keep]
    groups = table.cells("city")[keep]
    parts = [values[groups == g] for g in np.unique(groups)]
    f = stats.f_oneway(*parts).statistic
    between, within = len(parts) - 1, len(values) - len(parts)
    expected = np.sqrt(f * between / (f * between + within))
    assert found["eta"]["city", "income"] == pytest.approx(expected)


def test_each_pair_has_the_coefficients_of_its_kind(found):
    assert ("city", "grade") in found["eta"]
    assert ("age", "grade") in found["kendall"]
    assert found["cramers_v"] == {}  # only one column is a category
    assert sum(len(pairs) for pairs in (found["pearson"], found["eta"])) == 15


def test_what_does_not_exist_counts_as_no_association():
    on = grid()
    constant = sample(on, {**people(9), "age": ["5"] * 9})
    found = a.associations(constant, [("age", "grade"), ("age", "city")])
    assert found["pearson"]["age", "grade"] == found["kendall"]["age", "grade"] == 0.0
    assert found["eta"]["age", "city"] == 0.0
    single = sample(on, people(1))
    assert a.associations(single, [("age", "grade")])["pearson"]["age", "grade"] == 0.0
    gone = sample(on, {**people(4), "income": [None] * 4})
    assert a.associations(gone, [("age", "income"), ("city", "income")])["eta"] == {
        ("city", "income"): 0.0
    }


def test_average_ranks_equal_scipy():
    codes = np.random.default_rng(1).integers(0, 12, 300)
    np.testing.assert_allclose(a.ranks(codes), stats.rankdata(codes))
    assert len(a.ranks(np.zeros(0, dtype=int))) == 0


def test_errors_are_differences_pair_by_pair():
    found = a.errors({("a", "b"): 0.5, ("a", "c"): -0.5}, {("a", "c"): 0.5, ("a", "b"): 0.25})
    assert found.tolist() == [0.25, 1.0]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_queries_equal_filtering_rows(table, k):
    asked = queries.random_queries(table.grid, k=k, count=150, rng=np.random.default_rng(k))
    found = queries.answers(table, asked)
    for query, share in zip(asked, found, strict=True):
        assert len(query.accepts) == k
        holds = np.all([ok[table.coarse(name)] for name, ok in query.accepts.items()], axis=0)
        assert share == pytest.approx(holds.mean())
    assert len(np.unique(found)) > 20


def test_conditions_are_intervals_of_ordered_columns_and_never_empty(table):
    asked = queries.random_queries(table.grid, k=1, count=200, rng=np.random.default_rng(0))
    for query in asked:
        ((name, accepted),) = query.accepts.items()
        assert accepted.any()
        if name in table.grid.ordered:
            inside = np.flatnonzero(accepted)
            assert np.array_equal(inside, np.arange(inside[0], inside[-1] + 1))
            assert not (table.grid.domain.axes[name].nullable and accepted[-1])
