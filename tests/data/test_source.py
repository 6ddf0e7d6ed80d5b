"""What a name means, by the name alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from understudy.data.source import Form, parse
from understudy.errors import UsageError


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", Form.CSV),
        ("A.CSV", Form.CSV),
        ("a.csv.gz", Form.CSV_GZ),
        ("a.jsonl", Form.JSONL),
        ("x.csv/a.parquet", Form.PARQUET),
        ("a.feather", Form.FEATHER),
        ("a.arrow", Form.FEATHER),
    ],
)
def test_files(name: str, form: Form) -> None:
    for source in (name, Path(name)):
        found = parse(source)
        assert (found.form, found.path, found.table, found.name) == (form, Path(name), None, name)


def test_standard_input_and_dataframes() -> None:
    assert parse("-").form is Form.STDIN
    frame = object()
    found = parse(frame)
    assert (found.form, found.frame, found.name) == (Form.FRAME, frame, "the object given")
    assert "frame=" not in repr(found)


@pytest.mark.parametrize(
    ("name", "path", "table"),
    [
        ("duckdb:a.db?table=t", "a.db", "t"),
        ("duckdb:/x y/a?.db?table=my%20table", "/x y/a?.db", "my table"),
    ],
)
def test_duckdb_tables(name: str, path: str, table: str) -> None:
    found = parse(name)
    assert (found.form, found.path, found.table) == (Form.DUCKDB, Path(path), table)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("a.xlsx", "cannot tell the format of a.xlsx .*; give a file ending in .csv, .csv.gz"),
        ("a.gz", "cannot tell the format"),
        ("", "cannot tell the format"),
        ("duckdb:a.db", "write duckdb:FILE\\?table=NAME"),
        ("duckdb:?table=t", "write duckdb:FILE\\?table=NAME"),
        ("duckdb:a?table=t&table=u", "write duckdb:FILE\\?table=NAME"),
        ("duckdb:a?table=", "write duckdb:FILE\\?table=NAME"),
        ("postgresql://u@h/db?table=t", "cannot read tables in PostgreSQL yet; export"),
        ("spark:t.parquet", "cannot read Spark tables yet; export"),
        (None, "a table is needed, not NoneType"),
        (True, "a table is needed, not bool"),
    ],
)
def test_refusals(source: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse(source)


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        parse("postgresql://user:hunter2@host/db?table=t")
    assert "hunter2" not in str(caught.value)
