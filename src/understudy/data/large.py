"""Opens tables that may be larger than memory: in place if they can be, else as a private copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from understudy.data.cells import Rows
from understudy.data.delimited import csv_pieces
from understudy.data.duckdb import DuckDBBackend
from understudy.data.jsonl import jsonl_pieces
from understudy.data.milliseconds import in_milliseconds, read_pieces
from understudy.data.private_copy import copied, parts_of
from understudy.data.snapshot import Snapshot
from understudy.data.source import Form, Source
from understudy.data.stored import Stored, connect, connected, parquet_relation, quoted_name
from understudy.schema.schema import Schema

SHARE = 4
LEAST = 1 << 27

Opener = Callable[[Source], BinaryIO]
Pieces = Callable[..., Iterator[Rows]]


def open_large(source: Source, schema: Schema, *, memory: int, opener: Opener) -> DuckDBBackend:
    """An engine whose memory does not grow with the table, within ``memory`` bytes."""
    share = max(memory // SHARE, LEAST)  # the rest is for pieces and tables of counts
    snapshot = Snapshot.of(source)
    parts = _parsed(source, schema, opener)
    if parts is None:
        table = _stored(source, schema, share)
        if schema.unit.column is None:
            return DuckDBBackend(table, schema, snapshot=snapshot, size=table.size())
        kept, size = copied(parts_of(table, schema), schema, memory=share)
        table.connection.close()
    else:
        kept, size = copied(parts, schema, memory=share)
    snapshot.check()
    return DuckDBBackend(kept, schema, snapshot=Snapshot(source, None), size=size)


def _stored(source: Source, schema: Schema, memory: int) -> Stored:
    if source.form is Form.PARQUET:
        connection = connect(files=True, memory=memory)
        relation = parquet_relation(source)
    else:
        connection = connect(str(source.path), read_only=True, memory=memory)
        relation = quoted_name(source.table or "")
    connection.execute("BEGIN")  # what is read from now on is one state of the database
    return Stored.described(connection, relation, schema, found_in=source.name)


def _parsed(source: Source, schema: Schema, opener: Opener) -> Iterator[Rows] | None:
    """The rows, some at a time, of what DuckDB cannot read itself."""
    match source.form:
        case Form.DUCKDB:
            return None
        case Form.PARQUET:
            with connected(files=True) as connection:
                odd = in_milliseconds(connection, source, schema)
            return read_pieces(source, schema, because_of=odd) if odd else None
        case Form.JSONL:
            return _of_lines(source, schema, opener, jsonl_pieces)
        case _:
            return _of_lines(source, schema, opener, csv_pieces)


def _of_lines(source: Source, schema: Schema, opener: Opener, read: Pieces) -> Iterator[Rows]:
    with opener(source) as file:
        yield from read(file, schema, found_in=source.name)
