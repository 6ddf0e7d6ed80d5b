"""Parquet files, DuckDB tables and Arrow streams, in the types they were stored in."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.data.test_frames import DAY, MOMENT, NUMBER, WHOLE, WORD, YES, cells, expected
from understudy.data.open import open_source
from understudy.data.stored import connected
from understudy.errors import SourceError, TableMismatch
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Column, Drop, Fake
from understudy.schema.schema import Schema

ANY = Category(name="x", levels="discover")


@pytest.fixture(autouse=True, params=["0", "1TB"], ids=["in pieces", "in memory"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything here holds for both engines."""
    monkeypatch.setenv("UNDERSTUDY_MEMORY", request.param)
    return str(request.param)


def stored(folder: Path, sql: str, *, kind: str) -> Any:
    """A source whose column x holds what the SQL rows say."""
    database = folder / "t.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {sql}) AS v(x)")
        if kind == "parquet":
            connection.execute(f"COPY t TO '{folder / 't.parquet'}' (FORMAT parquet)")
    return folder / "t.parquet" if kind == "parquet" else f"duckdb:{database}?table=t"


@pytest.mark.parametrize("kind", ["parquet", "duckdb"])
@pytest.mark.parametrize(
    ("sql", "column", "texts"),
    [
        ("('a'), (NULL), ('')", WORD, ["a", None, ""]),
        ("(1), (2), (NULL)", WORD, ["1", "2", None]),
        ("(3::UTINYINT), (NULL)", WORD, ["3", None]),
        ("(3::DOUBLE), ('nan'::DOUBLE), (NULL)", WORD, ["3", None, None]),
        ("(2.00::DECIMAL(9,2)), (2.5)", WORD, ["2", "2.5"]),
        ("(true), (false), (NULL)", WORD, ["true", "false", None]),
        ("(true), (false), (NULL)", YES, ["yes", "no", None]),
        ("(DATE '2020-01-02'), (NULL)", WORD, ["2020-01-02", None]),
        ("(1), (7), (NULL), (-9223372036854775808)", WHOLE, ["1", "7", None, "-1"]),
        ("(1::HUGEINT), (99999999999999999999::HUGEINT)", WHOLE, ["1", "9"]),
        ("('2'), ('x'), (NULL)", WHOLE, ["2", "x", None]),
        ("(true)", WHOLE, ["true"]),
        ("(0.75::FLOAT), ('inf'::FLOAT), ('nan'::FLOAT)", NUMBER, ["0.75", "inf", None]),
        (
            "(DATE '2020-01-02'), (DATE '1500-01-01'), (NULL)",
            DAY,
            ["2020-01-02", "1500-01-01", None],
        ),
        ("(TIMESTAMP '2020-01-02 23:59:59.9')", DAY, ["2020-01-02"]),
        ("(DATE 'infinity'), (DATE '-290000-01-01')", DAY, [None, "0001-01-01"]),
        ("(TIMESTAMP_NS '2020-01-02 03:00:00.9'), (NULL)", MOMENT, ["2020-01-02T03:00:00", None]),
        ("(DATE '2020-01-02')", MOMENT, ["2020-01-02T00:00:00"]),
        ("(TIMESTAMPTZ '2020-01-02 03:00:00+02')", MOMENT, ["2020-01-02T01:00:00"]),
        ("('2020-01-02T05:00:00'), ('x')", MOMENT, ["2020-01-02T05:00:00", "x"]),
    ],
)
def test_values_are_their_texts(
    tmp_path: Path, kind: str, sql: str, column: Column, texts: list[str | None]
) -> None:
    assert cells(stored(tmp_path, sql, kind=kind), column) == expected(texts, column)


@pytest.mark.parametrize(
    "sql",
    [
        "('\\xAA'::BLOB), (NULL)",
        "(gen_random_uuid()), (NULL)",
        "('a'::ENUM('a', 'b')), (NULL)",
    ],
)
def test_odd_types_are_text(tmp_path: Path, sql: str) -> None:
    source = stored(tmp_path, sql, kind="duckdb")
    for column in (WORD, WHOLE, NUMBER, YES, DAY, MOMENT):
        assert sum(cells(source, column)) == 2
    backend = open_source(source, Schema(name="t", columns={"x": ANY}))
    assert list(backend.levels("x").values()) == [1]


