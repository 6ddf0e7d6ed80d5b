"""Dataframes: no meaning hangs on a column's type, which a single cell may change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import nanoarrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.oracle import reference_count
from understudy.data.open import open_source
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Category, Column, Date, Datetime, Drop, Integer, Real
from understudy.schema.schema import Schema, Unit

WORD = Category(
    name="x", levels=("1", "2", "3", "true", "2020-01-02", "a"), other="o", missing=("",)
)
WHOLE = Integer(name="x", min=0, max=5, missing=("",))
NUMBER = Real(name="x", min=0, max=5, bins=10, missing=("",))
YES = Boolean(name="x", true="yes", false="no", missing=("",))
DAY = Date(name="x", min=date(2020, 1, 1), max=date(2020, 1, 9), missing=("",))
MOMENT = Datetime(
    name="x", min=datetime(2020, 1, 1), max=datetime(2020, 1, 9), bins=16, missing=("",)
)


def cells(frame: Any, column: Column) -> list[list[int]]:
    """The cells of the rows of a frame of one column, one by one."""
    schema = Schema(name="t", columns={"x": column})
    domain = domain_of(schema)
    return open_source(frame, schema).count(domain, [("x",)])[0].tolist()


def expected(texts: list[str | None], column: Column) -> list[int]:
    schema = Schema(name="t", columns={"x": column})
    (table,) = reference_count([[text] for text in texts], domain_of(schema), [("x",)])
    return table.tolist()


MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.DataFrame({"x": values}),
    "pandas object": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "pandas arrow": lambda values: pd.DataFrame({"x": values}).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "pandas nullable": lambda values: pd.DataFrame({"x": values}).convert_dtypes(),
    "pandas category": lambda values: pd.DataFrame({"x": pd.Series(values).astype("category")}),
    "polars": lambda values: pl.DataFrame({"x": values}),
    "polars lazy": lambda values: pl.LazyFrame({"x": values}),
    "pyarrow": lambda values: pa.table({"x": values}),
    "arrow stream": lambda values: pa.table({"x": values}).to_reader(),
    "nanoarrow": lambda values: nanoarrow.ArrayStream(pa.table({"x": values}).to_reader()),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize(
    ("column", "values", "texts"),
    [
        (WORD, ["a", "b", "", None], ["a", "b", "", None]),
        (WORD, [1, 2, 7, None], ["1", "2", "7", None]),
        (WORD, [1.0, 2.5, None], ["1", "2.5", None]),
        (WORD, [True, False, None], ["true", "false", None]),
        (WORD, [date(2020, 1, 2), None], ["2020-01-02", None]),
        (WHOLE, [1, 9, -4, None], ["1", "9", "-4", None]),
        (WHOLE, [1.0, 2.9, float("inf"), None], ["1", "2.9", "inf", None]),
        (WHOLE, ["1", " 2", "x", "", None], ["1", " 2", "x", "", None]),
        (WHOLE, [True, False], ["true", "false"]),
        (NUMBER, [0.25, 4.99, -1e300, None], ["0.25", "4.99", "-1e300", None]),
        (NUMBER, [1, 2, None], ["1", "2", None]),
        (YES, [True, False, None, True], ["yes", "no", None, "yes"]),
        (YES, ["yes", "no", "maybe", None], ["yes", "no", "maybe", None]),
        (DAY, [date(2020, 1, 2), date(1066, 1, 1), None], ["2020-01-02", "1066-01-01", None]),
        (DAY, [datetime(2020, 1, 2, 23), None], ["2020-01-02", None]),
        (DAY, ["2020-01-02", "x", None], ["2020-01-02", "x", None]),
        (DAY, [20200102, None], ["20200102", None]),
        (MOMENT, [datetime(2020, 1, 2, 3), None], ["2020-01-02T03:00:00", None]),
        (MOMENT, [date(2020, 1, 2), None], ["2020-01-02T00:00:00", None]),
    ],
)
def test_values_are_their_texts(
    make: Callable[[list[Any]], Any], column: Column, values: list[Any], texts: list[str | None]
) -> None:
    assert cells(make(values), column) == expected(texts, column)


NUMBERS = st.lists(st.integers(-3, 2**60), min_size=1, max_size=6)
INTRUDERS = st.sampled_from([None, np.nan, pd.NA, "x", 1.5, True, 2**63, 10**400, date(2020, 1, 1)])


@given(NUMBERS, INTRUDERS, st.sampled_from([WORD, WHOLE, NUMBER, DAY, YES]))
def test_one_cell_never_changes_the_cells_of_others_in_pandas(
    numbers: list[int], intruder: Any, column: Column
) -> None:
    clean = cells(pd.DataFrame({"x": numbers}), column)
    alone = cells(pd.DataFrame({"x": [intruder]}), column)
    together = cells(pd.DataFrame({"x": [*numbers, intruder]}), column)
    assert together == [a + b for a, b in zip(clean, alone, strict=True)]


MOMENTS = [datetime(2020, 1, 2, 3), datetime(1800, 5, 5), datetime(900, 5, 5)]


@pytest.mark.parametrize("column", [WORD, DAY, MOMENT, WHOLE])
@pytest.mark.parametrize("intruder", [None, pd.NaT, "x", 5, datetime(2020, 1, 1).astimezone()])
def test_nor_do_moments(column: Column, intruder: Any) -> None:
    clean = cells(pd.DataFrame({"x": np.array(MOMENTS, dtype="datetime64[s]")}), column)
    alone = cells(pd.DataFrame({"x": pd.Series([intruder], dtype=object)}), column)
    both = pd.DataFrame({"x": pd.Series([*map(pd.Timestamp, MOMENTS), intruder], dtype=object)})
    assert cells(both, column) == [a + b for a, b in zip(clean, alone, strict=True)]


STRANGE = [
    *(None, 0.1, 2, 2**60 + 1, "x", True, Decimal("sNaN"), Decimal("1.50"), 1 + 0j, 1j),
    *(np.uint64(2**64 - 1), np.complex64(1), date(2020, 1, 2), datetime(2020, 1, 2)),
    *(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))), np.datetime64("2020-01-02")),
    *(np.datetime64(10**17, "s"), pd.Timestamp("2020-01-02", tz="Asia/Tokyo"), pd.NaT),
    *(timedelta(days=1), pd.Timedelta("1D"), np.timedelta64(1, "D"), np.timedelta64("NaT")),
    *(pd.Interval(0, 1), b"a", [1], pd.Period("2020-01")),
]


@pytest.mark.filterwarnings("ignore:Discarding nonzero nanoseconds")
def test_no_two_cells_change_each_other_in_pandas() -> None:
    """Every pair of strange values, one of them twice, as texts, numbers, days and moments."""
    words = Schema(name="t", columns={"x": Category(name="x", levels="discover")})

    def read(values: list[Any]) -> list[Any]:
        frame = pd.DataFrame({"x": values})
        return [
            Counter(open_source(frame, words).levels("x")),
            *(np.array(cells(frame, column)) for column in (NUMBER, DAY, MOMENT, YES)),
        ]

    alone = [read([value]) for value in STRANGE]
    for (one, its), (other, others) in product(zip(STRANGE, alone, strict=True), repeat=2):
        together = read([one, other, one])
        for both, once, twice in zip(together, others, its, strict=True):
            assert (both == once + twice + twice) is True or (both == once + 2 * twice).all()


def test_arrow_values_that_cannot_be_read_are_missing_and_stop_nothing() -> None:
    broken = pa.StringArray.from_buffers(
        3, pa.py_buffer(np.array([0, 1, 2, 3], np.int32).tobytes()), pa.py_buffer(b"a\xffa")
    )
    assert cells(pa.table({"x": broken}), WORD) == expected(["a", None, "a"], WORD)
    times = pa.array([2**62, 0, None]).view(pa.time64("us"))
    assert cells(pa.table({"x": times}), WORD) == expected([None, "00:00:00", None], WORD)


def test_ids_that_pandas_would_round_name_nobody() -> None:
    columns = {"x": Category(name="x", levels="discover"), "d": Drop(name="d")}
    schema = Schema(name="t", columns=columns, unit=Unit(column="x"))
    ids = [2**60 + 1, 2**60 + 2, 5]
    whole = open_source(pd.DataFrame({"x": ids}), schema)
    blank = open_source(pd.DataFrame({"x": [*ids, None]}), schema)
    mixed = open_source(pd.DataFrame({"x": [*ids, "y"]}), schema)
    assert whole.levels("x") == blank.levels("x") == {"5": 1}
    assert mixed.levels("x") == {"5": 1, "y": 1}
    huge = open_source(pd.DataFrame({"x": [10**400, 10**500, 2**53 - 1, str(2**60)]}), schema)
    assert huge.levels("x") == {str(2**53 - 1): 1, str(2**60): 1}
    exact = open_source(pl.DataFrame({"x": ids}), schema)
    assert exact.levels("x") == {str(number): 1 for number in ids}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "stream"])
def test_moments_with_a_time_zone_are_read_in_utc(library: str) -> None:
    moment = pd.Timestamp("2020-01-03 00:30", tz="Europe/Berlin")
    frame: Any = pd.DataFrame({"x": [moment, None]})
    if library == "polars":
        frame = pl.from_pandas(frame)
    elif library != "pandas":
        frame = pa.Table.from_pandas(frame, preserve_index=False)
        frame = frame.to_reader() if library == "stream" else frame
    for column, text in ((DAY, "2020-01-02"), (MOMENT, "2020-01-02T23:30:00")):
        if library == "stream":
            frame = pa.table({"x": pa.array([moment, None], pa.timestamp("us", "Europe/Berlin"))})
            frame = frame.to_reader()
        assert cells(frame, column) == expected([text, None], column)


def test_odd_types_are_read_cell_by_cell() -> None:
    odd = [
        pl.DataFrame({"x": pl.Series([b"a", None])}),
        pl.DataFrame({"x": [[1, 2], None]}),
        pl.DataFrame({"x": [{"a": 1}, None]}),
        pl.DataFrame({"x": pl.Series(["a", None], dtype=pl.Categorical)}),
        pl.DataFrame({"x": pl.Series([1, None], dtype=pl.Int128)}),
        pl.DataFrame({"x": pl.Series([None, None])}),
        pa.table({"x": pa.array([1, None], pa.duration("s"))}),
        pa.table({"x": pa.array(["a", None]).dictionary_encode()}),
        pa.table({"x": pa.array([b"\xff", None])}),
        pd.DataFrame({"x": [1 + 2j, None]}),
        pd.DataFrame({"x": [pd.Interval(0, 1), object()]}),
    ]
    for frame in odd:
        for column in (WORD, WHOLE, NUMBER, YES, DAY, MOMENT):
            assert sum(cells(frame, column)) == 2


def test_columns_that_are_not_learned_are_not_touched() -> None:
    class Untouchable:
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError("read")

    columns = {"x": WORD, "d": Drop(name="d")}
    frame = pd.DataFrame({"x": ["a"], "d": pd.Series([Untouchable()], dtype=object)})
    schema = Schema(name="t", columns=columns, rows=1)
    assert open_source(frame, schema).fits_declared_size()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_table_of_which_nothing_is_learned_still_has_a_size(make: Callable[[Any], Any]) -> None:
    schema = Schema(name="t", columns={"d": Drop(name="d")}, rows=3)
    assert open_source(make({"d": [1, 2, 3]}), schema).fits_declared_size()


def test_an_empty_frame_has_no_rows() -> None:
    for frame in (pd.DataFrame({"x": []}), pl.DataFrame({"x": []}), pa.table({"x": pa.array([])})):
        for column in (WORD, WHOLE, DAY):
            assert sum(cells(frame, column)) == 0


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"y": [1]}),
        pd.DataFrame({"x": [1], "y": [1]}),
        pd.DataFrame([[1, 2]], columns=["x", "x"]),
        pd.DataFrame({0: [1]}),
        pl.DataFrame({"y": [1]}),
        pl.LazyFrame({"y": [1]}),
        pa.table({"y": [1]}).to_reader(),
    ],
)
def test_other_columns_do_not_fit(frame: Any) -> None:
    with pytest.raises(TableMismatch):
        cells(frame, WORD)


@pytest.mark.parametrize("thing", [{"x": [1]}, [1], object(), 3, None, b"x", pd.Series([1])])
def test_what_is_no_table_is_refused(thing: Any) -> None:
    with pytest.raises(UsageError, match="give a file ending in"):
        cells(thing, WORD)


def test_feather_by_pyarrow_by_polars_and_by_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.feather"
    pl.DataFrame({"x": ["a", "b", None]}).write_ipc(path, compression="zstd")
    right = expected(["a", "b", None], WORD)
    assert cells(path, WORD) == right
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert cells(path, WORD) == right
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(SourceError, match=r"understudy\[arrow\]"):
        cells(path, WORD)
