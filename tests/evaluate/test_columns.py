"""Figures of single columns against scipy on the values themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.evaluate.tables import grid, people, sample
from understudy.evaluate.columns import describe, distance, summary


@pytest.fixture(scope="module")
def tables():
    on = grid()
    real, other = people(3000, seed=1), people(2000, seed=2)
    other["age"] = [str(min(int(age) + 7, 99)) for age in other["age"]]
    other["income"] = [x if x is None else repr(float(x) * 0.8) for x in other["income"]]
    return real, other, sample(on, real), sample(on, other)


def numbers(column):
    return np.array([float(x) for x in column if x is not None])


@pytest.mark.parametrize(("name", "slack"), [("age", 1e-9), ("income", 0.05)])
def test_distances_equal_scipy(tables, name, slack):
    real, other, first, second = tables
    found = distance(first, second, name)
    x, y = numbers(real[name]), numbers(other[name])
    assert found.wasserstein == pytest.approx(stats.wasserstein_distance(x, y), abs=slack)
    assert found.ks == pytest.approx(
        stats.ks_2samp(x, y).statistic, abs=2e-3 if slack > 1e-6 else 1e-9
    )
    low, high = (0, 99) if name == "age" else (0, 1000)
    assert found.scaled == pytest.approx(found.wasserstein / (high - low), rel=1e-4)


@pytest.mark.parametrize(("name", "slack"), [("age", 1e-9), ("income", 0.05)])
def test_moments_and_quantiles_equal_numpy(tables, name, slack):
    real, _, first, _ = tables
    found, x = summary(first, name), numbers(real[name])
    assert found.mean == pytest.approx(x.mean(), abs=slack)
    assert found.std == pytest.approx(x.std(), abs=slack)
    assert found.skewness == pytest.approx(stats.skew(x), abs=1e-3)
    for level, value in found.quantiles.items():
        expected = np.quantile(x, float(level), method="inverted_cdf")
        assert value == pytest.approx(expected, abs=slack)


def test_missing_shares_and_days(tables):
    real, other, first, second = tables
    gone = [np.mean([x is None for x in table["income"]]) for table in (real, other)]
    assert distance(first, second, "income").missing == pytest.approx(abs(gone[0] - gone[1]))
    days = np.array(real["joined"], dtype="datetime64[D]").astype(int)
    assert summary(first, "joined").mean == pytest.approx(days.mean())


def test_categories_have_no_distance_in_space(tables):
    found = describe(*tables[2:], "city")
    assert found["wasserstein"] is found["ks"] is found["real"]["mean"] is None
    assert found["missing"] >= 0


def test_levels_in_order_are_ranks(tables):
    _, _, first, second = tables
    ranks = [np.array(s.codes["grade"], dtype=float) for s in (first, second)]
    expected = stats.wasserstein_distance(*ranks)
    assert distance(first, second, "grade").wasserstein == pytest.approx(expected)


def test_all_missing_against_values_is_as_far_as_can_be():
    on = grid()
    empty = sample(on, {**people(5), "income": [None] * 5})
    full = sample(on, {**people(5), "income": ["1"] * 5})
    assert distance(empty, empty, "income").ks is None
    found = distance(full, empty, "income")
    assert (found.missing, found.scaled, found.ks) == (1.0, 1.0, 1.0)
    assert summary(empty, "income").mean is None


def test_a_constant_column_is_plain():
    on = grid()
    constant = sample(on, {**people(4), "age": ["30"] * 4})
    found = summary(constant, "age")
    assert (found.mean, found.std, found.skewness) == (30.0, 0.0, 0.0)
    assert distance(constant, constant, "age").wasserstein == 0
