"""Our Parquet files, read back by three readers that share no code with the writer."""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.table.examples import example
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Integer,
    Real,
)
from understudy.schema.schema import Schema
from understudy.table import parquet, thrift
from understudy.table.parquet import write_parquet_to
from understudy.table.read import read_columns
from understudy.table.table import Table, Values, joined

SPREADS = (1, 2, 255, 256, 257, 1 << 16, (1 << 16) + 1, 1 << 24, 1 << 31, 1 << 40, 1 << 62)
COUNTS = st.one_of(st.integers(1, 40), st.sampled_from((127, 128, 129, 130, 160, 161, 162, 1025)))


def bytes_of(pieces: Iterable[Table]) -> bytes:
    stream = io.BytesIO()
    write_parquet_to(pieces, stream)
    return stream.getvalue()


def table_of(column: Column, values: Values) -> Table:
    return Table(Schema(name="t", columns={column.name: column}), {"x": values}, len(values.data))


def check(table: Table, folder: Any) -> None:
    """Polars, pyarrow and DuckDB find the rows that were written, and their types."""
    data = bytes_of([table])
    wanted = table.to_polars().with_columns(pl.selectors.enum().cast(pl.String))
    assert pl.read_parquet(io.BytesIO(data)).equals(wanted)
    assert pq.read_table(io.BytesIO(data)).equals(table.to_arrow())
    place = folder / "rows.parquet"
    place.write_bytes(data)
    for name, found in read_columns(place).items():
        assert np.ma.getmaskarray(found).tolist() == wanted[name].is_null().to_list()
        there = ~np.ma.getmaskarray(found)
        mine = wanted[name].filter(pl.Series(there)).to_numpy()
        assert (np.ma.getdata(found)[there] == mine).all()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tmp_path_factory.mktemp("parquet")


def missing(rng: np.random.Generator, rows: int) -> Any:
    """None missing, all missing, or some."""
    return rng.random(rows) < rng.choice([0.0, 1.0, 0.3])


@settings(max_examples=60)
@given(COUNTS, st.sampled_from(SPREADS), st.integers(-(2**61), 2**61), st.booleans())
def test_integers_of_any_spread(
    folder: Any, rows: int, spread: int, low: int, nullable: bool
) -> None:
    rng = np.random.default_rng(rows)
    numbers = low + rng.integers(0, spread, rows)
    numbers[rng.integers(rows)] = low + spread - 1
    gone = missing(rng, rows) if nullable else None
    column = Integer(name="x", missing=("",) if nullable else ())
    check(table_of(column, Values(numbers, missing=gone)), folder)


@settings(max_examples=40)
@given(COUNTS, st.sampled_from((1, 2, 3, 5, 16, 17, 128, 129, 256, 257, 70_000)), st.booleans())
def test_any_number_of_levels(folder: Any, rows: int, count: int, nullable: bool) -> None:
    rng = np.random.default_rng(count)
    levels = tuple(f"é{number}" for number in range(count))
    codes = rng.integers(0, count, rows).astype(np.min_scalar_type(count - 1))
    gone = missing(rng, rows) if nullable else None
    column = Category(name="x", levels=levels, missing=("",) if nullable else ())
    check(table_of(column, Values(codes, levels, gone)), folder)


@settings(max_examples=20)
@given(COUNTS, st.integers(0, 9), st.booleans())
def test_booleans_and_reals(folder: Any, rows: int, seed: int, nullable: bool) -> None:
    rng = np.random.default_rng(seed)
    gone = missing(rng, rows) if nullable else None
    code = ("",) if nullable else ()
    truths = Values(rng.integers(0, 2, rows).astype(np.uint8), ("false", "true"), gone)
    check(table_of(Boolean(name="x", missing=code), truths), folder)
    check(table_of(Real(name="x", missing=code), Values(rng.normal(size=rows), None, gone)), folder)


@settings(max_examples=20)
@given(COUNTS, st.integers(1, 60_000), st.integers(1, 10**9))
def test_days_and_moments(folder: Any, rows: int, days: int, seconds: int) -> None:
    rng = np.random.default_rng(rows)
    first = np.datetime64("1900-01-01", "D")
    found = first + rng.integers(0, days, rows)
    day = Date(name="x", min=date(1900, 1, 1), max=date(2100, 1, 1))
    check(table_of(day, Values(found)), folder)
    moments = first.astype("datetime64[s]") + rng.integers(0, seconds, rows)
    moment = Datetime(name="x", min=datetime(1900, 1, 1), max=datetime(2100, 1, 1))
    check(table_of(moment, Values(moments)), folder)


def test_every_kind_in_many_groups(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP", 37)
    check(example(), folder)
    assert pq.ParquetFile(io.BytesIO(bytes_of([example()]))).num_row_groups == 9


def test_pieces_are_one_table() -> None:
    one, two = example(40, seed=1), example(3, seed=2)
    found = pq.read_table(io.BytesIO(bytes_of(iter([one, two]))))
    assert found.equals(joined([one, two]).to_arrow())


def test_a_piece_without_rows_adds_none() -> None:
    found = pq.read_table(io.BytesIO(bytes_of([example(0), example(5), example(0)])))
    assert found.equals(example(5).to_arrow())


def test_codes_take_as_little_room_as_they_can() -> None:
    """A thousand codes of three bits, a dictionary, and little else."""
    levels = tuple("abcde")
    codes = (np.arange(8_000) % 5).astype(np.uint8)
    data = bytes_of([table_of(Category(name="x", levels=levels), Values(codes, levels))])
    assert 3_000 < len(data) < 3_400


def test_many_columns() -> None:
    """Lists of 15 items and more hold their length in another place."""
    columns = {f"c{place}": Integer(name=f"c{place}") for place in range(40)}
    values = {name: Values(np.arange(3) + place) for place, name in enumerate(columns)}
    table = Table(Schema(name="t", columns=columns), values, 3)
    assert pq.read_table(io.BytesIO(bytes_of([table]))).equals(table.to_arrow())


def test_whole_numbers_on_the_wire() -> None:
    """From the specification of the protocol: 7 bits at a time, and signs folded in."""
    assert thrift.varint(300) == b"\xac\x02"
    signed = [thrift.int32(number).bytes for number in (0, -1, 1, -2, 150)]
    assert signed == [b"\x00", b"\x01", b"\x02", b"\x03", b"\xac\x02"]
