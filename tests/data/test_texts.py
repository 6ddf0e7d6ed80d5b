"""Equal values have equal text, whatever carries them, and no value makes it raise."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.data.texts import text_of, valid
from understudy.schema.columns import Boolean, Category, Column, Date, Datetime, Integer

WORD = Category(name="w", levels=("a",))
YES = Boolean(name="y", true="Y", false="N")
NUMBER = Integer(name="n")
DAY = Date(name="d", min=date(2020, 1, 1), max=date(2020, 1, 2))
MOMENT = Datetime(name="m", min=datetime(2020, 1, 1), max=datetime(2020, 1, 2))
BERLIN = timezone(timedelta(hours=1))


@given(st.integers(-(2**53), 2**53))
def test_a_whole_number_has_one_text(number: int) -> None:
    carriers: list[Any] = [number, float(number), Decimal(number), np.int64(number)]
    carriers += [Decimal(f"{number}.00"), np.float64(number)]
    assert {text_of(WORD, carrier) for carrier in carriers} == {str(number)}


@given(st.floats(-1e290, 1e290))
def test_the_text_of_a_number_reads_back_as_it(number: float) -> None:
    for carrier in (number, np.float64(number), Decimal(number)):
        text = text_of(NUMBER, carrier)
        assert isinstance(text, str)
        assert float(text) == number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (float("nan"), None),
        (np.float32("nan"), None),
        (Decimal("sNaN"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.datetime64("NaT"), None),
        (True, "true"),
        (np.False_, "false"),
        (-0.0, "0"),
        (Decimal("-0"), "0"),
        (Decimal("1.50"), "1.5"),
        (np.float32(0.5), "0.5"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (10**400, "inf"),
        pytest.param(-(10**5000), "-inf", id="huge"),
        (Decimal("1e999999"), "inf"),
        (Decimal("1e-999999"), "0"),
        (1e301, "inf"),
        ("", ""),
        (np.str_("a"), "a"),
        (date(2020, 1, 2), "2020-01-02"),
        (np.datetime64("2020-01-02"), "2020-01-02T00:00:00"),
        (np.datetime64(10**17, "s"), "9999-12-31T23:59:59"),
        (np.datetime64("-2000-01-01"), "0001-01-01T00:00:00"),
        (datetime(1, 1, 1, tzinfo=BERLIN), "0001-01-01T00:00:00"),
        (datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=5))), "9999-12-31T23:59:59"),
        (1 + 0j, "1"),
        (np.complex64(2.5), "2.5"),
        (complex("nan"), None),
        (1 + 2j, "(1+2j)"),
        (timedelta(days=1, seconds=1), "1 day, 0:00:01"),
        (pd.Timedelta("1D 1s"), "1 day, 0:00:01"),
        (np.timedelta64(86401, "s"), "1 day, 0:00:01"),
        (np.timedelta64("NaT"), None),
        (pd.Interval(0, 1), "(0, 1]"),
        (pd.Interval(0.0, 1.5, closed="left"), "[0, 1.5)"),
        (datetime(2020, 1, 2, 3, 4, 5, 6), "2020-01-02T03:04:05"),
        (np.datetime64("2020-01-02T03:04:05.9"), "2020-01-02T03:04:05"),
        (pd.Timestamp("2020-01-02 03:04:05.123456789"), "2020-01-02T03:04:05"),
        (datetime(2020, 1, 2, tzinfo=BERLIN), "2020-01-01T23:00:00"),
        (Fraction(1, 3), "1/3"),
        ([1], "[1]"),
    ],
)
def test_texts(value: Any, text: str | None) -> None:
    assert text_of(WORD, value) == text


def test_booleans_are_the_words_of_their_column() -> None:
    assert [text_of(YES, value) for value in (True, np.False_, "x", 1)] == ["Y", "N", "x", "1"]


@pytest.mark.parametrize("column", [DAY, MOMENT])
def test_moments_stay_moments_where_they_are_expected(column: Column) -> None:
    midnight = datetime(2020, 1, 2)
    assert text_of(column, date(2020, 1, 2)) == midnight
    assert text_of(column, pd.Timestamp("2020-01-02", tz="UTC")) == midnight
    assert text_of(column, datetime(2020, 1, 2, 1, tzinfo=BERLIN)) == midnight
    assert text_of(column, "2020-01-02") == "2020-01-02"
    assert text_of(column, pd.NaT) is None


def test_moments_beyond_pythons_calendar_are_its_first_and_last() -> None:
    late = pd.Timestamp(np.datetime64("20000-01-01T00:00:00", "s"))
    early = pd.Timestamp(np.datetime64("-2000-01-01T00:00:00", "s"))
    assert text_of(MOMENT, late) == datetime(9999, 12, 31, 23, 59, 59)
    assert text_of(MOMENT, early) == datetime(1, 1, 1)


class Spiteful:
    """Refuses whatever may be asked of an object."""

    def __str__(self) -> str:
        raise RuntimeError("Zoe")

    __repr__ = __eq__ = __hash__ = __bool__ = __float__ = __str__  # type: ignore[assignment]


def test_no_object_makes_it_raise() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    aware = datetime.min.replace(tzinfo=BERLIN)
    for column in (WORD, YES, NUMBER, DAY, MOMENT):
        for value in (
            Spiteful(),
            deep,
            aware,
            type("S", (str,), {"__str__": Spiteful.__str__})("a"),
        ):
            assert isinstance(text_of(column, value), str | datetime | None)


def test_invalid_letters_are_replaced() -> None:
    assert valid("a\0b\ud800c\udfffd\U0001f600") == "a\ufffdb\ufffdc\ufffdd\U0001f600"
