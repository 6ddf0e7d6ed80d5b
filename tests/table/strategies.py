"""Columns, texts and cells for Hypothesis: any kind, hostile texts, few and many cells."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from understudy.errors import SchemaError
from understudy.schema.axes import axis_of
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.domain import Axis

HOSTILE = (
    "", " ", "a", "b,c", 'say "x"', "two\nlines", "\r", "=cmd()", "é", "true", "-9", "7", "7.5",
    "NA", "nan", "inf", "-Infinity", "1e999", "-1e400", "0x10", "1_000", "٣", "１２", "2020-02-30",
    "2020-02-29", " 2020-02-29 ", "2020-02-29T23:59:60", "2020-02-29T10:11:12", "\x00", "\ud800",
    "2020-02-29T10:11:12+01:00", ".", "+", "e5", "5.", ".5", "+.5e-1", " 12\t", "1" * 400, "😀",
)  # fmt: skip
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(codec=None), max_size=12),
    st.from_regex(r"[ \t]?[+-]?[0-9]{1,3}(\.[0-9]{0,3})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.dates(date(1990, 1, 1), date(2030, 1, 1)).map(str),
    st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)).map(lambda d: d.isoformat("T")),
)
levels = st.lists(
    st.sampled_from(("a", "b,c", 'say "x"', "=cmd()", "é", "true", "7", "😀", " x ")),
    min_size=1, max_size=5, unique=True,
)  # fmt: skip
codes = st.sampled_from(((), ("",), ("NA", ""), ("-9", "?"), ("7",), ("2020-02-29",), ("99.5",)))


@st.composite
def columns(draw: Any) -> tuple[Column, Axis]:
    """A column with its axis."""
    kind = draw(st.sampled_from((_category, _ordinal, _boolean, _integer, _real, _date, _moment)))
    try:
        column = draw(kind())
    except SchemaError:
        assume(False)
    return column, axis_of(column)


def _category() -> st.SearchStrategy[Column]:
    return st.builds(
        Category,
        name=st.just("x"),
        levels=levels.map(tuple),
        missing=codes,
        other=st.sampled_from((None, "OTHER")),
    )


def _ordinal() -> st.SearchStrategy[Column]:
    return st.builds(Ordinal, name=st.just("x"), levels=levels.map(tuple), missing=codes)


def _boolean() -> st.SearchStrategy[Column]:
    return st.builds(
        Boolean,
        name=st.just("x"),
        true=st.sampled_from(("true", "yes", "1")),
        false=st.sampled_from(("false", "no", "0")),
        missing=codes,
    )


bins = st.one_of(st.none(), st.integers(1, 40))
scales = st.sampled_from(("linear", "log"))


@st.composite
def _integer(draw: Any) -> Column:
    low = draw(st.integers(-(10**6), 10**6))
    high = low + draw(st.sampled_from((0, 1, 5, 100, 127, 128, 1000, 10**7)))
    return Integer(
        name="x", min=low, max=high, missing=draw(codes), bins=draw(bins), scale=draw(scales)
    )


@st.composite
def _real(draw: Any) -> Column:
    low = draw(st.floats(-1e7, 1e7))
    high = low + draw(st.sampled_from((0.0, 1e-3, 0.4, 10.0, 1e6, 1e300)))
    return Real(
        name="x",
        min=low,
        max=high,
        missing=draw(codes),
        bins=draw(bins),
        scale=draw(scales),
        decimals=draw(st.sampled_from((None, 0, 2, 15))),
    )


@st.composite
def _date(draw: Any) -> Column:
    low = draw(st.dates(date(1000, 1, 1), date(2100, 1, 1)))
    high = draw(st.dates(low, date(9999, 12, 31)))
    form = draw(st.sampled_from(("%Y-%m-%d", "%d.%m.%Y", "%d %b %Y")))
    return Date(name="x", min=low, max=high, missing=draw(codes), bins=draw(bins), format=form)


@st.composite
def _moment(draw: Any) -> Column:
    whole = st.datetimes(datetime(1000, 1, 1), datetime(9999, 1, 1)).map(
        lambda moment: moment.replace(microsecond=0)
    )
    low, high = sorted((draw(whole), draw(whole)))
    form = draw(st.sampled_from(("%Y-%m-%dT%H:%M:%S", "%d/%m/%Y %H:%M:%S")))
    return Datetime(name="x", min=low, max=high, missing=draw(codes), bins=draw(bins), format=form)
