"""Where values fall inside their bins: uniform, whole, rounded, and never a missing code."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from scipy import stats

from understudy.schema.axes import axis_of
from understudy.schema.columns import Date, Integer, Real
from understudy.schema.domain import BinAxis
from understudy.table.drawing import draw_inside, limits, sentinels

FALSE_ALARM = 1e-7  # of each statistical test here; there are four


def draws(column: Integer | Real | Date, bin_: int, rows: int = 20_000) -> np.ndarray:
    axis = axis_of(column)
    assert isinstance(axis, BinAxis)
    bins = np.full(rows, bin_, dtype=np.uint8)
    return draw_inside(column, axis, bins, np.random.default_rng(7))


def test_integers_are_uniform_over_the_bin() -> None:
    values = draws(Integer(name="x", min=0, max=999, bins=100), 3)
    assert set(values.tolist()) == set(range(30, 40))
    assert stats.chisquare(np.bincount(values - 30)).pvalue > FALSE_ALARM


def test_reals_are_uniform_in_the_bin() -> None:
    values = draws(Real(name="x", min=-4, max=4, bins=4), 1)
    assert stats.kstest(values, stats.uniform(-2, 2).cdf).pvalue > FALSE_ALARM


def test_skewed_reals_are_uniform_in_asinh() -> None:
    values = draws(Real(name="x", min=0, max=1e6, bins=3, scale="log"), 2)
    low, high = np.arcsinh(1e6) * 2 / 3, np.arcsinh(1e6)
    uniform = (np.arcsinh(values) - low) / (high - low)
    assert stats.kstest(uniform, stats.uniform().cdf).pvalue > FALSE_ALARM


def test_days_are_uniform_over_the_bin() -> None:
    column = Date(name="x", min=date(2020, 1, 1), max=date(2020, 1, 20), bins=2)
    days = (draws(column, 1) - np.datetime64("2020-01-11")).astype(int)
    assert stats.chisquare(np.bincount(days, minlength=10)).pvalue > FALSE_ALARM


def test_decimals_are_kept_inside_the_bin() -> None:
    values = draws(Real(name="x", min=0.005, max=1.005, bins=2, decimals=2), 0)
    assert set(np.round(values * 100).astype(int).tolist()) == set(range(1, 51))
    assert (values == np.round(values, 2)).all()


def test_the_upper_edge_belongs_to_the_next_bin_even_on_the_grid() -> None:
    column = Real(name="x", min=0, max=1, bins=2, decimals=1)
    grid = [set(np.round(draws(column, bin_) * 10).astype(int).tolist()) for bin_ in range(2)]
    assert grid == [{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}]


def test_an_edge_just_above_a_grid_point_is_not_undercut() -> None:
    for tenths in (17, 19, 33, 34, 38, 39):  # edge * 10 is rounded down to the grid point
        edge = float(np.nextafter(tenths / 10, np.inf))
        values = draws(Real(name="x", bins=(0.0, edge, edge + 0.5), decimals=1), 1, rows=500)
        assert values.min() > edge


def test_a_bin_too_narrow_for_the_decimals_keeps_more_of_them() -> None:
    values = draws(Real(name="x", min=0.1, max=0.4, bins=1, decimals=0), 0)
    assert ((values >= 0.1) & (values <= 0.4)).all()
    assert len(set(values.tolist())) > 1000


def test_numbers_too_large_for_decimals_are_left_alone() -> None:
    values = draws(Real(name="x", min=0, max=1e300, bins=1, decimals=2), 0)
    assert np.isfinite(values).all()
    assert values.max() > 1e299


def test_the_whole_range_of_doubles_does_not_overflow() -> None:
    axis = BinAxis(nullable=False, edges=(-1.7e308, 1.7e308), whole=False)
    bins = np.zeros(1000, dtype=np.uint8)
    for scale in ("linear", "log"):
        column = Real(name="x", min=-1e300, max=1e300, scale=scale)  # type: ignore[arg-type]
        values = draw_inside(column, axis, bins, np.random.default_rng(0))
        assert (abs(values) <= 1e300).all()


@pytest.mark.parametrize("bins", [None, 2])
def test_a_missing_code_inside_the_bounds_is_never_drawn(bins: int | None) -> None:
    column = Integer(name="x", min=0, max=9, bins=bins, missing=("0", "1", "9", "NA"))
    drawn = {bin_: set(draws(column, bin_).tolist()) for bin_ in range(2)}
    if bins is None:
        assert drawn == {0: {0}, 1: {1}}  # the cell holds no other value
    else:
        assert drawn == {0: {2, 3, 4}, 1: {5, 6, 7, 8}}


def test_a_missing_code_on_the_decimal_grid_is_never_drawn() -> None:
    column = Real(name="x", min=0, max=1, bins=1, decimals=1, missing=("0.0", "0.1", "0.5"))
    grid = set(np.round(draws(column, 0) * 10).astype(int).tolist())
    assert grid == {2, 3, 4, 6, 7, 8, 9, 10}


def test_limits_are_the_declared_bounds() -> None:
    assert limits(Integer(name="x")) == (-np.inf, np.inf)
    assert limits(Real(name="x", min=1.5, max=2)) == (1.5, 2)
    assert limits(Date(name="x", min=date(1970, 1, 2), max=date(1970, 1, 3))) == (1, 2)


def test_only_codes_that_read_as_a_place_are_sentinels() -> None:
    assert sentinels(Integer(name="x", missing=("", "NA", "-9", "-9.0"))).tolist() == [-9]
    column = Date(name="x", min=date(1970, 1, 2), max=date(1971, 1, 1), missing=("1970-01-01",))
    assert sentinels(column).tolist() == [0]
