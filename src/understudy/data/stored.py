"""Reads Parquet, DuckDB tables and Arrow streams through DuckDB, the needed columns only.

DuckDB may not fetch extensions, and its spills go to the private folder. Each column is asked for
in one of few shapes (numbers, moments, text), by its stored type alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Final

import duckdb
import numpy as np
from numpy.typing import NDArray

from understudy.data.cells import Cells, Rows
from understudy.data.header import positions
from understudy.data.source import Source
from understudy.data.spool import private_folder
from understudy.schema.columns import Column
from understudy.schema.schema import Schema

_PLAIN_NUMBERS: Final = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE")
_LONG_NUMBERS: Final = re.compile(r"U?HUGEINT|BIGNUM|VARINT|DECIMAL\(.*")
_GLOB: Final = re.compile(r"[*?\[]")


def read_parquet(source: Source, schema: Schema) -> Rows:
    """The rows of one Parquet file."""
    # The path is a pattern to DuckDB; in brackets a letter of a pattern stands for itself.
    path = _GLOB.sub(r"[\g<0>]", str(source.path))
    with connected(files=True) as connection:
        # Text that is no UTF-8 loses its bad letters, instead of stopping the run.
        relation = f"read_parquet({_text(path)}, utf8_validation = 'replace')"
        return _read(connection, relation, schema, source)


def read_duckdb_table(source: Source, schema: Schema) -> Rows:
    """The rows of a table in a DuckDB file, which is opened for reading only."""
    with connected(str(source.path), read_only=True) as connection:
        return _read(connection, _name(source.table or ""), schema, source)


def read_stream(source: Source, schema: Schema) -> Rows:
    """The rows of anything that hands out an Arrow stream."""
    import nanoarrow

    with connected() as connection:
        connection.register("given", nanoarrow.ArrayStream(source.frame))
        return _read(connection, "given", schema, source)


@contextmanager
def connected(
    database: str = ":memory:", *, read_only: bool = False, files: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that fetches nothing, sees no Python variables and spills in private.

    Unless ``files``, it reads no file but the database: a name that is no table is an error.
    """
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_external_access": str(files).lower(),
        "python_enable_replacements": "false",
        "temp_directory": str(private_folder()),
    }
    connection = duckdb.connect(database, read_only=read_only, config=settings)
    try:
        connection.execute("SET enable_progress_bar = false")
        yield connection
    finally:
        connection.close()


def _read(
    connection: duckdb.DuckDBPyConnection, relation: str, schema: Schema, source: Source
) -> Rows:
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    stored = {name: kind for name, kind, *_ in described}
    names = list(positions(schema, [name for name, *_ in described], found_in=source.name))
    shapes = [f"{_shape(_name(name), stored[name])} AS c{i}" for i, name in enumerate(names)]
    answer = connection.execute(f"SELECT {', '.join(['1 AS row', *shapes])} FROM {relation}")
    arrays = answer.fetchnumpy()
    columns = {
        name: _cells(schema.columns[name], arrays[f"c{i}"], stored[name])
        for i, name in enumerate(names)
    }
    return Rows(columns, len(arrays["row"]))


def _shape(name: str, stored: str) -> str:
    """How a column is asked for, as SQL."""
    if _PLAIN_NUMBERS.fullmatch(stored) or stored == "BOOLEAN":
        return name
    if _is_moment(stored):
        return f"CAST(floor(epoch({name})) AS BIGINT)"  # an infinite moment has none: missing
    return f"CAST({name} AS VARCHAR)"


def _cells(column: Column, array: NDArray[Any], stored: str) -> Cells:
    missing = np.ma.getmaskarray(array)
    if _PLAIN_NUMBERS.fullmatch(stored):
        return Cells.of_numbers(column, np.asarray(np.ma.getdata(array)), missing)
    if _is_moment(stored):
        moments = np.asarray(np.ma.getdata(array)).astype("datetime64[s]")
        moments[missing] = np.datetime64("NaT")
        return Cells.of_moments(
            column, moments.astype("datetime64[D]" if stored == "DATE" else "datetime64[s]")
        )
    objects = array.tolist()
    if _LONG_NUMBERS.fullmatch(stored):
        objects = [None if text is None else Decimal(text) for text in objects]
    return Cells.of_objects(column, objects)


def _is_moment(stored: str) -> bool:
    return stored == "DATE" or stored.startswith("TIMESTAMP")


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
