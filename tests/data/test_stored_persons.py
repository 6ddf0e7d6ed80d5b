"""Persons in tables with types: both engines keep the same rows of the same people."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import duckdb
import numpy as np
import pandas
import pytest

from understudy.data.backend import Backend
from understudy.data.duckdb import DuckDBBackend
from understudy.data.memory import MemoryBackend
from understudy.data.open import open_source
from understudy.errors import TableMismatch
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Category, Column, Date, Drop, Integer, Real
from understudy.schema.schema import Schema, Unit

ROWS = 300
LEARNED: dict[str, tuple[str, Column]] = {
    "yes": ("i % 3 = 0", Boolean(name="yes", missing=("",))),
    "whole": ("i % 7", Integer(name="whole", min=0, max=6, missing=("",))),
    "real": ("i % 5 / 4.0", Real(name="real", min=0, max=1, bins=4, missing=("",))),
    "day": (
        "DATE '2020-01-01' + (i % 9)::INTEGER",
        Date(name="day", min=date(2020, 1, 1), max=date(2020, 1, 9)),
    ),
    "word": (
        "CASE WHEN i % 4 = 0 THEN NULL ELSE 'w' || (i % 3) END",
        Category(name="word", levels=("w0", "w1"), other="o", missing=("",)),
    ),
}
PERSONS = {
    "BOOLEAN": ("i % 2 = 0", 2),
    "TINYINT": ("i % 40", 40),
    "BIGINT": ("9007199254740992 + i % 40", 40),
    "UBIGINT": ("18446744073709551615::UBIGINT - (i % 40)::UBIGINT", 40),
    "DECIMAL(38,0)": ("17014118346046923173168730371588410572::DECIMAL(38,0) - (i % 40)", 40),
    "DECIMAL(9,2)": ("i % 40 + 0.25", 40),
    "DOUBLE": ("i % 40 + 0.5", 40),
    "VARCHAR": ("'p' || i % 40", 40),
    "DATE": ("DATE '2020-01-01' + (i % 40)::INTEGER", 40),
    "UUID": ("md5((i % 40)::VARCHAR)::UUID", 40),
    "BLOB": ("('p' || i % 40)::BLOB", 40),
}
MOST = 2
SCHEMA_OF_MANY = Schema(
    name="t",
    columns={"who": Drop(name="who")} | {name: column for name, (_, column) in LEARNED.items()},
    unit=Unit(column="who", max_rows=MOST),
)


@pytest.mark.parametrize("stored", ["parquet", "duckdb"])
@pytest.mark.parametrize("kind", PERSONS)
def test_both_engines_keep_the_same_rows(tmp_path: Path, kind: str, stored: str) -> None:
    sql, persons = PERSONS[kind]
    source = written(tmp_path, kind, sql, as_parquet=stored == "parquet")
    schema = replace(SCHEMA_OF_MANY, unit=Unit(column="who", max_rows=MOST, persons=persons))
    domain = domain_of(schema)
    pairs = list(combinations(schema.modelled, 2))
    found = []
    for memory, engine in (("0", DuckDBBackend), ("1TB", MemoryBackend)):
        backend = opened(source, schema, memory)
        assert isinstance(backend, engine)
        assert backend.fits_declared_size()
        found.append(backend.count(domain, pairs))
    for one, other in zip(*found, strict=True):
        assert one.sum() == MOST * persons
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("stored", ["parquet", "duckdb"])
@pytest.mark.parametrize("memory", ["0", "1TB"])
def test_moments_do_not_tell_persons_apart(tmp_path: Path, stored: str, memory: str) -> None:
    """They are read to the second: two people of one second would share one limit of rows."""
    sql = "TIMESTAMP '2020-01-01' + INTERVAL (i % 40) MILLISECOND"
    source = written(tmp_path, "TIMESTAMP", sql, as_parquet=stored == "parquet")
    with pytest.raises(TableMismatch, match=r"'who', as moments; .* store them as text"):
        opened(source, SCHEMA_OF_MANY, memory)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_moments_of_a_dataframe_name_nobody(library: str) -> None:
    """Whole columns of them, and one among other ids."""
    frames = pytest.importorskip(library)
    moment = datetime(2020, 1, 1, microsecond=5)
    schema = Schema(
        name="t",
        columns={"who": Drop(name="who"), "a": Boolean(name="a")},
        unit=Unit(column="who", max_rows=MOST),
    )
    for ids, counted in (([moment] * 3, 0), ([date(2020, 1, 1)] * 3, 2)):
        frame = frames.DataFrame({"who": ids, "a": [True] * 3})
        (found,) = opened(frame, schema, "1TB").count(domain_of(schema), [("a",)])
        assert found.sum() == counted
    mixed = pandas.DataFrame({"who": ["p", moment, np.datetime64(moment)], "a": [True] * 3})
    (found,) = opened(mixed, schema, "1TB").count(domain_of(schema), [("a",)])
    assert found.sum() == 1


BLURRED = [
    *(
        "9007199254740992.0",
        "9007199254740993.0",
        "1e22",
        "1e400",
        "2e400",
        "-1e301",
        "9" * 302,
        "1e-400",
        "Infinity",
    ),
    *("1.00000000000000000001", "0.1000000000000000000001", "[1.0]", "{}", "null"),
]
CLEAR = ["9007199254740991.0", "9007199254740993", "1", "2.0", "0.1", "0", '"Infinitely"']


@pytest.mark.parametrize("memory", ["0", "1TB"])
def test_numbers_of_json_that_are_rounded_name_nobody(tmp_path: Path, memory: str) -> None:
    """Two different ones have one text, and one person's rows would push out the other's."""
    source = tmp_path / "t.jsonl"
    lines = [f'{{"who": {one}, "a": true}}' for one in (*BLURRED, *CLEAR)]
    source.write_text("\n".join(lines), encoding="utf-8")
    schema = schema_of_one()
    (found,) = opened(source, schema, memory).count(domain_of(schema), [("a",)])
    assert found.sum() == len(CLEAR)


@pytest.mark.parametrize(
    ("pair", "persons"),
    [
        ([Decimal("1.00000000000000000001"), Decimal("1.00000000000000000002")], 0),
        ([Decimal("1.50"), Decimal("2e22")], 2),
        ([Decimal("2.00000000000000000000"), Decimal("1e-400")], 1),
        ([Decimal("1e400"), Decimal("Infinity")], 0),
        ([timedelta(seconds=1), np.timedelta64(1, "ns")], 0),
        ([time(1, 2, 3), 1j], 0),
        ([1e300, -2e300], 0),
        ([UUID(int=1), UUID(int=2)], 2),
        ([b"a", b"b"], 2),
        ([True, "x"], 2),
    ],
)
def test_values_whose_text_is_not_theirs_alone_name_nobody(pair: list[Any], persons: int) -> None:
    schema = schema_of_one()
    frame = pandas.DataFrame({"who": pandas.Series(pair, dtype=object), "a": [True] * 2})
    (found,) = opened(frame, schema, "1TB").count(domain_of(schema), [("a",)])
    assert found.sum() == persons


@pytest.mark.parametrize("who", [Drop(name="who"), Integer(name="who", min=0, max=9)])
def test_floats_that_may_be_several_whole_numbers_name_nobody(tmp_path: Path, who: Column) -> None:
    """Whatever kind the column of the ids is, whoever made floats of them."""
    path = written(tmp_path, "DOUBLE", "1152921504606846976::DOUBLE + i % 40", as_parquet=True)
    schema = replace(SCHEMA_OF_MANY, columns={**SCHEMA_OF_MANY.columns, "who": who})
    for memory in ("0", "1TB"):
        (found,) = opened(path, schema, memory).count(domain_of(schema), [("yes",)])
        assert found.sum() == 0
    frames = pytest.importorskip("polars")
    frame = frames.DataFrame({"who": [2.0**60, 5.0], "a": [True] * 2})
    schema = replace(schema_of_one(), columns={**schema_of_one().columns, "who": who})
    (found,) = opened(frame, schema, "1TB").count(domain_of(schema), [("a",)])
    assert found.sum() == 1


@pytest.mark.parametrize("stored", ["parquet", "duckdb"])
@pytest.mark.parametrize("memory", ["0", "1TB"])
def test_long_decimal_fractions_do_not_tell_persons_apart(
    tmp_path: Path, stored: str, memory: str
) -> None:
    sql = "1 + (i % 40)::DECIMAL(38,20) / 10000000000000000000::DECIMAL(38,0)"
    source = written(tmp_path, "DECIMAL(38,20)", sql, as_parquet=stored == "parquet")
    with pytest.raises(TableMismatch, match=r"'who', as long decimal fractions; .* as text"):
        opened(source, SCHEMA_OF_MANY, memory)


def schema_of_one() -> Schema:
    columns = {"who": Drop(name="who"), "a": Boolean(name="a")}
    return Schema(name="t", columns=columns, unit=Unit(column="who"))


def test_days_beyond_the_calendar_name_nobody(tmp_path: Path) -> None:
    """All of them are read as its last day."""
    sql = "CASE WHEN i < 290 THEN DATE '2020-01-01' + (i % 40)::INTEGER ELSE DATE '12000-01-01' END"
    source = written(tmp_path, "DATE", sql, as_parquet=True)
    for memory in ("0", "1TB"):
        backend = opened(source, SCHEMA_OF_MANY, memory)
        (found,) = backend.count(domain_of(SCHEMA_OF_MANY), [("yes",)])
        assert found.sum() == MOST * 40
    days = Date(name="who", min=date(2020, 1, 1), max=date(2020, 3, 1))
    schema = replace(SCHEMA_OF_MANY, columns={**SCHEMA_OF_MANY.columns, "who": days})
    for memory in ("0", "1TB"):
        (found,) = opened(source, schema, memory).count(domain_of(schema), [("yes",)])
        assert found.sum() == MOST * 40


def written(folder: Path, kind: str, sql: str, *, as_parquet: bool) -> Path | str:
    """A table whose persons are of this type; one row in ten is nobody's."""
    path, database = folder / "t.parquet", folder / "t.duckdb"
    cells = ", ".join(f"{learned} AS {name}" for name, (learned, _) in LEARNED.items())
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT CASE WHEN i % 10 = 9 AND i >= 200 THEN NULL "
            f"ELSE ({sql})::{kind} END AS who, {cells} FROM range({ROWS}) AS r(i)"
        )
        if as_parquet:
            connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path if as_parquet else f"duckdb:{database}?table=t"


def opened(source: object, schema: Schema, memory: str) -> Backend:
    """The engine for so much memory, under a key that is always the same."""
    with patch.object(os, "urandom", lambda count: b"k" * count):
        return open_source(source, schema, memory=memory)
