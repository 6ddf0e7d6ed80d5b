"""A small table of every kind of column, with hostile levels and missing cells."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import numpy as np

from understudy.schema.axes import domain_of
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.schema import Dialect, Schema
from understudy.table.codec import decode
from understudy.table.table import Codes, Table

LEVELS = (
    "plain",
    "b;c,d",
    'say "x"',
    "two\nlines",
    "cr\rlf\r\n",
    "=cmd|' /C calc'!A0",
    " é ",
    "-1",
)
COLUMNS: tuple[Column, ...] = (
    Fake(name="id"),
    Integer(name="age", min=0, max=90, missing=("NA", "?")),
    Integer(name="visits", min=-5, max=5),
    Real(name="cost", min=-10, max=1e6, scale="log", decimals=2, missing=("",)),
    Real(name="score", min=-1e-3, max=1e-3),
    Category(name="level, odd", levels=LEVELS, missing=("", "none")),
    Category(name="town", levels=("a", "b"), other="elsewhere"),
    Ordinal(name="grade", levels=("low", "mid", "high"), missing=("-",)),
    Ordinal(name="stage", levels=("i", "ii")),
    Boolean(name="cured", true="yes", false="no", missing=("unknown",)),
    Boolean(name="alive"),
    Drop(name="secret"),
    Date(name="born", min=date(1085, 1, 1), max=date(2020, 12, 31), format="%d.%m.%Y", bins=3),
    Date(name="seen", min=date(2019, 1, 1), max=date(2020, 12, 31), missing=("never",)),
    Datetime(name="left", min=datetime(1960, 1, 1), max=datetime(2020, 12, 31), missing=("",)),
)
SCHEMA = Schema(name="every kind", columns={column.name: column for column in COLUMNS})


def example(rows: int = 300, *, dialect: Dialect | None = None, seed: int = 5) -> Table:
    """Rows that visit every cell of every column of ``SCHEMA``."""
    schema = SCHEMA if dialect is None else replace(SCHEMA, csv=dialect)
    domain = domain_of(schema)
    rng = np.random.default_rng(seed)
    codes = {
        name: rng.permutation(np.arange(rows) % axis.size).astype(np.uint8)
        for name, axis in domain.axes.items()
    }
    return decode(Codes(domain, codes, rows), rng=rng)
