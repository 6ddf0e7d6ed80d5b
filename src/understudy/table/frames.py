"""A ``Table`` as an Arrow stream, a pandas, polars or pyarrow table, or a page.

Types follow from the schema alone: a column that may be missing is nullable even if no cell is.
pandas, polars and pyarrow are imported only here and only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.schema.columns import Column
from understudy.table.table import Table, Values

if TYPE_CHECKING:
    import nanoarrow
    import pandas
    import polars
    import pyarrow

BATCH: Final = 1 << 20
_SHOWN: Final = 10


def to_stream(table: Table) -> nanoarrow.c_array_stream.CArrayStream:
    """The rows as an Arrow stream, without pyarrow: levels and texts are strings."""
    import nanoarrow
    from nanoarrow.c_array_stream import CArrayStream

    fields = {
        name: _arrow_type(table.schema.columns[name], values)
        for name, values in table.columns.items()
    }
    schema = nanoarrow.c_schema(nanoarrow.struct(fields, nullable=False))
    batches = [_arrow_batch(table, schema, start) for start in range(0, table.rows, BATCH)]
    return CArrayStream.from_c_arrays(batches, schema)


def to_pandas(table: Table) -> pandas.DataFrame:
    """See ``Table.to_pandas``."""
    module = _imported("pandas", how="pip install pandas")
    series = {
        name: _pandas_series(module, table.schema.columns[name], values)
        for name, values in table.columns.items()
    }
    frame: pandas.DataFrame = module.DataFrame(series, index=module.RangeIndex(table.rows))
    return frame


def to_polars(table: Table) -> polars.DataFrame:
    """See ``Table.to_polars``."""
    module = _imported("polars", how="pip install polars")
    frame: polars.DataFrame = module.DataFrame(
        [
            _polars_series(module, table.schema.columns[name], values).alias(name)
            for name, values in table.columns.items()
        ]
    )
    return frame


def to_arrow(table: Table) -> pyarrow.Table:
    """See ``Table.to_arrow``."""
    rows: pyarrow.Table = _imported("pyarrow", how="pip install 'understudy[arrow]'").table(table)
    return rows


def to_like(table: Table, native: object) -> Any:
    """See ``Table.to_like``."""
    kinds = {
        ("pandas", "DataFrame"): to_pandas,
        ("polars", "DataFrame"): to_polars,
        ("polars", "LazyFrame"): lambda table: to_polars(table).lazy(),
        ("pyarrow", "Table"): to_arrow,
        ("_duckdb", "DuckDBPyRelation"): _to_duckdb,
        ("duckdb", "DuckDBPyRelation"): _to_duckdb,
    }
    for kind in type(native).__mro__:
        make = kinds.get((kind.__module__.partition(".")[0], kind.__name__))
        if make is not None:
            return make(table)
    return table


def to_html(table: Table) -> str:
    """The first rows as an HTML table."""
    head = Table(
        table.schema,
        {name: _rows(values, 0, _SHOWN) for name, values in table.columns.items()},
        min(table.rows, _SHOWN),
    )
    titles = "".join(f"<th>{escape(name)}</th>" for name in head.columns)
    texts = [_shown(values) for values in head.columns.values()]
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>"
        for row in zip(*texts, strict=True)
    )
    caption = f"{escape(table.schema.name)}: {table.rows:,} synthetic rows"
    return (
        f"<table><caption>{caption}</caption>"
        f"<thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"
    )


def texts_of(values: Values) -> list[str | None]:
    """Each level as its text, None where missing; only for columns with levels or texts."""
    levels = values.levels
    texts: list[str | None] = values.data.tolist()
    if levels is not None:
        texts = [levels[index] for index in values.data.tolist()]
    if values.missing is not None:
        for index in np.flatnonzero(values.missing).tolist():
            texts[index] = None
    return texts


def _imported(module: str, *, how: str) -> Any:
    try:
        return import_module(module)
    except ImportError as missing:
        raise UsageError(f"{module} is not installed; run: {how}") from missing


def _to_duckdb(table: Table) -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.register("stream", table)
    connection.execute("CREATE TABLE synthetic AS FROM stream")
    return connection.table("synthetic")


def _rows(values: Values, start: int, stop: int) -> Values:
    missing = None if values.missing is None else values.missing[start:stop]
    return Values(values.data[start:stop], values.levels, missing)


def _shown(values: Values) -> list[str]:
    if values.levels is not None:
        return [text or "" for text in texts_of(values)]
    gone = np.zeros(len(values.data), bool) if values.missing is None else values.missing
    return ["" if no else str(value) for value, no in zip(values.data, gone, strict=True)]


def _arrow_type(column: Column, values: Values) -> Any:
    import nanoarrow

    nullable = values.missing is not None
    match column.kind:
        case "boolean":
            return nanoarrow.bool_(nullable=nullable)
        case "integer":
            return nanoarrow.int64(nullable=nullable)
        case "real":
            return nanoarrow.float64(nullable=nullable)
        case "date":
            return nanoarrow.date32(nullable=nullable)
        case "datetime":
            return nanoarrow.timestamp("us", nullable=nullable)
    return nanoarrow.string(nullable=nullable)


def _arrow_batch(table: Table, schema: Any, start: int) -> Any:
    import nanoarrow

    stop = min(start + BATCH, table.rows)
    children = []
    for child, (name, values) in zip(schema.children, table.columns.items(), strict=True):
        part = _rows(values, start, stop)
        valid = None if part.missing is None else _bits(~part.missing)
        buffers = [valid, *_arrow_buffers(table.schema.columns[name], part)]
        children.append(nanoarrow.c_array_from_buffers(child, stop - start, buffers))
    return nanoarrow.c_array_from_buffers(schema, stop - start, [None], children=children)


def _arrow_buffers(column: Column, values: Values) -> Iterator[Any]:
    match column.kind:
        case "boolean":
            yield _bits(values.data != 0)
        case "integer" | "real":
            yield np.ascontiguousarray(values.data)
        case "date":
            yield values.data.astype("datetime64[D]").astype(np.int64).astype(np.int32)
        case "datetime":
            yield values.data.astype("datetime64[us]").astype(np.int64)
        case _:
            yield from _string_buffers(values)


def _string_buffers(values: Values) -> tuple[NDArray[np.int32], bytes]:
    if values.levels is None:
        parts = [text.encode("utf-8", "replace") for text in values.data.tolist()]
    else:
        levels = [level.encode("utf-8", "replace") for level in values.levels]
        parts = [levels[index] for index in values.data.tolist()]
    lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return offsets, b"".join(parts)


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _pandas_series(pandas: Any, column: Column, values: Values) -> Any:
    missing, data = values.missing, values.data
    match column.kind:
        case "boolean":
            return _pandas_masked(pandas.arrays.BooleanArray, data != 0, missing)
        case "integer":
            return _pandas_masked(pandas.arrays.IntegerArray, data, missing)
        case "real":
            return data if missing is None else np.where(missing, np.nan, data)
        case "date" | "datetime":
            data = data.astype("datetime64[s]")
            return data if missing is None else np.where(missing, np.datetime64("NaT", "s"), data)
        case "fake":
            return pandas.Series(data, dtype=str)
    indices = data.astype(np.int64)
    if missing is not None:
        indices = np.where(missing, -1, indices)
    ordered = column.kind == "ordinal"
    return pandas.Categorical.from_codes(indices, list(values.levels or ()), ordered=ordered)


def _pandas_masked(kind: Any, data: NDArray[Any], missing: NDArray[np.bool_] | None) -> Any:
    return data if missing is None else kind(data.copy(), missing.copy())


def _polars_series(polars: Any, column: Column, values: Values) -> Any:
    data = values.data
    match column.kind:
        case "boolean":
            series = polars.Series(data != 0)
        case "date" | "datetime":
            unit = "datetime64[D]" if column.kind == "date" else "datetime64[us]"
            series = polars.Series(data.astype(unit))
        case "fake":
            series = polars.Series(data.tolist(), dtype=polars.String)
        case "integer" | "real":
            series = polars.Series(data)
        case _:
            levels = list(values.levels or ())
            series = polars.Series(levels, dtype=polars.Enum(levels)).gather(data)
    if values.missing is None:
        return series
    return series.scatter(np.flatnonzero(values.missing), None)
