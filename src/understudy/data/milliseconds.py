"""Parquet files with moments in milliseconds, which DuckDB cannot decode one by one.

It turns them into microseconds and stops at the first that is too large, so that one cell would
stop the run. pyarrow leaves them as they are. Which files these are follows from the types that
they declare, never from a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import narwhals as nw

from understudy.data.cells import Rows
from understudy.data.frames import rows_of
from understudy.data.header import needed, positions
from understudy.data.source import Source
from understudy.data.stored import Connection, parquet_file
from understudy.errors import SourceError
from understudy.schema.schema import Schema
from understudy.schema.values import listed

BATCH: Final = 1 << 16


def in_milliseconds(connection: Connection, source: Source, schema: Schema) -> list[str]:
    """The needed columns of a Parquet file that are stored so."""
    declared = connection.execute(
        f"SELECT DISTINCT name FROM parquet_schema({parquet_file(source)}) "
        "WHERE logical_type LIKE 'TimestampType(%MILLIS=MilliSeconds%' "
        "OR converted_type = 'TIMESTAMP_MILLIS'"
    ).fetchall()
    return [name for name in needed(schema) if (name,) in declared]


def read_whole(source: Source, schema: Schema, *, because_of: list[str]) -> Rows:
    """All rows at once, by pyarrow."""
    file, names = _opened(source, schema, because_of)
    with file:
        table = nw.from_native(file.read(columns=names))
        return rows_of(table, schema, names, file.metadata.num_rows)


def read_pieces(source: Source, schema: Schema, *, because_of: list[str]) -> Iterator[Rows]:
    """The same rows, some at a time."""
    file, names = _opened(source, schema, because_of)
    from pyarrow import Table

    with file:
        for batch in file.iter_batches(batch_size=BATCH, columns=names):
            table = nw.from_native(Table.from_batches([batch]))
            yield rows_of(table, schema, names, batch.num_rows)


def _opened(source: Source, schema: Schema, because_of: list[str]) -> tuple[Any, list[str]]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise SourceError(
            f"cannot read {source.name}: it stores {listed(because_of)} as moments in "
            "milliseconds, and that needs pyarrow (pip install 'understudy[arrow]'); or store "
            "them in microseconds, as days or as text"
        ) from None
    file = ParquetFile(str(source.path))
    names = list(positions(schema, file.schema_arrow.names, found_in=source.name))
    return file, names