@pytest.mark.parametrize(
    "sql",
    [
        "([1, 2])",
        "([DATE '2020-01-01'])",
        "({'a': 1})",
        "(MAP {'a': 1})",
        "(INTERVAL 1 DAY)",
        "(TIME '01:02:03')",
        "(TIMETZ '01:02:03+01')",
    ],
)
def test_types_that_cannot_always_be_written_down_are_refused(tmp_path: Path, sql: str) -> None:
    """DuckDB stops the run at some of their values; so all are refused, whatever they hold."""
    for kind in ("duckdb", "parquet"):
        source = stored(tmp_path, sql, kind=kind)
        with pytest.raises(TableMismatch, match="'x' as times of day, spans of time"):
            cells(source, WORD)
        dropped = Schema(name="t", columns={"x": Drop(name="x")}, rows=1)
        assert open_source(source, dropped).fits_declared_size()
        (tmp_path / "t.duckdb").unlink()


FAR = (2**63 - 1, -(2**63), 2**62)


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("far", FAR)
def test_no_moment_is_too_far_away(tmp_path: Path, unit: str, zone: str | None, far: int) -> None:
    """One cell that is beyond DuckDB's calendar would stop a run on everybody's rows."""
    moments = pa.array([0, far], pa.int64()).cast(pa.timestamp(unit, zone))
    for column in (MOMENT, WORD):
        if unit != "s":  # which Parquet does not have
            near = cells(moments_in(moments[:1], tmp_path / "t.parquet"), column)
            both = cells(moments_in(moments, tmp_path / "t.parquet"), column)
            assert sum(both) == 2
            assert all(a <= b for a, b in zip(near, both, strict=True))
        if zone is None or unit in ("us", "ns"):
            assert sum(cells(pa.table({"x": moments}).to_reader(), column)) == 2


def moments_in(moments: pa.Array, path: Path) -> Path:
    parquet.write_table(pa.table({"x": moments}), path)
    return path


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_streams_of_coarse_moments_in_a_zone_are_refused(unit: str) -> None:
    table = pa.table({"x": pa.array([0], pa.timestamp(unit, "UTC"))})
    with pytest.raises(TableMismatch, match="the whole table instead of a stream"):
        cells(table.to_reader(), MOMENT)
    assert sum(cells(table, MOMENT)) == 1


def test_milliseconds_need_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = moments_in(pa.array([0], pa.timestamp("ms")), tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(SourceError, match=r"stores 'x' as moments in milliseconds.*needs pyarrow"):
        cells(path, MOMENT)


def test_milliseconds_mean_what_they_mean_elsewhere(tmp_path: Path) -> None:
    """The same table in milliseconds and in microseconds, hostile text beside it."""
    texts = pa.array(["a", None, "\x00", "\u00e9"])
    schema = Schema(name="t", columns={"x": MOMENT, "w": Category(name="w", levels="discover")})
    domain = domain_of(schema, levels={"w": ("a", "\u00e9")})
    found = []
    for unit, factor in (("ms", 1), ("us", 1000)):
        seconds = [1577934000, 1577934000, 0, None]
        moments = pa.array([None if s is None else s * 1000 * factor for s in seconds], pa.int64())
        table = pa.table({"w": texts, "x": moments.cast(pa.timestamp(unit))})
        parquet.write_table(table, tmp_path / f"{unit}.parquet")
        backend = open_source(tmp_path / f"{unit}.parquet", schema)
        found.append([table.tolist() for table in backend.count(domain, [("x",), ("w", "x")])])
        found[-1].append(backend.levels("w"))
    assert found[0] == found[1]


def test_long_ids_stay_exact(tmp_path: Path) -> None:
    source = stored(tmp_path, "(9007199254740993), (9007199254740992), (NULL)", kind="parquet")
    backend = open_source(source, Schema(name="t", columns={"x": ANY}))
    assert backend.levels("x") == {"9007199254740992": 1, "9007199254740993": 1}


def test_hostile_names_of_files_and_columns(tmp_path: Path) -> None:
    names = ['a"b', "a'b", "a;--", "[x]", "\U0001f600", "c0", "row", " "]
    path = tmp_path / "we*i[r]d 'name'?.parquet"
    parquet.write_table(pa.table({name: ["v", "w"] for name in names}), path)
    parquet.write_table(pa.table({"other": ["x"]}), tmp_path / "weXird 'name'Y.parquet")
    columns = {name: Category(name=name, levels=("v",), other="o") for name in names}
    schema = Schema(name="t", columns=columns, rows=2)
    backend = open_source(path, schema)
    assert backend.fits_declared_size()
    for table in backend.count(domain_of(schema), [(name,) for name in names]):
        assert table.tolist() == [1, 1]


def test_only_needed_columns_are_read(tmp_path: Path) -> None:
    """A dropped column whose pages are destroyed does not matter."""
    path = tmp_path / "t.parquet"
    table = pa.table({"x": ["a"] * 9, "d": ["DAMAGED" * 9] * 9, "f": ["f"] * 9})
    parquet.write_table(table, path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"\x3f\0\0\0DAMAGED", b"\xff" * 11))
    columns = {"x": WORD, "d": Drop(name="d"), "f": Fake(name="f")}
    assert open_source(path, Schema(name="t", columns=columns, rows=9)).fits_declared_size()
    learned = {**columns, "d": Category(name="d", levels=("a",), other="o")}
    schema = Schema(name="t", columns=learned)
    with pytest.raises(SourceError, match="damaged"):
        open_source(path, schema).count(domain_of(schema), [("d",)])


