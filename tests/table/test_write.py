"""Files of every format, read back by other people's readers."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from pyarrow import feather

from tests.table.examples import LEVELS, SCHEMA, example
from understudy.errors import SourceError, UsageError
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Date, Real
from understudy.schema.schema import Dialect, Schema
from understudy.table import parquet, write
from understudy.table.codec import encode, encode_table
from understudy.table.table import Table, Values
from understudy.table.write import check_ending, write_table

ENDINGS = (".csv", ".csv.gz", ".parquet", ".feather", ".arrow", ".jsonl")


def bytes_of(table: Table, folder: Path, ending: str = ".csv") -> bytes:
    place = folder / f"rows{ending}"
    write_table(table, place, force=True)
    return place.read_bytes()


def rows_of(data: bytes, dialect: Dialect | None = None) -> list[list[str]]:
    dialect = dialect or Dialect()
    text = io.StringIO(data.decode(dialect.encoding), newline="")
    return list(csv.reader(text, delimiter=dialect.delimiter, strict=True))


def cells_of(table: Table, columns: dict[str, list[Any]]) -> None:
    """Check that text columns read from a file have the cells that were written."""
    domain = domain_of(table.schema)
    expected = encode_table(domain, table).columns
    for name, axis in domain.axes.items():
        texts = np.empty(table.rows, dtype=object)
        texts[:] = columns[name]
        found = encode(table.schema.columns[name], axis, texts)
        assert (found == expected[name]).all(), name


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect(),
        Dialect(delimiter=";", encoding="latin-1"),
        Dialect(delimiter="\t", encoding="utf-16", header=False),
        Dialect(delimiter="|", encoding="utf-8-sig"),
    ],
)
def test_csv_goes_back_to_its_cells_in_every_dialect(tmp_path: Path, dialect: Dialect) -> None:
    table = example(dialect=dialect)
    rows = rows_of(bytes_of(table, tmp_path), dialect)
    if dialect.header:
        assert rows.pop(0) == list(table.columns)
    assert len(rows) == 300
    cells_of(table, dict(zip(table.columns, map(list, zip(*rows, strict=True)), strict=True)))


def test_csv_writes_each_kind_as_the_schema_says(tmp_path: Path) -> None:
    rows = rows_of(bytes_of(example(), tmp_path))
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    assert set(columns["cured"]) == {"yes", "no", "unknown"}
    assert set(columns["alive"]) == {"true", "false"}
    assert set(columns["grade"]) == {"low", "mid", "high", "-"}
    assert set(columns["level, odd"]) == {*LEVELS, ""}
    assert "NA" in columns["age"]
    assert "?" not in columns["age"]
    assert "never" in columns["seen"]
    assert all(len(text.split(".")[1]) == 2 for text in columns["cost"] if text)
    assert all(float(text) == number for text, number in
               zip(columns["score"], example().columns["score"].data, strict=True))  # fmt: skip
    assert all(len(text) == 10 and text[2] == text[5] == "." for text in columns["born"])


def test_a_level_is_quoted_only_where_it_must_be(tmp_path: Path) -> None:
    schema = Schema(name="t", columns={"x": Category(name="x", levels=("a b", 'q"', "c,"))})
    table = Table(schema, {"x": Values(np.array([0, 1, 2]), ("a b", 'q"', "c,"))}, 3)
    assert bytes_of(table, tmp_path) == b'x\na b\n"q"""\n"c,"\n'


def test_an_empty_text_alone_in_its_line_is_a_row(tmp_path: Path) -> None:
    schema = Schema(name="t", columns={"x": Category(name="x", levels=("a",), missing=("",))})
    gone = np.array([True, False])
    table = Table(schema, {"x": Values(np.array([0, 0]), ("a",), gone)}, 2)
    assert rows_of(bytes_of(table, tmp_path)) == [["x"], [""], ["a"]]


def test_a_level_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    columns = {"x": Category(name="x", levels=("☃",))}
    schema = Schema(name="t", columns=columns, csv=Dialect(encoding="latin-1"))
    table = Table(schema, {"x": Values(np.array([0]), ("☃",))}, 1)
    with pytest.raises(UsageError, match=r"latin-1.*utf-8"):
        write_table(table, tmp_path / "rows.csv")
    assert list(tmp_path.iterdir()) == []


def test_decimals_that_would_change_the_number_are_not_enough(tmp_path: Path) -> None:
    schema = Schema(name="t", columns={"x": Real(name="x", min=0, max=1, decimals=1)})
    table = Table(schema, {"x": Values(np.array([0.5, 0.25, 1.0]))}, 3)
    assert bytes_of(table, tmp_path) == b"x\n0.5\n0.25\n1.0\n"


