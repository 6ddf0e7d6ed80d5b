"""Parquet files, written row group by row group, so that memory does not grow with the rows.

Only what a ``Table`` holds can be written: flat columns of texts, booleans, numbers, days and
moments. Nothing is compressed: codes are packed, which for levels is as small. Why this is no
library: docs/decisions/0007-a-parquet-writer.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import pack
from typing import BinaryIO, Final

from understudy.schema.schema import Schema
from understudy.table.pages import Pages, pages, physical
from understudy.table.table import Table, Values
from understudy.table.thrift import Wire, int32, int64, items, struct, text

MAGIC: Final = b"PAR1"
GROUP: Final = 1 << 20
REQUIRED: Final = 0
OPTIONAL: Final = 1
UNCOMPRESSED: Final = 0


def write_parquet_to(pieces: Iterable[Table], stream: BinaryIO) -> None:
    """Write tables of one schema, at least one, as one table to an open binary stream."""
    stream.write(MAGIC)
    place, rows, groups = len(MAGIC), 0, []
    for table in pieces:
        for start in range(0, table.rows, GROUP):
            group, place = _group(table, start, place, stream)
            groups.append(group)
        rows += table.rows
    footer = _footer(table, rows, groups)
    stream.write(footer + pack("<I", len(footer)) + MAGIC)


def _group(table: Table, start: int, place: int, stream: BinaryIO) -> tuple[Wire, int]:
    """Write some rows; returns what the footer says of them, and where the file goes on."""
    rows, begin, chunks = min(GROUP, table.rows - start), place, []
    for name, values in table.columns.items():
        found = pages(table.schema.columns[name], _rows(values, start))
        stream.write(found.dictionary)
        stream.write(found.data)
        chunks.append(_chunk(table.schema, name, found, rows, place))
        place += len(found.dictionary) + len(found.data)
    return struct({1: items(chunks), 2: int64(place - begin), 3: int64(rows)}), place


def _chunk(schema: Schema, name: str, found: Pages, rows: int, place: int) -> Wire:
    size = int64(len(found.dictionary) + len(found.data))
    about = {
        1: int32(physical(schema.columns[name]).number),
        2: items([int32(encoding) for encoding in found.encodings]),
        3: items([text(name)]),
        4: int32(UNCOMPRESSED),
        5: int64(rows),
        6: size,
        7: size,
        9: int64(place + len(found.dictionary)),
    }
    if found.dictionary:
        about[11] = int64(place)
    return struct({2: int64(place), 3: struct(about)})


def _footer(last: Table, rows: int, groups: list[Wire]) -> bytes:
    columns = [_column(last.schema, name) for name in last.columns]
    root = struct({4: text("schema"), 5: int32(len(columns))})
    about = {1: int32(1), 2: items([root, *columns]), 3: int64(rows), 4: items(groups)}
    return struct({**about, 6: text("understudy")}).bytes


def _column(schema: Schema, name: str) -> Wire:
    column = schema.columns[name]
    held = physical(column)
    repetition = OPTIONAL if column.nullable else REQUIRED
    head = {1: int32(held.number), 3: int32(repetition), 4: text(name)}
    return struct({**head, **held.meaning})


def _rows(values: Values, start: int) -> Values:
    part = slice(start, start + GROUP)
    missing = None if values.missing is None else values.missing[part]
    return Values(values.data[part], values.levels, missing)