def test_a_table_of_which_nothing_is_learned_still_has_a_size(tmp_path: Path) -> None:
    schema = Schema(name="t", columns={"x": Drop(name="x")}, rows=2)
    assert open_source(stored(tmp_path, "(1), (2)", kind="parquet"), schema).fits_declared_size()


def test_other_columns_do_not_fit(tmp_path: Path) -> None:
    source = stored(tmp_path, "(1)", kind="parquet")
    with pytest.raises(TableMismatch, match="lacks 'y'"):
        open_source(source, Schema(name="t", columns={"y": Category(name="y", levels=("a",))}))


def test_a_name_that_is_no_table_reads_nothing_else(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": ["a"]}), tmp_path / "beside.parquet")
    stored(tmp_path, "('a')", kind="duckdb")
    x = pa.table({"x": ["a"]})
    for name in ("u", "x", "schema", tmp_path / "beside.parquet", 't" UNION SELECT 1 --'):
        with pytest.raises(SourceError):
            cells(f"duckdb:{tmp_path / 't.duckdb'}?table={name}", WORD)
    assert x.num_rows == 1


def test_the_database_is_not_changed(tmp_path: Path) -> None:
    source = stored(tmp_path, "('a')", kind="duckdb")
    before = (tmp_path / "t.duckdb").read_bytes()
    cells(source, WORD)
    assert (tmp_path / "t.duckdb").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.duckdb"]


def test_connections_fetch_nothing() -> None:
    with connected() as connection:
        for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
            (value,) = connection.execute(f"SELECT current_setting('{setting}')").fetchall()
            assert value == (False,)


def test_moments_of_streams() -> None:
    table = pa.table({"x": pa.array([date(2020, 1, 2), None], pa.date32())})
    assert cells(table.to_reader(), DAY) == expected(["2020-01-02", None], DAY)
    table = pa.table({"x": pa.array([datetime(2020, 1, 2, 3), None], pa.timestamp("ms"))})
    assert cells(table.to_reader(), MOMENT) == expected(["2020-01-02T03:00:00", None], MOMENT)


def test_text_that_is_no_utf8_stops_no_run_and_changes_no_other_cell(tmp_path: Path) -> None:
    places = pa.py_buffer(np.array([0, 1, 2, 4, 5], dtype=np.int32).tobytes())
    texts = pa.StringArray.from_buffers(4, places, pa.py_buffer(b"a\xff\xc3\xa9a"))
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"x": texts}), path)
    schema = Schema(name="t", columns={"x": Category(name="x", levels="discover")})
    levels = open_source(path, schema).levels("x")
    assert levels["a"] == 2
    assert levels["\u00e9"] == 1
    assert sum(levels.values()) == 4
