from __future__ import annotations

import pytest
from hypothesis import given

from tests.strategies import schemas
from understudy.schema.columns import (
    Boolean,
    Category,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.describe import explain, line_of
from understudy.schema.schema import Schema

LINES = [
    (Drop(name="c"), "neither read nor released"),
    (Fake(name="c", style="email"), "never read; email values are made up"),
    (
        Category(name="c", levels="discover"),
        "text; its levels are to be bought, rare ones become 'OTHER', never missing",
    ),
    (
        Category(name="c", levels=list("abcdefg"), missing=["", "?"]),
        "one of 7 levels ('a', 'b', 'c', 'd', 'e' and 2 more), "
        "missing if written as nothing or '?'",
    ),
    (Category(name="c", levels=["a"]), "always 'a', never missing"),
    (
        Category(name="c", levels=["a", "b"], other="z"),
        "one of 2 levels ('a', 'b'), all other text becomes 'z', never missing",
    ),
    (
        Ordinal(name="c", levels=["lo", "hi"]),
        "one of 2 levels ('lo', 'hi'), in this order, never missing",
    ),
    (Boolean(name="c", true="Y", false="N"), "'Y' or 'N', never missing"),
    (Integer(name="c", min=17, max=90), "whole number from 17 to 90, never missing"),
    (Integer(name="c"), "whole number, its bounds are to be bought, never missing"),
    (
        Real(name="c", min=0, decimals=1),
        "number with 1 decimal from 0 up, the upper bound is to be bought, never missing",
    ),
    (
        Real(name="c", max=0.5, decimals=2, scale="log"),
        "number with 2 decimals up to 0.5, the lower bound is to be bought, skewed, never missing",
    ),
    (Real(name="c", bins=[0, 1, 2]), "number from 0 to 2, in 2 bins, never missing"),
    (
        Date(name="c", min="2010-01-01", max="2010-12-31", bins=1),
        "date from 2010-01-01 to 2010-12-31, in 1 bin, never missing",
    ),
    (
        Datetime(name="c", min="2010-01-01T00:00:00", max="2010-12-31T10:00:00"),
        "moment from 2010-01-01 00:00:00 to 2010-12-31 10:00:00, never missing",
    ),
]


@pytest.mark.parametrize(("column", "line"), LINES)
def test_columns_in_plain_words(column, line):
    assert line_of(column) == line


@given(schemas())
def test_one_printable_line_per_column(schema):
    lines = explain(schema)
    assert len(lines) == len(schema.columns)
    assert all(line.isprintable() and len(line) < 1000 for line in lines)


def test_names_come_first():
    schema = Schema(name="t", columns={"a": Drop(name="a"), "b": Fake(name="b")})
    assert explain(schema) == [
        "'a': neither read nor released",
        "'b': never read; id values are made up",
    ]
