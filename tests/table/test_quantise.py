"""Steps of features against a second reading of the definition, in exact fractions."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from math import floor, isfinite

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import UsageError
from understudy.schema.axes import axis_of
from understudy.schema.columns import Category, Column, Date, Datetime, Integer, Real
from understudy.schema.domain import BinAxis
from understudy.schema.moment import Feature
from understudy.table.codec import cell_of
from understudy.table.quantise import quantise
from understudy.table.reading import place_in

COLUMNS: dict[str, Column] = {
    "whole": Integer(name="x", min=-3, max=7),
    "whole, may be missing": Integer(name="x", min=0, max=9, missing=("", "-9")),
    "one value": Integer(name="x", min=4, max=4),
    "real": Real(name="x", min=0.1, max=0.7),
    "huge": Real(name="x", min=-1e300, max=1e300),
    "edges": Real(name="x", bins=(0.0, 1.0, 10.0)),
    "log": Real(name="x", min=0, max=1e6, scale="log", missing=("NA",)),
    "day": Date(name="x", min=date(2020, 1, 1), max=date(2020, 12, 31)),
    "moment": Datetime(name="x", min=datetime(2020, 1, 1), max=datetime(2020, 1, 2)),
}
TEXTS = [
    *("", "?", "-9", "-9.0", "NA", "nan", "inf", "-inf", "1e400", "-1e400", "0", "4", "3.7", "٣"),
    *("0.1", "0.4", "0.7", "1e6", "2020-01-01", "2020-06-30", "2020-12-31", "2021-01-01", "x\0"),
    *("2020-01-01T12:00:00", "1066-10-14", " 5 ", "+2", "0x1", "1.7e308", "-1e308"),
]
texts = st.none() | st.sampled_from(TEXTS) | st.text(max_size=8) | st.floats(-20, 20).map(repr)


def by_definition(
    column: Column, text: str | None, missing: float, granularity: int
) -> tuple[int, int]:
    """The least and the largest number of steps that the sentence allows a float to give."""
    axis = axis_of(column)
    assert isinstance(axis, BinAxis)
    low, high = Fraction(axis.edges[0]), Fraction(axis.edges[-1]) - axis.whole
    place = None if text is None else place_in(column, text)
    codes = [place_in(column, code) for code in column.missing]
    if column.nullable and (place is None or place in codes):
        share = Fraction(missing)
    else:
        place = axis.edges[0] if place is None else place
        inside = Fraction(place) if isfinite(place) else (low if place < 0 else high)
        inside = min(max(inside, low), high)
        share = 2 * (inside - low) / (high - low) - 1 if high > low else Fraction(0)
    slack = Fraction(granularity, 10**14)
    half = Fraction(1, 2)
    ends = [floor(share * granularity + half + side) for side in (-slack, slack)]
    return max(ends[0], -granularity), min(ends[1], granularity)


@pytest.mark.parametrize("name", COLUMNS)
def test_steps_are_those_of_the_definition(name: str) -> None:
    column = COLUMNS[name]

    @given(st.lists(texts, max_size=5), st.floats(-1, 1), st.integers(1, 2**15))
    def check(values: list[str | None], missing: float, granularity: int) -> None:
        feature = Feature("x", missing=missing)
        array = np.array([*values, None], dtype=object)[:-1]
        steps = quantise(column, axis_of(column), feature, array, granularity=granularity)
        assert steps.dtype == np.int64
        for text, step in zip(values, steps.tolist(), strict=True):
            least, largest = by_definition(column, text, missing, granularity)
            assert least <= step <= largest

    check()


def test_ends_and_middle_are_exact() -> None:
    column = COLUMNS["whole"]
    array = np.array(["-3", "7", "2", "-99", "99", None, "junk"], dtype=object)
    steps = quantise(column, axis_of(column), Feature("x"), array, granularity=1000)
    assert steps.tolist() == [-1000, 1000, 0, -1000, 1000, -1000, -1000]


def test_missing_counts_as_declared() -> None:
    column = COLUMNS["whole, may be missing"]
    array = np.array(["", "-9", "-9.0", None, "junk", "9"], dtype=object)
    for missing, step in ((0.0, 0), (1.0, 8), (-0.5, -4)):
        found = quantise(
            column, axis_of(column), Feature("x", missing=missing), array, granularity=8
        )
        assert found.tolist() == [step] * 5 + [8]


def test_numbers_and_moments_are_as_their_texts() -> None:
    column, axis = COLUMNS["whole, may be missing"], axis_of(COLUMNS["whole, may be missing"])
    numbers = np.array([0.0, 3.7, np.nan, -9.0, np.inf, 1e300])
    written = np.array(["0", "3.7", None, "-9", "inf", "1e300"], dtype=object)
    one, two = (
        quantise(column, axis, Feature("x"), values, granularity=999)
        for values in (numbers, written)
    )
    assert one.tolist() == two.tolist()
    day, axis = COLUMNS["day"], axis_of(COLUMNS["day"])
    days = np.array(["2020-01-01", "2020-07-02", "NaT", "1999-01-01"], dtype="datetime64[D]")
    steps = quantise(day, axis, Feature("x"), days, granularity=100)
    assert steps.tolist() == [-100, 0, -100, -100]


def test_a_cell_counts_its_own_rows() -> None:
    column = Category(name="x", levels=("a", "b"), missing=("?",))
    axis = axis_of(column)
    array = np.array(["a", "b", "?", None, "zzz", "b"], dtype=object)
    for cell in range(3):
        steps = quantise(column, axis, Feature("x", cell=cell), array, granularity=5)
        assert steps.tolist() == [5 * (cell_of(column, axis, text) == cell) for text in array]


def test_levels_are_no_numbers() -> None:
    column = Category(name="x", levels=("a", "b"))
    with pytest.raises(UsageError, match="no numbers"):
        quantise(
            column, axis_of(column), Feature("x"), np.array(["a"], dtype=object), granularity=2
        )
