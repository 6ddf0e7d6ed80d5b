"""The grammar of numbers and moments, case by case and against DuckDB's reading of it."""

from __future__ import annotations

import re
from datetime import date, datetime

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.table.strategies import texts
from understudy.schema.columns import Date, Datetime, Integer
from understudy.table.reading import NUMBER, moment_in, number_in, place_in

INF = float("inf")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0.0), ("-0", 0.0), ("12", 12.0), ("+12", 12.0), (" 12\t", 12.0), ("5.", 5.0),
        (".5", 0.5), ("1.5e3", 1500.0), ("1E-2", 0.01), ("inf", INF), ("-Infinity", -INF),
        ("INF", INF), ("1e999", INF), ("-1e999", -INF), ("1e-999", 0.0), ("9" * 400, INF),
        ("9007199254740993", 9007199254740992.0), ("0.1", 0.1),
    ],
)  # fmt: skip
def test_numbers_are_read(text: str, number: float) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize(
    "text",
    ["", " ", "nan", "NaN", "-nan", "1,5", "1 000", "1_000", "0x10", ".", "+", "e5", "1e", "1e+",
     "--1", "٣", "１２", "1\n", "\n1", "\x001", "1\x00", "infinit", "in", "1.2.3", "\u00a01"],
)  # fmt: skip
def test_other_texts_are_no_numbers(text: str) -> None:
    assert number_in(text) is None


def test_a_long_run_of_digits_is_told_from_a_number_in_no_time() -> None:
    assert number_in("1" * 1_000_000 + "x") is None


@given(texts)
def test_the_grammar_is_the_whole_truth(text: str) -> None:
    if re.fullmatch(NUMBER, text):
        assert number_in(text) == float(text)
    else:
        assert number_in(text) is None


@settings(max_examples=60)
@given(st.lists(texts, min_size=1, max_size=30))
def test_duckdb_can_read_by_the_same_grammar(some: list[str]) -> None:
    some = [text.encode("utf-8", "replace").decode() for text in some if "\x00" not in text]
    query = (
        "SELECT CASE WHEN regexp_full_match(t, $1) THEN TRY_CAST(trim(t, ' \t') AS DOUBLE) END "
        "FROM (SELECT unnest($2::VARCHAR[]) AS t)"
    )
    rows = duckdb.connect().execute(query, [NUMBER, some]).fetchall()
    assert [row[0] for row in rows] == [number_in(text) for text in some]


@pytest.mark.parametrize(
    ("text", "form", "moment"),
    [
        ("2020-02-29", "%Y-%m-%d", datetime(2020, 2, 29)),
        (" 2020-02-29\t", "%Y-%m-%d", datetime(2020, 2, 29)),
        ("2020-2-9", "%Y-%m-%d", datetime(2020, 2, 9)),
        ("29.02.2020", "%d.%m.%Y", datetime(2020, 2, 29)),
        ("2020-02-29T23:59:59", "%Y-%m-%dT%H:%M:%S", datetime(2020, 2, 29, 23, 59, 59)),
        ("0001-01-01", "%Y-%m-%d", datetime(1, 1, 1)),
        ("2019年05月01日", "%Y年%m月%d日", datetime(2019, 5, 1)),
    ],
)
def test_moments_are_read(text: str, form: str, moment: datetime) -> None:
    assert moment_in(text, form) == moment


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("2020-02-30", "%Y-%m-%d"),
        ("2021-02-29", "%Y-%m-%d"),
        ("0000-01-01", "%Y-%m-%d"),
        ("2020-02-29T00:00:00", "%Y-%m-%d"),
        ("2020-02-29", "%Y-%m-%dT%H:%M:%S"),
        ("2020-02-29T23:59:60", "%Y-%m-%dT%H:%M:%S"),
        ("2020-02-29T23:59:59Z", "%Y-%m-%dT%H:%M:%S"),
        ("2020-02-29T23:59:59+0100", "%Y-%m-%dT%H:%M:%S%z"),
        ("٢٠٢٠-02-29", "%Y-%m-%d"),
        ("20200229", "%Y-%m-%d"),
        ("2020-W09-6", "%Y-%m-%d"),
        ("", "%Y-%m-%d"),
        ("2020", "%Y %Y"),
        ("2020", "%Q"),
    ],
)
def test_other_texts_are_no_moments(text: str, form: str) -> None:
    assert moment_in(text, form) is None


@given(texts, st.sampled_from(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")))
def test_the_short_cut_for_iso_reads_what_strptime_reads(text: str, form: str) -> None:
    try:
        expected = datetime.strptime(text.strip(" \t"), form)
    except ValueError:
        expected = None
    if expected is None or text.isascii():
        assert moment_in(text, form) == expected


def test_places_count_days_and_seconds_from_1970() -> None:
    day = Date(name="d", min=date(1900, 1, 1), max=date(2100, 1, 1))
    second = Datetime(
        name="s",
        min=datetime(1900, 1, 1),
        max=datetime(2100, 1, 1),
        format="%Y-%m-%d %H:%M:%S.%f",
    )
    assert place_in(day, "1970-01-02") == 1
    assert place_in(day, "1969-12-31") == -1
    assert place_in(second, "1970-01-01 00:01:00.999") == 60
    assert place_in(second, "1969-12-31 23:59:59.999") == -1
    assert place_in(Integer(name="i", min=0, max=1), "3.7") == 3.7
