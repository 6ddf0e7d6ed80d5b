"""``open_source``: from what a person names to an engine that holds the private rows."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from understudy.data.backend import Backend
from understudy.data.cells import Rows
from understudy.data.delimited import read_csv
from understudy.data.jsonl import read_jsonl
from understudy.data.limit import is_too_large, memory_limit
from understudy.data.memory import MemoryBackend
from understudy.data.quiet import quiet
from understudy.data.source import Form, Source, parse
from understudy.data.spool import spooled
from understudy.schema.schema import Schema

Reader = Callable[[Source, Schema], Rows]


def open_source(source: Any, schema: Schema, *, memory: int | str | None = None) -> Backend:
    """Open a table for the gate, at most ``max_rows`` rows per protected person.

    ``source`` is a path, ``"duckdb:FILE?table=NAME"``, ``"-"`` (CSV on standard input) or a
    dataframe. Columns that are not learned are not kept, except the one that tells persons apart.
    ``memory`` is how much may be used, in bytes or as "2GB"; without it, what the environment
    variable UNDERSTUDY_MEMORY says, or a quarter of the machine's. Files that may need more, by
    their form and size on disk, are read in pieces each time that something is asked.
    Raises ``SourceError`` if it cannot be read and ``TableMismatch`` if its columns are not the
    schema's; no cell, whatever it holds, makes it raise, and no message shows one.
    """
    limit = memory_limit(memory)
    found = parse(source)
    if found.path is not None:
        _check_file(found, found.path)
    with quiet(found.unreadable()):
        if is_too_large(found, memory=limit):
            from understudy.data.large import open_large

            return open_large(found, schema, memory=limit, opener=_opened)
        return MemoryBackend(_reader(found.form)(found, schema), schema)


def _check_file(source: Source, path: Path) -> None:
    if path.is_dir():
        raise source.unreadable("it is a folder")
    try:
        path.open("rb").close()
    except FileNotFoundError:
        raise source.unreadable("there is no such file") from None
    except OSError:
        raise source.unreadable("this user may not open it") from None


def _reader(form: Form) -> Reader:
    """Heavy libraries are loaded for the sources that need them only."""
    match form:
        case Form.PARQUET:
            from understudy.data.stored import read_parquet

            return read_parquet
        case Form.DUCKDB:
            from understudy.data.stored import read_duckdb_table

            return read_duckdb_table
        case Form.FEATHER:
            from understudy.data.frames import read_feather

            return read_feather
        case Form.FRAME:
            from understudy.data.frames import read_frame

            return read_frame
        case _:
            return _read_bytes


def _read_bytes(source: Source, schema: Schema) -> Rows:
    read = read_jsonl if source.form is Form.JSONL else read_csv
    with _opened(source) as file:
        return read(file, schema, found_in=source.name)


def _opened(source: Source) -> BinaryIO:
    if source.path is None:
        return spooled(sys.stdin.buffer)
    if source.form is Form.CSV_GZ:
        return io.BufferedReader(gzip.open(source.path), 1 << 20)
    return source.path.open("rb", buffering=1 << 20)
