"""Reads dataframes: whatever narwhals knows (pandas, polars, pyarrow, ...), or any Arrow stream.

The type of a dataframe's column may depend on a single cell of it, so no meaning hangs on types:
each value goes by the text form of ``texts.py``, and arrays of numbers or moments only take a
shorter way to the same cell.

pandas needs one rule more. It stores whole numbers as floats as soon as one of them is blank, and
floats know whole numbers up to 2**53 only. So from pandas every whole number is read as its
nearest float, blank or not. Larger ones cannot tell persons apart, as several have one float: in
the column of the privacy unit they name nobody, and nor does anything else that is rounded when it
is read, such as moments (``ids.py``). Such ids must be given as text.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import narwhals as nw
import numpy as np

from understudy.data.cells import Cells, Rows
from understudy.data.header import positions
from understudy.data.ids import as_id
from understudy.data.source import ALLOWED, Source
from understudy.data.stored import read_stream
from understudy.data.texts import LARGEST_ID
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.schema.columns import Column
from understudy.schema.schema import Schema

NUMPY_NUMBERS: Final = (
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
    *(nw.Float32, nw.Float64),
)
WHOLE_OR_FLOAT: Final = (int, float, np.integer, np.floating)
FEATHER_NEEDS: Final = "this needs pyarrow (pip install 'understudy[arrow]') or polars"


def read_frame(source: Source, schema: Schema) -> Rows:
    """The rows of a dataframe; its index, if it has one, is no column."""
    try:
        table = nw.from_native(source.frame, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise TableMismatch(f"{source.name} has several columns of one name; rename them") from None
    if isinstance(table, nw.DataFrame):
        return _read_eager(table, schema, found_in=source.name)
    if hasattr(source.frame, "__arrow_c_stream__") and not isinstance(table, nw.Series):
        return read_stream(source, schema)
    if isinstance(table, nw.LazyFrame):
        return _read_lazy(table, schema, found_in=source.name)
    raise UsageError(f"{source.name} is no table; give {ALLOWED}")


def read_feather(source: Source, schema: Schema) -> Rows:
    """The rows of a Feather (Arrow IPC) file, by whichever of pyarrow and polars is there."""
    path = str(source.path)
    try:
        from pyarrow import ipc, memory_map
    except ImportError:
        try:
            import polars
        except ImportError:
            raise SourceError(f"cannot read {source.name}: {FEATHER_NEEDS}") from None
        return _read_lazy(nw.from_native(polars.scan_ipc(path)), schema, found_in=source.name)
    with memory_map(path) as file:
        table = nw.from_native(ipc.open_file(file).read_all())
        return _read_eager(table, schema, found_in=source.name)


def _read_lazy(table: nw.LazyFrame[Any], schema: Schema, *, found_in: str) -> Rows:
    names = list(positions(schema, table.collect_schema().names(), found_in=found_in))
    number = int(table.select(nw.len()).collect().item())
    return rows_of(table.select(names).collect(), schema, names, number)


def _read_eager(table: nw.DataFrame[Any], schema: Schema, *, found_in: str) -> Rows:
    names = list(positions(schema, table.columns, found_in=found_in))
    return rows_of(table, schema, names, len(table))


def rows_of(table: nw.DataFrame[Any], schema: Schema, names: list[str], number: int) -> Rows:
    """These columns of a dataframe, of which it is known how many rows it has."""
    columns = {
        name: _cells(schema.columns[name], table[name], ids=name == schema.unit.column)
        for name in names
    }
    return Rows(columns, number)


def _cells(column: Column, series: nw.Series[Any], *, ids: bool) -> Cells:
    of_pandas = series.implementation.is_pandas_like()
    if series.dtype in NUMPY_NUMBERS:
        missing = np.asarray(series.is_null().to_numpy(), dtype=np.bool_)
        numbers = np.asarray(series.fill_null(0).to_numpy())
        if numbers.dtype.kind in "iuf":
            numbers = numbers.astype(np.float64) if of_pandas else numbers
            if ids and numbers.dtype.kind == "f":
                missing = missing | (abs(numbers) >= LARGEST_ID)
            return Cells.of_numbers(column, numbers, missing)
    if isinstance(series.dtype, nw.Date if ids else nw.Date | nw.Datetime):
        with suppress(Exception):  # a moment out of range goes with the objects
            moments = np.asarray(_in_utc(series).to_numpy())
            if moments.dtype.kind == "M":
                return Cells.of_moments(column, moments)
    # Which objects are missing is asked of each alone: pandas fails on all if it does on one.
    objects = _objects(series)
    if ids:
        objects = [as_id(value) for value in objects]
    if of_pandas:
        objects = [_as_pandas_might(value, ids=ids) for value in objects]
    return Cells.of_objects(column, objects)


def _objects(series: nw.Series[Any]) -> list[Any]:
    """The values as Python objects; what cannot be one, such as text that is no UTF-8, is None."""
    try:
        return series.to_list()
    except Exception:  # noqa: BLE001  one cell must not stop the others
        return [_object(series, row) for row in range(len(series))]


def _object(series: nw.Series[Any], row: int) -> Any:
    try:
        return series[row : row + 1].to_list()[0]
    except Exception:  # noqa: BLE001
        return None


def _in_utc(series: nw.Series[Any]) -> nw.Series[Any]:
    if getattr(series.dtype, "time_zone", None) is None:
        return series
    return series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def _as_pandas_might(value: Any, *, ids: bool) -> Any:
    """A whole number as the float that it would be if another cell of its column were blank."""
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, WHOLE_OR_FLOAT):
        return value
    try:
        number = float(value)
    except OverflowError:
        return None if ids else value
    return None if ids and abs(number) >= LARGEST_ID else number