def test_json_lines_go_back_to_their_cells(tmp_path: Path) -> None:
    table = example()
    rows = [json.loads(line) for line in bytes_of(table, tmp_path, ".jsonl").splitlines()]
    assert [list(row) for row in rows] == [list(table.columns)] * 300
    assert {row["cured"] for row in rows} == {True, False, None}
    assert {row["level, odd"] for row in rows} == {*LEVELS, None}
    cells_of(table, {name: [row[name] for row in rows] for name in table.columns})


def test_parquet_and_arrow_hold_the_values(tmp_path: Path) -> None:
    table = example()
    for ending in (".parquet", ".feather", ".arrow"):
        write_table(table, tmp_path / f"rows{ending}")
    expected = table.to_polars().with_columns(pl.selectors.enum().cast(pl.String))
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(expected)
    for ending in (".feather", ".arrow"):
        assert feather.read_table(tmp_path / f"rows{ending}").equals(table.to_arrow())


def test_the_metadata_of_parquet_comes_from_the_schema_alone(tmp_path: Path) -> None:
    place = tmp_path / "rows.parquet"
    write_table(example(3), place)
    pairs = duckdb.sql(f"SELECT * FROM parquet_kv_metadata('{place}')").fetchall()
    assert pairs == []
    empty = tmp_path / "empty.parquet"
    write_table(example(0), empty)
    types = [duckdb.sql(f"DESCRIBE FROM '{path}'").fetchall() for path in (place, empty)]
    assert types[0] == types[1]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, ending: str) -> None:
    assert bytes_of(example(), tmp_path, ending) == bytes_of(example(), tmp_path, ending)
    assert bytes_of(example(), tmp_path, ending) != bytes_of(example(seed=6), tmp_path, ending)


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_rows_are_a_table_too(tmp_path: Path, ending: str) -> None:
    data = bytes_of(example(0), tmp_path, ending)
    if ending == ".csv":
        assert rows_of(data) == [list(example().columns)]


def test_blocks_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = Dialect(encoding="utf-16")
    table = example(dialect=dialect)
    whole = {ending: bytes_of(table, tmp_path, ending) for ending in (".csv", ".jsonl")}
    monkeypatch.setattr(write, "BLOCK", 7)
    assert {ending: bytes_of(table, tmp_path, ending) for ending in whole} == whole


def test_compressed_csv_is_the_csv(tmp_path: Path) -> None:
    packed = bytes_of(example(), tmp_path, ".csv.gz")
    assert gzip.decompress(packed) == bytes_of(example(), tmp_path)
    assert packed[4:8] == b"\0\0\0\0"  # no time stamp
    assert not packed[3]  # no file name


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_existing_file_is_kept_without_force(tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"rows{ending}"
    place.write_text("old")
    with pytest.raises(UsageError, match="--force"):
        write_table(example(3), place)
    assert place.read_text() == "old"
    write_table(example(3), place, force=True)
    assert place.read_bytes() != b"old"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failure_half_way_leaves_nothing(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("half way")

    monkeypatch.setattr(write, "_number_texts", fail)
    monkeypatch.setattr(Table, "to_arrow", fail)
    monkeypatch.setattr(parquet, "pages", fail)
    with pytest.raises(Exception, match="half way"):
        write_table(example(), tmp_path / f"rows{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_folder_that_is_not_there_is_a_source_error(tmp_path: Path, ending: str) -> None:
    with pytest.raises(SourceError, match="cannot write"):
        write_table(example(3), tmp_path / "nowhere" / f"rows{ending}")


@pytest.mark.parametrize("name", ["rows", "rows.xlsx", "csv", "rows.gz", "rows.csv.zip"])
def test_an_unknown_ending_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.csv, \.csv\.gz, \.parquet"):
        write_table(example(3), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_endings_are_told_in_any_case() -> None:
    assert check_ending(Path("ROWS.CSV.GZ")) is not check_ending(Path("rows.csv"))


def test_a_date_format_of_its_own_is_written(tmp_path: Path) -> None:
    column = Date(name="x", min=date(2020, 2, 28), max=date(2020, 3, 1), format="%d %b %y")
    schema = replace(SCHEMA, columns={"x": column})
    days = np.array(["2020-02-28", "2020-02-29", "2020-02-28"], dtype="datetime64[D]")
    table = Table(schema, {"x": Values(days)}, 3)
    assert bytes_of(table, tmp_path) == b"x\n28 Feb 20\n29 Feb 20\n28 Feb 20\n"
