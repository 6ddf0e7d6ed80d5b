"""Tables as dataframes: values, types from the schema alone, nothing imported unasked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.table.examples import COLUMNS, SCHEMA, example
from understudy.errors import UsageError
from understudy.schema.axes import domain_of
from understudy.table import frames
from understudy.table.codec import decode, encode_table
from understudy.table.table import Table

PANDAS = {
    "id": "str", "age": "Int64", "visits": "int64", "cost": "float64", "score": "float64",
    "level, odd": "category", "town": "category", "grade": "category", "stage": "category",
    "cured": "boolean", "alive": "bool", "born": "datetime64[s]", "seen": "datetime64[s]",
    "left": "datetime64[s]",
}  # fmt: skip
ARROW = {
    "id": "string", "age": "int64", "visits": "int64", "cost": "double", "score": "double",
    "level, odd": "string", "town": "string", "grade": "string", "stage": "string",
    "cured": "bool", "alive": "bool", "born": "date32[day]", "seen": "date32[day]",
    "left": "timestamp[us]",
}  # fmt: skip


def plain(table: Table) -> dict[str, list[Any]]:
    """The values as Python objects, worked out one by one."""
    found: dict[str, list[Any]] = {}
    for name, values in table.columns.items():
        cells = values.data.tolist()
        if values.levels is not None:
            cells = [values.levels[index] for index in cells]
        if SCHEMA.columns[name].kind == "boolean":
            cells = [cell == SCHEMA.columns[name].true for cell in cells]  # type: ignore[attr-defined]
        gone = [False] * table.rows if values.missing is None else values.missing.tolist()
        found[name] = [None if no else cell for cell, no in zip(cells, gone, strict=True)]
    return found


def as_list(series: pd.Series) -> list[Any]:
    def cell(value: Any) -> Any:
        if pd.isna(value):
            return None
        return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value

    return [cell(value) for value in series]


def test_pandas_holds_the_same_values() -> None:
    table = example()
    frame = table.to_pandas()
    expected = plain(table)
    for name in ("born", "seen"):
        expected[name] = [
            None if day is None else datetime(day.year, day.month, day.day)
            for day in expected[name]
        ]
    assert {name: as_list(frame[name]) for name in frame} == expected


def test_polars_and_arrow_hold_the_same_values() -> None:
    table = example()
    assert table.to_polars().to_dict(as_series=False) == plain(table)
    assert table.to_arrow().to_pydict() == plain(table)


def test_duckdb_reads_a_table_as_it_is() -> None:
    made = example()
    relation = duckdb.sql("FROM made")
    assert relation.columns == list(made.columns)
    assert relation.fetchall() == list(zip(*plain(made).values(), strict=True))


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_types_follow_from_the_schema_alone(rows: int) -> None:
    table = example(rows)
    assert {name: str(dtype) for name, dtype in table.to_pandas().dtypes.items()} == PANDAS
    arrow = table.to_arrow().schema
    assert {field.name: str(field.type) for field in arrow} == ARROW
    nullable = {column.name: column.nullable for column in COLUMNS if column.kind != "drop"}
    assert {field.name: field.nullable for field in arrow} == nullable
    assert table.to_polars().schema == example(20).to_polars().schema
    assert arrow.metadata is None


def test_categories_are_all_the_declared_levels_in_order() -> None:
    frame = example(1).to_pandas()
    assert frame["grade"].cat.categories.tolist() == ["low", "mid", "high"]
    assert frame["grade"].cat.ordered
    assert not frame["town"].cat.ordered
    assert frame["town"].cat.categories.tolist() == ["a", "b", "elsewhere"]
    enum = example(1).to_polars()["grade"].dtype
    assert isinstance(enum, pl.Enum)
    assert enum.categories.to_list() == ["low", "mid", "high"]


def test_many_batches_are_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = example().to_arrow()
    monkeypatch.setattr(frames, "BATCH", 7)
    parts = example().to_arrow()
    assert parts["age"].num_chunks == 43
    assert parts.combine_chunks() == whole.combine_chunks()


def test_what_comes_out_can_come_in_again() -> None:
    table = example()
    codes = encode_table(domain_of(SCHEMA), table)
    again = decode(codes, rng=np.random.default_rng(9))
    for name, cells in encode_table(domain_of(SCHEMA), again).columns.items():
        assert (cells == codes.columns[name]).all()


@pytest.mark.parametrize(
    ("native", "kind"),
    [
        (pd.DataFrame(), pd.DataFrame),
        (pl.DataFrame(), pl.DataFrame),
        (pl.LazyFrame(), pl.LazyFrame),
        (pa.table({}), pa.Table),
        ("rows.csv", Table),
        (object(), Table),
    ],
)
def test_the_same_kind_comes_out(native: object, kind: type) -> None:
    assert isinstance(example().to_like(native), kind)


def test_a_relation_comes_out_for_a_relation() -> None:
    made = example().to_like(duckdb.sql("SELECT 1"))
    assert isinstance(made, duckdb.DuckDBPyRelation)
    assert len(made.fetchall()) == 300


class Mine(pd.DataFrame):
    """A frame of somebody's own, as geopandas has."""


def test_a_kind_built_on_pandas_counts_as_pandas() -> None:
    assert isinstance(example().to_like(Mine()), pd.DataFrame)


@pytest.mark.parametrize(
    ("library", "make", "advice"),
    [
        ("pandas", Table.to_pandas, "pip install pandas"),
        ("polars", Table.to_polars, "pip install polars"),
        ("pyarrow", Table.to_arrow, r"understudy\[arrow\]"),
    ],
)
def test_a_library_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, library: str, make: Callable[[Table], Any], advice: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"{library} is not installed.*{advice}"):
        make(example())


def test_days_before_1970_stay_days() -> None:
    born = example().to_polars()["born"]
    assert born.min() >= date(1085, 1, 1)  # type: ignore[operator]
    assert born.min() < date(1500, 1, 1)  # type: ignore[operator]
