"""Rules for bins against the textbook's arithmetic, and the axes they lead to."""

from __future__ import annotations

from datetime import date
from math import ceil, log2, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.bins import (
    MOST_BINS,
    NORMAL_QUARTILES,
    Spread,
    bins_by_rule,
    regrid,
    within,
)
from understudy.schema.axes import axis_of
from understudy.schema.columns import Column, Date, Integer, Real
from understudy.schema.domain import BinAxis


def axis(column: Column) -> BinAxis:
    found = axis_of(column)
    assert isinstance(found, BinAxis)
    return found


@pytest.mark.parametrize(("size", "bins"), [(1, 1), (2, 2), (1000, 11), (1024, 11), (1025, 12)])
def test_sturges(size: float, bins: int) -> None:
    assert bins_by_rule("sturges", size=size, columns=1) == bins


@pytest.mark.parametrize("size", [0.0, -5.0, 0.5])
@pytest.mark.parametrize("rule", ["sturges", "scott", "freedman-diaconis"])
def test_hardly_any_rows_still_get_a_bin(rule: str, size: float) -> None:
    spread = Spread(range=100.0, quartiles=90.0)
    assert bins_by_rule(rule, size=size, columns=1, spread=spread) >= 1  # type: ignore[arg-type]


def test_freedman_diaconis_by_hand() -> None:
    # n = 1000, quartiles 20 apart: width 2 * 20 / 10 = 4, range 100: 25 bins
    spread = Spread(range=100.0, quartiles=20.0)
    assert bins_by_rule("freedman-diaconis", size=1000, columns=1, spread=spread) == 25


def test_freedman_diaconis_agrees_with_numpy() -> None:
    values = np.random.default_rng(2).normal(0.0, 1.0, 5000)
    low, high = np.quantile(values, [0.25, 0.75])
    spread = Spread(range=float(np.ptp(values)), quartiles=float(high - low))
    theirs = len(np.histogram_bin_edges(values, bins="fd")) - 1
    assert bins_by_rule("freedman-diaconis", size=5000, columns=1, spread=spread) == theirs


def test_scott_agrees_with_numpy_on_normal_values() -> None:
    values = np.random.default_rng(2).normal(0.0, 1.0, 5000)
    spread = Spread(range=float(np.ptp(values)), quartiles=NORMAL_QUARTILES * float(values.std()))
    theirs = len(np.histogram_bin_edges(values, bins="scott")) - 1
    assert bins_by_rule("scott", size=5000, columns=1, spread=spread) == theirs


def test_the_distance_of_normal_quartiles() -> None:
    from statistics import NormalDist

    exact = 2 * NormalDist().inv_cdf(0.75)
    assert pytest.approx(exact, abs=5e-4) == NORMAL_QUARTILES


def test_more_columns_mean_wider_bins() -> None:
    spread = Spread(range=100.0, quartiles=20.0)
    found = [bins_by_rule("scott", size=10_000, columns=d, spread=spread) for d in (1, 2, 3)]
    assert found == sorted(found, reverse=True)
    width = 3.49 * 20.0 / 1.349 * 10_000 ** (-1 / 5)
    assert found[2] == ceil(100.0 / width)


@pytest.mark.parametrize("rule", ["scott", "freedman-diaconis"])
def test_quartiles_that_fall_together_leave_sturges(rule: str) -> None:
    found = bins_by_rule(rule, size=500, columns=1, spread=Spread(9.0, 0.0))  # type: ignore[arg-type]
    assert found == ceil(log2(500)) + 1
    assert bins_by_rule(rule, size=500, columns=1) == found  # type: ignore[arg-type]


def test_a_rule_never_gives_more_bins_than_the_most() -> None:
    spread = Spread(range=1e9, quartiles=1e-9)
    assert bins_by_rule("scott", size=1e12, columns=1, spread=spread) == MOST_BINS


def test_spread_on_a_log_scale_is_measured_in_asinh() -> None:
    column = Real(name="x", min=0, max=1000, scale="log")
    found = Spread.of(column, axis(column), (100.0, 10.0))  # in either order
    assert found.range == pytest.approx(np.arcsinh(1000))
    assert found.quartiles == pytest.approx(np.arcsinh(100) - np.arcsinh(10))
    plain = Spread.of(Real(name="x", min=0, max=1000), axis(column), (10.0, 100.0))
    assert (plain.range, plain.quartiles) == (1000.0, 90.0)


def test_regridding_keeps_the_range_and_what_is_missing() -> None:
    column = Integer(name="age", min=0, max=99, missing=("?",), bins=10)
    found = regrid(column, axis(column), 4)
    assert found == BinAxis(nullable=True, edges=(0, 25, 50, 75, 100), whole=True)
    assert regrid(column, axis(column), 1000).proper == 100, "no bin is narrower than a value"


def test_regridding_takes_bounds_that_were_bought() -> None:
    column = Real(name="x", min=0)
    bought = axis_of(column, bounds=(0.0, 8.0))
    assert isinstance(bought, BinAxis)
    assert regrid(column, bought, 4).edges == (0.0, 2.0, 4.0, 6.0, 8.0)
    whole = Integer(name="x", min=0)
    bought = axis_of(whole, bounds=(0, 7))
    assert isinstance(bought, BinAxis)
    assert regrid(whole, bought, 4).edges == (0, 2, 4, 6, 8)


def test_regridding_replaces_edges_of_ones_own() -> None:
    column = Real(name="x", bins=(0.0, 1.0, 10.0))
    assert regrid(column, axis(column), 2).edges == (0.0, 5.0, 10.0)


def test_regridding_dates_and_constants() -> None:
    days = Date(name="d", min=date(2020, 1, 1), max=date(2020, 1, 10))
    assert regrid(days, axis(days), 2).proper == 2
    for column in (Integer(name="x", min=5, max=5), Real(name="x", min=5, max=5)):
        assert regrid(column, axis(column), 7).proper == 1


def test_a_log_scale_stays_one() -> None:
    column = Real(name="x", min=0, max=100, scale="log")
    expected = np.sinh(np.linspace(0, np.arcsinh(100), 4))
    assert regrid(column, axis(column), 3).edges == pytest.approx(tuple(expected))


@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(1, 1024), min_size=1),
    st.integers(1, 50),
    st.integers(2**5, 2**16),
)
def test_bins_give_way_only_where_they_must(bins: dict[str, int], others: int, most: int) -> None:
    kept = within(bins, others=others, most=most)
    assert kept.keys() == bins.keys()
    assert all(1 <= kept[name] <= bins[name] for name in bins)
    fits = prod(count + 1 for count in kept.values()) * others <= most
    assert fits or set(kept.values()) == {1}
    if prod(count + 1 for count in bins.values()) * others <= most:
        assert kept == bins
